package encode

import (
	"cmp"
	"slices"

	"ipusolve/solve"
)

// The inferences of the packing search that solve.Options.Disable can name.
const (
	PackMemo      solve.Technique = "packing-memo"       // remember failed subproblems
	PackSplit     solve.Technique = "packing-split"      // independent stretches of time one by one
	PackNotFirst  solve.Technique = "packing-not-first"  // items that cannot lie below a set of others
	PackOnlyFirst solve.Technique = "packing-only-first" // the only item that can be lowest is
	PackFree      solve.Technique = "packing-free"       // place what is in nobody's way
	PackEqual     solve.Technique = "packing-equal"      // equal items in the order of the record
	PackRestarts  solve.Technique = "packing-restarts"   // restart with the weights learned
	PackGreedy    solve.Technique = "packing-greedy"     // constructive placements first
)

// PackTechniques lists them in the order an ablation prints them.
func PackTechniques() []solve.Technique {
	return []solve.Technique{PackMemo, PackSplit, PackNotFirst, PackOnlyFirst, PackFree, PackEqual, PackRestarts, PackGreedy}
}

type packInferences struct {
	memo, split, notFirst, onlyFirst, free, equal, restarts, greedy bool
}

func newPackInferences(disable []solve.Technique) packInferences {
	on := func(t solve.Technique) bool { return !slices.Contains(disable, t) }
	return packInferences{
		memo: on(PackMemo), split: on(PackSplit), notFirst: on(PackNotFirst), onlyFirst: on(PackOnlyFirst),
		free: on(PackFree), equal: on(PackEqual), restarts: on(PackRestarts), greedy: on(PackGreedy),
	}
}

// propagate looks at dirty sections until none is left; false when a section
// cannot be completed.
func (s *packSearch) propagate() bool {
	for head := 0; head < len(s.queue); head++ {
		k := s.queue[head]
		s.dirty[k] = false
		if !s.section(k) {
			s.weight[k]++
			s.forget(head)
			return false
		}
	}
	s.queue = s.queue[:0]
	return true
}

// section treats one section as a stack of its open rectangles in some order: a
// machine that processes items after their release dates, the lows, before a
// common deadline, the capacity.
func (s *packSearch) section(k int32) bool {
	open := s.stack[:0]
	for _, r := range s.sec.members[k] {
		if s.open[s.rects[r].variable] {
			open = append(open, r)
		}
	}
	s.stack = open
	s.firsts[k] = int32(len(open))

	// The stack in order of low is the lowest possible one.
	slices.SortFunc(open, func(a, b int32) int { return cmp.Compare(s.rectLow(a), s.rectLow(b)) })
	var height int64
	for _, r := range open {
		height = s.advance(max(height, s.rectLow(r)), s.rects[r].size)
	}
	if height > s.capacity {
		return false
	}
	if len(open) < 2 || !s.use.notFirst {
		return true
	}
	// In order of falling tops, i has too little room to lie below the items of a
	// prefix that overflows: it lies above one of them. (Raises on the way upset
	// the order, hence the minimum.)
	slices.SortFunc(open, func(a, b int32) int {
		if c := cmp.Compare(s.rectTop(b), s.rectTop(a)); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	firsts, only := int32(0), int32(-1)
	for _, i := range open {
		room := s.room(s.rectTop(i), s.capacity)
		if room >= s.left[k]-s.rects[i].size {
			firsts, only = firsts+1, i
			continue
		}
		to := s.capacity
		for _, j := range open {
			if j == i {
				continue
			}
			to = min(to, s.rectTop(j))
			if room -= s.rects[j].size; room < 0 {
				break
			}
		}
		if !s.raiseRect(i, to) {
			return false
		}
	}
	s.firsts[k] = firsts
	if firsts == 0 {
		return false
	}
	if firsts == 1 && s.use.onlyFirst {
		for _, j := range open {
			if j != only && !s.raiseRect(j, s.rectTop(only)) {
				return false
			}
		}
	}
	return true
}

// raiseRect lifts a rectangle with its variable.
func (s *packSearch) raiseRect(r int32, to int64) bool {
	return s.raise(s.rects[r].variable, to-s.rects[r].off)
}

// settleFree places the open items of sections from … to that no open
// neighbour could gain from: all of those lie above anyway.
func (s *packSearch) settleFree(from, to int32) bool {
	for again := s.use.free; again; {
		again = false
		for i := range s.each(from, to) {
			if slices.ContainsFunc(s.near[i], func(e packSep) bool { return s.open[e.other] && s.low[e.other] < s.above(&e, s.low[i]) }) {
				continue
			}
			if !s.settle(i) {
				return false
			}
			again = true
		}
		if again && !s.propagate() {
			return false
		}
	}
	return true
}
