package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ipusolve"
	"ipusolve/bench/suite"
	"ipusolve/bench/trial"
	"ipusolve/device/sim"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/eval"
)

// Results of the numerical tests.
const (
	Pass = "PASS"
	Fail = "FAIL"
	Skip = "SKIP" // no test applies
)

// Entrant is a named planner.
type Entrant struct {
	Name    string
	Planner ipusolve.Planner
}

// Config says how a study compares.
type Config struct {
	Like      model.Problem // what workloads do not say
	Entrants  []Entrant
	Scheduler ipusolve.Scheduler
	PlanLimit time.Duration // for each plan; 0: none
	Verify    bool          // the record of every pass
	// Progress is told what is being done.
	Progress func(what string)
}

// Compare makes the row of a workload. It fails if the workload states no problem or
// ctx ends; all else that goes wrong is in the entries.
func Compare(ctx context.Context, w suite.Workload, c *Config) (*Row, error) {
	p, err := w.Problem(c.Like)
	if err != nil {
		return nil, err
	}
	row := &Row{Workload: w, Floor: cost.Floor(&p.Graph, p.Tiles)}
	x := &comparer{Config: c, problem: p, plans: map[string]string{}}
	for _, e := range c.Entrants {
		c.Progress(w.Name + " " + e.Name)
		entry := x.entry(ctx, e, row)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row.Entries = append(row.Entries, *entry)
	}
	return row, nil
}

// comparer makes the entries of one row.
type comparer struct {
	*Config
	problem *model.Problem
	plans   map[string]string // name of the entry by its plan
	jobs    []*trial.Job      // made for the first run
}

// replay plans as its planner did, without doing it again; placement may ask for
// another plan.
type replay struct {
	ipusolve.Planner
	planned *ipusolve.Planned
}

// Plan implements ipusolve.Planner.
func (r *replay) Plan(ctx context.Context, p *model.Problem, tighten map[string]int64) (*ipusolve.Planned, error) {
	if len(tighten) == 0 {
		return r.planned, nil
	}
	return r.Planner.Plan(ctx, p, tighten)
}

// entry plans, compiles and runs.
func (x *comparer) entry(ctx context.Context, who Entrant, row *Row) *Entry {
	e := &Entry{Name: who.Name}
	start := time.Now()
	planned, err := x.plan(ctx, who.Planner)
	e.PlanSeconds = time.Since(start).Seconds()
	if err != nil {
		return e.failed(err)
	}
	r := &planned.Report
	e.Status, e.Planned, e.Bound, e.Gap = r.Status, r.Objective, r.Bound, r.Gap
	for i := range planned.Plan.Steps {
		s := &planned.Plan.Steps[i]
		e.PlannedExchange += s.Cost.Exchange()
		if s.Gemm != nil {
			e.Plan = append(e.Plan, recipe(s.Gemm))
		}
	}
	key := planKey(planned.Plan)
	if first := row.Entry(x.plans[key]); first != nil {
		same := *first
		same.Name, same.SameAs, same.Status, same.Bound, same.Gap, same.PlanSeconds = e.Name, first.Name, e.Status, e.Bound, e.Gap, e.PlanSeconds
		same.CompileSeconds, same.RunSeconds = 0, 0
		return &same
	}
	x.plans[key] = who.Name
	start = time.Now()
	done, err := ipusolve.Compile(ctx, x.problem, ipusolve.Options{Planner: &replay{who.Planner, planned}, Scheduler: x.Scheduler, Verify: x.Verify,
		Progress: func(pass string, _, _ int) { x.Progress(row.Name + " " + who.Name + ": " + pass) }})
	e.CompileSeconds = time.Since(start).Seconds()
	if err != nil {
		return e.failed(err)
	}
	e.compiled(done.Report)
	start = time.Now()
	x.Progress(row.Name + " " + who.Name + ": run")
	err = x.run(ctx, e, done)
	e.RunSeconds = time.Since(start).Seconds()
	if err != nil {
		return e.failed(err)
	}
	return e
}

func (x *comparer) plan(ctx context.Context, planner ipusolve.Planner) (*ipusolve.Planned, error) {
	if x.PlanLimit > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, x.PlanLimit, fmt.Errorf("no plan within %v", x.PlanLimit))
		defer cancel()
		planned, err := planner.Plan(limited, x.problem, nil)
		if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = context.Cause(limited)
		}
		return planned, err
	}
	return planner.Plan(ctx, x.problem, nil)
}

// failed keeps the figures so far.
func (e *Entry) failed(err error) *Entry {
	e.Error = strings.ReplaceAll(strings.TrimPrefix(err.Error(), "ipusolve: "), "\n", "; ")
	return e
}

// compiled takes over what the compiler reports. Placement may have led to another
// plan.
func (e *Entry) compiled(r *ipusolve.Report) {
	e.Status, e.Planned, e.PlannedExchange, e.Bound, e.Gap = r.Planning.Status, r.Planning.Objective, r.Planning.Exchange, r.Planning.Bound, r.Planning.Gap
	e.Predicted = r.Cycles.Total
	e.Alive, e.Used = r.Placement.Alive, r.Placement.Objective
	for i := range r.Exchange {
		p := &r.Exchange[i]
		e.Phases = append(e.Phases, Phase{Words: p.Predicted, Bound: int64(p.Bound), Horizon: int64(p.Horizon)})
	}
}

// run executes the package with every numerical test that applies.
func (x *comparer) run(ctx context.Context, e *Entry, done *ipusolve.Compilation) error {
	if x.jobs == nil {
		chain, err := trial.ChainOf(&x.problem.Graph)
		if err != nil {
			return err
		}
		x.jobs = []*trial.Job{}
		for _, test := range chain.Tests() {
			job, err := test()
			if errors.Is(err, eval.ErrDegenerate) {
				continue
			}
			if err != nil {
				x.jobs = nil
				return err
			}
			x.jobs = append(x.jobs, job)
		}
	}
	if e.Test = Skip; len(x.jobs) == 0 {
		return errors.New("no numerical test applies")
	}
	rig, err := trial.New(done.Package, done.Plan, sim.Options{})
	if err != nil {
		return err
	}
	e.Test = Pass
	for _, job := range x.jobs {
		result, verdict, err := rig.Run(ctx, job)
		if err != nil {
			e.Test = Fail
			return err
		}
		e.MaxError = max(e.MaxError, verdict.MaxAbsError)
		if !verdict.Pass {
			e.Test, e.Error = Fail, verdict.Test+" test: "+verdict.Detail
		}
		if e.Cycles > 0 && e.Cycles != result.Cycles {
			e.Test = Fail
			return fmt.Errorf("one run takes %d cycles, another %d", e.Cycles, result.Cycles)
		}
		e.Cycles = result.Cycles
		if e.Spans, err = trial.Spans(done.Plan, done.Report, result); err != nil {
			return err
		}
	}
	e.Difference = float64(e.Predicted-e.Cycles) / float64(max(e.Cycles, 1))
	return nil
}

// recipe writes a GEMM's grid as plans do.
func recipe(g *model.Gemm) string {
	letter := "N"
	if g.Orientation == model.OrientationSwapped {
		letter = "S"
	}
	return fmt.Sprintf("%s(%d,%d,%d)/%dx%d", letter, g.Compute.Rows, g.Compute.Cols, g.Compute.Inner, g.Result.Rows, g.Result.Cols)
}

// planKey is the same for plans that differ in their costs alone.
func planKey(p *model.Plan) string {
	q := *p
	q.Steps = append([]model.Step(nil), p.Steps...)
	for i := range q.Steps {
		q.Steps[i].Cost = nil
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(&q); err != nil {
		return fmt.Sprintf("%p", p) // equal to no other plan
	}
	return b.String()
}
