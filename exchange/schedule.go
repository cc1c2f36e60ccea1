package exchange

import (
	"context"
	"fmt"
	"slices"
)

// DefaultEffort and DefaultGap are used where options are zero.
const (
	DefaultEffort = 16
	DefaultGap    = 0.002
)

// Options steer List. The same options give the same schedule.
type Options struct {
	// Effort bounds the work; 0 means DefaultEffort. Work is counted in receives
	// looked at: how often the search asked when one receiver of a message is free.
	// A unit of effort is 256 looks for each receive of the problem, but at most
	// 2²² looks, some half a second. Listings may use so much, and ejection as much
	// again. The first listing of each component, in message order, is not counted,
	// nor are all the orders of up to six messages.
	// Besides, exact search may visit 1000 nodes for each unit.
	Effort int
	// Gap ends the search on a component whose horizon exceeds the problem's bound
	// by no more than this fraction; 0 means DefaultGap, less than 0 that only the
	// bound itself is good enough.
	Gap  float64
	Seed uint64          // of the variations
	Off  map[string]bool // of Techniques
	// Freedom is what the schedule may do beyond the rules, if that makes it shorter:
	// components of short messages are listed densely once more, as from the start.
	// Schedule.Freedom is what it does; then Stats.Bound and Schedule.Searched are
	// those of all schedules under the freedom, else of those that keep the rules.
	Freedom Freedom
	// Pair has ListWidths pair every message that can be, to measure what that gives.
	Pair bool
	// Progress is told the horizon of the best schedule when it changes, once all
	// components have one.
	Progress func(horizon int32)
}

func (o *Options) effort() int {
	if o.Effort <= 0 {
		return DefaultEffort
	}
	return o.Effort
}

// allowance is the number of looks per receive of a problem.
func (o *Options) allowance(receives int) float64 {
	const each, most = 256, 1 << 22
	return float64(o.effort()) * min(each, most/float64(max(receives, 1)))
}

func (o *Options) gap() float64 {
	if o.Gap == 0 {
		return DefaultGap
	}
	return max(o.Gap, 0)
}

// Stats tell how a schedule was found.
type Stats struct {
	Bound      Bound  // best of the bounds A–D
	Components int    // parts that share no tile
	Tries      int    // listings made, over all components
	Trials     int    // ejections tried, over all components
	Looks      int64  // receives looked at, the unit of Options.Effort
	Repairs    int    // messages moved for R12
	Method     string // listing that gave the component with the largest horizon
}

// List schedules a problem, each message at its own width: a legal schedule under R1–R14
// (exchange.md §5; R13 concerns where rows are placed) that uses only the
// freedoms tagged legal in §14, and a control at event x of the tile's own send
// (simulator.md §4); more only under Options.Freedom.
//
// Every component is listed by several rules until one is close enough to the
// problem's bound. The best listing of the worst component is improved by ejection
// under shorter and shorter horizons, as long as the effort lasts.
// When ctx ends, List finishes the first listings if it still has to and returns
// the best schedule so far; a context that has ended already is an error. Errors wrap ErrInvalid or the context's error.
func List(ctx context.Context, p *Problem, opt Options) (*Schedule, Stats, error) {
	if err := p.Validate(); err != nil {
		return nil, Stats{}, err
	}
	if opt.Freedom != Standard && !slices.Contains(Freedoms, opt.Freedom) {
		return nil, Stats{}, fmt.Errorf("exchange: list: no freedom %q", opt.Freedom)
	}
	if err := ctx.Err(); err != nil {
		return nil, Stats{}, fmt.Errorf("exchange: list: %w", err)
	}
	l := newLister(ctx, p.WithFreedom(Standard), opt)
	l.run()
	s, err := l.finish()
	if err == nil && opt.Freedom != Standard && !l.cancelled() {
		return l.relax(s)
	}
	return s, l.stats, err
}
