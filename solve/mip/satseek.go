package mip

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"ipusolve/solve"
	"ipusolve/solve/lp"
	"ipusolve/solve/sat"
)

// seeker looks for a first incumbent of a pure 0-1 model by SAT search near a
// relaxation's solution: the choices that the relaxation is sure of are
// assumptions, and those that SAT search finds in contradiction are freed, the
// least sure first. gini cannot be stopped after a deterministic amount of
// work, so it only gets problems with few free variables.
//
// What SAT search says of infeasibility is not certified. It serves as a hint:
// heuristics stop when there is nothing to find, and a contradiction that the
// relaxation confirms becomes a no-good.
type seeker struct {
	formula *sat.Formula
	lits    []sat.Lit
	times   int
	barren  bool // SAT search has found that there is no assignment
}

const (
	seekEncoding = 400000 // entries times bits of their row's coefficients, at most
	seekCalls    = 60     // of gini, each time
	seekFree     = 48     // free variables the first time, and so many more each time
	seekMost     = 192
	seekSure     = 0.2 // distance from an integer up to which a value counts as sure
	seekNodes    = 8   // the next time comes when there are so many times more nodes
)

// newSeeker encodes the model; nil when it is not pure 0-1, or large.
func newSeeker(in *instance, b box) *seeker {
	size := 0
	for j := range b.lo {
		if !in.integral[j] || b.lo[j] < 0 || b.hi[j] > 1 {
			return nil
		}
	}
	for i := range in.m.Rows {
		var most uint64
		for _, t := range in.m.Rows[i].Terms {
			most = max(most, abs64(t.Coef))
		}
		if size += len(in.m.Rows[i].Terms) * bits.Len64(most); size > seekEncoding {
			return nil
		}
	}
	k := &seeker{formula: sat.New()}
	k.lits = k.formula.NewVars(len(b.lo))
	for j := range b.lo {
		if b.lo[j] == 1 {
			k.formula.AddClause(k.lits[j])
		}
		if b.hi[j] == 0 {
			k.formula.AddClause(-k.lits[j])
		}
	}
	for i := range in.m.Rows {
		r := &in.m.Rows[i]
		terms := make([]sat.Weighted, len(r.Terms))
		for e, t := range r.Terms {
			terms[e] = sat.Weighted{Lit: k.lits[t.Var], Weight: t.Coef}
		}
		if r.Sense != solve.GE {
			k.formula.LinearAtMost(r.RHS, terms...)
		}
		if r.Sense != solve.LE {
			k.formula.LinearAtLeast(r.RHS, terms...)
		}
	}
	return k
}

// wants reports whether it is time to look, after that many nodes.
func (k *seeker) wants(nodes int) bool {
	return !k.barren && float64(nodes) >= math.Pow(seekNodes, float64(k.times))
}

// seek looks around w's last solution.
func (w *worker) seek(k *seeker) {
	x := w.point
	if x == nil {
		return
	}
	k.times++
	limit := min(seekFree*k.times, seekMost)
	b := w.rootFixed()
	sure := w.sureChoices(x, b)
	for range seekCalls {
		if w.stopped() || w.freeVariables(sure, b) > limit {
			return
		}
		assume := make([]sat.Lit, len(sure))
		for e, c := range sure {
			assume[e] = k.lits[c.Var]
			if c.Upper {
				assume[e] = -assume[e]
			}
		}
		w.stats.SATCalls++
		w.stats.Work += int64(k.formula.Clauses())
		switch k.formula.Solve(w.ctx, assume...) {
		case sat.Satisfiable:
			values := make([]int64, len(x))
			for j, l := range k.lits {
				if k.formula.Value(l) {
					values[j] = 1
				}
			}
			w.accept(values, nil)
			return
		case sat.Unsatisfiable:
			core := map[sat.Lit]bool{}
			for _, l := range k.formula.Core() {
				core[l] = true
			}
			if len(core) == 0 {
				k.barren = true
				w.note(func() { w.log.Info("sat", "says", "infeasible") })
				return
			}
			var blamed []int // positions in sure, surest first
			for e := range sure {
				if core[assume[e]] {
					blamed = append(blamed, e)
				}
			}
			w.confirm(sure, blamed)
			drop := blamed[len(blamed)/2:]
			for _, e := range slices.Backward(drop) {
				sure = slices.Delete(sure, e, e+1)
			}
		default:
			return
		}
	}
}

// sureChoices are the values of x that are nearly integers, surest first: of
// exactly-one rows the member at 1, which implies the others.
func (w *worker) sureChoices(x []float64, b box) (list []solve.BoundChange) {
	for j := range x {
		switch {
		case b.lo[j] == b.hi[j]:
		case x[j] >= 1-seekSure:
			list = append(list, solve.BoundChange{Var: j, Bound: 1})
		case x[j] <= seekSure && !w.in.inSet[j]:
			list = append(list, solve.BoundChange{Var: j, Upper: true})
		}
	}
	slices.SortStableFunc(list, func(a, b solve.BoundChange) int {
		return cmp.Compare(math.Abs(x[b.Var]-0.5), math.Abs(x[a.Var]-0.5))
	})
	return list
}

// freeVariables counts those that the choices leave open, exactly-one rows
// considered.
func (w *worker) freeVariables(sure []solve.BoundChange, b box) (n int) {
	fixed := make([]bool, len(b.lo))
	for _, c := range sure {
		fixed[c.Var] = true
	}
	for _, i := range w.in.sets {
		terms := w.in.m.Rows[i].Terms
		if slices.ContainsFunc(terms, func(t solve.Term) bool { return fixed[t.Var] && w.in.inSet[t.Var] }) {
			for _, t := range terms {
				fixed[t.Var] = true
			}
		}
	}
	for j := range fixed {
		if !fixed[j] && b.lo[j] < b.hi[j] {
			n++
		}
	}
	return n
}

// confirm asks the relaxation whether the blamed choices contradict, for then
// there is a Farkas vector, and a no-good.
func (w *worker) confirm(sure []solve.BoundChange, blamed []int) {
	if !w.on(solve.NoGoods) || len(blamed) > noGoodBounds {
		return
	}
	b := w.rootFixed()
	for _, e := range blamed {
		b.tighten(sure[e])
	}
	if sol := w.relaxation(b, w.relax.slackBasis(), strongIterations); sol.Status != lp.Infeasible {
		return
	}
	if d := w.infeasible(b); d != nil {
		w.learnNoGood(d, b)
	}
}
