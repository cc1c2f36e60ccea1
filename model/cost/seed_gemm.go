package cost

import (
	"fmt"

	"ipusolve/model"
)

// SeedKernel is the work of one tile in a GEMM (reference: costmodel.md §4.1).
type SeedKernel struct {
	F32         bool // operands are F32 instead of F16
	Rows        int  // of the tile's part of the partial, ⌈E(P)/Cols⌉
	Cols        int  // of the tile, padded to BlockCols
	Inner       int  // κ: inner elements of the tile
	BlockInner  int  // K_b, multiple of 16
	BlockCols   int  // C, multiple of 16
	Interleaved bool // weights are read from interleaved memory
}

// Cost is row work, weight feeding and call overhead of all kernel calls.
func (k SeedKernel) Cost() model.Cost {
	rows, feed, perFeed := int64(k.Rows), int64(seedFeedStandard), int64(1)
	if k.Interleaved {
		feed = seedFeed
	}
	if k.F32 {
		rows, feed, perFeed = 4*rows, seedFeedStandard, 2
	}
	blocks, groups := int64(k.BlockInner/seedMicro), int64(k.BlockCols/seedMicro)
	calls := ceilDiv(int64(k.Inner), int64(k.BlockInner)) * ceilDiv(int64(k.Cols), int64(k.BlockCols))
	return model.Cost{
		{Name: SeedTermRowWork, Cycles: calls * blocks * ceilDiv(int64(k.BlockCols)*rows, 4)},
		{Name: SeedTermFeeding, Cycles: calls * blocks * ceilDiv(groups*feed*perFeed, 4)},
		{Name: SeedTermCallOverhead, Cycles: calls * seedKernelCall},
	}
}

// SeedPanelBuffer tells whether weights are first received into an interleaved
// buffer (reference: costmodel.md §4.2): rightParts inner parts of the stored
// weights, inner K, blockInner K_b, cols columns per tile.
func SeedPanelBuffer(rightParts int, interleaved bool, inner, blockInner, cols int) bool {
	if rightParts > 1 {
		return true
	}
	return !interleaved && inner > blockInner && cols > seedMicro
}

// SeedOwnerPenalty is what reading bytes of standard-memory weights, stored in
// parts inner parts, costs over blocks kernel blocks of the inner axis
// (reference: costmodel.md §4.2).
func SeedOwnerPenalty(bytes, parts, blocks int64) int64 {
	local := ceilDiv(bytes, parts)
	return blocks * max(0, ceilDiv(local, seedLoadRate)-ceilDiv(local, seedLoadRate2))
}

// SeedPanelCopy copies bytes into interleaved memory: result copies and local
// staging (reference: costmodel.md §4.2, §6).
func SeedPanelCopy(bytes int64) int64 { return ceilDiv(bytes, seedPanelRate) + seedLaunch }

// SeedReduction sums parts partials of bytes bytes each in epochs phases: 1 when
// all remote ones are received at once, parts−1 when one by one (reference:
// costmodel.md §4.4).
func SeedReduction(bytes, parts, epochs int64) model.Cost {
	return model.Cost{
		{Name: SeedTermReductionExchange, Cycles: ceilDiv(max(2*bytes, (parts-1)*bytes), seedPayloadRate), Exchange: true},
		{Name: SeedTermSync, Cycles: SeedSync * epochs, Exchange: true},
		{Name: SeedTermReduction, Cycles: (parts-1+epochs)*bytes + seedLaunch*epochs},
	}
}

// SeedDistribute adds to t what bringing an operand stored as from into the
// replicas to costs: the first holder of each region sends it once, every shard
// of to that does not hold it receives it (reference: costmodel.md §4.3). Shard
// numbers are taken for tiles: the profile prices layouts before they are placed.
// A sliced from sends slices of its parts. An error says that to needs a region
// that from does not have.
func SeedDistribute(t *SeedTraffic, from, to []model.Shard) error {
	type region struct{ rows, cols model.Extent }
	type slice struct {
		region
		first, end int
	}
	at := func(s model.Shard) slice { return slice{region{s.Rows, s.Cols}, s.First, s.End} }
	bytes := func(s model.Shard) int64 {
		if s.Whole() {
			return int64(s.Rows.Len()*s.Cols.Len()) * f16Bytes
		}
		return int64(s.Elements()) * f16Bytes
	}
	consumers := map[region][]int{}
	for _, s := range to {
		r := region{s.Rows, s.Cols}
		consumers[r] = append(consumers[r], s.Index)
	}
	holds := map[slice]map[int]bool{}
	for _, s := range from {
		if holds[at(s)] == nil {
			holds[at(s)] = map[int]bool{}
		}
		holds[at(s)][s.Index] = true
	}
	sent := map[slice]bool{}
	known := map[region]bool{}
	for _, s := range from { // in index order: the first holder sends
		known[region{s.Rows, s.Cols}] = true
		if sent[at(s)] {
			continue
		}
		sent[at(s)] = true
		receivers := 0
		for _, tile := range consumers[region{s.Rows, s.Cols}] {
			if !holds[at(s)][tile] {
				t.Receive(tile, bytes(s), 1)
				receivers++
			}
		}
		if receivers > 0 {
			t.Send(s.Index, bytes(s), 1)
		}
	}
	for _, s := range to {
		if !known[region{s.Rows, s.Cols}] {
			return fmt.Errorf("cost: distribution: no shard holds rows %+v, columns %+v", s.Rows, s.Cols)
		}
	}
	return nil
}

// SeedStationary is the operand traffic of an output-stationary GEMM of inner
// extent inner (reference: costmodel.md §4.5): every tile of out receives what it
// lacks of its rows of left and its columns of right, and if any tile lacks part
// of an operand, every tile that stores it sends its whole shard. Shard numbers
// are taken for tiles.
func SeedStationary(tiles, inner int, left, right, out []model.Shard) *SeedTraffic {
	t := NewSeedTraffic(tiles)
	overlap := func(a, b model.Extent) int { return max(0, min(a.Logical, b.Logical)-max(a.Start, b.Start)) }
	all := model.Extent{Logical: inner, Physical: inner}
	for _, operand := range []struct {
		shards []model.Shard
		needs  func(model.Shard) (rows, cols model.Extent)
	}{
		{left, func(s model.Shard) (model.Extent, model.Extent) { return s.Rows, all }},
		{right, func(s model.Shard) (model.Extent, model.Extent) { return all, s.Cols }},
	} {
		stored := map[int]model.Shard{}
		for _, s := range operand.shards {
			stored[s.Index] = s
		}
		remote := false
		for _, s := range out {
			rows, cols := operand.needs(s)
			have := stored[s.Index]
			missing := int64(rows.Len()*cols.Len()-overlap(rows, have.Rows)*overlap(cols, have.Cols)) * f16Bytes
			if missing > 0 {
				t.Receive(s.Index, missing, ceilDiv(missing, seedTransfer))
				remote = true
			}
		}
		if remote {
			for _, s := range operand.shards {
				size := int64(s.Elements()) * f16Bytes
				t.Send(s.Index, size, ceilDiv(size, seedTransfer))
			}
		}
	}
	return t
}
