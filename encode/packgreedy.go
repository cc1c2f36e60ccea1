package encode

import (
	"cmp"
	"context"
	"slices"
)

// packGreedy places the items one by one in several orders, each into the
// lowest or the tightest gap, and returns the lowest of these placements. It
// stops at a height of enough, or after one when ctx ends.
func packGreedy(ctx context.Context, p *Packing, sec *packSections, enough int64) Placement {
	span := func(i int32) int64 { return int64(sec.last[i]-sec.first[i]) + 1 }
	size := func(i int32) int64 { return p.Items[i].Size }
	keys := []func(i int32) int64{
		size,
		span,
		func(i int32) int64 { return size(i) * span(i) },
		func(i int32) int64 { return -int64(sec.first[i]) },
	}
	var best Placement
	order := make([]int32, len(p.Items))
	for _, key := range keys {
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			if c := cmp.Compare(key(b), key(a)); c != 0 {
				return c
			}
			return cmp.Compare(size(b), size(a))
		})
		for _, tight := range []bool{false, true} {
			at := packInOrder(p, sec, order, tight)
			if best == nil || p.Height(at) < p.Height(best) {
				best = at
			}
			if p.Height(best) <= enough || ctx.Err() != nil {
				return best
			}
		}
	}
	return best
}

// packInOrder places each item into the lowest gap between the placed items
// alive with it, or the one that leaves least.
func packInOrder(p *Packing, sec *packSections, order []int32, tight bool) Placement {
	at := make(Placement, len(p.Items))
	done := make([]int32, 0, len(order)) // placed items in order of address
	for _, i := range order {
		it := &p.Items[i]
		low, chosen, least := int64(0), int64(-1), int64(0)
		for _, j := range done {
			if !sec.overlap(i, j) {
				continue
			}
			if x := it.place(low); x+it.Size <= at[j] {
				if waste := at[j] - low - it.Size; chosen < 0 || waste < least {
					chosen, least = x, waste
				}
				if !tight {
					break
				}
			}
			low = max(low, at[j]+p.Items[j].Size)
		}
		if chosen < 0 {
			chosen = it.place(low)
		}
		at[i] = chosen
		k, _ := slices.BinarySearchFunc(done, chosen, func(j int32, x int64) int { return cmp.Compare(at[j], x) })
		done = slices.Insert(done, k, i)
	}
	return at
}
