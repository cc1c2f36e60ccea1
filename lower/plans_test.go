package lower_test

import (
	"fmt"

	"ipusolve/model"
)

// planBuilder assembles plans by hand.
type planBuilder struct{ model.Plan }

func newPlan(tiles int) *planBuilder {
	return &planBuilder{model.Plan{Schema: model.PlanSchema, Problem: model.Problem{Tiles: tiles, MemoryLimit: model.MaxPhysicalBytes}}}
}

func (p *planBuilder) value(name, role string, rows, cols int, l model.Layout) int {
	p.Values = append(p.Values, model.PlanValue{Name: name, Graph: name, Rows: rows, Cols: cols, Role: role, Layout: l})
	return len(p.Values) - 1
}

func (p *planBuilder) move(op string, in, out, phase int) int {
	p.Steps = append(p.Steps, model.Step{Kind: model.StepMove, Op: op, In: []int{in}, Out: out, Phase: phase})
	return out
}

func (p *planBuilder) gemm(op string, a, b, out, phase int) int {
	p.Steps = append(p.Steps, model.Step{Kind: model.StepGemm, Op: op, In: []int{a, b}, Out: out, Phase: phase})
	return out
}

func (p *planBuilder) gelu(in, out int) int {
	p.Steps = append(p.Steps, model.Step{Kind: model.StepGelu, Op: "gelu", In: []int{in}, Out: out, Phase: model.NoPhase})
	return out
}

// grid is a compute grid r×q×k with a result grid R×Q.
type grid struct{ r, q, k, R, Q int }

// leftLayout is the streamed operand of a grid: r·q·k shards, each part on q.
func leftLayout(g grid, rowBlock, slices int) model.Layout {
	return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: g.r * g.q * g.k, Replicas: g.q, Slices: slices,
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: g.k, Block: 16}, {Axis: model.Rows, Parts: g.r, Block: rowBlock}}}
}

// rightLayout is the loaded operand: each part on r shards.
func rightLayout(g grid, slices int) model.Layout {
	return model.Layout{Order: model.Order{Kind: model.BlockMajor}, Class: model.Interleaved, Tiles: g.r * g.q * g.k, Replicas: g.r, Slices: slices,
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: g.q, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: g.k, Block: 16, Stride: g.q}}}
}

// resultLayout puts result part (p, z) on a compute tile of its block.
func resultLayout(g grid, rowBlock int) model.Layout {
	rho, kappa := g.R/g.r, g.Q/g.q
	tiles := make([]int, g.R*g.Q)
	for p := range g.R {
		for z := range g.Q {
			i := p%rho*kappa + z%kappa
			tiles[z+g.Q*p] = z/kappa + g.q*(i+g.k*(p/rho))
		}
	}
	return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Class: model.Interleaved, Tiles: g.R * g.Q,
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: g.Q, Block: 16, Stride: 1, Nest: g.q}, {Axis: model.Rows, Parts: g.R, Block: rowBlock, Stride: g.Q, Nest: g.r}},
		Map:  model.NewTileMap(tiles)}
}

func linearLayout(tiles, grain int) model.Layout {
	return model.Layout{Order: model.Order{Kind: model.RowMajor}, Tiles: tiles, Axes: []model.AxisTiling{{Axis: model.Linear, Parts: tiles, Block: grain}}}
}

// mlpOptions states which forms of an MLP plan to build.
type mlpOptions struct {
	sliced   bool // inputs gathered: homes hold slices
	once     bool // weights stored once: homes hold slices
	matrix   bool // partials are added on the matrix unit
	linear   int  // row-major output on that many tiles; 0: none
	rowBlock int
}

// mlpPlan is the plan of gemm, GELU, gemm in the normal family.
func mlpPlan(tiles, rows, dim, hidden int, g1, g2 grid, o mlpOptions) *model.Plan {
	p := newPlan(tiles)
	phase := 0
	next := func() int { phase++; return phase - 1 }
	sumPhase := func(g grid) int {
		if g.k == 1 {
			return model.NoPhase
		}
		return next()
	}
	operand := func(op, name, role string, rows, cols, home int, l func(slices int) model.Layout, ph int) int {
		if home <= 1 {
			return p.value(name, role, rows, cols, l(1))
		}
		return p.move(op, p.value(name+"@home", role, rows, cols, l(home)), p.value(name, "", rows, cols, l(1)), ph)
	}
	left := func(g grid) func(int) model.Layout {
		return func(s int) model.Layout { return leftLayout(g, o.rowBlock, s) }
	}
	right := func(g grid) func(int) model.Layout {
		return func(s int) model.Layout { return rightLayout(g, s) }
	}
	slices := func(on bool, n int) int {
		if on {
			return n
		}
		return 1
	}
	ph := 0
	if o.sliced && g1.q > 1 || o.once && g1.r > 1 {
		ph = next()
	}
	a := operand("fc1", "x", model.RoleInput, rows, dim, slices(o.sliced, g1.q), left(g1), ph)
	b := operand("fc1", "w1", model.RoleWeight, dim, hidden, slices(o.once, g1.r), right(g1), ph)
	h := p.gemm("fc1", a, b, p.value("h", "", rows, hidden, resultLayout(g1, o.rowBlock)), sumPhase(g1))
	g := p.gelu(h, p.value("g", "", rows, hidden, resultLayout(g1, o.rowBlock)))
	ph = next()
	ga := p.move("fc2", g, p.value("g@fc2", "", rows, hidden, left(g2)(1)), ph)
	b2 := operand("fc2", "w2", model.RoleWeight, hidden, dim, slices(o.once, g2.r), right(g2), ph)
	role := model.RoleOutput
	if o.linear > 0 {
		role = ""
	}
	y := p.gemm("fc2", ga, b2, p.value("y", role, rows, dim, resultLayout(g2, o.rowBlock)), sumPhase(g2))
	for i := range p.Steps {
		if s := &p.Steps[i]; o.matrix && s.Kind == model.StepGemm && s.Phase != model.NoPhase {
			s.Gemm = &model.Gemm{Sum: model.SumMatrix}
		}
	}
	if o.linear > 0 {
		p.move("out", y, p.value("y@linear", model.RoleOutput, rows, dim, linearLayout(o.linear, 4)), next())
	}
	return &p.Plan
}

// fullSize is the normal-family plan of the SigLIP MLP on 1472 tiles.
func fullSize() *model.Plan {
	return mlpPlan(1472, 729, 1152, 4304, grid{4, 90, 4, 16, 90}, grid{4, 24, 15, 60, 24}, mlpOptions{sliced: true, once: true, rowBlock: 1})
}

// firstSeed is the plan of the first seed log (reference: planspace.md §4.5,
// lowering.md §3).
func firstSeed() *model.Plan {
	p := newPlan(1472)
	left := func(replicas, k, kb, r int) model.Layout {
		return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: replicas * k * r, Replicas: replicas,
			Axes: []model.AxisTiling{{Axis: model.Cols, Parts: k, Block: kb}, {Axis: model.Rows, Parts: r, Block: 2}}}
	}
	right := func(q, k, kb, r int, m model.TileMap) model.Layout {
		return model.Layout{Order: model.Order{Kind: model.BlockMajor, RowBlock: kb}, Class: model.Interleaved, Tiles: q * k * r, Replicas: r,
			Axes: []model.AxisTiling{{Axis: model.Cols, Parts: q, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: k, Block: kb, Stride: q}}, Map: m}
	}
	result := func(q, r int) model.Layout {
		return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Class: model.Interleaved, Tiles: q * r,
			Axes: []model.AxisTiling{{Axis: model.Cols, Parts: q, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: r, Block: 2, Stride: q}}}
	}
	linear := model.Layout{Order: model.Order{Kind: model.LeftPanel}, Class: model.Interleaved, Tiles: 1472,
		Axes: []model.AxisTiling{{Axis: model.Linear, Parts: 1472, Block: 16}}}
	x := p.value("x", model.RoleInput, 729, 1152, left(135, 5, 240, 2))
	w1 := p.value("w1", model.RoleWeight, 1152, 4304, right(135, 5, 240, 1, model.TileMap{}))
	w2 := p.value("w2", model.RoleWeight, 4304, 1152, right(24, 15, 288, 1, model.Rotation(360, 675, 1472)))
	w1b := p.move("fc1", w1, p.value("w1@fc1", "", 1152, 4304, right(135, 5, 240, 2, model.TileMap{})), 0)
	h := p.gemm("fc1", x, w1b, p.value("h", "", 729, 4304, result(135, 10)), 1)
	hl := p.move("gelu", h, p.value("h@linear", "", 729, 4304, linear), 2)
	gl := p.gelu(hl, p.value("g@linear", "", 729, 4304, linear))
	g := p.move("fc2", gl, p.value("g", "", 729, 4304, left(24, 15, 288, 4)), 3)
	w2b := p.move("fc2", w2, p.value("w2@fc2", "", 4304, 1152, right(24, 15, 288, 4, model.TileMap{})), 3)
	p.gemm("fc2", g, w2b, p.value("y", model.RoleOutput, 729, 1152, result(24, 60)), 4)
	return &p.Plan
}

func (g grid) String() string { return fmt.Sprintf("%dx%dx%d-%dx%d", g.r, g.q, g.k, g.R, g.Q) }
