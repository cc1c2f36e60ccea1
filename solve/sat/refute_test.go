package sat

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
)

// rows01 draws a small 0-1 model: clauses, cardinalities, knapsacks, equations,
// fixed variables.
func rows01(r *rand.Rand) *solve.Model {
	b := solve.NewBuilder("rows")
	n := 1 + r.IntN(10)
	for j := range n {
		v := solve.Var{Name: fmt.Sprintf("x%d", j), Kind: solve.Kind(r.IntN(2)), Upper: 1}
		if r.IntN(12) == 0 {
			v.Lower = int64(r.IntN(2))
			v.Upper = v.Lower
		}
		b.Add(v)
	}
	most := []int64{1, 1, 3, 9}[r.IntN(4)]
	for i := range 1 + r.IntN(14) {
		var terms []solve.Term
		var sum int64
		for j := range n {
			if r.IntN(3) == 0 {
				c := 1 + r.Int64N(most)
				if r.IntN(2) == 0 {
					c = -c
				}
				sum += c
				terms = append(terms, solve.Term{Var: j, Coef: c})
			}
		}
		sense := []solve.Sense{solve.GE, solve.GE, solve.LE, solve.EQ}[r.IntN(4)]
		b.Row(fmt.Sprintf("r%d", i), sense, sum/2+r.Int64N(3)-1, terms...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

func hasPoint(m *solve.Model) bool {
	a := solve.Assignment{Values: make([]int64, len(m.Vars))}
	for point := range 1 << len(m.Vars) {
		for j := range a.Values {
			a.Values[j] = int64(point >> j & 1)
		}
		if m.Check(&a) == nil {
			return true
		}
	}
	return false
}

// Refute agrees with enumeration, and the checker with its proofs.
func TestRefute(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	refuted := 0
	for range 3000 {
		m := rows01(r)
		c, a, answer, err := Refute(context.Background(), m, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := hasPoint(m); want != (answer == Satisfiable) || want != (a != nil) || want != (c == nil) {
			t.Fatalf("%v, want satisfiable %v\n%+v", answer, want, m)
		}
		if c == nil {
			continue
		}
		refuted++
		if v, err := cert.Check(m, c); err != nil || v.Status != solve.Infeasible {
			t.Fatalf("%+v %v\n%+v\n%+v", v, err, m, c)
		}
	}
	if refuted < 500 {
		t.Errorf("only %d refuted", refuted)
	}
}

// Of the best assignment the proof is that nothing is better; of others something
// better is found.
func TestRefuteBetter(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 2))
	proven := 0
	for range 2000 {
		m := rows01(r)
		for j := range m.Vars {
			m.Vars[j].Cost = r.Int64N(13) - 4
		}
		m.Constant = r.Int64N(3)
		var best *solve.Assignment
		for {
			c, better, answer, err := Refute(context.Background(), m, best, 0)
			if err != nil {
				t.Fatal(err)
			}
			if answer == Satisfiable {
				if best != nil {
					x, _ := m.Evaluate(best)
					if y, _ := m.Evaluate(better); y.Cmp(x) >= 0 {
						t.Fatalf("%v is no better than %v", y, x)
					}
				}
				best = better
				continue
			}
			v, err := cert.Check(m, c)
			if err != nil || v.Status != c.Status || (c.Status == solve.Optimal) != (best != nil) {
				t.Fatalf("%v %v\n%+v\n%+v", v, err, m, c)
			}
			if best != nil {
				proven++
				// Without the incumbent, no greater bound is believed.
				c.Status, c.Assignment = solve.Unknown, solve.Assignment{}
				if _, err := cert.Check(m, c); err != nil {
					t.Fatal(err)
				}
				c.Bound = new(big.Rat).Add(c.Bound, big.NewRat(1, 1))
				if _, err := cert.Check(m, c); err == nil {
					t.Fatalf("bound above the optimum\n%+v\n%+v", m, c)
				}
			}
			break
		}
	}
	if proven < 400 {
		t.Errorf("only %d proven", proven)
	}
	m := rows01(r)
	if _, _, _, err := Refute(context.Background(), m, &solve.Assignment{}, 0); !errors.Is(err, solve.ErrViolated) {
		t.Error(err)
	}
}

// threeSAT draws clauses of three different variables.
func threeSAT(seed uint64, n, clauses int) *solve.Model {
	r := rand.New(rand.NewPCG(seed, 3))
	b := solve.NewBuilder("3sat")
	for j := range n {
		b.Binary(fmt.Sprintf("x%d", j), 0)
	}
	for i := range clauses {
		rhs := int64(1)
		var terms []solve.Term
		for _, j := range r.Perm(n)[:3] {
			c := int64(1)
			if r.IntN(2) == 0 {
				c, rhs = -1, rhs-1
			}
			terms = append(terms, solve.Term{Var: j, Coef: c})
		}
		b.Row(fmt.Sprintf("c%d", i), solve.GE, rhs, terms...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// holes puts n+1 pigeons into n holes.
func holes(n int) *solve.Model {
	b := solve.NewBuilder("holes")
	in := make([][]solve.Term, n)
	for p := range n + 1 {
		var one []solve.Term
		for h := range n {
			t := solve.Term{Var: b.Binary(fmt.Sprintf("p%dh%d", p, h), 0), Coef: 1}
			one, in[h] = append(one, t), append(in[h], t)
		}
		b.Row(fmt.Sprintf("pigeon%d", p), solve.GE, 1, one...)
	}
	for h := range in {
		b.Row(fmt.Sprintf("hole%d", h), solve.LE, 1, in[h]...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// Proofs of harder models; without the clauses that are not needed they are a
// part of what was learnt.
func TestRefuteHarder(t *testing.T) {
	for _, m := range []*solve.Model{threeSAT(1, 100, 500), threeSAT(2, 150, 690), holes(6)} {
		c, _, answer, err := Refute(context.Background(), m, nil, 0)
		if err != nil || answer != Unsatisfiable {
			t.Fatal(m.Name, answer, err)
		}
		if v, err := cert.Check(m, c); err != nil || v.Status != solve.Infeasible {
			t.Fatal(m.Name, v, err)
		}
		again, _, _, _ := Refute(context.Background(), m, nil, 0)
		if len(again.Nodes[0].Fix) != len(c.Nodes[0].Fix) {
			t.Error("another proof the second time")
		}
		t.Logf("%s: %d clauses", m.Name, len(c.Nodes[0].Fix))
	}
	if c, _, answer, _ := Refute(context.Background(), holes(7), nil, 10); c != nil || answer != Unknown {
		t.Error(answer)
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	if c, _, answer, _ := Refute(ended, holes(12), nil, 0); c != nil || answer != Unknown {
		t.Error(answer)
	}
}

// A proof with a literal or a clause less is refused, or still one.
func TestBrokenRefutation(t *testing.T) {
	m := threeSAT(5, 60, 290)
	c, _, answer, err := Refute(context.Background(), m, nil, 0)
	if err != nil || answer != Unsatisfiable {
		t.Fatal(answer, err)
	}
	fix := c.Nodes[0].Fix
	refused := 0
	for k := range fix {
		lits := fix[k].Clause.Literals
		if len(lits) == 0 {
			continue
		}
		fix[k].Clause.Literals = lits[1:]
		if _, err := cert.Check(m, c); err != nil {
			refused++
		}
		fix[k].Clause.Literals = lits
	}
	if refused*2 < len(fix) {
		t.Errorf("%d of %d refused", refused, len(fix))
	}
}

func BenchmarkRefute(b *testing.B) {
	for _, m := range []*solve.Model{threeSAT(2, 150, 690), threeSAT(3, 200, 900), holes(7)} {
		b.Run(fmt.Sprintf("%s/%d", m.Name, len(m.Vars)), func(b *testing.B) {
			var c *solve.Certificate
			for b.Loop() {
				c, _, _, _ = Refute(context.Background(), m, nil, 0)
			}
			b.ReportMetric(float64(len(c.Nodes[0].Fix)), "clauses")
		})
		b.Run(fmt.Sprintf("%s/%d/check", m.Name, len(m.Vars)), func(b *testing.B) {
			c, _, _, _ := Refute(context.Background(), m, nil, 0)
			for b.Loop() {
				if _, err := cert.Check(m, c); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%s/%d/gini", m.Name, len(m.Vars)), func(b *testing.B) {
			for b.Loop() {
				Solver{}.Decide(context.Background(), m, solve.Options{Effort: 1})
			}
		})
	}
}
