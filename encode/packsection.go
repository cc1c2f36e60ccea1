package encode

import (
	"cmp"
	"slices"
)

// packSections are the maximal sets of items alive together, in order of time.
// Two items that are ever alive together share a section, and an item is in
// consecutive sections, so nothing else of time matters. There are at most as
// many sections as items.
type packSections struct {
	members [][]int32 // items of each section, ascending
	first   []int32   // first section of an item
	last    []int32   // last section of an item
}

func newPackSections(items []PackItem) *packSections {
	type event struct {
		at   int64
		ends bool
		item int32
	}
	events := make([]event, 0, 2*len(items))
	for i := range items {
		events = append(events, event{items[i].Lower, false, int32(i)}, event{items[i].Upper, true, int32(i)})
	}
	slices.SortFunc(events, func(a, b event) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
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

// overlap reports whether two items are ever alive together.
func (s *packSections) overlap(i, j int32) bool {
	return s.first[i] <= s.last[j] && s.first[j] <= s.last[i]
}

// bound is the greatest total size of a section, and its members.
func (s *packSections) bound(items []PackItem) (int64, []int32) {
	var bound int64
	var top []int32
	for _, members := range s.members {
		var live int64
		for _, i := range members {
			live += items[i].Size
		}
		if live > bound {
			bound, top = live, members
		}
	}
	return bound, top
}

// Bound is a number that no placement's Height is below: the most addresses
// alive at one moment.
func (p *Packing) Bound() int64 {
	bound, _ := newPackSections(p.Items).bound(p.Items)
	return bound
}
