package heuristic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
)

// Variant is a version of the baseline planner (reference: planspace.md §9.5).
type Variant int

const (
	// B0 is the reference's search as it is.
	B0 Variant = iota
	// B1 leaves out swapped plans of results that an operation reads: no operation
	// can, so they only crowd the beam.
	B1
	// B2 is B1 with the best finalists ranked by the words of their busiest tiles.
	B2
)

// Finalists is how many complete plans B2 compares.
const Finalists = 8

// ErrNoPlan says that no state of the beam is a plan that can be lowered.
var ErrNoPlan = errors.New("heuristic: no plan of the beam can be lowered")

// Outcome is what a planner found.
type Outcome struct {
	Plan *model.Plan // without costs
	// Score is the plan's cycles under profile seed, with inputs and copies of
	// them free (reference: costmodel.md §2); Ranked what B2 compares.
	Score  int64
	Ranked int64
	Best   int64 // score of the best state, which may not be one that can be lowered
	Lines  []Line
}

// Plan runs the beam and builds the best of its states that the program form of
// this compiler can express: inner-split plans in normal orientation in F16, with
// complete reductions and weights stored by their compute grid. Gathering of
// inputs and linear outputs are added where the problem demands them; the search
// does not see them.
func Plan(ctx context.Context, p *model.Problem, v Variant) (*Outcome, error) {
	b, states, err := search(ctx, p, v)
	if err != nil {
		return nil, err
	}
	return b.finish(states, v)
}

// search runs the beam, and again without the plans that cannot be lowered if no
// other state survives.
func search(ctx context.Context, p *model.Problem, v Variant) (*beam, []*state, error) {
	for _, lowered := range []bool{false, true} {
		b := newBeam(p, v == B0, lowered)
		states, err := b.run(ctx)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(states, (*state).lowered) {
			return b, states, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: %s", ErrNoPlan, lowerableKinds)
}

// lowerableKinds says which plans lowerable holds for.
const lowerableKinds = "lowering takes plans in normal orientation with F16 results, whole operands and weights stored by the grid that reads them"

// lowerable tells whether the program form can express a candidate.
func lowerable(g *space.SeedGemm) bool {
	return !g.Swapped && !g.Stationary && !g.F32 && !g.Streamed && !g.Uniform && g.Stored == (model.Grid{})
}

// lowered tells whether all GEMMs of a state can be lowered.
func (s *state) lowered() bool {
	for ; s.parent != nil; s = s.parent {
		if s.choice.gemm != nil && !lowerable(s.choice.gemm) {
			return false
		}
	}
	return true
}

// finish builds the plan of the best state.
func (b *beam) finish(states []*state, v Variant) (*Outcome, error) {
	out := &Outcome{Best: states[0].score, Lines: b.lines}
	finalists := 0
	var refused error // why the first plan that was not built was not
	for _, s := range states {
		plan, err := b.build(s)
		if errors.Is(err, ErrNoPlan) {
			if refused == nil || refused == ErrNoPlan {
				refused = err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		ranked := s.score
		if v == B2 {
			if ranked, err = rank(plan); err != nil {
				return nil, err
			}
		}
		if finalists++; finalists == 1 || ranked < out.Ranked {
			out.Plan, out.Score, out.Ranked = plan, s.score, ranked
		}
		if v != B2 || finalists == Finalists {
			break
		}
	}
	switch {
	case out.Plan != nil:
		return out, nil
	case refused == nil || refused == ErrNoPlan:
		return nil, fmt.Errorf("%w: %s", ErrNoPlan, lowerableKinds)
	}
	return nil, refused
}

// rank is the cost of a plan with its exchange priced by the words of each
// phase's busiest tile (reference: planspace.md §9.4, low_cycles).
func rank(p *model.Plan) (int64, error) {
	seed, err := cost.PriceSeed(p)
	if err != nil {
		return 0, err
	}
	steps, err := cost.PriceC600(p)
	if err != nil {
		return 0, err
	}
	all := seed.Cost()
	n := all.Total() - all.Exchange()
	for _, c := range steps {
		for _, t := range c {
			if t.Name == cost.TermWords || t.Name == cost.TermBarrier {
				n += t.Cycles
			}
		}
	}
	return n, nil
}

// choices are the choices of a state, in the order of the operations.
func (s *state) choices() []choice {
	var list []choice
	for ; s.parent != nil; s = s.parent {
		list = append(list, s.choice)
	}
	slices.Reverse(list)
	return list
}

// build writes the plan of a complete state.
func (b *beam) build(s *state) (*model.Plan, error) {
	w := writer{beam: b, plan: &model.Plan{Schema: model.PlanSchema, Problem: *b.problem}, at: make([]int, len(b.graph.Values))}
	for i := range w.at {
		w.at[i] = -1
	}
	choices := s.choices()
	for i := range b.graph.Ops {
		op, c := &b.graph.Ops[i], &choices[i]
		if op.Kind == model.OpGemm {
			if err := w.gemm(op, c); err != nil {
				return nil, err
			}
			continue
		}
		in := b.values[op.Inputs[0]]
		layout := b.formats[c.format].Layout
		if b.formats[c.format].F32 {
			return nil, ErrNoPlan
		}
		if w.plan.Values[w.at[in]].Layout.String() != layout.String() {
			w.move(op.Name, in, w.at[in], layout)
		}
		out := w.value(b.values[op.Output], "", layout)
		w.step(model.Step{Kind: model.StepGelu, Op: op.Name, In: []int{w.at[in]}, Out: out, Phase: model.NoPhase})
		w.at[b.values[op.Output]] = out
	}
	for _, name := range b.graph.Outputs {
		v := b.values[name]
		if b.problem.Outputs == model.OutputsLinear {
			w.move(w.plan.Steps[len(w.plan.Steps)-1].Op, v, w.at[v], space.LinearOutput(b.rows[v], b.cols[v], b.tiles))
		}
		w.plan.Values[w.at[v]].Role = model.RoleOutput
	}
	if err := w.number(); err != nil {
		return nil, err
	}
	if err := w.plan.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPlan, err)
	}
	return w.plan, nil
}

// writer writes the records of a plan.
type writer struct {
	*beam
	plan   *model.Plan
	at     []int // plan value that holds a graph value now
	names  map[string]int
	offset int // first tile of the next parameter
}

func (w *writer) step(s model.Step) { w.plan.Steps = append(w.plan.Steps, s) }

func (w *writer) value(graph int, role string, l model.Layout) int {
	g := &w.graph.Values[graph]
	name := g.Name
	if w.names == nil {
		w.names = map[string]int{}
	}
	if n := w.names[name]; n > 0 {
		name = fmt.Sprintf("%s@%d", name, n)
	}
	w.names[g.Name]++
	w.plan.Values = append(w.plan.Values, model.PlanValue{Name: name, Graph: g.Name, Rows: w.rows[graph], Cols: w.cols[graph], Role: role, Layout: l})
	return len(w.plan.Values) - 1
}

func (w *writer) move(op string, graph, from int, to model.Layout) {
	out := w.value(graph, "", to)
	w.step(model.Step{Kind: model.StepMove, Op: op, In: []int{from}, Out: out})
	w.at[graph] = out
}

// gemm writes the steps of a GEMM: gathering of its weights and operand, then
// the product.
func (w *writer) gemm(op *model.Op, c *choice) error {
	g := c.gemm
	if !lowerable(g) {
		return ErrNoPlan
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
		return fmt.Errorf("%w: %s is read twice", ErrNoPlan, op.Inputs[1])
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
		home.Map = model.Rotation(home.Tiles, w.offset, w.tiles)
	}
	w.offset = (w.offset + home.Tiles) % w.tiles
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
func (w *writer) number() error {
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
		return fmt.Errorf("%w: %w", ErrNoPlan, err)
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
