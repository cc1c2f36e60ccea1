package exchange

import (
	"math"
	"math/rand/v2"
	"slices"

	"ipusolve/device"
)

// pool looks for a placement under a fixed horizon by ejection: messages that
// have no place wait; one after the other is put where what is in its way weighs
// least, and that waits instead. A message that found no free place gains weight.
// So those hard to place come to stay and the others make room for them.
type pool struct {
	*placement
	rng     *rand.Rand
	horizon int32
	tails   []int32 // per message
	weight  []int32 // per message, at least 1
	placed  []bool  // per message
	waiting []int32
	trials  int

	// Of the message that is being inserted:
	views []view
	offer []offer // cheapest starts, best first
	spans []span
	sums  []int64
	found []int32 // what is in the way of the start looked at last
}

// view is a lane as a message sees it: a window [a, b) is in the way of the
// starts x with a − front < x < b − back.
type view struct {
	*lane
	front, back int32
	// elements, if any, restrict the windows to messages that touch one of them
	// (R7): that write them on the tile, or that read them.
	elements device.ElementSet
	written  bool
	tile     int32
	// Its spans are pool.spans[first:last].
	first, last int32
}

// offer is a start and the weight of the messages whose windows are in its way.
type offer struct {
	weight int64
	lot    uint32 // decides ties
	start  int32
}

// offers is the number of starts that are looked at closely.
const offers = 6

func newPool(pl *placement) *pool {
	n := len(pl.items)
	m := &pool{placement: pl, tails: make([]int32, n), weight: make([]int32, n), placed: make([]bool, n)}
	for i := range m.tails {
		m.tails[i] = pl.tail(int32(i))
	}
	return m
}

// begin takes over the complete placement of a component.
func (m *pool) begin(c *component, horizon int32, seed uint64) {
	m.rng = rand.New(rand.NewPCG(seed, uint64(c.messages[0])))
	m.horizon, m.waiting = horizon, m.waiting[:0]
	for _, i := range c.messages {
		m.placed[i], m.weight[i] = true, 1
	}
}

// aim changes the horizon; messages that would complete later have to wait.
func (m *pool) aim(c *component, horizon int32) {
	lower := horizon < m.horizon
	m.horizon = horizon
	if !lower {
		return
	}
	for _, i := range c.messages {
		if m.placed[i] && m.start[i] > m.latest(i) {
			m.eject(i)
		}
	}
}

// run inserts waiting messages until none is left. It gives up when their number
// has not fallen to a new low for so many insertions, or when stop says so.
func (m *pool) run(patience int, stop func() bool) bool {
	least := len(m.waiting)
	for since := 0; len(m.waiting) > 0; since++ {
		if since > patience || stop() {
			return false
		}
		last := len(m.waiting) - 1
		k := m.rng.IntN(last + 1)
		i := m.waiting[k]
		m.waiting[k] = m.waiting[last]
		m.waiting = m.waiting[:last]
		m.insert(i)
		if len(m.waiting) < least {
			least, since = len(m.waiting), 0
		}
	}
	return true
}

func (m *pool) latest(i int32) int32 { return m.horizon - m.items[i] - m.tails[i] }

func (m *pool) settleAt(i, x int32) {
	m.place(i, x)
	m.placed[i] = true
}

func (m *pool) eject(i int32) {
	m.unplace(i)
	m.placed[i] = false
	m.waiting = append(m.waiting, i)
}

// insert places a message; what is in its way has to wait.
func (m *pool) insert(i int32) {
	m.trials++
	m.look(i)
	m.rank(i)
	low, high := m.head[i], m.latest(i)
	least, at := int64(math.MaxInt64), int32(-1)
	for k := range m.offer {
		o := &m.offer[k]
		if o.weight >= least {
			break
		}
		// Where a control is in the way, one event more or less may do.
		for _, x := range [...]int32{o.start, o.start + 1, o.start - 1} {
			if x < low || x > high {
				continue
			}
			w := m.conflicts(i, x)
			if w == 0 {
				m.settleAt(i, x)
				return
			}
			if w < least {
				least, at = w, x
			}
			if w == o.weight {
				break
			}
		}
	}
	m.weight[i]++
	if at < 0 {
		m.waiting = append(m.waiting, i)
		return
	}
	m.conflicts(i, at)
	for _, j := range m.found {
		m.eject(j)
	}
	m.settleAt(i, at)
}

// conflicts lists in found all placed messages that some rule excludes beside
// message i at x, and gives their weight. The views have to be those of i.
func (m *pool) conflicts(i, x int32) int64 {
	m.found = m.found[:0]
	m.looked += int64(len(m.views))
	for q := range m.views {
		v := &m.views[q]
		for k := v.after(x + v.back); k < len(v.start) && v.start[k]-v.front < x; k++ {
			if m.weigh(v, k) > 0 {
				m.add(v.message[k])
			}
		}
	}
	if m.wide.touches(i) {
		m.controlsWide(i, x)
	} else {
		m.controls(i, x)
	}
	m.memoryOrder(i, x)
	sum := int64(0)
	for _, j := range m.found {
		sum += int64(m.weight[j])
	}
	return sum
}

// controls adds what R5 excludes, and pairs of controls where they are forbidden
// (as settle does).
func (m *pool) controls(i, x int32) {
	s, n := m.source[i], m.items[i]
	m.addBounded(&m.receive[s], x+1)
	m.addStarting(&m.receive[s], x+1-m.delay[s])
	for k := m.first[i]; k < m.first[i+1]; k++ {
		d := m.tile[k]
		sel, delay := x+m.lead[k], m.delay[d]
		if m.pairless[d] {
			r := &m.receive[d]
			m.addStarting(r, sel-delay)
			m.addStarting(r, sel+n-delay)
			m.addBounded(r, sel+delay)
		}
		if m.sentTo[d] >= sel {
			sent := &m.send[d]
			m.addStarting(sent, sel-1)
			m.addStarting(sent, sel+n-1)
			m.addStarting(sent, sel+delay-1)
		}
	}
}

// memoryOrder adds placed messages that are on the wrong side of i (R9).
func (m *pool) memoryOrder(i, x int32) {
	for _, o := range m.precedence(i) {
		if m.placed[o.earlier] && x < m.start[o.earlier]+o.lag {
			m.add(o.earlier)
		}
	}
	for _, j := range m.placement.after[i] {
		if !m.placed[j] {
			continue
		}
		for _, o := range m.precedence(j) {
			if o.earlier == i && m.start[j] < x+o.lag {
				m.add(j)
			}
		}
	}
}

func (m *pool) add(j int32) {
	if !slices.Contains(m.found, j) {
		m.found = append(m.found, j)
	}
}

func (m *pool) addStarting(l *lane, t int32) {
	if k := l.after(t); k < len(l.start) && l.start[k] == t {
		m.add(l.message[k])
	}
}

func (m *pool) addBounded(l *lane, t int32) {
	k := l.after(t)
	if k < len(l.start) && l.start[k] == t {
		m.add(l.message[k])
	}
	if k > 0 && l.end[k-1] == t {
		m.add(l.message[k-1])
	}
}
