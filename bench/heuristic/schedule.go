package heuristic

import (
	"context"
	"fmt"

	"ipusolve/exchange"
)

// Methods of Stats.
const (
	MethodList   = "pressure list"
	MethodWaves  = "matching waves"
	MethodRepair = "neighbourhood repair"
)

// Stats tell how a schedule was found.
type Stats struct {
	Initial      int32   // horizon of the pressure list
	Waves        int32   // horizon of the matching waves; 0: not tried
	Improvements int     // repairs that shortened the schedule
	Method       string  // what gave the schedule
	Aligned      bool    // rows were checked after every message, as those of the first run cannot be written
	Rows         []int32 // length of each tile's row in the reference, which pads senders of short messages
}

// Options of Schedule.
type Options struct {
	// EarlyPointer lets a receive of 52 words write its pointer an event early, as
	// the reference does (exchange.md §4.1): the next receive may come an event
	// earlier. With the pointer where it belongs such starts can break R5 or R12,
	// so this is for replaying the reference only.
	EarlyPointer bool
}

// Scheduler is the baseline as a scheduler of ipusolve.Compile.
type Scheduler struct{}

// Schedule implements ipusolve.Scheduler: the pressure list is made even if ctx
// has ended. The method is prefixed with "baseline/".
func (Scheduler) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	s, stats, err := scheduleListed(context.WithoutCancel(ctx), ctx, p, Options{})
	return s, "baseline/" + stats.Method, err
}

// Schedule times a phase as the reference does: pressure list, matching waves and
// repairs of the critical neighbourhood, each kept if it is strictly shorter
// (reference: exchange.md §10). Widths stay as given. Equal problems give equal
// schedules. When ctx ends it returns the best so far. Errors wrap
// exchange.ErrInvalid, or the context's if not even the pressure list was done.
func Schedule(ctx context.Context, p *exchange.Problem, opt Options) (*exchange.Schedule, Stats, error) {
	return scheduleListed(ctx, ctx, p, opt)
}

// scheduleListed is Schedule with a context of its own for the pressure list.
func scheduleListed(list, ctx context.Context, p *exchange.Problem, opt Options) (*exchange.Schedule, Stats, error) {
	if err := p.Validate(); err != nil {
		return nil, Stats{}, err
	}
	pl, stats, err := newInstance(p, opt.EarlyPointer).run(list, ctx, nil)
	if err != nil {
		return nil, Stats{}, fmt.Errorf("heuristic: phase %d: %w", p.Phase, err)
	}
	return pl.schedule(), stats, nil
}

// run places the messages in the given order, or lists them if there is none, and
// improves that. Rows are looked at once at the end, and after each message if that
// fails.
func (in *instance) run(list, ctx context.Context, order []int32) (*placement, Stats, error) {
	for _, aligned := range []bool{false, true} {
		best := in.newPlacement(aligned)
		var err error
		if order == nil {
			err = best.list(list)
		} else {
			err = best.inOrder(list, order)
		}
		if err != nil {
			return nil, Stats{}, err
		}
		stats := Stats{Initial: best.horizon, Method: MethodList, Aligned: aligned}
		best, err = in.improve(ctx, best, &stats)
		if err != nil {
			return nil, Stats{}, err
		}
		ok, err := best.writable()
		if err != nil {
			return nil, Stats{}, err
		}
		if ok {
			stats.Rows = best.rows
			return best, stats, nil
		}
	}
	return nil, Stats{}, fmt.Errorf("no rows hold the schedule")
}

// improve tries waves once and repairs as long as they help.
func (in *instance) improve(ctx context.Context, best *placement, stats *Stats) (*placement, error) {
	// try places an order; nil if ctx ended.
	try := func(order []int32) (*placement, error) {
		pl := in.newPlacement(best.encode)
		err := pl.inOrder(ctx, order)
		if err != nil && ctx.Err() != nil {
			return nil, nil
		}
		return pl, err
	}
	if in.wavy() {
		order, err := in.waves(ctx, inverse(best.order))
		if err != nil {
			return best, nil // stopped
		}
		pl, err := try(order)
		if pl == nil || err != nil {
			return best, err
		}
		stats.Waves = pl.horizon
		if pl.horizon < best.horizon {
			best, stats.Method = pl, MethodWaves
		}
	}
	for {
		order, err := best.relist(ctx, best.neighbourhood(best.chain()))
		if err != nil {
			return best, nil // stopped
		}
		pl, err := try(order)
		if pl == nil || err != nil {
			return best, err
		}
		if pl.horizon >= best.horizon {
			return best, nil
		}
		best, stats.Method = pl, MethodRepair
		stats.Improvements++
	}
}

// schedule is the placement with the horizons that R14 gives it.
func (pl *placement) schedule() *exchange.Schedule {
	s := &exchange.Schedule{Start: pl.start, Horizon: pl.horizon, TileHorizon: make([]int32, pl.p.Tiles)}
	reach := func(t, h int32) { s.TileHorizon[t] = max(s.TileHorizon[t], h) }
	for i := range pl.jobs {
		j := &pl.jobs[i]
		x := pl.start[i]
		reach(j.source, x+j.n)
		if j.paired {
			reach(j.source^1, x+j.n)
		}
		for k := range j.targets {
			t := &j.targets[k]
			reach(t.tile, pl.horizonAt(j, t, x))
		}
	}
	return s
}

// horizonAt is the horizon that a receive gives its tile (R14). With the early
// pointer the guard is one event longer.
func (pl *placement) horizonAt(j *job, t *target, x int32) int32 {
	h := x + 1 + t.lag + t.delay + j.n + guard
	if pl.early && !j.paired && j.n == quirkWords {
		h++
	}
	return h
}
