package report

import (
	"context"
	"testing"
	"time"

	"ipusolve"
	"ipusolve/bench/suite"
	"ipusolve/bench/trial"
	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// solver compares the solved plan alone.
func solver() *Config {
	return &Config{Like: suite.DefaultProblem, PlanLimit: time.Minute, Progress: func(string) {},
		Entrants:  []Entrant{{Solved, &ipusolve.Optimal{Solver: mip.Solver{}, Options: solve.Options{TimeLimit: time.Minute}}}},
		Scheduler: ipusolve.List{Options: exchange.Options{Effort: exchange.DefaultEffort / 8}}}
}

// TestPredictionMeetsRun: price = program. Of solved plans the total is predicted
// within 2 %, phases take the events that were scheduled, and the work of every segment
// is planned within 5 % or 50 cycles. Words and route tail of a phase are what planning
// knows of it; at this size its schedule or, where many messages meet, its proven bound
// is often longer, but never much shorter.
func TestPredictionMeetsRun(t *testing.T) {
	linear := suite.Rules{Weights: model.WeightsOnce, Outputs: model.OutputsLinear}
	once := suite.Rules{Weights: model.WeightsOnce}
	preplaced := suite.Rules{Inputs: model.InputsPreplaced}
	problems := []struct {
		sizes string
		rules suite.Rules
	}{
		{"7x50x334@64", suite.Rules{}}, {"7x50x334@64", once}, {"128x64x64x3@64", suite.Rules{}}, {"5x1000x16@64", suite.Rules{}},
		{"300x16x700@64", preplaced}, {"256x64x48@64", suite.Rules{}}, {"1x256x1024@64", suite.Rules{}}, {"64x128x256@64", preplaced},
		{"64x128x256@64", suite.Rules{}}, {"64x128x256@64", linear}, {"33x100x300@128", suite.Rules{}}, {"33x100x300@128", linear},
		{"101x202x100@64", suite.Rules{}}, {"101x202x100@64", once}, {"1x256x1024@64", once}, {"16x256x512@128", suite.Rules{}},
		{"197x96x384@64", suite.Rules{}}, {"30x48x112x2@64", linear}, {"16x16x16x5@64", suite.Rules{}}, {"90x80x70@192", preplaced},
	}
	if testing.Short() {
		problems = problems[:6]
	}
	phases, off := 0, 0
	for _, c := range problems {
		w, err := suite.ParseWorkload(c.sizes)
		if err != nil {
			t.Fatal(err)
		}
		row, err := Compare(context.Background(), w.With(c.rules).With(suite.DefaultRules), solver())
		if err != nil {
			t.Fatal(err)
		}
		e := &row.Entries[0]
		if e.Error != "" || e.Test != Pass {
			t.Errorf("%s %v: test %s, error %s", c.sizes, c.rules, e.Test, e.Error)
			continue
		}
		if max(e.Difference, -e.Difference) > trial.TotalLimit {
			t.Errorf("%s %v: predicted %d, simulated %d", c.sizes, c.rules, e.Predicted, e.Cycles)
		}
		for _, s := range e.Spans {
			if !trial.Agree(s.PlannedWork, s.Work) {
				t.Errorf("%s %v: work before phase %d is planned as %d, %d are simulated", c.sizes, c.rules, s.Phase, s.PlannedWork, s.Work)
			}
			if s.Phase == model.NoPhase {
				continue
			}
			phases++
			if s.Scheduled != s.Horizon {
				t.Errorf("%s %v: phase %d is scheduled in %d events, %d are simulated", c.sizes, c.rules, s.Phase, s.Scheduled, s.Horizon)
			}
			if trial.Agree(s.PlannedEvents, s.Horizon) {
				continue
			}
			off++
			t.Logf("%s %v: phase %d is planned as %d, %d are simulated, bound %d", c.sizes, c.rules, s.Phase, s.PlannedEvents, s.Horizon, e.Phases[s.Phase].Bound)
			if s.PlannedEvents > s.Horizon {
				t.Errorf("%s %v: phase %d is planned as %d, only %d are simulated", c.sizes, c.rules, s.Phase, s.PlannedEvents, s.Horizon)
			}
		}
	}
	t.Logf("%d of %d phases are longer than planned by more than 5 %% and 50 events", off, phases)
	if 4*off > phases {
		t.Errorf("more than a quarter of the phases: %d of %d", off, phases)
	}
}
