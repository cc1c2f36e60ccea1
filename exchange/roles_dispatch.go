package exchange

import (
	"container/heap"
	"math"
	"math/rand/v2"
)

// byRoles is the method of what roles lists.
const byRoles = "roles"

// roles lists a component whose tiles mostly cannot send and receive at once in
// planned roles, for horizons between the best listing's and the bound as long as
// that gains.
func (l *lister) roles(c *solved) {
	longest := max(l.stats.Bound.Horizon/bursts, 1)
	bound := l.stats.Bound.Horizon
	rng := rand.New(rand.NewPCG(l.opt.Seed, uint64(c.messages[0])))
	clocks := l.dispatcher.clocks
	for _, part := range [...]int32{60, 20, 20} { // hundredths of the way down to the bound
		if c.horizon <= l.goal || l.stop() {
			return
		}
		l.empty(c)
		l.stats.Tries++
		r := newRolePlan(l.placement, &c.component, c.horizon-(c.horizon-bound)*part/100, longest, rng)
		r.improve(&c.component, 4, 30, rng, l.cancelled)
		late, ok := r.dispatch(c.tiles, clocks, l.stop)
		if !ok {
			return
		}
		// What found no place in its roles takes the first there is.
		for _, b := range late {
			x := int32(0)
			for _, i := range r.blocks[b].messages {
				x = l.earliest(i, max(x, l.head[i]), never)
				l.place(i, x)
				x += l.items[i]
			}
		}
		before := c.horizon
		if l.keep(c, byRoles); c.horizon == before {
			return
		}
	}
}

// halfDuplex tells whether most of a component's load passes tiles that share
// elements between sends and receives, and roles can be planned: there are no
// multicasts, no paired messages and no memory order.
func (l *lister) halfDuplex(c *component) bool {
	if l.wide != nil || l.receives(c) > len(c.messages) {
		return false
	}
	shared, all := int64(0), int64(0)
	for _, i := range c.messages {
		if l.pinned(i) {
			return false
		}
		for _, t := range [...]int32{l.source[i], l.tile[l.first[i]]} {
			all += int64(l.items[i])
			if l.shared[t] {
				shared += int64(l.items[i])
			}
		}
	}
	return 2*shared > all
}

// dispatch places blocks in time, those on the sender that is free first, and
// gives those that found no place. ok is false if stop ended it.
func (r *rolePlan) dispatch(tiles []int32, c clocks, stop func() bool) (late []int32, ok bool) {
	left := make([][]int32, r.p.Tiles) // blocks, per sender
	free := make([]int32, r.p.Tiles)   // sends of a tile start here or later
	var queue senderHeap
	for _, s := range tiles {
		for _, l := range r.links[s] {
			if l.out {
				left[s] = append(left[s], l.block)
			}
		}
		if len(left[s]) > 0 {
			queue = append(queue, senderEntry{key{c.send[s], 0, s}, s})
		}
	}
	need := make([]int32, r.p.Tiles) // events still to be received
	for t := range need {
		need[t] = r.load[t][1]
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		if stop() {
			return nil, false
		}
		s := queue[0].tile
		best, at, least := -1, int32(0), math.Inf(1)
		for k := 0; k < len(left[s]); k++ {
			b := &r.blocks[left[s][k]]
			x, room := r.next(b, free[s])
			if x < 0 {
				late = append(late, left[s][k])
				left[s] = removeAt(left[s], k)
				k--
				continue
			}
			// Waiting costs, unless the receiver has little time for much, or the
			// block few other starts.
			const fill, scarce = 5, 30
			cost := float64(x-free[s]) - fill*float64(need[b.tile])/float64(r.listening(b.tile, x+b.write)+1) -
				scarce*float64(b.items)/float64(room+b.items)
			if cost < least {
				best, at, least = k, x, cost
			}
		}
		if best < 0 {
			heap.Pop(&queue)
			continue
		}
		if t := at + c.send[s]; t > queue[0].at {
			queue[0].at = t
			if heap.Fix(&queue, 0); queue[0].tile != s {
				continue
			}
		}
		b := &r.blocks[left[s][best]]
		if !r.placeBlock(b, at) {
			free[s] = at + 1
			continue
		}
		need[b.tile] -= b.items
		free[s] = at + b.items
		left[s] = removeAt(left[s], best)
		queue[0].at = free[s] + c.send[s]
		heap.Fix(&queue, 0)
	}
	return late, true
}

// next is the first start ≥ x that roles and windows admit, -1 if there is none, and
// the number of starts that the roles leave behind it.
func (r *rolePlan) next(b *block, x int32) (at, room int32) {
	at, x = -1, max(x, r.head[b.messages[0]])
	r.looked++
	r.starts(b, func(low, high int32) bool {
		switch {
		case at >= 0:
			room += high - low + 1
		case high >= x:
			y := max(low, x)
			for y <= high {
				z := r.hearing(b.tile, b.lead, r.placement.send[b.source].fit(y, b.items), b.items)
				if z == y {
					at, room = y, high-y
					break
				}
				y = z
			}
		}
		return true
	})
	return at, room
}

// listening is the time for writes that tile t has from an event on.
func (r *rolePlan) listening(t, from int32) int32 {
	sum := int32(0)
	for _, s := range r.writes[t] {
		sum += max(0, s.high-max(s.low, from))
	}
	return sum
}

// placeBlock places all messages of a block from x on, or none.
func (r *rolePlan) placeBlock(b *block, x int32) bool {
	for k, i := range b.messages {
		if r.earliest(i, x, x) != x {
			for _, j := range b.messages[:k] {
				r.unplace(j)
			}
			return false
		}
		r.place(i, x)
		x += r.items[i]
	}
	return true
}

// removeAt takes out element k; the last takes its place.
func removeAt(s []int32, k int) []int32 {
	s[k] = s[len(s)-1]
	return s[:len(s)-1]
}
