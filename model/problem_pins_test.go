package model_test

import (
	"errors"
	"testing"

	"ipusolve/model"
)

// TestPins: pins are of GEMMs, one each, in order.
func TestPins(t *testing.T) {
	p := smallProblem(t)
	var gemms []string
	other := ""
	for _, op := range p.Graph.Ops {
		if op.Kind == model.OpGemm {
			gemms = append(gemms, op.Name)
		} else {
			other = op.Name
		}
	}
	if len(gemms) < 2 || other == "" {
		t.Fatalf("the problem has gemms %v", gemms)
	}
	first, second := model.Pin{Op: gemms[0], Candidate: "N"}, model.Pin{Op: gemms[1], Candidate: "N(1,1,1)"}
	p.Pins = []model.Pin{first, second}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	if got, want := p.FamilyText(), p.Family+" with "+gemms[0]+"=N, "+gemms[1]+"=N(1,1,1)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for path, pins := range map[string][]model.Pin{
		"pins[0]": {{Op: other, Candidate: "N"}},
		"pins[1]": {first, first},
		"pins[2]": {first, second, first},
	} {
		p.Pins = pins
		var e *model.PathError
		if err := p.Validate(); !errors.Is(err, model.ErrUsage) || !errors.As(err, &e) || e.Path != path {
			t.Errorf("%v: %v", pins, err)
		}
	}
	p.Pins = []model.Pin{{Op: gemms[0]}}
	if err := p.Validate(); !errors.Is(err, model.ErrUsage) {
		t.Errorf("no candidate: %v", err)
	}
}
