package image_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/lower"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/space"
	"ipusolve/model/workload"
)

// blocksProblem is a chain of equal MLP blocks on 64 tiles.
func blocksProblem(t testing.TB, tokens, dim, hidden, blocks int) *model.Problem {
	t.Helper()
	p := mlpProblem(t, tokens, dim, hidden, 64)
	g, err := workload.SiglipMLP(1, tokens, dim, hidden, blocks)
	if err != nil {
		t.Fatal(err)
	}
	p.Graph = *g
	return p
}

// blocksPlan lets every block compute alike.
func blocksPlan(t testing.TB, p *model.Problem, blocks int, via space.Via, pick func(n int) int) *model.Plan {
	t.Helper()
	chain, list := candidates(t, p)
	choice := space.Choice{Vias: make([]space.Via, 2*blocks)}
	one, two := list[0][pick(len(list[0]))], list[1][pick(len(list[1]))]
	for b := range blocks {
		choice.Gemms = append(choice.Gemms, one, two)
		choice.Vias[2*b], choice.Vias[2*b+1] = via, via
	}
	plan, err := chain.Plan(p, choice)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// compileProgram places, checks and schedules a program.
func compileProgram(t testing.TB, prog *lower.Program) lowered {
	t.Helper()
	l := place(t, prog)
	for id := range prog.Phases {
		l.rows[id] = schedulePhase(t, prog.Exchange(id))
	}
	return l
}

// TestRepeatedBlocksRun folds chains of equal blocks, runs them on the strict
// simulator and compares with exact arithmetic and with the unfolded program.
func TestRepeatedBlocksRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	folds, staged := 0, 0
	for _, c := range []struct{ tokens, dim, hidden, blocks int }{
		{7, 48, 80, 3}, {29, 72, 136, 4}, {64, 128, 256, 5}, {7, 48, 80, 8},
	} {
		p := blocksProblem(t, c.tokens, c.dim, c.hidden, c.blocks)
		spec := eval.MLP(c.tokens, c.dim, c.hidden, c.blocks)
		d, err := eval.ExactData(spec)
		if err != nil {
			t.Fatal(err)
		}
		want, err := eval.ExactReference(spec, d)
		if err != nil {
			t.Fatal(err)
		}
		data := map[string][]uint16{"x": d.Input.Data}
		for i, w := range d.Weights {
			data[fmt.Sprintf("block%d.w%d", i/2, i%2+1)] = w.Data
		}
		for try := range 2 {
			t.Run(fmt.Sprint(c, try), func(t *testing.T) {
				plan := blocksPlan(t, p, c.blocks, space.InResult, rng.IntN)
				flat, err := lower.Build(plan)
				if err != nil {
					t.Fatal(err)
				}
				before := len(flat.Items)
				prog := lower.Fold(flat)
				if flat.Repeat != nil || len(flat.Items) != before {
					t.Fatal("Fold changed its argument")
				}
				if prog.Repeat == nil {
					t.Fatal("equal blocks are not folded")
				}
				if got := int(prog.Repeat.Count); got < c.blocks-2 || got > c.blocks {
					t.Errorf("%d iterations of %d blocks", got, c.blocks)
				}
				folds++
				for i := range prog.Items {
					if prog.Items[i].Kind == lower.ItemStaging {
						staged++
						break
					}
				}
				l := compileProgram(t, prog)
				got, cycles := simulate(t, l.emit(t), plan, data)
				if r := eval.CheckExact(eval.Tensor{Shape: want.Shape, Data: got}, want); !r.Pass {
					t.Fatal(r.Detail)
				}
				if c.blocks > 4 {
					return // long programs take long to schedule unfolded
				}
				u := compileProgram(t, flat)
				_, unfolded := simulate(t, u.emit(t), plan, data)
				t.Logf("%d iterations: %d cycles, unfolded %d; %d of %d phases; code %d of %d bytes, rows %d of %d", prog.Repeat.Count, cycles, unfolded,
					len(prog.Phases), len(flat.Phases), l.m.Code.End-l.m.Code.Start, u.m.Code.End-u.m.Code.Start,
					l.m.RowTable.End-l.m.RowTable.Start, u.m.RowTable.End-u.m.RowTable.Start)
				if len(prog.Phases) >= len(flat.Phases) {
					t.Errorf("%d phases, %d unfolded", len(prog.Phases), len(flat.Phases))
				}
			})
		}
	}
	if folds == 0 || staged == 0 {
		t.Errorf("%d programs folded, %d that send weights", folds, staged)
	}
}
