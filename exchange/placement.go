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
	lead  []int32             // its selector is busy from x + lead on, at σ, or behind S for a late member
	busy  []int32             // for so long: items, or until the format is off
	write []int32             // the first word is stored at x + write
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
	wide   *wideness // nil if no message is paired
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
	in.tile, in.wrote = make([]int32, 0, total), make([]device.ElementSet, 0, total)
	in.lead, in.busy, in.write = make([]int32, 0, total), make([]int32, 0, total), make([]int32, 0, total)
	sent, received := make([]device.ElementSet, p.Tiles), make([]device.ElementSet, p.Tiles)
	for i := range p.Messages {
		m := &p.Messages[i]
		in.source[i], in.items[i] = m.Source, m.Items()
		in.head[i], in.read[i] = m.Head(), m.readElements()
		sent[m.Source] |= in.read[i]
		for _, d := range m.Dests {
			w := device.Elements(d.Addr, 4*uint32(m.Words))
			in.tile = append(in.tile, d.Tile)
			from, n, pointer := m.hears(d.Tile)
			in.lead, in.busy, in.write = append(in.lead, from), append(in.busy, n), append(in.write, pointer)
			in.wrote = append(in.wrote, w)
			received[d.Tile] |= w
		}
		in.first[i+1] = int32(len(in.tile))
	}
	for t := range in.delay {
		in.delay[t] = rt.writeDelay(int32(t))
		in.shared[t] = sent[t]&received[t] != 0
	}
	in.wide = newWideness(in)
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

// placement is a partial schedule that keeps R1–R11. It reserves the neutral and
// the pointer of every receive, also where a cutover or a continued address run
// will make them unnecessary; so placing one more message never breaks another.
type placement struct {
	*instance
	// pairless marks tiles on which a source and a pointer control never share
	// an event, so that R12 cannot fail there but for a message as long as the
	// tile's write delay, which makes a pair by itself.
	pairless      []bool
	send, receive []lane  // per tile
	writes, still []lane  // see wideness; nil if no message is paired
	start         []int32 // per message, meaningful while placed
	// sentTo and heardTo are the ends of the last windows of each tile's lanes:
	// most questions are answered by these alone.
	sentTo, heardTo []int32
	train           []int32 // of each message
	// floor is a lower bound on the start of what is not placed of each train, for
	// those that place messages without taking any back. tight is the receiver
	// (counted from the message's first) that a message of the train waited for
	// last: most likely it will again.
	floor, tight []int32
	looked       int64 // receives looked at: the unit of work
}

func newPlacement(in *instance) *placement {
	tiles := in.p.Tiles
	pl := &placement{instance: in, pairless: make([]bool, tiles), send: make([]lane, tiles), receive: make([]lane, tiles),
		start: make([]int32, len(in.items)), sentTo: make([]int32, tiles), heardTo: make([]int32, tiles)}
	train, trains := in.trains()
	pl.train, pl.floor, pl.tight = train, make([]int32, trains), make([]int32, trains)
	sends, receives := make([]int, tiles), make([]int, tiles)
	for _, s := range in.source {
		sends[s]++
	}
	for _, d := range in.tile {
		receives[d]++
	}
	for t := range tiles {
		pl.send[t] = makeLane(sends[t])
		pl.receive[t] = makeLane(receives[t])
	}
	if in.wide != nil {
		pl.writes, pl.still = make([]lane, tiles), make([]lane, tiles)
	}
	return pl
}

func makeLane(n int) lane {
	return lane{make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)}
}

// clear takes everything off the tiles of a component.
func (pl *placement) clear(c *component) {
	for _, t := range c.tiles {
		pl.send[t].reset()
		pl.receive[t].reset()
		pl.sentTo[t], pl.heardTo[t] = 0, 0
		if pl.wide != nil {
			pl.writes[t].reset()
			pl.still[t].reset()
		}
	}
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
// what is placed. Where that is behind limit, it is any time behind limit that no
// legal start precedes.
func (pl *placement) earliest(i, x, limit int32) int32 {
	if pl.wide.touches(i) {
		return pl.earliestWide(i, x, limit)
	}
	s, n := pl.source[i], pl.items[i]
	first, last := pl.first[i], pl.first[i+1]
	tile, lead := pl.tile[first:last], pl.lead[first:last]
	tight := &pl.tight[pl.train[i]]
	for {
		if x < pl.sentTo[s] {
			x = pl.send[s].fit(x, n) // R2
		}
		pl.looked++
		y := pl.hearing(tile[*tight], lead[*tight], x, n) // R3
		if y > limit {
			return y
		}
		for k, d := range tile {
			z := pl.hearing(d, lead[k], y, n)
			if z > limit {
				*tight = int32(k)
				pl.looked += int64(k)
				return z
			}
			if z > y {
				y, *tight = z, int32(k)
			}
		}
		pl.looked += int64(len(tile))
		if y == x {
			if y = pl.settle(i, x); y == x {
				return x
			}
		}
		if x = y; x > limit {
			return x
		}
	}
}

// hearing is the first start ≥ x of a message of n items at which receiver d,
// lead events behind, hears nothing else (R3).
func (pl *placement) hearing(d, lead, x, n int32) int32 {
	if t := x + lead; t < pl.heardTo[d] {
		return pl.receive[d].fit(t, n) - lead
	}
	return x
}

// never is a limit behind all starts; clock shifts may be added.
const never = 1 << 30

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
	first, last := pl.first[i], pl.first[i+1]
	lead := pl.lead[first:last]
	for k, d := range pl.tile[first:last] {
		sel := x + lead[k]
		if pl.pairless[d] {
			r, delay := &pl.receive[d], pl.delay[d]
			if r.starts(sel-delay) || r.starts(sel+n-delay) || r.bounded(sel+delay) {
				return x + 1
			}
		}
		if pl.sentTo[d] < sel {
			continue
		}
		sent := &pl.send[d]
		pointer := sel + pl.delay[d]
		if sent.starts(sel-1) || sent.starts(sel+n-1) || sent.starts(pointer-1) {
			return x + 1
		}
		if pl.shared[d] {
			if y := pl.clearOfSends(d, pl.wrote[first+int32(k)], pointer, n); y > pointer {
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
		if j := l.message[k]; set&pl.read[j] != 0 && pl.source[j] == d {
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
	s := pl.source[i]
	pl.start[i] = x
	pl.send[s].insert(x, n, i)
	pl.sentTo[s] = max(pl.sentTo[s], x+n)
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		d, t := pl.tile[k], x+pl.lead[k]
		pl.receive[d].insert(t, pl.busy[k], i)
		pl.heardTo[d] = max(pl.heardTo[d], t+pl.busy[k])
	}
	if pl.wide.touches(i) {
		pl.placeWide(i, x)
	}
}

func (pl *placement) unplace(i int32) {
	x := pl.start[i]
	s := pl.source[i]
	pl.send[s].remove(x)
	pl.sentTo[s] = pl.send[s].last()
	for k := pl.first[i]; k < pl.first[i+1]; k++ {
		d := pl.tile[k]
		pl.receive[d].remove(x + pl.lead[k])
		pl.heardTo[d] = pl.receive[d].last()
	}
	if pl.wide.touches(i) {
		pl.unplaceWide(i)
	}
}

// completion is the horizon message i contributes when it starts at x.
func (pl *placement) completion(i, x int32) int32 { return x + pl.items[i] + pl.tail(i) }

// tail is what must follow x+n in the receivers' rows.
func (in *instance) tail(i int32) int32 {
	t := int32(0)
	for k := in.first[i]; k < in.first[i+1]; k++ {
		t = max(t, in.write[k]+guard)
	}
	return t
}
