package lower_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"ipusolve/model"
)

// tb lets runPlan report to a rapid run.
type tb struct {
	testing.TB
	r *rapid.T
}

func (t tb) Helper()                           {}
func (t tb) Fatal(args ...any)                 { t.r.Fatal(args...) }
func (t tb) Fatalf(format string, args ...any) { t.r.Fatalf(format, args...) }

func drawGrid(r *rapid.T, name string, tiles, rows, inner, cols int) grid {
	k := rapid.IntRange(1, min(3, inner/16, tiles)).Draw(r, name+".k")
	q := rapid.IntRange(1, min(tiles/k, (cols+15)/16)).Draw(r, name+".q")
	g := grid{r: rapid.IntRange(1, min(tiles/k/q, rows)).Draw(r, name+".r"), q: q, k: k}
	rho := rapid.IntRange(1, k).Draw(r, name+".rho")
	kappa := rapid.IntRange(1, k/rho).Draw(r, name+".kappa")
	g.R, g.Q = g.r*rho, g.q*kappa
	return g
}

// drawMLP draws a normal-family plan of an MLP.
func drawMLP(r *rapid.T) (plan *model.Plan, rows, dim, hidden int) {
	tiles := rapid.IntRange(1, 12).Draw(r, "tiles")
	rows = rapid.IntRange(1, 13).Draw(r, "rows")
	dim = 16*rapid.IntRange(1, 4).Draw(r, "dim") - 2*rapid.IntRange(0, 2).Draw(r, "dim.pad")
	hidden = 16*rapid.IntRange(1, 5).Draw(r, "hidden") - 2*rapid.IntRange(0, 2).Draw(r, "hidden.pad")
	pad := func(n int) int { return (n + 15) / 16 * 16 }
	g1 := drawGrid(r, "g1", tiles, rows, pad(dim), pad(hidden))
	g2 := drawGrid(r, "g2", tiles, rows, pad(hidden), pad(dim))
	o := mlpOptions{sliced: rapid.Bool().Draw(r, "sliced"), once: rapid.Bool().Draw(r, "once"), matrix: rapid.Bool().Draw(r, "matrix"), rowBlock: rapid.IntRange(1, 2).Draw(r, "rowBlock")}
	if rapid.Bool().Draw(r, "isLinear") && rows*dim%4 == 0 {
		o.linear = rapid.IntRange(1, min(tiles, rows*dim/4)).Draw(r, "linear")
	}
	plan = mlpPlan(tiles, rows, dim, hidden, g1, g2, o)
	for i := range plan.Values {
		if _, err := plan.Values[i].Layout.Shards(plan.Values[i].Rows, plan.Values[i].Cols); err != nil {
			r.Skip(err)
		}
	}
	return plan, rows, dim, hidden
}

// Random normal-family plans compute the MLP.
func TestRandomMLP(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		plan, rows, dim, hidden := drawMLP(r)
		checkMLP(tb{t, r}, plan, rows, dim, hidden)
	})
}

// drawLayout draws a layout whose elements lie side by side along rows.
func drawLayout(r *rapid.T, name string, tiles, rows, cols int) model.Layout {
	kinds := []model.OrderKind{model.LeftPanel, model.RowMajor, model.TransposedRight, model.TransposedBlockMajor}
	order := model.Order{Kind: rapid.SampledFrom(kinds).Draw(r, name+".order")}
	if order.Kind == model.RowMajor && rows*cols%4 == 0 && rapid.Bool().Draw(r, name+".linear") {
		return linearLayout(rapid.IntRange(1, min(tiles, rows*cols/4)).Draw(r, name+".tiles"), 4)
	}
	rowBlock := 1
	if order.Kind == model.TransposedRight || order.Kind == model.TransposedBlockMajor {
		rowBlock = 16
	}
	if order.Kind == model.TransposedBlockMajor && rapid.Bool().Draw(r, name+".blocked") {
		order.RowBlock = 16
	}
	q := rapid.IntRange(1, min(tiles, (cols+15)/16)).Draw(r, name+".q")
	p := rapid.IntRange(1, min(tiles/q, (rows+rowBlock-1)/rowBlock)).Draw(r, name+".p")
	d := rapid.IntRange(1, tiles/q/p).Draw(r, name+".d")
	l := model.Layout{Order: order, Tiles: p * q * d, Replicas: d, Class: model.MemoryClass(rapid.IntRange(0, 1).Draw(r, name+".class")),
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: q, Block: 16}, {Axis: model.Rows, Parts: p, Block: rowBlock}}}
	if d > 1 && order.Kind != model.RowMajor && rapid.Bool().Draw(r, name+".sliced") {
		l.Slices = rapid.IntRange(1, d).Draw(r, name+".slices")
	}
	return l
}

// drawMoves draws a chain of moves of one value.
func drawMoves(r *rapid.T) (plan *model.Plan, rows, cols int) {
	tiles := rapid.IntRange(1, 10).Draw(r, "tiles")
	rows = rapid.IntRange(1, 40).Draw(r, "rows")
	cols = 4 * rapid.IntRange(1, 20).Draw(r, "cols")
	p := newPlan(tiles)
	role := rapid.SampledFrom([]string{model.RoleInput, model.RoleWeight}).Draw(r, "role")
	v := p.value("v", role, rows, cols, drawLayout(r, "v", tiles, rows, cols))
	n := rapid.IntRange(1, 3).Draw(r, "moves")
	for i := range n {
		l := drawLayout(r, "w", tiles, rows, cols)
		l.Slices = 0
		next := ""
		if i == n-1 {
			next = model.RoleOutput
		}
		v = p.move("op", v, p.value("w", next, rows, cols, l), i)
	}
	return &p.Plan, rows, cols
}

// A random chain of moves keeps the value, from weights and inputs alike, over
// aliases, slices, replicas, retiles and changes of order.
func TestRandomMoves(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		plan, rows, cols := drawMoves(r)
		x := matrix(rand.New(rand.NewPCG(3, 4)), rows, cols, 1, 2, 3, 4, 5, 6, 7)
		out := runPlan(tb{t, r}, plan, map[string][]float32{"v": x})
		compare(tb{t, r}, "w", out["w"], x)
	})
}
