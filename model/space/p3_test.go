package space

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"ipusolve/model"
	"ipusolve/model/workload"
)

var update = flag.Bool("update", false, "rewrite golden files")

// preplaced is the problem P3 of optima.md: inputs on all their consumers,
// weights stored once, the output as it comes.
func preplaced(t *testing.T) *model.Problem {
	t.Helper()
	g, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Problem{Graph: *g, Tiles: 1472, Profile: model.ProfileC600, Inputs: model.InputsPreplaced, Weights: model.WeightsOnce,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, MemoryLimit: (model.MaxPhysicalBytes - model.DefaultReserve) / model.MemoryGranule * model.MemoryGranule, Timing: model.TimingVersion}
}

// P3's best plan of the reference, in a file that other packages pin:
// N(5,269,1) with blocks of 1152×16, N(5,18,16) with blocks of 272×64, GELU in the result layout.
func TestPreplacedPlan(t *testing.T) {
	p := preplaced(t)
	chain, err := NewChain(p)
	if err != nil {
		t.Fatal(err)
	}
	first := Gemm{R: 5, Q: 269, K: 1, Rho: 1, Kappa: 1, Interleaved: true, Gathered: true, InPlace: true}
	second := Gemm{R: 5, Q: 18, K: 16, Rho: 16, Kappa: 1, Interleaved: true, Gathered: true}
	plan, err := chain.Plan(p, Choice{Gemms: []Gemm{first, second}, Vias: []Via{InResult, InResult}})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Steps {
		t.Logf("%s %s phase %d: %v", s.Kind, s.Op, s.Phase, s.Cost)
	}
	t.Logf("%d cycles", plan.Total())
	var b bytes.Buffer
	if err := plan.Write(&b); err != nil {
		t.Fatal(err)
	}
	const golden = "../../lower/testdata/p3.plan.json"
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Error("the plan is not the one in the file")
	}
}
