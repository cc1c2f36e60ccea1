package encode

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"ipusolve/solve"
)

// master is the relaxation without pairs over some candidates per kind, with the
// members of a kind and the limits that are alike added up:
//
//	Σ_c x[k,c] = 1                                      per kind
//	Σ counts·use·x − over ≤ amount · number of limits   per group of limits
//	min Σ members·value·x + penalty·over
type master struct {
	r     *reducer
	kinds *kinds
	list  [][]int // candidates per kind
	most  int64   // highest price, in cost per unit, that sums cannot overflow with
}

// priceRounds bounds how often candidates are added.
const priceRounds = 60

// findPrices looks for good multipliers of the limits, by column generation: the
// duals of the master price the limits, and every kind's cheapest candidate under
// these prices enters it. The prices of the best bound are kept.
func (r *reducer) findPrices(ctx context.Context, solver solve.Solver, out *Outcome) {
	g := r.kinds
	m := &master{r: r, kinds: g, list: make([][]int, len(g.nodes))}
	m.most = r.highestPrice()
	bound := r.lowerBound()
	best := slices.Clone(r.price)
	price := slices.Clone(r.price)
	stale := 0
	for range priceRounds {
		if ctx.Err() != nil {
			break
		}
		added, total := false, int64(0)
		for k, members := range g.nodes {
			i, least := r.cheapest(members[0], r.entryPrices(k, price))
			if i < 0 {
				return
			}
			total += int64(len(members)) * least
			if !slices.Contains(m.list[k], i) {
				m.list[k] = append(m.list[k], i)
				added = true
			}
		}
		for l, p := range price {
			total -= p * r.sel.Limits[l].Amount
		}
		if b := ceilDiv(total, priceUnit); b > bound {
			bound, stale = b, 0
			copy(best, price)
		} else {
			stale++
		}
		if !added || stale > 30 {
			break
		}
		if price = m.duals(ctx, solver, out); price == nil {
			break
		}
	}
	r.price = best
}

// entryPrices are the mean prices of the entries of a kind, over its members.
func (r *reducer) entryPrices(k int, price []int64) []int64 {
	g := r.kinds
	n := int64(len(g.nodes[k]))
	q := make([]int64, len(r.sel.Nodes[g.nodes[k][0]].Counts))
	for l, limits := range g.limits {
		for j, count := range g.counts[k][l] {
			q[j] += price[limits[0]] * count / n
		}
	}
	return q
}

// cheapest is a node's candidate of least value with its uses priced by entry.
func (r *reducer) cheapest(n int, q []int64) (cand int, least int64) {
	cand, least = -1, math.MaxInt64
	cands := r.sel.Nodes[n].Candidates
	for _, i := range r.alive[n] {
		v := r.value[n][i] * priceUnit
		for j, u := range cands[i].Use {
			v += q[j] * u
		}
		if v < least {
			cand, least = i, v
		}
	}
	return cand, least
}

// duals solves the master and returns its prices per limit; nil without any.
func (m *master) duals(ctx context.Context, solver solve.Solver, out *Outcome) []int64 {
	r, g := m.r, m.kinds
	b := solve.NewBuilder(r.sel.Name + "/prices")
	terms := make([][]solve.Term, len(g.limits))
	for k, members := range g.nodes {
		var one []solve.Term
		for _, i := range m.list[k] {
			v := r.value[members[0]][i] * int64(len(members))
			x := b.Continuous(fmt.Sprintf("x%d/%d", k, i), 0, 1, v)
			one = append(one, solve.Term{Var: x, Coef: 1})
			for l := range g.limits {
				var u int64
				for j, count := range g.counts[k][l] {
					u += count * r.sel.Nodes[members[0]].Candidates[i].Use[j]
				}
				if u > 0 {
					terms[l] = append(terms[l], solve.Term{Var: x, Coef: u})
				}
			}
		}
		b.Row(fmt.Sprintf("choose/%d", k), solve.EQ, 1, one...)
	}
	return r.limitPrices(ctx, b, terms, m.most, solver, out)
}

// limitPrices closes a master problem with a row per group of limits, solves it,
// and returns the prices per limit that its duals give; nil without any.
func (r *reducer) limitPrices(ctx context.Context, b *solve.Builder, terms [][]solve.Term, most int64, solver solve.Solver, out *Outcome) []int64 {
	over := b.Continuous("over", 0, 1<<40, most)
	group := map[int]int{}
	for g, limits := range r.kinds.limits {
		if len(terms[g]) > 0 {
			row := b.Row(fmt.Sprint("limit/", g), solve.LE, r.sel.Limits[limits[0]].Amount*int64(len(limits)), append(terms[g], solve.Term{Var: over, Coef: -1})...)
			group[row] = g
		}
	}
	model, err := b.Build()
	if err != nil {
		return nil // numbers too large for a model: no better prices
	}
	res, err := solver.Solve(ctx, model, solve.Options{Disable: solve.Techniques()})
	if err != nil {
		return nil
	}
	out.Stats.LPIterations += res.Stats.LPIterations
	out.Stats.Effort += res.Stats.Effort()
	if res.Certificate == nil || len(res.Certificate.Duals) == 0 {
		return nil
	}
	price := make([]int64, len(r.sel.Limits))
	d := res.Certificate.Duals[0]
	for k, row := range d.Rows {
		g, ok := group[row]
		if !ok {
			continue
		}
		y := new(big.Int).Mul(big.NewInt(-d.Num[k]), big.NewInt(priceUnit))
		y.Quo(y, big.NewInt(d.Den))
		if y.Sign() > 0 && y.IsInt64() && y.Int64() <= most*priceUnit {
			for _, l := range r.kinds.limits[g] {
				price[l] = y.Int64()
			}
		}
	}
	return price
}

// highestPrice is a price per unit of all limits with which sums cannot overflow.
func (r *reducer) highestPrice() int64 {
	amounts := int64(1)
	for l := range r.sel.Limits {
		amounts += max(r.sel.Limits[l].Amount, -r.sel.Limits[l].Amount)
	}
	return max(1, min(maxPrice/priceUnit/2, (math.MaxInt64>>3)/priceUnit/amounts))
}
