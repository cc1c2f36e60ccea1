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
func (s *search) heuristics(n *node, b box, sol *lp.Solution, basis lp.Basis) {
	values, fractional := s.round(sol.Primal, b)
	if fractional == 0 {
		s.accept(values, sol.Primal)
		return
	}
	if s.on(solve.Rounding) {
		s.accept(s.roundSets(sol.Primal, values), sol.Primal)
	}
	if s.on(solve.DualAscent) && s.selection != nil && (n == s.root || s.stats.Nodes%diveEvery == 0) {
		s.decode(n, b)
	}
	if s.on(solve.Diving) && (n == s.root || s.stats.Nodes%diveEvery == 0) && !s.closes(n.bound) {
		s.diving(b, sol, basis)
	}
}

// decode reads choices off the node's dual vector, which prices the side rows as
// well, and improves them by local search.
func (s *search) decode(n *node, b box) {
	d := n.dual
	if d == nil || n.farkas {
		return
	}
	if _, ok := s.prover.evaluate(d, b, false); !ok {
		return
	}
	c := newDecoder(s.ctx, &ascent{in: s.in, s: s.selection, rc: slices.Clone(s.prover.rc)})
	for _, forward := range [...]bool{true, false} {
		c.decode(forward)
		s.accept(c.finish(), nil)
	}
}

// round rounds to the nearest integers of the box, and counts the integral
// variables that were fractional.
func (s *search) round(x []float64, b box) (values []int64, fractional int) {
	values = make([]int64, len(x))
	for j := range x {
		r := math.Round(x[j])
		if s.in.integral[j] && math.Abs(r-x[j]) > integrality {
			fractional++
		}
		values[j] = min(max(int64(r), b.lo[j]), b.hi[j])
	}
	return values, fractional
}

// roundSets puts the 1 of every exactly-one row on its largest member; members
// of two rows keep what the earlier row decided.
func (s *search) roundSets(x []float64, values []int64) []int64 {
	out := append([]int64(nil), values...)
	decided := make([]bool, len(x))
	for _, i := range s.in.sets {
		one := -1
		for _, t := range s.in.m.Rows[i].Terms {
			switch {
			case decided[t.Var] && out[t.Var] == 1:
				one = t.Var
			case one >= 0 && decided[one]:
			case !decided[t.Var] && (one < 0 || x[t.Var] > x[one]):
				one = t.Var
			}
		}
		for _, t := range s.in.m.Rows[i].Terms {
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
func (s *search) accept(values []int64, x []float64) bool {
	onIntegers := true
	for j := range x {
		onIntegers = onIntegers && (s.in.integral[j] || math.Abs(x[j]-float64(values[j])) <= integrality)
	}
	a := &solve.Assignment{Values: values}
	if s.in.continuous == 0 || onIntegers {
		if s.in.m.Check(a) == nil {
			return s.improve(a)
		}
	}
	return s.in.continuous > 0 && s.complete(values)
}

// complete solves for the continuous variables with the others fixed.
func (s *search) complete(values []int64) bool {
	b := s.rootFixed()
	for j, v := range values {
		if s.in.integral[j] {
			if v < b.lo[j] || v > b.hi[j] {
				return false
			}
			b.lo[j], b.hi[j] = v, v
		}
	}
	if sol := s.relaxation(b, nil, 0); sol.Status != lp.Optimal {
		if sol = s.relaxation(b, s.relax.slackBasis(), 0); sol.Status != lp.Optimal {
			return false
		}
	}
	basis := s.relax.basis()
	if basis == nil {
		return false
	}
	a, ok := s.in.exactPrimal(basis, b)
	return ok && s.in.m.Check(a) == nil && s.improve(a)
}

// improve keeps a feasible assignment if it is better.
func (s *search) improve(a *solve.Assignment) bool {
	obj, err := s.in.m.Evaluate(a)
	if err != nil || (s.bestObj != nil && obj.Cmp(s.bestObj) >= 0) {
		return false
	}
	s.best, s.bestObj = a, obj
	s.stats.Incumbents++
	if s.on(solve.ReducedCostFixing) && s.root.split != nil {
		s.fix(s.root, s.rootBox.clone())
	}
	s.line("incumbent")
	return true
}

func (s *search) warmStart(values []int64) {
	if len(values) != len(s.in.cost) || !s.accept(values, nil) {
		s.log.Info("warm start refused")
	}
}

// diving fixes one variable after the other near its relaxation value, with
// one step back per variable.
func (s *search) diving(b box, sol *lp.Solution, basis lp.Basis) {
	w := b.clone()
	limit := s.stats.LPIterations + max(diveMinEffort, s.stats.LPIterations)
	for !s.stopped() && s.stats.LPIterations < limit {
		j, v := s.diveChoice(sol.Primal, w)
		if j < 0 {
			values, _ := s.round(sol.Primal, w)
			s.accept(values, sol.Primal)
			return
		}
		before := w.clone()
		for _, i := range s.in.sets {
			for _, t := range s.in.m.Rows[i].Terms {
				if sol.Primal[t.Var] >= diveTogether && w.hi[t.Var] >= 1 {
					w.lo[t.Var] = max(w.lo[t.Var], 1)
				}
			}
		}
		w.lo[j], w.hi[j] = v, v
		next := s.relaxation(w, basis, 0)
		if s.hopeless(next) {
			w = before
			if float64(v) > sol.Primal[j] {
				w.hi[j] = v - 1
			} else {
				w.lo[j] = v + 1
			}
			if next = s.relaxation(w, basis, 0); s.hopeless(next) {
				return
			}
		}
		sol, basis = next, nil
	}
}

// hopeless reports that a dive cannot end in a better incumbent.
func (s *search) hopeless(sol *lp.Solution) bool {
	if sol.Status != lp.Optimal {
		return true
	}
	obj := sol.Objective + float64(s.in.m.Constant)
	return s.closes(s.in.roundUp(ratOf(obj - 1e-6*(1+math.Abs(obj)*1e-6))))
}

// diveChoice is the fractional variable to fix and its value: the largest
// member of an exactly-one row, else the one nearest to an integer.
func (s *search) diveChoice(x []float64, b box) (int, int64) {
	best, score := -1, math.Inf(-1)
	for j := range x {
		f := x[j] - math.Floor(x[j])
		if !s.in.integral[j] || b.lo[j] == b.hi[j] || min(f, 1-f) <= integrality {
			continue
		}
		v := 1 - min(f, 1-f) // in (0.5, 1]
		if s.in.inSet[j] {
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
	if s.in.inSet[best] {
		v = math.Ceil(x[best])
	}
	return best, min(max(int64(v), b.lo[best]), b.hi[best])
}
