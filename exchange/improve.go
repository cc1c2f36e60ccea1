package exchange

import (
	"container/heap"
	"math/rand/v2"
	"slices"
)

// improver lowers the horizon of a complete placement by ejection: a message
// that completes last is put where others are in its way, these are put back
// wherever they fit, and the exchange stands if all of them complete earlier
// than the first one did. So the number of last messages falls with every
// accepted step, and the placement stays legal throughout.
type improver struct {
	*placement
	rng   *rand.Rand
	late  lateHeap // completions; entries of moved messages go stale
	out   []int32  // messages ejected in the current trial
	stamp []int32  // trial that last looked at a message
	trial int32
}

type lateEntry struct{ completion, message int32 }

type lateHeap []lateEntry

func (h lateHeap) Len() int { return len(h) }
func (h lateHeap) Less(i, j int) bool {
	if h[i].completion != h[j].completion {
		return h[i].completion > h[j].completion
	}
	return h[i].message < h[j].message
}
func (h lateHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *lateHeap) Push(x any)   { *h = append(*h, x.(lateEntry)) }
func (h *lateHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

func newImprover(pl *placement) *improver {
	return &improver{placement: pl, stamp: make([]int32, len(pl.items))}
}

// run improves a component until its horizon is goal, a last message finds no
// better place, or trials are used up. It returns the trials made.
func (m *improver) run(c *component, goal int32, trials int, seed uint64, stop func() bool) int {
	m.rng = rand.New(rand.NewPCG(seed, uint64(c.messages[0])))
	m.late = m.late[:0]
	for _, i := range c.messages {
		m.late = append(m.late, lateEntry{m.completion(i, m.start[i]), i})
	}
	heap.Init(&m.late)
	const patience = 200 // trials for one message before giving up on it
	used := 0
	for used < trials && !stop() {
		top := m.late[0]
		if now := m.completion(top.message, m.start[top.message]); now != top.completion {
			m.late[0].completion = now
			heap.Fix(&m.late, 0)
			continue
		}
		if top.completion <= goal || m.pinned(top.message) {
			return used
		}
		moved := false
		for k := 0; k < patience && used < trials && !moved; k++ {
			used++
			moved = m.move(top.message, m.candidate(top.message), top.completion)
		}
		if !moved {
			return used
		}
		m.late[0].completion = m.completion(top.message, m.start[top.message])
		heap.Fix(&m.late, 0)
		for _, i := range m.out {
			// Entries only have to be upper bounds; one that moved later is not.
			heap.Push(&m.late, lateEntry{m.completion(i, m.start[i]), i})
		}
	}
	return used
}

// candidate is a random start before the present one at which the message
// would begin or end together with a window of one of its machines.
func (m *improver) candidate(i int32) int32 {
	s, n := m.source[i], m.items[i]
	l, lead := &m.send[s], int32(0)
	if k := m.first[i] + m.rng.Int32N(m.first[i+1]-m.first[i]); m.rng.IntN(2) == 0 {
		l, lead = &m.receive[m.tile[k]], m.lead[k]
	}
	w := m.rng.IntN(len(l.start))
	x := l.start[w] - lead
	switch m.rng.IntN(4) {
	case 0:
		x = l.end[w] - lead
	case 1:
		x = l.end[w] - n - lead
	}
	return max(m.head[i], min(x, m.start[i]-1))
}

// move tries to start message i at about x; limit is the completion that it and
// all ejected messages have to stay below. The moved messages besides i are
// left in m.out.
func (m *improver) move(i, x, limit int32) bool {
	m.out = m.out[:0]
	was := m.start[i]
	if x >= was {
		return false
	}
	m.trial++
	m.stamp[i] = m.trial
	n := m.items[i]
	ok := m.blockers(&m.send[m.source[i]], x, n)
	for k := m.first[i]; k < m.first[i+1] && ok; k++ {
		ok = m.blockers(&m.receive[m.tile[k]], x+m.lead[k], n)
	}
	if !ok {
		m.out = m.out[:0]
		return false
	}
	m.unplace(i)
	old := make([]int32, len(m.out))
	for k, j := range m.out {
		old[k] = m.start[j]
		m.unplace(j)
	}
	placed := 0
	put := func(j, from int32) bool {
		y := m.earliest(j, from, limit)
		if m.completion(j, y) >= limit {
			return false
		}
		m.place(j, y)
		return true
	}
	if put(i, x) {
		for placed < len(m.out) && put(m.out[placed], m.head[m.out[placed]]) {
			placed++
		}
		if placed == len(m.out) {
			return true
		}
		m.unplace(i)
	}
	for _, j := range m.out[:placed] {
		m.unplace(j)
	}
	m.place(i, was)
	for k, j := range m.out {
		m.place(j, old[k])
	}
	m.out = m.out[:0]
	return false
}

// blockers adds the messages whose windows meet [t, t+n) to m.out; it refuses
// when one must stay or there are too many.
func (m *improver) blockers(l *lane, t, n int32) bool {
	const most = 8
	for k := l.after(t); k < len(l.start) && l.start[k] < t+n; k++ {
		j := l.message[k]
		if m.stamp[j] == m.trial {
			continue
		}
		m.stamp[j] = m.trial
		if m.pinned(j) || len(m.out) == most {
			return false
		}
		m.out = append(m.out, j)
	}
	// Long messages are the hardest to put back.
	slices.SortStableFunc(m.out, func(a, b int32) int { return int(m.items[b] - m.items[a]) })
	return true
}
