package lower_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ipusolve/kernels"
	"ipusolve/lower"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
)

// localTerms are the terms that price local work.
var localTerms = []string{cost.TermKernel, cost.TermSum, cost.TermCopy, cost.TermFill, cost.TermPointwise, cost.TermTranspose}

// callTerm is the term that prices a call of a step: a GEMM sums by what it calls
// behind its exchange.
func callTerm(s *model.Step, w *lower.Work, exchanged bool) string {
	switch s.Kind {
	case model.StepGelu:
		return cost.TermPointwise
	case model.StepTranspose:
		return cost.TermTranspose
	case model.StepGemm:
		if exchanged {
			return cost.TermSum
		}
		if w.Spec.Kind == kernels.GemmF16 {
			return cost.TermKernel
		}
	}
	// A strided copy with source stride 0 repeats zeros.
	if w.Spec.Kind == kernels.FillZero || w.Spec.Kind == kernels.CopyStrided64 && w.Args[4].Value == 0 {
		return cost.TermFill
	}
	return cost.TermCopy
}

// called is what the busiest tile of every step takes for its calls, by term, and what
// that of every segment between two phases does.
func called(prog *lower.Program) (most []map[string]int64, segments []int64) {
	steps := prog.Plan.Steps
	most, segments = make([]map[string]int64, len(steps)), make([]int64, len(prog.Phases)+1)
	for i := range most {
		most[i] = map[string]int64{}
	}
	for _, list := range prog.Tiles {
		work := map[int32]map[string]int64{}
		done := map[int]bool{} // phases
		segment := make([]int64, len(segments))
		for i := range list {
			w := &list[i]
			if w.Kind == lower.WorkExchange {
				done[int(w.Phase)] = true
				continue
			}
			if work[w.Step] == nil {
				work[w.Step] = map[string]int64{}
			}
			args := make([]uint32, len(w.Args))
			for k, a := range w.Args {
				args[k] = a.Value
			}
			s := &steps[w.Step]
			work[w.Step][callTerm(s, w, s.Phase != model.NoPhase && done[s.Phase])] += w.Spec.Cycles(args)
			segment[len(done)] += w.Spec.Cycles(args)
		}
		for i := range segments {
			segments[i] = max(segments[i], segment[i])
		}
		for step, terms := range work {
			for name, cycles := range terms {
				most[step][name] = max(most[step][name], cycles)
			}
		}
	}
	return most, segments
}

// busiestWords is the number of words that the busiest tile of every phase sends or receives.
func busiestWords(prog *lower.Program) []int64 {
	most := make([]int64, len(prog.Phases))
	for i, ph := range prog.Phases {
		sent, received := make([]int64, len(prog.Tiles)), make([]int64, len(prog.Tiles))
		for _, t := range ph.Transfers {
			sent[prog.Items[t.Source.Item].Tile] += int64(t.Words)
			for _, d := range t.Dests {
				received[prog.Items[d.Item].Tile] += int64(t.Words)
			}
		}
		most[i] = max(slices.Max(sent), slices.Max(received))
	}
	return most
}

// priceDiffers compares the price of every step, segment and phase with the program; ""
// if they are the same. No phase is priced below its busiest tile's words.
func priceDiffers(plan *model.Plan) (string, error) {
	prices, err := cost.PriceC600(plan)
	if err != nil {
		return "", err
	}
	prog, err := lower.Build(plan)
	if err != nil {
		return "", err
	}
	words := make([]int64, len(prog.Phases))
	steps, segments := called(prog)
	for i, calls := range steps {
		priced := map[string]int64{}
		for _, t := range prices[i] {
			priced[t.Name] += t.Cycles
		}
		for _, name := range localTerms {
			if priced[name] != calls[name] {
				return fmt.Sprintf("step %d (%s of %s): %s is priced %d, calls take %d", i, plan.Steps[i].Kind, plan.Steps[i].Op, name, priced[name], calls[name]), nil
			}
		}
		if ph := plan.Steps[i].Phase; ph != model.NoPhase {
			words[ph] += priced[cost.TermWords]
		}
	}
	spans, err := cost.SpansC600(plan)
	if err != nil {
		return "", err
	}
	for i, s := range spans {
		if s.Work != segments[i] {
			return fmt.Sprintf("work before phase %d is priced %d, calls take %d", s.Phase, s.Work, segments[i]), nil
		}
	}
	for ph, most := range busiestWords(prog) {
		if words[ph] < most {
			return fmt.Sprintf("phase %d is priced as %d words, a tile sends or receives %d", ph, words[ph], most), nil
		}
	}
	return "", nil
}

// chainProblem is gemm, GELU, gemm.
func chainProblem(m, dim, hidden, tiles int) *model.Problem {
	return &model.Problem{Tiles: tiles, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident, Outputs: model.OutputsAny,
		Repeat: model.RepeatUnbounded, Family: model.FamilyFull, MemoryLimit: model.MaxPhysicalBytes, Timing: model.TimingVersion,
		Graph: model.Graph{Values: []model.GraphValue{
			{Name: "x", Shape: []int{m, dim}, Role: model.RoleInput}, {Name: "w1", Shape: []int{dim, hidden}, Role: model.RoleWeight},
			{Name: "h", Shape: []int{m, hidden}}, {Name: "g", Shape: []int{m, hidden}},
			{Name: "w2", Shape: []int{hidden, dim}, Role: model.RoleWeight}, {Name: "y", Shape: []int{m, dim}}},
			Ops: []model.Op{{Name: "gemm0", Kind: model.OpGemm, Inputs: []string{"x", "w1"}, Output: "h"}, {Name: "gelu0", Kind: model.OpGelu, Inputs: []string{"h"}, Output: "g"},
				{Name: "gemm1", Kind: model.OpGemm, Inputs: []string{"g", "w2"}, Output: "y"}}, Outputs: []string{"y"}}}
}

// TestPriceIsProgram: the plans of random candidates of both orientations are priced
// as the calls that lowering emits, and phases as no fewer words than are moved.
func TestPriceIsProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	count := 60
	if testing.Short() {
		count = 12
	}
	var total, swapped int
	for _, dims := range [][4]int{{64, 128, 256, 64}, {7, 48, 80, 64}, {1, 48, 80, 64}, {29, 72, 136, 64}, {5, 16, 48, 64}, {81, 96, 112, 64}, {40, 56, 24, 64}} {
		for rules := range 4 {
			p := chainProblem(dims[0], dims[1], dims[2], dims[3])
			if rules&1 != 0 {
				p.Weights = model.WeightsOnce
			}
			linear := rules&2 != 0
			if linear {
				p.Outputs = model.OutputsLinear
			}
			chain, err := space.NewChain(p)
			if err != nil {
				t.Fatal(err)
			}
			var cands [2][2][]space.Gemm
			for i := range cands {
				o := space.Options{WeightsOnce: rules&1 != 0, MatrixSums: true, InPlace: true, Swapped: true, Replicas: true, Fine: i == 1 && !linear}
				chain.Stages[i].Each(o, func(c space.Gemm) {
					side := 0
					if c.Swapped {
						side = 1
					}
					cands[i][side] = append(cands[i][side], c)
				})
			}
			for range count {
				choice := space.Choice{Vias: []space.Via{space.InResult, space.InResult}}
				for i := range cands {
					list := cands[i][rng.IntN(2)]
					choice.Gemms = append(choice.Gemms, list[rng.IntN(len(list))])
				}
				if chain.Stages[0].LinearElements() > 0 && !choice.Gemms[0].Swapped && !choice.Gemms[1].Swapped && rng.IntN(2) == 0 {
					choice.Vias[0] = space.InLinear
				}
				plan, err := chain.Plan(p, choice)
				if err != nil {
					t.Fatal(err)
				}
				total++
				if choice.Gemms[0].Swapped || choice.Gemms[1].Swapped {
					swapped++
				}
				d, err := priceDiffers(plan)
				if err != nil {
					t.Fatalf("%v %+v: %v", dims, choice, err)
				}
				if d != "" {
					t.Fatalf("%v %s %s\n%+v: %s", dims, p.Weights, p.Outputs, choice, d)
				}
			}
		}
	}
	if total-swapped < total/8 || swapped < total/2 {
		t.Errorf("%d plans, %d with a swapped GEMM", total, swapped)
	}
}

// So are normal-family plans of any grid whose rows are padded, results differently
// from operands, and whose results are no place for a GEMM call.
func TestPaddedPriceIsProgram(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		plan, _, _, _ := drawMLP(r)
		standard, block := rapid.Bool().Draw(r, "standard"), rapid.IntRange(1, 2).Draw(r, "block")
		for i := range plan.Values {
			if l := &plan.Values[i].Layout; slices.Contains([]string{"h", "g", "y"}, plan.Values[i].Name) { // a result
				l.Axes[1].Block = block
				if standard {
					l.Class = model.Standard
				}
			}
			if _, err := plan.Values[i].Layout.Shards(plan.Values[i].Rows, plan.Values[i].Cols); err != nil {
				r.Skip(err)
			}
		}
		next, last := -1, model.NoPhase
		for i := range plan.Steps { // results that lie elsewhere need a phase
			s := &plan.Steps[i]
			if s.Kind == model.StepGelu {
				continue
			}
			if before := s.Phase; s.Kind == model.StepGemm || before != last || next < 0 {
				next, last = next+1, before
			}
			s.Phase = next
			if s.Kind == model.StepGemm {
				last = model.NoPhase
			}
		}
		d, err := priceDiffers(plan)
		if err != nil {
			r.Fatal(err)
		}
		if d != "" {
			r.Fatal(d)
		}
	})
}

// So are random chains of moves of whole parts.
func TestMovePriceIsProgram(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		plan, _, _ := drawMoves(r)
		plan.Values[0].Layout.Slices = 0
		d, err := priceDiffers(plan)
		if err != nil {
			r.Fatal(err)
		}
		if d != "" {
			r.Fatal(d)
		}
	})
}
