package presolve_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/presolve"
)

func build(t testing.TB, b *solve.Builder) *solve.Model {
	t.Helper()
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func terms(list ...int64) (out []solve.Term) { // pairs of variable and coefficient
	for k := 0; k < len(list); k += 2 {
		out = append(out, solve.Term{Var: int(list[k]), Coef: list[k+1]})
	}
	return out
}

// Two nodes of two candidates each share 10 units: candidate 1 of node A uses 8
// and the other node at least 3. Alone, no use exceeds the limit.
func TestSets(t *testing.T) {
	b := solve.NewBuilder("sets")
	for _, name := range []string{"a0", "a1", "b0", "b1"} {
		b.Binary(name, int64(len(name)))
	}
	b.Row("a", solve.EQ, 1, terms(0, 1, 1, 1)...)
	b.Row("b", solve.EQ, 1, terms(2, 1, 3, 1)...)
	b.Row("memory", solve.LE, 10, terms(0, 2, 1, 8, 2, 3, 3, 5)...)
	r := presolve.Reduce(context.Background(), build(t, b))
	// a1 goes, so a0 is 1; the b's take 3 or 5 of 8 left: the row is redundant.
	if !slices.Equal(r.Vars, []int{2, 3}) || !slices.Equal(r.Rows, []int{1}) || r.Stats.Fixed != 2 || r.Stats.Redundant != 2 {
		t.Fatalf("%+v", r)
	}
	first := r.Log[0]
	if first.Kind != presolve.Tighten || first.Row != 2 || !slices.Equal(first.Bounds, []solve.BoundChange{{Var: 1, Upper: true}}) ||
		!slices.Equal(first.Dual.Rows, []int{0, 1, 2}) || !slices.Equal(first.Dual.Num, []int64{2, 3, -1}) {
		t.Errorf("%+v", first)
	}
	if r.Model.Constant != 2 {
		t.Errorf("constant %d", r.Model.Constant)
	}
	a := r.Assignment(&solve.Assignment{Values: []int64{0, 1}})
	if !slices.Equal(a.Values, []int64{1, 0, 0, 1}) {
		t.Errorf("%v", a.Values)
	}
	if got := r.Shrink(a.Values); !slices.Equal(got, []int64{0, 1}) {
		t.Errorf("%v", got)
	}
	if r.Shrink([]int64{0, 1, 0, 1}) != nil || r.Shrink([]int64{1}) != nil {
		t.Error("values that contradict the reductions are taken")
	}
}

func TestEqualRows(t *testing.T) {
	b := solve.NewBuilder("equal")
	b.Integer("x", 0, 9, 1)
	b.Integer("y", 0, 9, 1)
	b.Row("three", solve.LE, 12, terms(0, 2, 1, -4)...)
	b.Row("tighter", solve.LE, 5, terms(1, -2, 0, 1)...)
	b.Row("turned", solve.GE, -15, terms(0, -3, 1, 6)...) // the same again
	b.Row("other", solve.GE, -8, terms(0, 1, 1, -2)...)   // the other side stays
	r := presolve.Reduce(context.Background(), build(t, b))
	if !slices.Equal(r.Rows, []int{1, 3}) || r.Stats.Equal != 2 {
		t.Errorf("%v %+v", r.Rows, r.Stats)
	}
}

// random draws a model of up to 2^10 points and a few continuous variables;
// scale stretches its numbers.
func random(r *rand.Rand, scale int64) *solve.Model {
	b := solve.NewBuilder("random")
	n := 3 + r.IntN(6)
	for j := range n {
		name, cost := fmt.Sprintf("v%d", j), int64(r.IntN(41))-20
		switch r.IntN(8) {
		case 0:
			b.Integer(name, int64(r.IntN(3))-2, 1+int64(r.IntN(2)), cost)
		case 1:
			b.Continuous(name, -1, int64(r.IntN(3)), cost)
		default:
			b.Binary(name, cost)
		}
	}
	for i := range 2 + r.IntN(5) {
		var list []solve.Term
		for j := range n {
			if r.IntN(3) > 0 {
				list = append(list, solve.Term{Var: j, Coef: 1})
			}
		}
		if i%2 == 0 {
			b.Row(fmt.Sprintf("r%d", i), solve.EQ, 1+int64(r.IntN(8)/7), list...)
			continue
		}
		for k := range list {
			list[k].Coef = (int64(r.IntN(12)) - 3) * scale
		}
		b.Row(fmt.Sprintf("r%d", i), solve.Sense(r.IntN(3)), (int64(r.IntN(20))-4)*scale, list...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// points calls f with every integral point of the box of m, continuous
// variables included; the slice is reused.
func points(m *solve.Model, f func([]int64)) {
	x := make([]int64, len(m.Vars))
	for j := range x {
		x[j] = m.Vars[j].Lower
	}
	for {
		f(x)
		j := 0
		for ; j < len(x); j++ {
			if x[j]++; x[j] <= m.Vars[j].Upper {
				break
			}
			x[j] = m.Vars[j].Lower
		}
		if j == len(x) {
			return
		}
	}
}

// The feasible points and their objectives are the same on both sides, and the
// log alone proves what it did.
func TestAgainstEnumeration(t *testing.T) {
	infeasible, smaller := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := random(r, []int64{1, 1 << 20, 1 << 48}[seed%3])
		red := presolve.Reduce(context.Background(), m)
		if red.Infeasible {
			infeasible++
			points(m, func(x []int64) {
				if m.Check(&solve.Assignment{Values: x}) == nil {
					t.Fatalf("seed %d: called infeasible, but %v", seed, x)
				}
			})
			if v, err := cert.Check(m, red.InfeasibleCertificate()); err != nil || v.Status != solve.Infeasible {
				t.Fatalf("seed %d: %v, %v", seed, v, err)
			}
			continue
		}
		if err := red.Model.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(red.Vars) < len(m.Vars) {
			smaller++
		}
		feasible := 0
		points(m, func(x []int64) {
			a := &solve.Assignment{Values: x}
			if m.Check(a) != nil {
				return
			}
			feasible++
			y := red.Shrink(x)
			if y == nil || red.Model.Check(&solve.Assignment{Values: y}) != nil {
				t.Fatalf("seed %d: feasible point %v is lost", seed, x)
			}
			before, _ := m.Evaluate(a)
			after, _ := red.Model.Evaluate(&solve.Assignment{Values: y})
			if before.Cmp(after) != 0 {
				t.Fatalf("seed %d: objective %s became %s", seed, before, after)
			}
		})
		points(red.Model, func(y []int64) {
			if red.Model.Check(&solve.Assignment{Values: y}) == nil {
				feasible--
				if err := m.Check(red.Assignment(&solve.Assignment{Values: y})); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
		if feasible != 0 {
			t.Fatalf("seed %d: %d points too many on one side", seed, feasible)
		}
		box := &solve.Certificate{Status: solve.Unknown, Duals: []solve.Dual{{Den: 1}}, Nodes: []solve.ProofNode{{}}}
		if _, err := cert.Check(m, red.Certificate(box)); err != nil {
			t.Fatalf("seed %d: %v\n%+v", seed, err, red.Log)
		}
	}
	t.Logf("%d infeasible, %d smaller", infeasible, smaller)
	if infeasible < 300 || smaller < 500 {
		t.Errorf("lopsided sample: %d infeasible, %d smaller", infeasible, smaller)
	}
}

// A dual vector of the smaller model proves the same bound on the original.
func TestDualsCarryOver(t *testing.T) {
	checked := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := random(r, 1)
		red := presolve.Reduce(context.Background(), m)
		if red.Infeasible {
			continue
		}
		d := solve.Dual{Den: 7}
		for i := range red.Model.Rows {
			y := int64(r.IntN(40))
			switch red.Model.Rows[i].Sense {
			case solve.LE:
				y = -y
			case solve.EQ:
				y -= 20
			}
			d.Rows, d.Num = append(d.Rows, i), append(d.Num, y)
		}
		c := &solve.Certificate{Status: solve.Unknown, Bound: new(big.Rat).SetInt64(-1 << 40), Duals: []solve.Dual{d}, Nodes: []solve.ProofNode{{}}}
		small, err := cert.Check(red.Model, c)
		if err != nil {
			t.Fatal(err)
		}
		large, err := cert.Check(m, red.Certificate(c))
		if err != nil {
			t.Fatal(err)
		}
		// Rounding may go farther on the smaller model, whose costs are fewer.
		if large.Bound.Cmp(small.Bound) > 0 || new(big.Rat).Sub(small.Bound, large.Bound).Cmp(big.NewRat(40, 1)) > 0 {
			t.Errorf("seed %d: bound %s on the smaller model, %s on the original", seed, small.Bound, large.Bound)
		}
		checked++
	}
	if checked < 200 {
		t.Errorf("only %d checked", checked)
	}
}
