package encode_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// The integer program of an arena has the optimum of trying everything, level by
// level.
func TestArenaModel(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 1))
	rounds, solved, infeasible := 300, 0, 0
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		a := randomArena(r)
		m, err := encode.NewArenaModel(a)
		if err != nil {
			t.Fatalf("round %d: %v\n%+v", round, err, a)
		}
		res, err := mip.Solver{}.Solve(context.Background(), m.Model, solve.Options{Effort: 20000})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if _, err := cert.Check(m.Model, res.Certificate); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		best := bestArena(a)
		if best == nil {
			infeasible++
			if res.Objective != nil {
				t.Fatalf("round %d: %v, want infeasible\n%+v", round, m.Placement(res.Values), a)
			}
			continue
		}
		var lost int64
		for _, e := range a.Equal {
			lost += e.Weight
		}
		want := m.EqualFactor*(lost+best[0]) + m.OverlapFactor*best[1] + m.HeightFactor*best[2]
		if res.Status == solve.Infeasible || res.Bound.Num().Int64() > want {
			t.Fatalf("round %d: %v with bound %v, want %d\n%+v", round, res.Status, res.Bound, want, a)
		}
		if res.Objective == nil {
			continue
		}
		at := m.Placement(res.Values)
		if err := packcheck.CheckArena(a, at); err != nil {
			t.Fatalf("round %d: %v\n%v\n%+v", round, err, at, a)
		}
		got := m.EqualFactor*(lost-a.Equals(at)) + m.OverlapFactor*a.Overlaps(at) + m.HeightFactor*a.Height(at)
		if objective := res.Objective.Num().Int64(); got > objective || objective < want || res.Status == solve.Optimal && objective != want {
			t.Fatalf("round %d: %v %d, the placement has %d, want %d\n%v\n%+v", round, res.Status, objective, got, want, at, a)
		}
		if res.Status == solve.Optimal {
			solved++
		}
	}
	t.Logf("%d of %d solved, %d infeasible", solved, rounds, infeasible)
	if solved < rounds/2 || infeasible == 0 {
		t.Errorf("%d of %d solved, %d infeasible", solved, rounds, infeasible)
	}
}

// Weights without room for the height leave it out.
func TestArenaModelFactors(t *testing.T) {
	a := &encode.Arena{Classes: []encode.ArenaClass{{Ranges: []encode.Interval{{Start: 0, End: 1 << 30}}}},
		Items: []encode.ArenaItem{{ID: "a", Upper: 1, Size: 4}, {ID: "b", Space: 1, Upper: 1, Size: 4}}}
	m, err := encode.NewArenaModel(a)
	if err != nil || m.HeightFactor != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	a.Equal = []encode.Equal{{A: 0, B: 1, Weight: 1 << 40}}
	if m, err = encode.NewArenaModel(a); err != nil || m.HeightFactor != 0 || m.EqualFactor != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}
