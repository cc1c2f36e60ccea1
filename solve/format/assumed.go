package format

import (
	"math/big"

	"ipusolve/solve"
)

// maxRounds bounds how often rows are asked for missing bounds.
const maxRounds = 10

// close gives every missing bound a value: what a row implies, else an assumed
// one. Implied bounds cut off no feasible point.
func (p *Problem) close(missing []Assumed) {
	m := p.Model
	b := &bounder{vars: m.Vars, missing: map[Assumed]bool{}}
	touched := make([]bool, len(m.Vars))
	for _, a := range missing {
		b.missing[a], touched[a.Var] = true, true
	}
	var rows []*solve.Row
	for i := range m.Rows {
		for _, t := range m.Rows[i].Terms {
			if touched[t.Var] {
				rows = append(rows, &m.Rows[i])
				break
			}
		}
	}
	for round, found := 0, true; found && round < maxRounds; round++ {
		found = false
		for _, r := range rows {
			if r.Sense != solve.GE && b.imply(r, 1) {
				found = true
			}
			if r.Sense != solve.LE && b.imply(r, -1) {
				found = true
			}
		}
	}
	for _, a := range missing {
		v := &m.Vars[a.Var]
		if !b.missing[a] {
			continue
		}
		p.Assumed = append(p.Assumed, a)
		other := int64(0) // the finite side, if there is one
		if !b.missing[Assumed{a.Var, !a.Upper}] {
			if other = v.Lower; !a.Upper {
				other = v.Upper
			}
		}
		if a.Upper {
			v.Upper = other + AssumedBound
		} else {
			v.Lower = other - AssumedBound
		}
	}
}

// bounder looks for bounds that rows imply.
type bounder struct {
	vars    []solve.Var
	missing map[Assumed]bool
}

// imply reads the row as Σ sign·a·x ≤ sign·b and sets the missing bounds that
// follow from the bounds of the other variables.
func (b *bounder) imply(r *solve.Row, sign int64) (found bool) {
	least := new(big.Int) // of the finite contributions
	infinite, at := 0, -1
	contribution := func(t solve.Term) *big.Int {
		v, c := &b.vars[t.Var], sign*t.Coef
		if b.missing[Assumed{t.Var, c < 0}] {
			return nil
		}
		x := v.Lower
		if c < 0 {
			x = v.Upper
		}
		return new(big.Int).Mul(big.NewInt(c), big.NewInt(x))
	}
	for k, t := range r.Terms {
		if x := contribution(t); x != nil {
			least.Add(least, x)
		} else {
			infinite, at = infinite+1, k
		}
	}
	if infinite > 1 {
		return false
	}
	for k, t := range r.Terms {
		c := sign * t.Coef
		a := Assumed{t.Var, c > 0}
		if !b.missing[a] || (infinite == 1 && at != k) {
			continue
		}
		room := new(big.Int).Sub(big.NewInt(sign*r.RHS), least)
		if infinite == 0 {
			room.Add(room, contribution(t))
		}
		// x ≤ room/c or x ≥ room/c; integral variables round inwards, others outwards.
		v := &b.vars[t.Var]
		q := quotient(room, big.NewInt(c), v.Kind.Integral() != a.Upper)
		if !q.IsInt64() || q.Int64() > solve.MaxMagnitude || q.Int64() < -solve.MaxMagnitude {
			continue
		}
		x := q.Int64()
		// Bounds that cross prove that the row cannot hold; it says so itself.
		if a.Upper {
			if !b.missing[Assumed{t.Var, false}] {
				x = max(x, v.Lower)
			}
			v.Upper = x
		} else {
			if !b.missing[Assumed{t.Var, true}] {
				x = min(x, v.Upper)
			}
			v.Lower = x
		}
		delete(b.missing, a)
		found = true
		// A missing bound on the other side stays missing; what was summed stays right.
	}
	return found
}

// quotient is a/b, rounded up or down.
func quotient(a, b *big.Int, up bool) *big.Int {
	if b.Sign() < 0 {
		a, b = new(big.Int).Neg(a), new(big.Int).Neg(b)
	}
	q, rest := new(big.Int).DivMod(a, b, new(big.Int))
	if up && rest.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// Ray asks for a direction in which the objective falls without end: minimise
// c·d over the directions d, of length at most 1 in every variable, along which
// bounds and rows hold for ever. A problem that has a feasible point is unbounded
// exactly if the optimum is negative (its data is rational). Nil if no variable
// without a bound has a cost.
func (p *Problem) Ray() *solve.Model {
	m := &solve.Model{Name: p.Model.Name + "/ray"}
	at := map[int]int{}
	costs := false
	for _, a := range p.Assumed {
		j, ok := at[a.Var]
		if !ok {
			j = len(m.Vars)
			at[a.Var] = j
			v := p.Model.Vars[a.Var]
			m.Vars = append(m.Vars, solve.Var{Name: v.Name, Kind: solve.Continuous, Cost: v.Cost})
			costs = costs || v.Cost != 0
		}
		if a.Upper {
			m.Vars[j].Upper = 1
		} else {
			m.Vars[j].Lower = -1
		}
	}
	if !costs {
		return nil
	}
	for i := range p.Model.Rows {
		r := &p.Model.Rows[i]
		cone := solve.Row{Name: r.Name, Sense: r.Sense}
		for _, t := range r.Terms {
			if j, ok := at[t.Var]; ok {
				cone.Terms = append(cone.Terms, solve.Term{Var: j, Coef: t.Coef})
			}
		}
		if len(cone.Terms) > 0 {
			m.Rows = append(m.Rows, cone)
		}
	}
	return m
}
