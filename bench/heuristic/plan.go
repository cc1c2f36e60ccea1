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

// lowerableKinds says which plans can be written.
const lowerableKinds = "lowering takes plans in normal orientation with F16 results, whole operands and weights stored by the grid that reads them"

// lowered tells whether all GEMMs of a state can be lowered.
func (s *state) lowered() bool {
	for ; s.parent != nil; s = s.parent {
		if s.choice.gemm != nil && !s.choice.gemm.Writable() {
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
	var list []space.SeedChoice
	for _, c := range s.choices() {
		list = append(list, space.SeedChoice{Gemm: c.gemm, Sliced: c.sliced, Format: b.formats[c.format].SeedFormat})
	}
	plan, err := space.SeedPlan(b.problem, list)
	switch {
	case err == space.ErrSeedForm:
		return nil, ErrNoPlan
	case errors.Is(err, space.ErrSeedForm):
		return nil, fmt.Errorf("%w: %w", ErrNoPlan, err)
	}
	return plan, err
}
