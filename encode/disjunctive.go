package encode

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ipusolve/solve"
)

// ErrDisjunctive is wrapped by every error about a malformed Disjunctive.
var ErrDisjunctive = errors.New("malformed disjunctive problem")

// Disjunctive asks for integer starts of jobs so that the last one ends as early
// as possible, where differences of two starts must be large enough, or keep out
// of a range: job shops, open shops and all that difference logic can say.
type Disjunctive struct {
	Name    string
	Horizon int64 // no job ends later
	Bound   int64 // known: some job ends at or behind Bound; 0: nothing is known
	Jobs    []Job
	After   []After
	Apart   []Gap
}

// Job starts at or behind Head ≥ 0, and ends Length ≥ 0 behind its start.
type Job struct {
	Name   string // unique
	Head   int64
	Length int64
}

// After demands start of Then − start of First ≥ Lag.
type After struct {
	First, Then int
	Lag         int64
}

// Gap forbids Low < start of B − start of A < High: A comes first by at least
// High, or does not by more than Low.
type Gap struct {
	A, B      int
	Low, High int64
}

// Validate reports the first thing wrong with the record. The error wraps
// ErrDisjunctive. Crossed bounds are no error: they make the problem infeasible.
func (d *Disjunctive) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("encode: %w: %s: %s", ErrDisjunctive, d.Name, fmt.Sprintf(format, args...))
	}
	const most = 1 << 50
	if d.Horizon < 0 || d.Horizon > most || d.Bound < 0 || d.Bound > most {
		return fail("horizon %d, bound %d", d.Horizon, d.Bound)
	}
	seen := map[string]bool{}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Name == "" || seen[j.Name] || j.Head < 0 || j.Head > most || j.Length < 0 || j.Length > most {
			return fail("job %d: %q from %d on, length %d", i, j.Name, j.Head, j.Length)
		}
		seen[j.Name] = true
	}
	pair := func(a, b int) bool { return a >= 0 && b >= 0 && a < len(d.Jobs) && b < len(d.Jobs) && a != b }
	for _, x := range d.After {
		if !pair(x.First, x.Then) || x.Lag < -most || x.Lag > most {
			return fail("job %d is %d after %d", x.Then, x.Lag, x.First)
		}
	}
	for _, x := range d.Apart {
		if !pair(x.A, x.B) || x.Low < -most || x.High > most || x.Low > x.High {
			return fail("jobs %d and %d not from %d to %d", x.A, x.B, x.Low, x.High)
		}
	}
	return nil
}

// DisjunctiveModel is a Disjunctive as an integer program: minimise the horizon.
//
//	horizon ≥ Bound                              bound
//	horizon ≥ start + Length                     end/NAME
//	start of Then − start of First ≥ Lag         after/FIRST,THEN
//	start of B − start of A ≥ High, or ≤ Low,    before/A,B and behind/A,B
//	by a 0-1 variable                            before/A,B
//
// Forbidden ranges of a pair are joined, and cut to what heads and Horizon leave.
type DisjunctiveModel struct {
	Model   *solve.Model
	d       *Disjunctive
	horizon int
	start   []int // variable by job
	pairs   []orderPair
}

// orderPair is the 0-1 variable of a gap.
type orderPair struct {
	Gap
	before int
}

// NewDisjunctiveModel writes d as a model. Errors wrap ErrDisjunctive or
// solve.ErrModel.
func NewDisjunctiveModel(d *Disjunctive) (*DisjunctiveModel, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	b := solve.NewBuilder(d.Name)
	m := &DisjunctiveModel{d: d, start: make([]int, len(d.Jobs))}
	m.horizon = b.Integer("horizon", 0, d.Horizon, 1)
	if d.Bound > 0 {
		b.Row("bound", solve.GE, d.Bound, solve.Term{Var: m.horizon, Coef: 1})
	}
	latest := make([]int64, len(d.Jobs))
	for i := range d.Jobs {
		j := &d.Jobs[i]
		latest[i] = max(j.Head, d.Horizon-j.Length) // row end says it if that crosses
		m.start[i] = b.Integer("start/"+j.Name, j.Head, latest[i], 0)
		b.Row("end/"+j.Name, solve.GE, j.Length, solve.Term{Var: m.horizon, Coef: 1}, solve.Term{Var: m.start[i], Coef: -1})
	}
	gaps, err := joined(d.Apart)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, d.Name)
	}
	names := map[string]int{}
	name := func(kind string, i, j int) string {
		s := kind + "/" + d.Jobs[i].Name + "," + d.Jobs[j].Name
		if names[s]++; names[s] > 1 {
			s = fmt.Sprintf("%s~%d", s, names[s])
		}
		return s
	}
	after := d.After
	for _, g := range gaps {
		least, most := d.Jobs[g.B].Head-latest[g.A], latest[g.B]-d.Jobs[g.A].Head
		low, high := solve.Term{Var: m.start[g.A], Coef: -1}, solve.Term{Var: m.start[g.B], Coef: 1}
		switch {
		case g.High-1 < least || g.Low+1 > most: // never in the range
		case g.Low < least:
			after = append(after[:len(after):len(after)], After{g.A, g.B, g.High})
		case g.High > most:
			after = append(after[:len(after):len(after)], After{g.B, g.A, -g.Low})
		default:
			before := name("before", g.A, g.B)
			y := b.Binary(before, 0)
			m.pairs = append(m.pairs, orderPair{g, y})
			b.Row(before, solve.GE, least, low, high, solve.Term{Var: y, Coef: least - g.High})
			b.Row("behind"+before[len("before"):], solve.LE, g.Low, low, high, solve.Term{Var: y, Coef: g.Low - most})
		}
	}
	for _, x := range after {
		b.Row(name("after", x.First, x.Then), solve.GE, x.Lag, solve.Term{Var: m.start[x.Then], Coef: 1}, solve.Term{Var: m.start[x.First], Coef: -1})
	}
	if m.Model, err = b.Build(); err != nil {
		return nil, fmt.Errorf("encode: %s: %w", d.Name, err)
	}
	return m, nil
}

// joined brings gaps into the order A < B, and joins those of a pair that overlap.
func joined(list []Gap) ([]Gap, error) {
	gaps := make([]Gap, 0, len(list))
	for _, g := range list {
		if g.A > g.B {
			g = Gap{g.B, g.A, -g.High, -g.Low}
		}
		if g.Low+1 < g.High {
			gaps = append(gaps, g)
		}
	}
	slices.SortFunc(gaps, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B), cmp.Compare(a.Low, b.Low))
	})
	out := gaps[:0]
	for _, g := range gaps {
		if n := len(out) - 1; n >= 0 && out[n].A == g.A && out[n].B == g.B && g.Low < out[n].High {
			out[n].High = max(out[n].High, g.High)
			continue
		}
		out = append(out, g)
	}
	if len(out) > maxDisjoint {
		return nil, fmt.Errorf("encode: %w: %d pairs of jobs to order, at most %d can be written", ErrDisjunctive, len(out), maxDisjoint)
	}
	return out, nil
}

// Starts reads the starts out of an assignment of the model.
func (m *DisjunctiveModel) Starts(values []int64) []int64 {
	starts := make([]int64, len(m.start))
	for i, j := range m.start {
		starts[i] = values[j]
	}
	return starts
}

// Values turns starts into an assignment of the model, to warm start a solver or
// to check them; the model's rows tell whether they are a solution.
func (m *DisjunctiveModel) Values(starts []int64) []int64 {
	values := make([]int64, len(m.Model.Vars))
	values[m.horizon] = m.d.Bound
	for i, j := range m.start {
		values[j] = starts[i]
		values[m.horizon] = max(values[m.horizon], starts[i]+m.d.Jobs[i].Length)
	}
	for _, p := range m.pairs {
		if starts[p.B]-starts[p.A] >= p.High {
			values[p.before] = 1
		}
	}
	return values
}
