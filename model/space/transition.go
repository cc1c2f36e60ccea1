package space

import (
	"ipusolve/kernels"
	"ipusolve/model"
)

// Transition is the move of a GEMM's result into the streamed operand of the
// next GEMM, in one phase with the gathering of that GEMM's weights.
type Transition struct {
	From, To Shape // From.M = To.M, From.N = To.K
}

// Words, local copies and cleared padding of a transition, on their busiest tiles.
type Move struct {
	Words int64 // exchange phase; 0 = nothing moves
	Copy  int64 // cycles of local copies
	Fill  int64 // cycles of clearing
}

// Cycles is the price of the move under profile c600; phase is the charge per
// phase that moves anything.
func (m Move) Cycles(phase int64) int64 {
	if m.Words == 0 {
		return m.Copy + m.Fill
	}
	return m.Words + phase + m.Copy + m.Fill
}

// Exact prices the move of c1's result into c2's operand. Every tile receives
// what it needs of its operand block and does not hold, and sends once every
// element that another tile needs.
func (t Transition) Exact(c1, c2 Gemm) Move {
	w := t.walk(c1, c2)
	for tile := range w.tiles {
		w.tile(tile)
	}
	return w.move()
}

// AtLeast is Exact on some tiles only, a lower bound of all figures: the corners
// of both grids, and as many tiles again spread over the rest.
func (t Transition) AtLeast(c1, c2 Gemm) Move {
	w := t.walk(c1, c2)
	n1, n2 := w.from.tiles(), w.to.tiles()
	for _, tile := range [...]int{0, int(c1.Q) - 1, int(c2.Q) - 1, n1 - 1, n2 - 1, n2 - int(c2.Q), n1 / 2, n2 / 2, n2 / 3, n2 * 2 / 3} {
		if tile >= 0 && tile < w.tiles {
			w.tile(tile)
		}
	}
	return w.move()
}

// walk collects the figures of a move tile by tile.
type walk struct {
	from, to grid
	inner2   nested // parts of c2's inner axis
	gathered bool   // c2's weights
	inTurn   bool
	copies   int  // holders of a block of c2's operand
	slices   int  // of a block of c2's weights
	turned   bool // the two orders differ
	rows     int  // of the value, or whole panels of it where both sides store these
	tiles    int
	most     int   // elements
	cycles   int64 // of local copies
	fill     int64 // cycles
}

func (t Transition) walk(c1, c2 Gemm) walk {
	w := walk{from: t.From.grid(c1), to: t.To.grid(c2), inner2: nested{t.To.InnerBlocks(), int(c2.K), 1},
		gathered: c2.Gathered, inTurn: c2.InTurn(), copies: c2.InputHolders(), slices: c2.weightSlices(), turned: c1.Swapped != c2.Swapped, rows: t.From.M}
	if c1.Swapped && c2.Swapped {
		w.rows = model.PanelWidth * t.From.RowBlocks()
	}
	if c2.Swapped && !c1.Swapped {
		w.fill = t.To.padding(c2)
	}
	w.tiles = max(w.from.tiles(), w.to.tiles())
	return w
}

func (w *walk) move() Move { return Move{Words: int64(w.most+1) / 2, Copy: w.cycles, Fill: w.fill} }

// tile counts what a tile receives, sends and copies.
func (w *walk) tile(tile int) {
	var have, need span2
	if tile < w.from.tiles() {
		have = w.from.result(tile, w.rows)
	}
	received, sent := 0, 0
	if tile < w.to.tiles() {
		c, i, a := w.to.parts(tile)
		inner := w.inner2.whole(i)
		rows, block, holder := w.to.streamed.whole(a), w.to.loaded.whole(c), a
		if w.to.swapped {
			rows, block, holder = w.to.elements(block, w.rows), rows, c
		}
		need = span2{rows, inner}
		if w.gathered {
			n := model.PanelWidth * model.PanelWidth * inner.len() * block.len()
			own := sliceOf(n, w.slices, holder%w.slices)
			if received = n - own; holder < w.slices { // the first holder of a slice sends it
				sent = own
			}
			if w.inTurn {
				w.most = max(w.most, n)
			}
		}
	}
	common := have.intersect(need)
	overlap := common.elements()
	received += need.elements() - overlap
	if w.copies > 2 { // any two pieces of the operand have a receiver in common
		w.most = max(w.most, need.elements())
	}
	if have.elements() > 0 {
		if w.copies > 1 {
			sent += have.elements()
		} else {
			sent += have.elements() - overlap
		}
	}
	w.most = max(w.most, received, sent)
	if overlap > 0 && (have != need || w.turned) {
		w.cycles = max(w.cycles, w.copy(have, need, common))
	}
}

// Extra bounds what any move of c1's result takes beside the words of result and
// operand: copies of all of the result, and padding rows, which are moved or cleared.
func (t Transition) Extra(c1 Gemm) int64 {
	z, whole := t.From.Sizes(c1), Gemm{K: 1, R: 1, Q: 1, Rho: 1, Kappa: 1, Swapped: true}
	bytes := 2 * z.ResultRows * z.ResultCols
	v := kernels.CopyCycles(bytes)
	// Between the orders a panel of 16 columns is copied in up to three calls.
	rows, panels := z.ResultRows, z.ResultCols/model.PanelWidth
	if c1.Swapped {
		rows, panels = z.ResultCols, z.ResultRows/model.PanelWidth
	}
	calls := min(3, (rows+model.PanelWidth-2)/model.PanelWidth+1)
	v = max(v, int64(panels*calls)*kernels.StridedCopyCycles(0)+kernels.StridedCopyCycles(bytes)-kernels.StridedCopyCycles(0))
	if !c1.Swapped {
		return v + t.To.padding(whole)
	}
	return v + int64(t.To.RowBlocks()*model.PanelWidth-t.To.M)*int64(t.To.Sizes(whole).Inner)/2
}

// copy prices the local copy of what a tile has of its operand, by its runs: elements
// that follow each other on both sides. Left panels have a run per panel of 16 columns,
// panels in blocks one per 16 rows.
func (w *walk) copy(have, need, b span2) int64 {
	rows, cols, bytes := b.rows.len(), b.cols.len(), 2*b.elements()
	switch {
	case !w.turned && w.to.swapped:
		if b.cols == have.cols && b.cols == need.cols {
			return kernels.CopyCycles(bytes)
		}
		n := rows / model.PanelWidth
		return kernels.CopyRunsCycles(n, bytes/n)
	case !w.turned:
		if b.rows == have.rows && b.rows == need.rows {
			return kernels.CopyCycles(bytes)
		}
		return kernels.CopyRunsCycles(cols, bytes/cols)
	}
	left, blocks := have, need
	if !w.to.swapped {
		left, blocks = need, have
	}
	if blocks.cols.len() == 1 { // one panel, whose rows follow each other
		return kernels.CopyCycles(bytes)
	}
	if b.rows.lo/model.PanelWidth == (b.rows.hi-1)/model.PanelWidth {
		if rows == model.PanelWidth && b.rows == left.rows {
			return kernels.CopyCycles(bytes)
		}
		return kernels.CopyRunsCycles(cols, bytes/cols)
	}
	// Panel by panel of the left panels: what lies in the first rows, in whole ones, in the last.
	first := -b.rows.lo & (model.PanelWidth - 1)
	last := b.rows.hi % model.PanelWidth
	whole := (rows - first - last) / model.PanelWidth
	if first == last && whole == 0 {
		return int64(cols) * kernels.CopyRunsCycles(2, rowBytes*first)
	}
	return int64(cols) * (kernels.CopyCycles(rowBytes*first) + kernels.CopyRunsCycles(whole, rowBytes*model.PanelWidth) + kernels.CopyCycles(rowBytes*last))
}

// rowBytes is the size of a row of a panel.
const rowBytes = 2 * model.PanelWidth

// grid is a candidate's grid over the tiles: tile c + q·(i + k·a) has streamed part a,
// loaded part c and inner part i.
type grid struct {
	swapped          bool
	r, q, k          int
	rho, owners      int
	streamed, loaded nested // parts in units of the streamed rows and in blocks of 16
}

func (s Shape) grid(c Gemm) grid {
	return grid{swapped: c.Swapped, r: int(c.R), q: int(c.Q), k: int(c.K), rho: int(c.Rho), owners: int(c.Rho * c.Kappa),
		streamed: nested{s.streamed(c.Swapped).n, int(c.R), int(c.Rho)}, loaded: nested{s.loaded(c.Swapped), int(c.Q), int(c.Kappa)}}
}

func (g *grid) tiles() int { return g.r * g.q * g.k }

func (g *grid) parts(tile int) (c, i, a int) { return tile % g.q, tile / g.q % g.k, tile / (g.q * g.k) }

// elements turns blocks of 16 rows into rows, at most some number.
func (g *grid) elements(blocks span, rows int) span {
	return span{model.PanelWidth * blocks.lo, min(model.PanelWidth*blocks.hi, rows)}
}

// result is what a tile holds of the result: rows of the value below some number, and
// blocks of 16 columns.
func (g *grid) result(tile, rows int) span2 {
	c, i, a := g.parts(tile)
	if i >= g.owners {
		return span2{}
	}
	streamed, loaded := g.streamed.part(a, i%g.rho), g.loaded.part(c, i/g.rho)
	if g.swapped {
		return span2{g.elements(loaded, rows), streamed}
	}
	return span2{streamed, loaded}
}

// padding prices clearing the last panel of rows of the loaded operand of a swapped
// candidate where its source has rows of the value only.
func (s Shape) padding(c Gemm) int64 {
	rows := s.RowBlocks()*model.PanelWidth - s.M
	if rows == 0 {
		return 0
	}
	return kernels.FillRunsCycles(s.Sizes(c).Inner/model.PanelWidth, 2*rows*model.PanelWidth)
}

// ResultWords is the largest shard of c1's result as stored and OperandWords what the
// largest block of c2's operand has of the value, in words.
func (t Transition) ResultWords(c1 Gemm) int64 {
	z := t.From.Sizes(c1)
	return int64(z.ResultRows*z.ResultCols) / 2
}
func (t Transition) OperandWords(c2 Gemm) int64 {
	z := t.To.Sizes(c2)
	rows := z.Rows
	if c2.Swapped {
		rows = min(z.Cols, t.To.M)
	}
	return int64(rows*z.Inner) / 2
}

// span is a half-open range, span2 a rectangle of rows × blocks of 16 columns.
type span struct{ lo, hi int }
type span2 struct{ rows, cols span }

func (s span) len() int { return max(0, s.hi-s.lo) }
func (s span) intersect(o span) span {
	return span{max(s.lo, o.lo), min(s.hi, o.hi)}
}
func (s span2) intersect(o span2) span2 {
	return span2{s.rows.intersect(o.rows), s.cols.intersect(o.cols)}
}
func (s span2) elements() int { return s.rows.len() * s.cols.len() * model.PanelWidth }

// nested splits n units in outer parts and each of these in inner parts, long
// parts first (model.AxisTiling.Nest).
type nested struct{ n, outer, inner int }

func (s nested) part(o, i int) span {
	outer := s.whole(o)
	n := outer.len()
	start := outer.lo + i*(n/s.inner) + min(i, n%s.inner)
	return span{start, start + part(n, s.inner, i)}
}

// whole is an outer part.
func (s nested) whole(o int) span {
	lo := o*(s.n/s.outer) + min(o, s.n%s.outer)
	return span{lo, lo + part(s.n, s.outer, o)}
}
