package ipusolve

import (
	"fmt"

	"ipusolve/model"
	"ipusolve/model/cost"
)

// Span is the time from the end of one exchange phase to the end of the next: a
// segment of compute, the barrier and the phase. Behind the last phase lies one that
// has compute only.
type Span struct {
	Phase int // that ends it, model.NoPhase for the last span
	// Compute is what planning charges for the work of the segment; Words for the
	// phase, route tail included.
	Compute, Words int64
}

// Spans lays the cost of a plan's steps, priced under profile c600, out in program
// order, as lowering does: local copies and clears of a move lie before its phase,
// so do kernel calls of a GEMM, and its sums behind it. prices may be nil: then the
// plan is priced.
func Spans(p *model.Plan, prices []model.Cost) ([]Span, error) {
	if prices == nil {
		var err error
		if prices, err = cost.PriceC600(p); err != nil {
			return nil, fmt.Errorf("ipusolve: %w", err)
		}
	}
	phases := 0
	for i := range p.Steps {
		phases = max(phases, p.Steps[i].Phase+1)
	}
	spans := make([]Span, phases+1)
	for i := range spans {
		spans[i].Phase = i
	}
	spans[phases].Phase = model.NoPhase
	last := make([]int, phases) // step of every phase
	for i := range p.Steps {
		if ph := p.Steps[i].Phase; ph != model.NoPhase {
			last[ph] = i
		}
	}
	done := 0 // phases that have ended
	for i := range p.Steps {
		s := &p.Steps[i]
		at, behind := done, done
		if s.Phase != model.NoPhase {
			at, behind = s.Phase, s.Phase+1
		}
		for _, t := range prices[i] {
			switch {
			case t.Name == cost.TermBarrier:
			case t.Exchange:
				spans[at].Words += t.Cycles
			case t.Name == cost.TermSum:
				spans[behind].Compute += t.Cycles
			default:
				spans[at].Compute += t.Cycles
			}
		}
		if s.Phase != model.NoPhase && last[s.Phase] == i {
			done = behind
		}
	}
	return spans, nil
}
