package planning

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/space"
	"ipusolve/solve/mip"
)

func seedProblem(t testing.TB, tokens, dim, hidden, blocks, tiles int) *model.Problem {
	p := problem(t, tokens, dim, hidden, blocks, tiles)
	p.Profile, p.Family = model.ProfileSeed, model.FamilySeed
	p.MemoryLimit = p.MemoryLimit / model.MemoryGranule * model.MemoryGranule
	p.Inputs, p.Weights = model.InputsPreplaced, model.WeightsOnce
	return p
}

// TestSeedFirst: the first log's problem (planspace.md §9.5: the baseline's best
// plan, 231943, is known to be optimal for a part of the family only).
func TestSeedFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	p := seedProblem(t, 729, 1152, 4304, 1, 1472)
	res, err := SolveSeed(context.Background(), p, mip.Solver{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome.Objective != 231943 || res.Outcome.Bound != 231943 || res.Plan.Total() != 231943 {
		t.Errorf("objective %d, bound %d, plan %d, want 231943", res.Outcome.Objective, res.Outcome.Bound, res.Plan.Total())
	}
	if _, err := Recheck(p, res.Outcome.Model, 231943, res.Outcome.Prices); err != nil {
		t.Error(err)
	}
	if _, err := Recheck(p, res.Outcome.Model, 234188, res.Outcome.Prices); err == nil {
		t.Error("recheck accepts a bound above plans that the model leaves out")
	}
}

// TestSeedWritten: where a record cannot express the optimum, the plan is one that
// it can, no better than the family's bound.
func TestSeedWritten(t *testing.T) {
	short := 0
	for _, c := range [][3]int{{64, 128, 256}, {16, 64, 128}, {40, 96, 160}} {
		p := seedProblem(t, c[0], c[1], c[2], 1, 64)
		best, err := solveSeed(context.Background(), p, mip.Solver{}, Options{}, false)
		if err != nil && !errors.Is(err, space.ErrSeedForm) {
			t.Fatal(err)
		}
		if err != nil {
			short++
		}
		res, err := SolveSeed(context.Background(), p, mip.Solver{}, Options{})
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if out := res.Outcome; out.Bound != best.Outcome.Objective || res.Plan.Total() != out.Objective || out.Objective < out.Bound {
			t.Errorf("%v: plan %d, objective %d, bound %d, optimum %d", c, res.Plan.Total(), out.Objective, out.Bound, best.Outcome.Objective)
		}
		if _, err := Recheck(p, res.Outcome.Model, res.Outcome.Bound, res.Outcome.Prices); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		t.Logf("%v: plan %d, bound %d", c, res.Plan.Total(), res.Outcome.Bound)
	}
	if short == 0 {
		t.Error("every optimum can be written")
	}
}

// TestSeedBruteForce: on small problems the solved optimum is the least of all
// combinations of candidates, each priced as a whole program.
func TestSeedBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	solved := 0
	for n := range 12 {
		tokens, dim, hidden, tiles := 1+rng.IntN(24), 16*(1+rng.IntN(4)), 16*(1+rng.IntN(4)), 2<<rng.IntN(2)
		p := seedProblem(t, tokens, dim, hidden, 1, tiles)
		want := bruteForce(t, p)
		res, err := solveSeed(context.Background(), p, mip.Solver{}, Options{}, false)
		switch {
		case errors.Is(err, encode.ErrInfeasible):
			if want >= 0 {
				t.Errorf("%d: %d×%d×%d on %d: infeasible, want %d", n, tokens, dim, hidden, tiles, want)
			}
			continue
		case err != nil && !errors.Is(err, space.ErrSeedForm):
			t.Fatal(err)
		}
		if res.Outcome.Objective != want || res.Outcome.Bound != want {
			t.Errorf("%d: %d×%d×%d on %d: objective %d, bound %d, want %d", n, tokens, dim, hidden, tiles, res.Outcome.Objective, res.Outcome.Bound, want)
		}
		if _, err := Recheck(p, res.Outcome.Model, want, res.Outcome.Prices); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		solved++
	}
	if solved < 6 {
		t.Errorf("%d of 12 problems solved", solved)
	}
}

// bruteForce is the least cost of a fitting sequence of choices, −1 if there is
// none.
func bruteForce(t *testing.T, p *model.Problem) int64 {
	t.Helper()
	chain, err := space.NewChain(p)
	if err != nil {
		t.Fatal(err)
	}
	counts := space.SeedCounts(&p.Graph, p.Tiles)
	path := space.NewSeedPath(&p.Graph, p.Tiles)
	best := int64(-1)
	var choices []space.SeedChoice
	var search func(i int)
	search = func(i int) {
		if i == len(chain.Stages) {
			c, fits, err := path.Best(choices)
			if err != nil {
				t.Fatal(err)
			}
			if fits && (best < 0 || c < best) {
				best = c
			}
			return
		}
		s := &chain.Stages[i]
		shape := space.SeedShape{Rows: s.M, Inner: s.K, Cols: s.N, Batch: 1}
		// Every candidate, also those that nothing can read.
		for _, g := range shape.All(counts, p.Tiles, true, true, i+1 == len(chain.Stages) || len(s.Gelus) == 1, seedUnbounded) {
			result := g.Gemm.ResultFormat()
			mark := len(choices)
			choices = append(choices, space.SeedChoice{Gemm: &g.Gemm, Format: result})
			if len(s.Gelus) == 0 {
				search(i + 1)
			} else {
				for _, f := range space.SeedPointwise(&result, s.M, s.N, counts) {
					choices = append(choices[:mark+1], space.SeedChoice{Format: f})
					search(i + 1)
				}
			}
			choices = choices[:mark]
		}
	}
	search(0)
	return best
}
