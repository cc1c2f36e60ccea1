package format

import (
	"math/big"
	"slices"

	"ipusolve/solve"
)

// Leans reports whether a valid proof about the model might use an assumed bound.
// One that does not holds for the problem without these bounds too: no branch or
// tightening leaves the assumed box, and no dual vector gains from its edge, that
// is, has a reduced cost whose sign selects an assumed bound which no branch or
// tightening has replaced.
func (p *Problem) Leans(c *solve.Certificate) bool {
	if len(p.Assumed) == 0 {
		return false
	}
	l := newLeaner(p, c)
	replaced := make([]*replacement, len(c.Nodes)) // on entry to every node
	for k := range c.Nodes {
		n, r := &c.Nodes[k], replaced[k]
		for i := range n.Fix {
			f := &n.Fix[i]
			if f.Clause != nil { // derived from all bounds of all rows
				return true
			}
			gains := l.gains(f.Dual, f.Farkas)
			if len(f.Bounds) == 0 && r.misses(gains) { // a cut, over variables within 0…1
				return true
			}
			after := r
			for _, b := range f.Bounds {
				// The side that is cut off ends where the rest begins.
				side := r.with(Assumed{b.Var, !b.Upper})
				below, above := b.Bound-1, b.Bound
				if b.Upper {
					below, above = b.Bound, b.Bound+1
				}
				if side.misses(gains) || l.outside(b.Var, below, above) {
					return true
				}
				after = after.with(Assumed{b.Var, b.Upper})
			}
			r = after
		}
		if r.misses(l.gains(n.Dual, n.Farkas)) {
			return true
		}
		b := n.Branch
		if b == nil {
			continue
		}
		down, up := r, r
		if len(b.Zero) == 0 {
			if l.outside(b.Var, b.At, b.At+1) {
				return true
			}
			down, up = r.with(Assumed{b.Var, true}), r.with(Assumed{b.Var, false})
		}
		if b.Down > k && b.Down < len(replaced) && b.Up > k && b.Up < len(replaced) {
			replaced[b.Down], replaced[b.Up] = down, up
		}
	}
	return false
}

// replacement lists the bounds that were replaced on the way to a node.
type replacement struct {
	bound  Assumed
	before *replacement
}

func (r *replacement) with(a Assumed) *replacement { return &replacement{a, r} }

// misses tells whether one of the bounds was not replaced.
func (r *replacement) misses(bounds []Assumed) bool {
	return slices.ContainsFunc(bounds, func(a Assumed) bool {
		for x := r; x != nil; x = x.before {
			if x.bound == a {
				return false
			}
		}
		return true
	})
}

// leaner looks for uses of assumed bounds in a certificate.
type leaner struct {
	p       *Problem
	c       *solve.Certificate
	assumed map[Assumed]bool
	columns map[int][]solve.Term // of variables with an assumed bound; Var is the row
	known   map[dualUse][]Assumed
}

// dualUse is a dual vector for the objective, or for zero.
type dualUse struct {
	dual   int
	farkas bool
}

func newLeaner(p *Problem, c *solve.Certificate) *leaner {
	l := &leaner{p: p, c: c, assumed: map[Assumed]bool{}, columns: map[int][]solve.Term{}, known: map[dualUse][]Assumed{}}
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

// gains lists the assumed bounds that the bound of a dual vector contains.
func (l *leaner) gains(k int, farkas bool) []Assumed {
	u := dualUse{k, farkas}
	if k < 0 || k >= len(l.c.Duals) {
		return nil
	}
	if list, ok := l.known[u]; ok {
		return list
	}
	y := &l.c.Duals[k]
	num := make(map[int]int64, len(y.Rows))
	for e, i := range y.Rows {
		num[i] = y.Num[e]
	}
	var list []Assumed
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
			list = append(list, a)
		}
	}
	l.known[u] = list
	return list
}
