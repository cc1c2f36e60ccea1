package mip

import (
	"math"
	"slices"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

const (
	diveEvery     = 64   // nodes between two dives after the root's
	diveMinEffort = 2000 // simplex iterations a dive may always use
	diveTogether  = 0.9  // values in exactly-one rows from here are fixed together
)

// heuristics looks for incumbents near a relaxation's solution.
func (w *worker) heuristics(n *node, b box, sol *lp.Solution, basis lp.Basis) {
	values, fractional := w.round(sol.Primal, b)
	if fractional == 0 {
		w.accept(values, sol.Primal)
		return
	}
	if w.barren {
		w.dives = false
		return
	}
	if w.on(solve.Rounding) {
		w.accept(w.roundSets(sol.Primal, values), sol.Primal)
	}
	if w.on(solve.DualAscent) && w.selection != nil && w.dives {
		w.decode(n, b)
	}
	if w.on(solve.Diving) && w.dives && !w.closes(n.bound) {
		w.diving(b, sol, basis)
	}
	w.dives = false
}

// decode reads choices off the node's dual vector, which prices the side rows as
// well, and improves them by local search.
func (w *worker) decode(n *node, b box) {
	d := n.dual
	if d == nil || n.farkas {
		return
	}
	if _, ok := w.prover.evaluate(d, b, false); !ok {
		return
	}
	c := newDecoder(w.ctx, &ascent{in: w.in, s: w.selection, rc: slices.Clone(w.prover.rc)})
	for _, forward := range [...]bool{true, false} {
		if c.decode(forward) {
			w.accept(c.finish(), nil)
		}
	}
	w.stats.Work += c.work
}

// round rounds to the nearest integers of the box, and counts the integral
// variables that were fractional.
func (w *worker) round(x []float64, b box) (values []int64, fractional int) {
	values = make([]int64, len(x))
	for j := range x {
		r := math.Round(x[j])
		if w.in.integral[j] && math.Abs(r-x[j]) > integrality {
			fractional++
		}
		values[j] = min(max(int64(r), b.lo[j]), b.hi[j])
	}
	return values, fractional
}

// roundSets puts the 1 of every exactly-one row on its largest member; members
// of two rows keep what the earlier row decided.
func (w *worker) roundSets(x []float64, values []int64) []int64 {
	out := append([]int64(nil), values...)
	decided := make([]bool, len(x))
	for _, i := range w.in.sets {
		one := -1
		for _, t := range w.in.m.Rows[i].Terms {
			switch {
			case decided[t.Var] && out[t.Var] == 1:
				one = t.Var
			case one >= 0 && decided[one]:
			case !decided[t.Var] && (one < 0 || x[t.Var] > x[one]):
				one = t.Var
			}
		}
		for _, t := range w.in.m.Rows[i].Terms {
			if !decided[t.Var] {
				out[t.Var] = 0
			}
			decided[t.Var] = true
		}
		if one >= 0 {
			out[one] = 1
		}
	}
	return out
}

// accept makes values the incumbent if they are feasible and better. A
// continuous part that x, their relaxation, does not place on the integers is
// completed by a relaxation of its own.
func (w *worker) accept(values []int64, x []float64) bool {
	onIntegers := true
	for j := range x {
		onIntegers = onIntegers && (w.in.integral[j] || math.Abs(x[j]-float64(values[j])) <= integrality)
	}
	a := &solve.Assignment{Values: values}
	if w.in.continuous == 0 || onIntegers {
		if w.in.m.Check(a) == nil {
			return w.improve(a)
		}
	}
	return w.in.continuous > 0 && w.complete(values)
}

// complete solves for the continuous variables with the others fixed.
func (w *worker) complete(values []int64) bool {
	b := w.rootFixed()
	for j, v := range values {
		if w.in.integral[j] {
			if v < b.lo[j] || v > b.hi[j] {
				return false
			}
			b.lo[j], b.hi[j] = v, v
		}
	}
	if sol := w.relaxation(b, nil, 0); sol.Status != lp.Optimal {
		if sol = w.relaxation(b, w.relax.slackBasis(), 0); sol.Status != lp.Optimal {
			return false
		}
	}
	basis := w.relax.basis()
	if basis == nil {
		return false
	}
	a, ok := w.in.exactPrimal(w.ctx, basis, b)
	return ok && w.in.m.Check(a) == nil && w.improve(a)
}

func (w *worker) warmStart(values []int64) {
	if len(values) != len(w.in.cost) || !w.accept(values, nil) {
		w.note(func() { w.log.Info("warm start refused") })
	}
}

// diving fixes one variable after the other near its relaxation value, with
// one step back per variable.
func (w *worker) diving(b box, sol *lp.Solution, basis lp.Basis) {
	trial := b.clone()
	limit := w.stats.LPIterations + max(diveMinEffort, w.stats.LPIterations)
	for !w.stopped() && w.stats.LPIterations < limit {
		j, v := w.diveChoice(sol.Primal, trial)
		if j < 0 {
			values, _ := w.round(sol.Primal, trial)
			w.accept(values, sol.Primal)
			return
		}
		before := trial.clone()
		for _, i := range w.in.sets {
			for _, t := range w.in.m.Rows[i].Terms {
				if sol.Primal[t.Var] >= diveTogether && trial.hi[t.Var] >= 1 {
					trial.lo[t.Var] = max(trial.lo[t.Var], 1)
				}
			}
		}
		trial.lo[j], trial.hi[j] = v, v
		next := w.relaxation(trial, basis, 0)
		if w.hopeless(next) {
			trial = before
			if float64(v) > sol.Primal[j] {
				trial.hi[j] = v - 1
			} else {
				trial.lo[j] = v + 1
			}
			if next = w.relaxation(trial, basis, 0); w.hopeless(next) {
				return
			}
		}
		sol, basis = next, nil
	}
}

// hopeless reports that a dive cannot end in a better incumbent.
func (w *worker) hopeless(sol *lp.Solution) bool {
	if sol.Status != lp.Optimal {
		return true
	}
	obj := sol.Objective + float64(w.in.m.Constant)
	return w.closes(w.in.roundUp(ratOf(obj - 1e-6*(1+math.Abs(obj)*1e-6))))
}

// diveChoice is the fractional variable to fix and its value: the largest
// member of an exactly-one row, else the one nearest to an integer.
func (w *worker) diveChoice(x []float64, b box) (int, int64) {
	best, score := -1, math.Inf(-1)
	for j := range x {
		f := x[j] - math.Floor(x[j])
		if !w.in.integral[j] || b.lo[j] == b.hi[j] || min(f, 1-f) <= integrality {
			continue
		}
		v := 1 - min(f, 1-f) // in (0.5, 1]
		if w.in.inSet[j] {
			v = 2 + f
		}
		if v > score {
			best, score = j, v
		}
	}
	if best < 0 {
		return -1, 0
	}
	v := math.Round(x[best])
	if w.in.inSet[best] {
		v = math.Ceil(x[best])
	}
	return best, min(max(int64(v), b.lo[best]), b.hi[best])
}
