package mip

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"ipusolve/solve"
	"ipusolve/solve/lp"
	"ipusolve/solve/presolve"
)

const (
	cutRounds    = 10
	cutViolation = 0.02 // of a cut worth adding
	cutGain      = 1e-4 // share of the bound that a round must gain
	cutWeights   = 20   // largest right-hand side tried by weight
)

// derived is a cut with the vector that implies it, both in terms of the model
// without cuts.
type derived struct {
	dual solve.Dual
	cut  solve.Cut
}

// root solves the root's relaxation, and adds cover and clique cuts from the
// model's knapsacks while they raise it. It returns the relaxation of the model
// with the cuts, and a basis to start from. No cut costs a feasible point.
func (p *preparation) root(ctx context.Context) (*relaxer, lp.Basis, error) {
	relax, err := newRelaxer(lp.Relaxation(p.model))
	if err != nil || !p.on(solve.Cuts) {
		return relax, nil, err
	}
	sacks := presolve.Knapsacks(ctx, p.model)
	if len(sacks) == 0 {
		return relax, nil, nil
	}
	in := p.instance()
	box := in.rootBox()
	base := p.model
	var basis lp.Basis
	last := 0.0
	for round := range cutRounds {
		sol := relax.solve(ctx, box, basis, p.simplexLeft())
		p.lps++
		p.iterations += int64(sol.Iterations)
		if sol.Status != lp.Optimal || p.stopped(ctx) {
			return relax, nil, nil
		}
		if round == 0 {
			if q, ok := newProver(in).prove(sol.Dual, box, func(*big.Rat) bool { return false }); ok {
				p.plain = q.dual
				if p.proved.bound == nil || q.bound.Cmp(p.proved.bound) > 0 {
					p.proved = proved{len(p.stages), base, q.dual, q.bound}
				}
			}
		}
		basis = relax.basis()
		if p.closes(sol.Objective - integrality*max(1, sol.Objective, -sol.Objective)) {
			return relax, basis, nil
		}
		found := separate(sacks, sol.Primal)
		p.log.Info("cuts", "round", round, "relaxation", sol.Objective+float64(base.Constant), "have", len(p.cuts), "violated", len(found))
		enough := round > 0 && sol.Objective-last <= cutGain*max(1, sol.Objective, -sol.Objective)
		last = sol.Objective
		// Cuts that are not binding leave: their slacks are basic.
		rows, cols := len(base.Rows), len(base.Vars)
		kept := append(lp.Basis(nil), basis[:cols+rows]...)
		var cuts []derived
		for k, c := range p.cuts {
			if !basis.RowBasic(rows+k, cols) {
				cuts = append(cuts, c)
				kept = append(kept, basis[cols+rows+k])
			}
		}
		purged := len(cuts) < len(p.cuts)
		if enough || round == cutRounds-1 {
			found = nil
		}
		if len(found) == 0 && !purged {
			break
		}
		p.cuts = append(cuts, found...)
		basis = append(kept, lp.SlackBasis(len(found), 0)...)
		p.model = p.withCuts(base)
		relax.free()
		if relax, err = newRelaxer(lp.Relaxation(p.model)); err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			break
		}
	}
	if len(p.cuts) == 0 {
		p.plain = nil
	}
	return relax, basis, nil
}

// simplexLeft is the number of iterations that the effort leaves; 0 without a
// limit.
func (p *preparation) simplexLeft() int64 {
	if p.opt.Effort == 0 {
		return 0
	}
	return max(1, p.opt.Effort-p.effort())
}

// withCuts is base with a row per cut.
func (p *preparation) withCuts(base *solve.Model) *solve.Model {
	m := *base
	m.Rows = slices.Clone(base.Rows)
	for k, c := range p.cuts {
		row := solve.Row{Name: fmt.Sprintf("cut/%d", k), Sense: solve.LE, RHS: c.cut.Most}
		for _, j := range c.cut.Vars {
			row.Terms = append(row.Terms, solve.Term{Var: j, Coef: 1})
		}
		m.Rows = append(m.Rows, row)
	}
	return &m
}

// separate finds for every knapsack the most violated of its cuts at x.
func separate(sacks []presolve.Knapsack, x []float64) (found []derived) {
	for k := range sacks {
		s := &sacks[k]
		best, violation := byWeight(s, x)
		if c, v := byCover(s, x); v > violation {
			best, violation = c, v
		}
		if violation > cutViolation {
			found = append(found, derived{s.Dual, best})
		}
	}
	return found
}

// byWeight tries the cuts "at most k of the items heavier than slack/(k+1)"; the
// first is the knapsack's clique.
func byWeight(s *presolve.Knapsack, x []float64) (best solve.Cut, violation float64) {
	items := slices.Clone(s.Terms)
	slices.SortFunc(items, func(a, b solve.Term) int { return cmp.Or(cmp.Compare(b.Coef, a.Coef), cmp.Compare(a.Var, b.Var)) })
	sum, n := 0.0, 0
	for k := int64(1); k <= cutWeights; k++ {
		for n < len(items) && items[n].Coef > s.Slack/(k+1) { // k+1 of them exceed the slack
			sum += x[items[n].Var]
			n++
		}
		if v := sum - float64(k); v > violation {
			violation, best = v, solve.Cut{Vars: variables(items[:n]), Most: k}
		}
	}
	return best, violation
}

// byCover fills the knapsack beyond its slack with the items nearest to 1, leaves
// out what is not needed, and adds all items at least as heavy as the heaviest.
func byCover(s *presolve.Knapsack, x []float64) (solve.Cut, float64) {
	items := slices.Clone(s.Terms)
	slices.SortFunc(items, func(a, b solve.Term) int {
		return cmp.Or(cmp.Compare(x[b.Var], x[a.Var]), cmp.Compare(b.Coef, a.Coef), cmp.Compare(a.Var, b.Var))
	})
	var weight int64
	n := 0
	for ; n < len(items) && weight <= s.Slack; n++ {
		weight += items[n].Coef
	}
	cover := slices.Clone(items[:n])
	for k := n - 1; k >= 0; k-- {
		if weight-cover[k].Coef > s.Slack {
			weight -= cover[k].Coef
			cover = slices.Delete(cover, k, k+1)
		}
	}
	most := int64(len(cover) - 1)
	heaviest := int64(0)
	in := map[int]bool{}
	sum := 0.0
	for _, t := range cover {
		heaviest, in[t.Var] = max(heaviest, t.Coef), true
		sum += x[t.Var]
	}
	for _, t := range s.Terms {
		if t.Coef >= heaviest && !in[t.Var] {
			cover = append(cover, t)
			sum += x[t.Var]
		}
	}
	return solve.Cut{Vars: variables(cover), Most: most}, sum - float64(most)
}

func variables(items []solve.Term) []int {
	out := make([]int, len(items))
	for k, t := range items {
		out[k] = t.Var
	}
	slices.Sort(out)
	return out
}

// introduce puts the cuts in front of the root of a certificate of the model with
// cuts.
func (p *preparation) introduce(c *solve.Certificate) {
	var fix []solve.Tightening
	for k := range p.cuts {
		fix = append(fix, solve.Tightening{Dual: len(c.Duals), Farkas: true, Cut: &p.cuts[k].cut})
		c.Duals = append(c.Duals, p.cuts[k].dual)
	}
	c.Nodes[0].Fix = append(fix, c.Nodes[0].Fix...)
}
