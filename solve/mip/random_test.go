package mip_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// randomModel draws a small model of a mixed kind: pure 0-1, bounded integers,
// continuous parts, exactly-one rows, equalities, now and then large numbers.
func randomModel(r *rand.Rand) *solve.Model {
	b := solve.NewBuilder("random")
	kinds := r.IntN(4) // 0: binary, 1: with integers, 2, 3: with continuous
	scale := int64(1)
	if r.IntN(8) == 0 {
		scale = 1e6
	}
	n := 1 + r.IntN(8)
	for j := range n {
		name := fmt.Sprintf("x%d", j)
		cost := (int64(r.IntN(41)) - 20) * scale
		switch k := r.IntN(3); {
		case kinds >= 1 && k == 1:
			lo := int64(r.IntN(5)) - 2
			b.Integer(name, lo, lo+int64(r.IntN(4)), cost)
		case kinds >= 2 && k == 2:
			lo := int64(r.IntN(5)) - 2
			b.Continuous(name, lo, lo+int64(r.IntN(6)), cost)
		default:
			b.Binary(name, cost)
		}
	}
	for i := range r.IntN(6) {
		var terms []solve.Term
		one := r.IntN(3) == 0
		for j := range n {
			if r.IntN(2) == 0 {
				c := int64(1)
				if !one {
					c = (int64(r.IntN(19)) - 9) * scale
				}
				terms = append(terms, solve.Term{Var: j, Coef: c})
			}
		}
		sense, rhs := solve.Sense(r.IntN(3)), (int64(r.IntN(21))-8)*scale
		if one {
			sense, rhs = solve.EQ, 1
		}
		if sense == solve.EQ && !one && r.IntN(2) == 0 {
			sense = solve.LE
		}
		b.Row(fmt.Sprintf("r%d", i), sense, rhs, terms...)
	}
	b.Constant(int64(r.IntN(100)) - 50)
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// bruteForce enumerates the integral variables; the rest is a linear program.
func bruteForce(t *testing.T, m *solve.Model) (best float64, feasible bool) {
	p := lp.Relaxation(m)
	var order []int
	continuous := false
	for j := range m.Vars {
		if m.Vars[j].Kind.Integral() {
			order = append(order, j)
		} else {
			continuous = true
		}
	}
	best = math.Inf(1)
	values := make([]int64, len(m.Vars))
	var walk func(k int)
	walk = func(k int) {
		if k < len(order) {
			v := &m.Vars[order[k]]
			for x := v.Lower; x <= v.Upper; x++ {
				values[order[k]] = x
				walk(k + 1)
			}
			return
		}
		if !continuous {
			a := &solve.Assignment{Values: values}
			if m.Check(a) == nil {
				obj, err := m.Evaluate(a)
				if err != nil {
					t.Fatal(err)
				}
				f, _ := obj.Float64()
				best, feasible = min(best, f), true
			}
			return
		}
		for _, j := range order {
			p.ColLower[j], p.ColUpper[j] = float64(values[j]), float64(values[j])
		}
		sol, err := lp.Cold(p)
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status == lp.Optimal {
			best, feasible = min(best, sol.Objective+float64(m.Constant)), true
		}
	}
	walk(0)
	return best, feasible
}

func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
