package cost

import (
	"fmt"
	"slices"

	"ipusolve/model"
)

// seedRun is one contiguous byte run of a piece at its source and destination.
type seedRun struct{ bytes, src, dst int64 }

// seedSpan is one contiguous byte span of a shard.
type seedSpan struct{ at, bytes int64 }

// seedWalk finds the runs of pieces; its buffers are reused from piece to piece.
type seedWalk struct {
	runs     []seedRun
	src, dst []seedSpan
	offsets  []int64
}

// seedBox is a shard as storage: its physical box in some order.
type seedBox struct {
	order      model.Order
	rows, cols int // physical extents
	r0, c0     int
}

func (r *seedRearranger) boxOf(s model.Shard, o model.Order) seedBox {
	return seedBox{o, s.Rows.Stored(), s.Cols.Stored(), s.Rows.Start, s.Cols.Start}
}

// runs finds the transfer runs of a piece under a strategy (reference:
// costmodel.md §7, "Byte runs of a piece").
func (r *seedRearranger) runs(w *seedWalk, strategy SeedStrategy, src, dst model.Shard, piece model.Box) error {
	order := r.to.Order
	if strategy == SeedStaged {
		order = model.Order{}
	}
	w.between(r.boxOf(src, r.from.Order), r.boxOf(dst, order), piece, strategy != SeedRetile)
	for _, run := range w.runs {
		if run.bytes%4 != 0 || run.src%4 != 0 || run.dst%4 != 0 {
			return fmt.Errorf("%w: %s from %v to %v has a run of %d bytes at %d → %d", ErrImpossible, strategy, r.from, r.to, run.bytes, run.src, run.dst)
		}
	}
	return nil
}

// between sets w.runs to the runs of a piece between two shards, in row-major
// logical or in ascending storage order.
func (w *seedWalk) between(src, dst seedBox, piece model.Box, logical bool) {
	w.src = w.spans(w.src[:0], src, piece, logical)
	w.dst = w.spans(w.dst[:0], dst, piece, logical)
	w.runs = w.runs[:0]
	for s, d := 0, 0; s < len(w.src) && d < len(w.dst); {
		a, b := &w.src[s], &w.dst[d]
		n := min(a.bytes, b.bytes, seedTransfer)
		w.runs = append(w.runs, seedRun{n, a.at, b.at})
		a.at, a.bytes = a.at+n, a.bytes-n
		b.at, b.bytes = b.at+n, b.bytes-n
		if a.bytes == 0 {
			s++
		}
		if b.bytes == 0 {
			d++
		}
	}
}

// spans lists the maximal contiguous spans of a box in a shard, in row-major
// order of the box or ascending.
func (w *seedWalk) spans(list []seedSpan, b seedBox, box model.Box, logical bool) []seedSpan {
	add := func(element, count int) {
		at, bytes := int64(element)*f16Bytes, int64(count)*f16Bytes
		if n := len(list); n > 0 && list[n-1].at+list[n-1].bytes == at {
			list[n-1].bytes += bytes
			return
		}
		list = append(list, seedSpan{at, bytes})
	}
	const micro = 16
	r0, r1, c0, c1 := box.R0-b.r0, box.R1-b.r0, box.C0-b.c0, box.C1-b.c0
	switch {
	case b.order.Kind == model.RowMajor:
		for r := r0; r < r1; r++ {
			add(r*b.cols+c0, c1-c0)
		}
	case b.order.Kind == model.LeftPanel && !logical:
		for p := c0 / micro; p*micro < c1; p++ {
			first, end := max(c0, p*micro), min(c1, (p+1)*micro)
			for r := r0; r < r1; r++ {
				add(b.order.Offset(b.rows, b.cols, r, first, micro), end-first)
			}
		}
	case logical:
		for r := r0; r < r1; r++ {
			for c := c0; c < c1; c++ {
				add(b.order.Offset(b.rows, b.cols, r, c, micro), 1)
			}
		}
	default:
		w.offsets = w.offsets[:0]
		for r := r0; r < r1; r++ {
			for c := c0; c < c1; c++ {
				w.offsets = append(w.offsets, int64(b.order.Offset(b.rows, b.cols, r, c, micro)))
			}
		}
		slices.Sort(w.offsets)
		for _, at := range w.offsets {
			add(int(at), 1)
		}
	}
	return list
}

// calls is the number of local copy calls that w.runs need: consecutive runs of
// equal length, a multiple of 8 bytes, at constant positive strides are one call
// if they leave no gaps on either side or total at most 512 bytes (reference:
// costmodel.md §7, "Local copies").
func (w *seedWalk) calls() int64 {
	var calls int64
	for i := 0; i < len(w.runs); {
		n := w.strided(i)
		first := w.runs[i]
		switch {
		case n == 1:
			calls++
		case w.runs[i+1].src-first.src == first.bytes && w.runs[i+1].dst-first.dst == first.bytes,
			int64(n)*first.bytes <= seedStridedCopy:
			calls++
		default:
			calls += int64(n)
		}
		i += n
	}
	return calls
}

// strided is the length of the longest series of runs from i that one strided
// copy could move.
func (w *seedWalk) strided(i int) int {
	first := w.runs[i]
	if first.bytes%8 != 0 || i+1 == len(w.runs) {
		return 1
	}
	src, dst := w.runs[i+1].src-first.src, w.runs[i+1].dst-first.dst
	if src <= 0 || dst <= 0 {
		return 1
	}
	n := 1
	for ; i+n < len(w.runs); n++ {
		a, b := w.runs[i+n-1], w.runs[i+n]
		if b.bytes != first.bytes || b.src-a.src != src || b.dst-a.dst != dst {
			break
		}
	}
	return n
}
