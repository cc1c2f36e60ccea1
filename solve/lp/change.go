package lp

/*
#include <stdlib.h>
#include <coin/Clp_C_Interface.h>

// add hands rows or columns over, with the starts as CLP's own type.
static int add(Clp_Simplex *m, int columns, int number, const double *lower, const double *upper, const double *cost,
		const int *start, const int *index, const double *value) {
	CoinBigIndex *s = malloc((number + 1) * sizeof *s);
	if (!s)
		return 0;
	for (int k = 0; k <= number; k++)
		s[k] = start[k];
	if (columns)
		Clp_addColumns(m, number, lower, upper, cost, s, index, value);
	else
		Clp_addRows(m, number, lower, upper, s, index, value);
	free(s);
	return 1;
}
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"slices"
)

// Rows are rows to add: Lower ≤ a·x ≤ Upper. The entries of row i are Index
// (columns) and Value [Start[i], Start[i+1]).
type Rows struct {
	Lower, Upper []float64
	Start, Index []int32
	Value        []float64
}

// Columns are columns to add, stored like Rows; Index holds rows.
type Columns struct {
	Lower, Upper, Cost []float64
	Start, Index       []int32
	Value              []float64
}

// Append adds a row.
func (r *Rows) Append(lower, upper float64, index []int32, value []float64) {
	if len(r.Start) == 0 {
		r.Start = append(r.Start, 0)
	}
	r.Lower, r.Upper = append(r.Lower, lower), append(r.Upper, upper)
	r.Index, r.Value = append(r.Index, index...), append(r.Value, value...)
	r.Start = append(r.Start, int32(len(r.Index)))
}

// Append adds a column.
func (c *Columns) Append(lower, upper, cost float64, index []int32, value []float64) {
	if len(c.Start) == 0 {
		c.Start = append(c.Start, 0)
	}
	c.Lower, c.Upper, c.Cost = append(c.Lower, lower), append(c.Upper, upper), append(c.Cost, cost)
	c.Index, c.Value = append(c.Index, index...), append(c.Value, value...)
	c.Start = append(c.Start, int32(len(c.Index)))
}

// AddRows appends rows. Their slacks are basic, so that a basis stays one and
// an optimal one stays dual feasible: Solve is the way on.
func (s *Simplex) AddRows(r *Rows) error {
	n := len(r.Lower)
	if n == 0 {
		return nil
	}
	if len(r.Upper) != n || s.rows > math.MaxInt32/2-n {
		return fmt.Errorf("lp: %w: dimensions disagree", ErrProblem)
	}
	if err := validEntries("row", n, s.cols, r.Start, r.Index, r.Value); err != nil {
		return err
	}
	for i := range n {
		if err := validBounds("row", i, r.Lower[i], r.Upper[i]); err != nil {
			return err
		}
	}
	defer runtime.KeepAlive(s)
	b := s.Basis()
	if C.add(s.clp, 0, C.int(n), (*C.double)(ptr(r.Lower)), (*C.double)(ptr(r.Upper)), nil,
		(*C.int)(ptr(r.Start)), (*C.int)(ptr(r.Index)), (*C.double)(ptr(r.Value))) == 0 {
		return fmt.Errorf("lp: out of memory")
	}
	s.rows += n
	if b != nil {
		for range n {
			b = append(b, basic)
		}
		s.SetBasis(b)
	}
	return nil
}

// AddColumns appends columns. They are nonbasic at a finite bound, the lower
// one if there is one, so that a basis stays one and, if that bound is 0, an
// optimal one stays primal feasible: SolvePrimal is the way on.
func (s *Simplex) AddColumns(c *Columns) error {
	n := len(c.Lower)
	if n == 0 {
		return nil
	}
	if len(c.Upper) != n || len(c.Cost) != n || s.cols > math.MaxInt32/2-n {
		return fmt.Errorf("lp: %w: dimensions disagree", ErrProblem)
	}
	if err := validEntries("column", n, s.rows, c.Start, c.Index, c.Value); err != nil {
		return err
	}
	for j := range n {
		if err := validBounds("column", j, c.Lower[j], c.Upper[j]); err != nil {
			return err
		}
	}
	if err := validCosts(c.Cost); err != nil {
		return err
	}
	defer runtime.KeepAlive(s)
	b := s.Basis()
	if C.add(s.clp, 1, C.int(n), (*C.double)(ptr(c.Lower)), (*C.double)(ptr(c.Upper)), (*C.double)(ptr(c.Cost)),
		(*C.int)(ptr(c.Start)), (*C.int)(ptr(c.Index)), (*C.double)(ptr(c.Value))) == 0 {
		return fmt.Errorf("lp: out of memory")
	}
	if b != nil {
		fresh := make(Basis, n)
		for j := range fresh {
			switch {
			case !math.IsInf(c.Lower[j], -1):
				fresh[j] = atLower
			case !math.IsInf(c.Upper[j], 1):
				fresh[j] = atUpper
			}
		}
		b = slices.Insert(b, s.cols, fresh...)
	}
	s.cols += n
	if b != nil {
		s.SetBasis(b)
	}
	return nil
}

// DeleteRows removes rows, any order, each once; the rest keep their order.
// Rows that bind leave a basis with too many columns; CLP drops some.
func (s *Simplex) DeleteRows(rows []int) error {
	which, err := selection("row", rows, s.rows)
	if err != nil || len(which) == 0 {
		return err
	}
	defer runtime.KeepAlive(s)
	b := s.Basis()
	C.Clp_deleteRows(s.clp, C.int(len(which)), (*C.int)(ptr(which)))
	s.rows -= len(which)
	if b != nil {
		s.SetBasis(b.without(which, s.cols))
	}
	return nil
}

// DeleteColumns removes columns, any order, each once; the rest keep their
// order. CLP completes a basis that lost basic columns with slacks.
func (s *Simplex) DeleteColumns(cols []int) error {
	which, err := selection("column", cols, s.cols)
	if err != nil || len(which) == 0 {
		return err
	}
	defer runtime.KeepAlive(s)
	b := s.Basis()
	C.Clp_deleteColumns(s.clp, C.int(len(which)), (*C.int)(ptr(which)))
	s.cols -= len(which)
	if b != nil {
		s.SetBasis(b.without(which, 0))
	}
	return nil
}

// Dims is the number of rows and columns.
func (s *Simplex) Dims() (rows, cols int) { return s.rows, s.cols }

// SetRowBounds replaces the row bounds; the next Solve starts from the last
// basis.
func (s *Simplex) SetRowBounds(lower, upper []float64) error {
	if len(lower) != s.rows || len(upper) != s.rows {
		return fmt.Errorf("lp: %w: %d and %d bounds for %d rows", ErrProblem, len(lower), len(upper), s.rows)
	}
	for i := range lower {
		if err := validBounds("row", i, lower[i], upper[i]); err != nil {
			return err
		}
	}
	C.Clp_chgRowLower(s.clp, (*C.double)(ptr(lower)))
	C.Clp_chgRowUpper(s.clp, (*C.double)(ptr(upper)))
	runtime.KeepAlive(s)
	return nil
}

// SetCosts replaces the costs. The last basis stays primal feasible:
// SolvePrimal is the way on.
func (s *Simplex) SetCosts(cost []float64) error {
	if len(cost) != s.cols {
		return fmt.Errorf("lp: %w: %d costs for %d columns", ErrProblem, len(cost), s.cols)
	}
	if err := validCosts(cost); err != nil {
		return err
	}
	C.Clp_chgObjCoefficients(s.clp, (*C.double)(ptr(cost)))
	runtime.KeepAlive(s)
	return nil
}

// selection checks indices and sorts them.
func selection(what string, list []int, of int) ([]int32, error) {
	which := make([]int32, len(list))
	for k, i := range list {
		if i < 0 || i >= of {
			return nil, fmt.Errorf("lp: %w: %s %d of %d", ErrProblem, what, i, of)
		}
		which[k] = int32(i)
	}
	slices.Sort(which)
	for k := 1; k < len(which); k++ {
		if which[k] == which[k-1] {
			return nil, fmt.Errorf("lp: %w: %s %d twice", ErrProblem, what, which[k])
		}
	}
	return which, nil
}

// without drops the ascending entries which, counted from base.
func (b Basis) without(which []int32, base int) Basis {
	out := b[:0]
	k := 0
	for i := range b {
		if k < len(which) && i == base+int(which[k]) {
			k++
			continue
		}
		out = append(out, b[i])
	}
	return out
}
