package mip_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
)

// planning is a model of the planner's kind: a chain of operators that each
// choose one candidate; candidates fall into interface classes; a pair variable
// per two classes of neighbours, tied by marginals, prices the transition;
// memory rows limit what neighbours hold together with all resident weights.
func planning(seed uint64, operators, candidates, classes int) *solve.Model {
	r := rand.New(rand.NewPCG(seed, 77))
	b := solve.NewBuilder("planning")
	members := make([][][]solve.Term, operators)
	resident := make([][]int64, operators)
	x := make([][]int, operators)
	for o := range operators {
		members[o] = make([][]solve.Term, classes)
		var one []solve.Term
		for c := range candidates {
			class := c * classes / candidates
			// Faster candidates keep more in memory.
			share := r.Float64()
			cost := int64(4000 + 60000*(1-share)*(0.7+0.3*r.Float64()))
			resident[o] = append(resident[o], int64(4000+110000*share*(0.7+0.3*r.Float64())))
			j := b.Binary(fmt.Sprintf("x[%d,%d]", o, c), cost)
			x[o] = append(x[o], j)
			one = append(one, solve.Term{Var: j, Coef: 1})
			members[o][class] = append(members[o][class], solve.Term{Var: j, Coef: -1})
		}
		b.Row(fmt.Sprintf("choose/%d", o), solve.EQ, 1, one...)
	}
	for o := range operators - 1 {
		out, in := make([][]solve.Term, classes), make([][]solve.Term, classes)
		for c := range classes {
			for d := range classes {
				cost := int64(700 + r.IntN(9000))
				if r.IntN(4) == 0 {
					cost = 0
				}
				y := solve.Term{Var: b.Binary(fmt.Sprintf("y[%d,%d,%d]", o, c, d), cost), Coef: 1}
				out[c], in[d] = append(out[c], y), append(in[d], y)
			}
		}
		for c := range classes {
			b.Row(fmt.Sprintf("from/%d/%d", o, c), solve.EQ, 0, append(out[c], members[o][c]...)...)
			b.Row(fmt.Sprintf("to/%d/%d", o, c), solve.EQ, 0, append(in[c], members[o+1][c]...)...)
		}
	}
	for o := range operators - 1 {
		var terms []solve.Term
		for p := range operators {
			for c, j := range x[p] {
				size := resident[p][c]
				if p == o || p == o+1 {
					size += int64(r.IntN(40000))
				}
				terms = append(terms, solve.Term{Var: j, Coef: size})
			}
		}
		b.Row(fmt.Sprintf("memory/step%d", o), solve.LE, int64(operators)*45000, terms...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// Models of the planner's kind are proven within the effort the planner has.
func TestPlanningModels(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct{ operators, candidates, classes int }{
		{3, 60, 6}, {4, 300, 12}, {5, 600, 20}, {6, 500, 20},
	} {
		for seed := range uint64(2) {
			m := planning(seed, c.operators, c.candidates, c.classes)
			r := solved(t, m, solve.Options{})
			t.Logf("%d rows, %d variables: %v %s, %d nodes, %d fixed, %d LPs, %d iterations, %v", len(m.Rows), len(m.Vars), r.Status,
				r.Objective.RatString(), r.Stats.Nodes, r.Stats.Fixed, r.Stats.LPs, r.Stats.LPIterations, r.Stats.Duration)
			if r.Status != solve.Optimal {
				t.Errorf("%v: %v, gap %g", c, r.Status, r.Gap())
			}
		}
	}
}
