package space

import (
	"slices"

	"ipusolve/model"
)

// SeedGemm is a candidate of a GEMM in family `seed` (reference: planspace.md
// §6): an inner-split plan with its partials summed, or an output-stationary one.
// Rows, inner extent and columns are those of the kernel: streamed rows × inner ×
// loaded columns.
type SeedGemm struct {
	Swapped     bool
	Stationary  bool
	F32         bool // precision of operands and result
	Interleaved bool // memory class of the loaded operand
	Uniform     bool // the loaded operand is first copied like a remote one
	Streamed    bool // one remote partial at a time
	RowsFast    bool // parts of the result go to tiles row by row
	ByColumns   bool // stationary with one column part: weights are stored in a column part a tile
	Compute     model.Grid
	Result      model.Grid
	BlockInner  int // K_b
	BlockCols   int // C
	// Stored is the grid on which the loaded operand is stored once, apart from the
	// compute grid; zero: by the rules of the compute grid, where Parts is the
	// inner parts of a stationary plan's weights.
	Stored model.Grid
	Parts  int
}

// gemm is the candidate of a variant.
func (s SeedShape) gemm(v SeedVariant) SeedGemm {
	r, q, k := v.Grid.Rows, v.Grid.Cols, v.Grid.Inner
	return SeedGemm{Swapped: v.Swapped, Interleaved: v.Interleaved, Uniform: v.Uniform, Streamed: v.Streamed, RowsFast: v.RowsFast,
		Compute: model.Grid{Rows: r, Cols: q, Inner: k}, Result: v.Result,
		BlockInner: model.PanelWidth * ceil(ceil(s.Inner, model.PanelWidth), k),
		BlockCols:  model.PanelWidth * ceil(ceil(s.Cols, model.PanelWidth), q)}
}

// gemm is the candidate of a stationary plan.
func (p SeedStationary) gemm() SeedGemm {
	return SeedGemm{Stationary: true, F32: p.F32, Interleaved: p.Interleaved, Uniform: p.Uniform, ByColumns: p.ByColumns,
		Compute: model.Grid{Rows: p.Rows, Cols: p.Cols}, Result: model.Grid{Rows: p.Rows, Cols: p.Cols},
		BlockInner: seedInnerStep, BlockCols: p.BlockCols, Parts: p.Parts}
}

// seedInnerStep is how far stationary plans walk the inner axis in one step.
const seedInnerStep = 64

func (g *SeedGemm) class() model.MemoryClass {
	if g.Interleaved {
		return model.Interleaved
	}
	return model.Standard
}

// oriented puts an axis of the kernel (rows or columns) where it is in the graph.
func (g *SeedGemm) oriented(axis int) int {
	if g.Swapped {
		return model.Rows + model.Cols - axis
	}
	return axis
}

// LeftFormat is the format of the kernel's streamed operand: the graph's A, or B
// if swapped.
func (g *SeedGemm) LeftFormat() SeedFormat {
	r, q, k := g.Compute.Rows, g.Compute.Cols, g.Compute.Inner
	if g.Stationary {
		rows := model.AxisTiling{Axis: model.Rows, Parts: r, Block: 1, Reject: true, Stride: q}
		if q == 1 {
			rows.Stride = 0
		}
		f := seedFormat(model.Order{Kind: model.LeftPanel}, model.Standard, q, rows,
			model.AxisTiling{Axis: model.Cols, Parts: 1, Block: seedInnerStep})
		f.F32 = g.F32
		return f
	}
	order := model.Order{Kind: model.LeftPanel}
	if g.Swapped {
		order.Kind = model.TransposedLeft
	}
	return seedFormat(order, model.Standard, q,
		model.AxisTiling{Axis: g.oriented(model.Cols), Parts: k, Block: g.BlockInner},
		model.AxisTiling{Axis: g.oriented(model.Rows), Parts: r, Block: 2})
}

// RightFormat is the format of the kernel's loaded operand: the graph's B, or A
// if swapped.
func (g *SeedGemm) RightFormat() SeedFormat {
	r, q, k := g.Compute.Rows, g.Compute.Cols, g.Compute.Inner
	order := model.Order{Kind: model.BlockMajor, RowBlock: g.BlockInner}
	cols := model.AxisTiling{Axis: model.Cols, Parts: q, Block: g.BlockCols, Stride: 1}
	inner := model.AxisTiling{Axis: model.Rows, Parts: k, Block: g.BlockInner}
	var f SeedFormat
	switch {
	case g.Stored != model.Grid{}:
		cols.Parts, inner.Parts = g.Stored.Cols, g.Stored.Inner
		f = seedFormat(order, g.class(), 1, cols, inner)
	case g.Swapped:
		order.Kind = model.TransposedBlockMajor
		f = seedFormat(order, g.class(), r,
			model.AxisTiling{Axis: model.Rows, Parts: q, Block: model.PanelWidth, Stride: 1},
			model.AxisTiling{Axis: model.Cols, Parts: k, Block: g.BlockInner})
	case !g.Stationary:
		cols.Block = model.PanelWidth
		f = seedFormat(order, g.class(), 1, cols, inner)
	case g.ByColumns:
		cols.Parts, cols.Block, inner.Parts = r, seedInnerStep, 1
		f = seedFormat(order, g.class(), 1, cols, inner)
	default:
		inner.Parts = g.Parts
		f = seedFormat(order, g.class(), r/g.Parts, cols, inner)
	}
	f.F32 = g.F32
	return f
}

// ResultFormat is the format of the result.
func (g *SeedGemm) ResultFormat() SeedFormat {
	R, Q := g.Result.Rows, g.Result.Cols
	order := model.Order{Kind: model.LeftPanel}
	if g.F32 {
		order.Kind = model.OutputPanel
	}
	if g.Swapped {
		order.Kind = model.TransposedLeft
	}
	cols := model.AxisTiling{Axis: g.oriented(model.Cols), Parts: Q, Block: model.PanelWidth, Stride: 1}
	rows := model.AxisTiling{Axis: g.oriented(model.Rows), Parts: R, Block: 2, Stride: Q}
	switch {
	case g.Stationary:
		cols.Block, rows.Block, rows.Reject = g.BlockCols, 1, true
	case g.rowsFirst():
		cols.Stride, rows.Stride = 0, 0
		return seedFormat(order, model.Interleaved, 1, rows, cols)
	case g.RowsFast:
		cols.Stride, rows.Stride = R, 1
	}
	f := seedFormat(order, model.Interleaved, 1, cols, rows)
	f.F32 = g.F32
	return f
}

// rowsFirst tells whether the result lists its rows first.
func (g *SeedGemm) rowsFirst() bool {
	return !g.Stationary && !g.Swapped && g.Result.Cols == 1 && g.BlockCols == 64
}

// OperandA, OperandB are the formats of the graph's operands.
func (g *SeedGemm) OperandA() SeedFormat {
	if g.Swapped {
		return g.RightFormat()
	}
	return g.LeftFormat()
}
func (g *SeedGemm) OperandB() SeedFormat {
	if g.Swapped {
		return g.LeftFormat()
	}
	return g.RightFormat()
}

// legal tells whether a candidate can run (reference: planspace.md §6.4), where
// it does not follow from how candidates are made.
func (s SeedShape) legal(g *SeedGemm) bool {
	r, q, k := g.Compute.Rows, g.Compute.Cols, g.Compute.Inner
	filled := func(extent, block, parts int) bool { return ceil(extent, block) >= parts }
	rowBlock, colBlock := 2, model.PanelWidth
	if g.Stationary {
		rowBlock, colBlock = 1, g.BlockCols
	}
	if !filled(s.Rows, rowBlock, g.Result.Rows) || !filled(s.Cols, colBlock, g.Result.Cols) {
		return false
	}
	right := g.RightFormat()
	cols, inner := right.Axes[0], right.Axes[1]
	if q > 1 || right.Replicas > 1 || inner.Parts > 1 {
		if !filled(s.Rows, rowBlock, r) || !filled(s.Inner, g.BlockInner, max(1, k)) ||
			!filled(s.Cols, cols.Block, cols.Parts) || !filled(s.Inner, inner.Block, inner.Parts) {
			return false
		}
	}
	return cols.Block*ceil(ceil(s.Cols, cols.Block), cols.Parts) >= g.BlockCols
}

// store is the candidate with its weights stored once on a grid of their own that
// makes the largest shard as small as tiles tiles allow; false if the candidate
// has no such variant (reference: planspace.md §7.5).
func (s SeedShape) store(g SeedGemm, tiles int) (SeedGemm, bool) {
	if g.Swapped || g.BlockCols < seedInnerStep {
		return g, false
	}
	innerBlocks, colBlocks := ceil(s.Inner, g.BlockInner), ceil(s.Cols, g.BlockCols)
	best, bestGrid := [4]int{}, model.Grid{}
	for i := 1; i <= min(innerBlocks, tiles); i++ {
		for c := 1; c <= min(colBlocks, tiles/i); c++ {
			key := [4]int{ceil(innerBlocks, i) * ceil(colBlocks, c), -i * c, c, i}
			if bestGrid.Cols == 0 || slices.Compare(key[:], best[:]) < 0 {
				best, bestGrid = key, model.Grid{Cols: c, Inner: i}
			}
		}
	}
	before := g.RightFormat()
	g.Stored, g.Parts = bestGrid, 0
	if g.BlockCols == seedInnerStep {
		g.ByColumns = false
	}
	after := g.RightFormat()
	return g, before.Key() != after.Key()
}

// SeedCandidates are the candidates of a GEMM in generation order, with how many
// legal ones there were before those that do not fit were dropped.
type SeedCandidates struct {
	Legal int
	List  []SeedGemm
}

// Candidates lists what the planner tries for a GEMM (reference: planspace.md
// §7): output-stationary plans and the retained inner-split ones of every tile
// count, then, if B is a parameter, those with B stored on a grid of its own.
// tiles is the capacity.
func (s SeedShape) Candidates(counts []int, tiles int, parameter, distributed bool) SeedCandidates {
	var list []SeedGemm
	for _, n := range counts {
		grids := true
		for _, p := range SeedStationaries(n) {
			list = append(list, p.gemm())
			if grids {
				grids = false
				for _, side := range []struct {
					SeedShape
					swapped bool
				}{{s, false}, {s.Swapped(), true}} {
					for _, v := range side.Retain(side.Variants(SeedFrontier(side.Grids(n)), side.swapped, distributed)) {
						list = append(list, side.gemm(v))
					}
				}
			}
		}
	}
	if parameter {
		for _, g := range list[:len(list):len(list)] {
			if stored, ok := s.store(g, tiles); ok {
				list = append(list, stored)
			}
		}
	}
	out := SeedCandidates{}
	seen := map[SeedGemm]bool{}
	for i := range list {
		g := list[i]
		side := s
		if g.Swapped {
			side = s.Swapped()
		}
		if seen[g] || !side.legal(&g) {
			continue
		}
		seen[g] = true
		out.Legal++
		f := side.Figures(&g)
		if peak := f.Peak(true); peak.Interleaved <= seedInterleaved && peak.Total() <= seedTotal-model.DefaultReserve {
			out.List = append(out.List, g)
		}
	}
	return out
}
