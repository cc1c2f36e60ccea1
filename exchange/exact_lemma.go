package exchange

import (
	"cmp"
	"slices"
)

// lemma looks for a rule that starts break although they satisfy all clauses: a
// pointer at the first event of a send (R5) or where another control or a lent lane
// excludes it (R4, R10), or a control pair that no row can
// hold (R12). It returns a clause that every legal schedule satisfies and these
// starts do not, nil if they are legal.
func (m *exactModel) lemma(x []int32) (clause, error) {
	for k := range m.tiles {
		t := &m.tiles[k]
		order := t.inTime(x)
		for at := range order {
			if c := m.pointerLemma(t, order, at, x); c != nil {
				return c, nil
			}
		}
		if err := m.roles.Tile(int(t.tile), x, &m.stream); err != nil {
			return nil, err
		}
		if from, event, ok := m.stream.parityFault(); ok {
			return m.parityLemma(t, order, from, event, x), nil
		}
	}
	return nil, nil
}

// inTime sorts the receives of a tile by σ.
func (t *exactTile) inTime(x []int32) []int32 {
	order := make([]int32, len(t.receives))
	for k := range order {
		order[k] = int32(k)
	}
	sigma := func(k int32) int32 { return x[t.receives[k].message] + t.receives[k].at }
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(sigma(a), sigma(b)) })
	return order
}

// pointerLemma says of the receive at a place of the order whose pointer meets the
// first event of a send: they keep another distance, or the receive before it goes
// behind it, or one that it continues comes between the two.
func (m *exactModel) pointerLemma(t *exactTile, order []int32, at int, x []int32) clause {
	j := &t.receives[order[at]]
	if len(j.continues) == 0 || at > 0 && slices.Contains(j.continues, order[at-1]) {
		return nil // certain, so a clause of its own, or not there
	}
	for _, a := range j.avoid {
		i, distance := a.from, a.distance
		if x[j.message]-x[i] != distance {
			continue
		}
		c := clause{{j.message, i, distance - 1}, {i, j.message, -distance - 1}}
		if at > 0 {
			c = append(c, m.before(j, &t.receives[order[at-1]]))
		}
		for _, k := range j.continues {
			r := &t.receives[k]
			if slices.Index(order, k) > at {
				c = append(c, m.before(r, j)) // now behind j
			} else {
				c = append(c, m.before(&t.receives[order[at-1]], r)) // now before the one before j
			}
		}
		return c
	}
	return nil
}

// before is the literal that a tile's receive a comes before b.
func (m *exactModel) before(a, b *exactReceive) diff {
	return diff{a.message, b.message, b.at - a.at - a.busy}
}

// parityLemma says that something changes between two pairs that no row can hold:
// a message that has a part in it moves, or another comes in. The pair at event,
// all cycles since the pair at from and the words in between depend on the
// controls at events from to event and on the sends that touch these cycles.
func (m *exactModel) parityLemma(t *exactTile, order []int32, from, event int32, x []int32) clause {
	low, high := from-1, event+1
	inside := func(v int32) bool { return low <= v && v <= high }
	var c clause
	fix := func(i int32) {
		c = append(c, diff{i, m.zero(), x[i] - 1}, diff{m.zero(), i, -x[i] - 1})
	}
	// keep lets message i move within [x−down, x+up].
	keep := func(i, down, up int32) {
		if down < never {
			c = append(c, diff{i, m.zero(), x[i] - down - 1})
		}
		if up < never {
			c = append(c, diff{m.zero(), i, -x[i] - up - 1})
		}
	}
	for _, i := range t.sends {
		switch end := x[i] + m.items(i); {
		case x[i] <= high && end >= low:
			fix(i)
		case end < low:
			keep(i, never, low-1-end)
		default:
			keep(i, x[i]-high-1, never)
		}
	}
	// Receives that act there, and those before them, which decide whether their
	// pointers are written.
	taking := make([]bool, len(order))
	for at, k := range order {
		j := &t.receives[k]
		pointer := x[j.message] + j.pointer
		for _, list := range [...][]int32{j.source, j.format} {
			for _, e := range list {
				taking[at] = taking[at] || inside(x[j.message]+e)
			}
		}
		if inside(pointer) {
			taking[at] = true
			if at > 0 {
				taking[at-1] = true
			}
		}
	}
	for at, k := range order {
		j := &t.receives[k]
		if taking[at] {
			fix(j.message)
			continue
		}
		sigma := x[j.message] + j.at
		down, up := int32(never), int32(never)
		for _, e := range slices.Concat(j.source, j.pics()) {
			if v := x[j.message] + e; v < low {
				up = min(up, low-1-v)
			} else {
				down = min(down, v-high-1)
			}
		}
		for other, o := range order {
			if !taking[other] {
				continue
			}
			r := &t.receives[o]
			if s := x[r.message] + r.at; s > sigma {
				up = min(up, s-1-sigma)
			} else {
				down = min(down, sigma-s-1)
			}
		}
		keep(j.message, down, up)
	}
	return c
}
