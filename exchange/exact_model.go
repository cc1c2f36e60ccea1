package exchange

import (
	"slices"

	"ipusolve/device"
)

// diff is the literal x_u − x_v ≤ c; one of the two may be exactModel.zero, whose
// x is 0.
type diff struct{ u, v, c int32 }

func (l diff) not() diff { return diff{l.v, l.u, -l.c - 1} }

// clause is a disjunction of literals.
type clause []diff

// exactModel is a problem as difference logic: starts are legal
// and meet horizon H if and only if they satisfy every clause, x ≥ head,
// x + length ≤ H, and what lemma looks at (pointers that are omitted, R12), which
// depends on too many messages to be written down beforehand.
type exactModel struct {
	p            *Problem
	n            int32 // messages; zero is number n
	head, length []int32
	fixed        []diff // hold in any case: R9, order of interchangeable messages
	clauses      []clause
	machines     []exactMachine
	tiles        []exactTile
	roles        *Roles
	stream       TileStream
}

// exactMachine is a set of windows that are disjoint in every schedule.
type exactMachine []exactWindow

// exactWindow is [x+at, x+at+items).
type exactWindow struct{ message, at, items int32 }

// exactTile is what one tile does.
type exactTile struct {
	tile     int32
	sends    []int32
	lent     []int32 // paired messages of the partner
	receives []exactReceive
}

// exactReceive is a message at a receiver: its selector is busy in [x+at, x+at+busy)
// against other receives and from x + quiet on against lent lanes (see
// Message.hears), π = x + pointer. Its other controls are at x + those of source and
// format.
type exactReceive struct {
	message, at, pointer int32
	busy, quiet          int32
	source, format       []int32
	paired               bool
	addr                 uint32
	data                 device.ElementSet
	continues            []int32 // receives of the tile whose address run it continues
	// avoid are starts that its pointer excludes if it is written.
	avoid []apart
}

// apart is a distance that the start of a message must not have from another one's.
type apart struct{ from, distance int32 }

// controls are those certain to be there.
func (r *exactReceive) controls() []int32 {
	out := slices.Concat(r.source, r.format)
	if len(r.continues) == 0 {
		out = append(out, r.pointer)
	}
	return out
}

// pics are the events of its pointer stream.
func (r *exactReceive) pics() []int32 { return append(slices.Clone(r.format), r.pointer) }

func (m *exactModel) zero() int32 { return m.n }

func newExactModel(p *Problem) *exactModel {
	n := int32(len(p.Messages))
	m := &exactModel{p: p, n: n, head: make([]int32, n), length: make([]int32, n), roles: NewRoles(p)}
	at := make([]*exactTile, p.Tiles)
	var order []int32
	tile := func(t int32) *exactTile {
		if at[t] == nil {
			at[t] = &exactTile{tile: t}
			order = append(order, t)
		}
		return at[t]
	}
	for i := range n {
		msg := &p.Messages[i]
		items := msg.Items()
		m.head[i], m.length[i] = msg.Head(), items
		s := tile(msg.Source)
		s.sends = append(s.sends, i)
		if msg.Paired {
			q := tile(msg.Source ^ 1)
			q.lent = append(q.lent, i)
		}
		for _, d := range msg.Dests {
			r := newExactReceive(i, msg, d)
			m.length[i] = max(m.length[i], r.pointer+items+guard)
			t := tile(d.Tile)
			t.receives = append(t.receives, r)
		}
	}
	slices.Sort(order)
	for _, t := range order {
		m.addTile(at[t])
		m.tiles = append(m.tiles, *at[t])
	}
	m.order()
	return m
}

func newExactReceive(i int32, m *Message, d Dest) exactReceive {
	n, rt := m.Items(), routes()
	r := exactReceive{message: i, addr: d.Addr, data: device.Elements(d.Addr, 4*uint32(m.Words)), paired: m.Paired}
	r.at, r.busy, r.pointer = m.hears(d.Tile)
	r.quiet = r.at
	if !m.Paired {
		r.source = []int32{r.at, r.at + n}
		return r
	}
	on := r.pointer - 2
	r.format = []int32{on, on + n}
	if rt.late(m.Source, d.Tile) {
		r.quiet = on
	} else {
		r.source = []int32{r.at, r.at + n}
	}
	return r
}

// items is how long message i occupies its sender.
func (m *exactModel) items(i int32) int32 { return m.p.Messages[i].Items() }

// between forbids low < x_j − x_i < high.
func (m *exactModel) between(i, j, low, high int32) {
	m.clauses = append(m.clauses, clause{{j, i, low}, {i, j, -high}})
}

// addTile writes down R2–R5, R7 and R10 of a tile. Source controls of a 32-bit
// receive are there whether the neutral is replaced or not; a pointer is certain only
// where nothing can precede it that it continues.
func (m *exactModel) addTile(t *exactTile) {
	var sending, hearing exactMachine
	read := make([]device.ElementSet, len(t.sends))
	for k, i := range t.sends {
		sending = append(sending, exactWindow{i, 0, m.items(i)})
		read[k] = m.p.Messages[i].readElements()
	}
	for _, i := range t.lent {
		sending = append(sending, exactWindow{i, 0, m.items(i)})
	}
	for k := range t.receives {
		j := &t.receives[k]
		hearing = append(hearing, exactWindow{j.message, j.at, j.busy})
		for o := range t.receives {
			if b := &t.receives[o]; o != k && !j.paired && !b.paired && b.addr+4*uint32(m.items(b.message)) == j.addr {
				j.continues = append(j.continues, int32(o))
			}
		}
	}
	for k := range t.receives {
		m.addControls(t, &t.receives[k])
	}
	for _, machine := range []exactMachine{sending, hearing} {
		for k, a := range machine {
			for _, b := range machine[:k] {
				m.between(a.message, b.message, -b.items+a.at-b.at, a.items+a.at-b.at)
			}
		}
		if len(machine) > 1 {
			m.machines = append(m.machines, machine)
		}
	}
	shared := map[int]exactMachine{}
	for k, i := range t.sends {
		for r := range t.receives {
			j := &t.receives[r]
			if n := m.items(j.message); read[k]&j.data != 0 { // R7
				m.between(i, j.message, -(n+guard)-j.pointer, m.items(i)-j.pointer)
			}
		}
	}
	// One machine for each element that is read and written.
	for k, i := range t.sends {
		for e := 0; read[k]>>e != 0; e++ {
			if read[k]>>e&1 != 0 {
				shared[e] = append(shared[e], exactWindow{i, 0, m.items(i)})
			}
		}
	}
	for e := range device.NumElements {
		machine := shared[e]
		sends := len(machine)
		for r := range t.receives {
			if j := &t.receives[r]; sends > 0 && j.data>>e&1 != 0 {
				machine = append(machine, exactWindow{j.message, j.pointer, m.items(j.message)})
			}
		}
		if len(machine) > sends {
			m.machines = append(m.machines, machine)
		}
	}
}

// addControls writes down where the controls of a receive cannot be: at the first
// event of a send (R5), while the lane is lent (R10), or at another receive's (R4, R6).
// It also keeps the windows off lent lanes.
func (m *exactModel) addControls(t *exactTile, j *exactReceive) {
	for _, i := range t.lent {
		n := m.items(i)
		m.between(i, j.message, -(j.at + j.busy), n-j.quiet)
		m.between(i, j.message, -(j.pointer + m.items(j.message)), n-j.pointer)
		for _, e := range j.controls() {
			m.between(i, j.message, -e, n+1-e)
		}
		j.avoid = append(j.avoid, apart{i, n - j.pointer})
	}
	for _, i := range t.sends {
		for _, e := range j.controls() {
			m.between(i, j.message, -e, 2-e)
		}
		j.avoid = append(j.avoid, apart{i, 1 - j.pointer})
	}
	for k := range t.receives {
		o := &t.receives[k]
		if o == j || !o.paired {
			continue
		}
		// Of two paired ones either may add what both exclude.
		exclude := func(mine, theirs []int32, certain bool) {
			for _, e := range mine {
				for _, f := range theirs {
					d := f - e
					if free := d <= o.at-j.at-j.busy || d >= o.at-j.at+o.busy; !free {
						continue // the windows meet
					}
					if certain {
						m.between(o.message, j.message, d-1, d+1)
					} else {
						j.avoid = append(j.avoid, apart{o.message, d})
					}
				}
			}
		}
		exclude(j.source, o.source, true)
		exclude(j.format, o.pics(), true)
		exclude([]int32{j.pointer}, o.pics(), len(j.continues) == 0)
	}
}

// order adds R9, and an order among messages that can change places.
func (m *exactModel) order() {
	dependent := make([]bool, m.n)
	for _, o := range precedences(m.p, m.p.roles()) {
		m.fixed = append(m.fixed, diff{o.earlier, o.later, -o.lag})
		dependent[o.earlier], dependent[o.later] = true, true
	}
	special := slices.Clone(dependent) // takes part in an address run
	for k := range m.tiles {
		for _, j := range m.tiles[k].receives {
			for _, o := range j.continues {
				special[j.message], special[m.tiles[k].receives[o].message] = true, true
			}
		}
	}
	for j := range m.n {
		for i := j - 1; i >= 0; i-- {
			if !special[i] && !special[j] && m.alike(i, j) {
				m.fixed = append(m.fixed, diff{i, j, -m.items(i)})
				break
			}
		}
	}
}

// alike tells whether exchanging the starts of two messages, which are in no
// address run and no R9 dependency, keeps a schedule legal.
func (m *exactModel) alike(i, j int32) bool {
	a, b := &m.p.Messages[i], &m.p.Messages[j]
	return a.Source == b.Source && a.Words == b.Words && a.Paired == b.Paired && a.readElements() == b.readElements() &&
		slices.EqualFunc(a.Dests, b.Dests, func(c, d Dest) bool {
			bytes := 4 * uint32(a.Words)
			return c.Tile == d.Tile && device.Elements(c.Addr, bytes) == device.Elements(d.Addr, bytes)
		})
}

// horizon is that of given starts.
func (m *exactModel) horizon(x []int32) int32 {
	h := int32(0)
	for i, v := range x {
		h = max(h, v+m.length[i])
	}
	return h
}
