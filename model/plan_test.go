package model_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// smallPlan is a plan of 7×32·32×64 → GELU → ·64×32 on 64 tiles: a gathered input
// in slices, resident weights, GEMM 1 with two inner parts and a distributed
// result, GEMM 2 with one, a linear output.
func smallPlan(t testing.TB) *model.Plan {
	t.Helper()
	type axes = []model.AxisTiling
	left, loaded := model.Order{Kind: model.LeftPanel}, model.Order{Kind: model.BlockMajor}
	value := func(name, graph, role string, rows, cols int, l model.Layout) model.PlanValue {
		return model.PlanValue{Name: name, Graph: graph, Rows: rows, Cols: cols, Role: role, Layout: l}
	}
	x := model.Layout{Order: left, Tiles: 16, Replicas: 4, Axes: axes{{Axis: model.Cols, Parts: 2, Block: 16}, {Axis: model.Rows, Parts: 2, Block: 1}}}
	home := x
	home.Slices = 4
	h := model.Layout{Order: left, Class: model.Interleaved, Tiles: 16,
		Axes: axes{{Axis: model.Cols, Parts: 4, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: 4, Block: 1, Stride: 4, Nest: 2}},
		Map:  model.NewTileMap([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})}
	shifted := model.Rotation(4, 62, 64)
	p := &model.Plan{Schema: model.PlanSchema, Problem: smallProblem(t),
		Values: []model.PlanValue{
			value("x", "x", model.RoleInput, 7, 32, home),
			value("x@op", "x", "", 7, 32, x),
			value("w1", "block0.w1", model.RoleWeight, 32, 64, model.Layout{Order: loaded, Class: model.Interleaved, Tiles: 16, Replicas: 2,
				Axes: axes{{Axis: model.Cols, Parts: 4, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: 2, Block: 16, Stride: 4}}}),
			value("h", "block0.h", "", 7, 64, h),
			value("g", "block0.g", "", 7, 64, h),
			value("g@op", "block0.g", "", 7, 64, model.Layout{Order: left, Tiles: 4, Replicas: 2, Map: shifted, Axes: axes{{Axis: model.Rows, Parts: 2, Block: 1}}}),
			value("w2", "block0.w2", model.RoleWeight, 64, 32, model.Layout{Order: loaded, Class: model.Interleaved, Tiles: 4, Replicas: 2, Map: shifted,
				Axes: axes{{Axis: model.Cols, Parts: 2, Block: 16, Stride: 1}}}),
			value("y@gemm", "y", "", 7, 32, model.Layout{Order: left, Class: model.Interleaved, Tiles: 4, Map: shifted,
				Axes: axes{{Axis: model.Cols, Parts: 2, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: 2, Block: 1, Stride: 2}}}),
			value("y", "y", model.RoleOutput, 7, 32, model.Layout{Tiles: 56, Axes: axes{{Axis: model.Linear, Parts: 56, Block: 4}}}),
		},
		Steps: []model.Step{
			{Kind: model.StepMove, Op: "block0.gemm1", In: []int{0}, Out: 1, Phase: 0,
				Cost: model.Cost{{Name: "words", Cycles: 96, Exchange: true}, {Name: "synchronization", Cycles: 600, Exchange: true}}},
			{Kind: model.StepGemm, Op: "block0.gemm1", In: []int{1, 2}, Out: 3, Phase: 1,
				Gemm: &model.Gemm{Orientation: model.OrientationNormal, Compute: model.Grid{Rows: 2, Cols: 4, Inner: 2}, Result: model.Grid{Rows: 4, Cols: 4}, BlockInner: 16, BlockCols: 16, Sum: model.SumMatrix},
				Cost: model.Cost{{Name: "kernel", Cycles: 545}, {Name: "words", Cycles: 32, Exchange: true}, {Name: "reduction", Cycles: 75}}},
			{Kind: model.StepGelu, Op: "block0.gelu", In: []int{3}, Out: 4, Phase: model.NoPhase, Cost: model.Cost{{Name: "GELU", Cycles: 331}}},
			{Kind: model.StepMove, Op: "block0.gemm2", In: []int{4}, Out: 5, Phase: 2},
			{Kind: model.StepGemm, Op: "block0.gemm2", In: []int{5, 6}, Out: 7, Phase: model.NoPhase,
				Gemm: &model.Gemm{Orientation: model.OrientationNormal, Compute: model.Grid{Rows: 2, Cols: 2, Inner: 1}, Result: model.Grid{Rows: 2, Cols: 2}, BlockInner: 64, BlockCols: 16}},
			{Kind: model.StepMove, Op: "block0.gemm2", In: []int{7}, Out: 8, Phase: 3},
		}}
	return p
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

func TestPlanGolden(t *testing.T) {
	p := smallPlan(t)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.plan.txt", []byte(p.String()))
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.plan.json", text.Bytes())
	back, err := model.ReadPlan(&text)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := back.Write(&again); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.plan.json", again.Bytes())
	if back.String() != p.String() {
		t.Error("the plan's text changes when it is read back")
	}
}

func TestSeedPlanText(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "bench", "seedlog", "testdata", "seed1.plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := model.ReadPlan(f)
	if err != nil {
		t.Fatal(err)
	}
	if p.Total() != 234069 {
		t.Errorf("total %d, want 234069", p.Total())
	}
	golden(t, "seed1.plan.txt", []byte(p.String()))
}

// Each change of the small plan is refused with a path and a reason.
func TestPlanValidateRejects(t *testing.T) {
	for _, c := range []struct {
		path, reason string
		change       func(*model.Plan)
	}{
		{"schema", "want", func(p *model.Plan) { p.Schema = "" }},
		{"problem.tiles", "multiple of 64", func(p *model.Plan) { p.Problem.Tiles = 100 }},
		{"problem.graph.outputs", "at least one", func(p *model.Plan) { p.Problem.Graph.Outputs = nil }},
		{"values[1].name", "taken", func(p *model.Plan) { p.Values[1].Name = "x" }},
		{"values[1].graph", "no value", func(p *model.Plan) { p.Values[1].Graph = "q" }},
		{"values[1]", "want 7 rows and 32 columns", func(p *model.Plan) { p.Values[1].Rows = 8 }},
		{"values[1].layout.tiles", "64 tiles", func(p *model.Plan) { p.Values[1].Layout.Tiles = 1 << 50 }},
		{"values[1].layout", "parts", func(p *model.Plan) { p.Values[1].Layout.Replicas = 3 }},
		{"values[0].layout.slices", "cannot hold 5 slices", func(p *model.Plan) { p.Values[0].Layout.Slices = 5 }},
		{"values[5].layout.map", "tile 64", func(p *model.Plan) { p.Values[5].Layout.Map = model.NewTileMap([]int{61, 62, 63, 64}) }},
		{"values[5].layout.map", "both lie on tile 3", func(p *model.Plan) { p.Values[5].Layout.Map = model.NewTileMap([]int{3, 4, 5, 3}) }},
		{"values[5].layout", "no entry", func(p *model.Plan) { p.Values[5].Layout.Map = model.NewTileMap([]int{3, 4}) }},
		{"values[3].layout", "padded inside", func(p *model.Plan) { p.Values[3].Layout.Axes[1].ShardPad = 4 }},
		{"values[0].layout", "gathered inputs", func(p *model.Plan) { p.Values[0].Layout.Slices = 2 }},
		{"values[2].layout", "stored once", func(p *model.Plan) { p.Problem.Weights = model.WeightsOnce }},
		{"values[1].role", `role is "input"`, func(p *model.Plan) { p.Values[1].Role = model.RoleWeight }},
		{"values[4].role", "not an output", func(p *model.Plan) { p.Values[4].Role = model.RoleOutput }},
		{"values[8].role", "already values[7]", func(p *model.Plan) { p.Problem.Outputs = model.OutputsAny; p.Values[7].Role = model.RoleOutput }},
		{"values[7].layout", "linear outputs", func(p *model.Plan) { p.Values[8].Role, p.Values[7].Role = "", model.RoleOutput }},
		{"values[8].role", "found \"host\"", func(p *model.Plan) { p.Values[8].Role = "host" }},
		{"values", `graph output "y"`, func(p *model.Plan) { p.Values[8].Role = "" }},
		{"steps[0].kind", "found \"copy\"", func(p *model.Plan) { p.Steps[0].Kind = "copy" }},
		{"steps[0].in", "wants 1", func(p *model.Plan) { p.Steps[0].In = nil }},
		{"steps[0].in[0]", "index", func(p *model.Plan) { p.Steps[0].In[0] = -1 }},
		{"steps[0].in[0]", "before it is produced", func(p *model.Plan) { p.Steps[0].In[0] = 1 }},
		{"steps[0].out", "index", func(p *model.Plan) { p.Steps[0].Out = 9 }},
		{"steps[0].out", "produced twice", func(p *model.Plan) { p.Steps[0].Out = 2 }},
		{"steps[0].op", "no operation", func(p *model.Plan) { p.Steps[0].Op = "q" }},
		{"steps[0]", "keeps the graph value", func(p *model.Plan) { p.Steps[0].Out = 5 }},
		{"steps[0].gemm", "no GEMM recipe", func(p *model.Plan) { p.Steps[0].Gemm = p.Steps[1].Gemm }},
		{"steps[0].cost", "terms", func(p *model.Plan) { p.Steps[0].Cost = make(model.Cost, 1000) }},
		{"steps[0].cost[1].cycles", "found -1", func(p *model.Plan) { p.Steps[0].Cost[1].Cycles = -1 }},
		{"steps[0].cost[0].cycles", "want 0 to", func(p *model.Plan) { p.Steps[0].Cost[0].Cycles = 1 << 62 }},
		{"steps[0].phase", "want phase 0", func(p *model.Plan) { p.Steps[0].Phase = 1 }},
		{"steps[0].phase", "want phase 0", func(p *model.Plan) { p.Steps[0].Phase = -7 }},
		{"steps[1].phase", "only moves", func(p *model.Plan) { p.Steps[1].Phase = 0 }},
		{"steps[1].phase", "need an exchange", func(p *model.Plan) { p.Steps[1].Phase = model.NoPhase }},
		{"steps[4].phase", "no exchange", func(p *model.Plan) { p.Steps[4].Phase = 3 }},
		{"steps[2].phase", "no exchange", func(p *model.Plan) { p.Steps[2].Phase = 2 }},
		{"steps[6].op", "already computed", func(p *model.Plan) {
			h := p.Values[3]
			h.Name = "h2"
			p.Values = append(p.Values, h)
			p.Steps = append(p.Steps, p.Steps[1])
			p.Steps[6].Out = 9
		}},
		{"steps[2].op", "cannot compute", func(p *model.Plan) { p.Steps[2].Op = "block0.gemm2" }},
		{"steps[1].in[1]", "reads \"block0.w1\"", func(p *model.Plan) { p.Steps[1].In[1] = 6 }},
		{"steps[1].out", "produces", func(p *model.Plan) { p.Steps[1].Out = 4 }},
		{"steps[2]", "keeps the layout", func(p *model.Plan) { p.Values[4].Layout.Map = model.Rotation(16, 1, 64) }},
		{"steps[2].gemm", "no GEMM recipe", func(p *model.Plan) { p.Steps[2].Gemm = p.Steps[1].Gemm }},
		{"steps[1].gemm", "needs its recipe", func(p *model.Plan) { p.Steps[1].Gemm = nil }},
		{"steps[1].gemm.orientation", "normal", func(p *model.Plan) { p.Steps[1].Gemm.Orientation = "sideways" }},
		{"steps[1].gemm.compute", "recipe says", func(p *model.Plan) { p.Steps[1].Gemm.Compute.Inner = 3 }},
		{"steps[1].gemm.result", "4×4 parts", func(p *model.Plan) { p.Steps[1].Gemm.Result.Rows = 2 }},
		{"steps[1].gemm.sum", "want", func(p *model.Plan) { p.Steps[1].Gemm.Sum = "vector" }},
		{"steps[1].gemm.sum", "without matrix-sums", func(p *model.Plan) { p.Problem.Without = []string{model.MatrixSums} }},
		{"steps[1].gemm.sum", "no price", func(p *model.Plan) { p.Problem.Profile = model.ProfileSeed }},
		{"steps[1].gemm.sum", "interleaved memory", func(p *model.Plan) { p.Values[3].Layout.Class = model.Standard }},
		{"steps[4].gemm.sum", "no partials", func(p *model.Plan) { p.Steps[4].Gemm.Sum = model.SumMatrix }},
		{"steps[1].gemm", "largest call", func(p *model.Plan) { p.Steps[1].Gemm.BlockInner = 32 }},
		{"steps[1]", "in order left", func(p *model.Plan) { p.Values[1].Layout.Order.Kind = model.RowMajor }},
		{"steps[1]", "are not rows", func(p *model.Plan) { p.Values[2].Layout.Axes[0].Stride, p.Values[2].Layout.Axes[1].Stride = 2, 1 }},
		{"steps[4]", "compute the same part", func(p *model.Plan) { p.Values[6].Layout.Map = model.NewTileMap([]int{62, 0, 63, 1}) }},
		{"steps[4]", "tile 61 holds \"w2\"", func(p *model.Plan) { p.Values[6].Layout.Map = model.Rotation(4, 61, 64) }},
		{"steps[4].out", "computes rows", func(p *model.Plan) { p.Values[7].Layout.Map = model.Rotation(4, 61, 64) }},
		{"values[9]", "no step produces", func(p *model.Plan) { h := p.Values[3]; h.Name = "h2"; p.Values = append(p.Values, h) }},
		{"steps", "no step computes", func(p *model.Plan) { p.Steps = p.Steps[:4] }},
		{"values[9]", "never used", func(p *model.Plan) { v := p.Values[2]; v.Name = "w1b"; p.Values = append(p.Values, v) }},
	} {
		p := smallPlan(t)
		c.change(p)
		var e *model.PathError
		if err := p.Validate(); !errors.As(err, &e) || e.Path != c.path || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("want %s: …%s…, found %v", c.path, c.reason, err)
		}
	}
}

// Moves of one phase must follow each other and be independent.
func TestPlanSharedPhase(t *testing.T) {
	p := smallPlan(t)
	second := p.Values[6]
	second.Name, p.Values[6].Name, p.Values[6].Role = "w2", "w2@op", ""
	second.Layout.Map = model.TileMap{}
	p.Values = append(p.Values, second)
	move := model.Step{Kind: model.StepMove, Op: "block0.gemm2", In: []int{9}, Out: 6, Phase: 2}
	p.Steps = append(p.Steps[:4:4], append([]model.Step{move}, p.Steps[4:]...)...)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	// A third move that reads what the second one brings.
	again := p.Values[6]
	again.Name = "w2@again"
	p.Values = append(p.Values, again)
	p.Steps = append(p.Steps[:5:5], append([]model.Step{{Kind: model.StepMove, Op: "block0.gemm2", In: []int{6}, Out: 10, Phase: 2}}, p.Steps[5:]...)...)
	p.Steps[6].In = []int{5, 10}
	var e *model.PathError
	if err := p.Validate(); !errors.As(err, &e) || e.Path != "steps[5].phase" {
		t.Errorf("dependent moves share a phase: %v", err)
	}
}

func TestReadPlanRejects(t *testing.T) {
	var text bytes.Buffer
	if err := smallPlan(t).Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, path, reason string }{
		{`"kind": "left"`, `"kind": "amp"`, "values[0].layout.order.kind", "amp"},
		{`"class": "standard"`, `"class": "fast"`, "values[0].layout.class", "fast"},
		{`"parts": 2`, `"part": 2`, "values[0].layout.axes[0].part", "unknown field"},
		{`"map": [`, `"map": ["a",`, "values[5].layout.map", "[first, step, count]"},
		{`"exchange": true`, `"exchange": 1`, "steps[0].cost[0].exchange", "want true or false"},
		{`"cycles": 96`, `"cycles": "96"`, "steps[0].cost[0].cycles", "want an integer"},
		{`"gemm": {`, `"gemm": [{`, "steps[1].gemm", "want an object"},
	} {
		changed := strings.Replace(text.String(), c.old, c.new, 1)
		if changed == text.String() {
			t.Fatalf("%q does not occur", c.old)
		}
		var e *model.PathError
		if _, err := model.ReadPlan(strings.NewReader(changed)); !errors.As(err, &e) || e.Path != c.path || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%s → %s: %v; want path %s", c.old, c.new, err, c.path)
		}
	}
}

func FuzzReadPlan(f *testing.F) {
	for _, path := range []string{filepath.Join("testdata", "small.plan.json"), filepath.Join("..", "bench", "seedlog", "testdata", "seed1.plan.json")} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := model.ReadPlan(bytes.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := p.Write(&out); err != nil {
			t.Fatal(err)
		}
		back, err := model.ReadPlan(&out)
		if err != nil {
			t.Fatalf("a written plan is refused: %v", err)
		}
		if back.String() != p.String() {
			t.Fatal("the plan's text changes when it is read back")
		}
	})
}

// hostile are numbers that overflow sums and products or ask for much memory.
var hostile = []string{"0", "-1", "1", "17", "4096", "16777216", "1073741824", "4611686018427387904", "9223372036854775807", "-9223372036854775808"}

// Whatever number stands wherever in a plan, reading it neither panics nor
// exhausts memory, and what is accepted reads back.
func TestReadPlanHostileNumbers(t *testing.T) {
	numbers := regexp.MustCompile(`-?\b\d+\b`)
	for _, file := range []struct {
		path  string
		every int // of the numbers
	}{{filepath.Join("testdata", "small.plan.json"), 1}, {filepath.Join("..", "bench", "seedlog", "testdata", "seed1.plan.json"), 23}} {
		text, err := os.ReadFile(file.path)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range numbers.FindAllIndex(text, -1) {
			if i%file.every != 0 {
				continue
			}
			for _, n := range hostile {
				changed := slices.Concat(text[:at[0]], []byte(n), text[at[1]:])
				p, err := model.ReadPlan(bytes.NewReader(changed))
				if err != nil {
					continue
				}
				var out bytes.Buffer
				if err := p.Write(&out); err != nil {
					t.Fatal(err)
				}
				if _, err := model.ReadPlan(&out); err != nil {
					t.Errorf("%s, number %d = %s: accepted, then refused: %v", file.path, i, n, err)
				}
			}
		}
	}
}
