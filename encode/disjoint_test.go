package encode

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// The model of a packing has the optimum that the exact search proves, and its
// placements are legal.
func TestPackingModel(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 15))
	infeasible := 0
	for k := range 60 {
		p := &Packing{Name: "random", Capacity: 8 + int64(r.IntN(12))}
		for i := range 1 + r.IntN(6) {
			from := int64(r.IntN(6))
			p.Items = append(p.Items, PackItem{ID: fmt.Sprint(i), Lower: from, Upper: from + 1 + int64(r.IntN(4)), Size: 1 + int64(r.IntN(6)), Align: int64(r.IntN(3))})
		}
		m, err := NewPackingModel(p)
		if err != nil {
			t.Fatal(err)
		}
		res, err := mip.Solver{}.Solve(context.Background(), m.Model, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := MinimisePacking(context.Background(), p, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want.Status == solve.Infeasible {
			infeasible++
		}
		if res.Status != want.Status {
			t.Fatalf("packing %d: %v, want %v: %+v", k, res.Status, want.Status, p)
		}
		if res.Values == nil {
			continue
		}
		at := m.Placement(res.Values)
		if h := p.Height(at); h != want.Height || res.Objective.Num().Int64() != h {
			t.Errorf("packing %d: height %d, objective %v, want %d: %+v", k, h, res.Objective, want.Height, p)
		}
		for i := range p.Items {
			x := &p.Items[i]
			if x.Align > 0 && at[i]%x.Align != 0 {
				t.Errorf("packing %d: item %d at %d", k, i, at[i])
			}
			for j := range i {
				if y := &p.Items[j]; x.Lower < y.Upper && y.Lower < x.Upper && at[i] < at[j]+y.Size && at[j] < at[i]+x.Size {
					t.Errorf("packing %d: items %d and %d overlap", k, i, j)
				}
			}
		}
	}
	if infeasible == 0 || infeasible > 40 {
		t.Errorf("%d of 60 packings are infeasible", infeasible)
	}
	if _, err := NewPackingModel(&Packing{Capacity: -1}); !errors.Is(err, ErrPacking) {
		t.Error(err)
	}
}
