package ipusolve

import (
	"context"
	"fmt"
	"time"

	"ipusolve/bench/heuristic"
	"ipusolve/model"
)

// Baseline plans with the beam of the reference heuristic stack, which chooses
// under profile seed whatever the profile of the problem. Its status is
// heuristic: no bound is claimed.
type Baseline struct{ Variant heuristic.Variant }

// Plan implements Planner. The beam has its own memory rules, so tighter limits
// change nothing.
func (b *Baseline) Plan(ctx context.Context, p *model.Problem, _ map[string]int64) (*Planned, error) {
	start := time.Now()
	out, err := heuristic.Plan(ctx, p, b.Variant)
	if err != nil {
		return nil, fmt.Errorf("ipusolve: %w", err)
	}
	r := Planning{Status: StatusHeuristic, Seconds: time.Since(start).Seconds()}
	for _, l := range out.Lines {
		r.Candidates += l.Evaluated
		r.Considered += l.Expanded
	}
	steps, seed, err := price(out.Plan)
	if err != nil {
		return nil, fmt.Errorf("ipusolve: baseline: %w", err)
	}
	for i := range out.Plan.Steps {
		out.Plan.Steps[i].Cost = steps[i]
	}
	r.Seed, r.Objective = seed, out.Plan.Total()
	return &Planned{Plan: out.Plan, Report: r}, nil
}
