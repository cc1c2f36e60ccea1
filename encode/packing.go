package encode

import (
	"errors"
	"fmt"
	"math"
)

// ErrPacking is wrapped by every error about a malformed packing or placement.
var ErrPacking = errors.New("malformed packing")

// Packing asks for an address per item so that items alive at the same time
// are disjoint and every item ends at or below Capacity: rectangles of fixed
// position in time, to be moved in address only.
type Packing struct {
	Name     string
	Capacity int64 // addresses are 0 … Capacity−1
	Items    []PackItem
}

// PackItem is one rectangle of a Packing. Lower and Upper are in any unit of
// time, Size and Align in the unit of addresses.
type PackItem struct {
	ID    string // unique
	Lower int64  // first moment alive
	Upper int64  // first moment no longer alive, > Lower
	Size  int64  // > 0
	Align int64  // the address is a multiple of it; 0 means 1
}

// Placement is an address per item of a Packing.
type Placement []int64

// maxPackCapacity bounds Capacity, and the sum of all sizes, so that no sum of
// addresses and sizes overflows.
const maxPackCapacity = math.MaxInt64 / 8

// Validate reports the first thing wrong with the record. The error wraps
// ErrPacking. An item larger than Capacity is not an error: it makes the
// packing infeasible.
func (p *Packing) Validate() error {
	if p.Capacity < 0 || p.Capacity > maxPackCapacity {
		return fmt.Errorf("encode: %w: capacity %d", ErrPacking, p.Capacity)
	}
	seen := make(map[string]bool, len(p.Items))
	var total int64
	for i := range p.Items {
		it := &p.Items[i]
		switch {
		case seen[it.ID]:
			return fmt.Errorf("encode: %w: item %q appears twice", ErrPacking, it.ID)
		case it.Lower >= it.Upper:
			return fmt.Errorf("encode: %w: item %q lives from %d to %d", ErrPacking, it.ID, it.Lower, it.Upper)
		case it.Size <= 0 || it.Size > maxPackCapacity:
			return fmt.Errorf("encode: %w: item %q has size %d", ErrPacking, it.ID, it.Size)
		case it.Align < 0 || it.Align > maxPackCapacity:
			return fmt.Errorf("encode: %w: item %q has alignment %d", ErrPacking, it.ID, it.Align)
		}
		seen[it.ID] = true
		step := it.Size + max(it.Align, 1)
		if total > maxPackCapacity-step {
			return fmt.Errorf("encode: %w: sizes and alignments sum to more than %d", ErrPacking, int64(maxPackCapacity))
		}
		total += step
	}
	return nil
}

// Height is the first address above all items of a placement.
func (p *Packing) Height(at Placement) int64 {
	var h int64
	for i := range at {
		h = max(h, at[i]+p.Items[i].Size)
	}
	return h
}
