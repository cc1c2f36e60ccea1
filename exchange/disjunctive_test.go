package exchange_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/encode"
	"ipusolve/exchange"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// The model's optimum is a lower bound of what exact search finds, and nearly
// always that itself; the best schedule is one of its solutions.
func TestDisjunctive(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	compared, equal, solutions := 0, 0, 0
	for range 150 {
		p := small(rng, 2+rng.IntN(5))
		starts, proven, err := exchange.Exact(context.Background(), p, exchange.Best(p).Horizon, 1<<20, 100000)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Disjunctive(proven)
		if err != nil {
			t.Fatal(err)
		}
		end := int64(0)
		for i, x := range starts {
			end = max(end, int64(x)+d.Jobs[i].Length)
		}
		if end != int64(proven) {
			continue // not closed
		}
		m, err := encode.NewDisjunctiveModel(d)
		if err != nil {
			t.Fatal(err)
		}
		wide := make([]int64, len(starts))
		for i, x := range starts {
			wide[i] = int64(x)
		}
		values := m.Values(wide)
		if m.Model.Check(&solve.Assignment{Values: values}) == nil {
			solutions++
		}
		res, err := mip.Solver{}.Solve(context.Background(), m.Model, solve.Options{Effort: 20000})
		if err != nil {
			t.Fatal(err)
		}
		if res.Status == solve.Infeasible || res.Bound.Num().Int64() > int64(proven) {
			t.Fatalf("%v with bound %v, optimum %d\n%+v", res.Status, res.Bound, proven, p)
		}
		if res.Status != solve.Optimal {
			continue
		}
		compared++
		if res.Objective.Num().Int64() == int64(proven) {
			equal++
		}
	}
	t.Logf("%d compared, %d equal, %d schedules are solutions", compared, equal, solutions)
	if compared < 50 || equal < compared*9/10 || solutions < compared/2 {
		t.Errorf("%d compared, %d equal, %d schedules are solutions", compared, equal, solutions)
	}
}

func TestGroups(t *testing.T) {
	p := &exchange.Problem{Tiles: 8, Messages: []exchange.Message{
		{Source: 0, SourceAddrs: []uint32{0x50000}, Dests: []exchange.Dest{{Tile: 1, Addr: 0x50000}}, Words: 4},
		{Source: 4, SourceAddrs: []uint32{0x50000}, Dests: []exchange.Dest{{Tile: 5, Addr: 0x50000}}, Words: 4},
		{Source: 1, SourceAddrs: []uint32{0x60000}, Dests: []exchange.Dest{{Tile: 2, Addr: 0x50000}}, Words: 4},
	}}
	groups := p.Groups()
	if len(groups) != 2 || len(groups[0].Messages) != 2 || len(groups[1].Messages) != 1 || groups[1].Messages[0].Source != 4 {
		t.Errorf("%+v", groups)
	}
}
