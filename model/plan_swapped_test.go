package model_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"ipusolve/model"
)

// swappedPlan is a plan of 7×32·32×64 → GELU → ·64×32 on 64 tiles in the swapped
// orientation: the input gathered in slices, GEMM 1 with two inner parts whose
// partials the matrix unit adds, panels turned for GEMM 2, which has one inner part,
// and turned again for the linear output.
func swappedPlan(t testing.TB) *model.Plan {
	t.Helper()
	type axes = []model.AxisTiling
	streamed, loaded := model.Order{Kind: model.TransposedLeft}, model.Order{Kind: model.TransposedBlockMajor}
	value := func(name, graph, role string, rows, cols int, l model.Layout) model.PlanValue {
		return model.PlanValue{Name: name, Graph: graph, Rows: rows, Cols: cols, Role: role, Layout: l}
	}
	rows := func(parts, stride int) model.AxisTiling {
		return model.AxisTiling{Axis: model.Rows, Parts: parts, Block: 16, Stride: stride}
	}
	cols := func(parts, stride int) model.AxisTiling {
		return model.AxisTiling{Axis: model.Cols, Parts: parts, Block: 16, Stride: stride}
	}
	x := model.Layout{Order: loaded, Class: model.Interleaved, Tiles: 4, Replicas: 2, Axes: axes{rows(1, 1), cols(2, 1)}}
	home := x
	home.Slices, home.Class = 2, model.Standard
	h := model.Layout{Order: streamed, Class: model.Interleaved, Tiles: 4, Axes: axes{rows(1, 1), cols(4, 1)}, Map: model.NewTileMap([]int{0, 1, 2, 3})}
	hTurned := h
	hTurned.Order = loaded
	y := model.Layout{Order: streamed, Class: model.Interleaved, Tiles: 2, Axes: axes{rows(1, 1), cols(2, 1)}}
	yTurned := y
	yTurned.Order = loaded
	gemm := func(r, k, result, inner int, sum string) *model.Gemm {
		return &model.Gemm{Orientation: model.OrientationSwapped, Compute: model.Grid{Rows: r, Cols: 1, Inner: k}, Result: model.Grid{Rows: result, Cols: 1}, BlockInner: inner, BlockCols: 16, Sum: sum}
	}
	problem := smallProblem(t)
	problem.Family = model.FamilyFull
	return &model.Plan{Schema: model.PlanSchema, Problem: problem,
		Values: []model.PlanValue{
			value("x", "x", model.RoleInput, 7, 32, home),
			value("x@op", "x", "", 7, 32, x),
			value("w1", "block0.w1", model.RoleWeight, 32, 64, model.Layout{Order: streamed, Tiles: 4, Axes: axes{rows(2, 1), cols(2, 2)}}),
			value("h", "block0.h", "", 7, 64, h),
			value("g", "block0.g", "", 7, 64, h),
			value("g@turned", "block0.g", "", 7, 64, hTurned),
			value("g@op", "block0.g", "", 7, 64, model.Layout{Order: loaded, Tiles: 2, Replicas: 2, Axes: axes{rows(1, 1)}}),
			value("w2", "block0.w2", model.RoleWeight, 64, 32, model.Layout{Order: streamed, Tiles: 2, Axes: axes{cols(2, 1)}}),
			value("y@gemm", "y", "", 7, 32, y),
			value("y@turned", "y", "", 7, 32, yTurned),
			value("y", "y", model.RoleOutput, 7, 32, model.Layout{Tiles: 56, Axes: axes{{Axis: model.Linear, Parts: 56, Block: 4}}}),
		},
		Steps: []model.Step{
			{Kind: model.StepMove, Op: "block0.gemm1", In: []int{0}, Out: 1, Phase: 0},
			{Kind: model.StepGemm, Op: "block0.gemm1", In: []int{1, 2}, Out: 3, Phase: 1, Gemm: gemm(2, 2, 4, 16, model.SumMatrix)},
			{Kind: model.StepGelu, Op: "block0.gelu", In: []int{3}, Out: 4, Phase: model.NoPhase},
			{Kind: model.StepTranspose, Op: "block0.gelu", In: []int{4}, Out: 5, Phase: model.NoPhase},
			{Kind: model.StepMove, Op: "block0.gemm2", In: []int{5}, Out: 6, Phase: 2},
			{Kind: model.StepGemm, Op: "block0.gemm2", In: []int{6, 7}, Out: 8, Phase: model.NoPhase, Gemm: gemm(2, 1, 2, 64, "")},
			{Kind: model.StepTranspose, Op: "block0.gemm2", In: []int{8}, Out: 9, Phase: model.NoPhase},
			{Kind: model.StepMove, Op: "block0.gemm2", In: []int{9}, Out: 10, Phase: 3},
		}}
}

func TestSwappedPlanGolden(t *testing.T) {
	p := swappedPlan(t)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	golden(t, "swapped.plan.txt", []byte(p.String()))
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "swapped.plan.json", text.Bytes())
	back, err := model.ReadPlan(&text)
	if err != nil {
		t.Fatal(err)
	}
	if back.String() != p.String() {
		t.Error("the plan's text changes when it is read back")
	}
}

// Each change of the swapped plan is refused with a path and a reason.
func TestSwappedPlanRejects(t *testing.T) {
	layout := func(p *model.Plan, value int) *model.Layout { return &p.Values[value].Layout }
	// both changes a transpose's source and what it comes from.
	both := func(p *model.Plan, change func(l *model.Layout)) {
		for value := 3; value <= 5; value++ {
			change(layout(p, value))
		}
	}
	for _, c := range []struct {
		path, reason string
		change       func(*model.Plan)
	}{
		{"steps[1].gemm.orientation", "family normal has no swapped", func(p *model.Plan) { p.Problem.Family = model.FamilyNormal }},
		{"steps[1]", "in order left", func(p *model.Plan) { p.Steps[1].Gemm.Orientation = model.OrientationNormal }},
		{"steps[1]", "in order transposed-block-major", func(p *model.Plan) { layout(p, 1).Order.Kind = model.TransposedRight }},
		{"steps[1]", "in order transposed-left", func(p *model.Plan) { layout(p, 2).Order.Kind = model.BlockMajor }},
		{"steps[1]", "in order transposed-left", func(p *model.Plan) { layout(p, 3).Order.Kind = model.TransposedRight }},
		{"steps[1]", "not sliced", func(p *model.Plan) { layout(p, 1).Slices = 2 }},
		{"steps[1]", "one row block a shard", func(p *model.Plan) { layout(p, 1).Order.RowBlock = 16 }},
		{"steps[1]", "are not rows", func(p *model.Plan) { layout(p, 2).Axes[0].Stride, layout(p, 2).Axes[1].Stride = 2, 1 }},
		{"steps[1]", "compute the same part", func(p *model.Plan) {
			layout(p, 2).Map = model.NewTileMap([]int{2, 1, 0, 3})
			layout(p, 2).Axes[1].Parts = 1
			layout(p, 2).Replicas = 2
		}},
		{"steps[1].gemm.compute", "recipe says", func(p *model.Plan) { p.Steps[1].Gemm.Compute = model.Grid{Rows: 1, Cols: 2, Inner: 2} }},
		{"steps[1].gemm.result", "recipe says", func(p *model.Plan) { p.Steps[1].Gemm.Result = model.Grid{Rows: 1, Cols: 4} }},
		{"steps[1].gemm", "largest call", func(p *model.Plan) { p.Steps[1].Gemm.BlockCols = 32 }},
		{"steps[1].gemm.sum", "interleaved memory", func(p *model.Plan) { both(p, func(l *model.Layout) { l.Class = model.Standard }) }},
		{"steps[1].phase", "need an exchange", func(p *model.Plan) { p.Steps[1].Phase = model.NoPhase }},
		{"steps[5]", "tile 0 holds \"w2\"", func(p *model.Plan) { layout(p, 6).Map = model.NewTileMap([]int{1, 2}) }},
		{"steps[5].out", "computes rows", func(p *model.Plan) {
			layout(p, 8).Map, layout(p, 9).Map = model.NewTileMap([]int{1, 0}), model.NewTileMap([]int{1, 0})
		}},
		{"steps[5].gemm.sum", "no partials", func(p *model.Plan) { p.Steps[5].Gemm.Sum = model.SumMatrix }},
		{"steps[3].phase", "no exchange", func(p *model.Plan) { p.Steps[3].Phase = 2 }},
		{"steps[3]", "keeps the graph value", func(p *model.Plan) { p.Steps[3].Out = 9 }},
		{"steps[3].gemm", "no GEMM recipe", func(p *model.Plan) { p.Steps[3].Gemm = p.Steps[1].Gemm }},
		{"steps[3].in", "wants 1", func(p *model.Plan) { p.Steps[3].In = []int{4, 3} }},
		{"steps[3].inPlace", "only a move", func(p *model.Plan) { p.Steps[3].InPlace = true }},
		{"steps[3].kind", "no price", func(p *model.Plan) { p.Problem.Profile = model.ProfileSeed; p.Steps[1].Gemm.Sum = "" }},
		{"steps[3]", "turns transposed-left", func(p *model.Plan) { layout(p, 5).Order.RowBlock = 16 }},
		{"steps[3]", "in interleaved memory", func(p *model.Plan) { layout(p, 5).Class = model.Standard }},
		{"steps[3]", "turns transposed-left", func(p *model.Plan) { layout(p, 5).Order.Kind = model.TransposedLeft }},
		{"steps[3]", "keeps the shards", func(p *model.Plan) { layout(p, 5).Map = model.NewTileMap([]int{1, 0, 2, 3}) }},
		{"values[5].layout", "multiple of 16", func(p *model.Plan) {
			both(p, func(l *model.Layout) { l.Axes[1].Block, l.Axes[1].Parts, l.Tiles = 8, 8, 8 })
		}},
		{"steps[0]", "whole shards", func(p *model.Plan) {
			p.Steps[0].Kind, p.Steps[0].Phase = model.StepTranspose, model.NoPhase
			layout(p, 0).Order.Kind = model.TransposedLeft
			layout(p, 1).Slices = 2
		}},
		{"steps[4]", "neighbours of different axes", func(p *model.Plan) { p.Steps[4].In[0] = 4 }},
		{"steps[7]", "neighbours of different axes", func(p *model.Plan) { p.Steps[7].In[0] = 8 }},
	} {
		p := swappedPlan(t)
		c.change(p)
		var e *model.PathError
		if err := p.Validate(); !errors.As(err, &e) || e.Path != c.path || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("want %s: …%s…, found %v", c.path, c.reason, err)
		}
	}
}
