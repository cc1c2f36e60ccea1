package cost

import (
	"fmt"
	"slices"

	"ipusolve/model"
)

// SeedLayout is a layout of a value prepared for pricing many conversions by the
// rectangle rule. Shard numbers are taken for tiles.
type SeedLayout struct {
	layout  *model.Layout
	regions []seedRegion
	boxes   []model.Box
	// owned lists the regions that a tile holds.
	owned [][]int32
	// rows and cols are the parts of a grid of regions, row by row, of which
	// empty ones have region -1; nil for linear layouts, where perRow[r]…perRow[r+1]
	// are the regions of row r.
	rows, cols []model.Extent
	at         []int32
	perRow     []int32
}

// NewSeedLayout prepares the layout of a rows×cols value.
func NewSeedLayout(l *model.Layout, rows, cols int) (*SeedLayout, error) {
	shards, err := l.Shards(rows, cols)
	if err != nil {
		return nil, err
	}
	s := &SeedLayout{layout: l, regions: groupShards(shards), owned: make([][]int32, l.Tiles)}
	for i, g := range s.regions {
		s.boxes = append(s.boxes, logicalBox(g.shard))
		for _, tile := range g.holders {
			s.owned[tile] = append(s.owned[tile], int32(i))
		}
	}
	if len(l.Axes) == 1 && l.Axes[0].Axis == model.Linear {
		// Pieces come in row-major order.
		s.perRow = make([]int32, rows+1)
		for _, b := range s.boxes {
			s.perRow[b.R0+1]++
		}
		for r := range rows {
			s.perRow[r+1] += s.perRow[r]
		}
		return s, nil
	}
	s.rows, s.cols = []model.Extent{{Logical: rows, Physical: rows}}, []model.Extent{{Logical: cols, Physical: cols}}
	for _, a := range l.Axes {
		if a.Axis == model.Rows {
			s.rows, err = a.Split(rows)
		} else {
			s.cols, err = a.Split(cols)
		}
		if err != nil {
			return nil, err
		}
	}
	index := map[[2]int]int32{}
	for i, b := range s.boxes {
		index[[2]int{b.R0, b.C0}] = int32(i)
	}
	s.at = make([]int32, 0, len(s.rows)*len(s.cols))
	for _, r := range s.rows {
		for _, c := range s.cols {
			i, ok := index[[2]int{r.Start, c.Start}]
			if !ok || r.Len() == 0 || c.Len() == 0 {
				i = -1
			}
			s.at = append(s.at, i)
		}
	}
	return s, nil
}

// meet calls f for every region that meets the box.
func (s *SeedLayout) meet(b model.Box, f func(region int32, common model.Box)) {
	if s.perRow != nil {
		for i := s.perRow[b.R0]; i < s.perRow[b.R1]; i++ {
			if c := s.boxes[i].Intersect(b); !c.Empty() {
				f(i, c)
			}
		}
		return
	}
	from := func(parts []model.Extent, at int) int {
		i, _ := slices.BinarySearchFunc(parts, at, func(e model.Extent, at int) int {
			if e.Logical <= at {
				return -1
			}
			return 1
		})
		return i
	}
	c0 := from(s.cols, b.C0)
	for r := from(s.rows, b.R0); r < len(s.rows) && s.rows[r].Start < b.R1; r++ {
		for c := c0; c < len(s.cols) && s.cols[c].Start < b.C1; c++ {
			if i := s.at[r*len(s.cols)+c]; i >= 0 {
				f(i, s.boxes[i].Intersect(b))
			}
		}
	}
}

// SeedConvert prices bringing a value of elem bytes an element from one layout
// into another by the rectangle rule: what SeedRearrange finds with
// SeedRectangles, but for the number of runs, in time that grows with regions
// instead of elements and replicas.
func SeedConvert(from, to *SeedLayout, elem int64, tiles int) (*SeedConversion, error) {
	if max(from.layout.Tiles, to.layout.Tiles) > tiles {
		return nil, fmt.Errorf("cost: conversion of %d to %d shards on %d tiles", from.layout.Tiles, to.layout.Tiles, tiles)
	}
	x := seedConverter{seedRearranger: seedRearranger{from: from.layout, to: to.layout, tiles: tiles, rule: SeedRectangles}, src: from, dst: to, elem: elem}
	if from.layout.Order == to.layout.Order {
		return x.price(SeedRetile)
	}
	// Staging costs the same under this rule; it may be possible where the other
	// strategy is not.
	c, err := x.price(SeedLogical)
	if err != nil && (from.layout.Order.Kind == model.RowMajor || to.layout.Order.Kind == model.RowMajor) {
		return x.price(SeedStaged)
	}
	return c, err
}

type seedConverter struct {
	seedRearranger
	src, dst *SeedLayout
	elem     int64
	walk     seedWalk
}

func (x *seedConverter) price(strategy SeedStrategy) (*SeedConversion, error) {
	c := &SeedConversion{Strategy: strategy}
	traffic := NewSeedTraffic(x.tiles)
	shared := make([]int, len(x.src.regions)) // holders of both regions
	local := make([]seedLoad, x.tiles)
	var failed error
	for d := range x.dst.regions {
		group := &x.dst.regions[d]
		box := x.dst.boxes[d]
		for _, tile := range group.holders {
			if tile < len(x.src.owned) {
				for _, s := range x.src.owned[tile] {
					shared[s]++
				}
			}
		}
		var bytes, pieces int64
		x.src.meet(box, func(s int32, common model.Box) {
			source := &x.src.regions[s]
			if failed == nil {
				failed = x.whole(strategy, source.shard, group.shard, common)
			}
			n := int64(common.Elements()) * x.elem
			bytes, pieces = bytes+n, pieces+1
			if shared[s] < len(group.holders) {
				traffic.Send(source.holders[0], n, 1)
				c.Routes++
			}
		})
		if failed != nil {
			return nil, failed
		}
		for _, tile := range group.holders {
			in, kept := seedLoad{bytes, pieces}, seedLoad{}
			if tile < len(x.src.owned) {
				for _, s := range x.src.owned[tile] {
					shared[s] = 0
					if common := x.src.boxes[s].Intersect(box); !common.Empty() {
						kept.add(int64(common.Elements())*x.elem, 1)
					}
				}
			}
			traffic.Receive(tile, in.bytes-kept.bytes, in.fragments-kept.fragments)
			if strategy != SeedRetile {
				kept = seedLoad{2 * int64(box.Elements()) * x.elem, pieces}
			}
			local[tile].add(kept.bytes, kept.fragments)
		}
	}
	most := mostLoaded(local)
	c.LocalBytes, c.LocalCalls = most.bytes, most.fragments
	c.PairOut, c.TileIn = traffic.PairOut(), traffic.TileIn()
	if traffic.Payload() > 0 {
		c.Phases = 1
	}
	c.Chunks = traffic.Chunks(c.Phases)
	x.cost(c, mostLoaded(traffic.in).fragments)
	return c, nil
}

// whole tells by an error whether a piece has a run that is not whole words.
func (x *seedConverter) whole(strategy SeedStrategy, src, dst model.Shard, piece model.Box) error {
	if x.elem%4 == 0 {
		return nil
	}
	// Pairs of columns lie together in these orders (of rows in the transposed
	// one): pieces of whole pairs are whole words.
	pairs := func(k model.OrderKind, s model.Shard) bool {
		switch k {
		case model.LeftPanel, model.OutputPanel:
			return (piece.C0-s.Cols.Start)%2 == 0
		case model.RowMajor:
			return (piece.C0-s.Cols.Start)%2 == 0 && s.Cols.Stored()%2 == 0
		}
		return false
	}
	even := (piece.C1-piece.C0)%2 == 0 && pairs(x.from.Order.Kind, src) && pairs(x.to.Order.Kind, dst)
	if strategy == SeedStaged {
		even = even && dst.Cols.Stored()%2 == 0
	}
	if strategy == SeedRetile && x.from.Order.Kind == model.TransposedLeft {
		even = (piece.R1-piece.R0)%2 == 0 && (piece.R0-src.Rows.Start)%2 == 0 && (piece.R0-dst.Rows.Start)%2 == 0
	}
	if even {
		return nil
	}
	return x.runs(&x.walk, strategy, src, dst, piece)
}
