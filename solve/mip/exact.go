package mip

import (
	"context"
	"math/big"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// maxExactWork bounds the rational multiplications of one exact solve: a few
// tenths of a second.
const maxExactWork = 200000

// entry is a coefficient of a sparse rational row.
type entry struct {
	col int
	val *big.Rat
}

// system is the square system of a basis: the columns are the basic variables,
// the rows the binding constraints.
type system struct {
	cols, rows []int
	colAt      map[int]int
	rowAt      map[int]int
}

func (in *instance) system(b lp.Basis) (*system, bool) {
	s := &system{colAt: map[int]int{}, rowAt: map[int]int{}}
	for j := range in.cost {
		if b.ColumnBasic(j) {
			s.colAt[j] = len(s.cols)
			s.cols = append(s.cols, j)
		}
	}
	for i := range in.rhs {
		if !b.RowBasic(i, len(in.cost)) {
			s.rowAt[i] = len(s.rows)
			s.rows = append(s.rows, i)
		}
	}
	return s, len(s.cols) == len(s.rows)
}

// exactPrimal is the vertex of the basis in rationals; false when the basis is
// singular or too large. Integral variables off the integers are refused.
func (in *instance) exactPrimal(ctx context.Context, basis lp.Basis, b box) (*solve.Assignment, bool) {
	s, ok := in.system(basis)
	if !ok {
		return nil, false
	}
	a := make([][]entry, len(s.rows))
	rhs := make([]*big.Rat, len(s.rows))
	for k, i := range s.rows {
		rhs[k] = new(big.Rat).SetInt64(in.rhs[i])
	}
	out := &solve.Assignment{Values: make([]int64, len(in.cost))}
	for j := range in.cost {
		c, isBasic := s.colAt[j]
		if !isBasic {
			out.Values[j] = b.lo[j]
			if basis.ColumnAtUpper(j) {
				out.Values[j] = b.hi[j]
			}
		}
		for k := in.start[j]; k < in.start[j+1]; k++ {
			r, binding := s.rowAt[int(in.row[k])]
			if !binding || in.coef[k] == 0 {
				continue
			}
			v := new(big.Rat).SetInt64(in.coef[k])
			if isBasic {
				a[r] = append(a[r], entry{c, v})
			} else if out.Values[j] != 0 {
				rhs[r].Sub(rhs[r], v.Mul(v, new(big.Rat).SetInt64(out.Values[j])))
			}
		}
	}
	x, ok := solveExact(ctx, a, rhs)
	if !ok {
		return nil, false
	}
	for c, j := range s.cols {
		floor := new(big.Int).Div(x[c].Num(), x[c].Denom())
		if !floor.IsInt64() {
			return nil, false
		}
		out.Values[j] = floor.Int64()
		if !x[c].IsInt() {
			if in.integral[j] {
				return nil, false
			}
			out.Fractions = append(out.Fractions, solve.Fraction{Var: j, Value: x[c]})
		}
	}
	return out, true
}

// exactDual is the dual vector of the basis in rationals, wrong signs removed;
// nil when it is singular, too large, or its common denominator does not fit.
func (in *instance) exactDual(ctx context.Context, basis lp.Basis) *solve.Dual {
	s, ok := in.system(basis)
	if !ok {
		return nil
	}
	a := make([][]entry, len(s.cols))
	rhs := make([]*big.Rat, len(s.cols))
	for c, j := range s.cols {
		rhs[c] = new(big.Rat).SetInt64(in.cost[j])
		for k := in.start[j]; k < in.start[j+1]; k++ {
			if r, binding := s.rowAt[int(in.row[k])]; binding && in.coef[k] != 0 {
				a[c] = append(a[c], entry{r, new(big.Rat).SetInt64(in.coef[k])})
			}
		}
	}
	y, ok := solveExact(ctx, a, rhs)
	if !ok {
		return nil
	}
	den := big.NewInt(1)
	for _, v := range y {
		g := new(big.Int).GCD(nil, nil, den, v.Denom())
		den.Mul(den, g.Div(v.Denom(), g))
		if !den.IsInt64() {
			return nil
		}
	}
	d := &solve.Dual{Den: den.Int64()}
	for r, i := range s.rows {
		v := new(big.Rat).Mul(y[r], new(big.Rat).SetInt(den))
		if (in.sense[i] == solve.LE && v.Sign() > 0) || (in.sense[i] == solve.GE && v.Sign() < 0) || v.Sign() == 0 {
			continue
		}
		if !v.Num().IsInt64() || abs64(v.Num().Int64()) > maxReduced {
			return nil
		}
		d.Rows, d.Num = append(d.Rows, i), append(d.Num, v.Num().Int64())
	}
	return d
}

// solveExact solves the square system a·x = rhs by elimination, shortest row
// first. It consumes its arguments; rows are ascending by column. False as well when
// ctx ends.
func solveExact(ctx context.Context, a [][]entry, rhs []*big.Rat) ([]*big.Rat, bool) {
	n := len(a)
	pivotOf := make([]int, 0, n) // rows in order of elimination
	pivotCol := make([]int, n)
	used := make([]bool, n)
	work := 0
	for range n {
		if ctx.Err() != nil {
			return nil, false
		}
		p := -1
		for i := range a {
			if !used[i] && (p < 0 || len(a[i]) < len(a[p])) {
				p = i
			}
		}
		if len(a[p]) == 0 {
			return nil, false
		}
		used[p] = true
		c := a[p][0]
		pivotOf, pivotCol[p] = append(pivotOf, p), c.col
		for i := range a {
			if used[i] {
				continue
			}
			for _, e := range a[i] {
				if e.col != c.col {
					continue
				}
				f := new(big.Rat).Quo(e.val, c.val)
				a[i] = combine(a[i], a[p], f)
				rhs[i].Sub(rhs[i], new(big.Rat).Mul(f, rhs[p]))
				if work += len(a[p]) + 1; work > maxExactWork {
					return nil, false
				}
				break
			}
		}
	}
	x := make([]*big.Rat, n)
	for k := n - 1; k >= 0; k-- {
		p := pivotOf[k]
		var pivot *big.Rat
		v := rhs[p]
		for _, e := range a[p] {
			if e.col == pivotCol[p] {
				pivot = e.val
			} else {
				v.Sub(v, new(big.Rat).Mul(e.val, x[e.col]))
			}
		}
		x[pivotCol[p]] = v.Quo(v, pivot)
	}
	return x, true
}

// combine is r − f·p, both ascending by column.
func combine(r, p []entry, f *big.Rat) []entry {
	out := make([]entry, 0, len(r)+len(p))
	for len(r) > 0 || len(p) > 0 {
		switch {
		case len(p) == 0 || (len(r) > 0 && r[0].col < p[0].col):
			out, r = append(out, r[0]), r[1:]
		case len(r) == 0 || p[0].col < r[0].col:
			v := new(big.Rat).Mul(f, p[0].val)
			out, p = append(out, entry{p[0].col, v.Neg(v)}), p[1:]
		default:
			v := new(big.Rat).Mul(f, p[0].val)
			if v.Sub(r[0].val, v); v.Sign() != 0 {
				out = append(out, entry{r[0].col, v})
			}
			r, p = r[1:], p[1:]
		}
	}
	return out
}
