package encode

import (
	"cmp"
	"slices"
)

// packSections are the maximal sets of rectangles alive together, space by space
// and in order of time. Two rectangles that are ever alive together share a
// section, and a rectangle is in consecutive sections, so nothing else of time
// matters. There are at most as many sections as rectangles.
type packSections struct {
	members [][]int32 // rectangles of each section, ascending
	first   []int32   // first section of a rectangle
	last    []int32   // last section of a rectangle
}

func newPackSections(items []packRect) *packSections {
	type event struct {
		space int32
		at    int64
		ends  bool
		item  int32
	}
	events := make([]event, 0, 2*len(items))
	for i := range items {
		r := &items[i]
		events = append(events, event{r.space, r.lower, false, int32(i)}, event{r.space, r.upper, true, int32(i)})
	}
	slices.SortFunc(events, func(a, b event) int {
		if c := cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.at, b.at)); c != 0 {
			return c
		}
		if a.ends != b.ends { // lifetimes are half open: ends come first
			if a.ends {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.item, b.item)
	})
	s := &packSections{first: make([]int32, len(items)), last: make([]int32, len(items))}
	var alive []int32
	grown := false
	for _, e := range events {
		if !e.ends {
			s.first[e.item] = int32(len(s.members))
			alive = append(alive, e.item)
			grown = true
			continue
		}
		if grown { // the set is about to shrink: it was maximal
			members := slices.Clone(alive)
			slices.Sort(members)
			s.members = append(s.members, members)
			grown = false
		}
		s.last[e.item] = int32(len(s.members)) - 1
		alive = slices.DeleteFunc(alive, func(i int32) bool { return i == e.item })
	}
	return s
}

// Bound is a number that no placement's Height is below: the most addresses
// alive at one moment.
func (p *Packing) Bound() int64 {
	bound, _ := p.live()
	return bound
}

// live is the most addresses alive at one moment, and the items of it.
func (p *Packing) live() (bound int64, top []int32) {
	rects := make([]packRect, len(p.Items))
	for i := range p.Items {
		rects[i] = packRect{lower: p.Items[i].Lower, upper: p.Items[i].Upper}
	}
	for _, members := range newPackSections(rects).members {
		var live int64
		for _, i := range members {
			live += p.Items[i].Size
		}
		if live > bound {
			bound, top = live, members
		}
	}
	return bound, top
}
