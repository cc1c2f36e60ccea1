package mip

import (
	"cmp"
	"math"
	"slices"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

const (
	reliable         = 1   // observations per side that make a pseudo-cost trusted
	strongCandidates = 4   // measured per node
	strongIterations = 100 // per measured side
	strongMinEffort  = 2000
)

// candidate is a possible split with its distances: how much relaxation value
// each side takes away.
type candidate struct {
	split    split
	key      int // of the pseudo-cost: variable, or number of variables + row
	down, up float64
	preferUp bool
	score    float64
}

// branch splits n, whose box is b, and queues the children. Without sol, or
// when nothing is fractional, any free integral variable is split.
func (w *worker) branch(n *node, b box, sol *lp.Solution) {
	var c *candidate
	if sol != nil {
		c = w.choose(w.candidates(b, sol.Primal), n, b, sol)
	}
	if c == nil {
		if d := w.oneRow(b); d != nil && len(n.fix) == 0 {
			n.dual, n.farkas = d, true // the relaxation was feasible within tolerances only
			return
		}
		if c = w.anySplit(n, b, sol); c == nil {
			if d := w.infeasible(b); d != nil {
				n.dual, n.farkas = d, true
			} else {
				w.stuck = append(w.stuck, n)
			}
			return
		}
	}
	n.split = &c.split
	down, up := c.split.changes()
	for k, ch := range [2][]solve.BoundChange{down, up} {
		n.kids[k] = &node{parent: n, changes: ch, basis: n.basis, bound: n.bound, depth: n.depth + 1,
			dist: [2]float64{c.down, c.up}[k]}
		w.made = append(w.made, n.kids[k])
		if sol != nil {
			n.kids[k].parentObj = sol.Objective
		} else {
			n.kids[k].dist = 0
		}
	}
	first, second := n.kids[0], n.kids[1]
	if c.preferUp {
		first, second = second, first
	}
	w.open = append(w.open, second)
	if w.on(solve.Plunging) {
		w.dive = first
	} else {
		w.open = append(w.open, first)
	}
}

// anySplit halves the box where the relaxation gives no reason to: at the
// relaxation's value if there is one. If reduced costs have just fixed
// everything, the node is solved again inside them: the split's other side is
// empty.
func (w *worker) anySplit(n *node, b box, sol *lp.Solution) *candidate {
	for j := range b.lo {
		if !w.in.integral[j] || b.lo[j] >= b.hi[j] {
			continue
		}
		at := b.lo[j] + (b.hi[j]-b.lo[j])/2
		if sol != nil {
			at = min(max(int64(math.Round(sol.Primal[j])), b.lo[j]), b.hi[j]-1)
		}
		return &candidate{split: split{v: j, at: at}}
	}
	if len(n.fix) > 0 {
		c := n.fix[0]
		if c.Upper {
			return &candidate{split: split{v: c.Var, at: c.Bound}}
		}
		return &candidate{split: split{v: c.Var, at: c.Bound - 1}, preferUp: true}
	}
	return nil
}

// candidates lists the fractional variables and the exactly-one rows with
// fractional members.
func (w *worker) candidates(b box, x []float64) (out []candidate) {
	for j := range x {
		f := x[j] - math.Floor(x[j])
		at := int64(math.Floor(x[j]))
		if !w.in.integral[j] || min(f, 1-f) <= integrality || at < b.lo[j] || at >= b.hi[j] {
			continue
		}
		out = append(out, candidate{split: split{v: j, at: at}, key: j, down: f, up: 1 - f, preferUp: f > 0.5 || w.in.inSet[j]})
	}
	if w.on(solve.ExactlyOneBranching) {
		for _, i := range w.in.sets {
			if c, ok := w.splitRow(i, b, x); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// splitRow cuts an exactly-one row where its relaxation value, in the order of
// the row, passes one half. Rows with two positive members only are left to
// the variables.
func (w *worker) splitRow(i int, b box, x []float64) (candidate, bool) {
	terms := w.in.m.Rows[i].Terms
	positive := 0
	for _, t := range terms {
		if b.lo[t.Var] > 0 {
			return candidate{}, false
		}
		if x[t.Var] > integrality {
			positive++
		}
	}
	if positive < 3 {
		return candidate{}, false
	}
	var sum float64
	cut, at := 0, 0.0
	for k, t := range terms {
		sum += max(0, x[t.Var])
		if cut == 0 || math.Abs(sum-0.5) < math.Abs(at-0.5) {
			cut, at = k+1, sum
		}
	}
	if at <= integrality || at >= 1-integrality {
		return candidate{}, false
	}
	c := candidate{split: split{row: i}, key: len(x) + i, down: at, up: 1 - at, preferUp: at > 0.5}
	for k, t := range terms {
		if k < cut {
			c.split.zero = append(c.split.zero, t.Var)
		} else {
			c.split.rest = append(c.split.rest, t.Var)
		}
	}
	return c, true
}

// choose picks the candidate with the best product of gains, measuring the
// promising ones whose pseudo-costs are not reliable yet. nil without any.
func (w *worker) choose(cands []candidate, n *node, b box, sol *lp.Solution) *candidate {
	if len(cands) == 0 {
		return nil
	}
	for k := range cands {
		c := &cands[k]
		if w.on(solve.PseudoCosts) {
			c.score = product(w.estimate(c.key, 0)*c.down, w.estimate(c.key, 1)*c.up)
		} else {
			c.score = min(c.down, c.up)
		}
	}
	slices.SortFunc(cands, func(x, y candidate) int {
		return cmp.Or(-cmp.Compare(x.score, y.score), cmp.Compare(w.pseudo.tie(x.key), w.pseudo.tie(y.key)), cmp.Compare(x.key, y.key))
	})
	if !w.on(solve.StrongBranching) || len(cands) == 1 {
		return &cands[0]
	}
	best := -1
	measured := 0
	for k := range cands {
		c := &cands[k]
		if measured < strongCandidates && w.strongBudget() && !w.reliable(c.key) {
			measured++
			before := w.stats.LPIterations
			d := w.measure(n, b, c, 0, sol.Objective)
			u := w.measure(n, b, c, 1, sol.Objective)
			w.strong += w.stats.LPIterations - before
			if math.IsInf(d, 1) || math.IsInf(u, 1) {
				return c
			}
			c.score = product(d, u)
		}
		if best < 0 || c.score > cands[best].score {
			best = k
		}
	}
	return &cands[best]
}

// strongBudget keeps strong branching at half of all simplex iterations.
func (w *worker) strongBudget() bool {
	return !w.stopped() && w.strong < max(strongMinEffort, w.stats.LPIterations/4)
}

func product(d, u float64) float64 { return max(d, 1e-6) * max(u, 1e-6) }

// measure is the gain of one side of a candidate within a few iterations;
// +Inf if the side closes.
func (w *worker) measure(n *node, b box, c *candidate, side int, obj float64) float64 {
	trial := b.clone()
	down, up := c.split.changes()
	for _, ch := range [2][]solve.BoundChange{down, up}[side] {
		trial.tighten(ch)
	}
	sol := w.relaxation(trial, n.basis, strongIterations)
	if sol.Status == lp.Infeasible || (sol.Status == lp.Optimal && w.hopeless(sol)) {
		return math.Inf(1)
	}
	gain := max(0, sol.Objective-obj)
	if sol.Status == lp.Optimal {
		w.learned.observe(c.key, side, gain/[2]float64{c.down, c.up}[side])
	}
	return gain
}
