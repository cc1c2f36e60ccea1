package mip_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// solved answers m, and insists that the checker proves the same result.
func solved(t *testing.T, m *solve.Model, opt solve.Options) *solve.Result {
	t.Helper()
	r, err := mip.Solver{}.Solve(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	v, err := cert.Check(m, r.Certificate)
	if err != nil {
		t.Fatalf("%v\nmodel %+v\nresult %+v", err, m, r)
	}
	if v.Status != r.Status || (v.Bound == nil) != (r.Bound == nil) || (v.Bound != nil && v.Bound.Cmp(r.Bound) != 0) ||
		(v.Objective == nil) != (r.Objective == nil) || (v.Objective != nil && v.Objective.Cmp(r.Objective) != 0) {
		t.Fatalf("checker: %v %v %v, solver: %v %v %v\nmodel %+v", v.Status, v.Objective, v.Bound, r.Status, r.Objective, r.Bound, m)
	}
	return r
}

// 700 models of mixed kinds, each with all techniques or one switched off.
func TestAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(2026, 3))
	seen := map[solve.Status]int{}
	nodes := 0
	for k := range 700 {
		m := randomModel(r)
		var opt solve.Options
		if off := k % (2 * len(solve.Techniques())); off < len(solve.Techniques()) {
			opt.Disable = solve.Techniques()[off : off+1]
		}
		res := solved(t, m, opt)
		seen[res.Status]++
		nodes += res.Stats.Nodes
		best, feasible := bruteForce(t, m)
		if !feasible {
			if res.Status != solve.Infeasible {
				t.Fatalf("model %d: %v, but no assignment exists: %+v", k, res.Status, m)
			}
			continue
		}
		if res.Status != solve.Optimal || math.Abs(float(res.Objective)-best) > 1e-6*(1+math.Abs(best)) {
			t.Fatalf("model %d: %v %v, brute force %g: %+v\n%+v", k, res.Status, res.Objective, best, m, res.Stats)
		}
	}
	t.Logf("%v, %d nodes", seen, nodes)
	if seen[solve.Optimal] < 200 || seen[solve.Infeasible] < 100 {
		t.Errorf("lopsided sample: %v", seen)
	}
}
