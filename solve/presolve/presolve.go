package presolve

import (
	"context"
	"fmt"

	"ipusolve/solve"
)

// Kind is a rule of the presolve.
type Kind uint8

const (
	Tighten   Kind = iota // bounds that a row implies
	Redundant             // a row that the bounds imply
	Equal                 // a row that another one implies
	Priced                // bounds whose other side costs too much
)

var kindNames = [...]string{"tighten", "redundant", "equal", "priced"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Reduction is one step of the log. Indices are the original model's.
type Reduction struct {
	Kind Kind
	Row  int // the row that implies the bounds, or that is dropped
	By   int // of Equal: the row that stays
	// Of Tighten: Dual is a vector whose bound for the zero objective excludes
	// what Bounds cut off, entry by entry, in the box before this step. Of Priced:
	// a vector whose bound on each side cut off reaches what is claimed.
	Dual   solve.Dual
	Bounds []solve.BoundChange
}

// Stats counts what a presolve did.
type Stats struct {
	Tightened    int   // bounds
	Fixed        int   // variables
	Redundant    int   // rows implied by the bounds
	Equal        int   // rows implied by another row
	Passes       int   // looks at a row
	Work         int64 // row entries touched
	VarsLeft     int
	RowsLeft     int
	EntriesLeft  int
	EntriesFirst int
}

// Reduced is a model with the feasible points of the original one; the
// variables it lacks have one value only.
type Reduced struct {
	// Model is nil when Infeasible or Interrupted.
	Model *solve.Model
	// Interrupted says that the context or the limit ended the presolve before it
	// had a model; the original stands.
	Interrupted bool
	// Infeasible says that Contradiction, a vector of the original rows for the
	// zero objective, excludes the box that the log leaves.
	Infeasible    bool
	Contradiction *solve.Dual
	Vars, Rows    []int // original index of each variable and row of Model
	Log           []Reduction
	Stats         Stats

	original *solve.Model
	at       []int   // new index of each original variable; −1 without one
	value    []int64 // of the variables that Model lacks
}

// Reduce presolves a valid model. It is deterministic. Priced steps, if any,
// come first: with them, only points worse than what the caller already has are
// lost, and the certificate must not claim a bound above those that justify them.
//
// When ctx ends, the result is Interrupted.
func Reduce(ctx context.Context, m *solve.Model, priced ...Reduction) *Reduced {
	return ReduceWithin(ctx, 0, m, priced...)
}

// ReduceWithin is Reduce with a limit on Stats.Work; 0 means none. At the limit
// propagation ends, and the model has the bounds tightened so far.
func ReduceWithin(ctx context.Context, limit int64, m *solve.Model, priced ...Reduction) *Reduced {
	p := newPropagator(m)
	p.limit = limit
	for _, step := range priced {
		step.Kind = Priced
		p.apply(step)
	}
	r := &Reduced{original: m}
	for i := range m.Rows {
		r.Stats.EntriesFirst += len(m.Rows[i].Terms)
	}
	p.run(ctx)
	r.Log, r.Stats.Passes = p.log, p.passes
	defer func() { r.Stats.Work = p.work }()
	for k := range p.log {
		r.Stats.Tightened += len(p.log[k].Bounds)
	}
	if p.empty {
		r.Infeasible, r.Contradiction = true, p.contradiction
		return r
	}
	drop := make([]bool, len(m.Rows))
	if !p.spent() {
		r.redundant(ctx, p, drop)
	}
	if !p.spent() && ctx.Err() == nil {
		r.equal(ctx, p, drop)
	}
	if ctx.Err() != nil {
		return &Reduced{Interrupted: true}
	}
	r.build(p, drop)
	return r
}

// redundant drops the rows that hold everywhere in the box.
func (r *Reduced) redundant(ctx context.Context, p *propagator, drop []bool) {
	for i := range r.original.Rows {
		if i%pollRows == 0 && ctx.Err() != nil {
			return
		}
		row := &r.original.Rows[i]
		if (row.Sense != solve.GE && p.beyond(i, 1)) || (row.Sense != solve.LE && p.beyond(i, -1)) {
			continue
		}
		drop[i] = true
		r.Stats.Redundant++
		r.Log = append(r.Log, Reduction{Kind: Redundant, Row: i})
	}
}

// build writes the smaller model, or gives up when a number grows beyond what a
// model holds; then the original stays with its tightened bounds.
func (r *Reduced) build(p *propagator, drop []bool) {
	if !r.assemble(p, drop, true) {
		clear(drop)
		r.Log = r.Log[:len(p.log)]
		r.Stats.Redundant, r.Stats.Equal = 0, 0
		r.assemble(p, drop, false)
	}
}

func (r *Reduced) assemble(p *propagator, drop []bool, remove bool) bool {
	m := r.original
	r.Vars, r.Rows = nil, nil
	r.at, r.value = make([]int, len(m.Vars)), make([]int64, len(m.Vars))
	r.Stats.Fixed, r.Stats.EntriesLeft = 0, 0
	out := &solve.Model{Name: m.Name, Constant: m.Constant}
	for j := range m.Vars {
		v := m.Vars[j]
		v.Lower, v.Upper = p.lo[j], p.hi[j]
		if v.Lower == v.Upper && remove {
			r.at[j], r.value[j] = -1, v.Lower
			out.Constant += v.Cost * v.Lower
			r.Stats.Fixed++
			continue
		}
		r.at[j] = len(out.Vars)
		r.Vars = append(r.Vars, j)
		out.Vars = append(out.Vars, v)
	}
	ok := inRange(out.Constant)
	for i := range m.Rows {
		if drop[i] {
			continue
		}
		row := solve.Row{Name: m.Rows[i].Name, Sense: m.Rows[i].Sense, RHS: m.Rows[i].RHS}
		for _, t := range m.Rows[i].Terms {
			if r.at[t.Var] < 0 {
				row.RHS -= t.Coef * r.value[t.Var]
			} else {
				row.Terms = append(row.Terms, solve.Term{Var: r.at[t.Var], Coef: t.Coef})
			}
		}
		ok = ok && inRange(row.RHS)
		r.Stats.EntriesLeft += len(row.Terms)
		r.Rows = append(r.Rows, i)
		out.Rows = append(out.Rows, row)
	}
	r.Model = out
	r.Stats.VarsLeft, r.Stats.RowsLeft = len(out.Vars), len(out.Rows)
	return ok
}

func inRange(x int64) bool { return -solve.MaxMagnitude <= x && x <= solve.MaxMagnitude }
