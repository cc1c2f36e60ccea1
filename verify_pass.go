package ipusolve

import (
	"fmt"
	"math/big"

	"ipusolve/exchange/check"
	lowercheck "ipusolve/lower/check"
	"ipusolve/model/cost"
	"ipusolve/solve/cert"
)

// Verifiers of the passes. None shares code with the pass it checks.

func (c *Compilation) verifyPlan() error {
	if err := c.Plan.Validate(); err != nil {
		return err
	}
	return verifyPlanning(&c.Report.Planning, c.Plan.Total())
}

// verifyPlanning checks the planning bound by its certificate alone, and that
// status, bound, gap and objective agree with it and with the plan's price.
func verifyPlanning(p *Planning, objective int64) error {
	if p.Objective != objective {
		return fmt.Errorf("planning objective: the plan's layouts cost %d cycles, the report says %d", objective, p.Objective)
	}
	if p.Bound == nil {
		if p.Status != StatusHeuristic {
			return fmt.Errorf("planning status %q without a bound", p.Status)
		}
		return nil
	}
	if p.Certificate == nil || p.Certificate.Model == nil || p.Certificate.Proof == nil {
		return fmt.Errorf("planning bound %d comes without a certificate", *p.Bound)
	}
	v, err := cert.Check(p.Certificate.Model, p.Certificate.Proof)
	if err != nil {
		return fmt.Errorf("planning certificate: %w", err)
	}
	if v.Bound == nil || v.Bound.Cmp(new(big.Rat).SetInt64(*p.Bound)) < 0 {
		return fmt.Errorf("planning bound: the certificate proves %s, the report says %d", ratText(v.Bound), *p.Bound)
	}
	if *p.Bound > p.Objective {
		return fmt.Errorf("planning bound %d exceeds the objective %d", *p.Bound, p.Objective)
	}
	want := "feasible"
	if *p.Bound == p.Objective {
		want = "optimal"
	}
	if p.Status != want {
		return fmt.Errorf("planning status: want %q with objective %d and bound %d, found %q", want, p.Objective, *p.Bound, p.Status)
	}
	if p.Gap == nil || *p.Gap != gap(p.Objective, *p.Bound) || p.Difference == nil || *p.Difference != p.Objective-*p.Bound {
		return fmt.Errorf("planning gap does not follow from objective %d and bound %d", p.Objective, *p.Bound)
	}
	return nil
}

func ratText(r *big.Rat) string {
	if r == nil {
		return "infeasibility"
	}
	return r.RatString()
}

func (c *Compilation) verifyPlace() error { return lowercheck.Check(c.Program, c.Map) }

func (c *Compilation) verifySchedules() error {
	return forEach(len(c.Phases), func(i int) error {
		_, err := check.CheckSchedule(c.Phases[i], c.Schedules[i])
		return err
	})
}

func (c *Compilation) verifyRows() error {
	return forEach(len(c.Phases), func(i int) error {
		res, err := check.Check(c.Phases[i], c.Rows[i], nil)
		if err != nil {
			return err
		}
		if res.Horizon != c.Schedules[i].Horizon {
			return fmt.Errorf("phase %d: rows last %d events, the schedule %d", i, res.Horizon, c.Schedules[i].Horizon)
		}
		return nil
	})
}

func (c *Compilation) verifyPackage() error {
	if err := c.Package.Validate(); err != nil {
		return err
	}
	steps, _, err := price(c.Plan)
	if err != nil {
		return err
	}
	for i := range steps {
		if got, want := c.Plan.Steps[i].Cost.Total(), steps[i].Total(); got != want {
			return fmt.Errorf("step %d costs %d cycles, its layouts say %d", i, got, want)
		}
	}
	if floor := cost.Floor(&c.Problem.Graph, c.Problem.Tiles); c.Report.Cycles.Total < floor {
		return fmt.Errorf("predicted %d cycles lie below the floor %d", c.Report.Cycles.Total, floor)
	}
	return nil
}
