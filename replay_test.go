package ipusolve_test

import (
	"context"
	"os"
	"testing"

	"ipusolve"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/eval"
)

// TestFirstSeedReplay compiles the plan that the first seed log chose, under its
// problem, and runs it: the figures of the log (costmodel.md §12, planspace.md
// §10.4, lowering.md §4.2 and §6.1), our horizons on its phases, and both
// numerical tests on one package.
func TestFirstSeedReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("full size")
	}
	f, err := os.Open("bench/seedlog/testdata/seed1.plan.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	saved, err := model.ReadPlan(f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ipusolve.Compile(context.Background(), &saved.Problem, ipusolve.Options{
		Planner: &ipusolve.Pinned{Saved: saved}, Scheduler: ipusolve.List{}, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	r := c.Report
	type pair struct{ cycles, exchange int64 }
	var pairs []pair
	var roots []int
	for _, s := range r.Planning.Steps {
		if s.Cycles > 0 {
			pairs = append(pairs, pair{s.Cycles, s.Exchange})
		}
		if s.Roots > 0 {
			roots = append(roots, s.Roots)
		}
	}
	want := []pair{{89252, 13616}, {3264, 2968}, {21451, 0}, {27456, 27096}, {92646, 19728}}
	for i := range want {
		if len(pairs) != len(want) || pairs[i] != want[i] {
			t.Fatalf("operators and conversions %v, want %v", pairs, want)
		}
	}
	if p := r.Planning; p.Objective != 234069 || p.Exchange != 63408 || p.Status != ipusolve.StatusHeuristic {
		t.Errorf("%s %d, exchange %d", p.Status, p.Objective, p.Exchange)
	}
	state := r.Planning.Seed.State
	if state.RowBytes != 62856 || state.Peak != (cost.SeedBytes{Standard: 271496, Interleaved: 115520}) || state.Total != 387016 {
		t.Errorf("memory %+v", state)
	}
	if len(roots) != 2 || roots[0] != 1485 || roots[1] != 1512 {
		t.Errorf("reduction roots %v", roots)
	}
	for i, want := range []struct {
		transfers int
		endpoint  int32
		most      int32 // horizon
	}{{675, 3840, 4100}, {12105, 4800, 6500}, {195361, 1184, 2000}, {196821, 33408, 35000}, {63720, 4704, 5200}} {
		p := r.Exchange[i]
		if p.Transfers != want.transfers || p.Endpoint != want.endpoint || p.Horizon > want.most || p.SharedElements != 0 {
			t.Errorf("phase %d: %d transfers, endpoint bound %d, horizon %d, %d tiles half duplex; want %+v", i, p.Transfers, p.Endpoint, p.Horizon, p.SharedElements, want)
		}
	}
	for _, claim := range ipusolve.VerifyPackage(c.Package) {
		if claim.Failed() {
			t.Errorf("verify: %+v", claim)
		}
	}
	runChecks(t, c, eval.MLP(729, 1152, 4304, 1))
}

// TestPreplacedReplay compiles the preplaced plan of optima.md, P3, with the own
// slices of its first weight in place, and runs it.
func TestPreplacedReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("full size")
	}
	f, err := os.Open("lower/testdata/p3.plan.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	saved, err := model.ReadPlan(f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ipusolve.Compile(context.Background(), &saved.Problem, ipusolve.Options{
		Planner: &ipusolve.Pinned{Saved: saved}, Scheduler: ipusolve.List{Options: exchange.Options{Effort: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Report.Placement
	if p.Status != "optimal" || p.Objective != 384896 || p.Alive != p.Objective || p.OverlapWords != 0 {
		t.Errorf("placement %s: %d bytes, %d alive, %d words overlap", p.Status, p.Objective, p.Alive, p.OverlapWords)
	}
	for i, most := range []int32{9600, 30000, 5000} { // 5 · 1844 words of W1, W2 and G, partial sums
		if x := c.Report.Exchange[i]; x.Horizon > most {
			t.Errorf("phase %d: horizon %d, want at most %d", i, x.Horizon, most)
		}
	}
	for _, claim := range ipusolve.VerifyPackage(c.Package) {
		if claim.Failed() {
			t.Errorf("verify: %+v", claim)
		}
	}
	runChecks(t, c, eval.MLP(729, 1152, 4304, 1))
}

// runChecks runs a package on the simulator with the exact test's data and with
// the seed's.
func runChecks(t *testing.T, c *ipusolve.Compilation, chain eval.Chain) {
	t.Helper()
	m, err := sim.New(c.Package, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		data func(eval.Chain) (eval.Data, error)
		want func(eval.Chain, eval.Data) (eval.Tensor, error)
		same func(got, want eval.Tensor) eval.Report
	}{{"exact", eval.ExactData, eval.ExactReference, eval.CheckExact}, {"seed", eval.SeedData, eval.Reference, eval.CheckSeed}} {
		data, err := test.data(chain)
		if err != nil {
			t.Fatal(err)
		}
		var output *model.PlanValue
		weights := 0
		for i := range c.Plan.Values {
			v := &c.Plan.Values[i]
			var tensor eval.Tensor
			switch v.Role {
			case model.RoleInput:
				tensor = data.Input
			case model.RoleWeight:
				tensor = data.Weights[weights]
				weights++
			case model.RoleOutput:
				output = v
				continue
			default:
				continue
			}
			b, err := model.Pack(v, tensor.Data)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Load(v.Graph, b); err != nil {
				t.Fatal(err)
			}
		}
		res, err := m.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Output(output.Graph)
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.Unpack(output, b)
		if err != nil {
			t.Fatal(err)
		}
		want, err := test.want(chain, data)
		if err != nil {
			t.Fatal(err)
		}
		report := test.same(eval.Tensor{Shape: want.Shape, Data: got}, want)
		t.Logf("%s test: %d cycles, maximum error %g", test.name, res.Cycles, report.MaxAbsError)
		if !report.Pass {
			t.Errorf("%s test: %s", test.name, report.Detail)
		}
	}
}
