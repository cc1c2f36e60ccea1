package cost

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ipusolve/model"
	"ipusolve/model/workload"
)

var update = flag.Bool("update", false, "rewrite the pinned plan of the first seed log")

// mlpPlan describes a plan of the seed family for 729×1152×4304×1152: Normal
// GEMMs on inner-split grids, weights stored once, GELU in the linear layout or
// in place.
type mlpPlan struct {
	gemm1, gemm2 mlpGrid
	linear       bool
}

// mlpGrid is a compute grid (r, q, k) and a result grid (R, Q).
type mlpGrid struct {
	r, q, k, rows, cols int
	standard            bool // weights in standard memory
	offset              int  // tile of the first stored weight shard
}

// firstSeed is the plan of the first seed log.
var firstSeed = mlpPlan{
	gemm1:  mlpGrid{r: 2, q: 135, k: 5, rows: 10, cols: 135},
	gemm2:  mlpGrid{r: 4, q: 24, k: 15, rows: 60, cols: 24, offset: 675},
	linear: true,
}

const seedTiles = 1472

// build writes the plan's records without costs.
func (m mlpPlan) build(t testing.TB) *model.Plan {
	t.Helper()
	graph, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &model.Plan{Schema: model.PlanSchema, Problem: model.Problem{
		Graph: *graph, Tiles: seedTiles, Profile: model.ProfileSeed, Inputs: model.InputsPreplaced, Weights: model.WeightsOnce,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal,
		MemoryLimit: (model.MaxPhysicalBytes - model.DefaultReserve) / model.MemoryGranule * model.MemoryGranule, Timing: model.TimingVersion}}
	value := func(name, graph, role string, layout model.Layout) int {
		g, _ := p.Problem.Graph.Value(graph)
		p.Values = append(p.Values, model.PlanValue{Name: name, Graph: graph, Rows: g.Rows(), Cols: g.Cols(), Role: role, Layout: layout})
		return len(p.Values) - 1
	}
	step := func(kind model.StepKind, op string, out, phase int, in ...int) *model.Step {
		p.Steps = append(p.Steps, model.Step{Kind: kind, Op: op, In: in, Out: out, Phase: phase})
		return &p.Steps[len(p.Steps)-1]
	}
	g1, g2 := m.gemm1, m.gemm2
	x := value("x", "x", model.RoleInput, g1.left(1152))
	w1 := value("w1", "block0.w1", model.RoleWeight, g1.right(1152, 4304, false))
	w1op := value("w1@op", "block0.w1", "", g1.right(1152, 4304, true))
	h := value("h", "block0.h", "", g1.result(4304))
	step(model.StepMove, "block0.gemm1", w1op, 0, w1)
	phase, gelu := 1, h
	if g1.k == 1 {
		step(model.StepGemm, "block0.gemm1", h, model.NoPhase, x, w1op).Gemm = g1.recipe(1152, 4304)
	} else {
		step(model.StepGemm, "block0.gemm1", h, phase, x, w1op).Gemm = g1.recipe(1152, 4304)
		phase++
	}
	if m.linear {
		linear := model.Layout{Order: model.Order{Kind: model.LeftPanel}, Class: model.Interleaved, Tiles: seedTiles,
			Axes: []model.AxisTiling{{Axis: model.Linear, Parts: seedTiles, Block: 16, Reject: true}}}
		gelu = value("h@linear", "block0.h", "", linear)
		step(model.StepMove, "block0.gelu", gelu, phase, h)
		phase++
	}
	g := value("g", "block0.g", "", p.Values[gelu].Layout)
	step(model.StepGelu, "block0.gelu", g, model.NoPhase, gelu)
	gop := value("g@op", "block0.g", "", g2.left(4304))
	w2 := value("w2", "block0.w2", model.RoleWeight, g2.right(4304, 1152, false))
	w2op := value("w2@op", "block0.w2", "", g2.right(4304, 1152, true))
	y := value("y", "y", model.RoleOutput, g2.result(1152))
	step(model.StepMove, "block0.gemm2", gop, phase, g)
	step(model.StepMove, "block0.gemm2", w2op, phase, w2)
	step(model.StepGemm, "block0.gemm2", y, phase+1, gop, w2op).Gemm = g2.recipe(4304, 1152)
	return p
}

// Kernel block and operand layouts: reference planspace.md §6.2, Normal.
func (g mlpGrid) block(inner, cols int) (blockInner, blockCols int) {
	up := func(n, parts int) int { return 16 * ((n+15)/16/parts + min(1, (n+15)/16%parts)) }
	return up(inner, g.k), up(cols, g.q)
}

func (g mlpGrid) left(inner int) model.Layout {
	b, _ := g.block(inner, 16)
	return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: g.r * g.q * g.k, Replicas: g.q, Axes: []model.AxisTiling{
		{Axis: model.Cols, Parts: g.k, Block: b}, {Axis: model.Rows, Parts: g.r, Block: 2}}}
}

func (g mlpGrid) right(inner, cols int, delivered bool) model.Layout {
	b, _ := g.block(inner, cols)
	l := model.Layout{Order: model.Order{Kind: model.BlockMajor, RowBlock: b}, Class: model.Interleaved, Tiles: g.q * g.k, Axes: []model.AxisTiling{
		{Axis: model.Cols, Parts: g.q, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: g.k, Block: b}}}
	if g.standard {
		l.Class = model.Standard
	}
	if delivered {
		l.Class = model.Interleaved // the kernel's receive buffer
		l.Tiles, l.Replicas = l.Tiles*g.r, g.r
		l.Axes[1].Stride = g.q // replicas vary slowest, as compute rows do
	} else if g.offset > 0 {
		l.Map = model.Rotation(l.Tiles, g.offset, seedTiles)
	}
	return l
}

func (g mlpGrid) result(cols int) model.Layout {
	return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Class: model.Interleaved, Tiles: g.rows * g.cols, Axes: []model.AxisTiling{
		{Axis: model.Cols, Parts: g.cols, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: g.rows, Block: 2, Stride: g.cols}}}
}

func (g mlpGrid) recipe(inner, cols int) *model.Gemm {
	k, c := g.block(inner, cols)
	return &model.Gemm{Orientation: model.OrientationNormal, Compute: model.Grid{Rows: g.r, Cols: g.q, Inner: g.k},
		Result: model.Grid{Rows: g.rows, Cols: g.cols}, BlockInner: k, BlockCols: c}
}

// The pinned plan of the first seed log is what the numbers above give, with the
// costs of profile seed.
func TestPinnedSeedPlan(t *testing.T) {
	p := firstSeed.build(t)
	report, err := PriceSeed(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Steps {
		p.Steps[i].Cost = report.Steps[i]
	}
	var want bytes.Buffer
	if err := p.Write(&want); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "bench", "seedlog", "testdata", "seed1.plan.json")
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not the plan that this test builds; run it with -update", path)
	}
	if _, err := model.ReadPlan(bytes.NewReader(got)); err != nil {
		t.Error(err)
	}
}
