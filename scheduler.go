package ipusolve

import (
	"context"

	"ipusolve/exchange"
)

// Scheduler times the messages of an exchange phase. It returns a legal
// schedule and the name of the method that found it; when ctx ends it returns the
// best so far, and it must find some schedule even if ctx has ended already.
// Schedule.Paired, if not nil, are widths that it chose (exchange.Problem.WithWidths).
type Scheduler interface {
	Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error)
}

// BySearch ends the name of a method whose schedule is as short as any, as
// exhaustive search found, where the bounds do not reach it.
const BySearch = ", optimal by search"

// List schedules with package exchange's list scheduler.
type List struct {
	Options exchange.Options
	// Widths makes the width of every message that can be paired a decision
	// (exchange.ListWidths); otherwise messages keep theirs. With Options.Pair all that
	// can be are paired, whether that is shorter or not.
	Widths bool
}

// Schedule implements Scheduler.
func (l List) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	list := exchange.List
	if l.Widths {
		list = exchange.ListWidths
	}
	s, stats, err := list(ctx, p, l.Options)
	if s == nil && ctx.Err() != nil {
		// Too late for a search, but there must be a schedule, with widths as they are.
		opt := l.Options
		opt.Effort = 1
		s, stats, err = exchange.List(context.WithoutCancel(ctx), p, opt)
	}
	if s == nil {
		return nil, "", err
	}
	method := "list/" + stats.Method
	if stats.Bound.Horizon < s.Horizon && s.Horizon == s.Searched {
		method += BySearch
	}
	return s, method, nil
}
