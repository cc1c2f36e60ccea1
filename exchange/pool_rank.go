package exchange

import "slices"

// look lists the lanes on which message i excludes others.
func (m *pool) look(i int32) {
	if m.wide.touches(i) {
		m.lookWide(i)
		return
	}
	s, n := m.source[i], m.items[i]
	m.views = append(m.views[:0], view{lane: &m.send[s], front: n})
	if m.shared[s] {
		l := m.delay[s]
		m.views = append(m.views, view{lane: &m.receive[s], front: n - l, back: -l - guard, elements: m.read[i], written: true, tile: s})
	}
	for k := m.first[i]; k < m.first[i+1]; k++ {
		d, lead := m.tile[k], m.lead[k]
		m.views = append(m.views, view{lane: &m.receive[d], front: n + lead, back: lead})
		if m.shared[d] {
			lead += m.delay[d]
			m.views = append(m.views, view{lane: &m.send[d], front: n + lead + guard, back: lead, elements: m.wrote[k], tile: d})
		}
	}
}

// weigh is the weight of window k of a view, 0 if it is no obstacle.
func (m *pool) weigh(v *view, k int) int64 {
	j := v.message[k]
	if v.elements != 0 {
		touched := m.read[j]
		if m.lends(v.tile, j) && !v.written {
			touched = 0 // only the lane is in use
		}
		if v.written {
			touched = m.wroteAt(j, v.tile)
		}
		if v.elements&touched == 0 {
			return 0
		}
	}
	return int64(m.weight[j])
}

// rank fills offer with the cheapest starts of message i. Between two starts at
// which it touches a window or a limit the weight in its way is no less than at
// one of the two. Controls and memory order are left to conflicts.
func (m *pool) rank(i int32) {
	m.offer = m.offer[:0]
	low, high := m.head[i], m.latest(i)
	if high < low {
		return
	}
	m.obstacles(low, high)
	ends := [2]int32{low, high}
	m.sweep(ends[:], 0, low, high)
	for q := range m.views {
		// With many receivers the lanes of some give enough starts.
		const some = 3
		if n := len(m.views); n > 2*some && q > 0 && m.rng.IntN(n) >= some {
			continue
		}
		v := &m.views[q]
		m.sweep(v.end, v.back, low, high)
		m.sweep(v.start, v.front, low, high)
	}
}

// span is a range of starts low < x < high at which a window is in the way.
type span struct {
	low, high int32
	weight    int64
}

// obstacles fills spans with those of each view, ascending: one look at every
// window, however many starts are compared.
func (m *pool) obstacles(low, high int32) {
	m.spans = m.spans[:0]
	for q := range m.views {
		v := &m.views[q]
		v.first = int32(len(m.spans))
		for k := v.after(low + v.back); k < len(v.start) && v.start[k]-v.front < high; k++ {
			if w := m.weigh(v, k); w > 0 {
				m.spans = append(m.spans, span{v.start[k] - v.front, v.end[k] - v.back, w})
			}
		}
		v.last = int32(len(m.spans))
	}
	m.looked += int64(len(m.spans))/4 + 1
}

// sweep offers the starts t − shift, as far as they are between low and high,
// for ascending times t.
func (m *pool) sweep(times []int32, shift, low, high int32) {
	first, _ := slices.BinarySearch(times, low+shift)
	last, _ := slices.BinarySearch(times, high+shift+1)
	if times = times[first:last]; len(times) == 0 {
		return
	}
	// A step is some eight times cheaper than to ask for one start.
	m.looked += int64(len(times)*len(m.views))/8 + 1
	m.sums = slices.Grow(m.sums[:0], len(times))[:len(times)]
	clear(m.sums)
	for q := range m.views {
		spans := m.spans[m.views[q].first:m.views[q].last]
		a, b, sum := 0, 0, int64(0) // of the spans a..b
		for c, t := range times {
			x := t - shift
			for b < len(spans) && spans[b].low < x {
				sum += spans[b].weight
				b++
			}
			for a < b && spans[a].high <= x {
				sum -= spans[a].weight
				a++
			}
			m.sums[c] += sum
		}
	}
	for c, t := range times {
		if k := len(m.offer); k < offers || m.sums[c] <= m.offer[k-1].weight {
			m.consider(offer{m.sums[c], m.rng.Uint32(), t - shift})
		}
	}
}

// consider keeps a start if it is among the best.
func (m *pool) consider(o offer) {
	worse := func(p offer) bool { return p.weight > o.weight || p.weight == o.weight && p.lot > o.lot }
	k := len(m.offer)
	if k == offers && !worse(m.offer[k-1]) {
		return
	}
	for q := range m.offer {
		if m.offer[q].start == o.start {
			return
		}
	}
	if k < offers {
		m.offer = append(m.offer, o)
	} else {
		k--
	}
	for ; k > 0 && worse(m.offer[k-1]); k-- {
		m.offer[k] = m.offer[k-1]
	}
	m.offer[k] = o
}
