package encode

import (
	"cmp"
	"slices"
)

// tied groups the items of an arena by the ties that are to hold: item i lies at
// off[i] of group of[i].
type tied struct {
	of, off []int64
}

// tie joins parts with their hosts and the items of the chosen Equal; false if
// these contradict each other.
func (a *Arena) tie(chosen []bool) (*tied, bool) {
	n := len(a.Items)
	t := &tied{make([]int64, n), make([]int64, n)}
	for i := range t.of {
		t.of[i] = int64(i)
	}
	// join puts y at d of x.
	join := func(x, y int, d int64) bool {
		if t.of[x] == t.of[y] {
			return t.off[y]-t.off[x] == d
		}
		from, shift := t.of[y], t.off[x]+d-t.off[y]
		for i := range t.of {
			if t.of[i] == from {
				t.of[i], t.off[i] = t.of[x], t.off[i]+shift
			}
		}
		return true
	}
	for i := range a.Items {
		if in := a.Items[i].Inside; in != nil && !join(in.Host, i, in.Offset) {
			return nil, false
		}
	}
	for i, e := range a.Equal {
		if chosen[i] && !join(e.A, e.B, 0) {
			return nil, false
		}
	}
	return t, true
}

// core is the arena with what is chosen of Equal and, behind these, of Apart as
// hard constraints; false if these alone contradict each other.
func (a *Arena) core(chosen []bool) (*packCore, bool) {
	t, ok := a.tie(chosen)
	if !ok {
		return nil, false
	}
	c := &packCore{banks: a.Banks}
	for i := range a.Classes {
		c.free = append(c.free, a.Classes[i].Ranges...)
	}
	c.free = unite(c.free)
	// Groups in the order of their first items; addresses from the lowest offset.
	variable := make([]int32, len(a.Items))
	groups := map[int64]int32{}
	lowest := []int64{}
	for i := range a.Items {
		g, known := groups[t.of[i]]
		if !known {
			g = int32(len(lowest))
			groups[t.of[i]], lowest = g, append(lowest, t.off[i])
		}
		variable[i], lowest[g] = g, min(lowest[g], t.off[i])
	}
	c.vars = make([]packVar, len(lowest))
	for g := range c.vars {
		c.vars[g] = packVar{step: 1, starts: []Interval{{0, packFar}}}
	}
	off := make([]int64, len(a.Items))
	for i := range a.Items {
		it := &a.Items[i]
		v := &c.vars[variable[i]]
		off[i] = t.off[i] - lowest[variable[i]]
		c.home = append(c.home, packHome{variable[i], off[i]})
		c.loose = c.loose || off[i] != 0
		v.extent = max(v.extent, off[i]+it.Size)
		if step := max(it.Align, 1); step > v.step {
			if mod(-off[i], v.step) != v.rest {
				return nil, false
			}
			v.step, v.rest = step, mod(-off[i], step)
		} else if mod(v.rest+off[i], step) != 0 {
			return nil, false
		}
		v.starts = meet(v.starts, a.starts(it, off[i]))
	}
	// While a host lives its parts are its own: only the rest of their lives counts.
	for i := range a.Items {
		it := &a.Items[i]
		lives := [][2]int64{{it.Lower, it.Upper}}
		for in := it.Inside; in != nil; in = a.Items[in.Host].Inside {
			h := &a.Items[in.Host]
			var rest [][2]int64
			for _, l := range lives {
				rest = append(rest, [2]int64{l[0], min(l[1], h.Lower)}, [2]int64{max(l[0], h.Upper), l[1]})
			}
			lives = rest
		}
		for _, l := range lives {
			if l[0] < l[1] {
				c.vars[variable[i]].rects = append(c.vars[variable[i]].rects, int32(len(c.rects)))
				c.rects = append(c.rects, packRect{variable[i], int32(i), int32(it.Space), l[0], l[1], off[i], it.Size})
			}
		}
	}
	c.sec = newPackSections(c.rects)
	for i, h := range c.home {
		for j, g := range c.home[:i] {
			if h.variable == g.variable && a.alive(i, j) && h.off < g.off+a.Items[j].Size && g.off < h.off+a.Items[i].Size && !a.within(i, j) && !a.within(j, i) {
				return nil, false
			}
		}
	}
	c.separate()
	for i, x := range a.Apart {
		if !chosen[len(a.Equal)+i] || !a.alive(x.A.Item, x.B.Item) {
			continue
		}
		oa, ob := off[x.A.Item], off[x.B.Item]
		b := packBanks{x.A.Start + oa, x.A.End + oa, x.B.Start + ob, x.B.End + ob}
		if v := variable[x.A.Item]; v == variable[x.B.Item] {
			c.vars[v].starts = meet(c.vars[v].starts, between(a.Banks, b))
			continue
		}
		c.apart(variable[x.A.Item], variable[x.B.Item], b)
		c.apart(variable[x.B.Item], variable[x.A.Item], packBanks{b.otherLo, b.otherHi, b.lo, b.hi})
	}
	c.grain = a.grain()
	shapes := map[string]int32{}
	for g := range c.vars {
		v := &c.vars[g]
		v.shape = -1
		if len(v.rects) == 1 && !slices.ContainsFunc(c.near[g], func(e packSep) bool { return len(e.banks) > 0 }) {
			v.shape = shapeOf(shapes, v)
		}
	}
	return c, true
}

// apart adds to the separations of v from other that two byte ranges touch no
// common bank.
func (c *packCore) apart(v, other int32, b packBanks) {
	if !c.loose {
		for k := range c.near[v] {
			if e := &c.near[v][k]; e.other == other {
				e.banks = append(e.banks, b)
				return
			}
		}
	}
	c.near[v] = append(c.near[v], packSep{other: other, banks: []packBanks{b}})
}

// between are the addresses of a group that put a border between two parts of it.
func between(banks []int64, b packBanks) []Interval {
	var list []Interval
	for _, x := range banks {
		if b.hi <= b.otherLo {
			list = append(list, Interval{x - b.otherLo, x - b.hi})
		} else if b.otherHi <= b.lo {
			list = append(list, Interval{x - b.lo, x - b.otherHi})
		}
	}
	return list
}

// starts are the addresses of a group in which an item at off of it lies in its
// class, clear of what is forbidden.
func (a *Arena) starts(it *ArenaItem, off int64) []Interval {
	var list []Interval
	for _, r := range a.Classes[it.Class].Ranges {
		free := []Interval{{r.Start, r.End - it.Size}}
		for _, f := range it.Forbidden {
			var cut []Interval
			for _, x := range free {
				cut = append(cut, Interval{x.Start, min(x.End, f.Start-it.Size)}, Interval{max(x.Start, f.End), x.End})
			}
			if f.Start < f.End {
				free = cut
			}
		}
		for _, x := range free {
			if x.Start <= x.End {
				list = append(list, Interval{x.Start - off, x.End - off})
			}
		}
	}
	return list
}

// meet intersects two lists of ascending intervals whose ends belong to them.
func meet(a, b []Interval) []Interval {
	var list []Interval
	for _, x := range a {
		for _, y := range b {
			if lo, hi := max(x.Start, y.Start, 0), min(x.End, y.End); lo <= hi {
				list = append(list, Interval{lo, hi})
			}
		}
	}
	return list
}

// unite joins intervals that overlap or touch.
func unite(list []Interval) []Interval {
	slices.SortFunc(list, func(a, b Interval) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var out []Interval
	for _, r := range list {
		if n := len(out); n > 0 && r.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, r.End)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// grain divides every number that an address can come from.
func (a *Arena) grain() int64 {
	var g int64
	add := func(list ...int64) {
		for _, x := range list {
			g = gcd(g, x)
		}
	}
	for i := range a.Classes {
		for _, r := range a.Classes[i].Ranges {
			add(r.Start)
		}
	}
	for i := range a.Items {
		it := &a.Items[i]
		add(it.Size)
		for _, f := range it.Forbidden {
			add(f.End)
		}
		if it.Inside != nil {
			add(it.Inside.Offset)
		}
	}
	for _, x := range a.Apart {
		add(a.Banks...)
		add(x.A.Start, x.A.End, x.B.Start, x.B.End)
	}
	// An alignment moves items to multiples of itself, unless all are anyway.
	for i := range a.Items {
		if align := max(a.Items[i].Align, 1); g%align != 0 {
			g = gcd(g, align)
		}
	}
	return max(g, 1)
}
