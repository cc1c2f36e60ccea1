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

// exactModel is a problem of 32-bit messages as difference logic: starts are legal
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
	receives []exactReceive
}

// exactReceive is a message at a receiver: σ = x + at, π = x + pointer.
type exactReceive struct {
	message, at, pointer int32
	addr                 uint32
	data                 device.ElementSet
	continues            []int32 // receives of the tile whose address run it continues
}

func (m *exactModel) zero() int32 { return m.n }

func newExactModel(p *Problem) *exactModel {
	n := int32(len(p.Messages))
	m := &exactModel{p: p, n: n, head: make([]int32, n), length: make([]int32, n), roles: NewRoles(p)}
	rt := routes()
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
		m.head[i], m.length[i] = msg.Head(), msg.Words
		s := tile(msg.Source)
		s.sends = append(s.sends, i)
		for _, d := range msg.Dests {
			r := exactReceive{message: i, at: 1 + rt.lag(msg.Source, d.Tile, false), addr: d.Addr, data: device.Elements(d.Addr, 4*uint32(msg.Words))}
			r.pointer = r.at + rt.writeDelay(d.Tile)
			m.length[i] = max(m.length[i], r.pointer+msg.Words+guard)
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

// items is the length of message i's windows.
func (m *exactModel) items(i int32) int32 { return m.p.Messages[i].Words }

// between forbids low < x_j − x_i < high.
func (m *exactModel) between(i, j, low, high int32) {
	m.clauses = append(m.clauses, clause{{j, i, low}, {i, j, -high}})
}

// addTile writes down R2, R3, R5 and R7 of a tile. Controls at σ and σ+n are there
// whether the neutral is replaced or not; a pointer is certain only where nothing
// can precede it that it continues.
func (m *exactModel) addTile(t *exactTile) {
	var sending, hearing exactMachine
	read := make([]device.ElementSet, len(t.sends))
	for k, i := range t.sends {
		sending = append(sending, exactWindow{i, 0, m.items(i)})
		read[k] = m.p.Messages[i].readElements()
	}
	for k := range t.receives {
		j := &t.receives[k]
		hearing = append(hearing, exactWindow{j.message, j.at, m.items(j.message)})
		for o := range t.receives {
			if b := &t.receives[o]; o != k && b.addr+4*uint32(m.items(b.message)) == j.addr {
				j.continues = append(j.continues, int32(o))
			}
		}
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
			n := m.items(j.message)
			if common := read[k] & j.data; common != 0 { // R7
				m.between(i, j.message, -(n+guard)-j.pointer, m.items(i)-j.pointer)
			}
			controls := []int32{j.at, j.at + n}
			if len(j.continues) == 0 {
				controls = append(controls, j.pointer)
			}
			for _, at := range controls { // R5: x_j + at ≠ x_i + 1
				m.between(i, j.message, -at, 2-at)
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
	return a.Source == b.Source && a.Words == b.Words && a.readElements() == b.readElements() &&
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
