package auto

import (
	"context"
	"fmt"

	"ipusolve/solve"
	"ipusolve/solve/format"
	"ipusolve/solve/mip"
	"ipusolve/solve/sat"
)

// Solver is the engine that fits the model: branch and bound, and for clauses
// without costs SAT search as well. A Result claims only what its certificate
// proves; Solve (the function) also reports what SAT search found without proof.
type Solver struct{}

var _ solve.Solver = Solver{}

// Solve answers a model.
func (s Solver) Solve(ctx context.Context, m *solve.Model, opt solve.Options) (*solve.Result, error) {
	res, _, err := s.decide(ctx, m, opt)
	return res, err
}

// Branch and bound looks at clauses first, for linear programming counts where
// clauses cannot (pigeons, holes) and gives a certificate; but not for long.
const (
	firstEffort = 500   // in units of solve.Stats.Effort
	firstRows   = 20000 // clauses; more go to SAT search at once
	firstShare  = 4     // it gets this part of the time limit
)

// decide also tells whether an answer Unknown means that SAT search found the
// model to be infeasible, without a certificate.
func (Solver) decide(ctx context.Context, m *solve.Model, opt solve.Options) (res *solve.Result, exhausted bool, err error) {
	clauses, err := format.Clauses(m)
	if err != nil { // others than clauses
		res, err = mip.Solver{}.Solve(ctx, m, opt)
		return res, false, err
	}
	if len(clauses) <= firstRows {
		first := opt
		first.TimeLimit /= firstShare
		if opt.Effort == 0 || opt.Effort > firstEffort {
			first.Effort = firstEffort
		}
		if res, err = (mip.Solver{}).Solve(ctx, m, first); err != nil {
			return nil, false, fmt.Errorf("auto: %w", err)
		}
		if res.Status != solve.Unknown || ctx.Err() != nil {
			return res, false, nil
		}
	}
	if opt.TimeLimit > 0 {
		opt.TimeLimit -= opt.TimeLimit / firstShare
	}
	opt.Effort = 0 // it counts other things there
	out, err := sat.Solver{}.Decide(ctx, m, opt)
	if err != nil {
		return nil, false, fmt.Errorf("auto: %w", err)
	}
	return out.Result, out.Exhausted && out.Objective == nil, nil
}
