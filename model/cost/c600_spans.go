package cost

import "ipusolve/model"

// Span is the time from the end of one exchange phase to the end of the next: a
// segment of work, the barrier and the phase. Behind the last phase lies one that
// has work only.
type Span struct {
	Phase int // that ends it, model.NoPhase for the last span
	// Work is that of the tile with the most of it: a tile runs the steps of a segment
	// one after the other and waits for nobody before the barrier. The prices of the
	// steps, each by its own busiest tile, add up to no less.
	Work  int64
	Words int64 // of the phase
	Tail  int64 // of the phase, 0 if nothing moves
}

// SpansC600 lays a plan out under profile c600 in program order, as lowering does: local
// copies and clears of a move lie before its phase, so do kernel calls of a GEMM, and its
// sums behind it.
func SpansC600(p *model.Plan) ([]Span, error) {
	pricer, err := newPricer(p)
	if err != nil {
		return nil, err
	}
	pricer.spans = newTileSpans(p)
	costs, err := pricer.price()
	if err != nil {
		return nil, err
	}
	spans := make([]Span, len(pricer.spans.work))
	for i, tiles := range pricer.spans.work {
		spans[i] = Span{Phase: i, Work: busiest(tiles)}
	}
	spans[len(spans)-1].Phase = model.NoPhase
	for i := range p.Steps {
		for _, t := range costs[i] {
			switch at := &spans[pricer.spans.at[i]]; t.Name {
			case TermWords:
				at.Words += t.Cycles
			case TermTail:
				at.Tail += t.Cycles
			}
		}
	}
	return spans, nil
}

// tileSpans adds up the work of every tile in every segment.
type tileSpans struct {
	work       [][]int64 // per segment and tile
	at, behind []int     // segments of a step's work, before its phase and behind it
	now        int       // step
}

func newTileSpans(p *model.Plan) *tileSpans {
	phases := 0
	for i := range p.Steps {
		phases = max(phases, p.Steps[i].Phase+1)
	}
	s := &tileSpans{work: make([][]int64, phases+1), at: make([]int, len(p.Steps)), behind: make([]int, len(p.Steps))}
	for i := range s.work {
		s.work[i] = make([]int64, p.Problem.Tiles)
	}
	last := make([]int, phases) // step of every phase
	for i := range p.Steps {
		if ph := p.Steps[i].Phase; ph != model.NoPhase {
			last[ph] = i
		}
	}
	done := 0 // phases that have ended
	for i := range p.Steps {
		s.at[i], s.behind[i] = done, done
		if ph := p.Steps[i].Phase; ph != model.NoPhase {
			s.at[i], s.behind[i] = ph, ph+1
			if last[ph] == i {
				done = ph + 1
			}
		}
	}
	return s
}

// step begins a step; nil does nothing.
func (s *tileSpans) step(i int) {
	if s != nil {
		s.now = i
	}
}

// add counts work of the step, before its phase or behind it.
func (s *tileSpans) add(perTile []int64, behind bool) {
	if s == nil {
		return
	}
	at := s.at[s.now]
	if behind {
		at = s.behind[s.now]
	}
	for t, c := range perTile {
		s.work[at][t] += c
	}
}
