package packcheck

import (
	"fmt"

	"ipusolve/encode"
)

// CheckArena reports the first rule of an arena that a placement breaks: ranges
// of a class, alignment, forbidden addresses, parts, items alive together,
// banks, border. Equal and soft Apart are wishes. The error wraps ErrPlacement.
func CheckArena(a *encode.Arena, at encode.Placement) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("packcheck: %w: %s", ErrPlacement, fmt.Sprintf(format, args...))
	}
	if len(at) != len(a.Items) {
		return fail("%d addresses for %d items", len(at), len(a.Items))
	}
	for i := range a.Items {
		it := &a.Items[i]
		end := at[i] + it.Size
		inRange := false
		for _, r := range a.Classes[it.Class].Ranges {
			inRange = inRange || at[i] >= r.Start && end <= r.End
		}
		if !inRange {
			return fail("item %q at [%d, %d) is in no range of class %q", it.ID, at[i], end, a.Classes[it.Class].Name)
		}
		if it.Align > 0 && at[i]%it.Align != 0 {
			return fail("item %q at %d is not aligned to %d", it.ID, at[i], it.Align)
		}
		for _, f := range it.Forbidden {
			if f.Start < f.End && at[i] < f.End && f.Start < end {
				return fail("item %q at [%d, %d) meets forbidden [%d, %d)", it.ID, at[i], end, f.Start, f.End)
			}
		}
		if in := it.Inside; in != nil && at[i] != at[in.Host]+in.Offset {
			return fail("item %q at %d is not at %d of item %q", it.ID, at[i], in.Offset, a.Items[in.Host].ID)
		}
		for j := range i {
			o := &a.Items[j]
			together := o.Space == it.Space && o.Lower < it.Upper && it.Lower < o.Upper
			if together && at[i] < at[j]+o.Size && at[j] < end && !within(a, i, j) && !within(a, j, i) {
				return fail("items %q at %d and %q at %d are alive together and share addresses", o.ID, at[j], it.ID, at[i])
			}
		}
	}
	for _, x := range a.Apart {
		p, q := &a.Items[x.A.Item], &a.Items[x.B.Item]
		if x.Weight > 0 || p.Lower >= q.Upper || q.Lower >= p.Upper {
			continue
		}
		for k := -1; k < len(a.Banks); k++ {
			if touches(a, k, at[x.A.Item]+x.A.Start, at[x.A.Item]+x.A.End) && touches(a, k, at[x.B.Item]+x.B.Start, at[x.B.Item]+x.B.End) {
				return fail("items %q and %q share a bank", p.ID, q.ID)
			}
		}
	}
	return border(a, at)
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

func border(a *encode.Arena, at encode.Placement) error {
	b := a.Border
	if b == nil {
		return nil
	}
	for _, x := range b.At {
		ok := true
		for i := range a.Items {
			it := &a.Items[i]
			end := at[i] + it.Size
			ok = ok && (it.Class != b.Below || end <= x) && (it.Class != b.Above || end <= b.From || at[i] >= x)
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("packcheck: %w: no border between the classes %q and %q", ErrPlacement, a.Classes[b.Below].Name, a.Classes[b.Above].Name)
}
