package heuristic

import (
	"context"
	"math"
	"slices"
)

// chain lists the messages that make the schedule as long as it is: the one that
// completes last (of several the first in the list), the one that kept an endpoint
// of it busy, and so on (reference: exchange.md §10.4).
func (pl *placement) chain() []int32 {
	var out []int32
	for i := last(pl.done); i >= 0; i = pl.cause[i] {
		out = append(out, i)
	}
	return out
}

func last(done []int32) int32 {
	latest := int32(-1)
	for i := range done {
		if latest < 0 || done[i] > done[latest] {
			latest = int32(i)
		}
	}
	return latest
}

// neighbourhood marks the messages near those of the chain in the sequence of
// some tile: within the square root of its length.
func (pl *placement) neighbourhood(chain []int32) []bool {
	critical, inside := make([]bool, len(pl.jobs)), make([]bool, len(pl.jobs))
	for _, i := range chain {
		critical[i] = true
	}
	lists := make([][]int32, pl.p.Tiles)
	for _, i := range pl.order {
		pl.jobs[i].endpoints(func(t int32) { lists[t] = append(lists[t], i) })
	}
	for _, list := range lists {
		reach := max(1, int(math.Sqrt(float64(len(list)))))
		for k, i := range list {
			if critical[i] {
				for _, near := range list[max(0, k-reach):min(len(list), k+reach+1)] {
					inside[near] = true
				}
			}
		}
	}
	return inside
}

// relistKey orders the waiting messages of relist.
type relistKey struct {
	start, epoch int32
	continues    int32 // receivers whose last address run it continues
	inside       bool
	pressure     int64
	rank         int32
}

func (a relistKey) Before(b relistKey) bool {
	switch {
	case a.start != b.start:
		return a.start < b.start
	case a.epoch != b.epoch:
		return a.epoch < b.epoch
	case a.continues != b.continues:
		return a.continues > b.continues
	case a.inside != b.inside:
		return a.inside
	case a.pressure != b.pressure:
		return a.pressure > b.pressure
	}
	return a.rank < b.rank
}

// relist makes an order by listing the messages again as if each took just its
// items on all its tiles, without routes and controls, with those of the
// neighbourhood ahead of their epoch.
func (pl *placement) relist(ctx context.Context, inside []bool) ([]int32, error) {
	n := len(pl.jobs)
	rank := inverse(pl.order)
	epoch := int32(max(1, int(math.Sqrt(float64(n)))))
	type side struct{ send, receive int32 }
	free := make([]side, pl.p.Tiles)
	run := make([]uint32, pl.p.Tiles)
	load := make([]int64, pl.p.Tiles)
	for i := range pl.jobs {
		j := &pl.jobs[i]
		j.endpoints(func(t int32) { load[t] += int64(j.n) })
	}
	ready, waits := make([]int32, n), slices.Clone(pl.waits)
	key := func(i int32) relistKey {
		j := &pl.jobs[i]
		k := relistKey{start: max(ready[i], free[j.source].send), epoch: rank[i] / epoch, inside: inside[i], rank: rank[i]}
		for d := range j.targets {
			t := &j.targets[d]
			k.start = max(k.start, free[t.tile].receive)
			if run[t.tile] == t.addr {
				k.continues++
			}
		}
		if j.paired {
			k.start = max(k.start, free[j.source^1].send, free[j.source^1].receive)
		}
		j.endpoints(func(t int32) { k.pressure += load[t] })
		return k
	}
	var q heap[relistKey]
	for i := range pl.jobs {
		if waits[i] == 0 {
			q.push(int32(i), key(int32(i)))
		}
	}
	order := make([]int32, 0, n)
	for steps := 0; len(q) > 0; steps++ {
		if steps%poll == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		i := q[0].message
		if fresh := key(i); fresh != q[0].key {
			q.sink(i, fresh)
			continue
		}
		start := q[0].key.start
		q.pop()
		order = append(order, i)
		j := &pl.jobs[i]
		end := start + j.n
		j.endpoints(func(t int32) { load[t] -= int64(j.n) })
		free[j.source].send = end
		if j.paired {
			free[j.source^1] = side{end, end}
		}
		for d := range j.targets {
			t := &j.targets[d]
			free[t.tile].receive, run[t.tile] = end, t.end
		}
		for _, k := range pl.after[i] {
			ready[k] = max(ready[k], end)
			if waits[k]--; waits[k] == 0 {
				q.push(k, key(k))
			}
		}
	}
	return order, nil
}
