package cost

import "ipusolve/model"

// Floor is a bound on the cycles of one run under any plan: every GEMM issues
// its rows and feeds each 16×16 block of its loaded operand at least once, in the
// cheaper orientation, and GELU costs 10 cycles an element, all spread evenly
// over the tiles (reference: costmodel.md §15), whose work the slowest ends no
// sooner than the mean. No exchange is counted.
func Floor(g *model.Graph, tiles int) int64 {
	const rowCycles, feed, width = 4, 235, model.PanelWidth
	blocks := func(a, b int64) int64 { return divideUp(a, width) * divideUp(b, width) }
	var work int64 // cycles of all tiles
	for _, op := range g.Ops {
		in, _ := g.Value(op.Inputs[0])
		m, k := int64(in.Rows()), int64(in.Cols())
		switch op.Kind {
		case model.OpGemm:
			w, _ := g.Value(op.Inputs[1])
			n := int64(w.Cols())
			work += min(blocks(k, n)*(rowCycles*m+feed), blocks(k, m)*(rowCycles*n+feed))
		case model.OpGelu:
			work += 10 * m * k
		}
	}
	return divideUp(work, int64(tiles))
}

func divideUp(a, b int64) int64 { return (a + b - 1) / b }
