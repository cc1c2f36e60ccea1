package heuristic

import (
	"context"
	"slices"
)

// poll is the number of steps between looks at the context.
const poll = 1024

// heap holds the waiting messages, first one on top.
type heap[K interface{ Before(K) bool }] []entry[K]

type entry[K any] struct {
	message int32
	key     K
}

func (q *heap[K]) push(message int32, key K) {
	*q = append(*q, entry[K]{})
	h := *q
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !key.Before(h[up].key) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = entry[K]{message, key}
}

// sink puts a message in place of the top.
func (q heap[K]) sink(message int32, key K) {
	i := 0
	for {
		first := -1
		for k := 4*i + 1; k <= 4*i+4 && k < len(q); k++ {
			if first < 0 || q[k].key.Before(q[first].key) {
				first = k
			}
		}
		if first < 0 || !q[first].key.Before(key) {
			break
		}
		q[i] = q[first]
		i = first
	}
	q[i] = entry[K]{message, key}
}

func (q *heap[K]) pop() {
	h := *q
	end := h[len(h)-1]
	*q = h[:len(h)-1]
	if len(*q) > 0 {
		q.sink(end.message, end.key)
	}
}

// listKey orders the waiting messages of list.
type listKey struct {
	start    int32 // requested offset
	rank     int32 // among messages of equal start and pressure
	pressure int64
}

func (a listKey) Before(b listKey) bool {
	switch {
	case a.start != b.start:
		return a.start < b.start
	case a.pressure != b.pressure:
		return a.pressure > b.pressure
	}
	return a.rank < b.rank
}

// list places all messages by priority: earliest offset, then the load of the
// message's tiles, then fan-out, items, source and index (reference: exchange.md
// §10.2). Keys only get worse while a message waits, so an entry is refreshed
// when it comes to the top. It fails with the context.
func (pl *placement) list(ctx context.Context) error {
	load := make([]int64, pl.p.Tiles)
	for i := range pl.jobs {
		j := &pl.jobs[i]
		j.endpoints(func(t int32) { load[t] += int64(j.n) })
	}
	pressure := func(i int32) (sum int64) {
		pl.jobs[i].endpoints(func(t int32) { sum += load[t] })
		return sum
	}
	rank := pl.staticRank()
	ready, cause := pl.readiness()
	waits := slices.Clone(pl.waits)
	falling := !pl.unicast()
	var q heap[listKey]
	push := func(i int32) {
		start, _ := pl.requested(i, ready[i], cause[i])
		q.push(i, listKey{start, rank[i], pressure(i)})
	}
	for i := range pl.jobs {
		if waits[i] == 0 {
			push(int32(i))
		}
	}
	for steps := 0; len(q) > 0; steps++ {
		if steps%poll == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		i := q[0].message
		fresh := q[0].key
		fresh.start, _ = pl.requested(i, ready[i], cause[i])
		if falling {
			fresh.pressure = pressure(i)
		}
		if fresh != q[0].key {
			q.sink(i, fresh)
			continue
		}
		q.pop()
		if err := pl.place(i, ready[i], cause[i]); err != nil {
			return err
		}
		if falling {
			j := &pl.jobs[i]
			j.endpoints(func(t int32) { load[t] -= int64(j.n) })
		}
		pl.release(i, ready, cause, func(k int32) {
			if waits[k]--; waits[k] == 0 {
				push(k)
			}
		})
	}
	return nil
}

// staticRank orders messages by what does not change: most receivers, most
// items, lowest source, lowest index.
func (in *instance) staticRank() []int32 {
	order := make([]int32, len(in.jobs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &in.jobs[a], &in.jobs[b]
		if c := len(y.targets) - len(x.targets); c != 0 {
			return c
		}
		if c := y.n - x.n; c != 0 {
			return int(c)
		}
		return int(x.source - y.source)
	})
	return inverse(order)
}

// inverse gives the place of each message in an order.
func inverse(order []int32) []int32 {
	rank := make([]int32, len(order))
	for k, i := range order {
		rank[i] = int32(k)
	}
	return rank
}
