package planning

import (
	"context"
	"errors"
	"testing"

	"ipusolve/model"
	"ipusolve/model/workload"
	"ipusolve/solve/mip"
)

func problem(t testing.TB, tokens, dim, hidden, blocks, tiles int) *model.Problem {
	t.Helper()
	g, err := workload.SiglipMLP(1, tokens, dim, hidden, blocks)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Problem{Graph: *g, Tiles: tiles, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, MemoryLimit: model.MaxPhysicalBytes - model.DefaultReserve, Timing: model.TimingVersion}
}

func TestDefault(t *testing.T) {
	p := problem(t, 729, 1152, 4304, 1, 1472)
	res, err := Solve(context.Background(), p, &mip.Solver{}, Options{})
	var inf *InfeasibleError
	if errors.As(err, &inf) {
		t.Fatal(inf)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", res.Outcome.Stats)
	t.Logf("%v %d bound %d", res.Outcome.Status, res.Outcome.Objective, res.Outcome.Bound)
	t.Logf("\n%v", res.Plan)
}
