package format

import (
	"math/big"

	"ipusolve/solve"
)

// Leans reports whether a proof about the model might use an assumed bound. One
// that does not holds for the problem without these bounds too: no branch or
// tightening leaves the assumed box, and no dual vector gains from its edge, that
// is, has a reduced cost whose sign selects an assumed bound.
func (p *Problem) Leans(c *solve.Certificate) bool {
	if len(p.Assumed) == 0 {
		return false
	}
	l := newLeaner(p, c)
	for k := range c.Nodes {
		n := &c.Nodes[k]
		if l.dual(n.Dual, n.Farkas) {
			return true
		}
		for i := range n.Fix {
			f := &n.Fix[i]
			if l.dual(f.Dual, f.Farkas) {
				return true
			}
			for _, b := range f.Bounds {
				below, above := b.Bound-1, b.Bound
				if b.Upper {
					below, above = b.Bound, b.Bound+1
				}
				if l.outside(b.Var, below, above) {
					return true
				}
			}
		}
		if b := n.Branch; b != nil && len(b.Zero) == 0 && l.outside(b.Var, b.At, b.At+1) {
			return true
		}
	}
	return false
}

// leaner looks for uses of assumed bounds in a certificate.
type leaner struct {
	p       *Problem
	c       *solve.Certificate
	assumed map[Assumed]bool
	columns map[int][]solve.Term // of variables with an assumed bound; Var is the row
	known   map[dualUse]bool
}

// dualUse is a dual vector for the objective, or for zero.
type dualUse struct {
	dual   int
	farkas bool
}

func newLeaner(p *Problem, c *solve.Certificate) *leaner {
	l := &leaner{p: p, c: c, assumed: map[Assumed]bool{}, columns: map[int][]solve.Term{}, known: map[dualUse]bool{}}
	for _, a := range p.Assumed {
		l.assumed[a] = true
		l.columns[a.Var] = nil
	}
	for i := range p.Model.Rows {
		for _, t := range p.Model.Rows[i].Terms {
			if col, ok := l.columns[t.Var]; ok {
				l.columns[t.Var] = append(col, solve.Term{Var: i, Coef: t.Coef})
			}
		}
	}
	return l
}

// outside tells whether splitting a variable's range into ≤ below and ≥ above
// leaves a side empty only because of an assumed bound.
func (l *leaner) outside(j int, below, above int64) bool {
	v := &l.p.Model.Vars[j]
	return (l.assumed[Assumed{j, true}] && above > v.Upper) || (l.assumed[Assumed{j, false}] && below < v.Lower)
}

// dual tells whether the bound of a dual vector contains an assumed bound.
func (l *leaner) dual(k int, farkas bool) bool {
	u := dualUse{k, farkas}
	if k < 0 || k >= len(l.c.Duals) || l.known[u] {
		return false
	}
	l.known[u] = true
	y := &l.c.Duals[k]
	num := make(map[int]int64, len(y.Rows))
	for e, i := range y.Rows {
		num[i] = y.Num[e]
	}
	for _, a := range l.p.Assumed {
		r := new(big.Int) // reduced cost times the denominator
		if !farkas {
			r.Mul(big.NewInt(l.p.Model.Vars[a.Var].Cost), big.NewInt(y.Den))
		}
		for _, t := range l.columns[a.Var] {
			if x, ok := num[t.Var]; ok {
				r.Sub(r, new(big.Int).Mul(big.NewInt(x), big.NewInt(t.Coef)))
			}
		}
		if (r.Sign() < 0 && a.Upper) || (r.Sign() > 0 && !a.Upper) {
			return true
		}
	}
	return false
}
