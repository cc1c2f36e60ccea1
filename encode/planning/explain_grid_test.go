package planning

import (
	"context"
	"errors"
	"slices"
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/space"
	"ipusolve/solve/mip"
)

func gemmProblem(t testing.TB, m, k, n, tiles int) *model.Problem {
	t.Helper()
	p := problem(t, m, k, n, 1, tiles)
	p.Graph = model.Graph{Schema: model.GraphSchema, Name: "gemm", Outputs: []string{"y"}, Values: []model.GraphValue{
		{Name: "a", Shape: []int{m, k}, Type: "f16", Role: model.RoleInput}, {Name: "b", Shape: []int{k, n}, Type: "f16", Role: model.RoleWeight},
		{Name: "y", Shape: []int{m, n}, Type: "f16"}}, Ops: []model.Op{{Name: "gemm", Kind: model.OpGemm, Inputs: []string{"a", "b"}, Output: "y"}}}
	return p
}

// TestGrids compares the ranking with the prices of all plans, and its first with the
// solved plan.
func TestGrids(t *testing.T) {
	for _, family := range []string{model.FamilyNormal, model.FamilyFull} {
		for _, outputs := range []string{model.OutputsAny, model.OutputsLinear} {
			for _, memory := range []int{model.MaxPhysicalBytes - model.DefaultReserve, (model.StandardShare + 4096) / 32 * 32} {
				p := gemmProblem(t, 19, 64, 48, 64)
				p.Tiles, p.Family, p.Outputs, p.MemoryLimit = 6, family, outputs, memory
				b, err := build(p, nil, true)
				if err != nil {
					t.Fatal(err)
				}
				var all []int64
				grids := map[space.Gemm]int64{}
				choice := make(encode.Choice, len(b.sel.Nodes))
				for i, g := range b.gemms[0] {
					choice[0] = i
					b.trim(choice)
					if !b.sel.Fits(choice) {
						continue
					}
					plan, err := b.plan(choice)
					if err != nil {
						t.Fatal(err)
					}
					v := plan.Total()
					all = append(all, v)
					key := space.Gemm{R: g.R, Q: g.Q, K: g.K, Swapped: g.Swapped}
					if old, ok := grids[key]; !ok || v < old {
						grids[key] = v
					}
				}
				var best []int64
				for _, v := range grids {
					best = append(best, v)
				}
				slices.Sort(all)
				slices.Sort(best)
				for _, x := range []struct {
					byGrid bool
					want   []int64
				}{{false, all}, {true, best}} {
					for _, n := range []int{1, 10, len(all) + 1} {
						list, listed, err := Grids(context.Background(), p, n, x.byGrid, mip.Solver{})
						if err != nil {
							t.Fatal(err)
						}
						var got []int64
						for _, g := range list {
							got = append(got, g.Plan.Total())
						}
						if want := x.want[:min(n, len(x.want))]; !slices.Equal(got, want) || listed != len(all) {
							t.Errorf("%s %s by grid %v: %v of %d, want %v of %d", family, outputs, x.byGrid, got, listed, want, len(all))
						}
					}
				}
				if got := solved(t, p).Outcome.Objective; got != all[0] {
					t.Errorf("solved %d, best grid %d", got, all[0])
				}
			}
		}
	}
	p := gemmProblem(t, 64, 1024, 1024, 64)
	p.MemoryLimit = 4096
	var none *InfeasibleError
	if _, _, err := Grids(context.Background(), p, 3, true, mip.Solver{}); !errors.As(err, &none) {
		t.Errorf("4096 bytes: %v", err)
	}
	if _, _, err := Grids(context.Background(), problem(t, 7, 48, 80, 1, 64), 3, true, mip.Solver{}); !errors.Is(err, model.ErrUsage) {
		t.Errorf("two gemms: %v", err)
	}
}
