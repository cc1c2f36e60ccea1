package model

import "slices"

// Box is a rectangle of a value: rows [R0,R1) × columns [C0,C1).
type Box struct{ R0, R1, C0, C1 int }

// Empty tells whether the box has no element.
func (b Box) Empty() bool { return b.R0 >= b.R1 || b.C0 >= b.C1 }

// Elements is the number of elements of the box.
func (b Box) Elements() int {
	if b.Empty() {
		return 0
	}
	return (b.R1 - b.R0) * (b.C1 - b.C0)
}

// Intersect is the common part of two boxes.
func (b Box) Intersect(o Box) Box {
	return Box{max(b.R0, o.R0), min(b.R1, o.R1), max(b.C0, o.C0), min(b.C1, o.C1)}
}

// Defined is the box of elements that a shard holds or that are known to be
// zero in it: its logical elements, and in a panelled order also the padding up
// to the end of the last touched panel (loaded operands are padded with zeros, and
// GEMM and GELU keep zero columns zero). That padding must lie behind the value,
// which Plan.Validate sees to: with padding groups or shard padding its
// coordinates would be another shard's elements.
func (s Shard) Defined(o Order) Box {
	b := Box{s.Rows.Start, s.Rows.Logical, s.Cols.Start, s.Cols.Logical}
	if o.Panelled() && b.C1 > b.C0 {
		b.C1 = min(s.Cols.Physical, s.Cols.Start+roundUp(b.C1-b.C0, PanelWidth))
	}
	if (o.Kind == TransposedLeft || o.Kind == TransposedBlockMajor) && b.R1 > b.R0 {
		b.R1 = min(s.Rows.Physical, s.Rows.Start+roundUp(b.R1-b.R0, PanelWidth))
	}
	return b
}

// ShardIndex finds the shards of a layout that meet a box.
type ShardIndex struct {
	starts []int   // distinct row starts of boxes, ascending
	byRow  [][]int // shards with that row start, by column start
	shards []Shard
	boxes  []Box
	maxRow int // largest row length
}

// NewShardIndex indexes shards by their defined boxes.
func NewShardIndex(shards []Shard, o Order) *ShardIndex {
	x := &ShardIndex{shards: shards, boxes: make([]Box, len(shards))}
	rows := map[int][]int{}
	for i, s := range shards {
		x.boxes[i] = s.Defined(o)
		if x.boxes[i].Empty() {
			continue
		}
		r := x.boxes[i].R0
		if rows[r] == nil {
			x.starts = append(x.starts, r)
		}
		rows[r] = append(rows[r], i)
		x.maxRow = max(x.maxRow, x.boxes[i].R1-r)
	}
	slices.Sort(x.starts)
	for _, r := range x.starts {
		list := rows[r]
		slices.SortStableFunc(list, func(a, b int) int { return x.boxes[a].C0 - x.boxes[b].C0 })
		x.byRow = append(x.byRow, list)
	}
	return x
}

// Meet calls f for every indexed shard whose defined box meets b, with the
// common box, in order of row start, column start, shard number.
func (x *ShardIndex) Meet(b Box, f func(shard int, common Box)) {
	at, _ := slices.BinarySearch(x.starts, b.R0-x.maxRow+1)
	for ; at < len(x.starts) && x.starts[at] < b.R1; at++ {
		list := x.byRow[at]
		// Shards of one row start are disjoint or equal in columns, so the first
		// that can meet b is found by its end.
		first, _ := slices.BinarySearchFunc(list, b.C0, func(i, c int) int {
			if x.boxes[i].C1 <= c {
				return -1
			}
			return 1
		})
		for _, i := range list[first:] {
			if x.boxes[i].C0 >= b.C1 {
				break
			}
			if common := x.boxes[i].Intersect(b); !common.Empty() {
				f(i, common)
			}
		}
	}
}
