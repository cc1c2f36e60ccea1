package cost

import (
	"fmt"

	"ipusolve/model"
)

// SeedRule says what counts as a fragment of a conversion (reference:
// costmodel.md §7).
type SeedRule uint8

const (
	// SeedRectangles counts one fragment and one local copy call per rectangle, as
	// the build that wrote the first log did.
	SeedRectangles SeedRule = iota
	// SeedByteRuns counts contiguous byte runs.
	SeedByteRuns
)

// SeedStrategy is a way to convert between layouts.
type SeedStrategy string

// Strategies of conversions.
const (
	SeedRetile  SeedStrategy = "direct retile"
	SeedLogical SeedStrategy = "direct logical"
	SeedStaged  SeedStrategy = "stage then transform"
)

// SeedConversion is a priced change of layout.
type SeedConversion struct {
	Strategy   SeedStrategy `json:"strategy"`
	PairOut    int64        `json:"pairOut"`    // most bytes a pair sends
	TileIn     int64        `json:"tileIn"`     // most bytes a tile receives
	LocalBytes int64        `json:"localBytes"` // most bytes a tile copies
	LocalCalls int64        `json:"localCalls"` // most copy calls of a tile
	Routes     int64        `json:"routes"`     // distinct multicast routes
	Runs       int64        `json:"runs"`       // byte runs of all routes
	Phases     int64        `json:"phases"`
	Chunks     int64        `json:"chunks"`
	Cost       model.Cost   `json:"cost"`
}

// RowBytes is the memory of the conversion's exchange rows.
func (c *SeedConversion) RowBytes() int64 { return SeedRowBytes(c.Phases, c.Chunks) }

// SeedRearrange prices bringing a rows×cols F16 value from one layout into
// another on a target of the given number of tiles, by the cheapest strategy that
// the orders allow. Shard numbers are taken for tiles. It fails with
// ErrImpossible where no strategy moves whole words.
func SeedRearrange(from, to *model.Layout, rows, cols, tiles int, rule SeedRule) (*SeedConversion, error) {
	r := seedRearranger{from: from, to: to, tiles: tiles, rule: rule}
	if max(from.Tiles, to.Tiles) > tiles {
		return nil, fmt.Errorf("cost: conversion of %d to %d shards on %d tiles", from.Tiles, to.Tiles, tiles)
	}
	var err error
	if r.src, err = from.Shards(rows, cols); err != nil {
		return nil, err
	}
	if r.dst, err = to.Shards(rows, cols); err != nil {
		return nil, err
	}
	r.group()
	if from.Order == to.Order {
		return r.price(SeedRetile)
	}
	best, err := r.price(SeedLogical)
	if from.Order.Kind != model.RowMajor && to.Order.Kind != model.RowMajor {
		return best, err
	}
	staged, stagedErr := r.price(SeedStaged)
	switch {
	case stagedErr != nil:
		return best, err
	case err != nil:
		return staged, nil
	}
	if b, s := best.Cost, staged.Cost; s.Total() < b.Total() || s.Total() == b.Total() && s.Exchange() < b.Exchange() {
		best = staged
	}
	return best, nil
}

type seedRearranger struct {
	from, to *model.Layout
	tiles    int
	rule     SeedRule
	src, dst []model.Shard
	regions  []seedRegion // of the source
	index    *model.ShardIndex
	groups   []seedRegion // of the destination
}

// seedRegion is a logical box and the shards that hold it, lowest first.
type seedRegion struct {
	shard   model.Shard // the lowest one
	holders []int
}

func groupShards(shards []model.Shard) []seedRegion {
	at := map[model.Box]int{}
	var list []seedRegion
	for _, s := range shards {
		b := model.Box{R0: s.Rows.Start, R1: s.Rows.Logical, C0: s.Cols.Start, C1: s.Cols.Logical}
		if b.Empty() {
			continue
		}
		i, ok := at[b]
		if !ok {
			i = len(list)
			at[b] = i
			list = append(list, seedRegion{shard: s})
		}
		list[i].holders = append(list[i].holders, s.Index)
	}
	return list
}

func (r *seedRearranger) group() {
	r.regions, r.groups = groupShards(r.src), groupShards(r.dst)
	first := make([]model.Shard, len(r.regions))
	for i, g := range r.regions {
		first[i] = g.shard
	}
	r.index = model.NewShardIndex(first, model.Order{}) // row-major: logical boxes
}

func (g *seedRegion) holds(tile int) bool {
	for _, h := range g.holders {
		if h >= tile {
			return h == tile
		}
	}
	return false
}

// seedLocal is the local copy work of one tile.
type seedLocal struct{ bytes, calls int64 }

func (r *seedRearranger) price(strategy SeedStrategy) (*SeedConversion, error) {
	c := &SeedConversion{Strategy: strategy}
	traffic := NewSeedTraffic(r.tiles)
	local := make([]seedLocal, r.tiles)
	var walk seedWalk
	var failed error
	for gi := range r.groups {
		group := &r.groups[gi]
		box := logicalBox(group.shard)
		r.index.Meet(box, func(region int, common model.Box) {
			if failed != nil {
				return
			}
			source := &r.regions[region]
			if failed = r.runs(&walk, strategy, source.shard, group.shard, common); failed != nil {
				return
			}
			fragments, calls := int64(len(walk.runs)), walk.calls()
			if r.rule == SeedRectangles {
				fragments, calls = 1, 1
			}
			bytes := int64(common.Elements()) * f16Bytes
			receivers := 0
			for _, tile := range group.holders {
				if source.holds(tile) {
					if r.rule == SeedByteRuns || strategy == SeedRetile {
						local[tile].bytes += bytes
					}
					local[tile].calls += calls
					continue
				}
				traffic.Receive(tile, bytes, fragments)
				receivers++
				if r.rule == SeedRectangles && strategy != SeedRetile {
					local[tile].calls++
				}
			}
			if receivers > 0 {
				traffic.Send(source.holders[0], bytes, fragments)
				c.Routes++
				c.Runs += int64(len(walk.runs))
			}
		})
		if failed != nil {
			return nil, failed
		}
		r.transform(strategy, group, local, &walk)
	}
	for _, l := range local {
		c.LocalBytes = max(c.LocalBytes, l.bytes)
		c.LocalCalls = max(c.LocalCalls, l.calls)
	}
	c.PairOut, c.TileIn = traffic.PairOut(), traffic.TileIn()
	if traffic.Payload() > 0 {
		c.Phases = 1
	}
	c.Chunks = traffic.Chunks(c.Phases)
	r.cost(c, mostLoaded(traffic.in).fragments)
	return c, nil
}

// transform adds the work that a strategy does on whole destination shards.
func (r *seedRearranger) transform(strategy SeedStrategy, group *seedRegion, local []seedLocal, walk *seedWalk) {
	s := group.shard
	bytes := int64(s.Rows.Len()*s.Cols.Len()) * f16Bytes
	switch {
	case r.rule == SeedRectangles && strategy != SeedRetile:
		for _, tile := range group.holders {
			local[tile].bytes += 2 * bytes
		}
	case strategy == SeedStaged:
		calls := int64(1)
		switch r.to.Order.Kind {
		case model.LeftPanel, model.TransposedRight, model.BlockMajor:
		default:
			walk.between(r.boxOf(s, model.Order{}), r.boxOf(s, r.to.Order), logicalBox(s), true)
			calls = walk.calls()
		}
		for _, tile := range group.holders {
			local[tile].bytes += bytes
			local[tile].calls += calls
		}
	}
}

func logicalBox(s model.Shard) model.Box {
	return model.Box{R0: s.Rows.Start, R1: s.Rows.Logical, C0: s.Cols.Start, C1: s.Cols.Logical}
}

// cost adds up the terms of a conversion (reference: costmodel.md §7); plans on
// fewer tiles than the target are scaled up to it.
func (r *seedRearranger) cost(c *SeedConversion, fragments int64) {
	if payload := max(c.PairOut, c.TileIn); payload > 0 {
		c.Cost = append(c.Cost,
			model.Term{Name: SeedTermRearrangement, Cycles: ceilDiv(payload, seedPayloadRate), Exchange: true},
			model.Term{Name: SeedTermSync, Cycles: SeedSync, Exchange: true})
	}
	if c.Strategy == SeedLogical && r.rule == SeedByteRuns && fragments > 0 {
		c.Cost = append(c.Cost, model.Term{Name: SeedTermFragments, Cycles: seedFragment * fragments, Exchange: true})
	}
	if c.LocalCalls > 0 {
		c.Cost = append(c.Cost, model.Term{Name: SeedTermLocalCopy, Cycles: ceilDiv(c.LocalBytes, seedCopyRate) + seedCopyCall*c.LocalCalls})
	}
	total := c.Cost.Total()
	if scaled := ceilDiv(total*int64(r.tiles), int64(max(r.from.Tiles, r.to.Tiles))); scaled > total {
		c.Cost = append(c.Cost, model.Term{Name: SeedTermIdleTiles, Cycles: scaled - total})
	}
}
