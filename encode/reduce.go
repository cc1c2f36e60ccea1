package encode

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// reducer removes candidates and pairs that cannot be in an optimal choice. It
// works on separable values: the cost of a candidate plus its share of the
// separable bounds of its edges. All arithmetic is in integers, so every removal
// is a proof.
type reducer struct {
	sel   *Selection
	alive [][]int   // surviving candidates per node, ascending
	value [][]int64 // separable value of every candidate, by original index
	// price multiplies the use of every limit, in 1/priceUnit cycles: Lagrange
	// multipliers. Any non-negative prices give valid bounds.
	price  []int64
	kinds  *kinds
	parts  []parts   // per node
	chain  *chain    // nil if edges form no paths
	entry  [][]int64 // price per node and entry of Candidate.Use
	sweeps []sweep
	known  *costs
	best   Choice // incumbent, nil if none
	cost   int64  // of best, MaxInt64 if none
	target int64  // what is left out is in no choice below; 0: the incumbent's cost
	stats  ReduceStats
}

// ReduceStats counts what each reduction removed.
type ReduceStats struct {
	Candidates int // before any reduction
	Oversized  int // break a limit whatever else is chosen
	Dominated  int // another candidate is no worse beside every neighbour
	Bounded    int // cannot beat the incumbent
	Left       int
}

const (
	priceUnit = 1 << 20
	maxPrice  = 1 << 40
)

func newReducer(s *Selection) *reducer {
	r := &reducer{sel: s, alive: make([][]int, len(s.Nodes)), value: make([][]int64, len(s.Nodes)), price: make([]int64, len(s.Limits)), kinds: findKinds(s), chain: findChain(s), known: &costs{of: map[costKey]int64{}}, cost: math.MaxInt64}
	for k, members := range r.kinds.nodes {
		cands := s.Nodes[members[0]].Candidates
		alive, value := make([]int, len(cands)), make([]int64, len(cands))
		for i := range cands {
			alive[i], value[i] = i, cands[i].Cost
		}
		for _, e := range s.Edges {
			if r.kinds.of[e.From] == k && e.From == members[0] {
				for i := range cands {
					value[i] += e.Pair.Left(cands[i].Class)
				}
			}
			if r.kinds.of[e.To] == k && e.To == members[0] {
				for i := range cands {
					value[i] += e.Pair.Right(cands[i].Class)
				}
			}
		}
		for _, n := range members {
			r.alive[n], r.value[n] = alive, value
		}
		r.stats.Candidates += len(cands) * len(members)
	}
	return r
}

// keep filters the candidates of a node and returns how many it removed.
func (r *reducer) keep(node int, ok func(cand int) bool) int {
	var left []int // in place of alive[node], which others of its kind may share
	for k, i := range r.alive[node] {
		switch good := ok(i); {
		case good && left != nil:
			left = append(left, i)
		case !good && left == nil:
			left = append(make([]int, 0, len(r.alive[node])), r.alive[node][:k]...)
		}
	}
	if left == nil {
		return 0
	}
	before := len(r.alive[node])
	r.alive[node] = slices.Clip(slices.Clone(left))
	return before - len(left)
}

// dominated removes candidate c if another candidate d of the node uses no more
// of anything and is no dearer beside every neighbour: value(d) + margin(d) ≤
// value(c), where the margin bounds how far the pair costs of d lie above their
// separable bounds. When ctx ends, it stops early.
func (r *reducer) dominated(ctx context.Context) {
	for n := range r.sel.Nodes {
		if ctx.Err() != nil {
			return
		}
		cands := r.sel.Nodes[n].Candidates
		var fixed int64 // margin of edges that end here
		for _, e := range r.sel.Edges {
			if e.To == n {
				var most int64
				for _, a := range r.alive[e.From] {
					most = max(most, e.Pair.Spread(r.sel.Nodes[e.From].Candidates[a].Class))
				}
				fixed += most
			}
		}
		ceiling := func(i int) int64 {
			v := r.value[n][i] + fixed
			for _, e := range r.sel.Edges {
				if e.From == n {
					v += e.Pair.Spread(cands[i].Class)
				}
			}
			return v
		}
		order := slices.Clone(r.alive[n])
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case r.value[n][a] < r.value[n][b]:
				return -1
			case r.value[n][a] > r.value[n][b]:
				return 1
			}
			return 0
		})
		type dominator struct {
			cand int
			ceil int64
		}
		var doms []dominator
		drop := map[int]bool{}
		for _, c := range order {
			for _, d := range doms {
				if d.ceil <= r.value[n][c] && fewer(cands[d.cand].Use, cands[c].Use) && !r.chosen(n, c) {
					drop[c] = true
					break
				}
			}
			if drop[c] {
				continue
			}
			top := ceiling(c)
			if !slices.ContainsFunc(doms, func(d dominator) bool { return d.ceil <= top && fewer(cands[d.cand].Use, cands[c].Use) }) {
				doms = append(doms, dominator{c, top})
			}
		}
		r.stats.Dominated += r.keep(n, func(i int) bool { return !drop[i] })
	}
}

// fewer tells whether every amount of a is at most that of b.
func fewer(a, b []int64) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

func (r *reducer) chosen(node, cand int) bool { return r.best != nil && r.best[node] == cand }

// scaled is the value of a candidate with its uses priced, in 1/priceUnit, at the
// prices of the last base or bounds.
func (r *reducer) scaled(node, cand int) int64 {
	v := r.value[node][cand] * priceUnit
	for j, amount := range r.sel.Nodes[node].Candidates[cand].Use {
		v += r.entry[node][j] * amount
	}
	return v
}

// base is the Lagrangian bound in 1/priceUnit and the least scaled value of
// every node.
func (r *reducer) base() (int64, []int64) {
	r.priceEntries()
	var total int64
	least := make([]int64, len(r.sel.Nodes))
	known := map[string]int{} // nodes alike have the same least
	for n := range least {
		least[n] = math.MaxInt64
		if len(r.alive[n]) > 0 {
			name := fmt.Sprint(&r.alive[n][0], len(r.alive[n]), &r.value[n][0], r.entry[n])
			if same, ok := known[name]; ok {
				least[n] = least[same]
				total += least[n]
				continue
			}
			known[name] = n
		}
		for _, i := range r.alive[n] {
			least[n] = min(least[n], r.scaled(n, i))
		}
		total += least[n]
	}
	for l, p := range r.price {
		total -= p * r.sel.Limits[l].Amount
	}
	return total, least
}

// lowerBound is the Lagrangian bound in cycles, rounded up.
func (r *reducer) lowerBound() int64 {
	total, _ := r.base()
	return ceilDiv(total, priceUnit)
}

// ceilDiv is ⌈a/b⌉ for b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// bounded removes candidates whose Lagrangian bound reaches the incumbent.
func (r *reducer) bounded() {
	if r.best == nil {
		return
	}
	total, least := r.base()
	for n := range r.sel.Nodes {
		r.stats.Bounded += r.keep(n, func(i int) bool {
			return r.chosen(n, i) || ceilDiv(total-least[n]+r.scaled(n, i), priceUnit) < r.cost
		})
	}
}

// offer makes a choice the incumbent if it fits and is cheaper.
func (r *reducer) offer(c Choice) bool {
	if !r.sel.Fits(c) {
		return false
	}
	cost := r.sel.Cost(c)
	if cost < r.cost {
		r.best, r.cost = slices.Clone(c), cost
		return true
	}
	return false
}

// greedy looks for an incumbent: the cheapest candidates under rising prices of
// all uses, until they fit. The first price is 0.
func (r *reducer) greedy() {
	for price := int64(0); price <= maxPrice; price = max(priceUnit/64, 4*price) {
		c := make(Choice, len(r.sel.Nodes))
		for n := range c {
			least := int64(math.MaxInt64)
			for _, i := range r.alive[n] {
				v := r.value[n][i] * priceUnit
				for _, amount := range r.sel.Nodes[n].Candidates[i].Use {
					v += price * amount
				}
				if v < least {
					least, c[n] = v, i
				}
			}
		}
		if r.sel.Fits(c) {
			r.offer(c)
			return
		}
	}
}
