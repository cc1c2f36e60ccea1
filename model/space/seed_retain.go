package space

import (
	"cmp"
	"slices"

	"ipusolve/model"
	"ipusolve/model/cost"
)

// SeedFigures are what a variant costs by itself under profile seed (reference:
// costmodel.md §4, §8, planspace.md §10.1), with its streamed operand pulled slice
// by slice.
type SeedFigures struct {
	Cycles          int64 // SeedInfinite more if the peak does not fit
	Peak            cost.SeedBytes
	LargestStandard int64 // largest single temporary in standard memory
	RowBytes        int64 // exchange rows
}

// SeedInfinite is the penalty of what does not fit memory (reference: planspace.md
// §8.2): variants beyond it still compete with each other.
const SeedInfinite = 1 << 61

func ceil64(a, b int) int64 { return int64(ceil(a, b)) }

// Price gives the figures of a variant.
func (s SeedShape) Price(v SeedVariant) SeedFigures {
	const elem, leftTail, standardElement = 2, 16, 16384
	batch := max(1, s.Batch)
	r, q, k := v.Grid.Rows, v.Grid.Cols, v.Grid.Inner
	blockInner := model.PanelWidth * ceil(ceil(s.Inner, model.PanelWidth), k)
	blockCols := model.PanelWidth * ceil(ceil(s.Cols, model.PanelWidth), q)
	tileInner := ceil(blockInner*ceil(s.Inner, blockInner), k)
	tileRows := batch * ceil(s.Rows, r)
	c := cost.SeedKernel{Rows: tileRows, Cols: blockCols, Inner: tileInner, BlockInner: blockInner, BlockCols: blockCols,
		Interleaved: v.Interleaved || v.Uniform}.Cost().Total()

	weights := int64(blockInner*blockCols) * elem // stored by a tile
	used := int64(blockCols*tileInner) * elem
	if v.Uniform {
		c += cost.SeedPanelCopy(used)
	}
	if !v.Interleaved {
		c += cost.SeedOwnerPenalty(used, int64(k), ceil64(s.Inner, blockInner))
	}
	epochs := int64(1)
	if v.Streamed {
		epochs = int64(k - 1)
	}
	phases, chunks := epochs, int64(0)
	if !v.Swapped && r > 1 { // each block of weights goes to r − 1 more tiles
		payload, fragments := s.weightTraffic(v.Grid, blockInner)
		c += cost.SeedExchange(payload, 1)
		chunks = cost.SeedChunks(payload, fragments, 1)
		phases++
	}

	// Pairs of rows and blocks of 16 columns are whole in a part of the result.
	result := int64(2*ceil(ceil(batch*s.Rows, 2), v.Result.Rows)*model.PanelWidth*ceil(ceil(s.Cols, model.PanelWidth), v.Result.Cols)) * elem
	partial := int64(tileRows*blockCols) * elem
	reduced := partial
	if v.Result != (model.Grid{Rows: r, Cols: q}) {
		reduced = result
		c += cost.SeedPanelCopy(result)
	}
	c += cost.SeedReduction(reduced, int64(k), epochs).Total()

	streamed := int64(batch*2*ceil(ceil(s.Rows, 2), r)*blockInner) * elem
	memory := cost.SeedGemmMemory{Inner: s.Inner, Parts: k, Cols: blockCols, PartialBytes: partial, ReducedBytes: reduced,
		Streamed: v.Streamed, SlicedLeftBytes: streamed}.Temporary()
	live := cost.SeedBytes{Interleaved: result}
	if v.Interleaved {
		live.Interleaved += weights
	} else {
		live.Standard = weights
	}
	slice := ceil64(int(streamed)+leftTail, standardElement) * standardElement
	f := SeedFigures{Cycles: c, Peak: live.Add(memory), LargestStandard: max(slice, reduced), RowBytes: cost.SeedRowBytes(phases, chunks)}
	if f.Peak.Interleaved > seedInterleaved || f.Peak.Total() > seedTotal {
		f.Cycles += SeedInfinite
	}
	return f
}

// weightTraffic is the most bytes and pieces that a pair of tiles sends when
// every block of the loaded operand, stored once on q·k tiles, goes to r tiles.
func (s SeedShape) weightTraffic(g SeedGrid, blockInner int) (bytes, fragments int64) {
	blocks := ceil(s.Cols, model.PanelWidth)
	short, long := blocks/g.Cols, blocks%g.Cols
	part := func(tile int) int64 {
		c, i := tile%g.Cols, tile/g.Cols
		first := model.PanelWidth * (c*short + min(c, long))
		width := model.PanelWidth * short
		if c < long {
			width += model.PanelWidth
		}
		width = max(0, min(first+width, s.Cols)-first)
		height := max(0, min((i+1)*blockInner, s.Inner)-i*blockInner)
		return int64(width*height) * 2
	}
	tiles := g.Cols * g.Inner
	for t := 0; t < tiles; t += 2 {
		b, n := part(t), int64(1)
		if t+1 < tiles {
			b, n = b+part(t+1), 2
		}
		bytes, fragments = max(bytes, b), max(fragments, n)
	}
	return bytes, fragments
}

// MostRetained is the number of variants that the planner keeps for an
// orientation and a tile count.
const MostRetained = 64

// Retain keeps the best variants (reference: planspace.md §7.4): those that no
// other of their class beats in every figure, cheapest first, the first of every
// class at least. A class shares orientation, staging of operand and partials,
// memory classes and the way its result is tiled.
func (s SeedShape) Retain(variants []SeedVariant) []SeedVariant {
	type class struct{ swapped, interleaved, uniform, streamed, rowsFirst bool }
	classOf := func(v *SeedVariant) class {
		// The result of one column part of 64 lists its rows first.
		rowsFirst := !v.Swapped && v.Result.Cols == 1 && ceil(s.Cols, v.Grid.Cols) <= 64 && ceil(ceil(s.Cols, model.PanelWidth), v.Grid.Cols) == 4
		return class{v.Swapped, v.Interleaved, v.Uniform, v.Streamed, rowsFirst}
	}
	type priced struct {
		v     SeedVariant
		f     SeedFigures
		class class
	}
	list := make([]priced, len(variants))
	groups := map[class][]int{}
	for i := range variants {
		list[i] = priced{variants[i], s.Price(variants[i]), classOf(&variants[i])}
		groups[list[i].class] = append(groups[list[i].class], i)
	}
	beats := func(a, b *SeedFigures) bool {
		return a.Cycles <= b.Cycles && a.Peak.Standard <= b.Peak.Standard && a.Peak.Interleaved <= b.Peak.Interleaved &&
			a.LargestStandard <= b.LargestStandard && a.RowBytes <= b.RowBytes && *a != *b
	}
	var kept []priced
	for i := range list {
		if !slices.ContainsFunc(groups[list[i].class], func(o int) bool { return beats(&list[o].f, &list[i].f) }) {
			kept = append(kept, list[i])
		}
	}
	slices.SortStableFunc(kept, func(a, b priced) int {
		return cmp.Or(cmp.Compare(a.f.Cycles, b.f.Cycles), cmp.Compare(a.f.Peak.Total(), b.f.Peak.Total()),
			cmp.Compare(a.f.Peak.Interleaved, b.f.Peak.Interleaved), cmp.Compare(a.f.RowBytes, b.f.RowBytes))
	})
	taken := make([]bool, len(kept))
	seen := map[class]bool{}
	left := min(MostRetained, len(kept))
	for i := range kept {
		if left > 0 && !seen[kept[i].class] {
			seen[kept[i].class], taken[i] = true, true
			left--
		}
	}
	var out []SeedVariant
	for i := range kept {
		if !taken[i] && left > 0 {
			taken[i] = true
			left--
		}
		if taken[i] {
			out = append(out, kept[i].v)
		}
	}
	return out
}
