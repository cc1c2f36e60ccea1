package check

import (
	"errors"
	"fmt"

	"ipusolve/lower"
)

// ErrRepeat reports a repeat that does not run alike in every iteration.
var ErrRepeat = errors.New("lower/check: iterations of a repeat differ")

// repeat checks what running a body several times asks for (reference: lowering.md
// §7): every tile has the same exchanges in it; its items live within it or
// throughout; iterated items hold a whole copy for every iteration, nobody writes
// them, and nothing that does not know the iteration uses them.
func (c *checker) repeat() error {
	r := c.p.Repeat
	if r == nil {
		for i := range c.p.Items {
			if c.p.Items[i].Stride != 0 {
				return fmt.Errorf("%w: %s is iterated without a repeat", ErrRepeat, c.item(i))
			}
		}
		return nil
	}
	if r.Count < 2 || r.Period < 1 || len(r.Begin) != len(c.p.Tiles) || len(r.End) != len(c.p.Tiles) {
		return fmt.Errorf("%w: %d iterations of %d steps on %d tiles", ErrRepeat, r.Count, r.Period, len(r.Begin))
	}
	first := [2]int32{-1, -1} // phases of the body
	for t, list := range c.p.Tiles {
		begin, end := r.Begin[t], r.End[t]
		if begin < 0 || begin > end || int(end) > len(list) {
			return fmt.Errorf("%w: body %d..%d of %d on tile %d", ErrRepeat, begin, end, len(list), t)
		}
		phases := [2]int32{-1, -1}
		for k, w := range list {
			in := int32(k) >= begin && int32(k) < end
			if w.Kind == lower.WorkExchange && in {
				if phases[0] < 0 {
					phases[0] = w.Phase
				}
				phases[1] = w.Phase
			}
			for _, a := range w.Args {
				if a.Item >= 0 && int(a.Item) < len(c.p.Items) && c.p.Items[a.Item].Stride > 0 && !in {
					return fmt.Errorf("%w: work %d of tile %d uses %s", ErrRepeat, k, t, c.item(int(a.Item)))
				}
			}
			if last := int64(w.Step) + int64(r.Count-1)*int64(r.Period); in && (w.Step < 0 || last >= int64(len(c.p.Plan.Steps))) {
				return fmt.Errorf("%w: work %d of tile %d serves step %d", ErrRepeat, k, t, w.Step)
			}
		}
		if t == 0 {
			first = phases
		} else if phases != first {
			return fmt.Errorf("%w: phases %v on tile 0, %v on tile %d", ErrRepeat, first, phases, t)
		}
	}
	if r.Phases < 0 || r.Phases > 0 && (r.Phase != first[0] || r.Phases != first[1]-first[0]+1) || r.Phases == 0 && first[0] >= 0 {
		return fmt.Errorf("%w: phases %v in the body, %d from %d said to be", ErrRepeat, first, r.Phases, r.Phase)
	}
	for i := range c.p.Items {
		it := &c.p.Items[i]
		begin, end := r.Begin[it.Tile]+1, r.End[it.Tile]
		outside := it.Last < begin || it.First > end
		within := it.First >= begin && it.Last <= end
		throughout := it.First <= begin && it.Last >= end
		if begin <= end && !outside && !within && !throughout {
			return fmt.Errorf("%w: %s lives %d..%d, the body is %d..%d", ErrRepeat, c.item(i), it.First, it.Last, begin, end)
		}
		if it.Stride == 0 {
			continue
		}
		if copies := uint64(r.Count-1) * uint64(it.Stride); !throughout || it.Stride%max(it.Align, 8) != 0 ||
			copies >= uint64(it.Bytes) || uint64(it.Bytes)-copies+uint64(it.Tail) > uint64(it.Stride) {
			return fmt.Errorf("%w: %s, stride %d, lives %d..%d", ErrRepeat, c.item(i), it.Stride, it.First, it.Last)
		}
	}
	for id := range c.p.Phases {
		for k, t := range c.p.Phases[id].Transfers {
			for _, x := range append([]lower.Ref{t.Source}, t.Dests...) {
				if x.Item >= 0 && int(x.Item) < len(c.p.Items) && c.p.Items[x.Item].Stride > 0 {
					return fmt.Errorf("%w: phase %d transfer %d moves a part of %s", ErrRepeat, id, k, c.item(int(x.Item)))
				}
			}
		}
	}
	return nil
}

// iterations is how often a work item runs.
func (c *checker) iterations(tile, work int) int {
	if r := c.p.Repeat; r != nil && work >= int(r.Begin[tile]) && work < int(r.End[tile]) {
		return int(r.Count)
	}
	return 1
}
