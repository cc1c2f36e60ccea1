package packcheck

import (
	"fmt"
	"slices"

	"ipusolve/encode"
)

// CheckArena reports the first rule of an arena that a placement of whole items
// breaks: see CheckCuts.
func CheckArena(a *encode.Arena, at encode.Placement) error { return CheckCuts(a, at, nil) }

// piece is what lies in one stretch: an item, or one of its two parts.
type piece struct {
	item       int
	at, size   int64
	begin, end int64 // bytes of the item
}

// CheckCuts reports the first rule of an arena that a placement breaks: where items
// may be cut, ranges of a class, alignment, forbidden addresses, parts, items alive
// together, banks, border. Equal and soft Apart are wishes. The error wraps ErrPlacement.
func CheckCuts(a *encode.Arena, at encode.Placement, cuts []encode.Cut) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("packcheck: %w: %s", ErrPlacement, fmt.Sprintf(format, args...))
	}
	if len(at) != len(a.Items) {
		return fail("%d addresses for %d items", len(at), len(a.Items))
	}
	pieces := make([]piece, len(at))
	for i := range a.Items {
		pieces[i] = piece{i, at[i], a.Items[i].Size, 0, a.Items[i].Size}
	}
	for k, c := range cuts {
		if c.Item < 0 || c.Item >= len(at) || k > 0 && c.Item <= cuts[k-1].Item {
			return fail("cut of item %d", c.Item)
		}
		it := &a.Items[c.Item]
		if it.Split == nil || !slices.Contains(it.Split.At, c.Bytes) {
			return fail("item %q is cut at %d", it.ID, c.Bytes)
		}
		p := &pieces[c.Item]
		p.size, p.end = c.Bytes, c.Bytes
		pieces = append(pieces, piece{c.Item, c.Address, it.Size - c.Bytes, c.Bytes, it.Size})
	}
	for n, p := range pieces {
		it := &a.Items[p.item]
		end := p.at + p.size
		inRange := false
		for _, r := range a.Classes[it.Class].Ranges {
			inRange = inRange || p.at >= r.Start && end <= r.End
		}
		if !inRange {
			return fail("item %q at [%d, %d) is in no range of class %q", it.ID, p.at, end, a.Classes[it.Class].Name)
		}
		if it.Align > 0 && p.at%it.Align != 0 {
			return fail("item %q at %d is not aligned to %d", it.ID, p.at, it.Align)
		}
		for _, f := range it.Forbidden {
			if f.Start < f.End && p.at < f.End && f.Start < end {
				return fail("item %q at [%d, %d) meets forbidden [%d, %d)", it.ID, p.at, end, f.Start, f.End)
			}
		}
		if in := it.Inside; in != nil && p.at != at[in.Host]+in.Offset {
			return fail("item %q at %d is not at %d of item %q", it.ID, p.at, in.Offset, a.Items[in.Host].ID)
		}
		for _, q := range pieces[:n] {
			o := &a.Items[q.item]
			together := o.Space == it.Space && o.Lower < it.Upper && it.Lower < o.Upper
			if together && p.at < q.at+q.size && q.at < end && !within(a, p.item, q.item) && !within(a, q.item, p.item) {
				return fail("items %q at %d and %q at %d are alive together and share addresses", o.ID, q.at, it.ID, p.at)
			}
		}
	}
	for _, x := range a.Apart {
		p, q := &a.Items[x.A.Item], &a.Items[x.B.Item]
		if x.Weight > 0 || p.Lower >= q.Upper || q.Lower >= p.Upper {
			continue
		}
		for _, one := range stretches(pieces, x.A, p.Size) {
			for _, other := range stretches(pieces, x.B, q.Size) {
				for k := -1; k < len(a.Banks); k++ {
					if touches(a, k, one.Start, one.End) && touches(a, k, other.Start, other.End) {
						return fail("items %q and %q share a bank", p.ID, q.ID)
					}
				}
			}
		}
	}
	return border(a, pieces)
}

// stretches lists the addresses of a part of an item; what goes beyond the item
// follows its last byte.
func stretches(pieces []piece, x encode.Part, size int64) (list []encode.Interval) {
	for _, p := range pieces {
		if p.item != x.Item {
			continue
		}
		from, to := max(x.Start, p.begin), min(x.End, p.end)
		if p.end == size {
			to = x.End
		}
		if from < to {
			list = append(list, encode.Interval{Start: p.at + from - p.begin, End: p.at + to - p.begin})
		}
	}
	return list
}

// within tells whether item i is a part of j.
func within(a *encode.Arena, i, j int) bool {
	for n := 0; n <= len(a.Items) && a.Items[i].Inside != nil; n++ {
		if i = a.Items[i].Inside.Host; i == j {
			return true
		}
	}
	return false
}

// touches tells whether [start, end) meets the bank from border k on.
func touches(a *encode.Arena, k int, start, end int64) bool {
	return (k < 0 || end > a.Banks[k]) && (k+1 >= len(a.Banks) || start < a.Banks[k+1])
}

func border(a *encode.Arena, pieces []piece) error {
	b := a.Border
	if b == nil {
		return nil
	}
	for _, x := range b.At {
		ok := true
		for _, p := range pieces {
			it := &a.Items[p.item]
			end := p.at + p.size
			ok = ok && (it.Class != b.Below || end <= x) && (it.Class != b.Above || end <= b.From || p.at >= x)
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("packcheck: %w: no border between the classes %q and %q", ErrPlacement, a.Classes[b.Below].Name, a.Classes[b.Above].Name)
}
