package lp

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

// A presolved solve ends like a cold one, and warm solves continue from it.
func TestSolveFresh(t *testing.T) {
	optimal := 0
	for seed := range uint64(60) {
		p := random(rand.New(rand.NewPCG(seed, 21)), 20, 30, 0.3)
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		x := s.SolveFresh(context.Background(), 0)
		y, err := Cold(p)
		if err != nil {
			t.Fatal(err)
		}
		if x.Status != y.Status || x.Status == Optimal && !near(x.Objective, y.Objective) {
			t.Errorf("seed %d: %v %g, cold %v %g", seed, x.Status, x.Objective, y.Status, y.Objective)
		}
		if x.Status == Optimal {
			optimal++
			again := s.Solve(context.Background(), 0)
			if again.Status != Optimal || again.Iterations > 5 || !near(again.Objective, y.Objective) {
				t.Errorf("seed %d: again %v %g after %d iterations", seed, again.Status, again.Objective, again.Iterations)
			}
			if b := dualBound(p, x); !near(b, x.Objective) {
				t.Errorf("seed %d: the dual vector proves %g of %g", seed, b, x.Objective)
			}
		}
		s.Free()
	}
	if optimal < 10 {
		t.Errorf("only %d optimal", optimal)
	}
}

// transport is an assignment problem of the given size.
func transport(size int) *Problem {
	r := rand.New(rand.NewPCG(31, 32))
	p := &Problem{Start: []int32{0}}
	for range 2 * size {
		p.RowLower, p.RowUpper = append(p.RowLower, 1), append(p.RowUpper, 1)
	}
	for a := range size {
		for b := range size {
			p.ColLower, p.ColUpper = append(p.ColLower, 0), append(p.ColUpper, 1)
			p.Cost = append(p.Cost, float64(r.IntN(1000)))
			p.Index, p.Value = append(p.Index, int32(a), int32(size+b)), append(p.Value, 1, 1)
			p.Start = append(p.Start, int32(len(p.Index)))
		}
	}
	return p
}

// A solve of hundreds of milliseconds stops when its context does, presolved or
// not.
func TestStops(t *testing.T) {
	p := transport(600)
	for _, how := range []method{warmDual, warmPrimal, presolved} {
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		x := s.run(ctx, 0, how)
		cancel()
		if x.Status != Limit {
			t.Errorf("method %d: %v after %d iterations", how, x.Status, x.Iterations)
		}
		s.Free()
	}
}
