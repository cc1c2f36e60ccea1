package sat_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/sat"
)

// randomModel has 0-1 variables, some of them fixed or called integer.
func randomModel(r *rand.Rand) *solve.Model {
	b := solve.NewBuilder("random")
	n := 1 + r.IntN(9)
	costs := r.IntN(3) > 0
	for j := range n {
		v := solve.Var{Name: fmt.Sprint("x", j), Upper: 1, Kind: solve.Kind(r.IntN(2))}
		if costs {
			v.Cost = r.Int64N(21) - 6
		}
		switch r.IntN(12) {
		case 0:
			v.Lower = 1
		case 1:
			v.Upper = 0
		}
		b.Add(v)
	}
	for i := range r.IntN(8) {
		var terms []solve.Term
		for j := range n {
			if r.IntN(2) == 0 {
				c := int64(1)
				if i%2 == 0 {
					c = r.Int64N(15) - 5
				}
				terms = append(terms, solve.Term{Var: j, Coef: c})
			}
		}
		b.Row(fmt.Sprint("r", i), solve.Sense(r.IntN(3)), r.Int64N(7)-1, terms...)
	}
	b.Constant(r.Int64N(5))
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// best tries all assignments; nil when none fits.
func best(m *solve.Model) *big.Rat {
	var least *big.Rat
	for bits := range 1 << len(m.Vars) {
		a := solve.Assignment{Values: make([]int64, len(m.Vars))}
		for j := range m.Vars {
			a.Values[j] = int64(bits >> j & 1)
		}
		if m.Check(&a) != nil {
			continue
		}
		if o, _ := m.Evaluate(&a); least == nil || o.Cmp(least) < 0 {
			least = o
		}
	}
	return least
}

func TestSolver(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	count := map[solve.Status]int{}
	for round := range 1000 {
		m := randomModel(r)
		var opt solve.Options
		if r.IntN(3) == 0 {
			opt.WarmStart = make([]int64, len(m.Vars))
		}
		want := best(m)
		out, err := sat.Solver{}.Decide(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		count[out.Status]++
		if out.Exhausted || (out.Status == solve.Infeasible) != (want == nil) || want != nil && (out.Status != solve.Optimal || out.Objective.Cmp(want) != 0) {
			t.Fatalf("round %d: %v, objective %v, exhausted %v; want %v", round, out.Status, out.Objective, out.Exhausted, want)
		}
		v, err := cert.Check(m, out.Certificate)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if v.Status != out.Status || want != nil && v.Bound.Cmp(out.Bound) != 0 {
			t.Fatalf("round %d: %v with bound %v, proven %v with %v", round, out.Status, out.Bound, v.Status, v.Bound)
		}
		rows, minimal, err := sat.Solver{}.Conflict(context.Background(), m)
		if err != nil || minimal != (want == nil) {
			t.Fatalf("round %d: conflict %v, minimal %v, %v", round, rows, minimal, err)
		}
		if want != nil {
			continue
		}
		part := *m
		part.Rows = nil
		for _, i := range rows {
			part.Rows = append(part.Rows, m.Rows[i])
		}
		if best(&part) != nil {
			t.Fatalf("round %d: rows %v are no conflict", round, rows)
		}
		for i := range part.Rows {
			less := part
			less.Rows = slices.Delete(slices.Clone(part.Rows), i, i+1)
			if best(&less) == nil {
				t.Fatalf("round %d: row %d of the conflict %v can be spared", round, rows[i], rows)
			}
		}
	}
	if count[solve.Optimal] < 50 || count[solve.Infeasible] < 50 {
		t.Errorf("one-sided: %v", count)
	}
}

// pigeonhole is infeasible; resolution needs exponential proofs of it.
func pigeonhole(n int) *solve.Model {
	b := solve.NewBuilder("pigeonhole")
	in := make([][]solve.Term, n)
	for i := range n {
		for h := range n - 1 {
			in[i] = append(in[i], solve.Term{Var: b.Binary(fmt.Sprintf("in/%d/%d", i, h), 0), Coef: 1})
		}
		b.Row(fmt.Sprintf("pigeon/%d", i), solve.EQ, 1, slices.Clone(in[i])...)
	}
	for h := range n - 1 {
		var hole []solve.Term
		for i := range n {
			hole = append(hole, in[i][h])
		}
		b.Row(fmt.Sprintf("hole/%d", h), solve.LE, 1, hole...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

func TestLimits(t *testing.T) {
	out, err := sat.Solver{}.Decide(context.Background(), pigeonhole(14), solve.Options{TimeLimit: 50 * time.Millisecond})
	if err != nil || out.Status != solve.Unknown || out.Exhausted || out.Bound.Sign() != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = sat.Solver{}.Decide(context.Background(), pigeonhole(7), solve.Options{})
	if err != nil || out.Status != solve.Infeasible || out.Exhausted {
		t.Errorf("%+v, %v", out, err)
	}
	// One call: an incumbent, and no word about better ones.
	r := rand.New(rand.NewPCG(1, 1))
	b := solve.NewBuilder("knapsack")
	var terms []solve.Term
	for j := range 30 {
		w := 1 + r.Int64N(50)
		terms = append(terms, solve.Term{Var: b.Binary(fmt.Sprint("x", j), -w-r.Int64N(5)), Coef: w})
	}
	b.Row("room", solve.LE, 300, terms...)
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	out, err = sat.Solver{}.Decide(context.Background(), m, solve.Options{Effort: 1})
	if err != nil || out.Status != solve.Feasible || out.Exhausted || out.Stats.Incumbents != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	res, err := sat.Solver{}.Solve(context.Background(), m, solve.Options{Gap: 5})
	if err != nil || res.Status != solve.Feasible || res.Gap() > 5 || res.Stats.Incumbents != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	for _, v := range []solve.Var{{Name: "x", Kind: solve.Continuous, Upper: 1}, {Name: "x", Kind: solve.Integer, Upper: 2}, {Name: "x", Kind: solve.Integer, Lower: -1}} {
		if _, err := (sat.Solver{}).Solve(context.Background(), &solve.Model{Vars: []solve.Var{v}}, solve.Options{}); !errors.Is(err, sat.ErrModel) {
			t.Errorf("%+v: %v", v, err)
		}
	}
	if _, err := (sat.Solver{}).Solve(context.Background(), &solve.Model{Vars: []solve.Var{{}}}, solve.Options{}); !errors.Is(err, solve.ErrModel) {
		t.Errorf("nameless variable: %v", err)
	}
}

func ExampleFormula() {
	// Two jobs of lengths 3 and 2 on one machine, both done by time 5, and the
	// second not before time 1: x and y are the starts.
	f := sat.New()
	x, y := f.NewInt(0, 2), f.NewInt(1, 3)
	first := f.NewVar()
	f.Under(first, func() { f.Difference(x, y, -3) })
	f.Under(-first, func() { f.Difference(y, x, -2) })
	fmt.Println(f.Solve(context.Background()), x.Value(), y.Value())
	// Output: satisfiable 0 3
}
