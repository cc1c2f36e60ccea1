package ipusolve

import (
	"fmt"
	"math/big"

	"ipusolve/encode/planning"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/solve"
	"ipusolve/solve/cert"
)

// VerifyReport checks what a report says against itself: the planning bound by
// its certificate, sums, status words and gaps, and the floor from the graph.
// What needs the plan or the rows is checked by VerifyPackage, and listed here as
// not checked.
func VerifyReport(r *Report) []Claim {
	c := reportClaims(r)
	c.needPackage(r)
	c.search(r)
	return c
}

// reportClaims are those that the report alone shows.
func reportClaims(r *Report) claims {
	var c claims
	err := r.Problem.Validate()
	c.holds("problem", r.Problem.Graph.Name, fmt.Sprintf("%d values, %d operations", len(r.Problem.Graph.Values), len(r.Problem.Graph.Ops)), err)
	if err != nil {
		return c
	}
	var total, exchange int64
	for i := range r.Planning.Steps {
		s := &r.Planning.Steps[i]
		total += s.Terms.Total()
		exchange += s.Terms.Exchange()
		if s.Cycles != s.Terms.Total() || s.Exchange != s.Terms.Exchange() {
			c.equal(fmt.Sprintf("planning/step/%d", i), fmt.Sprintf("%d/%d", s.Cycles, s.Exchange), fmt.Sprintf("%d/%d", s.Terms.Total(), s.Terms.Exchange()))
		}
	}
	c.planning(&r.Planning, total)
	c.coverage(&r.Problem, &r.Planning)
	c.equal("planning/exchange", r.Planning.Exchange, exchange)
	if p := r.Placement; p != nil {
		c.placementLevel(p)
	}
	for i := range r.Exchange {
		p := &r.Exchange[i]
		name := fmt.Sprintf("exchange/%d", i)
		if p.Phase != i {
			c.equal(name+"/phase", p.Phase, i)
		}
		c.level(name, p.Status, p.Gap, int64(p.Horizon), int64(p.Bound))
	}
	if r.Cycles != nil {
		c.cycles(r)
	}
	return c
}

// needPackage lists what only a package can show.
func (c *claims) needPackage(r *Report) {
	c.unchecked("planning/steps", fmt.Sprintf("%d steps", len(r.Planning.Steps)), "prices and operations are those of a plan")
	if s := r.Planning.Seed; s != nil {
		c.unchecked("planning/seed", fmt.Sprintf("%d steps", len(s.Steps)), "figures of profile seed are those of a plan")
	}
	if p := r.Placement; p != nil {
		c.unchecked("placement", fmt.Sprintf("%d bytes used, %d alive", p.Used, p.Alive), "addresses are in a package")
	}
	for i := range r.Exchange {
		p := &r.Exchange[i]
		c.unchecked(fmt.Sprintf("exchange/%d", i), fmt.Sprintf("bound %d, horizon %d, %d messages", p.Bound, p.Horizon, p.Transfers), "rows are in a package")
	}
	if cy := r.Cycles; cy != nil {
		c.unchecked("cycles/compute", fmt.Sprint(cy.Compute), "prices are those of a plan")
	}
	if p := r.Package; p != nil {
		c.unchecked("package", fmt.Sprintf("%d tiles, %d calls", p.Tiles, p.Calls), "it is not in the report")
	}
}

// search lists what tells how the answers were found: no file can show that.
func (c *claims) search(r *Report) {
	p := &r.Planning
	c.unchecked("planning/search", fmt.Sprintf("%d candidates, %d considered, %d exact pairs, %d nodes, %d iterations",
		p.Candidates, p.Considered, p.ExactPairs, p.Nodes, p.LPIterations), "statistics of the search")
	if len(p.Tightened) > 0 {
		c.unchecked("planning/tightened", fmt.Sprintf("%d limits", len(p.Tightened)), "placements that failed")
	}
	if len(p.Memory) > 0 {
		c.unchecked("planning/memory", fmt.Sprintf("use of %d limits", len(p.Memory)), "as planning counts it; placement is checked")
	}
	seconds := p.Seconds
	if pl := r.Placement; pl != nil {
		c.unchecked("placement/search", fmt.Sprintf("%d rounds, %d tile problems", pl.Rounds, pl.TileProblems), "statistics of the search")
		seconds += pl.Seconds
	}
	for i := range r.Exchange {
		c.unchecked(fmt.Sprintf("exchange/%d/method", i), r.Exchange[i].Method, "how the schedule was found")
		seconds += r.Exchange[i].Seconds
	}
	if seconds > 0 || len(r.Timings) > 0 {
		c.unchecked("seconds", fmt.Sprintf("%d passes", len(r.Timings)), "times")
	}
}

// planning claims the planning level; objective is the price of the plan.
func (c *claims) planning(p *Planning, objective int64) {
	c.equal("planning/objective", p.Objective, objective)
	if p.Bound == nil {
		c.equal("planning/status", p.Status, StatusHeuristic)
		c.holds("planning/bound", "none", "none", errorIf(p.Gap != nil || p.Difference != nil, "a gap without a bound"))
		return
	}
	bound, err := certified(p)
	c.holds("planning/certificate", fmt.Sprintf("bound %d", *p.Bound), "proves "+ratText(bound), err)
	if err == nil {
		c.equal("planning/rows", p.Rows, len(p.Certificate.Model.Rows))
		c.equal("planning/columns", p.Columns, len(p.Certificate.Model.Vars))
	}
	var g float64
	if p.Gap != nil {
		g = *p.Gap
	}
	c.level("planning", p.Status, g, p.Objective, *p.Bound)
	var difference any
	if p.Difference != nil {
		difference = *p.Difference
	}
	c.equal("planning/difference", difference, p.Objective-*p.Bound)
}

// coverage claims that the certificate's model is one of the problem's, and that
// what it leaves out is in no plan below the bound.
func (c *claims) coverage(problem *model.Problem, p *Planning) {
	if p.Bound == nil || p.Certificate == nil || p.Certificate.Model == nil {
		return
	}
	seen, err := planning.Recheck(problem, p.Certificate.Model, *p.Bound, p.Certificate.Prices)
	c.holds("planning/coverage", fmt.Sprintf("no plan below %d", *p.Bound), seen.String(), err)
}

// certified is the bound that the certificate of a plan proves; an error if it
// is less than what is claimed. Its incumbent is the plan only if the plan is
// optimal: pair costs that no solution used stay lower bounds in a model that a
// limit cut short, and placement may have ruled the incumbent out.
func certified(p *Planning) (*big.Rat, error) {
	if p.Certificate == nil || p.Certificate.Model == nil || p.Certificate.Proof == nil {
		return nil, fmt.Errorf("bound %d comes without a certificate", *p.Bound)
	}
	v, err := cert.Check(p.Certificate.Model, p.Certificate.Proof)
	switch {
	case err != nil:
		return nil, err
	case v.Bound == nil || v.Bound.Cmp(new(big.Rat).SetInt64(*p.Bound)) < 0:
		return nil, fmt.Errorf("the certificate proves %s, the report says %d", ratText(v.Bound), *p.Bound)
	case p.Status == solve.Optimal.String() && v.Objective != nil && v.Objective.Cmp(new(big.Rat).SetInt64(p.Objective)) != 0:
		return nil, fmt.Errorf("the certificate's incumbent costs %s, the plan %d", ratText(v.Objective), p.Objective)
	}
	return v.Bound, nil
}

// cycles claims the prediction's sums and the floor.
func (c *claims) cycles(r *Report) {
	cy := r.Cycles
	var horizons int64
	for i := range r.Exchange {
		horizons += int64(r.Exchange[i].Horizon)
	}
	c.equal("cycles/exchange", cy.Exchange, horizons)
	c.equal("cycles/sync", cy.Sync, int64(len(r.Exchange))*cost.PhaseSync)
	c.equal("cycles/total", cy.Total, cy.Compute+cy.Exchange+cy.Sync+cy.Staging)
	floor := cost.Floor(&r.Problem.Graph, r.Problem.Tiles)
	c.equal("cycles/floor", cy.Floor, floor)
	c.holds("cycles", fmt.Sprint(cy.Total), fmt.Sprintf("at least %d", floor), errorIf(cy.Total < floor, "%d cycles lie below the floor %d", cy.Total, floor))
}

// statusWord is the status of a best value with this bound.
func statusWord(best, bound int64) string {
	if best == bound {
		return solve.Optimal.String()
	}
	return solve.Feasible.String()
}
