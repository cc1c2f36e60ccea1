package planning

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/space"
	"ipusolve/solve"
)

// Grid is a way to run a single GEMM.
type Grid struct {
	Gemm space.Gemm
	Plan *model.Plan
	Uses []Use
}

// Grids are the best plans of a problem with one GEMM, best first, at most n. By grid, each has
// an orientation and compute grid of its own, else they may differ in anything. All
// candidates that fit in memory are looked at; listed is their number. If there are
// none, the error is an *InfeasibleError; when ctx ends first, it wraps ctx.Err().
func Grids(ctx context.Context, p *model.Problem, n int, byGrid bool, solver solve.Solver) (list []Grid, listed int, err error) {
	b, err := build(p, nil, true)
	if err != nil {
		return nil, 0, err
	}
	if len(b.gemms) != 1 {
		return nil, 0, fmt.Errorf("planning: want one gemm, found %d: %w", len(b.gemms), model.ErrUsage)
	}
	choices, listed := b.ranked(ctx, n, byGrid)
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("planning: %w", err)
	}
	if listed == 0 {
		return nil, 0, infeasible(ctx, p, solver, Options{})
	}
	for _, c := range choices {
		plan, err := b.plan(c)
		if err != nil {
			return nil, 0, err
		}
		if got, want := plan.Total(), b.sel.Cost(c); got != want {
			return nil, 0, fmt.Errorf("planning: the plan's layouts cost %d cycles, its candidate %d", got, want)
		}
		list = append(list, Grid{b.gemms[0][c[0]], plan, b.uses(c)})
	}
	return list, listed, nil
}

// ranked lists the n cheapest choices of a single stage within memory, and how many
// there are. Exact prices are asked for in order of lower bounds, as long as one may
// count.
func (b *builder) ranked(ctx context.Context, n int, byGrid bool) (best []encode.Choice, fitting int) {
	type entry struct {
		candidate   int
		bound, cost int64
	}
	cands := b.sel.Nodes[0].Candidates
	var open []entry
	choice := make(encode.Choice, len(b.sel.Nodes))
	fits := func(i int) bool {
		choice[0] = i
		b.trim(choice)
		return b.sel.Fits(choice)
	}
	for i := range cands {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, 0
		}
		if !fits(i) {
			continue
		}
		v := cands[i].Cost
		for _, e := range b.sel.Edges {
			v += e.Pair.LowerBound(cands[i].Class, 0)
		}
		open = append(open, entry{candidate: i, bound: v})
	}
	slices.SortStableFunc(open, func(x, y entry) int { return cmp.Compare(x.bound, y.bound) })
	var kept []entry
	for k, e := range open {
		if k%256 == 0 && ctx.Err() != nil {
			return nil, 0
		}
		if len(kept) == n && (n == 0 || e.bound >= kept[n-1].cost) {
			break
		}
		choice[0] = e.candidate
		b.trim(choice)
		e.cost = b.sel.Cost(choice)
		at, _ := slices.BinarySearchFunc(kept, e.cost+1, func(x entry, cost int64) int { return cmp.Compare(x.cost, cost) })
		same := func(x entry) bool {
			return byGrid && sameGrid(b.gemms[0][x.candidate], b.gemms[0][e.candidate])
		}
		if slices.ContainsFunc(kept[:at], same) {
			continue
		}
		kept = slices.DeleteFunc(kept, same)
		kept = slices.Insert(kept, at, e)
		kept = kept[:min(n, len(kept))]
	}
	for _, e := range kept {
		choice[0] = e.candidate
		b.trim(choice)
		best = append(best, slices.Clone(choice))
	}
	return best, len(open)
}
