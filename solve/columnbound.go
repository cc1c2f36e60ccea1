package solve

import (
	"context"
	"errors"
	"fmt"
	"math/big"
)

// Bound is the bound on the objective of every solution, all columns included,
// that a proof gives, in exact arithmetic:
//
//	y·b + Σ min(r_j·lower_j, r_j·upper_j) over the master's variables + Σ min(0, Least_g)/Den·Most_g + constant
//
// Where every group with a negative Least has a positive Cheapest, and no group a
// negative one, the vector can also be shrunk until no reduced cost is negative: by Den·Cheapest/(Den·Cheapest −
// Least), the smallest of the groups (Farley's bound). The better of the two
// counts. With Farkas costs and constant count as 0.
func (p *ColumnProblem) Bound(proof *ColumnProof) (*big.Rat, error) {
	d := &proof.Dual
	if d.Den <= 0 || len(d.Rows) != len(d.Num) || len(proof.Least) != len(p.Groups) {
		return nil, fmt.Errorf("solve: malformed proof of a column problem")
	}
	y := make([]*big.Int, len(p.Master.Rows))
	last := -1
	for k, i := range d.Rows {
		if i <= last || i >= len(y) {
			return nil, fmt.Errorf("solve: proof of a column problem: row %d of %d", i, len(y))
		}
		last = i
		if s := p.Master.Rows[i].Sense; s == LE && d.Num[k] > 0 || s == GE && d.Num[k] < 0 {
			return nil, fmt.Errorf("solve: proof of a column problem: multiplier %d of row %q", d.Num[k], p.Master.Rows[i].Name)
		}
		y[i] = big.NewInt(d.Num[k])
	}
	den := big.NewInt(d.Den)
	// At scale 1 the columns may have negative reduced costs.
	bound := p.scaledBound(y, big.NewRat(1, d.Den), proof.Farkas)
	theta, scalable := big.NewRat(1, 1), !proof.Farkas
	missing := false
	for g, least := range proof.Least {
		scalable = scalable && p.Groups[g].Cheapest >= 0
		if least >= 0 {
			continue
		}
		missing = true
		x := new(big.Rat).SetFrac(big.NewInt(least), den)
		bound.Add(bound, x.Mul(x, new(big.Rat).SetInt64(p.Groups[g].Most)))
		if p.Groups[g].Cheapest <= 0 {
			scalable = false
			continue // nothing can be shrunk
		}
		c := new(big.Int).Mul(den, big.NewInt(p.Groups[g].Cheapest))
		if t := new(big.Rat).SetFrac(c, new(big.Int).Sub(c, big.NewInt(least))); t.Cmp(theta) < 0 {
			theta = t
		}
	}
	if missing && scalable {
		if b := p.scaledBound(y, theta.Quo(theta, new(big.Rat).SetInt(den)), false); b.Cmp(bound) > 0 {
			bound = b
		}
	}
	return bound, nil
}

// scaledBound is the bound of scale·y without the columns.
func (p *ColumnProblem) scaledBound(y []*big.Int, scale *big.Rat, farkas bool) *big.Rat {
	sum := new(big.Int) // y·b
	act := make([]*big.Int, len(p.Master.Vars))
	t := new(big.Int)
	for i := range p.Master.Rows {
		if y[i] == nil {
			continue
		}
		r := &p.Master.Rows[i]
		sum.Add(sum, t.Mul(y[i], big.NewInt(r.RHS)))
		for _, e := range r.Terms {
			if act[e.Var] == nil {
				act[e.Var] = new(big.Int)
			}
			act[e.Var].Add(act[e.Var], t.Mul(y[i], big.NewInt(e.Coef)))
		}
	}
	bound := new(big.Rat).Mul(scale, new(big.Rat).SetInt(sum))
	for j := range p.Master.Vars {
		v := &p.Master.Vars[j]
		r := new(big.Rat)
		if !farkas {
			r.SetInt64(v.Cost)
		}
		if act[j] != nil {
			r.Sub(r, new(big.Rat).Mul(scale, new(big.Rat).SetInt(act[j])))
		}
		x := v.Lower
		if r.Sign() < 0 {
			x = v.Upper
		}
		bound.Add(bound, r.Mul(r, new(big.Rat).SetInt64(x)))
	}
	if !farkas {
		bound.Add(bound, new(big.Rat).SetInt64(p.Master.Constant))
	}
	return bound
}

// RoundUp is the least objective that is at least bound.
func (p *ColumnProblem) RoundUp(bound *big.Rat) *big.Rat {
	if !p.Granular() || bound.IsInt() {
		return bound
	}
	q := new(big.Int).Div(bound.Num(), bound.Denom())
	return new(big.Rat).SetInt(q.Add(q, big.NewInt(1)))
}

// ErrColumnProof is wrapped by Check when a result claims more than it shows.
var ErrColumnProof = errors.New("claim of a column problem not proven")

// Check derives a result's claims again: the assignment against the model of the
// columns, the bound from the proof with a statement that the pricer makes anew.
func (p *ColumnProblem) Check(ctx context.Context, r *ColumnResult) error {
	if r.Objective != nil {
		m, err := p.Model(r.Columns)
		if err != nil {
			return err
		}
		if err := m.Check(&r.Assignment); err != nil {
			return err
		}
		if obj, err := m.Evaluate(&r.Assignment); err != nil || obj.Cmp(r.Objective) != 0 {
			return fmt.Errorf("solve: %w: objective", ErrColumnProof)
		}
	}
	if r.Status == Optimal && (r.Objective == nil || r.Bound == nil || r.Objective.Cmp(r.Bound) > 0) {
		return fmt.Errorf("solve: %w: optimal", ErrColumnProof)
	}
	if r.Proof == nil {
		if r.Bound != nil || r.Status == Infeasible {
			return fmt.Errorf("solve: %w: no proof", ErrColumnProof)
		}
		return nil
	}
	q := &Pricing{Y: make([]int64, len(p.Master.Rows)), Den: r.Proof.Dual.Den, Farkas: r.Proof.Farkas}
	for k, i := range r.Proof.Dual.Rows {
		if i < 0 || i >= len(q.Y) || k >= len(r.Proof.Dual.Num) {
			return fmt.Errorf("solve: %w: row %d", ErrColumnProof, i)
		}
		q.Y[i] = r.Proof.Dual.Num[k]
	}
	again, err := p.Pricer.Price(ctx, q)
	if err != nil {
		return err
	}
	bound, err := p.Bound(&ColumnProof{Dual: r.Proof.Dual, Farkas: r.Proof.Farkas, Least: again.Least})
	if err != nil {
		return err
	}
	if r.Status == Infeasible {
		if !r.Proof.Farkas || bound.Sign() <= 0 {
			return fmt.Errorf("solve: %w: infeasible", ErrColumnProof)
		}
		return nil
	}
	if r.Bound != nil && (r.Proof.Farkas || p.RoundUp(bound).Cmp(r.Bound) < 0) {
		return fmt.Errorf("solve: %w: bound %s", ErrColumnProof, r.Bound.RatString())
	}
	return nil
}
