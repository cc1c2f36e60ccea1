package encode

import (
	"context"
	"fmt"
	"math"
)

// parts are the sums of uses that the limits see of a node. Many limits see the
// same sum.
type parts struct {
	lists [][]int // entries of Candidate.Use
	of    []int   // sum that a limit sees; −1 = none
}

func partsOf(n *Node, limits int) parts {
	seen := make([][]int, limits)
	for j, counts := range n.Counts {
		for _, l := range counts {
			seen[l] = append(seen[l], j)
		}
	}
	p := parts{of: make([]int, limits)}
	known := map[string]int{}
	for l, list := range seen {
		p.of[l] = -1
		if len(list) == 0 {
			continue
		}
		name := fmt.Sprint(list)
		k, ok := known[name]
		if !ok {
			k = len(p.lists)
			known[name] = k
			p.lists = append(p.lists, list)
		}
		p.of[l] = k
	}
	return p
}

// sum is what a candidate uses of the entries of a list.
func sum(use []int64, list []int) int64 {
	var u int64
	for _, j := range list {
		u += use[j]
	}
	return u
}

// oversized removes candidates that break a limit even beside the smallest
// other candidates. It returns the first node left empty, or -1; when ctx ends, it
// stops early. Nodes of a kind share the work as long as they keep the same
// candidates.
func (r *reducer) oversized(ctx context.Context) int {
	r.parts = make([]parts, len(r.sel.Nodes))
	for n := range r.parts {
		r.parts[n] = partsOf(&r.sel.Nodes[n], len(r.sel.Limits))
	}
	for ctx.Err() == nil {
		least := make([][]int64, len(r.sel.Nodes)) // per sum
		total := make([]int64, len(r.sel.Limits))
		known := map[string][]int64{}
		for n := range r.sel.Nodes {
			if len(r.alive[n]) == 0 {
				return n
			}
			p := &r.parts[n]
			name := fmt.Sprint(&r.alive[n][0], &r.sel.Nodes[n].Candidates[0], p.lists)
			if known[name] == nil {
				known[name] = r.leastUses(n)
			}
			least[n] = known[name]
			for l, k := range p.of {
				if k >= 0 {
					total[l] += least[n][k]
				}
			}
		}
		removed := 0
		left := map[string][]int{}
		for n := range r.sel.Nodes {
			p := &r.parts[n]
			most := make([]int64, len(p.lists))
			for k := range most {
				most[k] = math.MaxInt64
			}
			for l, k := range p.of {
				switch over := total[l] - r.sel.Limits[l].Amount; {
				case k >= 0:
					most[k] = min(most[k], least[n][k]-over)
				case over > 0: // not for this node to mend, but nothing fits
					return n
				}
			}
			name := fmt.Sprint(&r.alive[n][0], &r.sel.Nodes[n].Candidates[0], p.lists, most)
			if kept, ok := left[name]; ok {
				removed += len(r.alive[n]) - len(kept)
				r.alive[n] = kept
				continue
			}
			cands := r.sel.Nodes[n].Candidates
			removed += r.keep(n, func(i int) bool {
				for k, list := range p.lists {
					if sum(cands[i].Use, list) > most[k] {
						return false
					}
				}
				return true
			})
			left[name] = r.alive[n]
		}
		r.stats.Oversized += removed
		if removed == 0 {
			break
		}
	}
	return -1
}

// leastUses is the least of every sum over the surviving candidates of a node.
func (r *reducer) leastUses(n int) []int64 {
	least := make([]int64, len(r.parts[n].lists))
	for k, list := range r.parts[n].lists {
		least[k] = math.MaxInt64
		for _, i := range r.alive[n] {
			least[k] = min(least[k], sum(r.sel.Nodes[n].Candidates[i].Use, list))
		}
	}
	return least
}
