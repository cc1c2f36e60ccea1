package encode

import (
	"context"
	"fmt"
	"math"

	"ipusolve/solve"
)

// Budget is the smallest budget under which a selection has a choice.
type Budget struct {
	Amount int64 // a multiple of the granule
	Proven bool  // no smaller multiple would do
	Choice Choice
	Tight  []int // limits that leave less than a granule
}

// Fixed as offset tells that a limit keeps its own amount.
const Fixed = math.MinInt64

// LeastBudget finds the smallest multiple V of granule such that some choice
// keeps every limit l within V + offsets[l], or within its own amount if the offset
// is Fixed; other amounts and all costs are ignored. The choice that takes the first
// of the candidates with the least sum of uses must be within all fixed limits. It minimises V in an integer model over the candidates that
// are not dominated in use.
func LeastBudget(ctx context.Context, s *Selection, offsets []int64, granule int64, solver solve.Solver, opt solve.Options) (*Budget, error) {
	free := &Selection{Name: s.Name + "/budget", Nodes: make([]Node, len(s.Nodes)), Limits: make([]Limit, len(s.Limits))}
	for n := range s.Nodes {
		free.Nodes[n] = s.Nodes[n]
		free.Nodes[n].Candidates = make([]Candidate, len(s.Nodes[n].Candidates))
		for i, c := range s.Nodes[n].Candidates {
			free.Nodes[n].Candidates[i] = Candidate{Use: c.Use}
		}
	}
	need := func(uses []int64) int64 { // granules
		var most int64
		for l, u := range uses {
			switch {
			case offsets[l] != Fixed:
				most = max(most, ceilDiv(u-offsets[l], granule))
			case u > s.Limits[l].Amount:
				return math.MaxInt64
			}
		}
		return most
	}
	choice := descend(free, need)
	upper := need(free.Uses(choice))
	if upper == math.MaxInt64 {
		return nil, fmt.Errorf("encode: %s: the choice of least uses breaks a fixed limit", free.Name)
	}
	for l := range free.Limits {
		if free.Limits[l] = s.Limits[l]; offsets[l] != Fixed {
			free.Limits[l].Amount = upper*granule + offsets[l]
		}
	}
	r := newReducer(free)
	if n := r.oversized(ctx); n >= 0 {
		return nil, fmt.Errorf("encode: %s: node %s lost the incumbent", free.Name, free.Nodes[n].Name)
	}
	r.dominated(ctx)
	b := solve.NewBuilder(free.Name)
	v := &variables{x: make([][]int, len(free.Nodes))}
	budget := b.Integer("budget", 0, upper, granule)
	terms := make([][]solve.Term, len(free.Limits))
	use := make([]int64, len(free.Limits))
	for n := range free.Nodes {
		var one []solve.Term
		for _, i := range r.alive[n] {
			x := b.Binary(free.Nodes[n].Name+"="+free.Nodes[n].Describe(i), 0)
			v.x[n] = append(v.x[n], x)
			one = append(one, solve.Term{Var: x, Coef: 1})
			clear(use)
			free.addUses(use, n, i)
			for l, u := range use {
				if u > 0 {
					terms[l] = append(terms[l], solve.Term{Var: x, Coef: u})
				}
			}
		}
		b.Row("choose/"+free.Nodes[n].Name, solve.EQ, 1, one...)
	}
	for l := range terms {
		if offsets[l] == Fixed {
			b.Row(free.Limits[l].Name, solve.LE, s.Limits[l].Amount, terms[l]...)
			continue
		}
		b.Row(free.Limits[l].Name, solve.LE, offsets[l], append(terms[l], solve.Term{Var: budget, Coef: -granule})...)
	}
	m, err := b.Build()
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	res, err := solver.Solve(ctx, m, opt)
	if err != nil {
		return nil, fmt.Errorf("encode: %s: %w", free.Name, err)
	}
	out := &Budget{Amount: upper * granule, Choice: choice}
	if res.Values != nil {
		out.Choice = r.choice(v, res.Values)
		out.Amount = need(free.Uses(out.Choice)) * granule
	}
	out.Proven = res.Bound != nil && ratCeil(res.Bound) > out.Amount-granule
	for l, u := range free.Uses(out.Choice) {
		if offsets[l] != Fixed && out.Amount+offsets[l]-u < granule {
			out.Tight = append(out.Tight, l)
		}
	}
	return out, nil
}

// descend finds a choice with a small need: the least total use per node, then
// one node after the other re-chosen while that helps.
func descend(s *Selection, need func([]int64) int64) Choice {
	c := make(Choice, len(s.Nodes))
	for n := range c {
		least := int64(math.MaxInt64)
		for i, cand := range s.Nodes[n].Candidates {
			var sum int64
			for _, u := range cand.Use {
				sum += u
			}
			if sum < least {
				least, c[n] = sum, i
			}
		}
	}
	best := need(s.Uses(c))
	for improved := true; improved; {
		improved = false
		for n := range c {
			old := c[n]
			for i := range s.Nodes[n].Candidates {
				c[n] = i
				if v := need(s.Uses(c)); v < best {
					best, old, improved = v, i, true
				}
			}
			c[n] = old
		}
	}
	return c
}
