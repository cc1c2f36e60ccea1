package solve

import (
	"errors"
	"fmt"
	"math/big"
)

// ErrViolated is wrapped by Check when an assignment breaks the model.
var ErrViolated = errors.New("assignment violates the model")

// Value is the exact value of variable j.
func (a *Assignment) Value(j int) *big.Rat {
	for i := range a.Fractions {
		if a.Fractions[i].Var == j {
			return a.Fractions[i].Value
		}
	}
	return new(big.Rat).SetInt64(a.Values[j])
}

// Check reports the first bound, integrality or row that the assignment
// breaks, in exact arithmetic. The error wraps ErrViolated.
func (m *Model) Check(a *Assignment) error {
	if len(a.Values) != len(m.Vars) {
		return fmt.Errorf("solve: %w: %d values for %d variables", ErrViolated, len(a.Values), len(m.Vars))
	}
	frac, err := m.fractions(a)
	if err != nil {
		return err
	}
	for j := range m.Vars {
		v := &m.Vars[j]
		x := a.Values[j]
		if x < v.Lower || x > v.Upper || (x == v.Upper && frac[j] != nil) {
			return fmt.Errorf("solve: %w: variable %q = %s outside [%d, %d]", ErrViolated, v.Name, a.Value(j).RatString(), v.Lower, v.Upper)
		}
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		if act := activity(r.Terms, 0, a, frac); !r.holds(act) {
			return fmt.Errorf("solve: %w: row %q: %s %s %d is false", ErrViolated, r.Name, act.RatString(), r.Sense, r.RHS)
		}
	}
	return nil
}

func (r *Row) holds(act *big.Rat) bool {
	switch c := act.Cmp(new(big.Rat).SetInt64(r.RHS)); r.Sense {
	case LE:
		return c <= 0
	case GE:
		return c >= 0
	default:
		return c == 0
	}
}

// fractions indexes a.Fractions by variable, as the part above Values[j].
func (m *Model) fractions(a *Assignment) (map[int]*big.Rat, error) {
	if len(a.Fractions) == 0 {
		return nil, nil
	}
	frac := make(map[int]*big.Rat, len(a.Fractions))
	for i, f := range a.Fractions {
		switch {
		case f.Var < 0 || f.Var >= len(m.Vars) || f.Value == nil || (i > 0 && a.Fractions[i-1].Var >= f.Var):
			return nil, fmt.Errorf("solve: %w: malformed fraction %d", ErrViolated, i)
		case m.Vars[f.Var].Kind.Integral():
			return nil, fmt.Errorf("solve: %w: variable %q = %s is no integer", ErrViolated, m.Vars[f.Var].Name, f.Value.RatString())
		}
		d := new(big.Rat).Sub(f.Value, new(big.Rat).SetInt64(a.Values[f.Var]))
		if d.Sign() <= 0 || d.Cmp(big.NewRat(1, 1)) >= 0 {
			return nil, fmt.Errorf("solve: %w: malformed fraction %d", ErrViolated, i)
		}
		frac[f.Var] = d
	}
	return frac, nil
}

// activity is base + Σ coef·x. The integer part fits: see MaxActivity.
func activity(terms []Term, base int64, a *Assignment, frac map[int]*big.Rat) *big.Rat {
	var extra *big.Rat
	for _, t := range terms {
		base += t.Coef * a.Values[t.Var]
		if f := frac[t.Var]; f != nil {
			if extra == nil {
				extra = new(big.Rat)
			}
			extra.Add(extra, new(big.Rat).Mul(new(big.Rat).SetInt64(t.Coef), f))
		}
	}
	sum := new(big.Rat).SetInt64(base)
	if extra != nil {
		sum.Add(sum, extra)
	}
	return sum
}

// Evaluate is the exact objective of an assignment inside the box.
func (m *Model) Evaluate(a *Assignment) (*big.Rat, error) {
	if len(a.Values) != len(m.Vars) {
		return nil, fmt.Errorf("solve: %w: %d values for %d variables", ErrViolated, len(a.Values), len(m.Vars))
	}
	frac, err := m.fractions(a)
	if err != nil {
		return nil, err
	}
	terms := make([]Term, 0, len(m.Vars))
	for j := range m.Vars {
		if c := m.Vars[j].Cost; c != 0 {
			terms = append(terms, Term{Var: j, Coef: c})
		}
	}
	return activity(terms, m.Constant, a, frac), nil
}

// Granularity is the largest g such that every feasible objective is Constant
// plus a multiple of g; 0 when a continuous variable has a cost. A bound may
// be rounded up to the next such value. A model without costs has g = 1.
func (m *Model) Granularity() int64 {
	var g uint64
	for j := range m.Vars {
		v := &m.Vars[j]
		if v.Cost == 0 {
			continue
		}
		if !v.Kind.Integral() {
			return 0
		}
		a, b := magnitude(v.Cost), g
		for b != 0 {
			a, b = b, a%b
		}
		g = a
	}
	return int64(max(g, 1))
}
