package trial

import (
	"fmt"
	"strings"

	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/workload"
)

// Chain is a graph that test data can be made for: one input, GEMMs and GELUs
// one after the other, one output.
type Chain struct {
	eval.Chain
	Input, Output string
	Weights       []string // of the GEMMs, in order
}

// ChainOf reads a graph as a chain. An error says what is none about it.
func ChainOf(g *model.Graph) (*Chain, error) {
	c := &Chain{}
	at, used := "", map[string]bool{}
	for i := range g.Ops {
		op := &g.Ops[i]
		in, _ := g.Value(op.Inputs[0])
		if i == 0 {
			c.Input, c.Rows, at = in.Name, in.Rows(), in.Name
		}
		out, _ := g.Value(op.Output)
		if in.Name != at || in.Name == c.Input && in.Role != model.RoleInput {
			return nil, fmt.Errorf("operation %s does not continue a chain from the input", op.Name)
		}
		step := eval.Op{Kind: eval.Gelu, K: in.Cols(), N: out.Cols()}
		if op.Kind == model.OpGemm {
			step.Kind = eval.Gemm
			w, _ := g.Value(op.Inputs[1])
			if w.Role != model.RoleWeight || used[w.Name] {
				return nil, fmt.Errorf("operation %s does not have a weight of its own", op.Name)
			}
			used[w.Name] = true
			c.Weights = append(c.Weights, w.Name)
		}
		c.Ops = append(c.Ops, step)
		at = op.Output
	}
	if len(g.Outputs) != 1 || g.Outputs[0] != at {
		return nil, fmt.Errorf("the output is not the last result, %s", at)
	}
	c.Output = at
	return c, c.Validate()
}

// Tensors are F16 bits in logical row-major order, by graph value.
type Tensors map[string][]uint16

// Named gives data of the chain the names of the graph.
func (c *Chain) Named(d eval.Data) Tensors {
	t := Tensors{c.Input: d.Input.Data}
	for i, name := range c.Weights {
		t[name] = d.Weights[i].Data
	}
	return t
}

// Sizes are those of a chain that is the siglip-mlp workload.
type Sizes struct{ Batch, Tokens, Dim, Hidden, Blocks int }

// FullSize is the MLP that the seed test's tolerance is made for (reference:
// simulator.md §8.1).
var FullSize = Sizes{1, 729, 1152, 4304, 1}

// SizesOf tells whether a graph is the workload, whatever its values are
// called.
func SizesOf(g *model.Graph) (Sizes, bool) {
	if len(g.Ops) == 0 || len(g.Ops)%3 != 0 {
		return Sizes{}, false
	}
	x, _ := g.Value(g.Ops[0].Inputs[0])
	h, _ := g.Value(g.Ops[0].Output)
	if len(x.Shape) != 3 {
		return Sizes{}, false
	}
	s := Sizes{x.Shape[0], x.Shape[1], x.Cols(), h.Cols(), len(g.Ops) / 3}
	want, err := workload.SiglipMLP(s.Batch, s.Tokens, s.Dim, s.Hidden, s.Blocks)
	if err != nil {
		return Sizes{}, false
	}
	a, errA := ChainOf(g)
	b, errB := ChainOf(want)
	if errA != nil || errB != nil || a.Rows != b.Rows || len(a.Ops) != len(b.Ops) {
		return Sizes{}, false
	}
	for i := range a.Ops {
		if a.Ops[i] != b.Ops[i] {
			return Sizes{}, false
		}
	}
	return s, true
}

// String is the workload's name in the seed logs.
func (s Sizes) String() string {
	return fmt.Sprintf("siglip-mlp-f16-b%d-t%d-d%d-h%d-n%d", s.Batch, s.Tokens, s.Dim, s.Hidden, s.Blocks)
}

// Label names a graph as the closing line of a seed log does.
func Label(g *model.Graph) string {
	if s, ok := SizesOf(g); ok {
		return s.String()
	}
	return strings.Join(strings.Fields(g.Name), "_")
}
