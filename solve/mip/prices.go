package mip

import (
	"context"
	"math"
	"slices"
)

const (
	priceRounds   = 400  // at most
	priceLook     = 20   // rounds between two looks at the progress
	pricePatience = 10   // rounds without a better bound before steps halve
	priceStop     = 1e-3 // share of the first step at which it ends
	priceAim      = 0.05 // share above the bound that steps aim at without an incumbent
)

// run raises the bound: passes, then prices for the side rows that the cheapest
// members exceed, step by step along the excess, with two passes after each
// step. aim is the incumbent's objective without the model's constant, or +Inf;
// look is called now and then with the bound, and ends it by true. The best
// multipliers stay.
func (a *ascent) run(ctx context.Context, aim func() float64, look func(bound float64) (stop bool)) {
	surplus := make([]int64, len(a.rc))
	if a.converge(ctx, surplus, look) || len(a.s.side) == 0 {
		return
	}
	best, scale, idle := a.progress(), 1.0, 0
	lambda, price := slices.Clone(a.lambda), slices.Clone(a.price)
	for k := 1; k <= priceRounds && scale > priceStop && a.work < a.limit && ctx.Err() == nil; k++ {
		now := a.progress()
		target := aim() * float64(a.den)
		if math.IsInf(target, 1) {
			target = best + priceAim*math.Abs(best) + float64(a.den)
		}
		if !a.step(scale * (target - now)) {
			break // the cheapest members fit: no price helps
		}
		a.pass(true, surplus)
		a.pass(false, surplus)
		if now = a.progress(); now > best {
			best, idle = now, 0
			copy(lambda, a.lambda)
			copy(price, a.price)
		} else if idle++; idle >= pricePatience {
			scale, idle = scale/2, 0
		}
		if k%priceLook == 0 && look(best/float64(a.den)) {
			break
		}
	}
	a.restore(lambda, price)
}

// step moves the prices by gain/|excess|² along the excess that the cheapest
// members have over the side rows; false when there is nothing to move.
func (a *ascent) step(gain float64) bool {
	excess := make([]float64, len(a.s.side))
	for l := range excess {
		excess[l] = -float64(a.s.side[l].rhs)
	}
	for i := range a.s.nodes {
		n := &a.s.nodes[i]
		first := n.members[0]
		for _, j := range n.members {
			if a.rc[j] < a.rc[first] {
				first = j
			}
		}
		for _, u := range a.s.uses[first] {
			excess[u.side] += float64(u.amount)
		}
	}
	norm := 0.0
	for l, e := range excess {
		if e > 0 || a.price[l] > 0 {
			norm += e * e
		}
	}
	if norm == 0 || gain <= 0 {
		return false
	}
	moved := false
	delta := make([]int64, len(excess))
	for l, e := range excess {
		if e <= 0 && a.price[l] == 0 {
			continue
		}
		most := float64(ascentTotal / (a.s.side[l].rhs + 1))
		next := int64(min(max(float64(a.price[l])+math.Round(gain*e/norm), 0), most))
		delta[l] = next - a.price[l]
		a.price[l] = next
		moved = moved || delta[l] != 0
	}
	for j, uses := range a.s.uses {
		for _, u := range uses {
			a.rc[j] += delta[u.side] * u.amount
		}
		a.work += int64(len(uses))
	}
	return moved
}

// restore computes the reduced costs of given multipliers.
func (a *ascent) restore(lambda, price []int64) {
	a.lambda, a.price = lambda, price
	for j, c := range a.in.cost {
		a.rc[j] = c * a.den
		for _, u := range a.s.uses[j] {
			a.rc[j] += price[u.side] * u.amount
		}
	}
	for k := range a.s.rows {
		r := &a.s.rows[k]
		for _, j := range r.pairs {
			a.rc[j] -= lambda[k]
		}
		for _, j := range r.members {
			a.rc[j] += lambda[k]
		}
	}
}
