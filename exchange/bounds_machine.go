package exchange

import (
	"cmp"
	"slices"
)

// job is a message on one machine: it cannot occupy the machine before head,
// occupies it for work events, and tail events follow in some row.
type job struct{ head, work, tail int32 }

// use is a message on a machine: it occupies [x+from, x+from+work) of the
// machine's events when it starts at x.
type use struct {
	job
	message, from int32
	lent          bool // sent by the partner of the machine's tile
}

// use makes a use of message i.
func (b *bounder) use(i, from, work int32) use {
	return use{job{b.head[i] + from, work, b.end[i] - from - work}, i, from, false}
}

// appendSends adds the send windows of the tile: disjoint by R2.
func (b *bounder) appendSends(list []use, r *tileRoles) []use {
	for _, i := range r.sends {
		list = append(list, b.use(i, 0, b.p.Messages[i].Items()))
	}
	return list
}

// appendReceives adds the windows of the tile's source selector: disjoint by R3.
// See Message.hears for those of paired messages.
func (b *bounder) appendReceives(list []use, r *tileRoles) []use {
	for _, i := range r.receives {
		from, n := b.hearing(i, r.tile)
		list = append(list, b.use(i, from, n))
	}
	return list
}

// hearing is the window [x+from, x+from+n) of message i on the selector of d, of an
// open width the part that both widths have. Where the tile lends its lane, a late
// member's begins with the format: before that it is busy for other receives only.
func (b *bounder) hearing(i, d int32) (from, n int32) {
	m := &b.p.Messages[i]
	from, n, _ = m.hears(d)
	if m.Open {
		n = min(n, m.Words)
	}
	if rt := routes(); m.Paired && b.lends(d) && rt.late(m.Source, d) {
		format := rt.lag(m.Source, d, true) + rt.writeDelay(d)
		from, n = format, from+n-format
	}
	return from, n
}

// late tells whether d is the late member of its pair: the one with the larger T.
func (t *routeTables) late(s, d int32) bool { return t.lag(s, d, false) > t.lag(s, d^1, false) }

// appendWrites adds the write windows of the tile: disjoint by R3. Of 32-bit
// messages they are the selector's, shifted.
func (b *bounder) appendWrites(list []use, r *tileRoles) []use {
	rt := routes()
	delay := rt.writeDelay(r.tile)
	for _, i := range r.receives {
		m := &b.p.Messages[i]
		list = append(list, b.use(i, rt.lag(m.Source, r.tile, m.Paired)+1+delay+m.format(), m.Items()))
	}
	return list
}

// lends tells whether the tile's partner sends paired messages.
func (b *bounder) lends(tile int32) bool { return b.lent != nil && len(b.lent[tile]) > 0 }

// appendLent adds what the partner of the tile sends in pairs: meanwhile the
// tile neither sends nor receives (R10).
func (b *bounder) appendLent(list []use, tile int32) []use {
	if b.lent == nil {
		return list
	}
	for _, i := range b.lent[tile] {
		u := b.use(i, 0, b.p.Messages[i].Items())
		u.lent = true
		list = append(list, u)
	}
	return list
}

// critical is the best subset of a machine's uses.
type critical struct {
	horizon    int32
	head, tail int32 // the subset has all uses with these or larger ones
}

func (c *critical) has(u *use) bool { return u.head >= c.head && u.tail >= c.tail }

// best gives the best bound min head + Σ work + min tail over all subsets of the
// uses, found as the makespan of the preemptive Jackson schedule (bound B;
// reference: exchange.md §13): windows on the machine are disjoint, none begins
// before its head, and behind the last one its tail still has to pass in some row.
// Nothing is found if no subset can reach least.
func (j *jackson) best(list []use, least int32) (critical, bool) {
	head, tail, work := int32(0), int32(0), int32(0)
	for k := range list {
		u := &list[k]
		head, tail, work = max(head, u.head), max(tail, u.tail), work+u.work
	}
	if len(list) == 0 || head+work+tail < least {
		return critical{}, false
	}
	h, tail := j.run(list)
	if h < least {
		return critical{}, false
	}
	return critical{h, j.criticalHead(list, tail), tail}, true
}

// jackson holds the buffers of the schedule.
type jackson struct {
	order []use
	ready []job // max-heap by tail
}

// run runs the uses preemptively, always the released one with the largest tail.
// The latest completion plus tail equals the best subset bound; the tail of the
// use that attains it is the smallest tail of such a subset.
func (j *jackson) run(list []use) (bound, tail int32) {
	j.order = append(j.order[:0], list...)
	order := j.order
	slices.SortStableFunc(order, func(a, b use) int { return cmp.Compare(a.head, b.head) })
	j.ready = j.ready[:0]
	now := int32(0)
	for next := 0; next < len(order) || len(j.ready) > 0; {
		if len(j.ready) == 0 {
			now = max(now, order[next].head)
		}
		for next < len(order) && order[next].head <= now {
			j.push(order[next].job)
			next++
		}
		top := &j.ready[0]
		run := top.work
		if next < len(order) {
			run = min(run, order[next].head-now)
		}
		now += run
		top.work -= run
		if top.work == 0 {
			if now+top.tail > bound {
				bound, tail = now+top.tail, top.tail
			}
			j.pop()
		}
	}
	return bound, tail
}

func (j *jackson) push(x job) {
	h := append(j.ready, x)
	k := len(h) - 1
	for k > 0 && h[(k-1)/2].tail < x.tail {
		h[k] = h[(k-1)/2]
		k = (k - 1) / 2
	}
	h[k] = x
	j.ready = h
}

func (j *jackson) pop() {
	h := j.ready
	last := len(h) - 1
	x := h[last]
	h = h[:last]
	for k := 0; last > 0; {
		child := 2*k + 1
		if child+1 < last && h[child+1].tail > h[child].tail {
			child++
		}
		if child >= last || h[child].tail <= x.tail {
			h[k] = x
			break
		}
		h[k] = h[child]
		k = child
	}
	j.ready = h
}

// criticalHead is the head that makes {head ≥ it, tail ≥ tail} the best subset
// for this tail. It needs the order of run.
func (j *jackson) criticalHead(list []use, tail int32) int32 {
	best, head, work := int32(-1), int32(0), int32(0)
	for k := len(list) - 1; k >= 0; k-- {
		u := &j.order[k]
		if u.tail < tail {
			continue
		}
		work += u.work
		if u.head+work > best {
			best, head = u.head+work, u.head
		}
	}
	return head
}
