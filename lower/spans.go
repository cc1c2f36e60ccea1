package lower

import (
	"errors"
	"fmt"

	"ipusolve/model"
)

// micro is the micro width of F16 orders: 16 elements, 32 bytes, are one micro
// row (reference: planspace.md §3).
const micro = 16

// ErrOrder is wrapped by errors about element orders that lowering cannot move
// data between.
var ErrOrder = errors.New("lower: element order")

// span is a run of n elements at element offset at of a part's storage.
type span struct{ at, n int }

func (s span) end() int { return s.at + s.n }

// push appends a span, joined to the last one where they touch.
func push(list []span, s span) []span {
	if n := len(list); n > 0 && list[n-1].end() == s.at {
		list[n-1].n += s.n
		return list
	}
	return append(list, s)
}

// storage is how one part of a value is stored: its box and element order.
type storage struct {
	order      model.Order
	rows, cols model.Extent
}

func storageOf(v *model.PlanValue, s model.Shard) storage {
	return storage{v.Layout.Order, s.Rows, s.Cols}
}

func (s storage) elements() int { return s.rows.Stored() * s.cols.Stored() }

func (s storage) sameBox(t storage) bool { return s.rows == t.rows && s.cols == t.cols }

// sameOrder tells whether two storages of one box hold elements at equal offsets.
func (s storage) sameOrder(t storage) bool {
	return s.order.Kind == t.order.Kind && s.rowBlock() == t.rowBlock()
}

// rowBlock is the row block of a block-major storage in elements; 0 for the
// other orders.
func (s storage) rowBlock() int { return s.order.InnerBlock(s.rows.Stored(), s.cols.Stored()) }

// digit is one loop of a storage order: it cuts the rows or columns that the
// loops outside leave in steps of size; one step is weight elements further.
type digit struct {
	rows         bool
	size, weight int
}

// digits lists the loops of an order, outermost first. An order is a nest of
// loops over rows and columns, so every rectangle is enumerated the same way.
func (s storage) digits() ([]digit, error) {
	const row, col = true, false
	var d []digit
	switch s.order.Kind {
	case model.RowMajor:
		d = []digit{{row, 1, 0}, {col, 1, 0}}
	case model.LeftPanel:
		d = []digit{{col, micro, 0}, {row, 1, 0}, {col, 1, 0}}
	case model.TransposedLeft:
		d = []digit{{row, micro, 0}, {col, 1, 0}, {row, 1, 0}}
	case model.TransposedRight:
		d = []digit{{row, micro, 0}, {col, micro, 0}, {row, 1, 0}, {col, 1, 0}}
	case model.BlockMajor:
		d = []digit{{row, s.rowBlock(), 0}, {col, micro, 0}, {row, micro, 0}, {col, 1, 0}, {row, 1, 0}}
	case model.TransposedBlockMajor:
		d = []digit{{col, s.rowBlock(), 0}, {row, micro, 0}, {col, micro, 0}, {row, 1, 0}, {col, 1, 0}}
	default:
		return nil, fmt.Errorf("%w: %v is no F16 order", ErrOrder, s.order.Kind)
	}
	extent := map[bool]int{row: s.rows.Stored(), col: s.cols.Stored()}
	rest := s.elements()
	for i := range d {
		rest /= extent[d[i].rows] / d[i].size
		d[i].weight = rest
		extent[d[i].rows] = d[i].size
	}
	return d, nil
}

// ascending lists the storage of a box (in value coordinates) by ascending
// offset.
func (s storage) ascending(b model.Box) ([]span, error) {
	digits, err := s.digits()
	if err != nil {
		return nil, err
	}
	w := walker{digits: digits}
	w.walk(0, 0, interval{b.R0 - s.rows.Start, b.R1 - s.rows.Start, s.rows.Stored()},
		interval{b.C0 - s.cols.Start, b.C1 - s.cols.Start, s.cols.Stored()})
	return w.spans, nil
}

// interval is [lo, hi) of an extent 0..of.
type interval struct{ lo, hi, of int }

func (v interval) whole() bool { return v.lo == 0 && v.hi == v.of }

type walker struct {
	digits []digit
	spans  []span
}

// walk lists the elements of rows × cols inside the loops from level on, whose
// first element is at base.
func (w *walker) walk(level, base int, rows, cols interval) {
	d := w.digits[level]
	mine, other := cols, rows
	if d.rows {
		mine, other = rows, cols
	}
	if other.whole() && mine.lo%d.size == 0 && mine.hi%d.size == 0 {
		w.spans = push(w.spans, span{base + mine.lo/d.size*d.weight, (mine.hi - mine.lo) / d.size * d.weight})
		return
	}
	for v := mine.lo / d.size; v*d.size < mine.hi; v++ {
		part := interval{max(mine.lo-v*d.size, 0), min(mine.hi-v*d.size, d.size), d.size}
		if d.rows {
			w.walk(level+1, base+v*d.weight, part, cols)
		} else {
			w.walk(level+1, base+v*d.weight, rows, part)
		}
	}
}

// sequence is an order of the elements of a rectangle that is followed at the
// source and at the destination of a move alike.
type sequence uint8

const (
	native     sequence = iota // ascending offsets on both sides ("direct retile")
	byRows                     // row-major ("direct logical")
	byPanels                   // panels of 16 columns, row-major inside
	byPanelsTr                 // the same, transposed: panels of 16 rows, column-major inside
)

// sequenceOf picks the sequence in which region moves from src to dst, or says
// that only a transposing kernel could do it.
func sequenceOf(src, dst storage, region model.Box) (sequence, error) {
	for _, k := range []model.OrderKind{src.order.Kind, dst.order.Kind} {
		if k == model.OutputPanel || k == model.TransposedOutput {
			return 0, fmt.Errorf("%w: %v is no F16 order", ErrOrder, k)
		}
	}
	if nativeFits(src, dst, region) {
		return native, nil
	}
	switch a, b := src.order.Kind.DownColumns(), dst.order.Kind.DownColumns(); {
	case a != b:
		return 0, fmt.Errorf("%w: %v to %v needs a transposing kernel", ErrOrder, src.order.Kind, dst.order.Kind)
	case a:
		return byPanelsTr, nil
	case src.order.Kind == model.RowMajor || dst.order.Kind == model.RowMajor:
		return byRows, nil
	}
	return byPanels, nil
}

// nativeFits tells whether ascending offsets give the same element sequence on
// both sides: equal orders whose panels and row blocks are cut at the same
// places inside the region.
func nativeFits(src, dst storage, region model.Box) bool {
	if src.order.Kind != dst.order.Kind {
		return false
	}
	rows := (src.rows.Start-dst.rows.Start)%micro == 0
	cols := (src.cols.Start-dst.cols.Start)%micro == 0
	switch src.order.Kind {
	case model.RowMajor:
		return true
	case model.LeftPanel:
		return cols
	case model.TransposedLeft:
		return rows
	case model.TransposedRight:
		return rows && cols
	case model.BlockMajor:
		return rows && cols && sameBlocks(src.rowBlock(), dst.rowBlock(), src.rows.Start, dst.rows.Start, region.R0, region.R1)
	case model.TransposedBlockMajor:
		return rows && cols && sameBlocks(src.rowBlock(), dst.rowBlock(), src.cols.Start, dst.cols.Start, region.C0, region.C1)
	}
	return false
}

// sameBlocks tells whether blocks of h and k from starts s and t cut [lo, hi) at
// the same places.
func sameBlocks(h, k, s, t, lo, hi int) bool {
	if h == k && (s-t)%h == 0 {
		return true
	}
	return (lo-s)/h == (hi-1-s)/h && (lo-t)/k == (hi-1-t)/k
}

// spans lists the storage of region in a sequence.
func (s storage) spans(region model.Box, seq sequence) ([]span, error) {
	if seq == native {
		return s.ascending(region)
	}
	var list []span
	R, C := s.rows.Stored(), s.cols.Stored()
	// line adds the elements [c0, c1) of row r (of column r, transposed).
	line := func(r, c0, c1 int) {
		start := s.cols.Start
		if seq == byPanelsTr {
			start = s.rows.Start
		}
		for c := c0; c < c1; {
			n := min(c1-c, micro-(c-start)%micro)
			x, y := r-s.rows.Start, c-s.cols.Start
			if seq == byPanelsTr {
				x, y = c-s.rows.Start, r-s.cols.Start
			}
			list = push(list, span{s.order.Offset(R, C, x, y, micro), n})
			c += n
		}
	}
	switch seq {
	case byRows:
		for r := region.R0; r < region.R1; r++ {
			line(r, region.C0, region.C1)
		}
	case byPanels:
		for c := region.C0; c < region.C1; c += micro {
			for r := region.R0; r < region.R1; r++ {
				line(r, c, min(c+micro, region.C1))
			}
		}
	case byPanelsTr:
		for r := region.R0; r < region.R1; r += micro {
			for c := region.C0; c < region.C1; c++ {
				line(c, r, min(r+micro, region.R1))
			}
		}
	}
	return list, nil
}

// lockstep walks span lists of equal total length side by side and calls f for
// every chunk that is contiguous in all of them: at most limit elements, offset
// at[i] in list i.
func lockstep(lists [][]span, limit int, f func(at []int, n int)) {
	next := make([]int, len(lists)) // span that list i is in
	done := make([]int, len(lists)) // elements of it already passed
	at := make([]int, len(lists))
	for next[0] < len(lists[0]) {
		n := limit
		for i, l := range lists {
			at[i] = l[next[i]].at + done[i]
			n = min(n, l[next[i]].n-done[i])
		}
		f(at, n)
		for i, l := range lists {
			if done[i] += n; done[i] == l[next[i]].n {
				next[i], done[i] = next[i]+1, 0
			}
		}
	}
}

// cut keeps the part of paired lists whose first list lies in [first, end):
// what one slice of the source's storage holds.
func cut(lists [][]span, first, end int) [][]span {
	out := make([][]span, len(lists))
	lockstep(lists, 1<<30, func(at []int, n int) {
		lo, hi := max(at[0], first), min(at[0]+n, end)
		if lo >= hi {
			return
		}
		for i := range lists {
			out[i] = push(out[i], span{at[i] + lo - at[0], hi - lo})
		}
	})
	return out
}
