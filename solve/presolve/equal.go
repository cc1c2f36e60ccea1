package presolve

import (
	"cmp"
	"slices"

	"ipusolve/solve"
)

// scaled is a row over the free variables, ascending by variable, divided by
// the greatest common divisor and with a positive first coefficient: all rows
// with the same terms say lo ≤ terms ≤ hi.
type scaled struct {
	row        int
	terms      []solve.Term
	lo, hi     int64
	noLo, noHi bool // without a lower, an upper side
}

// equal drops rows that repeat another one with no tighter side. Rows whose
// sides differ in both directions both stay: dual vectors must be able to tell
// which one is meant.
func (r *Reduced) equal(p *propagator, drop []bool) {
	var list []scaled
	for i := range r.original.Rows {
		if !drop[i] {
			list = append(list, normal(&r.original.Rows[i], i, p))
		}
	}
	slices.SortStableFunc(list, func(a, b scaled) int { return slices.CompareFunc(a.terms, b.terms, compareTerms) })
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && slices.Equal(list[from].terms, list[to].terms) {
			to++
		}
		for a := from; a < to; a++ {
			for b := from; b < to; b++ {
				x, y := &list[a], &list[b]
				if a != b && !drop[x.row] && !drop[y.row] && x.within(y) {
					drop[y.row] = true
					r.Stats.Equal++
					r.Log = append(r.Log, Reduction{Kind: Equal, Row: y.row, By: x.row})
				}
			}
		}
		from = to
	}
}

// within reports whether x implies y, given equal terms.
func (x *scaled) within(y *scaled) bool {
	return (y.noLo || !x.noLo && x.lo >= y.lo) && (y.noHi || !x.noHi && x.hi <= y.hi)
}

func compareTerms(a, b solve.Term) int {
	return cmp.Or(cmp.Compare(a.Var, b.Var), cmp.Compare(a.Coef, b.Coef))
}

// normal scales a row. Right-hand sides that the divisor does not divide are
// left as they are with divisor 1, which only makes fewer rows equal.
func normal(row *solve.Row, i int, p *propagator) scaled {
	s := scaled{row: i, noLo: row.Sense == solve.LE, noHi: row.Sense == solve.GE}
	rhs := row.RHS
	var g int64
	for _, t := range row.Terms {
		switch {
		case t.Coef == 0:
		case p.lo[t.Var] == p.hi[t.Var]:
			rhs -= t.Coef * p.lo[t.Var]
		default:
			s.terms = append(s.terms, t)
			g = gcd(g, t.Coef)
		}
	}
	slices.SortFunc(s.terms, compareTerms)
	if len(s.terms) > 0 {
		if rhs%g != 0 {
			g = 1
		}
		if s.terms[0].Coef < 0 {
			g = -g
			s.noLo, s.noHi = s.noHi, s.noLo
		}
		for k := range s.terms {
			s.terms[k].Coef /= g
		}
		rhs /= g
	}
	s.lo, s.hi = rhs, rhs
	return s
}

// gcd of |a| and |b|, positive unless both are 0.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
