package space

import (
	"ipusolve/kernels"
	"ipusolve/model"
)

// LinearMove prices the move of c's result into equal row-major runs, one per
// tile, for columns that are a multiple of 16. Every element has one sender and
// one receiver; a run of a row that is already there is copied, unless the
// element order stays too and the shard is just that run.
func (s Shape) LinearMove(c Gemm, order model.OrderKind) Move {
	g := s.grid(c)
	if c.Swapped {
		order = model.RowMajor // not that of the shards, whatever it is
	}
	runs, perRow := s.linearRuns()
	tiles := runs.outer
	var most int
	var copies int64
	for tile := range max(tiles, g.tiles()) {
		var have span2
		if tile < g.tiles() {
			have = g.result(tile, s.M)
		}
		need, overlap := 0, 0
		var local int64
		if tile < tiles {
			run := runs.part(tile, 0)
			need = run.len() * model.PanelWidth
			for row := run.lo / perRow; row*perRow < run.hi; row++ {
				if row < have.rows.lo || row >= have.rows.hi {
					continue
				}
				held := span{row*perRow + have.cols.lo, row*perRow + have.cols.hi}
				piece := run.intersect(span{row * perRow, (row + 1) * perRow})
				e := piece.intersect(held).len() * model.PanelWidth
				overlap += e
				if order != model.LeftPanel || piece != held || have.rows.len() > 1 { // else the shard is there already
					local += rowCopy(e, !c.Swapped && have.rows.len() == 1)
				}
			}
		}
		most = max(most, need-overlap, have.elements()-overlap)
		copies = max(copies, local)
	}
	return Move{Words: int64(most) / 2, Copy: copies}
}

// rowCopy prices the copy of e elements of a row, whole panels: at once where a shard is
// that row alone, else a run per panel.
func rowCopy(e int, alone bool) int64 {
	if alone {
		return kernels.CopyCycles(2 * e)
	}
	return kernels.CopyRunsCycles(e/model.PanelWidth, rowBytes)
}

// MustMove tells that no layout in row-major runs equals c's result: its largest
// shard spans several rows but not all columns.
func (s Shape) MustMove(c Gemm) bool {
	z := s.Sizes(c)
	if c.Swapped {
		return min(z.ResultCols, s.M) > 1 && c.R*c.Rho > 1
	}
	return z.ResultRows > 1 && c.Q*c.Kappa > 1
}

// linearRuns are the equal row-major runs of the stage's result, in grains of 16
// elements.
func (s Shape) linearRuns() (runs nested, perRow int) {
	grains := s.M * s.N / model.PanelWidth
	return nested{grains, min(s.Tiles, grains), 1}, s.N / model.PanelWidth
}

// LinearGelu prices GELU on the row-major runs of the result, which are cut at
// rows: one call per piece.
func (s Shape) LinearGelu() int64 {
	runs, perRow := s.linearRuns()
	var most int64
	for tile := range runs.outer {
		var work int64
		run := runs.part(tile, 0)
		for at := run.lo; at < run.hi; {
			end := min(run.hi, (at/perRow+1)*perRow)
			work += kernels.GeluCycles((end - at) * model.PanelWidth)
			at = end
		}
		most = max(most, work)
	}
	return most
}

// FromLinear prices the move of row-major runs into c2's operand, in one phase
// with the gathering of its weights.
func (t Transition) FromLinear(c2 Gemm) Move {
	runs, perRow := t.From.linearRuns()
	q, k, r := int(c2.Q), int(c2.K), int(c2.R)
	rows, cols := nested{t.To.M, r, 1}, nested{t.To.InnerBlocks(), k, 1}
	n := nested{t.To.ColBlocks(), q, 1}
	var most int
	var copies int64
	for tile := range max(runs.outer, r*q*k) {
		var need span2
		received, sent, overlap := 0, 0, 0
		if tile < r*q*k {
			c, i, a := tile%q, tile/q%k, tile/(q*k)
			need = span2{rows.part(a, 0), cols.part(i, 0)}
			if q > 2 { // any two pieces of the operand have a receiver in common
				most = max(most, need.elements())
			}
			if c2.Gathered {
				elements := model.PanelWidth * model.PanelWidth * need.cols.len() * n.part(c, 0).len()
				slices := c2.weightSlices()
				own := sliceOf(elements, slices, a%slices)
				if received = elements - own; a < slices {
					sent = own
				}
				if c2.InTurn() {
					most = max(most, elements)
				}
			}
		}
		if tile < runs.outer {
			run := runs.part(tile, 0)
			var local int64
			for row := max(run.lo/perRow, need.rows.lo); row*perRow < run.hi && row < need.rows.hi; row++ {
				wanted := span{row*perRow + need.cols.lo, row*perRow + need.cols.hi}
				piece := run.intersect(span{row * perRow, (row + 1) * perRow})
				e := piece.intersect(wanted).len() * model.PanelWidth
				overlap += e
				if piece != wanted || need.rows.len() > 1 { // else the shard is there already
					local += rowCopy(e, need.rows.len() == 1)
				}
			}
			copies = max(copies, local)
			sent += run.len() * model.PanelWidth
			if q == 1 {
				sent -= overlap
			}
		}
		most = max(most, received+need.elements()-overlap, sent)
	}
	return Move{Words: int64(most+1) / 2, Copy: copies}
}
