package space

import (
	"errors"
	"fmt"
	"slices"

	"ipusolve/model"
	"ipusolve/model/cost"
)

// ErrSeedForm says that the program form cannot express a choice of family seed.
var ErrSeedForm = errors.New("the program form takes plans in normal orientation with F16 results, whole operands and weights stored by the grid that reads them")

// Writable tells whether a plan record can express a candidate.
func (g *SeedGemm) Writable() bool {
	return !g.Swapped && !g.Stationary && !g.F32 && !g.Streamed && !g.Uniform && g.Stored == (model.Grid{})
}

// SeedPlan writes the plan of a complete sequence of choices, one per operation of
// the problem's graph, without costs. Gathering of inputs and linear outputs are
// added where the problem demands them. Errors wrap ErrSeedForm where the record
// cannot express the choices.
func SeedPlan(p *model.Problem, choices []SeedChoice) (*model.Plan, error) {
	g := &p.Graph
	w := seedWriter{problem: p, graph: g, plan: &model.Plan{Schema: model.PlanSchema, Problem: *p}, at: make([]int, len(g.Values)), values: map[string]int{}, names: map[string]int{}}
	for i := range w.at {
		w.at[i], w.values[g.Values[i].Name] = -1, i
	}
	for i := range g.Ops {
		op, c := &g.Ops[i], &choices[i]
		if op.Kind == model.OpGemm {
			if err := w.gemm(op, c.Gemm); err != nil {
				return nil, err
			}
			continue
		}
		in := w.values[op.Inputs[0]]
		layout := c.Format.Layout
		if c.Format.F32 {
			return nil, ErrSeedForm
		}
		if w.plan.Values[w.at[in]].Layout.String() != layout.String() {
			w.move(op.Name, in, w.at[in], layout)
		}
		out := w.value(w.values[op.Output], "", layout)
		w.step(model.Step{Kind: model.StepGelu, Op: op.Name, In: []int{w.at[in]}, Out: out, Phase: model.NoPhase})
		w.at[w.values[op.Output]] = out
	}
	for _, name := range g.Outputs {
		v := w.values[name]
		if p.Outputs == model.OutputsLinear {
			if g.Values[v].Cols()%2 != 0 {
				return nil, fmt.Errorf("space: %w: %s", ErrUnsupported, oddLinear)
			}
			w.move(w.plan.Steps[len(w.plan.Steps)-1].Op, v, w.at[v], LinearOutput(g.Values[v].Rows(), g.Values[v].Cols(), p.Tiles))
		}
		w.plan.Values[w.at[v]].Role = model.RoleOutput
	}
	if err := w.number(); err != nil {
		return nil, err
	}
	if err := w.plan.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSeedForm, err)
	}
	return w.plan, nil
}

// seedWriter writes the records of a plan.
type seedWriter struct {
	problem *model.Problem
	graph   *model.Graph
	plan    *model.Plan
	values  map[string]int // graph values by name
	at      []int          // plan value that holds a graph value now
	names   map[string]int
	offset  int // first tile of the next parameter
}

func (w *seedWriter) step(s model.Step) { w.plan.Steps = append(w.plan.Steps, s) }

func (w *seedWriter) value(graph int, role string, l model.Layout) int {
	g := &w.graph.Values[graph]
	name := g.Name
	if n := w.names[name]; n > 0 {
		name = fmt.Sprintf("%s@%d", name, n)
	}
	w.names[g.Name]++
	w.plan.Values = append(w.plan.Values, model.PlanValue{Name: name, Graph: g.Name, Rows: g.Rows(), Cols: g.Cols(), Role: role, Layout: l})
	return len(w.plan.Values) - 1
}

func (w *seedWriter) move(op string, graph, from int, to model.Layout) {
	out := w.value(graph, "", to)
	w.step(model.Step{Kind: model.StepMove, Op: op, In: []int{from}, Out: out})
	w.at[graph] = out
}

// gemm writes the steps of a GEMM: gathering of its weights and operand, then
// the product.
func (w *seedWriter) gemm(op *model.Op, g *SeedGemm) error {
	if g == nil || !g.Writable() {
		return ErrSeedForm
	}
	a, b := w.values[op.Inputs[0]], w.values[op.Inputs[1]]
	left := g.OperandA().Layout
	if w.at[a] < 0 {
		home := left
		if w.problem.Inputs == model.InputsGathered && left.Replicas > 1 {
			home.Slices = left.Replicas
		}
		w.at[a] = w.value(a, model.RoleInput, home)
	}
	if now := &w.plan.Values[w.at[a]].Layout; now.String() != left.String() {
		w.move(op.Name, a, w.at[a], left)
	}
	right := g.OperandB().Layout
	if w.at[b] >= 0 {
		return fmt.Errorf("%w: %s is read twice", ErrSeedForm, op.Inputs[1])
	}
	y := w.values[op.Output]
	product := func(loaded int) {
		w.at[y] = w.value(y, "", g.ResultFormat().Layout)
		w.step(model.Step{Kind: model.StepGemm, Op: op.Name, In: []int{w.at[a], loaded}, Out: w.at[y],
			Gemm: &model.Gemm{Orientation: model.OrientationNormal, Compute: g.Compute, Result: g.Result, BlockInner: g.BlockInner, BlockCols: g.BlockCols}})
	}
	home := right
	if g.Compute.Rows == 1 { // stored where it is read
		w.at[b] = w.value(b, model.RoleWeight, home)
		product(w.at[b])
		return nil
	}
	if w.offset > 0 {
		home.Map = model.Rotation(home.Tiles, w.offset, w.problem.Tiles)
	}
	w.offset = (w.offset + home.Tiles) % w.problem.Tiles
	w.at[b] = w.value(b, model.RoleWeight, home)
	// Every tile of the grid gets its block into the buffer that its kernel reads.
	buffer := right
	buffer.Class = model.Interleaved
	buffer.Tiles, buffer.Replicas = g.Compute.Rows*right.Tiles, g.Compute.Rows
	buffer.Axes = slices.Clone(right.Axes)
	buffer.Axes[1].Stride = g.Compute.Cols
	w.move(op.Name, b, w.at[b], buffer)
	product(w.at[b])
	return nil
}

// number gives exchange phases: the moves in front of an operation share one,
// every GEMM has its own; those in which nothing moves are left out.
func (w *seedWriter) number() error {
	phase := model.NoPhase
	for i := range w.plan.Steps {
		s := &w.plan.Steps[i]
		if s.Kind == model.StepGelu {
			continue
		}
		if i == 0 || s.Kind != model.StepMove || w.plan.Steps[i-1].Kind != model.StepMove || w.plan.Steps[i-1].Op != s.Op {
			phase++
		}
		s.Phase = phase
	}
	costs, err := cost.PriceC600(w.plan)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSeedForm, err)
	}
	busy := make([]bool, phase+1)
	for i, c := range costs {
		if p := w.plan.Steps[i].Phase; p >= 0 && c.Exchange() > 0 {
			busy[p] = true
		}
	}
	rank := make([]int, phase+1)
	for p, n := 0, 0; p <= phase; p++ {
		rank[p] = model.NoPhase
		if busy[p] {
			rank[p] = n
			n++
		}
	}
	for i := range w.plan.Steps {
		if s := &w.plan.Steps[i]; s.Phase >= 0 {
			s.Phase = rank[s.Phase]
		}
	}
	return nil
}
