package encode

import (
	"cmp"
	"context"
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
	ctx  context.Context
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
	return h.best, !h.spent()
}

// all lists the sets of the least cost that meet all, each ascending; false if
// there are more than limit or the search ended early. Costs are positive, so that
// no set holds another.
func (h *hitting) all(least loss, limit int) (list [][]int, ok bool) {
	h.nodes, h.chosen = 0, h.chosen[:0]
	var visit func(value loss)
	visit = func(value loss) {
		if h.nodes++; h.spent() || value.compare(least) > 0 || len(list) > limit {
			return
		}
		open := h.unmet()
		if open < 0 {
			set := slices.Clone(h.chosen)
			slices.Sort(set)
			if !slices.ContainsFunc(list, func(s []int) bool { return slices.Equal(s, set) }) {
				list = append(list, set)
			}
			return
		}
		for _, w := range h.sets[open] {
			h.chosen = append(h.chosen, w)
			visit(value.plus(h.cost(w)))
			h.chosen = h.chosen[:len(h.chosen)-1]
		}
	}
	visit(loss{})
	return list, !h.spent() && len(list) <= limit
}

// spent tells whether the nodes are used up or the context has ended; the rest of
// the search is skipped then.
func (h *hitting) spent() bool {
	const interval = 1 << 10 // nodes between two looks at the context
	if h.nodes%interval == 0 && h.ctx.Err() != nil {
		h.nodes = hittingNodes
	}
	return h.nodes >= hittingNodes
}

// unmet is the smallest set that none of chosen meets, -1 if there is none.
func (h *hitting) unmet() int {
	open := -1
	for i, set := range h.sets {
		if (open < 0 || len(set) < len(h.sets[open])) && !slices.ContainsFunc(set, func(w int) bool { return slices.Contains(h.chosen, w) }) {
			open = i
		}
	}
	return open
}

// search branches on the smallest set that is not met yet.
func (h *hitting) search(value loss) {
	if h.nodes++; h.spent() || h.known && value.compare(h.value) >= 0 {
		return
	}
	open := h.unmet()
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
