package encode

import (
	"fmt"
	"math"
)

// Arena asks for an address per item of one or more spaces that share an
// address scale: the placement of one tile, or of two that want equal addresses.
// In one space, items alive at the same time are disjoint; across spaces only
// Equal speaks. Objectives in order: feasible; the least Price of items in two
// parts; the most Weight of Equal that holds; the least Weight of soft Apart that does
// not; the lowest Height.
//
// A group that is iterated n times is one item of n strides.
type Arena struct {
	Name    string
	Classes []ArenaClass
	// Banks are ascending borders; bank k holds the addresses from border k to
	// before border k+1. What lies before the first and behind the last is a bank
	// too.
	Banks []int64
	Items []ArenaItem
	Apart []Apart
	Equal []Equal
	// Border splits classes at one address, to be chosen; nil: none.
	Border *Border
}

// ArenaClass says where items may lie: each inside one of its ranges, which
// ascend and are disjoint.
type ArenaClass struct {
	Name   string
	Ranges []Interval
}

// Interval is [Start, End).
type Interval struct{ Start, End int64 }

// ArenaItem is one rectangle in time × addresses.
type ArenaItem struct {
	ID    string // unique
	Space int
	Class int
	Lower int64 // first moment alive
	Upper int64 // first moment no longer alive, > Lower
	Size  int64 // > 0
	Align int64 // power of two; 0 means 1
	// Forbidden are addresses that the item must not hold.
	Forbidden []Interval
	// Inside, if set, fixes the item within another: it is a part of it.
	Inside *Inside
	// Split, if set, lets the item lie in two parts. It is no part of another item then
	// and has none.
	Split *Split
}

// Split says where an item may be cut and what that costs: a call of its kernel more.
// Each part lies as the item would have to: within a range of its class, at a multiple of Align.
type Split struct {
	At    []int64 // bytes of the first part, ascending, between 0 and Size
	Price int64   // > 0
}

// Inside puts an item at Host's address + Offset. Its bytes are Host's while that
// lives. Host is of the same space, and the part inside it.
type Inside struct {
	Host   int
	Offset int64 // a multiple of the item's alignment
}

// Apart asks that the parts A and B of two items of a space touch no common bank
// while both live. Of an item in two parts that goes for each.
type Apart struct {
	A, B   Part
	Weight int64 // 0: must; else the price of touching one
}

// Part is the non-empty range [Start, End) of an item.
type Part struct {
	Item       int
	Start, End int64
}

// Equal is worth Weight > 0 if two items have one address. Of an item in two parts the
// first one is worth Weight in proportion to its bytes, rounded down (of two such items
// the lesser worth), and the second the rest if the second parts of both, cut at one place, have one address.
type Equal struct {
	A, B   int
	Weight int64
}

// Border: for one b of At, items of class Below end at or below b, and no item of
// class Above holds an address from From to before b.
type Border struct {
	Below, Above int // classes
	From         int64
	At           []int64 // ascending, ≥ From
}

// Validate reports the first thing wrong with the record. The error wraps
// ErrPacking.
func (a *Arena) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("encode: %w: %s: %s", ErrPacking, a.Name, fmt.Sprintf(format, args...))
	}
	for i := range a.Classes {
		last := int64(0)
		for _, r := range a.Classes[i].Ranges {
			if r.Start < last || r.End < r.Start || r.End > maxPackCapacity {
				return fail("class %q has range %d to %d", a.Classes[i].Name, r.Start, r.End)
			}
			last = r.End
		}
	}
	for i, b := range a.Banks {
		if b < 0 || b > maxPackCapacity || i > 0 && b <= a.Banks[i-1] {
			return fail("bank border %d", b)
		}
	}
	seen := make(map[string]bool, len(a.Items))
	var total, weight int64
	for i := range a.Items {
		it := &a.Items[i]
		switch {
		case seen[it.ID]:
			return fail("item %q appears twice", it.ID)
		case it.Class < 0 || it.Class >= len(a.Classes) || it.Space < 0 || it.Space > math.MaxInt32:
			return fail("item %q is of class %d in space %d", it.ID, it.Class, it.Space)
		case it.Lower >= it.Upper:
			return fail("item %q lives from %d to %d", it.ID, it.Lower, it.Upper)
		case it.Size <= 0 || it.Size > maxPackCapacity-total:
			return fail("item %q has size %d", it.ID, it.Size)
		case it.Align < 0 || it.Align > 1<<40 || it.Align&(it.Align-1) != 0:
			return fail("item %q has alignment %d", it.ID, it.Align)
		}
		for _, r := range it.Forbidden {
			if r.Start < 0 || r.End < r.Start || r.End > maxPackCapacity {
				return fail("item %q must not lie in %d to %d", it.ID, r.Start, r.End)
			}
		}
		if err := it.Split.fault(it); err != "" {
			return fail("item %q %s", it.ID, err)
		}
		seen[it.ID], total = true, total+it.Size
	}
	for i := range a.Items {
		it := &a.Items[i]
		if it.Inside == nil {
			continue
		}
		h, o := it.Inside.Host, it.Inside.Offset
		if h < 0 || h >= len(a.Items) || h == i || a.Items[h].Space != it.Space || o < 0 || o > a.Items[h].Size-it.Size || o%max(it.Align, 1) != 0 {
			return fail("item %q inside item %d at %d", it.ID, h, o)
		}
		if it.Split != nil || a.Items[h].Split != nil {
			return fail("item %q inside item %q, and one may be cut", it.ID, a.Items[h].ID)
		}
		steps := 0
		for j := i; a.Items[j].Inside != nil; j = a.Items[j].Inside.Host {
			if steps++; steps > len(a.Items) {
				return fail("item %q is inside itself", it.ID)
			}
			if h := a.Items[j].Inside.Host; h < 0 || h >= len(a.Items) {
				return fail("item %q inside item %d", a.Items[j].ID, h)
			}
		}
	}
	for _, x := range a.Apart {
		for _, p := range []Part{x.A, x.B} {
			if p.Item < 0 || p.Item >= len(a.Items) || p.Start < 0 || p.Start >= p.End || p.End > maxPackCapacity {
				return fail("part %+v is to be apart", p)
			}
		}
		if x.A.Item == x.B.Item || a.Items[x.A.Item].Space != a.Items[x.B.Item].Space || a.root(x.A.Item) == a.root(x.B.Item) {
			return fail("items %q and %q cannot be apart", a.Items[x.A.Item].ID, a.Items[x.B.Item].ID)
		}
		if x.Weight < 0 || x.Weight > maxPackCapacity-weight {
			return fail("weight %d", x.Weight)
		}
		weight += x.Weight
	}
	for _, x := range a.Equal {
		if x.A < 0 || x.A >= len(a.Items) || x.B < 0 || x.B >= len(a.Items) || x.A == x.B || x.Weight < 1 || x.Weight > maxPackCapacity-weight {
			return fail("equal items %d and %d of weight %d", x.A, x.B, x.Weight)
		}
		weight += x.Weight
	}
	if b := a.Border; b != nil {
		if b.Below < 0 || b.Below >= len(a.Classes) || b.Above < 0 || b.Above >= len(a.Classes) || b.Below == b.Above || len(b.At) == 0 || b.From < 0 {
			return fail("border between classes %d and %d", b.Below, b.Above)
		}
		for i, x := range b.At {
			if x < b.From || x > maxPackCapacity || i > 0 && x <= b.At[i-1] {
				return fail("border at %d", x)
			}
		}
	}
	return nil
}

// fault says what is wrong with the ways to cut an item; "" if nothing is.
func (s *Split) fault(it *ArenaItem) string {
	if s == nil {
		return ""
	}
	if s.Price < 1 || s.Price > maxPackCapacity>>16 || len(s.At) == 0 {
		return fmt.Sprintf("may be cut at %d places for a price of %d", len(s.At), s.Price)
	}
	for i, x := range s.At {
		if x < 1 || x >= it.Size || i > 0 && x <= s.At[i-1] {
			return fmt.Sprintf("of size %d may be cut at %d", it.Size, x)
		}
	}
	return ""
}

// root is the outermost item that holds item i.
func (a *Arena) root(i int) int {
	for a.Items[i].Inside != nil {
		i = a.Items[i].Inside.Host
	}
	return i
}

// within tells whether item i is a part of j, or of a part of it.
func (a *Arena) within(i, j int) bool {
	for a.Items[i].Inside != nil {
		if i = a.Items[i].Inside.Host; i == j {
			return true
		}
	}
	return false
}

// Height is the first address above all items of a placement.
func (a *Arena) Height(at Placement) int64 {
	var h int64
	for i := range at {
		h = max(h, at[i]+a.Items[i].Size)
	}
	return h
}

// Equals is the weight of Equal that a placement keeps.
func (a *Arena) Equals(at Placement) int64 {
	var w int64
	for _, x := range a.Equal {
		if at[x.A] == at[x.B] {
			w += x.Weight
		}
	}
	return w
}

// Overlaps is the weight of Apart that a placement breaks.
func (a *Arena) Overlaps(at Placement) int64 {
	var w int64
	for _, x := range a.Apart {
		if x.Weight > 0 && a.alive(x.A.Item, x.B.Item) && a.share(x, at) {
			w += x.Weight
		}
	}
	return w
}

func (a *Arena) alive(i, j int) bool {
	x, y := &a.Items[i], &a.Items[j]
	return x.Space == y.Space && x.Lower < y.Upper && y.Lower < x.Upper
}

// share tells whether two parts touch a common bank.
func (a *Arena) share(x Apart, at Placement) bool {
	first, last := at[x.A.Item]+x.A.Start, at[x.A.Item]+x.A.End-1
	oFirst, oLast := at[x.B.Item]+x.B.Start, at[x.B.Item]+x.B.End-1
	return first < bankEnd(a.Banks, oLast) && oFirst < bankEnd(a.Banks, last)
}

// bankEnd is the border behind the bank that holds x.
func bankEnd(banks []int64, x int64) int64 {
	low, high := 0, len(banks)
	for low < high {
		if mid := (low + high) / 2; banks[mid] > x {
			high = mid
		} else {
			low = mid + 1
		}
	}
	if low == len(banks) {
		return maxPackCapacity * 2
	}
	return banks[low]
}
