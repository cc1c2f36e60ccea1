package encode

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"ipusolve/solve"
)

// Cut says that an item lies in two parts.
type Cut struct {
	Item    int
	Bytes   int64 // of the first part, which lies at the item's address
	Address int64 // of the second part
}

// whole is the arena with no item to be cut.
func (a *Arena) whole() *Arena {
	b := *a
	b.Items = slices.Clone(a.Items)
	for i := range b.Items {
		b.Items[i].Split = nil
	}
	return &b
}

// cut is the arena with some items in two parts, the first of so many bytes. The
// second parts are items of their own, behind the others, in the order of cuts.
func (a *Arena) cut(cuts []Cut) *Arena {
	b := a.whole()
	first, second := make([]int64, len(a.Items)), make([]int, len(a.Items))
	for _, c := range cuts {
		it := b.Items[c.Item]
		first[c.Item], second[c.Item] = c.Bytes, len(b.Items)
		it.ID += secondPart
		it.Size -= c.Bytes
		b.Items[c.Item].Size = c.Bytes
		b.Items = append(b.Items, it)
	}
	pieces := func(p Part) []Part {
		n := first[p.Item]
		if n == 0 {
			return []Part{p}
		}
		var list []Part
		if p.Start < n {
			list = append(list, Part{p.Item, p.Start, min(p.End, n)})
		}
		if p.End > n {
			list = append(list, Part{second[p.Item], max(p.Start, n) - n, p.End - n})
		}
		return list
	}
	b.Apart = nil
	for _, x := range a.Apart {
		for _, p := range pieces(x.A) {
			for _, q := range pieces(x.B) {
				b.Apart = append(b.Apart, Apart{p, q, x.Weight})
			}
		}
	}
	b.Equal = nil
	for _, x := range a.Equal {
		m, n := first[x.A], first[x.B]
		front := x.Weight
		if m > 0 {
			front = min(front, portion(x.Weight, m, a.Items[x.A].Size))
		}
		if n > 0 {
			front = min(front, portion(x.Weight, n, a.Items[x.B].Size))
		}
		if front > 0 {
			b.Equal = append(b.Equal, Equal{x.A, x.B, front})
		}
		if m > 0 && m == n && front < x.Weight {
			b.Equal = append(b.Equal, Equal{second[x.A], second[x.B], x.Weight - front})
		}
	}
	return b
}

// secondPart is what an item's second part is called behind its name.
const secondPart = "/2"

// portion is weight·part/whole, rounded down.
func portion(weight, part, whole int64) int64 { return weight/whole*part + weight%whole*part/whole }

// mostCuts bounds the ways to cut items that are looked at.
const mostCuts = 1 << 12

// cutSet is a set of items to be cut.
type cutSet struct {
	items []int
	price int64
	last  int // of the items by price, the last one in the set
}

// cutSets lists the sets of items that may be cut, the cheapest first, none empty.
// There may be too many ways to cut for all of them: then beyond is the price of the next
// set, else 0.
func (a *Arena) cutSets() (list []cutSet, beyond int64) {
	var byPrice []int
	for i := range a.Items {
		if a.Items[i].Split != nil {
			byPrice = append(byPrice, i)
		}
	}
	price := func(k int) int64 { return a.Items[byPrice[k]].Split.Price }
	slices.SortStableFunc(byPrice, func(i, j int) int { return cmp.Compare(a.Items[i].Split.Price, a.Items[j].Split.Price) })
	// Each set comes from a cheaper one, by one item more or by the next for its last.
	open := []cutSet{{byPrice[:1:1], price(0), 0}}
	for ways := 0; len(open) > 0; {
		s := open[0]
		n := 1
		for _, i := range s.items {
			n = min(n*len(a.Items[i].Split.At), mostCuts+1)
		}
		if ways += n; ways > mostCuts {
			return list, s.price
		}
		list, open = append(list, s), open[1:]
		k := s.last + 1
		if k == len(byPrice) {
			continue
		}
		for _, next := range []cutSet{
			{append(slices.Clone(s.items), byPrice[k]), s.price + price(k), k},
			{append(slices.Clone(s.items[:len(s.items)-1]), byPrice[k]), s.price - price(s.last) + price(k), k},
		} {
			at, _ := slices.BinarySearchFunc(open, next.price+1, func(x cutSet, p int64) int { return cmp.Compare(x.price, p) })
			open = slices.Insert(open, at, next)
		}
	}
	return list, 0
}

// ways yields every way to cut some items.
func (a *Arena) ways(items []int) iter.Seq[[]Cut] {
	return func(yield func([]Cut) bool) {
		at := make([]int, len(items))
		for {
			cuts := make([]Cut, len(items))
			for k, i := range items {
				cuts[k] = Cut{Item: i, Bytes: a.Items[i].Split.At[at[k]]}
			}
			if !yield(cuts) {
				return
			}
			k := 0
			for ; k < len(items); k++ {
				if at[k]++; at[k] < len(a.Items[items[k]].Split.At) {
					break
				}
				at[k] = 0
			}
			if k == len(items) {
				return
			}
		}
	}
}

// solveCuts solves an arena of which some items may be cut: whole if that can be,
// else cut in all ways that the cheapest price with a placement allows.
func solveCuts(ctx context.Context, a *Arena, opt solve.Options) *ArenaResult {
	res := solveWhole(ctx, a.whole(), opt)
	if res.At != nil || res.Status == solve.Infeasible && a.overfull() {
		return res
	}
	var late time.Time // when to end after the context
	spent := func() bool {
		if ctx.Err() == nil {
			return false
		}
		if late.IsZero() {
			late = time.Now().Add(addGrace)
		}
		return time.Now().After(late)
	}
	sets, beyond := a.cutSets()
	stats := res.Stats
	proven := res.Status == solve.Infeasible // that nothing below the price has a placement
	for len(sets) > 0 && !spent() {
		price, n := sets[0].price, 0
		var merged arenaMerger
		complete := true
		for ; n < len(sets) && sets[n].price == price && (n == 0 || !spent()); n++ {
			for cuts := range a.ways(slices.Sorted(slices.Values(sets[n].items))) {
				r := solveWhole(ctx, a.cut(cuts), opt)
				r.join(cuts, len(a.Items))
				merged.add(r)
				if spent() || ctx.Err() != nil && merged.best != nil {
					complete = false
					break
				}
			}
		}
		sets = sets[n:]
		complete = complete && price != beyond && (len(sets) == 0 || sets[0].price != price)
		best := merged.result()
		stats.add(&best.Stats)
		if best.At != nil {
			best.Price, best.PriceBound, best.Stats = price, price, stats
			if !complete { // of ways not looked at nothing is known
				best.EqualBound, best.OverlapBound, best.HeightBound = a.weights(), 0, 0
				best.Status = solve.Feasible
			}
			if !proven {
				best.PriceBound, best.Status = res.PriceBound, solve.Feasible
			}
			return best
		}
		if proven && (!complete || best.Status != solve.Infeasible) {
			proven, res.Status, res.PriceBound, res.Clash = false, solve.Unknown, price, nil
		}
		if best.HeightBound < res.HeightBound {
			res.HeightBound, res.Clash = best.HeightBound, best.Clash
		}
	}
	if len(sets) > 0 {
		beyond = sets[0].price
	}
	if proven && beyond > 0 {
		res.Status, res.PriceBound, res.Clash = solve.Unknown, beyond, nil
	}
	res.Stats = stats
	return res
}

// overfull tells that at some moment more bytes are alive in a space than all ranges
// hold, so that no cut helps.
func (a *Arena) overfull() bool {
	var all []Interval
	for i := range a.Classes {
		all = append(all, a.Classes[i].Ranges...)
	}
	var room int64
	for _, r := range unite(all) {
		room += r.End - r.Start
	}
	for i := range a.Items {
		var alive int64
		for j := range a.Items {
			if x, y := &a.Items[i], &a.Items[j]; y.Inside == nil && y.Space == x.Space && y.Lower <= x.Lower && x.Lower < y.Upper {
				alive += y.Size
			}
		}
		if alive > room {
			return true
		}
	}
	return false
}

// weights is the weight of all Equal.
func (a *Arena) weights() (sum int64) {
	for _, x := range a.Equal {
		sum += x.Weight
	}
	return sum
}

// join turns the items behind the first n into second parts.
func (r *ArenaResult) join(cuts []Cut, n int) {
	for k, i := range r.Clash {
		if i >= n {
			r.Clash[k] = cuts[i-n].Item
		}
	}
	slices.Sort(r.Clash)
	r.Clash = slices.Compact(r.Clash)
	if r.At == nil {
		return
	}
	for k := range cuts {
		cuts[k].Address = r.At[n+k]
	}
	r.Cuts, r.At = cuts, r.At[:n]
}

func (s *PackStats) add(t *PackStats) {
	s.Nodes += t.Nodes
	s.Searches += t.Searches
	s.Restarts += t.Restarts
	s.Repeats += t.Repeats
}
