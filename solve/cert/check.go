package cert

import (
	"errors"
	"fmt"
	"math/big"

	"ipusolve/solve"
)

// ErrInvalid is wrapped by every error about a certificate that proves less
// than it claims.
var ErrInvalid = errors.New("certificate invalid")

func invalid(format string, args ...any) error {
	return fmt.Errorf("cert: %w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Verdict is what a valid certificate proves, as computed by the checker.
type Verdict struct {
	Status    solve.Status
	Objective *big.Rat // of the incumbent; nil without one
	Bound     *big.Rat // nil when infeasibility is proven
}

// Check verifies c against m. The error, wrapping ErrInvalid, is about the
// first thing wrong.
func Check(m *solve.Model, c *solve.Certificate) (Verdict, error) {
	k, err := newChecker(m, c)
	if err != nil {
		return Verdict{}, err
	}
	var v Verdict
	if len(c.Values) > 0 || c.Status == solve.Optimal || c.Status == solve.Feasible {
		if v.Objective, err = incumbent(m, &c.Assignment); err != nil {
			return Verdict{}, err
		}
	}
	if err := k.tree(); err != nil {
		return Verdict{}, err
	}
	v.Bound = k.least
	if v.Bound != nil {
		v.Bound = roundUp(m, v.Bound)
	}
	v.Status = status(&v)
	return v, claims(c, &v)
}

func status(v *Verdict) solve.Status {
	switch {
	case v.Objective == nil && v.Bound == nil:
		return solve.Infeasible
	case v.Objective == nil:
		return solve.Unknown
	case v.Bound != nil && v.Bound.Cmp(v.Objective) == 0:
		return solve.Optimal
	}
	return solve.Feasible
}

// claims compares what is claimed with what is proven.
func claims(c *solve.Certificate, v *Verdict) error {
	if v.Objective != nil && (v.Bound == nil || v.Bound.Cmp(v.Objective) > 0) {
		return invalid("the incumbent lies below the proven bound")
	}
	switch c.Status {
	case solve.Infeasible:
		if v.Status != solve.Infeasible {
			return invalid("infeasibility is not proven")
		}
		return nil
	case solve.Unknown:
		if v.Objective != nil {
			return invalid("an incumbent in an unknown result")
		}
	case solve.Optimal, solve.Feasible:
		if c.Bound == nil {
			return invalid("no bound claimed")
		}
		if (c.Status == solve.Optimal) != (c.Bound.Cmp(v.Objective) == 0) {
			return invalid("claimed %v with objective %s and bound %s", c.Status, v.Objective.RatString(), c.Bound.RatString())
		}
	default:
		return invalid("unknown status %v", c.Status)
	}
	if c.Bound != nil && v.Bound != nil && v.Bound.Cmp(c.Bound) < 0 {
		return invalid("claimed bound %s, proven %s", c.Bound.RatString(), v.Bound.RatString())
	}
	return nil
}

// roundUp is the least value an objective can have from x on: all costs are
// multiples of g and all variables with costs integral.
func roundUp(m *solve.Model, x *big.Rat) *big.Rat {
	g := new(big.Int)
	for j := range m.Vars {
		if m.Vars[j].Cost == 0 {
			continue
		}
		if m.Vars[j].Kind == solve.Continuous {
			return x
		}
		g.GCD(nil, nil, g, new(big.Int).Abs(big.NewInt(m.Vars[j].Cost)))
	}
	if g.Sign() == 0 {
		g.SetInt64(1)
	}
	base := new(big.Rat).SetInt64(m.Constant)
	steps := new(big.Rat).Sub(x, base)
	steps.Quo(steps, new(big.Rat).SetInt(g))
	up, rest := new(big.Int).DivMod(steps.Num(), steps.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		up.Add(up, big.NewInt(1))
	}
	return base.Add(base, new(big.Rat).SetInt(up.Mul(up, g)))
}

// incumbent checks an assignment and returns its objective.
func incumbent(m *solve.Model, a *solve.Assignment) (*big.Rat, error) {
	if len(a.Values) != len(m.Vars) {
		return nil, invalid("incumbent: %d values for %d variables", len(a.Values), len(m.Vars))
	}
	x := make([]*big.Rat, len(a.Values))
	for j, v := range a.Values {
		x[j] = new(big.Rat).SetInt64(v)
	}
	last := -1
	for _, f := range a.Fractions {
		if f.Var <= last || f.Var >= len(x) || f.Value == nil {
			return nil, invalid("incumbent: malformed fractions")
		}
		x[f.Var], last = f.Value, f.Var
	}
	obj := new(big.Rat).SetInt64(m.Constant)
	for j := range m.Vars {
		v := &m.Vars[j]
		if x[j].Cmp(new(big.Rat).SetInt64(v.Lower)) < 0 || x[j].Cmp(new(big.Rat).SetInt64(v.Upper)) > 0 {
			return nil, invalid("incumbent: variable %q = %s outside its bounds", v.Name, x[j].RatString())
		}
		if v.Kind != solve.Continuous && !x[j].IsInt() {
			return nil, invalid("incumbent: variable %q = %s is no integer", v.Name, x[j].RatString())
		}
		if v.Cost != 0 {
			obj.Add(obj, new(big.Rat).Mul(new(big.Rat).SetInt64(v.Cost), x[j]))
		}
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		sum := new(big.Rat)
		for _, t := range r.Terms {
			if x[t.Var].Sign() != 0 {
				sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt64(t.Coef), x[t.Var]))
			}
		}
		c := sum.Cmp(new(big.Rat).SetInt64(r.RHS))
		if (c < 0 && r.Sense != solve.LE) || (c > 0 && r.Sense != solve.GE) {
			return nil, invalid("incumbent: row %q: %s %s %d is false", r.Name, sum.RatString(), r.Sense, r.RHS)
		}
	}
	return obj, nil
}
