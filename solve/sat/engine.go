package sat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"time"

	"ipusolve/solve"
)

// ErrModel is wrapped by the errors about models that are not pure 0-1.
var ErrModel = errors.New("model is not pure 0-1")

// Solver is a solve.Solver for models whose variables are all integral within
// [0, 1]. It is good at finding assignments where constraints are tight and
// logical, and at finding out that there are none.
//
// gini gives no proof. When it says that nothing (better) exists, Refute is asked
// for one; where that takes too long, the Result claims little: Bound is that of
// the box, Status is Feasible or Unknown. Decide returns gini's word as well, for
// callers who look for incumbents and no-goods.
//
// Options.Effort limits the calls of gini, each of which runs to its end. Seed,
// Threads and Disable have no meaning here.
type Solver struct{}

var _ solve.Solver = Solver{}

// Outcome is a result with what gini says beyond it.
type Outcome struct {
	*solve.Result
	// Exhausted: gini found that nothing better than the incumbent exists, or
	// nothing at all without one, and Result does not say so. It is not certified.
	Exhausted bool
}

// refuteConflicts is the most conflicts spent on the proof of what gini found.
const refuteConflicts = 500_000

// Solve is Decide without the uncertified part.
func (s Solver) Solve(ctx context.Context, m *solve.Model, opt solve.Options) (*solve.Result, error) {
	out, err := s.Decide(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	return out.Result, nil
}

// Decide looks for better and better assignments until there is none, a limit
// is reached or Options.Gap is met. Errors wrap ErrModel or solve.ErrModel.
func (Solver) Decide(ctx context.Context, m *solve.Model, opt solve.Options) (*Outcome, error) {
	begin := time.Now()
	if opt.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.TimeLimit)
		defer cancel()
	}
	log := opt.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f, x, _, err := encodeModel(m, false)
	if err != nil {
		return nil, err
	}
	log.Info("model", "rows", len(m.Rows), "variables", len(m.Vars), "literals", f.Vars(), "clauses", f.Clauses())

	bound := m.Constant
	var cost []Weighted
	for j, v := range m.Vars {
		bound += min(v.Cost*v.Lower, v.Cost*v.Upper)
		if v.Cost != 0 {
			cost = append(cost, Weighted{x[j], v.Cost})
		}
	}
	res := &solve.Result{Bound: big.NewRat(bound, 1), Stats: solve.Stats{Vars: len(m.Vars), Rows: len(m.Rows)}}
	out := &Outcome{Result: res}
	better := func(values []int64) error {
		a := solve.Assignment{Values: values}
		if err := m.Check(&a); err != nil {
			return err
		}
		objective, err := m.Evaluate(&a)
		if err != nil {
			return err
		}
		if res.Objective == nil || objective.Cmp(res.Objective) < 0 {
			res.Assignment, res.Objective = a, objective
			res.Stats.Incumbents++
			log.Info("incumbent", "objective", objective.RatString())
		}
		return nil
	}
	if opt.WarmStart != nil && better(opt.WarmStart) == nil && len(cost) > 0 {
		best, _ := m.Evaluate(&res.Assignment)
		f.LinearAtMost(best.Num().Int64()-m.Constant-1, cost...)
	}
	finished := func() bool {
		return res.Objective != nil && (len(cost) == 0 || res.Objective.Cmp(res.Bound) <= 0 || opt.Gap > 0 && res.Gap() <= opt.Gap)
	}
	if !finished() {
		inner, stop := context.WithCancel(ctx)
		defer stop()
		var wrong error
		_, _, out.Exhausted = f.Minimise(inner, cost, int(opt.Effort), func(int64) {
			values := make([]int64, len(x))
			for j, l := range x {
				if f.Value(l) {
					values[j] = 1
				}
			}
			if wrong = better(values); wrong != nil || finished() {
				stop()
			}
		})
		if wrong != nil {
			return nil, fmt.Errorf("sat: gini's model: %w", wrong)
		}
	}
	out.finish()
	if err := out.prove(ctx, m, log); err != nil {
		return nil, err
	}
	res.Stats.Duration = time.Since(begin)
	log.Info("end", "status", res.Status, "exhausted", out.Exhausted)
	return out, nil
}

// finish sets the status and writes the certificate of the box bound: one leaf
// with the zero dual vector.
func (o *Outcome) finish() {
	res := o.Result
	if res.Objective != nil {
		res.Status = solve.Feasible
		if res.Objective.Cmp(res.Bound) == 0 {
			res.Status, o.Exhausted = solve.Optimal, false
		}
	}
	res.Certificate = &solve.Certificate{
		Status: res.Status, Bound: res.Bound, Assignment: res.Assignment,
		Duals: []solve.Dual{{Den: 1}}, Nodes: []solve.ProofNode{{}},
	}
}

// prove looks for a certificate of what gini found.
func (o *Outcome) prove(ctx context.Context, m *solve.Model, log *slog.Logger) error {
	res := o.Result
	if !o.Exhausted {
		return nil
	}
	var best *solve.Assignment
	if res.Objective != nil {
		best = &res.Assignment
	}
	proof, better, _, err := Refute(ctx, m, best, refuteConflicts)
	switch {
	case err != nil:
		return err
	case better != nil:
		return errors.New("sat: gini found that nothing is better than an assignment that can be improved")
	case proof != nil:
		res.Status, res.Bound, res.Certificate, o.Exhausted = proof.Status, proof.Bound, proof, false
		log.Info("proven", "clauses", len(proof.Nodes[0].Fix))
	}
	return nil
}

// Conflict names the rows of an infeasible model that cannot all hold, none of
// which can be spared (minimal false: ctx ended before that was sure). No rows:
// the model is feasible, or ctx ended. It is gini's word, not a proof.
func (Solver) Conflict(ctx context.Context, m *solve.Model) (rows []int, minimal bool, err error) {
	f, _, guards, err := encodeModel(m, true)
	if err != nil {
		return nil, false, err
	}
	core, minimal, _ := f.MinimalCore(ctx, guards)
	row := make(map[Lit]int, len(guards))
	for i, g := range guards {
		row[g] = i
	}
	for _, g := range core {
		rows = append(rows, row[g])
	}
	return rows, minimal, nil
}

// zeroOne validates a model whose variables must all be 0-1.
func zeroOne(m *solve.Model) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("sat: %w", err)
	}
	for _, v := range m.Vars {
		if !v.Kind.Integral() || v.Lower < 0 || v.Upper > 1 {
			return fmt.Errorf("sat: %w: variable %q is %v in [%d, %d]", ErrModel, v.Name, v.Kind, v.Lower, v.Upper)
		}
	}
	return nil
}

// encodeModel writes the rows as clauses; with guarded each under a group of
// its name.
func encodeModel(m *solve.Model, guarded bool) (f *Formula, x, guards []Lit, err error) {
	if err := zeroOne(m); err != nil {
		return nil, nil, nil, err
	}
	f = New()
	x = f.NewVars(len(m.Vars))
	for j, v := range m.Vars {
		if v.Lower == 1 {
			f.AddClause(x[j])
		}
		if v.Upper == 0 {
			f.AddClause(-x[j])
		}
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		add := func() {
			terms := make([]Weighted, len(r.Terms))
			for k, t := range r.Terms {
				terms[k] = Weighted{x[t.Var], t.Coef}
			}
			if r.Sense != solve.GE {
				f.LinearAtMost(r.RHS, terms...)
			}
			if r.Sense != solve.LE {
				f.LinearAtLeast(r.RHS, terms...)
			}
		}
		if !guarded {
			add()
			continue
		}
		g := f.Group(r.Name)
		guards = append(guards, g)
		f.Under(g, add)
	}
	return f, x, guards, nil
}
