package mip

import (
	"context"
	"math"

	"ipusolve/solve"
)

const (
	ascentPasses = 400     // at most, forward and backward, at given prices
	ascentWork   = 1 << 31 // entries touched, at most
	ascentLook   = 8       // passes between two looks at the progress
	ascentUnit   = 1 << 20 // largest denominator
	ascentTotal  = 1 << 58 // largest sum of scaled costs, and of what prices add
	ascentLeast  = 1e-5    // share of the bound that a look must gain
)

// ascent raises the bound of a selection without a linear program. It moves
// cost between pair variables and members by the multipliers of the marginal
// rows, node after node, forward and backward (sequential reweighted message
// passing): a node first takes all that its pairs can give, then hands its
// surplus to the pairs of the direction to come. Side rows are priced by
// subgradient steps in between (prices.go). All numbers are integers over
// one denominator, so the multipliers are a certificate as they stand.
type ascent struct {
	in     *instance
	s      *selection
	den    int64
	rc     []int64 // reduced cost of a variable times den
	lambda []int64 // multiplier of a marginal row times den
	price  []int64 // minus the multiplier of a side row times den, ≥ 0
	work   int64
	limit  int64 // of work
}

// newAscent starts from zero multipliers; nil when costs are too large for local
// search to tell them from broken choices.
func newAscent(in *instance, s *selection) *ascent {
	total := 1.0
	for _, c := range in.cost {
		total += math.Abs(float64(c))
	}
	a := &ascent{in: in, s: s, den: ascentUnit, limit: ascentWork, rc: make([]int64, len(in.cost)), lambda: make([]int64, len(s.rows)), price: make([]int64, len(s.side))}
	for a.den > 1 && total*float64(a.den) > ascentTotal {
		a.den /= 2
	}
	if total > broken/4 {
		return nil
	}
	for j, c := range in.cost {
		a.rc[j] = c * a.den
	}
	return a
}

// pull moves from the pairs of row k to its members all that can be moved.
func (a *ascent) pull(k int32) {
	r := &a.s.rows[k]
	least := int64(math.MaxInt64)
	for _, j := range r.pairs {
		least = min(least, a.rc[j])
	}
	a.work += int64(len(r.pairs) + len(r.members))
	a.move(k, least)
}

// push hands the pairs of row k a share of what the members have above their
// node's least; surplus was taken before the node's first push.
func (a *ascent) push(k int32, surplus []int64) {
	r := &a.s.rows[k]
	most := int64(math.MaxInt64)
	for _, j := range r.members {
		most = min(most, surplus[j])
	}
	a.move(k, -(most / r.share))
}

func (a *ascent) move(k int32, d int64) {
	if d == 0 {
		return
	}
	r := &a.s.rows[k]
	a.lambda[k] += d
	for _, j := range r.pairs {
		a.rc[j] -= d
	}
	for _, j := range r.members {
		a.rc[j] += d
	}
	a.work += int64(len(r.pairs))
}

// pass visits every node once.
func (a *ascent) pass(forward bool, surplus []int64) {
	for k := range a.s.rows {
		if a.s.rows[k].node < 0 {
			a.pull(int32(k))
		}
	}
	for i := range a.s.nodes {
		if !forward {
			i = len(a.s.nodes) - 1 - i
		}
		n := &a.s.nodes[i]
		for _, rows := range [...][]int32{n.fixed, n.back, n.fwd} {
			for _, k := range rows {
				a.pull(k)
			}
		}
		least := a.least(n)
		for _, j := range n.members {
			surplus[j] = a.rc[j] - least
		}
		rows := n.back
		if forward {
			rows = n.fwd
		}
		for _, k := range rows {
			a.push(k, surplus)
		}
	}
}

func (a *ascent) least(n *choiceNode) int64 {
	least := int64(math.MaxInt64)
	for _, j := range n.members {
		least = min(least, a.rc[j])
	}
	return least
}

// progress is the bound of the selection's part, times den.
func (a *ascent) progress() (sum float64) {
	for i := range a.s.nodes {
		sum += float64(a.least(&a.s.nodes[i]))
	}
	for k := range a.s.rows {
		if a.s.rows[k].node < 0 {
			sum += float64(a.lambda[k])
		}
	}
	for l, u := range a.price {
		sum -= float64(u) * float64(a.s.side[l].rhs)
	}
	return sum
}

// converge makes passes at the given prices until they gain little, a limit is
// reached or look, called now and then with the bound, says so.
func (a *ascent) converge(ctx context.Context, surplus []int64, look func(bound float64) (stop bool)) (stop bool) {
	last := math.Inf(-1)
	for k := 1; k <= ascentPasses && a.work < a.limit && ctx.Err() == nil; k++ {
		a.pass(k%2 == 1, surplus)
		if k%ascentLook != 0 {
			continue
		}
		now := a.progress()
		if look(now / float64(a.den)) {
			return true
		}
		if now-last < ascentLeast*math.Abs(now) {
			return false
		}
		last = now
	}
	return ctx.Err() != nil || a.work >= a.limit
}

// dual is the multipliers as a vector of the model.
func (a *ascent) dual() *solve.Dual {
	y := make([]int64, len(a.in.rhs))
	for k, v := range a.lambda {
		y[a.s.rows[k].row] = v
	}
	for l, u := range a.price {
		y[a.s.side[l].row] = -u
	}
	for i := range a.s.nodes {
		y[a.s.nodes[i].row] = a.least(&a.s.nodes[i])
	}
	d := &solve.Dual{Den: a.den}
	for i, v := range y {
		if v != 0 {
			d.Rows, d.Num = append(d.Rows, i), append(d.Num, v)
		}
	}
	return d
}
