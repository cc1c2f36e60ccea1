package ipusolve

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"ipusolve/encode"
	"ipusolve/encode/planning"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/solve"
)

// Planner decides the layouts and recipes of a problem. tighten replaces memory
// limits of the planner's own model by smaller ones, by name (Planned.Memory
// lists the names). An infeasible problem is an error; a search that was cut off
// before it found a plan returns ctx.Err or a limit's error.
type Planner interface {
	Plan(ctx context.Context, p *model.Problem, tighten map[string]int64) (*Planned, error)
}

// Planned is a planner's answer.
type Planned struct {
	Plan   *model.Plan
	Report Planning
}

// Optimal plans by solving: the choice of all layouts as an integer program with
// a proven bound.
type Optimal struct {
	Solver  solve.Solver
	Options solve.Options
}

// Plan implements Planner. Status is optimal or feasible.
func (o *Optimal) Plan(ctx context.Context, p *model.Problem, tighten map[string]int64) (*Planned, error) {
	solvePlan := planning.Solve
	switch {
	case (p.Profile == model.ProfileSeed) != (p.Family == model.FamilySeed):
		return nil, fmt.Errorf("ipusolve: family %s under profile %s: family and profile %s go together: %w", p.Family, p.Profile, model.FamilySeed, model.ErrUsage)
	case p.Family == model.FamilySeed:
		solvePlan = planning.SolveSeed
	}
	start := time.Now()
	if limit := o.Options.TimeLimit; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	res, err := solvePlan(ctx, p, o.Solver, planning.Options{Solve: o.Options, Tighten: tighten})
	if err != nil {
		return nil, err
	}
	if res.Plan == nil {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("ipusolve: no plan found before the search was stopped: %w", err)
		}
		return nil, fmt.Errorf("ipusolve: %w", ErrNoPlan)
	}
	out := res.Outcome
	bound := certifiedBound(out)
	difference, g := out.Objective-bound, gap(out.Objective, bound)
	r := Planning{
		Status: statusWord(out.Objective, bound), Objective: out.Objective, Bound: &bound, Gap: &g, Difference: &difference,
		Candidates: out.Stats.Reduce.Candidates, Considered: out.Stats.Reduce.Left, ExactPairs: out.Stats.ExactPairs,
		Rows: len(out.Model.Rows), Columns: len(out.Model.Vars), Nodes: out.Stats.Nodes, LPIterations: out.Stats.LPIterations,
		Seconds: time.Since(start).Seconds(),
	}
	if out.Result.Certificate != nil {
		r.Certificate = &PlanCertificate{Model: out.Model, Proof: out.Result.Certificate, Prices: out.Prices}
	}
	if p.Profile == model.ProfileSeed {
		if _, r.Seed, err = price(res.Plan); err != nil {
			return nil, err
		}
	}
	for _, u := range res.Uses {
		r.Memory = append(r.Memory, MemoryUse{Limit: u.Name, Bytes: u.Bytes, Of: u.Limit})
	}
	return &Planned{Plan: res.Plan, Report: r}, nil
}

// certifiedBound is the bound that the certificate of the last model proves. A
// search that was cut off may know a better one from its reductions, but cannot
// show it to anybody.
func certifiedBound(out *encode.Outcome) int64 {
	bound := out.Bound
	if b := out.Result.Bound; b != nil {
		floor := new(big.Int).Div(b.Num(), b.Denom())
		if floor.IsInt64() {
			bound = min(bound, floor.Int64())
		}
	}
	return bound
}

// Pinned is a planner that returns a given plan, priced under the profile of its
// problem. Its status is heuristic: no bound is claimed.
type Pinned struct{ Saved *model.Plan }

// Plan implements Planner. The problem must be the one of the saved plan, which
// is what makes the plan a plan for it.
func (s *Pinned) Plan(_ context.Context, p *model.Problem, _ map[string]int64) (*Planned, error) {
	plan := *s.Saved
	plan.Problem = *p
	plan.Steps = append([]model.Step(nil), plan.Steps...)
	if err := plan.Validate(); err != nil {
		return nil, fmt.Errorf("ipusolve: pinned plan: %w", err)
	}
	if len(p.Pins) > 0 {
		if err := planning.CheckPins(&plan); err != nil {
			return nil, fmt.Errorf("ipusolve: pinned plan: %w", err)
		}
	}
	r := Planning{Status: StatusHeuristic}
	steps, seed, err := price(&plan)
	if err != nil {
		return nil, fmt.Errorf("ipusolve: pinned plan: %w", err)
	}
	r.Seed = seed
	for i := range plan.Steps {
		plan.Steps[i].Cost = steps[i]
	}
	r.Objective = plan.Total()
	return &Planned{Plan: &plan, Report: r}, nil
}

// price prices the steps of a plan under its problem's profile.
func price(p *model.Plan) ([]model.Cost, *cost.Report, error) {
	if p.Problem.Profile == model.ProfileSeed {
		r, err := cost.PriceSeed(p)
		if err != nil {
			return nil, nil, err
		}
		return r.Steps, r, nil
	}
	steps, err := cost.PriceC600(p)
	return steps, nil, err
}
