package exchange

import (
	"context"
)

// Exact looks for a schedule of the least horizon among those below upper and no
// less than lower, both of which must be known to be right: no schedule is shorter
// than lower. It visits at most so many nodes of its search.
//
// starts are those of the best schedule found below upper, nil if there is none;
// proven is a horizon that none is below. If proven is the horizon of the starts,
// or upper, the search has been exhaustive: under R1–R14 as List keeps them, no
// schedule is shorter. The proof is the search itself, nothing is left to check.
//
// Every node keeps the closure of the differences x_u − x_v that have been decided
// (difference logic); see exactSearch. The work of a node grows with the square
// of the messages, their number with the conflicts that bounds cannot decide, so
// this is for tens of messages. A context that ends stops it. Errors wrap
// ErrInvalid.
func Exact(ctx context.Context, p *Problem, lower, upper int32, nodes int) (starts []int32, proven int32, err error) {
	if err := p.Validate(); err != nil {
		return nil, 0, err
	}
	starts, proven, _, err = exact(ctx, p, lower, upper, nodes)
	return starts, proven, err
}

// exact is Exact on a valid problem; it also tells how many
// nodes are left.
//
// Horizons are tried from the lower bound upwards in doubling steps, as bounds are
// mostly near, then by halving.
func exact(ctx context.Context, p *Problem, lower, upper int32, nodes int) (starts []int32, proven int32, left int, err error) {
	m := newExactModel(p)
	e := &exactSearch{exactModel: m, ctx: ctx, nodes: nodes, x: make([]int32, m.n)}
	step := int32(0)
	for lower < upper && e.nodes > 0 {
		h := min(lower+step, (lower+upper-1)/2)
		if starts == nil {
			h = min(lower+step, upper-1)
			step = 2*step + 1
		}
		switch e.within(h) {
		case found:
			starts = append(starts[:0], e.x...)
			upper = m.horizon(starts)
			step = unbounded
		case none:
			lower = h + 1
		case gaveUp:
			return starts, lower, 0, e.err
		}
	}
	return starts, lower, max(e.nodes, 0), e.err
}
