package model_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/model"
	"ipusolve/model/workload"
)

const smallGraph = `{
  "schema": "ipusolve.graph/1",
  "name": "small",
  "values": [
    {"name": "x", "shape": [2, 4, 16], "type": "f16", "role": "input"},
    {"name": "w", "shape": [1, 16, 32], "type": "f16", "role": "weight"},
    {"name": "h", "shape": [2, 4, 32], "type": "f16"},
    {"name": "y", "shape": [2, 4, 32], "type": "f16"}
  ],
  "ops": [
    {"name": "gemm", "kind": "gemm", "inputs": ["x", "w"], "output": "h"},
    {"name": "act", "kind": "gelu", "inputs": ["h"], "output": "y"}
  ],
  "outputs": ["y"]
}`

func TestReadGraph(t *testing.T) {
	g, err := model.ReadGraph(strings.NewReader(smallGraph))
	if err != nil {
		t.Fatal(err)
	}
	h, ok := g.Value("h")
	if !ok || h.Rows() != 8 || h.Cols() != 32 {
		t.Errorf("h is %+v", h)
	}
	if _, ok := g.Value("z"); ok {
		t.Error("there is a value z")
	}
	var text bytes.Buffer
	if err := g.Write(&text); err != nil {
		t.Fatal(err)
	}
	back, err := model.ReadGraph(&text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(g, back); d != "" {
		t.Error(d)
	}
}

// Each change of the small graph is refused with a path and a reason.
func TestReadGraphRejects(t *testing.T) {
	const w = `{"name": "w", "shape": [1, 16, 32], "type": "f16", "role": "weight"}`
	for _, c := range []struct{ old, new, path, reason string }{
		{`graph/1`, `graph/2`, "schema", `want "ipusolve.graph/1"`},
		{`"name": "small"`, `"title": "small"`, "title", "unknown field"},
		{`"name": "small"`, `"Name": "small"`, "Name", "unknown field"},
		{`"name": "small"`, `"name": "small", "name": "b"`, "name", "twice"},
		{`"name": "small"`, `"name": 7`, "name", "want a string, found 7 (line 3, column 12)"},
		{`"type": "f16"}`, `"type": "f16", "dtype": "f32"}`, "values[2].dtype", "unknown field"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 16.5, 32]`, "values[1].shape[1]", "want an integer"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 1e3, 32]`, "values[1].shape[1]", "want an integer"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 99999999999999999999, 32]`, "values[1].shape[1]", "want an integer"},
		{`"shape": [1, 16, 32]`, `"shape": {}`, "values[1].shape", "want a list"},
		{`"shape": [1, 16, 32]`, `"shape": null`, "values[1].shape", "rank"},
		{`"shape": [1, 16, 32]`, `"shape": [32]`, "values[1].shape", "rank"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 0, 32]`, "values[1].shape[1]", "extent"},
		{`"shape": [1, 16, 32]`, `"shape": [1, -4, 32]`, "values[1].shape[1]", "extent"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 9000000, 32]`, "values[1].shape[1]", "extent"},
		{`"shape": [1, 16, 32]`, `"shape": [1000000, 1000000, 1000000]`, "values[1].shape", "elements"},
		{`"shape": [1, 16, 32]`, `"shape": [4096, 4096, 1]`, "values[1].shape", "rows"},
		{`"shape": [1, 16, 32]`, `"shape": [2, 16, 32]`, "ops[0].inputs[1]", "leading axes"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 1, 16, 32]`, "ops[0].inputs[1]", "rank"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 15, 32]`, "ops[0]", "inner extents differ"},
		{`"shape": [1, 16, 32]`, `"shape": [1, 16, 31]`, "ops[0].output", "gives shape [2 4 31]"},
		{`"name": "y", "shape": [2, 4, 32]`, `"name": "y", "shape": [4, 2, 32]`, "ops[1].output", "gives shape"},
		{`"name": "h", "shape"`, `"name": "x", "shape"`, "values[2].name", "taken by values[0]"},
		{`"name": "h", "shape"`, `"name": "", "shape"`, "values[2].name", "name of 1 to"},
		{`"type": "f16"}`, `"type": "f32"}`, "values[2].type", "f16"},
		{`"role": "weight"`, `"role": "bias"`, "values[1].role", "bias"},
		{`"role": "weight"`, `"role": ""`, "ops[0].inputs[1]", "before it is produced"},
		{`"role": "input"`, `"role": "weight"`, "ops[0].inputs[0]", "second input of a gemm"},
		{`"name": "act"`, `"name": "gemm"`, "ops[1].name", "taken by ops[0]"},
		{`"kind": "gelu"`, `"kind": "relu"`, "ops[1].kind", "relu"},
		{`"inputs": ["h"]`, `"inputs": ["h", "h"]`, "ops[1].inputs", "wants 1"},
		{`"inputs": ["h"]`, `"inputs": ["q"]`, "ops[1].inputs[0]", "no value"},
		{`"inputs": ["h"]`, `"inputs": ["y"]`, "ops[1].inputs[0]", "before it is produced"},
		{`"output": "y"`, `"output": "h"`, "ops[1].output", "produced twice"},
		{`"output": "y"`, `"output": "x"`, "ops[1].output", "cannot be produced"},
		{`"output": "y"`, `"output": "q"`, "ops[1].output", "no value"},
		{`"outputs": ["y"]`, `"outputs": []`, "outputs", "at least one"},
		{`"outputs": ["y"]`, `"outputs": ["y", "y"]`, "outputs[1]", "twice"},
		{`"outputs": ["y"]`, `"outputs": ["x"]`, "outputs[0]", "not the result"},
		{`"outputs": ["y"]`, `"outputs": ["q"]`, "outputs[0]", "no value"},
		{`"outputs": ["y"]`, `"outputs": ["h"]`, "values[3]", "never used"},
		{w, w + `, {"name": "v", "shape": [4, 4], "type": "f16", "role": "input"}`, "values[2]", "never used"},
		{w, w + `, {"name": "v", "shape": [4, 4], "type": "f16"}`, "values[2]", "no operation produces"},
		{`"outputs": ["y"]`, `"outputs": ["y"]} {`, "", "nothing after"},
		{`"outputs": ["y"]`, `"outputs": ["y"`, "outputs", "invalid character"},
		{`"outputs": ["y"]` + "\n}", `"outputs": ["y"]`, "", "unexpected EOF"},
	} {
		text := strings.Replace(smallGraph, c.old, c.new, 1)
		if text == smallGraph {
			t.Fatalf("%q does not occur", c.old)
		}
		_, err := model.ReadGraph(strings.NewReader(text))
		var p *model.PathError
		if !errors.As(err, &p) {
			t.Errorf("%s → %s: %v", c.old, c.new, err)
			continue
		}
		if p.Path != c.path || !strings.Contains(p.Reason, c.reason) {
			t.Errorf("%s → %s: %v; want path %q and %q", c.old, c.new, err, c.path, c.reason)
		}
	}
}

func FuzzReadGraph(f *testing.F) {
	f.Add(smallGraph)
	f.Add(`{"values":[{"shape":[1,9223372036854775807]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := model.ReadGraph(strings.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := g.Write(&out); err != nil {
			t.Fatal(err)
		}
		back, err := model.ReadGraph(&out)
		if err != nil {
			t.Fatalf("a written graph is refused: %v", err)
		}
		if d := cmp.Diff(g, back); d != "" {
			t.Fatal(d)
		}
	})
}

func smallProblem(t testing.TB) model.Problem {
	t.Helper()
	g, err := workload.SiglipMLP(1, 7, 32, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	return model.Problem{Graph: *g, Tiles: 64, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident,
		Outputs: model.OutputsLinear, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, MemoryLimit: 1 << 16, Timing: model.TimingVersion}
}

func TestProblemValidate(t *testing.T) {
	good := smallProblem(t)
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for path, change := range map[string]func(*model.Problem){
		"tiles":       func(p *model.Problem) { p.Tiles = 100 },
		"profile":     func(p *model.Problem) { p.Profile = "c601" },
		"inputs":      func(p *model.Problem) { p.Inputs = "" },
		"weights":     func(p *model.Problem) { p.Weights = "twice" },
		"outputs":     func(p *model.Problem) { p.Outputs = "Any" },
		"repeat":      func(p *model.Problem) { p.Repeat = "1" },
		"family":      func(p *model.Problem) { p.Family = "wide" },
		"memoryLimit": func(p *model.Problem) { p.MemoryLimit = 1<<16 + 16 },
		"without":     func(p *model.Problem) { p.Without = []string{"sums"} },
		"timing":      func(p *model.Problem) { p.Timing = 0 },
	} {
		p := smallProblem(t)
		change(&p)
		var e *model.PathError
		if err := p.Validate(); !errors.Is(err, model.ErrUsage) || !errors.As(err, &e) || e.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, tiles := range []int{-64, 0, 63, 1536, 1 << 40} {
		p := smallProblem(t)
		if p.Tiles = tiles; !errors.Is(p.Validate(), model.ErrUsage) {
			t.Errorf("%d tiles are accepted", tiles)
		}
	}
	p := smallProblem(t)
	p.Without = []string{model.MatrixSums}
	if err := p.Validate(); err != nil || p.Has(model.MatrixSums) {
		t.Errorf("without matrix sums: %v", err)
	}
	if p.Without = append(p.Without, model.MatrixSums); !errors.Is(p.Validate(), model.ErrUsage) {
		t.Error("a technique is accepted twice")
	}
	for _, limit := range []int{-32, 0, 1 << 40} {
		p := smallProblem(t)
		if p.MemoryLimit = limit; !errors.Is(p.Validate(), model.ErrUsage) {
			t.Errorf("a limit of %d bytes is accepted", limit)
		}
	}
	bad := smallProblem(t)
	bad.Graph.Outputs = nil
	var e *model.PathError
	if err := bad.Validate(); errors.Is(err, model.ErrUsage) || !errors.As(err, &e) || e.Path != "graph.outputs" {
		t.Errorf("graph without outputs: %v", err)
	}
}
