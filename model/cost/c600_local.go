package cost

import (
	"slices"

	"ipusolve/kernels"
	"ipusolve/model"
)

// stored is how a part of a value is stored.
type stored struct {
	order      model.Order
	rows, cols model.Extent
}

// sameAs tells whether two parts hold equal elements at equal offsets.
func (s stored) sameAs(t stored) bool {
	return s.rows == t.rows && s.cols == t.cols && s.order.Kind == t.order.Kind && s.rowBlock() == t.rowBlock()
}

func (s stored) rowBlock() int { return s.order.InnerBlock(s.rows.Stored(), s.cols.Stored()) }

func (s stored) offset(row, col int) int {
	return s.order.Offset(s.rows.Stored(), s.cols.Stored(), row-s.rows.Start, col-s.cols.Start, model.PanelWidth)
}

// lines calls f for the pieces of a box that lie within one panel of every part, at
// most 16 elements side by side: panel by panel, or line by line if byLine is set.
func lines(b model.Box, byLine bool, parts []stored, f func(row, col, n int)) {
	turned := parts[0].order.Kind.DownColumns()
	a0, a1, c0, c1 := b.R0, b.R1, b.C0, b.C1 // lines, and along them
	if turned {
		a0, a1, c0, c1 = c0, c1, a0, a1
	}
	start := func(p stored) int {
		if turned {
			return p.rows.Start
		}
		return p.cols.Start
	}
	line := func(a, lo, hi int) {
		for c := lo; c < hi; {
			n := hi - c
			for _, p := range parts {
				n = min(n, model.PanelWidth-(c-start(p))%model.PanelWidth)
			}
			if turned {
				f(c, a, n)
			} else {
				f(a, c, n)
			}
			c += n
		}
	}
	if byLine {
		for a := a0; a < a1; a++ {
			line(a, c0, c1)
		}
		return
	}
	for c := c0; c < c1; c += model.PanelWidth {
		for a := a0; a < a1; a++ {
			line(a, c, min(c+model.PanelWidth, c1))
		}
	}
}

// chunk is a run of elements that lie side by side at a source and a destination.
type chunk struct{ shard, from, to, n int }

// chunks appends the chunks of a box in the order in which lowering copies them
// (docs/rationale.md, "How a move is lowered").
func chunks(list []chunk, shard int, b model.Box, from, to stored) []chunk {
	if from.sameAs(to) {
		return append(list, chunk{shard, 0, 0, to.rows.Stored() * to.cols.Stored()})
	}
	first := len(list)
	rowMajor := from.order.Kind == model.RowMajor || to.order.Kind == model.RowMajor
	lines(b, rowMajor, []stored{from, to}, func(row, col, n int) {
		list = append(list, chunk{shard, from.offset(row, col), to.offset(row, col), n})
	})
	if own := list[first:]; ascending(from, to, b) {
		slices.SortFunc(own, func(x, y chunk) int { return x.from - y.from })
	}
	out := list[:first]
	for _, c := range list[first:] {
		if k := len(out) - 1; k >= first && out[k].from+out[k].n == c.from && out[k].to+out[k].n == c.to {
			out[k].n += c.n
			continue
		}
		out = append(out, c)
	}
	return out
}

// ascending tells that a box's elements follow each other alike in two parts: equal
// orders, cut at the same places.
func ascending(a, b stored, box model.Box) bool {
	if a.order.Kind != b.order.Kind {
		return false
	}
	rows, cols := (a.rows.Start-b.rows.Start)%model.PanelWidth == 0, (a.cols.Start-b.cols.Start)%model.PanelWidth == 0
	alike := func(x, y, lo, hi int) bool {
		h, k := a.rowBlock(), b.rowBlock()
		return h == k && (x-y)%h == 0 || (lo-x)/h == (hi-1-x)/h && (lo-y)/k == (hi-1-y)/k
	}
	switch a.order.Kind {
	case model.LeftPanel:
		return cols
	case model.TransposedLeft:
		return rows
	case model.TransposedRight:
		return rows && cols
	case model.BlockMajor:
		return rows && cols && alike(a.rows.Start, b.rows.Start, box.R0, box.R1)
	case model.TransposedBlockMajor:
		return rows && cols && alike(a.cols.Start, b.cols.Start, box.C0, box.C1)
	}
	return true
}

// copyCycles prices the calls that copy chunks: leading equal ones at constant strides
// as one strided call where that is cheaper than one call each.
func copyCycles(list []chunk) int64 {
	var cycles int64
	for len(list) > 0 {
		a, n, from, to := list[0], 1, 0, 0
		for n < len(list) && list[n].n == a.n && list[n].shard == a.shard {
			df, dt := list[n].from-list[n-1].from, list[n].to-list[n-1].to
			if n == 1 {
				from, to = df, dt
			}
			if df <= 0 || dt <= 0 || df != from || dt != to {
				break
			}
			n++
		}
		each := kernels.CopyCycles(2 * a.n)
		if (a.from|a.to)%4 != 0 { // no whole words of 8 bytes: the word loop
			each = max(each, kernels.CopyWordsCycles(2*a.n))
		}
		strided := kernels.StridedCopyCycles(2 * n * a.n)
		if n > 1 && (a.n|a.from|a.to|from|to)%4 == 0 && strided < int64(n)*each {
			cycles, list = cycles+strided, list[n:]
			continue
		}
		cycles, list = cycles+each, list[1:]
	}
	return cycles
}

// clearCycles prices clearing what a box does not cover of a part: whole micro rows, or
// words of 8 bytes of row-major parts. Of three or more equal gaps at a constant stride
// one is filled and copied to the others.
func clearCycles(p stored, covered model.Box) int64 {
	total := p.rows.Stored() * p.cols.Stored()
	if covered.Empty() {
		return kernels.FillCycles(2 * total)
	}
	type run struct{ at, n int }
	var runs []run
	lines(covered, false, []stored{p}, func(row, col, n int) { runs = append(runs, run{p.offset(row, col), n}) })
	slices.SortFunc(runs, func(x, y run) int { return x.at - y.at })
	grain := model.PanelWidth
	if !p.order.Panelled() {
		grain = 4
	}
	joined := runs[:1]
	for _, r := range runs[1:] {
		if k := &joined[len(joined)-1]; k.at+k.n == r.at {
			k.n += r.n
			continue
		}
		joined = append(joined, r)
	}
	var gaps []run
	at := 0
	gap := func(to int) {
		if to > at {
			gaps = append(gaps, run{at, to - at})
		}
	}
	for _, r := range joined {
		lo, hi := (r.at+grain-1)/grain*grain, (r.at+r.n)/grain*grain
		if lo < hi {
			gap(lo)
			at = hi
		}
	}
	gap(total)
	var cycles int64
	for len(gaps) > 0 {
		n := 1
		for n < len(gaps) && gaps[n].n == gaps[0].n && gaps[n].at-gaps[n-1].at == gaps[1].at-gaps[0].at {
			n++
		}
		if n < 3 {
			n = 1
		}
		cycles += kernels.FillRunsCycles(n, 2*gaps[0].n)
		gaps = gaps[n:]
	}
	return cycles
}
