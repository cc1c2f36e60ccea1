package encode_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/encode"
	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// shop draws a small problem: lags, and ranges that may overlap, touch or say
// nothing.
func shop(r *rand.Rand) *encode.Disjunctive {
	d := &encode.Disjunctive{Name: "shop", Horizon: 4 + r.Int64N(8)}
	n := 1 + r.IntN(4)
	for i := range n {
		d.Jobs = append(d.Jobs, encode.Job{Name: fmt.Sprint("j", i), Head: r.Int64N(4), Length: r.Int64N(5)})
	}
	pair := func() (a, b int) {
		a = r.IntN(n)
		return a, (a + 1 + r.IntN(n-1)) % n
	}
	for range r.IntN(7) {
		if n == 1 {
			break
		}
		a, b := pair()
		if r.IntN(4) == 0 {
			d.After = append(d.After, encode.After{First: a, Then: b, Lag: r.Int64N(9) - 4})
			continue
		}
		low := r.Int64N(12) - 8
		d.Apart = append(d.Apart, encode.Gap{A: a, B: b, Low: low, High: low + r.Int64N(9)})
	}
	return d
}

// allowed says what the record says, in its own words.
func allowed(d *encode.Disjunctive, x []int64) (end int64, ok bool) {
	for i, j := range d.Jobs {
		end = max(end, x[i]+j.Length)
		if x[i] < j.Head {
			return 0, false
		}
	}
	for _, a := range d.After {
		if x[a.Then]-x[a.First] < a.Lag {
			return 0, false
		}
	}
	for _, g := range d.Apart {
		if diff := x[g.B] - x[g.A]; g.Low < diff && diff < g.High {
			return 0, false
		}
	}
	return end, end <= d.Horizon
}

func TestDisjunctiveModel(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	feasible, infeasible := 0, 0
	for range 600 {
		d := shop(r)
		m, err := encode.NewDisjunctiveModel(d)
		if err != nil {
			t.Fatal(err)
		}
		best := int64(-1)
		x := make([]int64, len(d.Jobs))
		var try func(i int)
		try = func(i int) {
			if i < len(x) {
				for x[i] = 0; x[i] <= d.Horizon; x[i]++ {
					try(i + 1)
				}
				return
			}
			end, ok := allowed(d, x)
			if ok && (best < 0 || end < best) {
				best = end
			}
			// Values is a solution exactly where the record allows the starts.
			if r.IntN(20) == 0 && (m.Model.Check(&solve.Assignment{Values: m.Values(x)}) == nil) != ok {
				t.Fatalf("%v: allowed %v\n%+v", x, ok, d)
			}
		}
		try(0)
		res, err := mip.Solver{}.Solve(context.Background(), m.Model, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cert.Check(m.Model, res.Certificate); err != nil {
			t.Fatal(err)
		}
		if best < 0 {
			infeasible++
			if res.Status != solve.Infeasible {
				t.Fatalf("%v, want infeasible\n%+v", res.Status, d)
			}
			continue
		}
		feasible++
		end, ok := allowed(d, m.Starts(res.Values))
		if res.Status != solve.Optimal || !ok || end != best || res.Objective.Num().Int64() != best {
			t.Fatalf("%v %v: %d %v, want %d\n%+v", res.Status, res.Objective, end, ok, best, d)
		}
		d.Bound = best + 1 // wrong, and believed
		if m, err = encode.NewDisjunctiveModel(d); err != nil {
			t.Fatal(err)
		}
		if res, _ = (mip.Solver{}).Solve(context.Background(), m.Model, solve.Options{}); res.Objective != nil && res.Objective.Num().Int64() != best+1 {
			t.Fatalf("bound %d, objective %v", best+1, res.Objective)
		}
	}
	if feasible < 100 || infeasible < 100 {
		t.Errorf("%d feasible, %d infeasible", feasible, infeasible)
	}
}

func TestDisjunctiveRefuses(t *testing.T) {
	jobs := []encode.Job{{Name: "a"}, {Name: "b"}}
	for _, d := range []encode.Disjunctive{
		{Horizon: -1},
		{Bound: 1 << 51},
		{Jobs: []encode.Job{{}}},
		{Jobs: []encode.Job{{Name: "a"}, {Name: "a"}}},
		{Jobs: []encode.Job{{Name: "a", Head: -1}}},
		{Jobs: []encode.Job{{Name: "a", Length: 1 << 60}}},
		{Jobs: jobs, After: []encode.After{{First: 0, Then: 0}}},
		{Jobs: jobs, After: []encode.After{{First: 0, Then: 2}}},
		{Jobs: jobs, After: []encode.After{{First: 0, Then: 1, Lag: 1 << 60}}},
		{Jobs: jobs, Apart: []encode.Gap{{A: -1, B: 1}}},
		{Jobs: jobs, Apart: []encode.Gap{{A: 0, B: 1, Low: 3, High: 2}}},
	} {
		if _, err := encode.NewDisjunctiveModel(&d); !errors.Is(err, encode.ErrDisjunctive) {
			t.Errorf("%+v: %v", d, err)
		}
	}
}
