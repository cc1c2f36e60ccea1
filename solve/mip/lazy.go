package mip

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"ipusolve/solve"
)

// lazy reveals exact costs while the search runs (solve.Options.Lazy). An
// assignment becomes the incumbent only at its exact costs; whatever the owner
// raises for that is raised in every model in work, for good. Since raised
// variables are integral and never negative, a dual vector proves at least as much
// afterwards as before: nodes closed, fixings, priced steps of the presolve and
// cuts all stay justified, and the certificate is one of the final costs. A node
// whose relaxation gave such an assignment goes back into the queue.
//
// Costs that rise change what every later node sees, so the search then has one
// worker only.
type lazy struct {
	ask   solve.Lazy
	model *solve.Model // the caller's, at costs raised so far
	given *solve.Model // as it came
	size  uint64       // Σ |cost|·largest |value|, so that objectives stay exact
	err   error
	stop  context.CancelFunc // ends the solve after an error

	known  map[int]bool // variables raised
	raised []int        // the same, in the order of raising
}

func newLazy(m *solve.Model, ask solve.Lazy, stop context.CancelFunc) *lazy {
	l := &lazy{ask: ask, stop: stop, given: m, model: m.WithCosts(nil), known: map[int]bool{}, size: abs64(m.Constant)}
	for j := range m.Vars {
		l.size += abs64(m.Vars[j].Cost) * l.reach(j)
	}
	return l
}

func (l *lazy) fail(err error) {
	l.err = err
	l.stop()
}

// reach is the largest absolute value of a variable.
func (l *lazy) reach(j int) uint64 {
	return max(abs64(l.given.Vars[j].Lower), abs64(l.given.Vars[j].Upper))
}

// rise is a cost of the original model that went up.
type rise struct {
	v     int
	delta int64
}

// price asks for the exact costs of an assignment of the original model and raises
// them there.
func (l *lazy) price(values []int64) (up []rise) {
	for _, c := range l.ask(values) {
		if err := l.model.CheckRise(c); err != nil {
			l.fail(err)
			return nil
		}
		v := &l.model.Vars[c.Var]
		delta := c.Cost - v.Cost
		if delta == 0 {
			continue
		}
		// What the variable took before stays counted: the sum is an upper bound.
		if reach := l.reach(c.Var); reach > 0 && abs64(c.Cost) > (solve.MaxActivity-l.size)/reach {
			l.fail(fmt.Errorf("solve: %w: the objective may exceed 2^62", solve.ErrModel))
			return nil
		} else {
			l.size += abs64(c.Cost) * reach
		}
		v.Cost = c.Cost
		if !l.known[c.Var] {
			l.known[c.Var] = true
			l.raised = append(l.raised, c.Var)
		}
		up = append(up, rise{c.Var, delta})
	}
	return up
}

// finish names the costs that rose in a result.
func (l *lazy) finish(r *solve.Result, err error) (*solve.Result, error) {
	if err == nil && l.err != nil {
		err = fmt.Errorf("mip: exact costs: %w", l.err)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(l.raised)
	for _, j := range l.raised {
		r.Raised = append(r.Raised, solve.VarCost{Var: j, Cost: l.model.Vars[j].Cost})
	}
	return r, nil
}

// lazily is what a preparation has for revealing costs.
type lazily struct {
	lazy  *lazy   // nil when all costs are exact
	climb *ascent // in work
}

// revealed is what workers have for it.
type revealed struct {
	prepared *preparation
	raises   int // how often costs rose
}

// granularity is that of the original model; costs that may still rise are
// integers, and no more is known of them.
func (p *preparation) granularity() int64 {
	g := p.original.Granularity()
	if p.lazy != nil {
		g = min(g, 1)
	}
	return g
}

// reveal asks for the exact costs of an assignment of the current model and
// raises them in all models. It returns what rose in the current one, and whether
// anything did: costs of variables that it lacks are in its constant.
func (p *preparation) reveal(a *solve.Assignment) (up []rise, any bool) {
	if p.lazy.err != nil {
		return nil, false
	}
	for k := len(p.stages) - 1; k >= 0; k-- {
		a = p.stages[k].Assignment(a)
	}
	all := p.lazy.price(a.Values)
	for _, r := range all {
		if j := p.carryCost(r); j >= 0 {
			up = append(up, rise{j, r.delta})
		}
	}
	p.raiseAscent(up)
	return up, len(all) > 0
}

// carryCost takes a rise through the stages; −1 when the current model has the
// variable's value only.
func (p *preparation) carryCost(r rise) int {
	j := r.v
	last := p.original
	for k := 0; k < len(p.stages); k++ {
		st := p.stages[k]
		value := int64(0)
		if i := st.Raise(j, r.delta); i >= 0 {
			j, last = i, st.Model
			continue
		}
		value = st.Value(j) * r.delta
		for _, later := range p.stages[k+1:] {
			later.Shift(value)
		}
		if end := p.stages[len(p.stages)-1].Model; p.model != end { // it has cuts
			p.model.Constant += value
		}
		return -1
	}
	p.model.Vars[j].Cost = last.Vars[j].Cost // the model with cuts may have variables of its own
	return j
}

// raiseAscent keeps the ascent in work at the current costs, unless they become too
// large for it; its multipliers prove something at any costs.
func (p *preparation) raiseAscent(up []rise) {
	a := p.climb
	if a == nil || len(up) == 0 {
		return
	}
	total := 0.0
	for _, c := range a.in.cost {
		total += float64(abs64(c))
	}
	for _, r := range up {
		total += float64(r.delta)
	}
	if total*float64(a.den) > ascentTotal || total > broken/4 {
		return
	}
	for _, r := range up {
		a.in.cost[r.v] += r.delta
		a.rc[r.v] += r.delta * a.den
	}
}

// exact is the objective of an assignment, obj so far, at exact costs; nil when it
// is not better than the incumbent.
func (p *preparation) exact(a *solve.Assignment, obj *big.Rat) *big.Rat {
	if p.lazy == nil {
		return obj
	}
	p.reveal(a)
	return p.unlessFailed(better(p.model, a, p.bestObj))
}

// exact is the same in the search, where the relaxation gets the new costs too.
func (w *worker) exact(a *solve.Assignment, obj *big.Rat) *big.Rat {
	if w.prepared == nil || w.prepared.lazy == nil {
		return obj
	}
	up, any := w.prepared.reveal(a)
	for _, r := range up {
		w.in.cost[r.v] += r.delta
		w.problem.Cost[r.v] = float64(w.in.cost[r.v])
	}
	if len(up) > 0 {
		w.relax.recost()
	}
	if any {
		w.raises++
	}
	return w.prepared.unlessFailed(better(w.in.m, a, w.bestObj))
}

func (p *preparation) unlessFailed(obj *big.Rat) *big.Rat {
	if p.lazy != nil && p.lazy.err != nil {
		return nil
	}
	return obj
}

// better is the objective of a, nil if it is not below best.
func better(m *solve.Model, a *solve.Assignment, best *big.Rat) *big.Rat {
	obj, err := m.Evaluate(a)
	if err != nil || best != nil && obj.Cmp(best) >= 0 {
		return nil
	}
	return obj
}

// recost gives CLP the costs of the problem.
func (r *relaxer) recost() {
	cost := make([]float64, len(r.cols))
	for k, j := range r.cols {
		cost[k] = r.problem.Cost[j]
	}
	r.offset = 0
	for j, v := range r.fixed {
		r.offset += v * r.problem.Cost[j]
	}
	if r.clp.lost {
		return
	}
	if err := r.clp.simplex.SetCosts(cost); err != nil {
		panic("mip: " + err.Error()) // costs are those of a model
	}
}
