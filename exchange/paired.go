package exchange

import "slices"

// A paired message needs more than two windows (reference: exchange.md §4.2, R10).
// With S = x + P and the format on at F = S + L − 1:
//
//	sender          send     [x, x+n)
//	its partner     sends, hears and writes nothing in [x, x+n)
//	early member    receive  [S, F+n)   source at S and S+n, format at F and F+n, pointer at F+2
//	late member     receive  [S+1, F+n) format and pointer alike, no source
//	both            writes   [F+2, F+2+n)
//
// The reference has the late member's selector busy from F on, and writes disjoint
// in the same order. That comes to the same: a 32-bit receive before it has to have
// written all, so to end by S+1, and a paired one before it keeps one of the two
// members, which is early in this message, busy up to S.
//
// So where paired messages are heard or a lane is lent, the times of selectors and
// of writes are no longer the same but for a shift, and a third lane keeps the
// writes. A fourth one, still, is for tiles that lend their lane: it has the lent
// windows and those of the selector, where a late member's begins at F (R10 is
// about what a tile does, not about the order of receives). A lent window is in the
// lanes send, writes and still. Of all windows of one lane no two may meet; that is
// R2, R3 and the windows' part of R10.

// hears is the receiver's part of the message, from its start on: the selector's
// window and the time of the first write.
func (m *Message) hears(d int32) (from, busy, pointer int32) {
	rt := routes()
	n, delay := m.Items(), rt.writeDelay(d)
	from, busy = 1+rt.lag(m.Source, d, m.Paired), n
	pointer = from + delay + m.format()
	switch {
	case !m.Paired:
	case rt.late(m.Source, d):
		from++
		busy += delay - 2
	default:
		busy += delay - 1
	}
	return from, busy, pointer
}

// wideness is what an instance with paired messages has besides.
type wideness struct {
	pair  []bool // per message: it is paired
	tile  []bool // per tile: it hears paired messages or lends its lane
	lends []bool // per tile: it lends its lane
	touch []bool // per message: it is paired or uses such a tile
	// The receives of tile t in the order of tileRoles.receives are
	// hears[first[t]:first[t+1]].
	first, hears []int32
}

// paired tells whether message i is. A nil wideness has none.
func (w *wideness) paired(i int32) bool { return w != nil && w.pair[i] }

// touches tells whether message i has to do with paired ones.
func (w *wideness) touches(i int32) bool { return w != nil && w.touch[i] }

func newWideness(in *instance) *wideness {
	count := len(in.items)
	w := &wideness{pair: make([]bool, count), tile: make([]bool, in.p.Tiles), lends: make([]bool, in.p.Tiles), touch: make([]bool, count),
		first: make([]int32, in.p.Tiles+1), hears: make([]int32, len(in.tile))}
	any := false
	for i := range in.p.Messages {
		m := &in.p.Messages[i]
		if !m.Paired {
			continue
		}
		any, w.pair[i], w.tile[m.Source^1], w.lends[m.Source^1] = true, true, true, true
		for _, d := range m.Dests {
			w.tile[d.Tile] = true
		}
	}
	if !any {
		return nil
	}
	for t := range in.roles {
		w.first[t+1] = w.first[t] + int32(len(in.roles[t].receives))
	}
	next := slices.Clone(w.first)
	for i := range in.items {
		w.touch[i] = w.pair[i] || w.tile[in.source[i]]
		for k := in.first[i]; k < in.first[i+1]; k++ {
			d := in.tile[k]
			w.touch[i] = w.touch[i] || w.tile[d]
			w.hears[next[d]] = k
			next[d]++
		}
	}
	return w
}

// receiveAt is the receive of message i at tile t; not ok: i is not heard there.
func (in *instance) receiveAt(i, t int32) (k int32, ok bool) {
	at, ok := slices.BinarySearch(in.roles[t].receives, i)
	if !ok {
		return 0, false
	}
	return in.wide.hears[in.wide.first[t]+int32(at)], true
}

// lends tells whether tile t lends its lane to message i.
func (in *instance) lends(t, i int32) bool { return in.wide.paired(i) && in.source[i]^1 == t }

// late tells whether receive k, of message i, is a late member's.
func (in *instance) late(i, k int32) bool {
	return in.wide.pair[i] && in.busy[k] < in.items[i]+in.delay[in.tile[k]]-1
}

// quiet is the window of receive k in which its tile cannot lend its lane.
func (in *instance) quiet(i, k int32) (from, n int32) {
	from, n = in.lead[k], in.busy[k]
	if in.late(i, k) {
		early := in.delay[in.tile[k]] - 2
		from, n = from+early, n-early
	}
	return from, n
}

// placeWide books what place leaves out.
func (pl *placement) placeWide(i, x int32) {
	n := pl.items[i]
	if pl.wide.pair[i] {
		q := pl.source[i] ^ 1
		for _, l := range [...]*lane{&pl.send[q], &pl.still[q], &pl.writes[q]} {
			l.insert(x, n, i)
		}
		pl.sentTo[q] = max(pl.sentTo[q], x+n)
	}
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		d := pl.tile[k]
		if pl.wide.tile[d] {
			pl.writes[d].insert(x+pl.write[k], n, i)
		}
		if pl.wide.lends[d] {
			from, busy := pl.quiet(i, k)
			pl.still[d].insert(x+from, busy, i)
		}
	}
}

// unplaceWide takes it back.
func (pl *placement) unplaceWide(i int32) {
	x := pl.start[i]
	if pl.wide.pair[i] {
		q := pl.source[i] ^ 1
		for _, l := range [...]*lane{&pl.send[q], &pl.still[q], &pl.writes[q]} {
			l.remove(x)
		}
		pl.sentTo[q] = pl.send[q].last()
	}
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		d := pl.tile[k]
		if pl.wide.tile[d] {
			pl.writes[d].remove(x + pl.write[k])
		}
		if pl.wide.lends[d] {
			from, _ := pl.quiet(i, k)
			pl.still[d].remove(x + from)
		}
	}
}

// earliestWide is earliest for a message that has to do with paired ones.
func (pl *placement) earliestWide(i, x, limit int32) int32 {
	s, n := pl.source[i], pl.items[i]
	for {
		y := pl.send[s].fit(x, n)
		if pl.wide.pair[i] {
			q := s ^ 1
			y = pl.send[q].fit(y, n)
			y = pl.still[q].fit(y, n)
			y = pl.writes[q].fit(y, n)
		}
		pl.looked++
		for k := pl.first[i]; k < pl.first[i+1] && y <= limit; k++ {
			d := pl.tile[k]
			pl.looked++
			y = pl.receive[d].fit(y+pl.lead[k], pl.busy[k]) - pl.lead[k]
			if pl.wide.tile[d] {
				y = pl.writes[d].fit(y+pl.write[k], n) - pl.write[k]
			}
			if pl.wide.lends[d] {
				from, busy := pl.quiet(i, k)
				y = pl.still[d].fit(y+from, busy) - from
			}
		}
		if y == x {
			if y = pl.settleWide(i, x); y == x {
				return x
			}
		}
		if x = y; x > limit {
			return x
		}
	}
}

// settleWide checks the rules beyond the windows, as settle does.
func (pl *placement) settleWide(i, x int32) int32 {
	y := x
	pl.clashes(i, x, func(_, past int32) bool {
		y = past
		return false
	})
	if y > x {
		return y
	}
	if s := pl.source[i]; pl.shared[s] {
		if y := pl.clearOfWrites(i, s, x); y > x {
			return y
		}
	}
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		if d := pl.tile[k]; pl.shared[d] {
			pointer := x + pl.write[k]
			if y := pl.clearOfSends(d, pl.wrote[k], pointer, pl.items[i]); y > pointer {
				return x + y - pointer
			}
		}
	}
	return x
}

// clearOfWrites moves the send of message i behind the first write of tile s
// that R7 excludes beside it.
func (pl *placement) clearOfWrites(i, s, x int32) int32 {
	if !pl.wide.tile[s] {
		return pl.clearOfReceives(i, s, x)
	}
	w, n := &pl.writes[s], pl.items[i]
	for j := w.after(x - guard); j < len(w.start) && w.start[j] < x+n; j++ {
		if pl.read[i]&pl.wroteAt(w.message[j], s) != 0 {
			return w.end[j] + guard
		}
	}
	return x
}

// clashes tells the placed messages whose controls, first sent words or lent lanes
// keep message i from x: R4, R5, R6, the controls' part of R10, and R12 on pairless
// tiles. One message may be told several times. past is a start that none before it
// but x can avoid the same clash. note ends it by false.
func (pl *placement) clashes(i, x int32, note func(j, past int32) bool) {
	s, n := pl.source[i], pl.items[i]
	if !pl.controlled(s, x+1, x+1, note) || pl.wide.pair[i] && !pl.controlled(s^1, x+1, x+n, note) {
		return
	}
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		d := pl.tile[k]
		c := pl.controls(i, k, x)
		for _, e := range c.all() {
			if j := pl.sentFirst(d, e); j >= 0 && !note(j, x+1) {
				return
			}
		}
		if !pl.meets(&c, d, x+pl.write[k], n, func(j int32) bool { return note(j, x+1) }) {
			return
		}
	}
}

// controls of one receive, reserved whether R6 and R8 will leave some out or not.
type controls struct {
	events [5]int32 // sources, then pointer and format
	split  int      // sources
	count  int
	paired bool
}

func (c *controls) all() []int32    { return c.events[:c.count] }
func (c *controls) source() []int32 { return c.events[:c.split] }
func (c *controls) pic() []int32    { return c.events[c.split:c.count] }

// controls lists those of receive k, of message i at x.
func (in *instance) controls(i, k, x int32) controls {
	n, pointer := in.items[i], x+in.write[k]
	if !in.wide.pair[i] {
		sigma := pointer - in.delay[in.tile[k]]
		return controls{[5]int32{sigma, sigma + n, pointer}, 2, 3, false}
	}
	format := pointer - 2
	if in.late(i, k) {
		return controls{[5]int32{format, pointer, format + n}, 0, 3, true}
	}
	sigma := x + in.lead[k]
	return controls{[5]int32{sigma, sigma + n, format, pointer, format + n}, 2, 5, true}
}

// reach is how far before its first write a receive of tile t can have controls;
// behind it they end with the last write at the latest.
func (in *instance) reach(t int32) int32 { return in.delay[t] + 1 }

// controlled tells the messages with a control at tile t from event low to high,
// and that event. It is false if note ended it.
func (pl *placement) controlled(t, low, high int32, note func(j, event int32) bool) bool {
	if !pl.wide.tile[t] {
		r, delay := &pl.receive[t], pl.delay[t]
		for k := r.after(low - delay - 1); k < len(r.start) && r.start[k] <= high; k++ {
			for _, e := range [...]int32{r.start[k], r.end[k], r.start[k] + delay} {
				if low <= e && e <= high && !note(r.message[k], e) {
					return false
				}
			}
		}
		return true
	}
	w := &pl.writes[t]
	for q := w.after(low - 1); q < len(w.start) && w.start[q]-pl.reach(t) <= high; q++ {
		j := w.message[q]
		k, heard := pl.receiveAt(j, t)
		if !heard {
			continue
		}
		c := pl.controls(j, k, w.start[q]-pl.write[k])
		for _, e := range c.all() {
			if low <= e && e <= high && !note(j, e) {
				return false
			}
		}
	}
	return true
}

// meets tells the messages at tile t that a receive's controls cannot stand beside.
// Its n words are stored from event pointer on. It is false if note ended it.
func (pl *placement) meets(c *controls, t, pointer, n int32, note func(j int32) bool) bool {
	if !pl.wide.tile[t] { // all are 32-bit receives, apart by their windows
		if !pl.pairless[t] {
			return true
		}
		ok, r, delay := true, &pl.receive[t], pl.delay[t]
		at := func(list []int32, e int32) {
			if k, found := slices.BinarySearch(list, e); found {
				ok = ok && note(r.message[k])
			}
		}
		at(r.start, pointer-2*delay) // a pointer at σ
		at(r.start, pointer-2*delay+n)
		at(r.start, pointer) // a source control at π
		at(r.end, pointer)
		return ok
	}
	w := &pl.writes[t]
	for q := w.after(pointer - pl.reach(t) - 1); q < len(w.start) && w.start[q]-pl.reach(t) <= pointer+n; q++ {
		j := w.message[q]
		clash := false
		if k, heard := pl.receiveAt(j, t); heard {
			o := pl.controls(j, k, w.start[q]-pl.write[k])
			clash = c.excludes(&o, pl.pairless[t])
		} else { // the lane is lent: no control but at its very begin
			for _, e := range c.all() {
				clash = clash || w.start[q] < e && e <= w.end[q]
			}
		}
		if clash && !note(j) {
			return false
		}
	}
	return true
}

// excludes tells whether the controls of two receives cannot share their events. Two
// source controls can where one 32-bit receive follows the other: the select
// replaces the neutral (R6).
func (c *controls) excludes(o *controls, pairless bool) bool {
	return common(c.pic(), o.pic()) || (c.paired || o.paired) && common(c.source(), o.source()) ||
		pairless && (common(c.source(), o.pic()) || common(c.pic(), o.source()))
}

func common(a, b []int32) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			return true
		}
	}
	return false
}

// sentFirst is the message of its own whose first word tile t sends at event e, −1
// if there is none.
func (pl *placement) sentFirst(t, e int32) int32 {
	l := &pl.send[t]
	if k := l.after(e - 1); k < len(l.start) && l.start[k] == e-1 && pl.source[l.message[k]] == t {
		return l.message[k]
	}
	return -1
}

// pointsAt finds a message that has a pointer or format control at an event of a
// tile that hears paired messages or lends its lane.
func (pl *placement) pointsAt(t, event int32) (i int32, ok bool) {
	w := &pl.writes[t]
	for q := w.after(event - 1); q < len(w.start) && w.start[q]-2 <= event; q++ {
		j := w.message[q]
		if k, heard := pl.receiveAt(j, t); heard {
			if c := pl.controls(j, k, w.start[q]-pl.write[k]); slices.Contains(c.pic(), event) {
				return j, true
			}
		}
	}
	return 0, false
}

// lookWide is look for a message that has to do with paired ones.
func (m *pool) lookWide(i int32) {
	s, n := m.source[i], m.items[i]
	m.views = append(m.views[:0], view{lane: &m.send[s], front: n})
	if m.wide.pair[i] {
		q := s ^ 1
		m.views = append(m.views, view{lane: &m.send[q], front: n}, view{lane: &m.still[q], front: n}, view{lane: &m.writes[q], front: n})
	}
	if m.shared[s] {
		if m.wide.tile[s] {
			m.views = append(m.views, view{lane: &m.writes[s], front: n, back: -guard, elements: m.read[i], written: true, tile: s})
		} else {
			l := m.delay[s]
			m.views = append(m.views, view{lane: &m.receive[s], front: n - l, back: -l - guard, elements: m.read[i], written: true, tile: s})
		}
	}
	for k := m.first[i]; k < m.first[i+1]; k++ {
		d, lead, write := m.tile[k], m.lead[k], m.write[k]
		m.views = append(m.views, view{lane: &m.receive[d], front: m.busy[k] + lead, back: lead})
		if m.wide.tile[d] {
			m.views = append(m.views, view{lane: &m.writes[d], front: n + write, back: write})
		}
		if m.wide.lends[d] {
			from, busy := m.quiet(i, k)
			m.views = append(m.views, view{lane: &m.still[d], front: busy + from, back: from})
		}
		if m.shared[d] {
			m.views = append(m.views, view{lane: &m.send[d], front: n + write + guard, back: write, elements: m.wrote[k], tile: d})
		}
	}
}

// controlsWide is controls for a message that has to do with paired ones.
func (m *pool) controlsWide(i, x int32) {
	m.clashes(i, x, func(j, _ int32) bool {
		m.add(j)
		return true
	})
}
