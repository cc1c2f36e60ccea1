package image_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/lower"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/space"
)

// TestMatrixSums runs MLPs that add all partials on the matrix unit, in place of
// the own partial and onto a copy of it, twice with one image, and compares the
// result with exact arithmetic and the cycles with the plan's price.
func TestMatrixSums(t *testing.T) {
	const tokens, dim, hidden = 29, 72, 128
	p := mlpProblem(t, tokens, dim, hidden, 64)
	p.Outputs = model.OutputsLinear
	chain, list := candidates(t, p)
	spec := eval.MLP(tokens, dim, hidden, 1)
	d, err := eval.ExactData(spec)
	if err != nil {
		t.Fatal(err)
	}
	want, err := eval.ExactReference(spec, d)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]uint16{"x": d.Input.Data, "block0.w1": d.Weights[0].Data, "block0.w2": d.Weights[1].Data}
	rng := rand.New(rand.NewPCG(4, 2))
	draw := func(stage int, inPlace bool) space.Gemm {
		some := slices.DeleteFunc(slices.Clone(list[stage]), func(g space.Gemm) bool {
			return !g.Matrix || chain.Stages[stage].SumsInPlace(g) != inPlace
		})
		return some[rng.IntN(len(some))]
	}
	for i := range 8 {
		choice := space.Choice{Gemms: []space.Gemm{draw(0, i&1 == 0), draw(1, i&2 == 0)}, Vias: []space.Via{space.Via(i / 4), space.InResult}}
		t.Run(fmt.Sprint(choice), func(t *testing.T) {
			plan, err := chain.Plan(p, choice)
			if err != nil {
				t.Fatal(err)
			}
			l := lowerPlan(t, plan)
			blocks := map[int32]uint32{}
			for j := range l.prog.Items {
				if it := &l.prog.Items[j]; it.Kind == lower.ItemIdentity {
					blocks[it.Tile] += it.Bytes / 512
				}
			}
			if most := uint32(max(choice.Gemms[0].K, choice.Gemms[1].K) - 1); blocks[0] != most {
				t.Errorf("%d identity blocks on tile 0, want %d", blocks[0], most)
			}
			got, cycles := simulate(t, l.emit(t), plan, data)
			if r := eval.CheckExact(eval.Tensor{Shape: want.Shape, Data: got}, want); !r.Pass {
				t.Fatal(r.Detail)
			}
			if cycles > plan.Total()*3/2+3000 {
				t.Errorf("%d cycles, planned %d", cycles, plan.Total())
			}
		})
	}
}
