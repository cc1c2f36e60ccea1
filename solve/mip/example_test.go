package mip_test

import (
	"context"
	"fmt"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// Two operators choose a variant each; memory does not hold both fast ones.
func Example() {
	b := solve.NewBuilder("example")
	fast1, slow1 := b.Binary("one/fast", 100), b.Binary("one/slow", 180)
	fast2, slow2 := b.Binary("two/fast", 90), b.Binary("two/slow", 150)
	b.Row("choose/one", solve.EQ, 1, solve.Term{Var: fast1, Coef: 1}, solve.Term{Var: slow1, Coef: 1})
	b.Row("choose/two", solve.EQ, 1, solve.Term{Var: fast2, Coef: 1}, solve.Term{Var: slow2, Coef: 1})
	b.Row("memory/step1", solve.LE, 600, solve.Term{Var: fast1, Coef: 400}, solve.Term{Var: slow1, Coef: 100},
		solve.Term{Var: fast2, Coef: 350}, solve.Term{Var: slow2, Coef: 150})
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Status, r.Objective.RatString(), r.Bound.RatString())
	for j, v := range m.Vars {
		if r.Values[j] == 1 {
			fmt.Println(v.Name)
		}
	}
	verdict, err := cert.Check(m, r.Certificate)
	fmt.Println(verdict.Status, err)
	// Output:
	// optimal 250 250
	// one/fast
	// two/slow
	// optimal <nil>
}
