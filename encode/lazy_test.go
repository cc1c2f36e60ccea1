package encode

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// forgetful is an engine that does not know of exact costs.
type forgetful struct{ solve.Solver }

func (f forgetful) Solve(ctx context.Context, m *solve.Model, opt solve.Options) (*solve.Result, error) {
	opt.Lazy = nil
	return f.Solver.Solve(ctx, m, opt)
}

// Exact costs asked for in the search, or round after round: the optimum, with a
// certificate of the model's final costs. In the search one round is enough.
func TestSelectLazily(t *testing.T) {
	rounds := map[bool]int{}
	for seed := range uint64(600) {
		s := random(rand.New(rand.NewPCG(seed, 91)))
		want := int64(math.MaxInt64)
		brute(s, func(c Choice) {
			if s.Fits(c) {
				want = min(want, s.Cost(c))
			}
		})
		for _, lazy := range []bool{true, false} {
			var engine solve.Solver = mip.Solver{}
			if !lazy {
				engine = forgetful{engine}
			}
			out, err := selectWith(context.Background(), s, engine, solve.Options{}, 0)
			if want == math.MaxInt64 {
				if !errors.Is(err, ErrInfeasible) {
					t.Errorf("seed %d, lazy %v: %v", seed, lazy, err)
				}
				continue
			}
			if err != nil || out.Status != solve.Optimal || out.Objective != want || out.Bound != want {
				t.Fatalf("seed %d, lazy %v: %+v, %v, want %d", seed, lazy, out, err, want)
			}
			v, err := cert.Check(out.Model, out.Result.Certificate)
			if err != nil || v.Bound == nil || v.Bound.Cmp(big.NewRat(want, 1)) < 0 {
				t.Errorf("seed %d, lazy %v: certificate %+v, %v", seed, lazy, v, err)
			}
			if rounds[lazy] += out.Stats.Rounds; lazy && out.Stats.Rounds > 1 {
				t.Errorf("seed %d: %d rounds", seed, out.Stats.Rounds)
			}
		}
	}
	if t.Logf("rounds: %d lazily, %d otherwise", rounds[true], rounds[false]); rounds[false] < rounds[true]*5/4 {
		t.Errorf("rounds: %d lazily, %d otherwise", rounds[true], rounds[false])
	}
}
