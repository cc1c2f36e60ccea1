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
	if len(p.ColUpper) != cols || len(p.Cost) != cols || len(p.RowUpper) != rows || len(p.Start) != cols+1 ||
		len(p.Index) != len(p.Value) || rows > math.MaxInt32/2 || cols > math.MaxInt32/2 {
		return fmt.Errorf("lp: %w: dimensions disagree", ErrProblem)
	}
	if p.Start[0] != 0 || int(p.Start[cols]) != len(p.Index) {
		return fmt.Errorf("lp: %w: column starts do not span the entries", ErrProblem)
	}
	seen := make([]int32, rows)
	for j := range cols {
		if err := validBounds("column", j, p.ColLower[j], p.ColUpper[j]); err != nil {
			return err
		}
		if !(math.Abs(p.Cost[j]) <= maxNumber) {
			return fmt.Errorf("lp: %w: column %d has cost %g", ErrProblem, j, p.Cost[j])
		}
		if p.Start[j] > p.Start[j+1] || int(p.Start[j+1]) > len(p.Index) {
			return fmt.Errorf("lp: %w: column %d starts after it ends", ErrProblem, j)
		}
		for k := p.Start[j]; k < p.Start[j+1]; k++ {
			i := p.Index[k]
			if i < 0 || int(i) >= rows || seen[i] == int32(j)+1 {
				return fmt.Errorf("lp: %w: column %d has row %d twice or outside the problem", ErrProblem, j, i)
			}
			seen[i] = int32(j) + 1
			if !(math.Abs(p.Value[k]) <= maxNumber) {
				return fmt.Errorf("lp: %w: entry (%d, %d) is %g", ErrProblem, i, j, p.Value[k])
			}
		}
	}
	for i := range rows {
		if err := validBounds("row", i, p.RowLower[i], p.RowUpper[i]); err != nil {
			return err
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
