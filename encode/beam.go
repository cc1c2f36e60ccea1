package encode

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
)

// room is what the nodes of a chain up to some node leave of the limits, in as few
// figures as the nodes behind can tell apart: limits that saw the same so far have
// the same figure, and of limits in which the nodes behind count alike only the
// fullest matters.
type room struct {
	from []stock // sums of a figure before the node and of what the node uses
	of   [][]int // per figure: the fullest of these
	need []int64 // per figure: the least that the nodes behind use on top
}

type stock struct{ figure, list int } // list of parts; −1: the node does not count

// rooms works out the figures along a chain; those before the first node are the
// amounts in start, negative.
func (r *reducer) rooms() (start []int64, steps []room) {
	limits := r.sel.Limits
	order := r.chain.order
	// future[k][l] identifies what nodes from order[k] on count in limit l.
	future := make([][]int, len(order)+1)
	behind := make([][]int64, len(order)+1) // least use of nodes from order[k] on
	future[len(order)], behind[len(order)] = make([]int, len(limits)), make([]int64, len(limits))
	for k := len(order) - 1; k >= 0; k-- {
		n := order[k]
		least := r.leastUses(n)
		future[k], behind[k] = make([]int, len(limits)), slices.Clone(behind[k+1])
		ids := map[[2]int]int{}
		for l, p := range r.parts[n].of {
			key := [2]int{future[k+1][l], p}
			if _, ok := ids[key]; !ok {
				ids[key] = len(ids)
			}
			future[k][l] = ids[key]
			if p >= 0 {
				behind[k][l] += least[p]
			}
		}
	}
	figure := make([]int, len(limits))
	ids := map[int64]int{}
	for l := range limits {
		k, ok := ids[limits[l].Amount]
		if !ok {
			k = len(start)
			ids[limits[l].Amount] = k
			start = append(start, -limits[l].Amount)
		}
		figure[l] = k
	}
	for k, n := range order {
		var s room
		seen := map[stock]int{}
		groups := map[int][]int{} // by future: indices into from
		for l := range limits {
			x := stock{figure[l], r.parts[n].of[l]}
			i, ok := seen[x]
			if !ok {
				i = len(s.from)
				seen[x] = i
				s.from = append(s.from, x)
			}
			if f := future[k+1][l]; !slices.Contains(groups[f], i) {
				groups[f] = append(groups[f], i)
			}
		}
		known := map[string]int{}
		for l := range limits {
			group := groups[future[k+1][l]]
			name := fmt.Sprint(group)
			i, ok := known[name]
			if !ok {
				i = len(s.of)
				known[name] = i
				s.of, s.need = append(s.of, group), append(s.need, math.MinInt64)
			}
			figure[l] = i
			s.need[i] = max(s.need[i], behind[k+1][l])
		}
		steps = append(steps, s)
	}
	return start, steps
}

// label is the beginning of a choice along a chain.
type label struct {
	parent *label
	cand   int
	priced int64 // cost with uses priced, in 1/priceUnit
	cost   int64
	bound  int64 // priced with the least of what follows
	room   []int64
}

// strata is the number of classes of memory use among which a beam is divided.
const strata = 16

// beam looks for a good choice along a chain over some candidates of every node:
// of the beginnings that still fit, it keeps some with the best bounds, among all
// ranges of priced use. nil if it finds none.
func (r *reducer) beam(ctx context.Context, b *chainBounds, list [][]int, width int) Choice {
	start, steps := r.rooms()
	first := &label{room: start}
	labels := []*label{first}
	var rest int64 // least of the paths behind
	for _, n := range r.chain.order {
		if r.chain.in[n] < 0 {
			rest += b.least[n]
		}
	}
	for k, n := range r.chain.order {
		if ctx.Err() != nil {
			return nil
		}
		var pair Pair
		if e := r.chain.in[n]; e >= 0 {
			pair = r.sel.Edges[e].Pair
		} else {
			rest -= b.least[n]
		}
		previous := -1
		if k > 0 {
			previous = r.chain.order[k-1]
		}
		var next []*label
		for _, i := range list[n] {
			c := &r.sel.Nodes[n].Candidates[i]
			own := r.own(n, i)
			uses := make([]int64, len(r.parts[n].lists))
			for j, parts := range r.parts[n].lists {
				uses[j] = sum(c.Use, parts)
			}
			for _, from := range labels {
				cost := c.Cost
				base := from.priced + own
				if pair != nil {
					a := r.sel.Nodes[previous].Candidates[from.cand].Class
					if ceilDiv(base+(pair.Left(a)+pair.Right(c.Class))*priceUnit+b.after[n][c.Class]+rest+b.constant, priceUnit) >= r.cost {
						continue
					}
					p := r.exactCost(pair, a, c.Class)
					cost += p
					base += p * priceUnit
				}
				bound := base + b.after[n][c.Class] + rest
				if ceilDiv(bound+b.constant, priceUnit) >= r.cost {
					continue
				}
				if room := steps[k].fill(from.room, uses); room != nil {
					next = append(next, &label{from, i, base, from.cost + cost, bound, room})
				}
			}
		}
		labels = r.thin(n, next, width)
	}
	var best *label
	for _, l := range labels {
		if best == nil || l.cost < best.cost {
			best = l
		}
	}
	if best == nil {
		return nil
	}
	choice := make(Choice, len(r.sel.Nodes))
	for k := len(r.chain.order) - 1; k >= 0; k-- {
		choice[r.chain.order[k]] = best.cand
		best = best.parent
	}
	return choice
}

// fill is the room left after a node's uses; nil if something cannot fit.
func (s *room) fill(before, uses []int64) []int64 {
	room := make([]int64, len(s.of))
	for i, group := range s.of {
		most := int64(math.MinInt64)
		for _, k := range group {
			v := before[s.from[k].figure]
			if p := s.from[k].list; p >= 0 {
				v += uses[p]
			}
			most = max(most, v)
		}
		if most+s.need[i] > 0 {
			return nil
		}
		room[i] = most
	}
	return room
}

// thin keeps the best labels of every stratum, one per class and room.
func (r *reducer) thin(n int, labels []*label, width int) []*label {
	slices.SortStableFunc(labels, func(a, b *label) int { return cmp.Compare(a.bound, b.bound) })
	use := func(l *label) int64 { return l.priced/priceUnit - l.cost }
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for _, l := range labels {
		low, high = min(low, use(l)), max(high, use(l))
	}
	var taken [strata]int
	seen := map[string]bool{}
	var key []byte
	return slices.DeleteFunc(labels, func(l *label) bool {
		stratum := (use(l) - low) * strata / (high - low + 1)
		if taken[stratum] >= width/strata {
			return true
		}
		key = binary.AppendVarint(key[:0], int64(r.sel.Nodes[n].Candidates[l.cand].Class))
		for _, v := range l.room {
			key = binary.AppendVarint(key, v)
		}
		if seen[string(key)] {
			return true
		}
		seen[string(key)] = true
		taken[stratum]++
		return false
	})
}

// costs remembers exact pair costs; it may be asked from several goroutines.
type costs struct {
	lock sync.RWMutex
	of   map[costKey]int64
}

type costKey struct {
	pair Pair
	key  pairKey
}

func (r *reducer) exactCost(p Pair, a, b int32) int64 {
	k := costKey{p, pairKey{a, b}}
	r.known.lock.RLock()
	v, ok := r.known.of[k]
	r.known.lock.RUnlock()
	if !ok {
		v = p.Exact(a, b)
		r.known.lock.Lock()
		r.known.of[k] = v
		r.known.lock.Unlock()
	}
	return v
}

// shortlist are the candidates of every node that are in the cheapest choices by
// the bounds of a chain, at most some number; of nodes without edges all.
func (r *reducer) shortlist(b *chainBounds, most int) [][]int {
	list := make([][]int, len(r.sel.Nodes))
	for n := range list {
		list[n] = slices.Clone(r.alive[n])
		bound := make(map[int]int64, len(list[n]))
		for _, i := range list[n] {
			bound[i] = b.with(r, n, i)
		}
		slices.SortStableFunc(list[n], func(x, y int) int { return cmp.Compare(bound[x], bound[y]) })
		if !r.isolated(n) { // those look alike to prices
			list[n] = list[n][:min(most, len(list[n]))]
		}
	}
	return list
}
