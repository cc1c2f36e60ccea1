package planning

import (
	"fmt"

	"ipusolve/model"
	"ipusolve/model/space"
)

// pin is what restricts the candidates of a stage.
type pin struct {
	name   string                // of all restrictions, empty if there are none
	admits func(space.Gemm) bool // nil: all
}

// only restricts stages, beside the pins of the problem, by number.
type only map[int]pin

// pin reads the pins of the problem and adds a filter.
func (b *builder) pin(filter only) error {
	b.pins = make([]pin, len(b.chain.Stages))
	for n, want := range b.problem.Pins {
		i := b.stage(want.Op)
		if i < 0 {
			return fmt.Errorf("planning: pins[%d]: no gemm %q: %w", n, want.Op, model.ErrUsage)
		}
		p, err := space.ParsePattern(want.Candidate)
		if err != nil {
			return fmt.Errorf("planning: pins[%d]: %w", n, err)
		}
		if rule := b.refusal(i, p); rule != "" {
			return fmt.Errorf("planning: pins[%d]: %s=%s: %s: %w", n, want.Op, want.Candidate, rule, model.ErrUsage)
		}
		b.pins[i] = pin{want.Candidate, p.Matches}
	}
	for i, f := range filter {
		if pinned := b.pins[i].admits; pinned != nil {
			b.pins[i] = pin{b.pins[i].name + " " + f.name, func(g space.Gemm) bool { return pinned(g) && f.admits(g) }}
		} else {
			b.pins[i] = f
		}
	}
	return nil
}

// CheckPins tells whether a plan has what the pins of its problem demand.
func CheckPins(plan *model.Plan) error {
	chain, err := space.NewChain(&plan.Problem)
	if err != nil {
		return err
	}
	c, err := identify(chain, plan)
	if err != nil {
		return err
	}
	b := builder{problem: &plan.Problem, chain: chain}
	if err := b.pin(nil); err != nil {
		return err
	}
	for i, g := range c.Gemms {
		if p := b.pins[i]; p.admits != nil && !p.admits(g) {
			return fmt.Errorf("planning: %s runs as %v, it is pinned to %s", chain.Stages[i].Gemm.Name, g, p.name)
		}
	}
	return nil
}

// refusal is the rule by which no candidate of stage i matches a pattern, empty if
// some do.
func (b *builder) refusal(i int, p space.Pattern) string {
	l := b.lister(i)
	return l.stage.Refusal(p, l.options)
}

// stage is the number of the stage of a GEMM, −1 if there is none.
func (b *builder) stage(op string) int {
	for i := range b.chain.Stages {
		if b.chain.Stages[i].Gemm.Name == op {
			return i
		}
	}
	return -1
}
