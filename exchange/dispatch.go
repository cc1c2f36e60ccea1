package exchange

import "container/heap"

// ranking says which of several messages that could start at the same time goes
// first.
type ranking uint8

const (
	byPressure ranking = iota // most work left on all its machines together
	byCritical                // most work left on its busiest machine
)

// dispatcher lists the messages of a component by lazily refreshed keys: a
// message's earliest start never falls and the work left on its machines never
// grows, so a key computed earlier is a lower bound of the present one. Only one
// message of a train is a candidate at a time.
type dispatcher struct {
	*placement
	clocks
	ranking
	left    [2][]int32 // work not yet placed, per tile: sent, received
	waiting []int32    // unplaced predecessors, per message
	next    [][]int32  // messages of a train that are not placed
	queue   [][]int32  // trains with ready messages, per sender
	longest int32      // items of a burst at most, if more than one message
	heap    senderHeap
}

// key orders candidates: earlier start on the common clock, then more urgent,
// then lower index.
type key struct {
	at      int32
	urgency int32 // larger first
	train   int32
}

func (a key) less(b key) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.urgency != b.urgency {
		return a.urgency > b.urgency
	}
	return a.train < b.train
}

type senderEntry struct {
	key
	tile int32
}

type senderHeap []senderEntry

func (h senderHeap) Len() int           { return len(h) }
func (h senderHeap) Less(i, j int) bool { return h[i].key.less(h[j].key) }
func (h senderHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *senderHeap) Push(x any)        { *h = append(*h, x.(senderEntry)) }
func (h *senderHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

func newDispatcher(pl *placement, c clocks) *dispatcher {
	tiles := pl.p.Tiles
	d := &dispatcher{placement: pl, clocks: c, waiting: make([]int32, len(pl.items)), next: make([][]int32, len(pl.floor)), queue: make([][]int32, tiles)}
	d.left = [2][]int32{make([]int32, tiles), make([]int32, tiles)}
	return d
}

// run places all messages of a component on its cleared tiles. Bursts are up to
// longest items. It stops early and reports false when stop says so.
func (d *dispatcher) run(c *component, r ranking, longest int32, stop func() bool) bool {
	d.ranking, d.longest = r, longest
	for _, t := range c.tiles {
		d.left[0][t], d.left[1][t] = 0, 0
		d.queue[t] = d.queue[t][:0]
	}
	for _, i := range c.messages {
		t := d.train[i]
		d.next[t] = d.next[t][:0]
	}
	for _, i := range c.messages {
		n := d.items[i]
		d.left[0][d.source[i]] += n
		for k := d.first[i]; k < d.first[i+1]; k++ {
			d.left[1][d.tile[k]] += n
		}
		t := d.train[i]
		d.next[t] = append(d.next[t], i)
		d.waiting[i] = d.before[i+1] - d.before[i]
		if d.waiting[i] == 0 && len(d.next[t]) == 1 {
			d.release(i)
		}
	}
	d.heap = d.heap[:0]
	for _, t := range c.tiles {
		if len(d.queue[t]) > 0 {
			d.heap = append(d.heap, senderEntry{d.best(t), t})
		}
	}
	heap.Init(&d.heap)
	for len(d.heap) > 0 {
		if stop() {
			return false
		}
		s := d.heap[0].tile
		k := d.settled(s, d.heap[0].train)
		if d.heap[0].key.less(k) {
			// It is worse than it was when queued: maybe another sender leads now.
			d.heap[0].key = k
			heap.Fix(&d.heap, 0)
			if d.heap[0].tile != s {
				continue
			}
		}
		d.burst(k.train)
		if len(d.queue[s]) == 0 {
			heap.Remove(&d.heap, d.find(s))
		} else {
			at := d.find(s)
			d.heap[at].key = d.best(s)
			heap.Fix(&d.heap, at)
		}
	}
	return true
}

// find is the heap position of a sender; it is the top unless a commit released
// messages of other senders.
func (d *dispatcher) find(s int32) int {
	for i := range d.heap {
		if d.heap[i].tile == s {
			return i
		}
	}
	panic("exchange: sender is not queued")
}

func (d *dispatcher) release(i int32) {
	s, t := d.source[i], d.train[i]
	d.floor[t] = d.released(i)
	d.queue[s] = append(d.queue[s], t)
}

// burst places messages of a train one right behind the other, as long as they
// need not wait: one, and more up to the burst length.
func (d *dispatcher) burst(t int32) {
	end := d.floor[t] + d.longest
	d.commit(t)
	for len(d.next[t]) > 0 {
		i := d.next[t][0]
		x := d.floor[t]
		if x+d.items[i] > end {
			return
		}
		if d.floor[t] = d.earliest(i, x, x); d.floor[t] > x {
			return
		}
		d.commit(t)
	}
}

// commit places the next message of a train at its known earliest start.
func (d *dispatcher) commit(t int32) {
	i := d.next[t][0]
	s, n := d.source[i], d.items[i]
	d.place(i, d.floor[t])
	if d.next[t] = d.next[t][1:]; len(d.next[t]) > 0 {
		d.floor[t] += n
	} else {
		q := d.queue[s]
		for k := range q {
			if q[k] == t {
				q[k] = q[len(q)-1]
				break
			}
		}
		d.queue[s] = q[:len(q)-1]
	}
	d.left[0][s] -= n
	for k := d.first[i]; k < d.first[i+1]; k++ {
		d.left[1][d.tile[k]] -= n
	}
	for _, j := range d.after[i] {
		if d.waiting[j]--; d.waiting[j] > 0 {
			continue
		}
		d.release(j)
		t := d.source[j]
		if t == s {
			continue // the caller refreshes this sender
		}
		if len(d.queue[t]) == 1 {
			heap.Push(&d.heap, senderEntry{d.best(t), t})
		} else {
			at := d.find(t)
			d.heap[at].key = d.best(t)
			heap.Fix(&d.heap, at)
		}
	}
}

// best is the least key among the sender's trains, by what is known.
func (d *dispatcher) best(s int32) key {
	shift := d.clocks.send[s]
	q := d.queue[s]
	least := key{d.floor[q[0]] + shift, unknown, q[0]}
	for _, t := range q[1:] {
		d.better(&least, t, d.floor[t]+shift)
	}
	d.complete(&least)
	return least
}

// settled is the least key with the start of its train brought up to date; only
// trains that looked better than the best so far are. Where other senders turn
// out to come first, it is anything behind them that the least key is not below.
func (d *dispatcher) settled(s int32, guess int32) key {
	shift := d.clocks.send[s]
	others := int32(never)
	for _, e := range d.heap[1:min(3, len(d.heap))] {
		others = min(others, e.at)
	}
	d.floor[guess] = d.earliest(d.next[guess][0], d.floor[guess], others-shift)
	least := key{d.floor[guess] + shift, unknown, guess}
	for _, t := range d.queue[s] {
		k := least
		if t == guess || !d.better(&k, t, d.floor[t]+shift) {
			continue
		}
		d.floor[t] = d.earliest(d.next[t][0], d.floor[t], min(least.at, others)-shift)
		if k.at == d.floor[t]+shift {
			least = k
		} else {
			d.better(&least, t, d.floor[t]+shift)
		}
	}
	d.complete(&least)
	return least
}

// better replaces a key by that of train t at a time, if that is less. It works
// out urgencies only where times are equal.
func (d *dispatcher) better(least *key, t, at int32) bool {
	k := key{at, unknown, t}
	if at == least.at {
		d.complete(least)
		d.complete(&k)
	}
	if at > least.at || !k.less(*least) {
		return false
	}
	*least = k
	return true
}

// unknown is an urgency that was not worked out yet.
const unknown = -1

func (d *dispatcher) complete(k *key) {
	if k.urgency == unknown {
		k.urgency = d.urgency(d.next[k.train][0])
	}
}

func (d *dispatcher) urgency(i int32) int32 {
	sent := d.left[0][d.source[i]]
	most, sum := sent, sent
	for _, t := range d.tile[d.first[i]:d.first[i+1]] {
		w := d.left[1][t]
		most, sum = max(most, w), sum+w
	}
	if d.ranking == byCritical {
		return most
	}
	return sum
}
