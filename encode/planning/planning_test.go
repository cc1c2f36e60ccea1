package planning

import (
	"context"
	"errors"
	"math"
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/workload"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

func problem(t testing.TB, tokens, dim, hidden, blocks, tiles int) *model.Problem {
	t.Helper()
	g, err := workload.SiglipMLP(1, tokens, dim, hidden, blocks)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Problem{Graph: *g, Tiles: tiles, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, MemoryLimit: model.MaxPhysicalBytes - model.DefaultReserve, Timing: model.TimingVersion}
}

func solved(t testing.TB, p *model.Problem) *Result {
	t.Helper()
	res, err := Solve(context.Background(), p, mip.Solver{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// exhaust prices every pair of candidates of a two-GEMM chain from layouts and
// returns the least cost within the limits.
func exhaust(t *testing.T, p *model.Problem) int64 {
	t.Helper()
	b, err := build(p, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	best := int64(math.MaxInt64)
	c := make(encode.Choice, len(b.sel.Nodes))
	for c[0] = range b.sel.Nodes[0].Candidates {
		for c[1] = range b.sel.Nodes[1].Candidates {
			if b.trim(c); !b.sel.Fits(c) {
				continue
			}
			plan, err := b.plan(c)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := plan.Total(), b.sel.Cost(c); got != want {
				t.Fatalf("%v: layouts %d, selection %d", c, got, want)
			}
			best = min(best, plan.Total())
		}
	}
	return best
}

// TestExhaustive compares the solved optimum with all plans of small problems,
// under every rule of inputs, weights and outputs, with and without tight memory.
func TestExhaustive(t *testing.T) {
	for _, dims := range [][4]int{{3, 16, 32, 4}, {2, 32, 16, 4}, {5, 16, 32, 3}, {1, 32, 32, 3}} {
		for rules := range 16 {
			p := problem(t, dims[0], dims[1], dims[2], 1, 64)
			p.Tiles = dims[3] // fewer than a program needs, so that all plans can be tried
			if rules&1 != 0 {
				p.Weights = model.WeightsOnce
			}
			if rules&2 != 0 {
				p.Inputs = model.InputsPreplaced
			}
			if rules&4 != 0 {
				p.Outputs = model.OutputsLinear
			}
			if rules&8 != 0 { // interleaved memory is tight
				p.MemoryLimit = (model.StandardShare + 1024 + 31) / 32 * 32
			}
			want := exhaust(t, p)
			if want == math.MaxInt64 {
				var none *InfeasibleError
				if _, err := Solve(context.Background(), p, mip.Solver{}, Options{}); !errors.As(err, &none) || int64(p.MemoryLimit) >= none.Smallest {
					t.Errorf("%v rules %d: %v, no plan exists", dims, rules, err)
				}
				continue
			}
			res := solved(t, p)
			if res.Outcome.Status != solve.Optimal || res.Outcome.Objective != want {
				t.Errorf("%v rules %d: %v %d, exhaustive %d", dims, rules, res.Outcome.Status, res.Outcome.Objective, want)
			}
		}
	}
}

// TestSmallestMemory checks the reported smallest memory limit from both sides.
func TestSmallestMemory(t *testing.T) {
	p := problem(t, 729, 1152, 17216, 1, 64)
	_, err := Solve(context.Background(), p, mip.Solver{}, Options{})
	var inf *InfeasibleError
	if !errors.As(err, &inf) || !inf.Proven || inf.Limit == "" || inf.Required <= inf.Allowed {
		t.Fatalf("want a proven infeasibility, got %v", err)
	}
	t.Log(inf)
	p.MemoryLimit = int(inf.Smallest)
	if got := solved(t, p).Outcome.Status; got != solve.Optimal {
		t.Errorf("at the smallest limit: %v", got)
	}
	p.MemoryLimit -= model.MemoryGranule
	if _, err := Solve(context.Background(), p, mip.Solver{}, Options{}); !errors.As(err, &inf) || inf.Smallest != int64(p.MemoryLimit)+model.MemoryGranule {
		t.Errorf("one granule below: %v", err)
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ tokens, dim, hidden, blocks, tiles int }{{64, 128, 256, 1, 64}, {7, 48, 80, 1, 64}, {1, 48, 80, 1, 64}, {64, 128, 256, 3, 64}, {7, 48, 80, 3, 64}} {
		res := solved(t, problem(t, c.tokens, c.dim, c.hidden, c.blocks, c.tiles))
		t.Logf("%v: %v %d, %+v", c, res.Outcome.Status, res.Outcome.Objective, res.Outcome.Stats)
		if res.Outcome.Status != solve.Optimal {
			t.Errorf("%v: %v", c, res.Outcome.Status)
		}
	}
}

func BenchmarkPlanning(b *testing.B) {
	p := problem(b, 729, 1152, 4304, 1, 1472)
	for b.Loop() {
		solved(b, p)
	}
}
