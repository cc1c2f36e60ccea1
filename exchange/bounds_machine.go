package exchange

import (
	"cmp"
	"container/heap"
	"slices"
)

// job is a message on one machine: it cannot occupy the machine before head,
// occupies it for work events, and tail events follow in some row.
type job struct{ head, work, tail int32 }

// MachineBound is bound B: the best bound min head + Σ work + min tail over all
// subsets of the messages on one machine, found as the makespan of the
// preemptive Jackson schedule (reference: exchange.md §13).
func MachineBound(p *Problem) Bound {
	best := Bound{}
	for _, r := range p.roles() {
		for _, side := range []Side{SendSide, ReceiveSide} {
			list := r.side(side)
			if len(list) == 0 {
				continue
			}
			jobs := r.jobs(p, side)
			h, tail := jackson(jobs)
			if h <= best.Horizon {
				continue
			}
			head := criticalHead(jobs, tail)
			var subset []int32
			for k, j := range jobs {
				if j.head >= head && j.tail >= tail {
					subset = append(subset, list[k])
				}
			}
			best = Bound{h, Witness{Kind: BoundMachine, Tile: r.tile, Side: side, Messages: subset}}
		}
	}
	return best
}

// jobs gives the heads, works and tails of a side, in the order of its list
// (reference: exchange.md §13 B).
func (r *tileRoles) jobs(p *Problem, side Side) []job {
	rt := routes()
	list := r.side(side)
	out := make([]job, len(list))
	for k, i := range list {
		m := &p.Messages[i]
		n, g := m.Items(), m.format()
		head := int32(0)
		// last is when the final receiver's row ends, relative to x+n.
		last := int32(0)
		for _, d := range m.Dests {
			lag := rt.lag(m.Source, d.Tile, m.Paired)
			head = max(head, -lag)
			last = max(last, lag+1+rt.writeDelay(d.Tile)+guard+g)
		}
		out[k] = job{head, n, last}
		if side == ReceiveSide {
			lag := rt.lag(m.Source, r.tile, m.Paired)
			out[k].head += lag + 1
			out[k].tail -= lag + 1
		}
	}
	return out
}

// machineValue is the bound of exactly this set of jobs.
func machineValue(jobs []job) int32 {
	head, tail, work := jobs[0].head, jobs[0].tail, int32(0)
	for _, j := range jobs {
		head, tail, work = min(head, j.head), min(tail, j.tail), work+j.work
	}
	return head + work + tail
}

// jackson runs the jobs preemptively, always the released one with the largest
// tail. The latest completion plus tail equals the best subset bound; the tail
// of the job that attains it is the smallest tail of such a subset.
func jackson(jobs []job) (bound, tail int32) {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(jobs[a].head, jobs[b].head), cmp.Compare(a, b))
	})
	var ready tailHeap
	now := int32(0)
	for next := 0; next < len(order) || len(ready) > 0; {
		if len(ready) == 0 {
			now = max(now, jobs[order[next]].head)
		}
		for next < len(order) && jobs[order[next]].head <= now {
			heap.Push(&ready, jobs[order[next]])
			next++
		}
		top := &ready[0]
		run := top.work
		if next < len(order) {
			run = min(run, jobs[order[next]].head-now)
		}
		now += run
		top.work -= run
		if top.work == 0 {
			if now+top.tail > bound {
				bound, tail = now+top.tail, top.tail
			}
			heap.Pop(&ready)
		}
	}
	return bound, tail
}

// criticalHead is the head that makes {head ≥ it, tail ≥ tail} the best subset
// for this tail.
func criticalHead(jobs []job, tail int32) int32 {
	chosen := slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return j.tail < tail })
	slices.SortFunc(chosen, func(a, b job) int { return cmp.Compare(b.head, a.head) })
	best, head, work := int32(-1), int32(0), int32(0)
	for _, j := range chosen {
		work += j.work
		if j.head+work > best {
			best, head = j.head+work, j.head
		}
	}
	return head
}

// tailHeap is a max-heap of jobs by tail.
type tailHeap []job

func (h tailHeap) Len() int           { return len(h) }
func (h tailHeap) Less(i, j int) bool { return h[i].tail > h[j].tail }
func (h tailHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *tailHeap) Push(x any)        { *h = append(*h, x.(job)) }
func (h *tailHeap) Pop() any {
	old := *h
	j := old[len(old)-1]
	*h = old[:len(old)-1]
	return j
}
