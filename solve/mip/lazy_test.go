package mip_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// hidden is a random model and its exact costs, which are at least the model's.
func hidden(r *rand.Rand) (*solve.Model, []int64) {
	b := solve.NewBuilder("hidden")
	n := 3 + r.IntN(8)
	exact := make([]int64, n)
	for j := range n {
		cost := int64(r.IntN(21) - 6)
		if exact[j] = cost; r.IntN(3) > 0 {
			exact[j] += int64(r.IntN(12))
		}
		if r.IntN(3) == 0 {
			b.Integer(fmt.Sprint("x", j), 0, int64(1+r.IntN(3)), cost)
		} else {
			b.Binary(fmt.Sprint("x", j), cost)
		}
	}
	for i := range 1 + r.IntN(4) {
		var terms []solve.Term
		for j := range n {
			if c := int64(r.IntN(9) - 2); r.IntN(2) == 0 && c != 0 {
				terms = append(terms, solve.Term{Var: j, Coef: c})
			}
		}
		b.Row(fmt.Sprint("r", i), []solve.Sense{solve.LE, solve.GE, solve.GE, solve.EQ}[r.IntN(4)], int64(r.IntN(9)), terms...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m, exact
}

// reveals answers with the exact costs of what is used, and counts.
type reveals struct {
	exact []int64
	asked int
	told  map[int]bool
}

func (h *reveals) lazy(values []int64) (out []solve.VarCost) {
	h.asked++
	for j, v := range values {
		if v > 0 {
			h.told[j] = true
			out = append(out, solve.VarCost{Var: j, Cost: h.exact[j]})
		}
	}
	return out
}

func withExact(m *solve.Model, exact []int64) *solve.Model {
	var all []solve.VarCost
	for j, c := range exact {
		all = append(all, solve.VarCost{Var: j, Cost: c})
	}
	return m.WithCosts(all)
}

// The optimum at exact costs, a certificate of the raised model, no cost raised
// that was not asked for, and none too few.
func checkLazy(t *testing.T, name string, m *solve.Model, exact []int64, opt solve.Options) (*solve.Result, *reveals) {
	t.Helper()
	before := m.WithCosts(nil)
	h := &reveals{exact: exact, told: map[int]bool{}}
	opt.Lazy = h.lazy
	got, err := mip.Solver{}.Solve(context.Background(), m, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !slices.Equal(before.Vars, m.Vars) {
		t.Fatalf("%s: the caller's model changed", name)
	}
	want, err := mip.Solver{}.Solve(context.Background(), withExact(m, exact), solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != want.Status || (want.Objective != nil && got.Objective.Cmp(want.Objective) != 0) {
		t.Fatalf("%s: %v %v, with exact costs from the start %v %v", name, got.Status, got.Objective, want.Status, want.Objective)
	}
	raised := m.WithCosts(got.Raised)
	if _, err := cert.Check(raised, got.Certificate); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, c := range got.Raised {
		if !h.told[c.Var] || c.Cost != exact[c.Var] || c.Cost <= m.Vars[c.Var].Cost {
			t.Fatalf("%s: variable %d raised to %d, exact %d", name, c.Var, c.Cost, exact[c.Var])
		}
	}
	for j, v := range got.Values {
		if v > 0 && raised.Vars[j].Cost != exact[j] {
			t.Fatalf("%s: variable %d is used at %d, exact %d", name, j, raised.Vars[j].Cost, exact[j])
		}
	}
	return got, h
}

func TestLazyAgainstExact(t *testing.T) {
	techniques := solve.Techniques()
	saved, infeasible := 0, 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 81))
		m, exact := hidden(r)
		var opt solve.Options
		if seed%3 == 1 {
			for _, x := range techniques {
				if r.IntN(2) == 0 {
					opt.Disable = append(opt.Disable, x)
				}
			}
		}
		got, h := checkLazy(t, fmt.Sprint("seed ", seed), m, exact, opt)
		if got.Status == solve.Infeasible {
			infeasible++
		} else if len(h.told) < len(exact) {
			saved++
		}
	}
	if saved < 300 || infeasible > 1000 {
		t.Errorf("lopsided sample: %d without all costs, %d infeasible", saved, infeasible)
	}
}

// lazySelection is a selection model whose pair costs are bounds: chains of nodes
// with pair variables between neighbours.
func lazySelection(seed uint64, nodes, width int) (*solve.Model, []int64) {
	r := rand.New(rand.NewPCG(seed, 82))
	b := solve.NewBuilder("chain")
	x := make([][]int, nodes)
	var exact []int64
	var limit []solve.Term
	for n := range nodes {
		var one []solve.Term
		for c := range width {
			cost := int64(r.IntN(100))
			j := b.Binary(fmt.Sprintf("x%d.%d", n, c), cost)
			exact = append(exact, cost)
			x[n] = append(x[n], j)
			one = append(one, solve.Term{Var: j, Coef: 1})
			limit = append(limit, solve.Term{Var: j, Coef: int64(1 + r.IntN(20))})
		}
		b.Row(fmt.Sprint("choose", n), solve.EQ, 1, one...)
	}
	for n := range nodes - 1 {
		left, right := make([][]solve.Term, width), make([][]solve.Term, width)
		for c := range width {
			for d := range width {
				cost := int64(r.IntN(60))
				j := b.Binary(fmt.Sprintf("y%d.%d-%d", n, c, d), cost)
				exact = append(exact, cost+int64(r.IntN(40)))
				left[c] = append(left[c], solve.Term{Var: j, Coef: 1})
				right[d] = append(right[d], solve.Term{Var: j, Coef: 1})
			}
		}
		for c := range width {
			b.Row(fmt.Sprintf("from%d.%d", n, c), solve.EQ, 0, append(left[c], solve.Term{Var: x[n][c], Coef: -1})...)
			b.Row(fmt.Sprintf("to%d.%d", n, c), solve.EQ, 0, append(right[c], solve.Term{Var: x[n+1][c], Coef: -1})...)
		}
	}
	b.Row("limit", solve.LE, int64(nodes)*8, limit...)
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m, exact
}

func TestLazySelection(t *testing.T) {
	for seed := range uint64(25) {
		m, exact := lazySelection(seed, 3+int(seed%5), 6)
		var opt solve.Options
		switch seed % 3 {
		case 1:
			opt.Disable = []solve.Technique{solve.DualAscent}
		case 2:
			opt.Threads = 2
		}
		got, h := checkLazy(t, fmt.Sprint("seed ", seed), m, exact, opt)
		t.Logf("seed %d: %v, asked %d times, %d of %d costs told, %d raised, %d nodes", seed, got.Objective, h.asked, len(h.told), len(exact), len(got.Raised), got.Stats.Nodes)
		if 2*len(h.told) > len(exact) {
			t.Errorf("seed %d: %d of %d costs told", seed, len(h.told), len(exact))
		}
	}
}

// A bound proven before a limit holds at exact costs; the incumbent has them.
func TestLazyLimits(t *testing.T) {
	for seed := range uint64(20) {
		m, exact := lazySelection(seed, 8, 8)
		want, err := mip.Solver{}.Solve(context.Background(), withExact(m, exact), solve.Options{})
		if err != nil || want.Status != solve.Optimal {
			t.Fatal(err)
		}
		h := &reveals{exact: exact, told: map[int]bool{}}
		got, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{Lazy: h.lazy, Effort: int64(20 + 40*seed), Disable: []solve.Technique{solve.DualAscent}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cert.Check(m.WithCosts(got.Raised), got.Certificate); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if got.Bound != nil && got.Bound.Cmp(want.Objective) > 0 || got.Objective != nil && got.Objective.Cmp(want.Objective) < 0 {
			t.Errorf("seed %d: best %v, bound %v, optimum %v", seed, got.Objective, got.Bound, want.Objective)
		}
		if got.Objective != nil {
			if obj, err := withExact(m, exact).Evaluate(&got.Assignment); err != nil || obj.Cmp(got.Objective) != 0 {
				t.Errorf("seed %d: objective %v, exact %v", seed, got.Objective, obj)
			}
		}
	}
}

func TestLazyRefused(t *testing.T) {
	b := solve.NewBuilder("")
	x, y, z := b.Binary("x", 5), b.Integer("y", -2, 2, 0), b.Continuous("z", 0, 1, 0)
	w := b.Integer("w", 0, solve.MaxMagnitude, 0)
	b.Row("r", solve.GE, 1, solve.Term{Var: x, Coef: 1})
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]solve.VarCost{
		"lower": {Var: x, Cost: 4}, "outside": {Var: 9, Cost: 1}, "negative": {Var: -1, Cost: 1}, "may be negative": {Var: y, Cost: 1}, "fractional": {Var: z, Cost: 1}, "too large": {Var: x, Cost: solve.MaxMagnitude + 1},
		"too large together": {Var: w, Cost: solve.MaxMagnitude},
	} {
		_, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{Lazy: func([]int64) []solve.VarCost { return []solve.VarCost{c} }})
		if !errors.Is(err, solve.ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{Lazy: func([]int64) []solve.VarCost { return []solve.VarCost{{Var: x, Cost: 8}} }})
	if err != nil || r.Objective.Cmp(big.NewRat(8, 1)) != 0 || !slices.Equal(r.Raised, []solve.VarCost{{Var: x, Cost: 8}}) {
		t.Errorf("%v %+v", err, r)
	}
}
