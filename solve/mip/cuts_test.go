package mip_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
)

// knapsacks draws a model with few knapsack rows of large items, in some models
// inside exactly-one rows.
func knapsacks(seed uint64, items, rows int, sets bool) *solve.Model {
	r := rand.New(rand.NewPCG(seed, 9))
	b := solve.NewBuilder("knapsacks")
	var group []solve.Term
	for j := range items {
		group = append(group, solve.Term{Var: b.Binary(fmt.Sprintf("x%d", j), -20-int64(r.IntN(80))), Coef: 1})
		if sets && len(group) == 4 {
			b.Row(fmt.Sprintf("one%d", j), solve.EQ, 1, group...)
			group = nil
		}
	}
	for i := range rows {
		var terms []solve.Term
		for j := range items {
			terms = append(terms, solve.Term{Var: j, Coef: 30 + int64(r.IntN(60))})
		}
		b.Row(fmt.Sprintf("room%d", i), solve.LE, int64(items)*16, terms...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// Cuts change neither answers nor the validity of certificates, and save nodes.
func TestCuts(t *testing.T) {
	cuts, with, without := 0, 0, 0
	for seed := range uint64(60) {
		m := knapsacks(seed, 8+int(seed%13), 1+int(seed%3), seed%2 == 0)
		a := solved(t, m, solve.Options{})
		b := solved(t, m, solve.Options{Disable: []solve.Technique{solve.Cuts}})
		if a.Status != b.Status || (a.Objective != nil && a.Objective.Cmp(b.Objective) != 0) {
			t.Errorf("seed %d: %v %v, without cuts %v %v", seed, a.Status, a.Objective, b.Status, b.Objective)
		}
		if b.Stats.Cuts != 0 {
			t.Errorf("seed %d: %d cuts although switched off", seed, b.Stats.Cuts)
		}
		cuts, with, without = cuts+a.Stats.Cuts, with+a.Stats.Nodes, without+b.Stats.Nodes
	}
	t.Logf("%d cuts; %d nodes, without cuts %d", cuts, with, without)
	if cuts < 60 || with >= without {
		t.Errorf("%d cuts; %d nodes, without cuts %d", cuts, with, without)
	}
}
