package space

import (
	"fmt"

	"ipusolve/model"
	"ipusolve/model/cost"
)

// Layouts of a candidate (package documentation).

func (s Shape) operandA(c Gemm) model.Layout {
	if c.Swapped {
		return c.loaded(model.TransposedBlockMajor, model.Rows, model.Cols)
	}
	return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: int(c.R * c.Q * c.K), Replicas: int(c.Q),
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: int(c.K), Block: model.PanelWidth}, {Axis: model.Rows, Parts: int(c.R), Block: 1}}}
}

func (s Shape) operandB(c Gemm) model.Layout {
	if c.Swapped {
		return model.Layout{Order: model.Order{Kind: model.TransposedLeft}, Tiles: int(c.R * c.Q * c.K), Replicas: int(c.Q),
			Axes: []model.AxisTiling{{Axis: model.Rows, Parts: int(c.K), Block: model.PanelWidth}, {Axis: model.Cols, Parts: int(c.R), Block: model.PanelWidth}}}
	}
	return c.loaded(model.BlockMajor, model.Cols, model.Rows)
}

// loaded is the layout of the loaded operand, whose columns lie along one axis.
func (c Gemm) loaded(order model.OrderKind, cols, inner int) model.Layout {
	l := model.Layout{Order: model.Order{Kind: order}, Tiles: int(c.R * c.Q * c.K), Replicas: int(c.R),
		Axes: []model.AxisTiling{{Axis: cols, Parts: int(c.Q), Block: model.PanelWidth, Stride: 1},
			{Axis: inner, Parts: int(c.K), Block: model.PanelWidth, Stride: int(c.Q)}}}
	if c.Interleaved {
		l.Class = model.Interleaved
	}
	return l
}

func (s Shape) result(c Gemm) model.Layout {
	r, q, k, rho, kappa := int(c.R), int(c.Q), int(c.K), int(c.Rho), int(c.Kappa)
	l := model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: r * rho * q * kappa,
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: q * kappa, Block: model.PanelWidth, Stride: 1, Nest: q},
			{Axis: model.Rows, Parts: r * rho, Block: 1, Stride: q * kappa, Nest: r}}}
	if c.Swapped {
		l.Order.Kind = model.TransposedLeft
		l.Axes[0].Axis, l.Axes[1].Axis, l.Axes[1].Block = model.Rows, model.Cols, c.cut()
	}
	if c.resultInterleaved() {
		l.Class = model.Interleaved
	}
	tiles := make([]int, l.Tiles)
	for i := range tiles {
		row, col := i/(q*kappa), i%(q*kappa)
		tiles[i] = col/kappa + q*(row%rho+rho*(col%kappa)+k*(row/rho))
	}
	l.Map = model.NewTileMap(tiles)
	return l
}

// turned is the layout of a swapped result whose panels are transposed: by a GEMM call.
func (s Shape) turned(c Gemm) model.Layout {
	l := s.result(c)
	l.Order.Kind, l.Class = model.TransposedBlockMajor, model.Interleaved
	return l
}

func (s Shape) linear(kind model.OrderKind) model.Layout {
	g := linearGrain(s.N)
	n := min(s.Tiles, s.M*s.N/g)
	return model.Layout{Order: model.Order{Kind: kind}, Tiles: n,
		Axes: []model.AxisTiling{{Axis: model.Linear, Parts: n, Block: g}}}
}

// Plan builds the program of a choice, with the costs of profile c600.
func (c *Chain) Plan(p *model.Problem, choice Choice) (*model.Plan, error) {
	if len(choice.Gemms) != len(c.Stages) || len(choice.Vias) != len(c.Stages) {
		return nil, fmt.Errorf("space: choice for %d stages, chain has %d", len(choice.Gemms), len(c.Stages))
	}
	b := planBuilder{plan: &model.Plan{Schema: model.PlanSchema, Problem: *p}, graph: &p.Graph}
	at := -1 // plan value of the current result
	for i := range c.Stages {
		s, g := &c.Stages[i], choice.Gemms[i]
		if i == 0 {
			home := s.operandA(g)
			if n := g.InputHolders(); p.Inputs == model.InputsGathered && n > 1 {
				home.Slices, home.Class = n, model.Standard
			}
			at = b.value(c.Input, "", model.RoleInput, home)
		}
		a := at
		if want := s.operandA(g); i > 0 || b.plan.Values[at].Layout.Slices > 1 {
			a = b.move(s.Gemm.Name, at, s.Gemm.Name+".a", want, b.phase)
		}
		home := s.operandB(g)
		if g.Gathered {
			home.Slices, home.Class = g.weightSlices(), model.Standard
		}
		w := b.value(s.Weight, "", model.RoleWeight, home)
		if g.Gathered {
			w = b.move(s.Gemm.Name, w, s.Gemm.Name+".b", s.operandB(g), b.phase)
			b.plan.Steps[len(b.plan.Steps)-1].InPlace = g.InPlace
		}
		b.phase++
		at = b.value(s.Gemm.Output, "", "", s.result(g))
		z := s.Sizes(g)
		step := model.Step{Kind: model.StepGemm, Op: s.Gemm.Name, In: []int{a, w}, Out: at, Phase: model.NoPhase,
			Gemm: &model.Gemm{Orientation: model.OrientationNormal, Compute: model.Grid{Rows: int(g.R), Cols: int(g.Q), Inner: int(g.K)},
				Result: model.Grid{Rows: int(g.R * g.Rho), Cols: int(g.Q * g.Kappa)}, BlockInner: z.Inner, BlockCols: z.Cols}}
		if g.K > 1 {
			step.Phase = b.phase
			b.phase++
		}
		if g.Swapped {
			step.Gemm.Orientation = model.OrientationSwapped
		}
		if g.Matrix {
			step.Gemm.Sum = model.SumMatrix
		}
		b.plan.Steps = append(b.plan.Steps, step)
		if choice.Vias[i] == InLinear && len(s.Gelus) > 0 {
			at = b.move(s.Gelus[0].Name, at, "linear", s.linear(model.LeftPanel), b.phase)
			b.phase++
		}
		for _, op := range s.Gelus {
			suffix := ""
			if choice.Vias[i] == InLinear {
				suffix = "linear"
			}
			out := b.value(op.Output, suffix, "", b.plan.Values[at].Layout)
			b.plan.Steps = append(b.plan.Steps, model.Step{Kind: model.StepGelu, Op: op.Name, In: []int{at}, Out: out, Phase: model.NoPhase})
			at = out
		}
		if g.Swapped && (i+1 < len(c.Stages) || p.Outputs == model.OutputsLinear) {
			out := b.value(b.plan.Values[at].Graph, "turned", "", s.turned(g))
			b.plan.Steps = append(b.plan.Steps, model.Step{Kind: model.StepTranspose, Op: s.Gemm.Name, In: []int{at}, Out: out, Phase: model.NoPhase})
			at = out
		}
	}
	if last := &c.Stages[len(c.Stages)-1]; p.Outputs == model.OutputsLinear {
		at = b.move(last.Gemm.Name, at, "out", last.linear(model.RowMajor), b.phase)
	}
	b.plan.Values[at].Role = model.RoleOutput
	return b.finish()
}

type planBuilder struct {
	plan  *model.Plan
	graph *model.Graph
	phase int
}

func (b *planBuilder) value(graph, suffix, role string, l model.Layout) int {
	v, _ := b.graph.Value(graph)
	name := graph
	if suffix != "" {
		name += "@" + suffix
	}
	b.plan.Values = append(b.plan.Values, model.PlanValue{Name: name, Graph: graph, Rows: v.Rows(), Cols: v.Cols(), Role: role, Layout: l})
	return len(b.plan.Values) - 1
}

func (b *planBuilder) move(op string, from int, suffix string, l model.Layout, phase int) int {
	out := b.value(b.plan.Values[from].Graph, suffix, "", l)
	b.plan.Steps = append(b.plan.Steps, model.Step{Kind: model.StepMove, Op: op, In: []int{from}, Out: out, Phase: phase})
	return out
}

// finish prices the steps and drops phases in which nothing moves.
func (b *planBuilder) finish() (*model.Plan, error) {
	costs, err := cost.PriceC600(b.plan)
	if err != nil {
		return nil, err
	}
	busy := map[int]bool{}
	for i, c := range costs {
		b.plan.Steps[i].Cost = c
		if c.Exchange() > 0 {
			busy[b.plan.Steps[i].Phase] = true
		}
	}
	next, last := -1, model.NoPhase
	for i := range b.plan.Steps {
		s := &b.plan.Steps[i]
		if !busy[s.Phase] {
			s.Phase = model.NoPhase
			continue
		}
		if s.Phase != last {
			last = s.Phase
			next++
		}
		s.Phase = next
	}
	return b.plan, nil
}
