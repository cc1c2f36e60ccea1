package encode

import (
	"fmt"
	"slices"
)

// packCore is what the search sees of a packing or an arena. A variable is a
// rigid group of rectangles (one, unless items are tied together); its value is
// the address of the group.
//
//	Packing ──┐                       ┌── packInOrder   (constructive)
//	          ├──> packCore ──────────┤
//	Arena  ───┘  variables, rects,    └── packSearch    (exact)
//	             domains, separations
type packCore struct {
	rects []packRect
	vars  []packVar
	home  []packHome  // of every item of an arena
	near  [][]packSep // per variable
	sec   *packSections
	free  []Interval // addresses that any rectangle may hold, ascending
	banks []int64
	// loose: some rectangle is not at its group's address. Then a group above
	// another by address need not be above it everywhere.
	loose bool
	grain int64 // divides all values and tops of settled placements
}

// packRect is a rectangle at offset off of a variable's address.
type packRect struct {
	variable     int32
	item         int32
	space        int32
	lower, upper int64
	off, size    int64
}

// packHome is where an item lies: at an offset of a variable's address.
type packHome struct {
	variable int32
	off      int64
}

// packVar is a group: its address is ≡ rest modulo step, in one of starts.
type packVar struct {
	rects      []int32
	extent     int64 // highest off + size
	step, rest int64
	starts     []Interval // End is the last start, not one more
	// shape is equal for variables that differ at most in lifetime; −1: unlike any.
	shape int32
}

// packSep separates a variable (at x) from another (at y): y ≥ x+up or x ≥ y+down
// if bytes, and no common bank for every entry of banks.
type packSep struct {
	other    int32
	bytes    bool
	up, down int64
	banks    []packBanks
}

// packBanks are the byte ranges of the two groups that must be apart.
type packBanks struct{ lo, hi, otherLo, otherHi int64 }

// packFar lies above every address.
const packFar = maxPackCapacity * 2

// place is the lowest address at or above low in the domain of v; packFar if none.
func (v *packVar) place(low int64) int64 {
	for i := range v.starts {
		if low > v.starts[i].End {
			continue
		}
		x := max(low, v.starts[i].Start)
		if v.step > 1 {
			x += mod(v.rest-x, v.step)
		}
		if x <= v.starts[i].End {
			return x
		}
	}
	return packFar
}

func mod(x, m int64) int64 {
	if x %= m; x < 0 {
		x += m
	}
	return x
}

// above is the lowest address of the other group above this one at x.
func (c *packCore) above(e *packSep, x int64) int64 {
	y := int64(0)
	if e.bytes {
		y = x + e.up
	}
	for i := range e.banks {
		y = max(y, bankEnd(c.banks, x+e.banks[i].hi-1)-e.banks[i].otherLo)
	}
	return y
}

// below is the lowest address of this group above the other at y.
func (c *packCore) below(e *packSep, y int64) int64 {
	x := int64(0)
	if e.bytes {
		x = y + e.down
	}
	for i := range e.banks {
		x = max(x, bankEnd(c.banks, y+e.banks[i].otherHi-1)-e.banks[i].lo)
	}
	return x
}

// clash tells whether a group at x and the other at y break their separation,
// and the least address above x that this one needs then.
func (c *packCore) clash(e *packSep, x, y int64) (int64, bool) {
	to := x
	if e.bytes && y < x+e.up && x < y+e.down {
		to = y + e.down
	}
	for i := range e.banks {
		b := &e.banks[i]
		if end := bankEnd(c.banks, y+b.otherHi-1); x+b.lo < end && y+b.otherLo < bankEnd(c.banks, x+b.hi-1) {
			to = max(to, end-b.lo)
		}
	}
	return to, to > x
}

// fit is the lowest address at or above to where i clashes with no variable that
// skip leaves in.
func (c *packCore) fit(i int32, to int64, at []int64, skip []bool) int64 {
	x := c.vars[i].place(to)
	for again := true; again && x < packFar; {
		again = false
		for k := range c.near[i] {
			e := &c.near[i][k]
			if skip[e.other] {
				continue
			}
			if y, hit := c.clash(e, x, at[e.other]); hit {
				x, again = c.vars[i].place(y), true
			}
		}
	}
	return x
}

// advance is the lowest address with n usable addresses from h on below it.
func (c *packCore) advance(h, n int64) int64 {
	for i := range c.free {
		f := &c.free[i]
		if h >= f.End {
			continue
		}
		h = max(h, f.Start)
		if n <= f.End-h {
			return h + n
		}
		n -= f.End - h
	}
	return packFar
}

// room is the number of usable addresses from lo to before hi.
func (c *packCore) room(lo, hi int64) int64 {
	if len(c.free) == 1 {
		return min(hi, c.free[0].End) - max(lo, c.free[0].Start)
	}
	var n int64
	for i := range c.free {
		n += max(0, min(hi, c.free[i].End)-max(lo, c.free[i].Start))
	}
	return n
}

// height is the first address above all groups.
func (c *packCore) height(at []int64) int64 {
	var h int64
	for i := range at {
		h = max(h, at[i]+c.vars[i].extent)
	}
	return h
}

// bound is a number that no height is below, and the rectangles of the section
// that shows it: each section is a stack over the lowest addresses its
// rectangles may have.
func (c *packCore) bound() (int64, []int32) {
	low := make([]int64, len(c.vars))
	for i := range c.vars {
		low[i] = c.vars[i].place(0)
	}
	var bound int64
	var top []int32
	for _, members := range c.sec.members {
		list := slices.Clone(members)
		at := func(r int32) int64 { return low[c.rects[r].variable] + c.rects[r].off }
		slices.SortFunc(list, func(a, b int32) int { return int(min(1, max(-1, at(a)-at(b)))) })
		var h int64
		for _, r := range list {
			h = c.advance(max(h, at(r)), c.rects[r].size)
		}
		if h > bound {
			bound, top = h, members
		}
	}
	return bound, top
}

// newPackCore is the core of a packing: a variable and a rectangle per item.
func newPackCore(p *Packing) *packCore {
	c := &packCore{free: []Interval{{0, p.Capacity}}, grain: p.grain()}
	shapes := map[string]int32{}
	for i := range p.Items {
		it := &p.Items[i]
		c.rects = append(c.rects, packRect{int32(i), int32(i), 0, it.Lower, it.Upper, 0, it.Size})
		c.vars = append(c.vars, packVar{rects: []int32{int32(i)}, extent: it.Size, step: max(it.Align, 1),
			starts: []Interval{{0, p.Capacity - it.Size}}})
	}
	for i := range c.vars {
		c.vars[i].shape = shapeOf(shapes, &c.vars[i])
	}
	c.sec = newPackSections(c.rects)
	c.separate()
	return c
}

func shapeOf(known map[string]int32, v *packVar) int32 {
	key := fmt.Sprint(v.extent, v.step, v.rest, v.starts)
	if _, ok := known[key]; !ok {
		known[key] = int32(len(known))
	}
	return known[key]
}

// separate lists which variables are in each other's way in time.
func (c *packCore) separate() {
	c.near = make([][]packSep, len(c.vars))
	for r := range int32(len(c.rects)) {
		x := &c.rects[r]
		for k := c.sec.first[r]; k <= c.sec.last[r]; k++ {
			for _, q := range c.sec.members[k] {
				y := &c.rects[q]
				if x.variable != y.variable && (k == c.sec.first[r] || k == c.sec.first[q]) {
					c.near[x.variable] = c.addSep(c.near[x.variable], packSep{other: y.variable, bytes: true, up: x.off + x.size - y.off, down: y.off + y.size - x.off})
				}
			}
		}
	}
}

// addSep appends a separation. Where groups are rectangles at one address, the
// one above is above everywhere: separations from one other are one.
func (c *packCore) addSep(list []packSep, s packSep) []packSep {
	if len(c.rects) > len(c.vars) && !c.loose {
		for i := range list {
			if e := &list[i]; e.other == s.other {
				e.up, e.down = max(e.up, s.up), max(e.down, s.down)
				return list
			}
		}
	}
	return append(list, s)
}
