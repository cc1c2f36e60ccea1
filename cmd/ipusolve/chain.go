package main

import (
	"fmt"
	"strings"

	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/workload"
)

// chain is a graph that test data can be made for: one input, GEMMs and GELUs
// one after the other, one output.
type chain struct {
	eval.Chain
	input, output string
	weights       []string // of the GEMMs, in order
}

// chainOf reads a graph as a chain.
func chainOf(g *model.Graph) (*chain, error) {
	c := &chain{}
	at, used := "", map[string]bool{}
	for i := range g.Ops {
		op := &g.Ops[i]
		in, _ := g.Value(op.Inputs[0])
		if i == 0 {
			c.input, c.Rows, at = in.Name, in.Rows(), in.Name
		}
		out, _ := g.Value(op.Output)
		if in.Name != at || in.Name == c.input && in.Role != model.RoleInput {
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
			c.weights = append(c.weights, w.Name)
		}
		c.Ops = append(c.Ops, step)
		at = op.Output
	}
	if len(g.Outputs) != 1 || g.Outputs[0] != at {
		return nil, fmt.Errorf("the output is not the last result, %s", at)
	}
	c.output = at
	return c, c.Validate()
}

// tensors are F16 bits in logical row-major order, by graph value.
type tensors map[string][]uint16

// named gives data of the chain the names of the graph.
func (c *chain) named(d eval.Data) tensors {
	t := tensors{c.input: d.Input.Data}
	for i, name := range c.weights {
		t[name] = d.Weights[i].Data
	}
	return t
}

// siglip are the sizes of a chain that is the siglip-mlp workload.
type siglip struct{ batch, tokens, dim, hidden, blocks int }

// siglipOf tells whether a graph is the workload, whatever its values are
// called.
func siglipOf(g *model.Graph) (siglip, bool) {
	if len(g.Ops) == 0 || len(g.Ops)%3 != 0 {
		return siglip{}, false
	}
	x, _ := g.Value(g.Ops[0].Inputs[0])
	h, _ := g.Value(g.Ops[0].Output)
	if len(x.Shape) != 3 {
		return siglip{}, false
	}
	s := siglip{x.Shape[0], x.Shape[1], x.Cols(), h.Cols(), len(g.Ops) / 3}
	want, err := workload.SiglipMLP(s.batch, s.tokens, s.dim, s.hidden, s.blocks)
	if err != nil {
		return siglip{}, false
	}
	a, errA := chainOf(g)
	b, errB := chainOf(want)
	if errA != nil || errB != nil || a.Rows != b.Rows || len(a.Ops) != len(b.Ops) {
		return siglip{}, false
	}
	for i := range a.Ops {
		if a.Ops[i] != b.Ops[i] {
			return siglip{}, false
		}
	}
	return s, true
}

// fullSize is the MLP that the seed test's tolerance is made for (reference:
// simulator.md §8.1).
var fullSize = siglip{1, 729, 1152, 4304, 1}

// workloadLabel names a graph in the closing line of a run, as the seed logs do.
func workloadLabel(g *model.Graph) string {
	if s, ok := siglipOf(g); ok {
		return fmt.Sprintf("siglip-mlp-f16-b%d-t%d-d%d-h%d-n%d", s.batch, s.tokens, s.dim, s.hidden, s.blocks)
	}
	return strings.Join(strings.Fields(g.Name), "_")
}
