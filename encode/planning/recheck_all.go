package planning

import (
	"math"

	"ipusolve/encode"
)

// maxChoices bounds how many choices of open candidates are tried one by one.
const maxChoices = 1 << 18

// tried tells that every choice of open candidates that is not one of the model costs
// at least the bound or breaks a limit, where they are few enough to be tried: bounds
// at prices cannot tell that two candidates do not fit beside each other.
func (r *recheck) tried() bool {
	total := 1
	for n := range r.open {
		if total *= len(r.open[n]); total > maxChoices {
			return false
		}
	}
	nodes := len(r.sel.Nodes)
	into := make([]int, nodes) // edge that ends at a node, −1 = none
	least := make([]int64, nodes+1)
	for n := nodes - 1; n >= 0; n-- {
		into[n] = -1
		low := int64(math.MaxInt64)
		for _, i := range r.open[n] {
			low = min(low, r.value[n][i])
		}
		least[n] = least[n+1] + low
	}
	for e := range r.sel.Edges {
		into[r.sel.Edges[e].To] = e
	}
	c := make(encode.Choice, nodes)
	class := func(n int) int32 { return r.sel.Nodes[n].Candidates[c[n]].Class }
	// ahead is the least that the edges from chosen nodes to later ones add, which the
	// values of these do not count.
	ahead := func(last int) (v int64) {
		for e := range r.sel.Edges {
			if edge := &r.sel.Edges[e]; edge.From <= last && edge.To > last {
				v += edge.Pair.Left(class(edge.From))
			}
		}
		return v
	}
	var search func(n int, cost int64, modelled bool) bool
	search = func(n int, cost int64, modelled bool) bool {
		if n == nodes {
			return modelled || cost >= r.bound || !r.sel.Fits(c)
		}
		for _, c[n] = range r.open[n] {
			v := cost + r.sel.Nodes[n].Candidates[c[n]].Cost
			_, inside := r.inside[n][c[n]]
			inside = inside && modelled
			if e := into[n]; e >= 0 {
				k := [2]int32{class(r.sel.Edges[e].From), class(n)}
				v += r.cost(r.sel.Edges[e].Pair, k[0], k[1])
				if r.pairs != nil && inside {
					_, inside = r.pairs[e][k]
				}
			}
			if v+ahead(n)+least[n+1] < r.bound && !search(n+1, v, inside) {
				return false
			}
		}
		return true
	}
	return search(0, 0, true)
}
