package presolve_test

import (
	"context"
	"slices"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/presolve"
)

// The row 2·a0 + 8·a1 + 3·b0 + 5·b1 + 4·c ≤ 14 over two exactly-one rows: the
// a's use at least 2 and the b's at least 3, which leaves 6·a1 + 2·b1 + 4·c ≤ 9.
func TestKnapsacks(t *testing.T) {
	b := solve.NewBuilder("sacks")
	for _, name := range []string{"a0", "a1", "b0", "b1", "c"} {
		b.Binary(name, 1)
	}
	b.Row("a", solve.EQ, 1, terms(0, 1, 1, 1)...)
	b.Row("b", solve.EQ, 1, terms(2, 1, 3, 1)...)
	b.Row("memory", solve.LE, 14, terms(0, 2, 1, 8, 2, 3, 3, 5, 4, 4)...)
	b.Row("loose", solve.LE, 20, terms(1, 8, 3, 5, 4, 4)...)
	list := presolve.Knapsacks(context.Background(), build(t, b))
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	k := list[0]
	slices.SortFunc(k.Terms, func(x, y solve.Term) int { return x.Var - y.Var })
	if k.Slack != 9 || !slices.Equal(k.Terms, terms(1, 6, 3, 2, 4, 4)) || !slices.Equal(k.Dual.Rows, []int{0, 1, 2}) || !slices.Equal(k.Dual.Num, []int64{2, 3, -1}) {
		t.Errorf("%+v", k)
	}
}

// A priced step goes into the certificate with the cost of what it cuts off, and
// what follows from it with vectors that exclude.
func TestPriced(t *testing.T) {
	b := solve.NewBuilder("priced")
	b.Binary("dear", 9)
	b.Binary("cheap", 2)
	b.Row("one", solve.EQ, 1, terms(0, 1, 1, 1)...)
	m := build(t, b)
	r := presolve.Reduce(context.Background(), m, presolve.Reduction{
		Dual: solve.Dual{Den: 1, Rows: []int{0}, Num: []int64{2}}, Bounds: []solve.BoundChange{{Var: 0, Upper: true}}})
	if len(r.Vars) != 0 || r.Model.Constant != 2 || r.Log[0].Kind != presolve.Priced || r.Log[1].Kind != presolve.Tighten {
		t.Fatalf("%+v", r)
	}
	c := r.Certificate(&solve.Certificate{Status: solve.Unknown, Duals: []solve.Dual{{Den: 1}}, Nodes: []solve.ProofNode{{}}})
	c.Status, c.Values = solve.Optimal, []int64{0, 1}
	c.Bound, _ = m.Evaluate(&c.Assignment)
	if v, err := cert.Check(m, c); err != nil || v.Status != solve.Optimal || v.Bound.RatString() != "2" {
		t.Errorf("%+v, %v", v, err)
	}
	// With multiplier 10 the side cut off is only shown to cost 10 − 1 − 8.
	c.Duals[c.Nodes[0].Fix[0].Dual].Rows, c.Duals[c.Nodes[0].Fix[0].Dual].Num = []int{0}, []int64{10}
	if _, err := cert.Check(m, c); err == nil {
		t.Error("a priced step is accepted although its other side costs less than the bound")
	}
}
