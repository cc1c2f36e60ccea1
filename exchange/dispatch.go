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
// grows, so a key computed earlier is a lower bound of the present one.
type dispatcher struct {
	*placement
	clocks
	ranking
	left     [2][]int32 // work not yet placed, per tile: sent, received
	earliest []int32    // last known lower bound on the start, per message
	waiting  []int32    // unplaced predecessors, per message
	queue    [][]int32  // ready messages per sender
	heap     senderHeap
}

// key orders candidates: earlier start on the common clock, then more urgent,
// then lower index.
type key struct {
	at      int32
	urgency int32 // larger first
	message int32
}

func (a key) less(b key) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.urgency != b.urgency {
		return a.urgency > b.urgency
	}
	return a.message < b.message
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
	n, tiles := len(pl.items), pl.p.Tiles
	d := &dispatcher{placement: pl, clocks: c, earliest: make([]int32, n), waiting: make([]int32, n), queue: make([][]int32, tiles)}
	d.left = [2][]int32{make([]int32, tiles), make([]int32, tiles)}
	return d
}

// run places all messages of a component on its cleared tiles. It stops early
// and reports false when stop says so.
func (d *dispatcher) run(c *component, r ranking, stop func() bool) bool {
	d.ranking = r
	for _, t := range c.tiles {
		d.left[0][t], d.left[1][t] = 0, 0
		d.queue[t] = d.queue[t][:0]
	}
	for _, i := range c.messages {
		n := d.items[i]
		s := d.source[i]
		d.left[0][s] += n
		for k := d.first[i]; k < d.first[i+1]; k++ {
			d.left[1][d.tile[k]] += n
		}
		d.waiting[i] = d.before[i+1] - d.before[i]
		if d.waiting[i] == 0 {
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
	for placed := 0; len(d.heap) > 0; {
		s := d.heap[0].tile
		k := d.settled(s, d.heap[0].message)
		if d.heap[0].key.less(k) {
			// It is worse than it was when queued: maybe another sender leads now.
			d.heap[0].key = k
			heap.Fix(&d.heap, 0)
			if d.heap[0].tile != s {
				continue
			}
		}
		d.commit(k.message)
		if len(d.queue[s]) == 0 {
			heap.Remove(&d.heap, d.find(s))
		} else {
			at := d.find(s)
			d.heap[at].key = d.best(s)
			heap.Fix(&d.heap, at)
		}
		if placed++; placed&1023 == 0 && stop() {
			return false
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
	s := d.source[i]
	d.earliest[i] = d.released(i)
	d.queue[s] = append(d.queue[s], i)
}

// commit places message i at its known earliest start.
func (d *dispatcher) commit(i int32) {
	s, n := d.source[i], d.items[i]
	d.place(i, d.earliest[i])
	q := d.queue[s]
	for k := range q {
		if q[k] == i {
			q[k] = q[len(q)-1]
			break
		}
	}
	d.queue[s] = q[:len(q)-1]
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

// best is the least key among the sender's ready messages, by what is known.
func (d *dispatcher) best(s int32) key {
	shift := d.clocks.send[s]
	q := d.queue[s]
	least := d.key(q[0], shift)
	for _, i := range q[1:] {
		if d.earliest[i]+shift > least.at {
			continue // too late to compete, whatever its urgency
		}
		if k := d.key(i, shift); k.less(least) {
			least = k
		}
	}
	return least
}

// settled is the least key with the start of its message brought up to date;
// only messages that looked better than the best so far are.
func (d *dispatcher) settled(s int32, guess int32) key {
	shift := d.clocks.send[s]
	d.earliest[guess] = d.placement.earliest(guess, d.earliest[guess])
	least := d.key(guess, shift)
	for _, i := range d.queue[s] {
		if i == guess || d.earliest[i]+shift > least.at || !d.key(i, shift).less(least) {
			continue
		}
		if x := d.placement.earliest(i, d.earliest[i]); x > d.earliest[i] {
			d.earliest[i] = x
			if x+shift > least.at {
				continue
			}
		}
		if k := d.key(i, shift); k.less(least) {
			least = k
		}
	}
	return least
}

// key is the present key of message i, whose sender's clock is shift ahead.
func (d *dispatcher) key(i, shift int32) key {
	return key{d.earliest[i] + shift, d.urgency(i), i}
}

func (d *dispatcher) urgency(i int32) int32 {
	sent := d.left[0][d.source[i]]
	most, sum := sent, sent
	for k := d.first[i]; k < d.first[i+1]; k++ {
		w := d.left[1][d.tile[k]]
		most, sum = max(most, w), sum+w
	}
	if d.ranking == byCritical {
		return most
	}
	return sum
}
