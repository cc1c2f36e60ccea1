package auto

import (
	"context"
	"fmt"
	"math/big"

	"ipusolve/solve"
	"ipusolve/solve/format"
)

// Unbounded is the status word of a problem that has solutions of any quality.
const Unbounded = "unbounded"

// Answer is what is known of a problem, in the file's terms: with a file that
// maximises, Objective is the largest known and Bound an upper bound.
type Answer struct {
	Status    string   // a word of solve.Status, or Unbounded
	Objective *big.Rat // nil without a solution, or when unbounded
	Bound     *big.Rat // nil when there is none
	// Within tells that the result is one within assumed bounds only: the
	// objective is attained, but better may exist beyond them, or, without a
	// solution, some solution.
	Within bool
	// Uncertified tells that the word infeasible is that of SAT search, which gives
	// no proof. Result then claims nothing.
	Uncertified bool
	// Result is that of the model, with assumed bounds; it has the assignment and
	// the certificate.
	Result *solve.Result
	Ray    *solve.Result // of the direction in which an unbounded objective falls
}

// Gap is solve.Gap of the answer.
func (a *Answer) Gap() float64 {
	if a.Objective == nil || a.Bound == nil {
		return 1
	}
	x, y := a.Objective, a.Bound
	if x.Cmp(y) < 0 { // a file that maximises
		x, y = new(big.Rat).Neg(x), new(big.Rat).Neg(y)
	}
	return solve.Gap(x, y)
}

// Solve answers a problem by an engine. Limits apply to the model, and
// once more to each linear program that assumed bounds make necessary.
func Solve(ctx context.Context, p *format.Problem, engine solve.Solver, opt solve.Options) (*Answer, error) {
	var res *solve.Result
	var err error
	exhausted := false
	if s, ok := engine.(Solver); ok {
		res, exhausted, err = s.decide(ctx, p.Model, opt)
	} else {
		res, err = engine.Solve(ctx, p.Model, opt)
	}
	if err != nil {
		return nil, fmt.Errorf("auto: %w", err)
	}
	a := &Answer{Status: res.Status.String(), Result: res, Objective: p.Objective(res.Objective), Bound: p.Objective(res.Bound)}
	if exhausted {
		a.Status, a.Bound, a.Uncertified = solve.Infeasible.String(), nil, true
		return a, nil
	}
	if len(p.Assumed) == 0 || (res.Certificate != nil && !p.Leans(res.Certificate)) {
		return a, nil
	}
	opt.WarmStart = nil
	if ray := p.Ray(); ray != nil && res.Objective != nil {
		if a.Ray, err = engine.Solve(ctx, ray, opt); err != nil {
			return nil, fmt.Errorf("auto: %w", err)
		}
		if a.Ray.Objective != nil && a.Ray.Objective.Sign() < 0 {
			a.Status, a.Objective, a.Bound = Unbounded, nil, nil
			return a, nil
		}
	}
	ok, err := clear(ctx, p, res, engine, opt)
	if err != nil {
		return nil, fmt.Errorf("auto: %w", err)
	}
	if ok {
		return a, nil
	}
	a.Bound, a.Within, a.Status = nil, true, solve.Unknown.String()
	if res.Objective != nil {
		a.Status = solve.Feasible.String()
	}
	return a, nil
}
