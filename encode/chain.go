package encode

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// chain says of a selection whose edges form paths which nodes follow which.
type chain struct {
	order   []int // nodes, every path from its start to its end
	in, out []int // edge that ends or begins at a node; −1 = none
}

// findChain is nil if the edges form no paths.
func findChain(s *Selection) *chain {
	c := &chain{in: make([]int, len(s.Nodes)), out: make([]int, len(s.Nodes))}
	for n := range s.Nodes {
		c.in[n], c.out[n] = -1, -1
	}
	for e := range s.Edges {
		if c.out[s.Edges[e].From] >= 0 || c.in[s.Edges[e].To] >= 0 {
			return nil
		}
		c.out[s.Edges[e].From], c.in[s.Edges[e].To] = e, e
	}
	for n := range s.Nodes {
		for at := n; c.in[n] < 0; at = s.Edges[c.out[at]].To {
			c.order = append(c.order, at)
			if c.out[at] < 0 {
				break
			}
		}
	}
	if len(c.order) < len(s.Nodes) {
		return nil // a cycle
	}
	return c
}

// chainBounds are the Lagrangian bounds of a chain at exact pair costs, in
// 1/priceUnit: of a plan with a candidate, before[n]+own+after[n] of its class and
// the other paths' least.
//
//	before[n](b) = min_a before[n−1](a) + own(a) + exact(a, b)
//
// and after likewise from the other end, over the classes of alive candidates.
type chainBounds struct {
	total         int64 // bound on every choice, with the prices of all limits' amounts
	constant      int64 // the prices of all limits' amounts, negative
	least         []int64
	before, after []map[int32]int64
}

// own is the cost of a candidate with its uses priced, in 1/priceUnit.
func (r *reducer) own(n, i int) int64 {
	c := &r.sel.Nodes[n].Candidates[i]
	v := c.Cost * priceUnit
	for j, u := range c.Use {
		v += r.entry[n][j] * u
	}
	return v
}

// priceEntries sums up prices by entry of Candidate.Use.
func (r *reducer) priceEntries() {
	r.entry = make([][]int64, len(r.sel.Nodes))
	for n := range r.sel.Nodes {
		r.entry[n] = make([]int64, len(r.sel.Nodes[n].Counts))
		for j, counts := range r.sel.Nodes[n].Counts {
			for _, l := range counts {
				r.entry[n][j] += r.price[l]
			}
		}
	}
}

// classValues are the least own costs per class, ascending by class.
func (r *reducer) classValues(n int) (classes []int32, least map[int32]int64) {
	least = map[int32]int64{}
	for _, i := range r.alive[n] {
		class, v := r.sel.Nodes[n].Candidates[i].Class, r.own(n, i)
		old, ok := least[class]
		if !ok {
			classes = append(classes, class)
		}
		if !ok || v < old {
			least[class] = v
		}
	}
	slices.Sort(classes)
	return classes, least
}

// sweep is one step of a pass along a chain, remembered: where the same classes
// meet the same pair costs at the same values but for a constant, the step gives
// the same but for that constant. In sequences of alike blocks most steps do.
type sweep struct {
	edge     Pair
	exact    bool
	forward  bool
	from, to []int32
	values   []int64 // of from, less the least
	result   []int64 // of to
}

// bounds computes the bounds of a chain, with cheap lower bounds of pair costs or
// exact ones; nil when ctx ends first.
func (r *reducer) bounds(ctx context.Context, exact bool) *chainBounds {
	r.priceEntries()
	b := &chainBounds{least: make([]int64, len(r.sel.Nodes)), before: make([]map[int32]int64, len(r.sel.Nodes)), after: make([]map[int32]int64, len(r.sel.Nodes))}
	classes := make([][]int32, len(r.sel.Nodes))
	own := make([]map[int32]int64, len(r.sel.Nodes))
	type values struct {
		classes []int32
		least   map[int32]int64
	}
	known := map[string]values{} // nodes alike share them
	for n := range r.sel.Nodes {
		if ctx.Err() != nil || len(r.alive[n]) == 0 {
			return nil
		}
		name := fmt.Sprint(&r.alive[n][0], len(r.alive[n]), &r.sel.Nodes[n].Candidates[0], r.entry[n])
		v, ok := known[name]
		if !ok {
			v.classes, v.least = r.classValues(n)
			known[name] = v
		}
		classes[n], own[n] = v.classes, v.least
	}
	for l, p := range r.price {
		b.constant -= p * r.sel.Limits[l].Amount
	}
	b.total = b.constant
	pass := func(nodes []int, forward bool, edges []int, into []map[int32]int64) bool {
		last := -1
		for _, n := range nodes {
			into[n] = map[int32]int64{}
			if edges[n] < 0 {
				for _, c := range classes[n] {
					into[n][c] = 0
				}
			} else {
				values := make([]int64, len(classes[last]))
				for k, c := range classes[last] {
					values[k] = into[last][c] + own[last][c]
				}
				result := r.step(ctx, r.sel.Edges[edges[n]].Pair, exact, forward, classes[last], values, classes[n])
				if result == nil {
					return false
				}
				for k, c := range classes[n] {
					into[n][c] = result[k]
				}
			}
			last = n
		}
		return true
	}
	backward := slices.Clone(r.chain.order)
	slices.Reverse(backward)
	if !pass(r.chain.order, true, r.chain.in, b.before) || !pass(backward, false, r.chain.out, b.after) {
		return nil
	}
	for start, n := range r.chain.order { // the least of every path
		if r.chain.in[n] >= 0 {
			continue
		}
		least := int64(math.MaxInt64)
		for _, c := range classes[n] {
			least = min(least, own[n][c]+b.after[n][c])
		}
		b.total += least
		for k := start; k < len(r.chain.order) && (k == start || r.chain.in[r.chain.order[k]] >= 0); k++ {
			b.least[r.chain.order[k]] = least
		}
	}
	return b
}

// step passes values over an edge: for every class of to, the least sum of a
// value and the exact pair cost. Pairs are asked in order of rising separable
// bound, which ends the search early.
func (r *reducer) step(ctx context.Context, pair Pair, exact, forward bool, from []int32, values []int64, to []int32) []int64 {
	if len(from) == 0 {
		return nil
	}
	base := slices.Min(values)
	rest := make([]int64, len(values))
	for k, v := range values {
		rest[k] = v - base
	}
	for _, s := range r.sweeps {
		if s.edge == pair && s.exact == exact && s.forward == forward && slices.Equal(s.from, from) && slices.Equal(s.to, to) && slices.Equal(s.values, rest) {
			result := slices.Clone(s.result)
			for k := range result {
				result[k] += base
			}
			return result
		}
	}
	near, far := pair.Left, pair.Right
	if !forward {
		near, far = pair.Right, pair.Left
	}
	type entry struct {
		class int32
		value int64
		bound int64
	}
	list := make([]entry, len(from))
	for k, c := range from {
		list[k] = entry{c, rest[k], rest[k] + near(c)*priceUnit}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(a.class, b.class)) })
	result := make([]int64, len(to))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(to) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				best, other := int64(math.MaxInt64), far(to[k])*priceUnit
				for _, x := range list {
					if x.bound+other >= best {
						break
					}
					a, b := x.class, to[k]
					if !forward {
						a, b = b, a
					}
					v := x.value + pair.LowerBound(a, b)*priceUnit
					if exact && v < best {
						v = x.value + r.exactCost(pair, a, b)*priceUnit
					}
					best = min(best, v)
				}
				result[k] = best
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	r.sweeps = append(r.sweeps, sweep{pair, exact, forward, from, to, rest, slices.Clone(result)})
	for k := range result {
		result[k] += base
	}
	return result
}

// with is the bound on choices with a candidate.
func (b *chainBounds) with(r *reducer, n, i int) int64 {
	class := r.sel.Nodes[n].Candidates[i].Class
	return b.total - b.least[n] + b.before[n][class] + r.own(n, i) + b.after[n][class]
}

// bound is the bound on every choice in cycles, rounded up.
func (b *chainBounds) bound() int64 { return ceilDiv(b.total, priceUnit) }
