package encode

import (
	"cmp"
	"context"
	"slices"
)

// packGreedy places the variables one by one in several orders, each at the
// lowest address that suits those before, and returns the lowest of these
// placements that end at or below capacity; nil if there is none. It stops at a
// height of enough, or with the first placement when ctx ends.
func packGreedy(ctx context.Context, c *packCore, capacity, enough int64) []int64 {
	n := len(c.vars)
	size, span, area, first, late := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for v := range c.vars {
		first[v] = -int64(len(c.rects))
		for _, r := range c.vars[v].rects {
			length := int64(c.sec.last[r]-c.sec.first[r]) + 1
			size[v] = max(size[v], c.rects[r].size)
			span[v] += length
			area[v] += length * c.rects[r].size
			first[v] = max(first[v], -int64(c.sec.first[r]))
		}
		late[v] = c.vars[v].place(0) // those that may not lie low, first
	}
	flat := make([]int64, n)
	order := make([]int32, n)
	var best []int64
	for _, head := range [][]int64{flat, late} {
		for _, key := range [][]int64{size, span, area, first} {
			for i := range order {
				order[i] = int32(i)
			}
			slices.SortStableFunc(order, func(a, b int32) int {
				return cmp.Or(cmp.Compare(head[b], head[a]), cmp.Compare(key[b], key[a]), cmp.Compare(size[b], size[a]))
			})
			for _, tight := range []bool{false, true} {
				at := c.inOrder(order, tight, capacity)
				if at != nil && (best == nil || c.height(at) < c.height(best)) {
					best = at
				}
				if best != nil && (c.height(best) <= enough || ctx.Err() != nil) {
					return best
				}
			}
		}
	}
	return best
}

// inOrder places each variable at the lowest address, or where it leaves least
// below the next placed one; nil when one finds no address.
func (c *packCore) inOrder(order []int32, tight bool, capacity int64) []int64 {
	at, open := make([]int64, len(order)), make([]bool, len(order))
	for i := range open {
		open[i] = true
	}
	for _, i := range order {
		x := c.fit(i, 0, at, open)
		chosen, least := x, int64(packFar)
		for tight && x+c.vars[i].extent <= capacity {
			roof := int64(packFar) // lowest placed neighbour above x
			for k := range c.near[i] {
				if e := &c.near[i][k]; !open[e.other] && e.bytes && at[e.other] >= x+e.up {
					roof = min(roof, at[e.other]-e.up+c.vars[i].extent)
				}
			}
			if roof == packFar {
				break
			}
			if waste := roof - x - c.vars[i].extent; waste < least {
				chosen, least = x, waste
			}
			x = c.fit(i, roof, at, open)
		}
		if chosen+c.vars[i].extent > capacity {
			return nil
		}
		at[i], open[i] = chosen, false
	}
	return at
}
