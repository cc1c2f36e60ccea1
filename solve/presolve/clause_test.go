package presolve_test

import (
	"context"
	"fmt"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/presolve"
	"ipusolve/solve/sat"
)

// TestClausesComeBack refutes what presolve leaves of a model by clauses: more
// pigeons than holes, behind a variable that presolve takes away.
func TestClausesComeBack(t *testing.T) {
	b := solve.NewBuilder("pigeons")
	gone := b.Binary("gone", 0)
	b.Row("fixed", solve.GE, 1, solve.Term{Var: gone, Coef: 1})
	const pigeons = 4
	hole := make([][]solve.Term, pigeons-1)
	for p := range pigeons {
		var one []solve.Term
		for h := range hole {
			x := solve.Term{Var: b.Binary(fmt.Sprintf("p%dh%d", p, h), 0), Coef: 1}
			one = append(one, x)
			hole[h] = append(hole[h], x)
		}
		b.Row(fmt.Sprint("pigeon", p), solve.GE, 1, one...)
	}
	for h, terms := range hole {
		b.Row(fmt.Sprint("hole", h), solve.LE, 1, terms...)
	}
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := presolve.Reduce(ctx, m)
	if len(r.Model.Vars) != pigeons*(pigeons-1) {
		t.Fatalf("presolve leaves %d variables", len(r.Model.Vars))
	}
	c, _, _, err := sat.Refute(ctx, r.Model, nil, 1<<20)
	if err != nil || c == nil {
		t.Fatalf("no refutation: %v", err)
	}
	clauses := func(c *solve.Certificate) (n int) {
		for _, f := range c.Nodes[0].Fix {
			if f.Clause != nil {
				n++
			}
		}
		return n
	}
	back := r.Certificate(c)
	if got, want := clauses(back), clauses(c); got != want || want < 2 {
		t.Errorf("%d clauses come back of %d", got, want)
	}
	if v, err := cert.Check(m, back); err != nil || v.Status != solve.Infeasible {
		t.Errorf("certificate: %v %v", v, err)
	}
}
