package presolve

import (
	"context"

	"ipusolve/solve"
)

// Knapsack is what a row says about some of its binaries once exactly-one rows
// and the least that the other variables contribute are taken off:
// Σ Terms ≤ Slack with positive coefficients.
type Knapsack struct {
	Terms []solve.Term
	Slack int64
	// Dual is the vector for the zero objective behind it: its least value is
	// −Slack, and rises by the coefficient of each of Terms that is 1.
	Dual solve.Dual
}

// Knapsacks lists the knapsacks of m that are not satisfied by every choice and
// whose coefficients differ: the others are cuts already. When ctx ends, some may
// be missing.
func Knapsacks(ctx context.Context, m *solve.Model) (list []Knapsack) {
	p := newPropagator(m)
	for i := range m.Rows {
		if i%pollRows == 0 && ctx.Err() != nil {
			break
		}
		for _, sign := range [...]int64{1, -1} {
			if (sign > 0 && m.Rows[i].Sense == solve.GE) || (sign < 0 && m.Rows[i].Sense == solve.LE) {
				continue
			}
			k := Knapsack{Slack: sign*m.Rows[i].RHS - p.least(i, sign)}
			var sum int64
			differ := false
			for _, j := range p.touched {
				if r := p.residual[j]; r > 0 && p.lo[j] == 0 && p.hi[j] == 1 && m.Vars[j].Kind.Integral() {
					k.Terms = append(k.Terms, solve.Term{Var: j, Coef: r})
					sum += r
					differ = differ || r != k.Terms[0].Coef
				}
			}
			if differ && k.Slack >= 0 && sum > k.Slack {
				k.Dual = p.dual(i, sign)
				list = append(list, k)
			}
		}
	}
	return list
}
