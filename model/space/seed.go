package space

import (
	"cmp"
	"slices"

	"ipusolve/device"
	"ipusolve/model"
)

// SeedShape is a GEMM as family `seed` sees it (reference: planspace.md §6, §7):
// streamed rows × inner × loaded columns, so (M,K,N) in normal orientation and
// (N,K,M) swapped. Batch is the product of A's leading extents.
type SeedShape struct {
	Rows, Inner, Cols int
	Batch             int
}

// Swapped is the shape of the other orientation.
func (s SeedShape) Swapped() SeedShape { return SeedShape{s.Cols, s.Inner, s.Rows, s.Batch} }

// SeedGrid is a parallel-reduction grid with the planner's proxy metrics, which
// are not cycles in a strict sense.
type SeedGrid struct {
	Rows, Cols, Inner int // r, q, k
	Cycles, Comm      int64
	Temp              int64 // bytes
}

// SeedCounts lists the tile counts that plans are made for (reference:
// planspace.md §7.1): the capacity, powers of two, then multiples of the extents
// of the graph's values that use at least half of it.
func SeedCounts(g *model.Graph, capacity int) []int {
	counts := []int{capacity}
	power := 1
	for power*2 <= capacity {
		power *= 2
	}
	for ; power > 0; power /= 2 {
		if power < capacity {
			counts = append(counts, power)
		}
	}
	var shaped []int
	for _, v := range g.Values {
		for _, e := range v.Shape {
			if e <= 1 || e > capacity {
				continue
			}
			if n := e * (capacity / e); n >= ceil(capacity, 2) && n < capacity && !slices.Contains(counts, n) && !slices.Contains(shaped, n) {
				shaped = append(shaped, n)
			}
		}
	}
	slices.SortFunc(shaped, func(a, b int) int { return cmp.Compare(b, a) })
	return append(counts, shaped...)
}

// Limits of a grid's temporary memory, in bytes (reference: planspace.md §10.3).
const (
	seedTotal       = device.StandardBytes + device.InterleavedBytes
	seedInterleaved = device.InterleavedBytes
)

// Grids lists the grids that are generated for a tile count (reference:
// planspace.md §7.3): for each inner and column split only the most row parts,
// if they use half of the tiles, leave no inner part empty and fit memory.
func (s SeedShape) Grids(tiles int) []SeedGrid {
	inner, cols := ceil(s.Inner, model.PanelWidth), ceil(s.Cols, model.PanelWidth)
	batch := int64(max(1, s.Batch))
	var out []SeedGrid
	for k := 2; k <= min(inner, tiles); k++ {
		if (k-1)*ceil(inner, k) >= inner {
			continue
		}
		for q := 1; q <= min(cols, tiles/k); q++ {
			r := min(s.Rows, tiles/k/q)
			if r*q*k < ceil(tiles, 2) {
				continue
			}
			m, c, i := int64(ceil(s.Rows, r)), int64(ceil(cols, q)), int64(ceil(inner, k))
			left, weights, partial := batch*m*i*32, c*i*512, batch*m*c*32
			g := SeedGrid{Rows: r, Cols: q, Inner: k, Comm: c*i + m*i + m*c*int64(k-1), Temp: max(left+weights+partial, 4*partial)}
			g.Cycles = c*i*(4*batch*m+160) + g.Comm
			if g.Temp <= seedTotal && weights+partial <= seedInterleaved {
				out = append(out, g)
			}
		}
	}
	return out
}

// SeedFrontier keeps the grids that no other one with the same inner split beats
// in all three metrics (equal ones stay), in the order they are tried in.
func SeedFrontier(grids []SeedGrid) []SeedGrid {
	var out []SeedGrid
	for i, g := range grids {
		if !slices.ContainsFunc(grids, func(h SeedGrid) bool {
			return h.Inner == g.Inner && h.Cycles <= g.Cycles && h.Comm <= g.Comm && h.Temp <= g.Temp &&
				(h.Cycles < g.Cycles || h.Comm < g.Comm || h.Temp < g.Temp)
		}) {
			out = append(out, grids[i])
		}
	}
	slices.SortFunc(out, func(a, b SeedGrid) int {
		return cmp.Or(cmp.Compare(a.Cycles, b.Cycles), cmp.Compare(a.Comm, b.Comm), cmp.Compare(a.Temp, b.Temp),
			cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.Cols, b.Cols), cmp.Compare(a.Inner, b.Inner))
	})
	return out
}

// SeedVariant is a plan of a GEMM in family `seed`: a grid and the choices that
// the planner combines with it (reference: planspace.md §6.2, §7.4).
type SeedVariant struct {
	Swapped     bool
	Grid        SeedGrid
	Interleaved bool // memory class of the loaded operand
	// Result is the final grid; RowsFast puts its parts on tiles row by row.
	Result   model.Grid
	RowsFast bool
	Uniform  bool // the loaded operand is first copied like a remote one
	Streamed bool // one remote partial at a time
}

// Variants combines the grids of a frontier with memory class, result grid,
// staging of the loaded operand and of the partials. Distributed says that a
// result cut into more parts than the compute grid's is useful: the value is an
// output, or its only consumer accepts any layout.
func (s SeedShape) Variants(frontier []SeedGrid, swapped, distributed bool) []SeedVariant {
	cols := ceil(s.Cols, model.PanelWidth)
	staging := []bool{false}
	if swapped {
		staging = []bool{false, true}
	}
	var out []SeedVariant
	for _, g := range frontier {
		type option struct {
			grid     model.Grid
			rowsFast bool
		}
		options := []option{{model.Grid{Rows: g.Rows, Cols: g.Cols}, false}}
		if g.Rows > 1 && g.Cols > 1 {
			options = append(options, option{options[0].grid, true})
		}
		switch {
		case !distributed:
		case g.Inner <= s.Rows/g.Rows:
			options = append(options, option{model.Grid{Rows: g.Inner * g.Rows, Cols: g.Cols}, false})
		case g.Inner <= cols/g.Cols:
			options = append(options, option{model.Grid{Rows: g.Rows, Cols: g.Inner * g.Cols}, false})
		}
		// A part of the result is at least one pair of rows.
		options = slices.DeleteFunc(options, func(o option) bool { return o.grid.Rows > ceil(s.Rows, 2) })
		for _, interleaved := range []bool{false, true} {
			for _, o := range options {
				for _, uniform := range staging {
					for _, streamed := range []bool{false, true} {
						out = append(out, SeedVariant{swapped, g, interleaved, o.grid, o.rowsFast, uniform, streamed})
					}
				}
			}
		}
	}
	return out
}
