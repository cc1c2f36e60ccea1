package exchange

import "ipusolve/device"

// instance is a problem laid out for the scheduler: everything the search for a
// start needs, in flat arrays.
type instance struct {
	p      *Problem
	source []int32
	items  []int32
	head   []int32
	// Receivers of message i are first[i] .. first[i+1].
	first []int32
	tile  []int32             // receiver
	lead  []int32             // κ+1: σ = x + lead
	wrote []device.ElementSet // elements written there
	read  []device.ElementSet // elements read, per message
	delay []int32             // L per tile
	// shared tells of a tile whether sends and receives touch a common element
	// (then R7 needs looking at).
	shared []bool
	// Precedences whose later message is i are before[i] .. before[i+1]; the
	// messages waiting for i are after[i].
	before []int32
	order  []precedence
	after  map[int32][]int32
	roles  []tileRoles
}

func newInstance(p *Problem) *instance {
	rt := routes()
	count := len(p.Messages)
	in := &instance{
		p: p, source: make([]int32, count), items: make([]int32, count), head: make([]int32, count), first: make([]int32, count+1),
		read: make([]device.ElementSet, count), delay: make([]int32, p.Tiles), shared: make([]bool, p.Tiles),
		before: make([]int32, count+1), after: map[int32][]int32{}, roles: p.roles(),
	}
	total := 0
	for i := range p.Messages {
		total += len(p.Messages[i].Dests)
	}
	in.tile, in.lead, in.wrote = make([]int32, 0, total), make([]int32, 0, total), make([]device.ElementSet, 0, total)
	sent, received := make([]device.ElementSet, p.Tiles), make([]device.ElementSet, p.Tiles)
	for i := range p.Messages {
		m := &p.Messages[i]
		in.source[i], in.items[i] = m.Source, m.Words
		in.head[i], in.read[i] = m.Head(), m.readElements()
		sent[m.Source] |= in.read[i]
		for _, d := range m.Dests {
			w := device.Elements(d.Addr, 4*uint32(m.Words))
			in.tile = append(in.tile, d.Tile)
			in.lead = append(in.lead, 1+rt.lag(m.Source, d.Tile, false))
			in.wrote = append(in.wrote, w)
			received[d.Tile] |= w
		}
		in.first[i+1] = int32(len(in.tile))
	}
	for t := range in.delay {
		in.delay[t] = rt.writeDelay(int32(t))
		in.shared[t] = sent[t]&received[t] != 0
	}
	in.order = precedences(p, in.roles)
	for _, o := range in.order {
		in.before[o.later+1]++
		in.after[o.earlier] = append(in.after[o.earlier], o.later)
	}
	for i := range count {
		in.before[i+1] += in.before[i]
	}
	return in
}

// precedence lists the R9 dependencies message i has to wait for.
func (in *instance) precedence(i int32) []precedence { return in.order[in.before[i]:in.before[i+1]] }

// pinned tells whether the message takes part in an R9 dependency.
func (in *instance) pinned(i int32) bool {
	return in.before[i] < in.before[i+1] || len(in.after[i]) > 0
}

// placement is a partial schedule that keeps R1–R9. It reserves the neutral and
// the pointer of every receive, also where a cutover or a continued address run
// will make them unnecessary; so placing one more message never breaks another.
type placement struct {
	*instance
	// pairless marks tiles on which a source and a pointer control never share
	// an event, so that R12 cannot fail there but for a message as long as the
	// tile's write delay, which makes a pair by itself.
	pairless      []bool
	send, receive []lane  // per tile
	start         []int32 // per message, meaningful while placed
}

func newPlacement(in *instance) *placement {
	pl := &placement{instance: in, pairless: make([]bool, in.p.Tiles), send: make([]lane, in.p.Tiles), receive: make([]lane, in.p.Tiles), start: make([]int32, len(in.items))}
	for t := range in.roles {
		r := &in.roles[t]
		pl.send[t] = makeLane(len(r.sends))
		pl.receive[t] = makeLane(len(r.receives))
	}
	return pl
}

func makeLane(n int) lane {
	return lane{make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)}
}

// released is the earliest start R1 and the placed predecessors allow.
func (pl *placement) released(i int32) int32 {
	x := pl.head[i]
	for _, o := range pl.precedence(i) {
		x = max(x, pl.start[o.earlier]+o.lag)
	}
	return x
}

// earliest is the smallest start ≥ x of message i that keeps all rules against
// what is placed.
func (pl *placement) earliest(i, x int32) int32 {
	s, n := pl.source[i], pl.items[i]
	first, last := pl.first[i], pl.first[i+1]
	for {
		x = pl.send[s].fit(x, n) // R2
		y := x
		for k := first; k < last; k++ { // R3
			e := pl.lead[k]
			y = pl.receive[pl.tile[k]].fit(y+e, n) - e
		}
		if y == x {
			if y = pl.settle(i, x); y == x {
				return x
			}
		}
		x = y
	}
}

// settle checks the rules beyond the windows for a start whose windows are
// free; it gives the start back, or a later one to try next. No start between
// the two is legal.
func (pl *placement) settle(i, x int32) int32 {
	s, n := pl.source[i], pl.items[i]
	// R5: no control of s at the send's first event.
	if r := &pl.receive[s]; r.bounded(x+1) || r.starts(x+1-pl.delay[s]) {
		return x + 1
	}
	if pl.shared[s] {
		if y := pl.clearOfReceives(i, s, x); y > x {
			return y
		}
	}
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		d := pl.tile[k]
		sent := &pl.send[d]
		sel := x + pl.lead[k]
		pointer := sel + pl.delay[d]
		if pl.pairless[d] {
			r := &pl.receive[d]
			if r.starts(sel-pl.delay[d]) || r.starts(sel+n-pl.delay[d]) || r.bounded(pointer) {
				return x + 1
			}
		}
		if len(sent.start) == 0 {
			continue
		}
		if sent.starts(sel-1) || sent.starts(sel+n-1) || sent.starts(pointer-1) {
			return x + 1
		}
		if pl.shared[d] {
			if y := pl.clearOfSends(d, pl.wrote[k], pointer, n); y > pointer {
				return x + y - pointer
			}
		}
	}
	return x
}

// clearOfReceives moves the send of message i behind the first receive of tile
// s that R7 excludes beside it.
func (pl *placement) clearOfReceives(i, s, x int32) int32 {
	r, delay, n := &pl.receive[s], pl.delay[s], pl.items[i]
	for k := r.after(x - delay - guard); k < len(r.start) && r.start[k]+delay < x+n; k++ {
		if pl.read[i]&pl.wroteAt(r.message[k], s) != 0 {
			return r.end[k] + delay + guard
		}
	}
	return x
}

// clearOfSends moves a receive that writes a set of elements at t behind the
// first send of tile d that R7 excludes beside it.
func (pl *placement) clearOfSends(d int32, set device.ElementSet, t, n int32) int32 {
	l := &pl.send[d]
	for k := l.after(t); k < len(l.start) && l.start[k] < t+n+guard; k++ {
		if set&pl.read[l.message[k]] != 0 {
			return l.end[k]
		}
	}
	return t
}

func (pl *placement) wroteAt(i, tile int32) device.ElementSet {
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		if pl.tile[k] == tile {
			return pl.wrote[k]
		}
	}
	return 0
}

func (pl *placement) place(i, x int32) {
	n := pl.items[i]
	pl.start[i] = x
	pl.send[pl.source[i]].insert(x, n, i)
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		pl.receive[pl.tile[k]].insert(x+pl.lead[k], n, i)
	}
}

func (pl *placement) unplace(i int32) {
	x := pl.start[i]
	pl.send[pl.source[i]].remove(x)
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		pl.receive[pl.tile[k]].remove(x + pl.lead[k])
	}
}

// completion is the horizon message i contributes when it starts at x.
func (pl *placement) completion(i, x int32) int32 { return x + pl.items[i] + pl.tail(i) }

// tail is what must follow x+n in the receivers' rows.
func (in *instance) tail(i int32) int32 {
	t := int32(0)
	for k := in.first[i]; k < in.first[i+1]; k++ {
		t = max(t, in.lead[k]+in.delay[in.tile[k]]+guard)
	}
	return t
}
