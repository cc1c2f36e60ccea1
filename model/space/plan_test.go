package space

import (
	"math/rand/v2"
	"testing"

	"ipusolve/model"
)

func mlp(m, dim, hidden, tiles int) *model.Problem {
	return &model.Problem{Tiles: tiles, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident, Outputs: model.OutputsAny,
		Graph: model.Graph{Values: []model.GraphValue{
			{Name: "x", Shape: []int{1, m, dim}, Role: model.RoleInput}, {Name: "w1", Shape: []int{1, dim, hidden}, Role: model.RoleWeight},
			{Name: "h", Shape: []int{1, m, hidden}}, {Name: "g", Shape: []int{1, m, hidden}},
			{Name: "w2", Shape: []int{1, hidden, dim}, Role: model.RoleWeight}, {Name: "y", Shape: []int{1, m, dim}}},
			Ops: []model.Op{{Name: "gemm0", Kind: model.OpGemm, Inputs: []string{"x", "w1"}, Output: "h"}, {Name: "gelu0", Kind: model.OpGelu, Inputs: []string{"h"}, Output: "g"},
				{Name: "gemm1", Kind: model.OpGemm, Inputs: []string{"g", "w2"}, Output: "y"}}, Outputs: []string{"y"}}}
}

// sum adds the terms with one of the names over the steps of a kind.
func sum(p *model.Plan, kind model.StepKind, names ...string) int64 {
	var n int64
	for _, s := range p.Steps {
		for _, t := range s.Cost {
			for _, name := range names {
				if s.Kind == kind && t.Name == name {
					n += t.Cycles
				}
			}
		}
	}
	return n
}

// random draws a candidate of a stage: first an orientation, then any with it.
func random(rng *rand.Rand, cands *[2][]Gemm) Gemm {
	list := cands[rng.IntN(2)]
	return list[rng.IntN(len(list))]
}

// TestClosedFormsMatchLayouts compares every closed form with the price of the
// plan's layouts, which knows no grids, on random pairs of candidates of both
// orientations.
func TestClosedFormsMatchLayouts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dims := range [][4]int{{64, 128, 256, 64}, {7, 48, 80, 64}, {1, 48, 80, 64}, {29, 72, 136, 128}, {5, 16, 48, 64}, {81, 96, 112, 128}, {40, 56, 24, 64}} {
		p := mlp(dims[0], dims[1], dims[2], dims[3])
		p.Family = model.FamilyFull
		for rules := range 4 {
			once, linear := rules&1 != 0, rules&2 != 0
			chain, err := NewChain(p)
			if err != nil {
				t.Fatal(err)
			}
			var cands [2][2][]Gemm
			for i := range cands {
				o := Options{WeightsOnce: once, MatrixSums: true, InPlace: true, Swapped: true, Replicas: true, Fine: i == 1 && !linear}
				chain.Stages[i].Each(o, func(c Gemm) {
					side := 0
					if c.Swapped {
						side = 1
					}
					cands[i][side] = append(cands[i][side], c)
				})
			}
			q := *p
			if linear && chain.Stages[1].N%2 == 0 {
				q.Outputs = model.OutputsLinear
			}
			for range 150 {
				c1, c2 := random(rng, &cands[0]), random(rng, &cands[1])
				s1, s2 := chain.Stages[0].Shape, chain.Stages[1].Shape
				if s1.LinearElements() > 0 && !c1.Swapped && !c2.Swapped {
					checkLinear(t, p, chain, c1, c2)
				}
				plan, err := chain.Plan(&q, Choice{Gemms: []Gemm{c1, c2}, Vias: []Via{InResult, InResult}})
				if err != nil {
					t.Fatalf("%+v %+v: %v", c1, c2, err)
				}
				var want [7]int64
				want[0] = s1.Kernel(c1) + s2.Kernel(c2)
				w1, sum1 := s1.Reduction(c1)
				w2, sum2 := s2.Reduction(c2)
				want[1], want[2] = w1+w2, sum1+sum2
				gather, copies1 := s1.Gather(c1, true)
				_, copies2 := s2.Gather(c2, false)
				move := Transition{s1, s2}.Exact(c1, c2)
				want[3] = gather + move.Words
				want[4] = copies1 + copies2 + move.Copy
				want[5] = move.Fill
				if c1.Swapped {
					want[6] += s1.Transpose(c1)
				}
				if q.Outputs == model.OutputsLinear {
					if c2.Swapped {
						want[6] += s2.Transpose(c2)
					}
					if s2.N%16 != 0 {
						continue
					}
					move := s2.LinearMove(c2, model.RowMajor)
					want[3] += move.Words
					want[4] += move.Copy
				}
				got := [7]int64{sum(plan, model.StepGemm, "kernel"), sum(plan, model.StepGemm, "exchange/words"), sum(plan, model.StepGemm, "reduction/sum"),
					sum(plan, model.StepMove, "exchange/words"), sum(plan, model.StepMove, "copy"), sum(plan, model.StepMove, "fill"), sum(plan, model.StepTranspose, "transpose")}
				if got != want {
					t.Fatalf("%v once %v linear %v\n%+v\n%+v\nlayouts %v\nclosed  %v", dims, once, linear, c1, c2, got, want)
				}
				if least := (Transition{s1, s2}).AtLeast(c1, c2); least.Words > move.Words || least.Copy > move.Copy || least.Fill > move.Fill {
					t.Fatalf("%+v\n%+v\nat least %+v, exactly %+v", c1, c2, least, move)
				}
			}
		}
	}
}

// checkLinear compares the closed forms of GELU on row-major runs with the price
// of a plan that does so, and leaves its output in row-major order too.
func checkLinear(t *testing.T, p *model.Problem, chain *Chain, c1, c2 Gemm) {
	t.Helper()
	q := *p
	if q.Outputs = model.OutputsLinear; chain.Stages[1].N%16 != 0 {
		q.Outputs = model.OutputsAny
	}
	plan, err := chain.Plan(&q, Choice{Gemms: []Gemm{c1, c2}, Vias: []Via{InLinear, InResult}})
	if err != nil {
		t.Fatalf("%+v %+v: %v", c1, c2, err)
	}
	s1, s2 := chain.Stages[0].Shape, chain.Stages[1].Shape
	gather, copies1 := s1.Gather(c1, true)
	_, copies2 := s2.Gather(c2, false)
	moves := []Move{s1.LinearMove(c1, model.LeftPanel), Transition{s1, s2}.FromLinear(c2)}
	if q.Outputs == model.OutputsLinear {
		moves = append(moves, s2.LinearMove(c2, model.RowMajor))
	}
	want := [3]int64{gather, copies1 + copies2, s1.LinearGelu()}
	for _, m := range moves {
		want[0] += m.Words
		want[1] += m.Copy
	}
	got := [3]int64{sum(plan, model.StepMove, "exchange/words"), sum(plan, model.StepMove, "copy"), sum(plan, model.StepGelu, "pointwise")}
	if got != want {
		t.Fatalf("%+v\n%+v\nlayouts %v\nclosed  %v", c1, c2, got, want)
	}
}
