package mip_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

func TestConflictByName(t *testing.T) {
	b := solve.NewBuilder("memory")
	for _, n := range []string{"a0", "a1", "b0", "b1"} {
		b.Binary(n, 1)
	}
	term := func(list ...int64) (out []solve.Term) {
		for j, a := range list {
			if a != 0 {
				out = append(out, solve.Term{Var: j, Coef: a})
			}
		}
		return out
	}
	b.Row("choose/a", solve.EQ, 1, term(1, 1, 0, 0)...)
	b.Row("choose/b", solve.EQ, 1, term(0, 0, 1, 1)...)
	b.Row("memory/step0", solve.LE, 9, term(3, 4, 5, 6)...)
	b.Row("memory/step1", solve.LE, 8, term(5, 4, 5, 6)...)
	b.Row("order", solve.GE, 0, term(1, 0, 1, 0)...)
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	c, err := (mip.Solver{}).Conflict(context.Background(), m, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Rows, []int{0, 1, 3}) || !c.Minimal {
		t.Errorf("%+v", c)
	}
	m.Rows = m.Rows[:3]
	if _, err := (mip.Solver{}).Conflict(context.Background(), m, solve.Options{}); !errors.Is(err, mip.ErrFeasible) {
		t.Errorf("feasible: %v", err)
	}
	m.Vars[0].Upper = -1
	if _, err := (mip.Solver{}).Conflict(context.Background(), m, solve.Options{}); !errors.Is(err, solve.ErrModel) {
		t.Errorf("malformed: %v", err)
	}
}

// The rows contradict, by their certificate, and no row is too many, by
// enumeration.
func TestConflictMinimal(t *testing.T) {
	found, rows := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := solve.NewBuilder("conflict")
		n := 4 + r.IntN(4)
		for j := range n {
			b.Binary(fmt.Sprintf("x%d", j), int64(r.IntN(9)))
		}
		for i := range 8 {
			var terms []solve.Term
			for j := range n {
				if r.IntN(2) == 0 {
					terms = append(terms, solve.Term{Var: j, Coef: int64(1 + (i%2)*r.IntN(6))})
				}
			}
			sense := []solve.Sense{solve.EQ, solve.LE, solve.GE}[r.IntN(3)]
			rhs := int64(1 + (i%2)*r.IntN(8))
			b.Row(fmt.Sprintf("r%d", i), sense, rhs, terms...)
		}
		m, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		c, err := (mip.Solver{}).Conflict(context.Background(), m, solve.Options{})
		if errors.Is(err, mip.ErrFeasible) {
			continue
		}
		if err != nil || !c.Minimal {
			t.Fatalf("seed %d: %+v, %v", seed, c, err)
		}
		found++
		rows += len(c.Rows)
		sub := mip.Submodel(m, c.Rows)
		if v, err := cert.Check(sub, c.Certificate); err != nil || v.Status != solve.Infeasible {
			t.Fatalf("seed %d: %v, %v", seed, v, err)
		}
		for k := range c.Rows {
			less := mip.Submodel(m, slices.Delete(slices.Clone(c.Rows), k, k+1))
			if !hasPoint(less) {
				t.Errorf("seed %d: row %d of %v is not needed", seed, c.Rows[k], c.Rows)
			}
		}
	}
	t.Logf("%d conflicts, %d rows", found, rows)
	if found < 50 || 2*rows < 3*found {
		t.Errorf("lopsided sample: %d conflicts of %d rows", found, rows)
	}
}

// hasPoint enumerates the binaries of m.
func hasPoint(m *solve.Model) bool {
	x := make([]int64, len(m.Vars))
	for code := range 1 << len(x) {
		for j := range x {
			x[j] = int64(code >> j & 1)
		}
		if m.Check(&solve.Assignment{Values: x}) == nil {
			return true
		}
	}
	return false
}
