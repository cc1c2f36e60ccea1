package mip

import (
	"math"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// infeasible looks for a Farkas vector of box b after the relaxation was
// called infeasible: a single row, CLP's ray, then the duals of the elastic
// program. nil if none proves it. An empty box needs no multipliers.
func (w *worker) infeasible(b box) *solve.Dual {
	if b.empty() {
		return &solve.Dual{Den: 1}
	}
	if d := w.oneRow(b); d != nil {
		return d
	}
	if ray := w.relax.ray(); ray != nil {
		if d := w.prover.excludes(ray, b); d != nil {
			return d
		}
	}
	if w.stopped() {
		return nil
	}
	if w.elastic == nil {
		e, err := newElastic(w.relax.problem)
		if err != nil {
			return nil
		}
		w.elastic = e
	}
	y, iterations := w.elastic.duals(w)
	w.stats.LPs++
	w.stats.LPIterations += int64(iterations)
	if y == nil {
		return nil
	}
	return w.prover.excludes(y, b)
}

// oneRow finds a row that the box alone violates.
func (w *worker) oneRow(b box) *solve.Dual {
	for i := range w.in.m.Rows {
		r := &w.in.m.Rows[i]
		var least, most int64
		for _, t := range r.Terms {
			x, y := t.Coef*b.lo[t.Var], t.Coef*b.hi[t.Var]
			least, most = least+min(x, y), most+max(x, y)
		}
		switch {
		case r.Sense != solve.LE && most < r.RHS:
			return &solve.Dual{Den: 1, Rows: []int{i}, Num: []int64{1}}
		case r.Sense != solve.GE && least > r.RHS:
			return &solve.Dual{Den: 1, Rows: []int{i}, Num: []int64{-1}}
		}
	}
	return nil
}

// elastic is the program that minimises the total violation of the rows. Its
// duals lie in [−1, 1] and form a Farkas vector when the minimum is positive.
type elastic struct {
	problem *lp.Problem
	clp     *program
}

func newElastic(p *lp.Problem) (*elastic, error) {
	rows, cols := p.Dims()
	q := &lp.Problem{
		ColLower: append([]float64(nil), p.ColLower...), ColUpper: append([]float64(nil), p.ColUpper...),
		Cost:     make([]float64, cols),
		RowLower: p.RowLower, RowUpper: p.RowUpper,
		Start: append([]int32(nil), p.Start...), Index: append([]int32(nil), p.Index...), Value: append([]float64(nil), p.Value...),
	}
	add := func(i int, v float64) {
		q.ColLower, q.ColUpper, q.Cost = append(q.ColLower, 0), append(q.ColUpper, math.Inf(1)), append(q.Cost, 1)
		q.Index, q.Value = append(q.Index, int32(i)), append(q.Value, v)
		q.Start = append(q.Start, int32(len(q.Index)))
	}
	for i := range rows {
		if !math.IsInf(p.RowLower[i], -1) {
			add(i, 1)
		}
		if !math.IsInf(p.RowUpper[i], 1) {
			add(i, -1)
		}
	}
	x, err := newProgram(q)
	if err != nil {
		return nil, err
	}
	return &elastic{q, x}, nil
}

// duals solves in the bounds of the relaxation's last solve; nil without an optimum.
func (e *elastic) duals(w *worker) ([]float64, int) {
	copy(e.problem.ColLower, w.relax.problem.ColLower)
	copy(e.problem.ColUpper, w.relax.problem.ColUpper)
	if e.clp.lost || e.clp.simplex.SetBounds(e.problem.ColLower, e.problem.ColUpper) != nil {
		return nil, 0
	}
	sol := e.clp.solve(w.ctx, w.limit(0), false)
	if sol.Status != lp.Optimal {
		return nil, sol.Iterations
	}
	return sol.Dual, sol.Iterations
}
