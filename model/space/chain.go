package space

import (
	"errors"
	"fmt"

	"ipusolve/model"
)

// ErrUnsupported is wrapped by errors about graphs outside the plan family.
var ErrUnsupported = errors.New("graph is outside the plan families")

// Stage is one GEMM of a chain and the GELUs applied to its result.
type Stage struct {
	Shape
	Gemm   model.Op
	Gelus  []model.Op
	Weight string // graph value
}

// Result is the graph value that the stage hands on.
func (s *Stage) Result() string {
	if n := len(s.Gelus); n > 0 {
		return s.Gelus[n-1].Output
	}
	return s.Gemm.Output
}

// Chain is a graph that the family plans: one input, GEMMs whose streamed
// operand is the result before, one output.
type Chain struct {
	Input  string
	Stages []Stage
}

// NewChain reads a problem's graph as a chain.
func NewChain(p *model.Problem) (*Chain, error) {
	g := &p.Graph
	unsupported := func(format string, args ...any) error {
		return fmt.Errorf("space: %w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
	}
	if len(g.Outputs) != 1 {
		return nil, unsupported("want one output, found %d", len(g.Outputs))
	}
	c, at := &Chain{}, ""
	for _, op := range g.Ops {
		in, _ := g.Value(op.Inputs[0])
		if at == "" {
			if in.Role != model.RoleInput {
				return nil, unsupported("operation %s must read a graph input", op.Name)
			}
			c.Input, at = in.Name, in.Name
		}
		if in.Name != at {
			return nil, unsupported("operation %s reads %s, want the value before it, %s", op.Name, in.Name, at)
		}
		switch op.Kind {
		case model.OpGemm:
			w, _ := g.Value(op.Inputs[1])
			if w.Role != model.RoleWeight {
				return nil, unsupported("operation %s needs a weight as second operand", op.Name)
			}
			for i := range c.Stages {
				if c.Stages[i].Weight == w.Name {
					return nil, unsupported("weight %s is used twice", w.Name)
				}
			}
			c.Stages = append(c.Stages, Stage{Shape: Shape{M: in.Rows(), K: in.Cols(), N: w.Cols(), Tiles: p.Tiles}, Gemm: op, Weight: w.Name})
		case model.OpGelu:
			if len(c.Stages) == 0 {
				return nil, unsupported("operation %s comes before the first gemm", op.Name)
			}
			last := &c.Stages[len(c.Stages)-1]
			last.Gelus = append(last.Gelus, op)
		default:
			return nil, unsupported("operation %s of kind %q", op.Name, op.Kind)
		}
		at = op.Output
	}
	if len(c.Stages) == 0 || g.Outputs[0] != at {
		return nil, unsupported("the output must be the last result, %s", at)
	}
	if p.Outputs == model.OutputsLinear && c.Stages[len(c.Stages)-1].N%2 != 0 {
		return nil, unsupported(oddLinear)
	}
	return c, nil
}

const oddLinear = "linear outputs need an even number of columns: exchange moves whole words"

// Via tells where the GELUs between a stage and the next run.
type Via uint8

const (
	InResult Via = iota // on the shards of the GEMM's result
	InLinear            // on equal runs of the value in row-major order
)

// Choice is a candidate per stage, and per stage where its GELUs run.
type Choice struct {
	Gemms []Gemm
	Vias  []Via
}

// linearGrain is the largest grain of a row-major deal to tiles that keeps every
// run within rows a multiple of it; 0 if there is none of at least a word.
func linearGrain(cols int) int {
	for g := model.PanelWidth; g >= 2; g /= 2 {
		if cols%g == 0 {
			return g
		}
	}
	return 0
}

// LinearElements is the largest number of elements a tile holds of the stage's
// result dealt in row-major order, 0 if it cannot be dealt in panels.
func (s Shape) LinearElements() int {
	if linearGrain(s.N) != model.PanelWidth {
		return 0
	}
	grains := s.M * s.N / model.PanelWidth
	return model.PanelWidth * ceil(grains, min(grains, s.Tiles))
}
