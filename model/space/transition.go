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

// Words and local copies of a transition, on their busiest tiles.
type Move struct {
	Words int64 // exchange phase; 0 = nothing moves
	Copy  int64 // cycles of local copies
}

// Cycles is the price of the move under profile c600; phase is the charge per
// phase that moves anything.
func (m Move) Cycles(phase int64) int64 {
	if m.Words == 0 {
		return m.Copy
	}
	return m.Words + phase + m.Copy
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

// AtLeast is Exact on some tiles only, a lower bound of both figures: the corners
// of both grids, and as many tiles again spread over the rest.
func (t Transition) AtLeast(c1, c2 Gemm) Move {
	w := t.walk(c1, c2)
	for _, tile := range [...]int{0, int(c1.Q) - 1, int(c2.Q) - 1, w.tiles1 - 1, w.tiles2 - 1, w.tiles2 - int(c2.Q), w.tiles1 / 2, w.tiles2 / 2, w.tiles2 / 3, w.tiles2 * 2 / 3} {
		if tile >= 0 && tile < w.tiles {
			w.tile(tile)
		}
	}
	return w.move()
}

// walk collects the figures of a move tile by tile.
type walk struct {
	c2             Gemm
	q1, k1, q2, k2 int
	rho, owners    int
	rows1, cols1   nested
	rows2, cols2   nested
	n2             nested
	tiles1, tiles2 int // of both grids
	tiles          int
	most           int   // elements
	copies         int64 // cycles
}

func (t Transition) walk(c1, c2 Gemm) walk {
	q1, k1, q2, k2, r2 := int(c1.Q), int(c1.K), int(c2.Q), int(c2.K), int(c2.R)
	w := walk{c2: c2, q1: q1, k1: k1, q2: q2, k2: k2, rho: int(c1.Rho), owners: int(c1.Rho * c1.Kappa),
		rows1: nested{t.From.M, int(c1.R), int(c1.Rho)}, cols1: nested{t.From.ColBlocks(), q1, int(c1.Kappa)},
		rows2: nested{t.To.M, r2, 1}, cols2: nested{t.To.InnerBlocks(), k2, 1}, n2: nested{t.To.ColBlocks(), q2, 1},
		tiles1: int(c1.R) * q1 * k1, tiles2: r2 * q2 * k2}
	w.tiles = max(w.tiles1, w.tiles2)
	return w
}

func (w *walk) move() Move { return Move{Words: int64(w.most+1) / 2, Copy: w.copies} }

// tile counts what a tile receives, sends and copies.
func (w *walk) tile(tile int) {
	var have, need span2
	if tile < w.tiles1 {
		c, i, a := tile%w.q1, tile/w.q1%w.k1, tile/(w.q1*w.k1)
		if i < w.owners {
			have = span2{w.rows1.part(a, i%w.rho), w.cols1.part(c, i/w.rho)}
		}
	}
	received, sent := 0, 0
	if tile < w.tiles2 {
		c, i, a := tile%w.q2, tile/w.q2%w.k2, tile/(w.q2*w.k2)
		need = span2{w.rows2.part(a, 0), w.cols2.part(i, 0)}
		if w.c2.Gathered {
			n := model.PanelWidth * model.PanelWidth * need.cols.len() * w.n2.part(c, 0).len()
			own := sliceOf(n, int(w.c2.R), a)
			received, sent = n-own, own
			if w.c2.InPlace {
				w.most = max(w.most, n)
			}
		}
	}
	overlap := have.intersect(need).elements()
	received += need.elements() - overlap
	if have.elements() > 0 {
		if w.q2 > 1 {
			sent += have.elements()
		} else {
			sent += have.elements() - overlap
		}
	}
	w.most = max(w.most, received, sent)
	if overlap > 0 && have != need {
		w.copies = max(w.copies, kernels.CopyCycles(2*overlap))
	}
}

// ResultWords is the largest shard of c1's result and OperandWords the largest
// streamed block of c2, in words.
func (t Transition) ResultWords(c1 Gemm) int64 {
	z := t.From.Sizes(c1)
	return int64(z.ResultRows*z.ResultCols) / 2
}
func (t Transition) OperandWords(c2 Gemm) int64 {
	z := t.To.Sizes(c2)
	return int64(z.Rows*z.Inner) / 2
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
	lo := o*(s.n/s.outer) + min(o, s.n%s.outer)
	n := part(s.n, s.outer, o)
	start := lo + i*(n/s.inner) + min(i, n%s.inner)
	return span{start, start + part(n, s.inner, i)}
}
