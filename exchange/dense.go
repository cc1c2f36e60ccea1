package exchange

import (
	"cmp"
	"slices"
)

// Short messages are limited by controls rather than by words. What a tile's row
// can hold follows from R5, R12 and the words of its instructions:
//
//   - a pointer that another control shares an event with needs a sendpicp, two
//     words on an even word;
//   - between two pairs at events a < e of which every cycle is a boundary, e − a
//     is odd (see parityFault). So while a tile hears messages of two words back to
//     back and stores them at places that are no run, it has a pair every other
//     event and cannot begin a send in between: pair, send, pair take 2+1 words;
//   - with one more event between messages (select, send's first, neutral), a
//     receive and a send of two words take three events and four words: 3/2 of the
//     words' own time;
//   - a receive that continues the address run of the one before it has no pointer
//     (R8), hence no pair: select, send's first, select, … take two events and two
//     words. That is the words' own time.
//
// So the order of a tile's receives matters most: by address. denseOrder makes
// rounds out of that, and densePlacement times them with the rules themselves
// where placement keeps room for controls that will not be there.

// denseWords is the mean length of messages up to which dense listing is tried.
const denseWords = 4

// densePlacement is a partial schedule that keeps the rules as they are, R12
// included. placement reserves the neutral and the pointer of every receive and
// leaves parity to a repair; this one knows the receive before and behind each
// gap, hence which controls there are, and looks at the rows around them. A
// message more may take away the pointer of the receive behind it, or give it
// one; either way what is placed stays legal.
type densePlacement struct {
	*placement
	row  [][]uint8 // flags per tile and event
	addr []uint32  // per receive of the instance
	undo []denseMark
	free bool // controls may fall on first events of sends (FirstEvent)
}

// denseMark is what an event's flags were before a change.
type denseMark struct {
	tile, event int32
	flags       uint8
}

// Flags of an event of a tile.
const (
	denseSource  uint8 = 1 << iota // a source control
	densePointer                   // a pointer control
	denseFirst                     // first event of a send
	denseBusy                      // a word is sent
	denseJoin                      // first event of a send that continues another: no controls
	densePair    = denseSource | densePointer
)

func newDensePlacement(in *instance) *densePlacement {
	d := &densePlacement{placement: newPlacement(in), row: make([][]uint8, in.p.Tiles), free: in.p.Freedom == FirstEvent}
	for i := range in.p.Messages {
		for _, dest := range in.p.Messages[i].Dests {
			d.addr = append(d.addr, dest.Addr)
		}
	}
	return d
}

func (d *densePlacement) clear(c *component) {
	d.placement.clear(c)
	for _, t := range c.tiles {
		clear(d.row[t])
	}
}

func (d *densePlacement) at(tile, event int32) uint8 {
	if r := d.row[tile]; int(event) < len(r) {
		return r[event]
	}
	return 0
}

// set changes an event's flags.
func (d *densePlacement) set(tile, event int32, flags uint8) {
	if int(event) >= len(d.row[tile]) {
		d.row[tile] = append(d.row[tile], make([]uint8, int(event)+256-len(d.row[tile]))...)
	}
	if r := &d.row[tile][event]; *r != flags {
		d.undo = append(d.undo, denseMark{tile, event, *r})
		*r = flags
	}
}

func (d *densePlacement) mark(tile, event int32, flag uint8) {
	d.set(tile, event, d.at(tile, event)|flag)
}

// tight is TileStream.tight on flags: no instruction can span events u and u+1.
func (d *densePlacement) tight(tile, u int32) bool {
	a, b := d.at(tile, u), d.at(tile, u+1)
	switch {
	case b&denseFirst != 0, a&denseBusy != b&denseBusy:
		return true
	case a&denseBusy != 0:
		return b&densePair != 0
	}
	switch a & densePair {
	case 0:
		return b&densePair == densePair
	case densePair:
		return b&densePair != 0
	}
	return true
}

// pair tells whether the event has a sendpicp: both controls, or any at a first event.
func (d *densePlacement) pair(tile, e int32) bool {
	f := d.at(tile, e)
	return f&densePair == densePair || f&denseFirst != 0 && f&densePair != 0
}

// odd tells whether the pair at event e cannot be on an even word.
func (d *densePlacement) odd(tile, e int32) bool {
	u := e - 1
	for u > 0 && d.tight(tile, u) {
		if d.pair(tile, u) {
			return (e-u)%2 == 0
		}
		u--
	}
	return u <= 0 && e%2 == 0
}

// parity tells whether no pair that events from low to high can matter to is odd.
func (d *densePlacement) parity(tile, low, high int32) bool {
	for e := max(low, 1); ; e++ {
		if d.pair(tile, e) {
			if d.odd(tile, e) {
				return false
			}
			if e > high {
				return true
			}
		}
		if e > high && !d.tight(tile, e) {
			return true
		}
	}
}

// earliest is the smallest start ≥ x of message i that is legal against what is
// placed. Behind all windows there always is one. The message's flags are set.
func (d *densePlacement) earliest(i, x int32) int32 {
	s, n := d.source[i], d.items[i]
	first, last := d.first[i], d.first[i+1]
	for {
		if x < d.sentTo[s] {
			x = d.send[s].fit(x, n)
		}
		y := x
		for k := first; k < last; k++ {
			y = d.hearing(d.tile[k], d.lead[k], y, n)
		}
		d.looked += int64(last - first)
		if y == x {
			y = d.clearOfElements(i, x)
		}
		if y == x {
			if d.try(i, x) {
				return x
			}
			y++
		}
		x = y
	}
}

// clearOfElements is the start from x on at which R7 may hold.
func (d *densePlacement) clearOfElements(i, x int32) int32 {
	if s := d.source[i]; d.shared[s] {
		if y := d.clearOfReceives(i, s, x); y > x {
			return y
		}
	}
	for k := d.first[i]; k < d.first[i+1]; k++ {
		t := d.tile[k]
		if pointer := x + d.lead[k] + d.delay[t]; d.shared[t] {
			if y := d.clearOfSends(t, d.wrote[k], pointer, d.items[i]); y > pointer {
				return x + y - pointer
			}
		}
	}
	return x
}

// try sets the flags of message i for a start if its controls are legal.
func (d *densePlacement) try(i, x int32) bool {
	d.undo = d.undo[:0]
	if d.sends(i, x) && d.hears(i, x) {
		return true
	}
	for k := len(d.undo) - 1; k >= 0; k-- {
		m := d.undo[k]
		d.row[m.tile][m.event] = m.flags
	}
	return false
}

func (d *densePlacement) sends(i, x int32) bool {
	s, n := d.source[i], d.items[i]
	if d.at(s, x+1)&densePair != 0 && !d.free { // R5
		return false
	}
	d.mark(s, x+1, denseFirst)
	if d.free && !d.joined(i, x) {
		return false
	}
	for e := x + 1; e <= x+n; e++ {
		d.mark(s, e, denseBusy)
	}
	return d.parity(s, x, x+n+1)
}

// joined marks the first event of the send, and of the one behind it, if it continues
// the send right before; false if there are controls. Without freedom no first event
// has any.
func (d *densePlacement) joined(i, x int32) bool {
	s := d.source[i]
	send := func(i, x int32) RowSend {
		m := &d.p.Messages[i]
		return RowSend{Start: x, Items: m.Words, ItemAddr: m.SourceAddrs[0] / 4, Ctl: m.Control()}
	}
	l, this := &d.send[s], send(i, x)
	behind := l.after(x)
	if behind > 0 && this.joins(send(l.message[behind-1], l.start[behind-1])) {
		d.mark(s, x+1, denseJoin)
	}
	if behind < len(l.message) && send(l.message[behind], l.start[behind]).joins(this) {
		d.mark(s, this.End()+1, denseJoin)
	}
	for _, e := range [...]int32{x + 1, this.End() + 1} {
		if f := d.at(s, e); f&denseJoin != 0 && f&densePair != 0 {
			return false
		}
	}
	return true
}

func (d *densePlacement) hears(i, x int32) bool {
	n := d.items[i]
	for k := d.first[i]; k < d.first[i+1]; k++ {
		t, sigma := d.tile[k], x+d.lead[k]
		l := &d.receive[t]
		behind := l.after(sigma)
		if !d.control(t, sigma, denseSource) || !d.control(t, sigma+n, denseSource) {
			return false
		}
		fresh := behind == 0 || !d.continues(l.message[behind-1], k)
		if fresh && !d.control(t, sigma+d.delay[t], densePointer) {
			return false
		}
		next := int32(0) // where a pointer comes or goes
		if behind < len(l.message) {
			j := d.receiveOf(l.message[behind], t)
			had := behind == 0 || !d.continues(l.message[behind-1], j)
			has := !d.continues(i, j)
			if at := l.start[behind] + d.delay[t]; had && !has {
				next = at
				d.set(t, at, d.at(t, at)&^densePointer)
			} else if has && !had {
				next = at
				if !d.control(t, at, densePointer) {
					return false
				}
			}
		}
		pointer := sigma + d.delay[t]
		if !d.parity(t, sigma-1, sigma+1) || !d.parity(t, sigma+n-1, sigma+n+1) ||
			fresh && !d.parity(t, pointer-1, pointer+1) || next > 0 && !d.parity(t, next-1, next+1) {
			return false
		}
	}
	return true
}

// control sets a flag unless R5 forbids it, because a send has its first event there.
func (d *densePlacement) control(tile, event int32, flag uint8) bool {
	if f := d.at(tile, event); f&denseFirst != 0 && (!d.free || f&denseJoin != 0) {
		return false
	}
	d.mark(tile, event, flag)
	return true
}

// continues tells whether receive k goes on with the address run of message i at
// the same tile (R8).
func (d *densePlacement) continues(i, k int32) bool {
	return d.addr[d.receiveOf(i, d.tile[k])]+4*uint32(d.items[i]) == d.addr[k]
}

// receiveOf is the index of the tile's receive of message i.
func (d *densePlacement) receiveOf(i, tile int32) int32 {
	k := d.first[i]
	for d.tile[k] != tile {
		k++
	}
	return k
}

// list times the messages of a component in an order. Each may go into gaps that
// are no more than denseReach events before the ends of its machines; fewer once
// hurry, which is asked now and then, says so.
func (d *densePlacement) list(c *component, order []int32, hurry func() bool) {
	d.clear(c)
	reach, asked := int32(denseReach), int64(0)
	for _, i := range order {
		x := d.sentTo[d.source[i]]
		for k := d.first[i]; k < d.first[i+1]; k++ {
			x = max(x, d.heardTo[d.tile[k]]-d.lead[k])
		}
		d.place(i, d.earliest(i, max(x-reach, d.released(i))))
		if d.looked-asked > denseInterval {
			if asked = d.looked; hurry() {
				reach = min(reach, denseReach/8)
			}
		}
	}
}

const (
	denseReach    = 512     // events; several times what routes differ by
	denseInterval = 1 << 16 // looks, some ten milliseconds
)

// denseOrder sorts messages with one receiver by rounds: each tile receives by
// address, beginning with the first that comes from a tile behind it, so that
// tiles which hear from all others hear from different ones at any time.
func denseOrder(in *instance, c *component) []int32 {
	by := map[int32][]int32{}
	addr := func(i int32) uint32 { return in.p.Messages[i].Dests[0].Addr }
	for _, i := range c.messages {
		t := in.tile[in.first[i]]
		by[t] = append(by[t], i)
	}
	round := map[int32]int32{}
	for _, t := range c.tiles {
		list := by[t]
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(addr(a), addr(b)) })
		first := 0
		for first < len(list) && in.source[list[first]] < t {
			first++
		}
		for k, i := range list {
			round[i] = int32((k - first + len(list)) % len(list))
		}
	}
	return byKey(c.messages, func(k int) int32 { return round[c.messages[k]] })
}

// denses tells whether a component can be listed densely: a row's flags are
// bytes, and what they are worth shows where messages are short.
func (l *lister) denses(c *solved) bool {
	const most = 1 << 28 // bytes
	if l.opt.Off[ByDense] || int64(c.horizon)*int64(len(c.tiles)) > most {
		return false
	}
	for _, i := range c.messages {
		if l.wide.touches(i) {
			return false
		}
	}
	return true
}

// denseList lists a component of short messages densely, in the order of address
// runs, of the best listing and of waves, before any other is tried.
func (l *lister) denseList(c *solved) {
	words := int64(0)
	for _, i := range c.messages {
		words += int64(l.items[i])
	}
	if words > denseWords*int64(len(c.messages)) || !l.denses(c) {
		return
	}
	faults := l.faults(c)
	if len(faults) == 0 && (c.horizon <= l.goal || l.cancelled()) {
		return
	}
	inTime := l.inTime(c, c.start)
	if l.receives(&c.component) == len(c.messages) {
		l.denseKeep(c, "address runs", denseOrder(l.instance, &c.component))
	}
	if c.fit.start == nil || !l.cancelled() {
		l.denseKeep(c, "dense "+c.method, inTime)
	}
	if l.receives(&c.component) == len(c.messages) && !l.opt.Off[ByWaves] && !l.cancelled() {
		if w := waves(l.instance, &c.component); w != nil {
			l.denseKeep(c, "dense waves", byKey(c.messages, func(k int) int32 { return w[k] }))
		}
	}
	l.denseAgain(c)
	if len(faults) > 0 || c.fit.horizon < c.horizon {
		l.denseTake(c)
	}
}

// fit replaces the best listing, which rows of many tiles cannot hold, by a dense
// one; false: the component cannot be listed densely.
func (l *lister) fit(c *solved) bool {
	if !l.denses(c) {
		return false
	}
	l.denseKeep(c, "dense "+c.method, l.inTime(c, c.start))
	l.denseAgain(c)
	l.denseTake(c)
	return true
}

// denseAgain lists in the order of the best dense listing's own time, as long as
// that gains something and there is effort left: what went into gaps late comes
// first then.
func (l *lister) denseAgain(c *solved) {
	for gained := true; gained && c.fit.horizon > l.goal && !l.stop(); {
		was := c.fit.horizon
		l.denseKeep(c, c.fit.method, l.inTime(c, c.fit.start))
		gained = c.fit.horizon < was
	}
}

// inTime is the order of starts on the common clock.
func (l *lister) inTime(c *solved, start []int32) []int32 {
	return byKey(c.messages, func(k int) int32 { return start[k] + l.dispatcher.clocks.send[l.source[c.messages[k]]] })
}

// denseKeep lists in an order, but for what R9 demands, and stores the best.
func (l *lister) denseKeep(c *solved, method string, order []int32) {
	if l.short == nil {
		l.short = newDensePlacement(l.instance)
	}
	d := l.short
	l.stats.Tries++
	looked := d.looked
	d.list(&c.component, l.legalOrder(order), l.cancelled)
	l.looked += d.looked - looked
	h := int32(0)
	for _, i := range c.messages {
		h = max(h, l.completion(i, d.start[i]))
	}
	if c.fit.start != nil && h >= c.fit.horizon {
		return
	}
	c.fit.start = slices.Grow(c.fit.start[:0], len(c.messages))[:len(c.messages)]
	for k, i := range c.messages {
		c.fit.start[k] = d.start[i]
	}
	c.fit.horizon, c.fit.method = h, method
}

// denseTake makes the best dense listing the component's best.
func (l *lister) denseTake(c *solved) {
	copy(c.start, c.fit.start)
	c.horizon, c.method, c.inPlace, c.encodes, c.exact = c.fit.horizon, c.fit.method, false, true, true
	l.progress()
}
