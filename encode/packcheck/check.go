// Package packcheck checks placements against the record of their packing. It
// shares no code with the search: it compares every two items.
package packcheck

import (
	"errors"
	"fmt"

	"ipusolve/encode"
)

// ErrPlacement is wrapped by every error about a placement.
var ErrPlacement = errors.New("wrong placement")

// Check reports the first thing wrong with a placement: an item outside the
// capacity or off its alignment, or two items alive at the same time that share
// an address. The error wraps ErrPlacement.
func Check(p *encode.Packing, at encode.Placement) error {
	if len(at) != len(p.Items) {
		return fmt.Errorf("packcheck: %w: %d addresses for %d items", ErrPlacement, len(at), len(p.Items))
	}
	for i, a := range p.Items {
		switch {
		case at[i] < 0 || at[i] > p.Capacity || a.Size > p.Capacity-at[i]:
			return fmt.Errorf("packcheck: %w: item %q of size %d at %d exceeds the capacity %d", ErrPlacement, a.ID, a.Size, at[i], p.Capacity)
		case a.Align > 0 && at[i]%a.Align != 0:
			return fmt.Errorf("packcheck: %w: item %q at %d is not aligned to %d", ErrPlacement, a.ID, at[i], a.Align)
		}
		for j, b := range p.Items[:i] {
			apart := a.Upper <= b.Lower || b.Upper <= a.Lower
			below := at[i]+a.Size <= at[j]
			above := at[j]+b.Size <= at[i]
			if !apart && !below && !above {
				return fmt.Errorf("packcheck: %w: items %q at [%d, %d) and %q at [%d, %d) are both alive at %d", ErrPlacement,
					b.ID, at[j], at[j]+b.Size, a.ID, at[i], at[i]+a.Size, max(a.Lower, b.Lower))
			}
		}
	}
	return nil
}
