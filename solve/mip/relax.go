package mip

import (
	"context"
	"fmt"

	"ipusolve/solve/lp"
)

// relaxer solves the relaxation in one box after the other. Columns that are
// fixed for good can be left out of what CLP sees; solutions and bases are
// always those of the whole model.
type relaxer struct {
	problem *lp.Problem // the whole relaxation, in the bounds of the last solve
	clp     *program
	cols    []int     // the columns CLP has
	fixed   []float64 // per column, its value when CLP does not have it
	offset  float64   // cost of those columns
	lo, hi  []float64 // bounds of cols
	started bool      // CLP has a basis of its own making
}

// freshFrom is the number of rows and columns from which a first solve lets CLP
// presolve.
const freshFrom = 2000

func newRelaxer(p *lp.Problem) (*relaxer, error) {
	x, err := newProgram(p)
	if err != nil {
		return nil, err
	}
	_, n := p.Dims()
	r := &relaxer{problem: p, clp: x, cols: make([]int, n), fixed: make([]float64, n)}
	for j := range r.cols {
		r.cols[j] = j
	}
	return r, nil
}

// compact leaves out the columns that b fixes. Every later box must fix them
// at the same values.
func (r *relaxer) compact(b box) error {
	p := r.problem
	q := &lp.Problem{
		RowLower: append([]float64(nil), p.RowLower...), RowUpper: append([]float64(nil), p.RowUpper...),
		Start: []int32{0},
	}
	var cols []int
	offset := 0.0
	fixed := make([]float64, len(r.fixed))
	for j := range b.lo {
		from, to := p.Start[j], p.Start[j+1]
		if b.lo[j] < b.hi[j] {
			cols = append(cols, j)
			q.ColLower, q.ColUpper = append(q.ColLower, float64(b.lo[j])), append(q.ColUpper, float64(b.hi[j]))
			q.Cost = append(q.Cost, p.Cost[j])
			q.Index, q.Value = append(q.Index, p.Index[from:to]...), append(q.Value, p.Value[from:to]...)
			q.Start = append(q.Start, int32(len(q.Index)))
			continue
		}
		fixed[j] = float64(b.lo[j])
		offset += p.Cost[j] * fixed[j]
		for k := from; k < to; k++ {
			q.RowLower[p.Index[k]] -= p.Value[k] * fixed[j]
			q.RowUpper[p.Index[k]] -= p.Value[k] * fixed[j]
		}
	}
	x, err := newProgram(q)
	if err != nil {
		return fmt.Errorf("mip: compact: %w", err)
	}
	r.clp.free()
	r.clp, r.cols, r.fixed, r.offset, r.started = x, cols, fixed, offset, false
	return nil
}

// solve solves in box b, from basis if given, with at most limit iterations (0
// = no limit). The box must not be empty.
func (r *relaxer) solve(ctx context.Context, b box, basis lp.Basis, limit int64) *lp.Solution {
	for j := range b.lo {
		r.problem.ColLower[j], r.problem.ColUpper[j] = float64(b.lo[j]), float64(b.hi[j])
	}
	r.lo, r.hi = r.lo[:0], r.hi[:0]
	for _, j := range r.cols {
		r.lo, r.hi = append(r.lo, r.problem.ColLower[j]), append(r.hi, r.problem.ColUpper[j])
	}
	if r.clp.lost {
		return &lp.Solution{Status: lp.Limit}
	}
	if err := r.clp.simplex.SetBounds(r.lo, r.hi); err != nil {
		panic("mip: " + err.Error()) // the box is finite and not empty
	}
	if basis != nil {
		r.clp.simplex.SetBasis(basis.Select(len(b.lo), r.cols))
	}
	rows, _ := r.problem.Dims()
	sol := r.clp.solve(ctx, limit, !r.started && basis == nil && rows+len(r.cols) >= freshFrom)
	r.started = true
	if sol.Primal == nil {
		return sol
	}
	primal := append([]float64(nil), r.fixed...)
	for k, j := range r.cols {
		primal[j] = sol.Primal[k]
	}
	sol.Primal, sol.Reduced = primal, nil
	sol.Objective += r.offset
	return sol
}

// basis is the last solve's, of the whole model; nil before the first solve.
func (r *relaxer) basis() lp.Basis {
	return r.clp.basis().Expand(len(r.fixed), r.cols)
}

func (r *relaxer) free() { r.clp.free() }

// ray is CLP's for the last solve, which ended infeasible; nil without one.
func (r *relaxer) ray() []float64 {
	if r.clp.lost {
		return nil
	}
	return r.clp.simplex.Ray()
}

// slackBasis is that of a first solve.
func (r *relaxer) slackBasis() lp.Basis {
	rows, cols := r.problem.Dims()
	return lp.SlackBasis(rows, cols)
}
