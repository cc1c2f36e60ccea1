package exchange

import (
	"context"
	"errors"
	"fmt"
)

// ErrPaired says that a problem has paired 64-bit messages, which List does not
// schedule.
var ErrPaired = errors.New("exchange: paired 64-bit messages cannot be scheduled")

// DefaultEffort is the number of tries List makes when none is given.
const DefaultEffort = 16

// Options steer List. The same options give the same schedule.
type Options struct {
	// Effort is how many listings are tried on a component of the problem at
	// most; 0 means DefaultEffort. The first is message order, the next ones
	// waves and dispatch rules, the rest variations of the best so far. Of up to
	// six messages all orders are tried, whatever the effort.
	Effort int
	Seed   uint64 // of the variations
}

// Stats tell how a schedule was found.
type Stats struct {
	Bound      Bound  // best of the bounds A–D
	Components int    // parts that share no tile
	Tries      int    // listings made, over all components
	Trials     int    // ejections tried, over all components
	Repairs    int    // messages moved for R12
	Method     string // listing that gave the component with the largest horizon
}

// List schedules a problem of 32-bit messages: a legal schedule under R1–R14
// (exchange.md §5; R13 concerns where rows are placed) that uses only the
// freedoms tagged legal in §14, and a control at event x of the tile's own send
// (simulator.md §4).
//
// Every component is listed by several rules, each followed by an improvement
// by ejection, until one reaches the problem's bound; the best is kept. When ctx
// ends, List returns the best schedule so far, or the context's error if there
// is none yet. Errors wrap ErrInvalid, ErrPaired or the context's error.
func List(ctx context.Context, p *Problem, opt Options) (*Schedule, Stats, error) {
	if err := p.Validate(); err != nil {
		return nil, Stats{}, err
	}
	for i := range p.Messages {
		if p.Messages[i].Paired {
			return nil, Stats{}, fmt.Errorf("%w: transfers[%d]", ErrPaired, i)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, Stats{}, fmt.Errorf("exchange: list: %w", err)
	}
	if opt.Effort <= 0 {
		opt.Effort = DefaultEffort
	}
	l := newLister(ctx, p, opt)
	l.run()
	s, err := l.finish()
	return s, l.stats, err
}
