package cost

import (
	"ipusolve/device"
	"ipusolve/model"
)

// Floor is a bound on the cycles of one run under any plan: every GEMM issues
// its rows and feeds each 16×16 block of its loaded operand at least once, in the
// cheaper orientation, and GELU costs 10 cycles an element, all spread evenly
// over the tiles (reference: costmodel.md §15). No exchange is counted.
func Floor(g *model.Graph, tiles int) int64 {
	const rowCycles, feed, width = 4, 235, model.PanelWidth
	blocks := func(a, b int64) int64 { return divideUp(a, width) * divideUp(b, width) }
	var total int64
	for _, op := range g.Ops {
		in, _ := g.Value(op.Inputs[0])
		m, k := int64(in.Rows()), int64(in.Cols())
		switch op.Kind {
		case model.OpGemm:
			w, _ := g.Value(op.Inputs[1])
			n := int64(w.Cols())
			work := min(blocks(k, n)*(rowCycles*m+feed), blocks(k, m)*(rowCycles*n+feed))
			total += divideUp(work, int64(tiles))
		case model.OpGelu:
			total += divideUp(10*m*k, int64(tiles))
		}
	}
	return total
}

// IssueFloor is the cycles that the matrix units of all tiles need for the
// multiply-adds of the graph's GEMMs alone (reference: costmodel.md §13).
func IssueFloor(g *model.Graph, tiles int) int64 {
	var macs int64
	for _, op := range g.Ops {
		if op.Kind == model.OpGemm {
			in, _ := g.Value(op.Inputs[0])
			w, _ := g.Value(op.Inputs[1])
			macs += int64(in.Rows()) * int64(in.Cols()) * int64(w.Cols())
		}
	}
	return divideUp(macs, device.MACsPerCycle*int64(tiles))
}

func divideUp(a, b int64) int64 { return (a + b - 1) / b }
