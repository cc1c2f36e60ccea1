package planning

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ipusolve/encode"
)

// catalogue finds candidates by their description. Only nodes that are asked for
// are described.
type catalogue struct {
	sel  *encode.Selection
	list map[*encode.Candidate]map[string]int
}

func newCatalogue(s *encode.Selection) *catalogue {
	return &catalogue{s, map[*encode.Candidate]map[string]int{}}
}

func (c *catalogue) candidate(n int, text string) (int, bool) {
	node := &c.sel.Nodes[n]
	list := c.list[&node.Candidates[0]]
	if list == nil {
		list = make(map[string]int, len(node.Candidates))
		for i := range node.Candidates {
			list[node.Describe(i)] = i
		}
		c.list[&node.Candidates[0]] = list
	}
	i, ok := list[text]
	return i, ok
}

// pairOf is a pair of classes and its price.
type pairOf struct {
	pair encode.Pair
	a, b int32
}

// cost is the exact price of a pair, remembered.
func (r *recheck) cost(pair encode.Pair, a, b int32) int64 {
	k := pairOf{pair, a, b}
	v, ok := r.exact[k]
	if !ok {
		v = pair.Exact(a, b)
		r.exact[k] = v
	}
	return v
}

// ownValue is a candidate's cost with its uses priced, in 1/priceUnit, without its
// edges.
func (r *recheck) ownValue(n, i int) int64 {
	c := &r.sel.Nodes[n].Candidates[i]
	v := c.Cost * priceUnit
	for j, amount := range c.Use {
		v += r.entry[n][j] * amount
	}
	return v
}

// ownByClass are the least own values of open candidates per class.
func (r *recheck) ownByClass(n int) map[int32]int64 {
	m := map[int32]int64{}
	for _, i := range r.open[n] {
		class, v := r.sel.Nodes[n].Candidates[i].Class, r.ownValue(n, i)
		if old, ok := m[class]; !ok || v < old {
			m[class] = v
		}
	}
	return m
}

// unreachable rules out candidates that no path along the chain below the bound
// goes through. With the limits priced, a plan's cost is at least that of its path:
// front[n] is the least cost of the stages before n up to a class of n, back[n] that
// of the stages behind. Without exact, pairs count their cheap bounds. Edge e joins
// nodes e and e+1; nodes behind the last edge are on their own.
func (r *recheck) unreachable(exact bool) int {
	nodes, edges := len(r.sel.Nodes), len(r.sel.Edges)
	own := make([]map[int32]int64, nodes)
	for n := range own {
		own[n] = r.ownByClass(n)
	}
	r.front, r.back = make([]map[int32]int64, nodes), make([]map[int32]int64, nodes)
	r.front[0], r.back[edges] = map[int32]int64{}, map[int32]int64{} // zeros
	for e := range r.sel.Edges {
		r.front[e+1] = r.pass(r.sel.Edges[e].Pair, exact, true, r.front[e], own[e], own[e+1])
	}
	for e := edges - 1; e >= 0; e-- {
		r.back[e] = r.pass(r.sel.Edges[e].Pair, exact, false, r.back[e+1], own[e+1], own[e])
	}
	r.total = 0
	for l, p := range r.price {
		r.total -= p * r.sel.Limits[l].Amount
	}
	least := make([]int64, nodes) // of the path that a node is on
	for n := range nodes {
		if n > 0 && n <= edges {
			least[n] = least[0]
			continue
		}
		least[n] = math.MaxInt64
		for class, v := range own[n] {
			least[n] = min(least[n], v+r.back[n][class])
		}
		r.total += least[n]
	}
	removed := 0
	for n := range r.sel.Nodes {
		removed += r.drop(n, func(i int) bool {
			class := r.sel.Nodes[n].Candidates[i].Class
			return r.reaches(r.total - least[n] + r.front[n][class] + r.ownValue(n, i) + r.back[n][class])
		})
	}
	r.total -= least[0] // for pairs: without the chain
	return removed
}

// pass carries least costs over an edge. Passes that differ by a constant only are
// done once.
func (r *recheck) pass(pair encode.Pair, exact, forward bool, before, own, next map[int32]int64) map[int32]int64 {
	type source struct {
		class         int32
		value, bounds int64
	}
	near, far := pair.Left, pair.Right
	if !forward {
		near, far = far, near
	}
	var from []source
	for c, v := range own {
		from = append(from, source{c, before[c] + v, before[c] + v + near(c)*priceUnit})
	}
	slices.SortFunc(from, func(x, y source) int {
		switch {
		case x.bounds < y.bounds || x.bounds == y.bounds && x.class < y.class:
			return -1
		case x == y:
			return 0
		}
		return 1
	})
	var to []int32
	for c := range next {
		to = append(to, c)
	}
	slices.Sort(to)
	zero := from[0].value
	key := fmt.Appendf(nil, "%p %v %v ", pair, exact, forward)
	for _, s := range from {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(s.class)), s.value-zero)
	}
	key = append(key, "to"...)
	for _, c := range to {
		key = binary.AppendVarint(key, int64(c))
	}
	costs, ok := r.steps[string(key)]
	if !ok {
		costs = make([]int64, len(to))
		parallel(len(to), func(k int) {
			best := int64(1) << 62
			rest := far(to[k]) * priceUnit
			for _, s := range from {
				if s.bounds+rest >= best {
					break
				}
				a, b := s.class, to[k]
				if !forward {
					a, b = b, a
				}
				v := s.value + pair.LowerBound(a, b)*priceUnit
				if exact && v < best {
					v = s.value + pair.Exact(a, b)*priceUnit
				}
				best = min(best, v)
			}
			costs[k] = best - zero
		})
		r.steps[string(key)] = costs
	}
	result := make(map[int32]int64, len(to))
	for k, c := range to {
		result[c] = costs[k] + zero
	}
	return result
}

// parallel calls f for 0…n−1.
func parallel(n int, f func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				f(k)
			}
		})
	}
	wg.Wait()
}

// missingPairs checks that every pair left out of the model is in no plan below
// the bound.
func (r *recheck) missingPairs() error {
	if r.pairs == nil {
		return nil
	}
	r.unreachable(true)
	for e := range r.pairs {
		edge := &r.sel.Edges[e]
		from, to := r.ownByClass(edge.From), r.ownByClass(edge.To)
		for a, va := range from {
			for b, vb := range to {
				if _, ok := r.pairs[e][[2]int32{a, b}]; ok {
					continue
				}
				rest := r.total + r.front[e][a] + va + vb + r.back[e+1][b]
				if !r.reaches(rest+edge.Pair.LowerBound(a, b)*priceUnit) && !r.reaches(rest+r.cost(edge.Pair, a, b)*priceUnit) {
					return fmt.Errorf("a pair of %s is left out of the model, but may be part of a plan below %d", edge.Name, r.bound)
				}
			}
		}
	}
	return nil
}
