package ipusolve

import (
	"fmt"
	"math/big"

	"ipusolve/exchange/check"
	lowercheck "ipusolve/lower/check"
	"ipusolve/model/cost"
)

// Verifiers of the passes. The plan's bound (solve/cert), placement (lower/check),
// schedules and rows (exchange/check) are checked by code that shares nothing with
// the passes but records and facts of the device. The plan's price is computed
// again by model/cost, which knows layouts and no solver.

func (c *Compilation) verifyPlan() error {
	if err := c.Plan.Validate(); err != nil {
		return err
	}
	var list claims
	list.planning(&c.Report.Planning, c.Plan.Total())
	list.coverage(c.Problem, &c.Report.Planning)
	return list.failure()
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
