package image_test

import (
	"context"
	"errors"
	"testing"

	"ipusolve/device/ipuexe"
	"ipusolve/exchange"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/lower/image"
	"ipusolve/model"
	"ipusolve/model/space"
	"ipusolve/model/workload"
)

// mlpProblem is the MLP under the default choices.
func mlpProblem(t testing.TB, tokens, dim, hidden, tiles int) *model.Problem {
	t.Helper()
	g, err := workload.SiglipMLP(1, tokens, dim, hidden, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Problem{Graph: *g, Tiles: tiles, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, MemoryLimit: model.MaxPhysicalBytes, Timing: model.TimingVersion}
}

// lowered is a program with everything Emit needs.
type lowered struct {
	prog *lower.Program
	m    lower.MemoryMap
	rows [][][]uint32
}

// lowerPlan builds, reserves, places and schedules a plan.
func lowerPlan(t testing.TB, plan *model.Plan) lowered {
	t.Helper()
	prog, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	l := place(t, prog)
	for id := range prog.Phases {
		l.rows[id] = schedulePhase(t, prog.Exchange(id))
	}
	if err := lower.CheckReserve(prog, l.m, l.rows); err != nil {
		t.Fatal(err)
	}
	return l
}

func schedulePhase(t testing.TB, p *exchange.Problem) [][]uint32 {
	t.Helper()
	s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := exchange.EncodePhase(p, s)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// place reserves and places; there are no rows yet.
func place(t testing.TB, prog *lower.Program) lowered {
	t.Helper()
	m, err := lower.Reserve(prog, lower.ReserveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Place(prog, m); err != nil {
		t.Fatal(err)
	}
	if err := check.Check(prog, m); err != nil {
		t.Fatal(err)
	}
	rows := make([][][]uint32, len(prog.Phases))
	for id := range rows {
		rows[id] = make([][]uint32, len(prog.Tiles))
	}
	return lowered{prog, m, rows}
}

// emit makes the package and passes it through its file form.
func (l lowered) emit(t testing.TB) *ipuexe.Application {
	t.Helper()
	app, err := image.Emit(l.prog, l.m, l.rows, image.Meta{CompilerVersion: "test"})
	if err != nil {
		t.Fatal(err)
	}
	file, err := app.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := image.Emit(l.prog, l.m, l.rows, image.Meta{CompilerVersion: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if second, err := again.Marshal(); err != nil || string(second) != string(file) {
		t.Fatalf("the same program gives two packages (%v)", err)
	}
	back, err := ipuexe.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// candidates lists the family's candidates of a chain's stages.
func candidates(t testing.TB, p *model.Problem) (*space.Chain, [][]space.Gemm) {
	t.Helper()
	chain, err := space.NewChain(p)
	if err != nil {
		t.Fatal(err)
	}
	list := make([][]space.Gemm, len(chain.Stages))
	for i := range list {
		chain.Stages[i].Each(space.Options{WeightsOnce: p.Weights == model.WeightsOnce, MatrixSums: true}, func(c space.Gemm) { list[i] = append(list[i], c) })
	}
	return chain, list
}

func reserveError(t testing.TB, err error) *lower.ReserveError {
	t.Helper()
	var short *lower.ReserveError
	if !errors.As(err, &short) {
		t.Fatalf("%v, want a *lower.ReserveError", err)
	}
	return short
}
