package encode

import (
	"context"
	"fmt"
	"math"
	"slices"

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
// of the candidates with the least sum of uses must be within all fixed limits. It
// minimises V in an integer model over the candidates that are not dominated in use.
func LeastBudget(ctx context.Context, s *Selection, offsets []int64, granule int64, solver solve.Solver, opt solve.Options) (*Budget, error) {
	free := &Selection{Name: s.Name + "/budget", Nodes: slices.Clone(s.Nodes), Limits: slices.Clone(s.Limits)}
	costless := map[*Candidate][]Candidate{} // nodes alike stay alike
	for n := range free.Nodes {
		cands := s.Nodes[n].Candidates
		if costless[&cands[0]] == nil {
			list := make([]Candidate, len(cands))
			for i, c := range cands {
				list[i] = Candidate{Use: c.Use}
			}
			costless[&cands[0]] = list
		}
		free.Nodes[n].Candidates = costless[&cands[0]]
	}
	needOf := func(l int, u int64) int64 { // granules
		switch {
		case offsets[l] != Fixed:
			return ceilDiv(u-offsets[l], granule)
		case u > s.Limits[l].Amount:
			return math.MaxInt64
		}
		return 0
	}
	need := func(uses []int64) int64 {
		var most int64
		for l, u := range uses {
			most = max(most, needOf(l, u))
		}
		return most
	}
	choice, err := descend(ctx, free, offsets, needOf)
	if err != nil {
		return nil, err
	}
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
	r.frugal(ctx, r.kinds)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("encode: %s: %w", free.Name, ctx.Err())
	}
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

// descend finds a choice with a small need: the least total use per kind of node,
// then one kind after the other re-chosen while that helps. Nodes of a kind choose
// alike.
func descend(ctx context.Context, s *Selection, offsets []int64, need func(limit int, use int64) int64) (Choice, error) {
	// Limits are alike if the budget means the same to them.
	meant := *s
	meant.Limits = slices.Clone(s.Limits)
	for l := range meant.Limits {
		if offsets[l] == Fixed {
			meant.Limits[l].Amount += math.MinInt64 / 2
		} else {
			meant.Limits[l].Amount = offsets[l]
		}
	}
	g := findKinds(&meant)
	g.alike(&meant)
	c := make([]int, len(g.nodes)) // per kind
	cands := make([][]Candidate, len(g.nodes))
	total := make([]int64, len(g.limits)) // uses of one limit of each group
	add := func(k int, sign int64) {
		for l := range total {
			total[l] += sign * g.use(k, l, cands[k][c[k]].Use)
		}
	}
	for k, members := range g.nodes {
		cands[k] = s.Nodes[members[0]].Candidates
		least := int64(math.MaxInt64)
		for i, cand := range cands[k] {
			var sum int64
			for _, u := range cand.Use {
				sum += u
			}
			if sum < least {
				least, c[k] = sum, i
			}
		}
		add(k, 1)
	}
	best := int64(0)
	for l, limits := range g.limits {
		best = max(best, need(limits[0], total[l]))
	}
	for improved := true; improved; {
		improved = false
		for k := range g.nodes {
			add(k, -1)
			for i := range cands[k] {
				if i%1024 == 0 && ctx.Err() != nil {
					return nil, fmt.Errorf("encode: %s: %w", s.Name, ctx.Err())
				}
				var v int64
				for l, limits := range g.limits {
					if v = max(v, need(limits[0], total[l]+g.use(k, l, cands[k][i].Use))); v >= best {
						break
					}
				}
				if v < best {
					best, c[k], improved = v, i, true
				}
			}
			add(k, 1)
		}
	}
	choice := make(Choice, len(s.Nodes))
	for n, k := range g.of {
		choice[n] = c[k]
	}
	return choice, nil
}

// use is what a limit of a group sees of a kind whose nodes all use this.
func (g *kinds) use(k, group int, use []int64) int64 {
	var u int64
	for j, count := range g.counts[k][group] {
		if count != 0 {
			u += count * use[j]
		}
	}
	return u / int64(len(g.limits[group]))
}
