package mip

import (
	"cmp"
	"math"
	"slices"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

const (
	dives          = 4     // at most, while the gap is open
	diveSteps      = 1000  // of a dive, at most
	diveRounds     = 8     // of pricing after each step of a dive
	roundEffort    = 20000 // simplex iterations that the integer master may always use
	relativeEffort = 4     // and as a multiple of what the columns took
)

// closed reports whether the incumbent meets the bound.
func (c *colgen) closed() bool {
	return c.bestObj != nil && c.bound != nil && c.bound.Cmp(c.bestObj) >= 0
}

// kind is that of the program's column j.
func (c *colgen) kind(j int) solve.Kind {
	if n := len(c.p.Master.Vars); j >= n {
		return c.p.Groups[c.columns[j-n].Group].Kind
	}
	return c.p.Master.Vars[j].Kind
}

// dive fixes part of the relaxation at whole numbers and generates the columns
// that the rest wants, until all is integral. The first dive fixes whole parts, and
// rounds up the largest fraction when there are none; the others, which commit
// themselves less, only round up: at first the k-th largest fraction, then the
// largest.
func (c *colgen) dive(k int) error {
	for pick, step := max(k-1, 0), 0; c.last.Status == lp.Optimal && step < diveSteps; pick, step = 0, step+1 {
		x := c.last
		if done, err := c.integral(x); done || err != nil {
			return err
		}
		if !c.fix(x.Primal, k == 0, pick) {
			return nil
		}
		c.close()
		if err := c.simplex.SetBounds(c.lo, c.hi); err != nil {
			return err
		}
		if err := c.generate(diveRounds, true); err != nil || c.stopped() {
			return err
		}
		if c.last.Status == lp.Optimal && c.bestObj != nil && c.p.RoundUp(ratOf(c.relaxation()-1e-6)).Cmp(c.bestObj) >= 0 {
			return nil
		}
	}
	return nil
}

// surface puts the bounds and the relaxation's solution back after a dive.
func (c *colgen) surface(root *lp.Solution, basis lp.Basis) error {
	for j := range c.lo {
		c.lo[j], c.hi[j] = c.bounds(j)
	}
	c.last, c.need = root, nil
	if err := c.simplex.SetBounds(c.lo, c.hi); err != nil {
		return err
	}
	if n := len(c.lo) - len(root.Primal); n > 0 {
		basis = slices.Insert(slices.Clone(basis), len(root.Primal), lp.SlackBasis(0, n)...)
	}
	c.simplex.SetBasis(basis)
	return nil
}

// bounds are those of the program's column j outside dives.
func (c *colgen) bounds(j int) (lo, hi float64) {
	if n := len(c.p.Master.Vars); j >= n {
		return 0, float64(c.p.Groups[c.columns[j-n].Group].Upper())
	}
	v := &c.p.Master.Vars[j]
	return float64(v.Lower), float64(v.Upper)
}

// close counts what the lower bounds leave of the right-hand sides, and closes
// the columns that would overshoot: the rest is better off with columns made for
// it.
func (c *colgen) close() {
	c.need = slices.Clone(c.in.rhs)
	n := len(c.p.Master.Vars)
	for j := range n {
		for k := c.in.start[j]; k < c.in.start[j+1]; k++ {
			c.need[c.in.row[k]] -= c.in.coef[k] * int64(c.lo[j])
		}
	}
	for k := range c.columns {
		for _, t := range c.columns[k].Terms {
			c.need[t.Row] -= t.Coef * int64(c.lo[n+k])
		}
	}
	for k := range c.columns {
		for _, t := range c.columns[k].Terms {
			if c.in.sense[t.Row] != solve.LE && t.Coef > max(c.need[t.Row], 0) && c.kind(n+k).Integral() {
				c.hi[n+k] = c.lo[n+k]
			}
		}
	}
}

// fix raises lower bounds: if asked to, to the whole part of x; where that
// changes nothing, that of the largest fraction but pick to the next integer. It
// reports whether there was anything to do.
func (c *colgen) fix(x []float64, whole bool, pick int) bool {
	changed := false
	var fractions []int
	for j, v := range x {
		if !c.kind(j).Integral() {
			continue
		}
		floor := math.Floor(v + integrality)
		if whole && floor > c.lo[j] {
			c.lo[j], changed = min(floor, c.hi[j]), true
		}
		if v-floor > integrality && floor < c.hi[j] {
			fractions = append(fractions, j)
		}
	}
	if changed || pick >= len(fractions) {
		return changed
	}
	slices.SortStableFunc(fractions, func(a, b int) int {
		return -cmp.Compare(x[a]-math.Floor(x[a]), x[b]-math.Floor(x[b]))
	})
	c.lo[fractions[pick]] = math.Floor(x[fractions[pick]]+integrality) + 1
	return true
}

// integral offers x if its integral variables are whole numbers, and reports
// whether they are.
func (c *colgen) integral(x *lp.Solution) (bool, error) {
	values := make([]int64, len(x.Primal))
	fractions := false // continuous variables off the integers
	for j, v := range x.Primal {
		r := math.Round(v)
		if math.Abs(v-r) > integrality {
			if c.kind(j).Integral() {
				return false, nil
			}
			fractions = true
		}
		values[j] = int64(r)
	}
	if fractions {
		return true, nil // the integer master completes it
	}
	return true, c.offer(&solve.Assignment{Values: values})
}

// offer makes an assignment of the columns so far the incumbent if it is
// feasible and better.
func (c *colgen) offer(a *solve.Assignment) error {
	m, err := c.p.Model(c.columns)
	if err != nil {
		return err
	}
	if m.Check(a) != nil {
		return nil
	}
	obj, err := m.Evaluate(a)
	if err != nil || c.bestObj != nil && obj.Cmp(c.bestObj) >= 0 {
		return nil
	}
	c.best, c.bestObj = a, obj
	c.log.Info("incumbent", "columns", len(c.columns), "best", text(obj), "bound", text(c.bound))
	return nil
}

// round solves the integer program over the columns found. Its proof would be
// about those only, so its effort is bounded even when the problem's is not.
func (c *colgen) round(s Solver) error {
	if c.closed() || c.ctx.Err() != nil {
		return nil
	}
	m, err := c.p.Model(c.columns)
	if err != nil {
		return err
	}
	opt := c.opt
	opt.TimeLimit = 0 // the context has it
	opt.Effort = max(roundEffort, relativeEffort*c.stats.LPIterations)
	if c.opt.Effort > 0 {
		opt.Effort = min(opt.Effort, max(1, c.opt.Effort-c.stats.LPIterations))
	}
	opt.WarmStart = nil
	if c.best != nil {
		opt.WarmStart = append(append([]int64(nil), c.best.Values...), make([]int64, len(m.Vars)-len(c.best.Values))...)
	}
	r, err := s.Solve(c.ctx, m, opt)
	if err != nil {
		return err
	}
	c.stats.LPIterations += r.Stats.LPIterations
	c.stats.Nodes += r.Stats.Nodes
	if r.Objective != nil && (c.bestObj == nil || r.Objective.Cmp(c.bestObj) < 0) {
		c.best, c.bestObj = &r.Assignment, r.Objective
	}
	return nil
}
