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

// densePlacement is a partial schedule in which every machine takes messages in
// the order of time. It knows which receive comes before each, and so exactly
// which controls there are.
type densePlacement struct {
	*instance
	start  []int32   // per message placed
	row    [][]uint8 // per tile and event
	sentTo []int32
	last   []int32 // per tile: the message received last, −1 if none
	heard  []int32 // end of that message's window
	runEnd []uint32
	addr   []uint32 // per receive of the instance
	undo   []denseMark
}

// denseMark is a flag that was set and can be taken back.
type denseMark struct {
	tile, event int32
	flag        uint8
}

// Flags of an event of a tile.
const (
	denseSource  uint8 = 1 << iota // a source control
	densePointer                   // a pointer control
	denseFirst                     // first event of a send
	denseBusy                      // a word is sent
	densePair    = denseSource | densePointer
)

func newDensePlacement(in *instance) *densePlacement {
	tiles := in.p.Tiles
	d := &densePlacement{instance: in, start: make([]int32, len(in.items)), row: make([][]uint8, tiles), sentTo: make([]int32, tiles), last: make([]int32, tiles),
		heard: make([]int32, tiles), runEnd: make([]uint32, tiles)}
	for i := range in.p.Messages {
		for _, dest := range in.p.Messages[i].Dests {
			d.addr = append(d.addr, dest.Addr)
		}
	}
	return d
}

func (d *densePlacement) clear(c *component) {
	for _, t := range c.tiles {
		clear(d.row[t])
		d.sentTo[t], d.last[t], d.heard[t], d.runEnd[t] = 0, -1, 0, 0
	}
}

func (d *densePlacement) at(tile, event int32) uint8 {
	if r := d.row[tile]; int(event) < len(r) {
		return r[event]
	}
	return 0
}

// mark sets a flag that is not set.
func (d *densePlacement) mark(tile, event int32, flag uint8) {
	if int(event) >= len(d.row[tile]) {
		d.row[tile] = append(d.row[tile], make([]uint8, int(event)+256-len(d.row[tile]))...)
	}
	if d.row[tile][event]&flag == 0 {
		d.row[tile][event] |= flag
		d.undo = append(d.undo, denseMark{tile, event, flag})
	}
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

// odd tells whether the pair at event e cannot be on an even word.
func (d *densePlacement) odd(tile, e int32) bool {
	u := e - 1
	for u > 0 && d.tight(tile, u) {
		if d.at(tile, u)&densePair == densePair {
			return (e-u)%2 == 0
		}
		u--
	}
	return u <= 0 && e%2 == 0
}

// parity tells whether no pair that events from low to high can matter to is odd.
func (d *densePlacement) parity(tile, low, high int32) bool {
	for e := max(low, 1); ; e++ {
		if d.at(tile, e)&densePair == densePair {
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

// try places message i at x if that is legal against what is placed before it.
func (d *densePlacement) try(i, x int32) bool {
	d.undo = d.undo[:0]
	if d.fits(i, x) {
		return true
	}
	for _, m := range d.undo {
		d.row[m.tile][m.event] &^= m.flag
	}
	return false
}

func (d *densePlacement) fits(i, x int32) bool {
	s, n := d.source[i], d.items[i]
	if d.at(s, x+1)&densePair != 0 { // R5
		return false
	}
	d.mark(s, x+1, denseFirst)
	for e := x + 1; e <= x+n; e++ {
		d.mark(s, e, denseBusy)
	}
	if !d.parity(s, x, x+n+1) {
		return false
	}
	for k := d.first[i]; k < d.first[i+1]; k++ {
		t, sigma := d.tile[k], x+d.lead[k]
		pointer := sigma + d.delay[t]
		continues := d.last[t] >= 0 && d.runEnd[t] == d.addr[k]
		if (d.at(t, sigma)|d.at(t, sigma+n))&denseFirst != 0 || !continues && d.at(t, pointer)&denseFirst != 0 {
			return false
		}
		d.mark(t, sigma, denseSource)
		d.mark(t, sigma+n, denseSource)
		if !d.parity(t, sigma-1, sigma+1) || !d.parity(t, sigma+n-1, sigma+n+1) {
			return false
		}
		if !continues {
			d.mark(t, pointer, densePointer)
			if !d.parity(t, pointer-1, pointer+1) {
				return false
			}
		}
	}
	return true
}

// densePatience is the number of starts after which a message is given up.
const densePatience = 4096

// list times messages in an order; false: one fits nowhere.
func (d *densePlacement) list(c *component, order []int32) bool {
	d.clear(c)
	for _, i := range order {
		s, n := d.source[i], d.items[i]
		x := max(d.head[i], d.sentTo[s])
		for k := d.first[i]; k < d.first[i+1]; k++ {
			x = max(x, d.heard[d.tile[k]]-d.lead[k])
		}
		for tries := 0; !d.try(i, x); tries++ {
			if tries == densePatience {
				return false
			}
			x++
		}
		d.start[i] = x
		d.sentTo[s] = x + n
		for k := d.first[i]; k < d.first[i+1]; k++ {
			t := d.tile[k]
			d.last[t], d.heard[t], d.runEnd[t] = i, x+d.lead[k]+n, d.addr[k]+4*uint32(n)
		}
	}
	return true
}

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

// denseList tries the order of address runs, and that of the best listing, with
// the rules as they are. It keeps what is better, or what there is if the rows of
// many tiles cannot hold the best listing so far.
func (l *lister) denseList(c *solved) {
	words, receives := int64(0), l.receives(&c.component)
	for _, i := range c.messages {
		words += int64(l.items[i])
		if l.pinned(i) || l.wide.touches(i) {
			return
		}
	}
	if l.opt.Off[ByDense] || receives > len(c.messages) || words > denseWords*int64(receives) {
		return
	}
	for _, t := range c.tiles {
		if l.shared[t] {
			return
		}
	}
	needed := l.dense(c)
	if !needed && (c.horizon <= l.goal || l.cancelled()) {
		return
	}
	if l.short == nil {
		l.short = newDensePlacement(l.instance)
	}
	horizon := c.horizon
	if needed {
		c.horizon = never
	}
	inTime := byKey(c.messages, func(k int) int32 { return c.start[k] + l.dispatcher.clocks.send[l.source[c.messages[k]]] })
	name := "dense " + c.method
	l.denseKeep(c, "address runs", denseOrder(l.instance, &c.component))
	if c.horizon == never || !l.cancelled() {
		l.denseKeep(c, name, inTime)
	}
	if c.horizon == never {
		c.horizon = horizon // none was found
	}
}

// denseKeep keeps the dense listing in an order if it is better than the best.
func (l *lister) denseKeep(c *solved, method string, order []int32) {
	d := l.short
	if !d.list(&c.component, order) {
		return
	}
	l.looked += int64(len(c.messages))
	h := int32(0)
	for _, i := range c.messages {
		h = max(h, l.completion(i, d.start[i]))
	}
	if h >= c.horizon {
		return
	}
	for k, i := range c.messages {
		c.start[k] = d.start[i]
	}
	c.horizon, c.method, c.inPlace, c.encodes, c.exact = h, method, false, true, true
	l.progress()
}
