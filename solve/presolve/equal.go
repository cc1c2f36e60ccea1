package presolve

import (
	"cmp"
	"context"
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
func (r *Reduced) equal(ctx context.Context, p *propagator, drop []bool) {
	type hashed struct {
		key uint64
		row int
	}
	var list []hashed
	for i := range r.original.Rows {
		if i%pollRows == 0 && ctx.Err() != nil {
			return
		}
		if !drop[i] {
			p.work += int64(len(r.original.Rows[i].Terms))
			list = append(list, hashed{fingerprint(&r.original.Rows[i], p), i})
		}
	}
	slices.SortFunc(list, func(a, b hashed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) })
	for from := 0; from < len(list) && ctx.Err() == nil; {
		to := from + 1
		for to < len(list) && list[from].key == list[to].key {
			to++
		}
		var same []scaled
		if to-from > 1 {
			for _, h := range list[from:to] {
				same = append(same, normal(&r.original.Rows[h.row], h.row, p))
			}
		}
		r.among(same, drop)
		from = to
	}
}

// among compares rows with each other.
func (r *Reduced) among(same []scaled, drop []bool) {
	for a := range same {
		for b := range same {
			x, y := &same[a], &same[b]
			if a != b && !drop[x.row] && !drop[y.row] && slices.Equal(x.terms, y.terms) && x.within(y) {
				drop[y.row] = true
				r.Stats.Equal++
				r.Log = append(r.Log, Reduction{Kind: Equal, Row: y.row, By: x.row})
			}
		}
	}
}

// fingerprint is equal for rows that normal makes equal. It adds up over the
// terms, so that their order does not matter; products wrap around.
func fingerprint(row *solve.Row, p *propagator) uint64 {
	var sum uint64
	g, rhs := free(row, p)
	first := -1
	for k, t := range row.Terms {
		if t.Coef != 0 && p.lo[t.Var] != p.hi[t.Var] && (first < 0 || t.Var < row.Terms[first].Var) {
			first = k
		}
	}
	if first < 0 {
		return 0
	}
	if rhs%g != 0 {
		g = 1
	}
	if row.Terms[first].Coef < 0 {
		g = -g
	}
	for _, t := range row.Terms {
		if p.lo[t.Var] != p.hi[t.Var] {
			z := (uint64(t.Var) + 1) * 0x9e3779b97f4a7c15
			z = (z ^ z>>32) * 0xd6e8feb86659fd93
			sum += (z ^ z>>32) * uint64(t.Coef/g)
		}
	}
	return sum
}

// free returns the greatest common divisor of the entries of free variables, and
// the right-hand side without the fixed ones.
func free(row *solve.Row, p *propagator) (g, rhs int64) {
	rhs = row.RHS
	for _, t := range row.Terms {
		if p.lo[t.Var] == p.hi[t.Var] {
			rhs -= t.Coef * p.lo[t.Var]
		} else {
			g = gcd(g, t.Coef)
		}
	}
	return g, rhs
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
	g, rhs := free(row, p)
	for _, t := range row.Terms {
		if t.Coef != 0 && p.lo[t.Var] != p.hi[t.Var] {
			s.terms = append(s.terms, t)
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
