package encode_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
	"ipusolve/solve/sat"
)

// packBySAT decides a packing in order encoding: an address per item, and for
// each pair alive together which one is below.
func packBySAT(ctx context.Context, p *encode.Packing, height int64) (encode.Placement, sat.Answer) {
	f := sat.New()
	at := make([]*sat.Int, len(p.Items))
	for i, a := range p.Items {
		if a.Size > height {
			return nil, sat.Unsatisfiable
		}
		at[i] = f.NewInt(0, height-a.Size)
		for v := range height - a.Size + 1 {
			if v%max(a.Align, 1) != 0 {
				f.AddClause(-at[i].AtMost(v), -at[i].AtLeast(v))
			}
		}
		for j, b := range p.Items[:i] {
			if a.Lower >= b.Upper || b.Lower >= a.Upper {
				continue
			}
			below := f.NewVar()
			f.Under(below, func() { f.Difference(at[i], at[j], -a.Size) })
			f.Under(-below, func() { f.Difference(at[j], at[i], -b.Size) })
		}
	}
	answer := f.Solve(ctx)
	if answer != sat.Satisfiable {
		return nil, answer
	}
	place := make(encode.Placement, len(at))
	for i := range at {
		place[i] = at[i].Value()
	}
	return place, answer
}

// TestPackSAT asks gini about packings beyond brute force: the lowest height is
// satisfiable, one less is not.
func TestPackSAT(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	above := 0
	for round := range 500 {
		p := &encode.Packing{Capacity: 1000}
		for i := range 9 + r.IntN(6) {
			it := encode.PackItem{ID: fmt.Sprint(i), Size: int64(1 + r.IntN(6)), Lower: int64(r.IntN(9))}
			it.Upper = it.Lower + 1 + int64(r.IntN(5))
			if r.IntN(3) == 0 {
				it.Align = int64(2 + r.IntN(4))
			}
			p.Items = append(p.Items, it)
		}
		res, err := encode.MinimisePacking(context.Background(), p, solve.Options{})
		if err != nil || res.Status != solve.Optimal {
			t.Fatalf("round %d: %+v, %v", round, res, err)
		}
		at, answer := packBySAT(context.Background(), p, res.Height)
		if answer != sat.Satisfiable {
			t.Fatalf("round %d: %v at height %d", round, answer, res.Height)
		}
		if err := packcheck.Check(p, at); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if res.Height > p.Bound() {
			above++
			if _, answer := packBySAT(context.Background(), p, res.Height-1); answer != sat.Unsatisfiable {
				t.Fatalf("round %d: %v below the lowest height %d: %+v", round, answer, res.Height, p)
			}
		}
	}
	if above < 20 {
		t.Errorf("the live addresses decide all but %d", above)
	}
}
