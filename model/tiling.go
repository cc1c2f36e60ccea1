package model

import "fmt"

// Axis numbers count from the end, as in the reference's logs.
const (
	Linear = 0 // all elements in row-major order
	Cols   = 1 // last axis
	Rows   = 2 // every other axis, folded
)

// AxisTiling splits one axis over tiles (reference: planspace.md §4.1). Zero
// fields take their defaults.
type AxisTiling struct {
	Axis     int  `json:"axis"`               // Linear, Cols or Rows
	Parts    int  `json:"parts"`              // P
	Block    int  `json:"block"`              // b: parts are whole blocks; for Linear the grain
	Pad      int  `json:"pad,omitempty"`      // m: the axis is padded to a multiple; default Block
	Groups   int  `json:"groups,omitempty"`   // G: padding groups; default 1
	ShardPad int  `json:"shardPad,omitempty"` // s: storage of a part is padded to a multiple; default 1
	Reject   bool `json:"reject,omitempty"`   // padding the axis is an error
	Stride   int  `json:"stride,omitempty"`   // of the part number in the shard index; default: running product
	// Nest first splits the axis in Nest outer parts by the same rule, then each
	// of these in Parts/Nest: boundaries of the outer split are boundaries of the
	// inner one. Default 1.
	Nest int `json:"nest,omitempty"`
}

// Extent is a range of one axis: Start..Logical holds elements, Logical..
// Physical is padding in storage.
type Extent struct {
	Start    int `json:"start"`
	Logical  int `json:"logical"`
	Physical int `json:"physical"`
}

// Len is the logical length, Stored the physical one.
func (e Extent) Len() int    { return e.Logical - e.Start }
func (e Extent) Stored() int { return e.Physical - e.Start }

func roundUp(x, m int) int { return (x + m - 1) / m * m }

func orOne(x int) int { return max(x, 1) }

// Split cuts an axis of the given logical extent in Parts ranges, long parts
// first.
func (a AxisTiling) Split(extent int) ([]Extent, error) {
	pad, groups, shardPad, nest := a.Pad, orOne(a.Groups), orOne(a.ShardPad), orOne(a.Nest)
	if pad == 0 {
		pad = a.Block
	}
	switch {
	case extent > MaxElements || a.Parts > maxShards || a.Block > MaxElements || pad > MaxElements || shardPad > MaxElements:
		return nil, fmt.Errorf("model: axis split of extent %d: parts or multiples are too large: %+v", extent, a)
	case extent < 1 || a.Parts < 1 || a.Block < 1 || pad < 1 || a.Groups < 0 || a.ShardPad < 0 || a.Nest < 0:
		return nil, fmt.Errorf("model: axis split needs positive extent, parts and blocks, found extent %d, %+v", extent, a)
	case extent%groups != 0 || a.Parts%groups != 0:
		return nil, fmt.Errorf("model: %d padding groups do not divide extent %d and %d parts", groups, extent, a.Parts)
	case a.Parts/groups%nest != 0:
		return nil, fmt.Errorf("model: %d outer parts do not divide %d parts", nest, a.Parts/groups)
	}
	inGroup := extent / groups
	padded := roundUp(inGroup, pad)
	if a.Reject && padded != inGroup {
		return nil, fmt.Errorf("model: extent %d is not a multiple of %d and padding is rejected", inGroup, pad)
	}
	if padded%a.Block != 0 {
		return nil, fmt.Errorf("model: block %d does not divide the padded extent %d", a.Block, padded)
	}
	parts := make([]Extent, 0, a.Parts)
	blocks, perGroup := padded/a.Block, a.Parts/groups
	for g := range groups {
		for o := range nest {
			outerStart, outerBlocks := longFirst(blocks, nest, o)
			for j := range perGroup / nest {
				s, n := longFirst(outerBlocks, perGroup/nest, j)
				start := a.Block * (outerStart + s)
				logical := max(start, min(start+a.Block*n, inGroup))
				base := g * inGroup
				parts = append(parts, Extent{base + start, base + logical, base + start + roundUp(a.Block*n, shardPad)})
			}
		}
	}
	return parts, nil
}

// longFirst deals n blocks to parts so that the first n mod parts get one more;
// it returns the first block and the number of blocks of part j.
func longFirst(n, parts, j int) (start, count int) {
	short, long := n/parts, n%parts
	start, count = j*short+min(j, long), short
	if j < long {
		count++
	}
	return start, count
}
