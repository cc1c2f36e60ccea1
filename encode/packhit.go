package encode

import (
	"cmp"
	"slices"
)

// loss is what giving up a set of wishes costs: Equal before Apart.
type loss struct{ equal, apart int64 }

func (l loss) plus(m loss) loss { return loss{l.equal + m.equal, l.apart + m.apart} }

func (l loss) compare(m loss) int {
	return cmp.Or(cmp.Compare(l.equal, m.equal), cmp.Compare(l.apart, m.apart))
}

// hitting looks for cheap sets of wishes that meet each of sets.
type hitting struct {
	cost func(wish int) loss
	sets [][]int

	nodes  int
	chosen []int
	best   []int
	known  bool
	value  loss
}

// hittingNodes bounds one search for a hitting set.
const hittingNodes = 200_000

// least is a cheapest set that meets all, ascending; false if the search ended
// before it was proven.
func (h *hitting) least() ([]int, bool) {
	h.nodes, h.chosen, h.best, h.known = 0, h.chosen[:0], nil, false
	h.search(loss{})
	slices.Sort(h.best)
	return h.best, h.nodes < hittingNodes
}

// search branches on the smallest set that is not met yet.
func (h *hitting) search(value loss) {
	if h.nodes++; h.nodes >= hittingNodes || h.known && value.compare(h.value) >= 0 {
		return
	}
	open := -1
	for i, set := range h.sets {
		if (open < 0 || len(set) < len(h.sets[open])) && !slices.ContainsFunc(set, func(w int) bool { return slices.Contains(h.chosen, w) }) {
			open = i
		}
	}
	if open < 0 {
		h.best, h.value, h.known = slices.Clone(h.chosen), value, true
		return
	}
	for _, w := range h.sets[open] {
		h.chosen = append(h.chosen, w)
		h.search(value.plus(h.cost(w)))
		h.chosen = h.chosen[:len(h.chosen)-1]
	}
}
