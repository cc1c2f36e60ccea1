package lp

import (
	"errors"
	"fmt"
	"math"

	"ipusolve/solve"
)

// ErrProblem is wrapped by every error about malformed numbers or dimensions.
var ErrProblem = errors.New("malformed linear program")

// maxNumber bounds every finite number of a Problem; CLP aborts the process on
// costs from 1e25.
const maxNumber = 1e24

// Problem is: minimise Cost·x with RowLower ≤ A·x ≤ RowUpper and
// ColLower ≤ x ≤ ColUpper; ±Inf means no bound. A is stored by columns: the
// entries of column j are Index and Value [Start[j], Start[j+1]).
type Problem struct {
	ColLower, ColUpper, Cost []float64
	RowLower, RowUpper       []float64
	Start, Index             []int32
	Value                    []float64
}

// Relaxation is the model without its integrality, constant included nowhere.
func Relaxation(m *solve.Model) *Problem {
	n, k := len(m.Vars), len(m.Rows)
	p := &Problem{
		ColLower: make([]float64, n), ColUpper: make([]float64, n), Cost: make([]float64, n),
		RowLower: make([]float64, k), RowUpper: make([]float64, k),
		Start: make([]int32, n+1),
	}
	for j := range m.Vars {
		v := &m.Vars[j]
		p.ColLower[j], p.ColUpper[j], p.Cost[j] = float64(v.Lower), float64(v.Upper), float64(v.Cost)
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		p.RowLower[i], p.RowUpper[i] = float64(r.RHS), float64(r.RHS)
		switch r.Sense {
		case solve.LE:
			p.RowLower[i] = math.Inf(-1)
		case solve.GE:
			p.RowUpper[i] = math.Inf(1)
		}
		for _, t := range r.Terms {
			if t.Coef != 0 {
				p.Start[t.Var+1]++
			}
		}
	}
	for j := range n {
		p.Start[j+1] += p.Start[j]
	}
	p.Index, p.Value = make([]int32, p.Start[n]), make([]float64, p.Start[n])
	at := append([]int32(nil), p.Start[:n]...)
	for i := range m.Rows {
		for _, t := range m.Rows[i].Terms {
			if t.Coef != 0 {
				p.Index[at[t.Var]], p.Value[at[t.Var]] = int32(i), float64(t.Coef)
				at[t.Var]++
			}
		}
	}
	return p
}

// Dims is the number of rows and columns.
func (p *Problem) Dims() (rows, cols int) { return len(p.RowLower), len(p.ColLower) }

// Validate reports the first number or dimension that CLP could not be given.
func (p *Problem) Validate() error {
	rows, cols := p.Dims()
	if len(p.ColUpper) != cols || len(p.Cost) != cols || len(p.RowUpper) != rows || rows > math.MaxInt32/2 || cols > math.MaxInt32/2 {
		return fmt.Errorf("lp: %w: dimensions disagree", ErrProblem)
	}
	if err := validEntries("column", cols, rows, p.Start, p.Index, p.Value); err != nil {
		return err
	}
	for j := range cols {
		if err := validBounds("column", j, p.ColLower[j], p.ColUpper[j]); err != nil {
			return err
		}
	}
	if err := validCosts(p.Cost); err != nil {
		return err
	}
	for i := range rows {
		if err := validBounds("row", i, p.RowLower[i], p.RowUpper[i]); err != nil {
			return err
		}
	}
	return nil
}

// validEntries checks the entries of n columns over so many rows, or of n rows
// over so many columns.
func validEntries(what string, n, over int, start, index []int32, value []float64) error {
	if len(start) != n+1 || len(index) != len(value) {
		return fmt.Errorf("lp: %w: dimensions disagree", ErrProblem)
	}
	if start[0] != 0 || int(start[n]) != len(index) {
		return fmt.Errorf("lp: %w: %s starts do not span the entries", ErrProblem, what)
	}
	seen := make([]int32, over)
	for k := range n {
		if start[k] > start[k+1] || int(start[k+1]) > len(index) {
			return fmt.Errorf("lp: %w: %s %d starts after it ends", ErrProblem, what, k)
		}
		for e := start[k]; e < start[k+1]; e++ {
			i := index[e]
			if i < 0 || int(i) >= over || seen[i] == int32(k)+1 {
				return fmt.Errorf("lp: %w: %s %d has an entry at %d twice or outside the problem", ErrProblem, what, k, i)
			}
			seen[i] = int32(k) + 1
			if !(math.Abs(value[e]) <= maxNumber) {
				return fmt.Errorf("lp: %w: %s %d has entry %g at %d", ErrProblem, what, k, value[e], i)
			}
		}
	}
	return nil
}

func validCosts(cost []float64) error {
	for j, c := range cost {
		if !(math.Abs(c) <= maxNumber) {
			return fmt.Errorf("lp: %w: column %d has cost %g", ErrProblem, j, c)
		}
	}
	return nil
}

func validBounds(what string, k int, lo, hi float64) error {
	okLo := math.Abs(lo) <= maxNumber || math.IsInf(lo, -1)
	okHi := math.Abs(hi) <= maxNumber || math.IsInf(hi, 1)
	if !okLo || !okHi || lo > hi {
		return fmt.Errorf("lp: %w: %s %d has bounds [%g, %g]", ErrProblem, what, k, lo, hi)
	}
	return nil
}

// Status is how a solve ended.
type Status uint8

const (
	Optimal    Status = iota
	Infeasible        // no point satisfies the bounds
	Unbounded         // the objective has no lower bound
	Limit             // iteration limit or cancelled; the vectors are of the last basis
	Failed            // CLP gave up for numerical reasons
)

func (s Status) String() string {
	switch s {
	case Optimal:
		return "optimal"
	case Infeasible:
		return "infeasible"
	case Unbounded:
		return "unbounded"
	case Limit:
		return "limit reached"
	default:
		return "numerical failure"
	}
}

// clpStatus maps CLP's problem status: 0 optimal, 1 primal infeasible, 2 dual
// infeasible, 3 stopped by a limit, 4 by errors, 5 by the watcher.
func clpStatus(s int) Status {
	switch s {
	case 0:
		return Optimal
	case 1:
		return Infeasible
	case 2:
		return Unbounded
	case 3, 5:
		return Limit
	default:
		return Failed
	}
}

// Solution is the outcome of a solve. Primal and Reduced have an entry per
// column, Dual one per row.
type Solution struct {
	Status     Status
	Objective  float64
	Primal     []float64
	Dual       []float64
	Reduced    []float64
	Iterations int
}
