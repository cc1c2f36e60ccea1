package mip_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
)

// roster is a 0-1 model whose relaxation is feasible and says little: parity-like
// equations inside exactly-one rows.
func roster(seed uint64, groups, rows int) *solve.Model {
	r := rand.New(rand.NewPCG(seed, 21))
	return model(func(b *solve.Builder) {
		hidden := make([]int, groups)
		for g := range groups {
			var one []solve.Term
			for k := range 4 {
				one = append(one, solve.Term{Var: b.Binary(fmt.Sprintf("x%d,%d", g, k), int64(r.IntN(50))), Coef: 1})
			}
			b.Row(fmt.Sprintf("group%d", g), solve.EQ, 1, one...)
			hidden[g] = r.IntN(4)
		}
		for i := range rows {
			var terms []solve.Term
			var rhs int64
			for g := range groups {
				if r.IntN(2) > 0 {
					continue
				}
				for k := range 4 {
					c := int64(r.IntN(12))
					terms = append(terms, solve.Term{Var: 4*g + k, Coef: c})
					if k == hidden[g] {
						rhs += c
					}
				}
			}
			if seed%4 == 3 {
				rhs += int64(r.IntN(3)) - 1 // perhaps infeasible
			}
			b.Row(fmt.Sprintf("sum%d", i), solve.EQ, rhs, terms...)
		}
	})
}

// No-goods and SAT search change no answer; every certificate that they took part
// in is accepted (solved checks it), and both come to something.
func TestNoGoodsAndSAT(t *testing.T) {
	var sum solve.Stats
	first, with, without := 0, 0, 0
	for seed := range uint64(40) {
		m := roster(seed, 8+int(seed%5), 2+int(seed%3))
		a := solved(t, m, solve.Options{})
		b := solved(t, m, solve.Options{Disable: []solve.Technique{solve.NoGoods, solve.SAT}})
		if a.Status != b.Status || (a.Objective != nil && a.Objective.Cmp(b.Objective) != 0) {
			t.Errorf("seed %d: %v %v, without %v %v", seed, a.Status, a.Objective, b.Status, b.Objective)
		}
		if b.Stats.Excluded+b.Stats.Pruned+b.Stats.SATCalls > 0 {
			t.Errorf("seed %d: %+v although switched off", seed, b.Stats)
		}
		sum.Excluded, sum.Pruned, sum.SATCalls = sum.Excluded+a.Stats.Excluded, sum.Pruned+a.Stats.Pruned, sum.SATCalls+a.Stats.SATCalls
		// An incumbent where few nodes give none.
		few := solved(t, m, solve.Options{Effort: 150})
		none := solved(t, m, solve.Options{Effort: 150, Disable: []solve.Technique{solve.SAT}})
		if few.Objective != nil && none.Objective == nil {
			first++
		}
		with, without = with+a.Stats.Nodes, without+b.Stats.Nodes
	}
	t.Logf("%d nodes, without %d; %d pruned, %d excluded, %d calls, %d first incumbents", with, without, sum.Pruned, sum.Excluded, sum.SATCalls, first)
	if sum.Excluded == 0 || sum.Pruned == 0 || sum.SATCalls == 0 || first < 5 || with >= without {
		t.Errorf("%d nodes, without %d; %+v, %d first incumbents", with, without, sum, first)
	}
}
