package mip

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ipusolve/solve"
)

// ErrFeasible is wrapped by Solver.Conflict when the model has an assignment.
var ErrFeasible = errors.New("the model is feasible")

// Conflict is a set of rows that the variables' bounds and kinds contradict.
type Conflict struct {
	Rows []int // ascending indices into Model.Rows
	// Minimal: without any one of the rows there is an assignment. A limit can
	// leave it false; the rows contradict all the same.
	Minimal bool
	// Certificate proves it, for the model of these rows alone (Submodel).
	Certificate *solve.Certificate
}

// Submodel is m with the given rows only, and without its objective.
func Submodel(m *solve.Model, rows []int) *solve.Model {
	out := &solve.Model{Name: m.Name, Vars: slices.Clone(m.Vars)}
	for j := range out.Vars {
		out.Vars[j].Cost = 0
	}
	for _, i := range rows {
		out.Rows = append(out.Rows, m.Rows[i])
	}
	return out
}

// Conflict explains why m is infeasible by a deletion-minimal set of rows:
// starting from those that a proof uses, each row is left out once, and stays
// out when the others contradict still. opt.TimeLimit and opt.Effort hold for
// every one of the solves. The error wraps ErrFeasible, solve.ErrModel, or says
// that a limit came before the first proof.
func (Solver) Conflict(ctx context.Context, m *solve.Model, opt solve.Options) (*Conflict, error) {
	opt.WarmStart = nil
	all := make([]int, len(m.Rows))
	for i := range all {
		all[i] = i
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("mip: conflict: %w", err)
	}
	c, status, err := contradict(ctx, m, all, opt)
	switch {
	case err != nil:
		return nil, fmt.Errorf("mip: conflict: %w", err)
	case status == solve.Unknown:
		return nil, errors.New("mip: conflict: neither an assignment nor a proof within the limits")
	case c == nil:
		return nil, fmt.Errorf("mip: conflict: %w", ErrFeasible)
	}
	c.Minimal = true
	needed := map[int]bool{}
	for {
		k := slices.IndexFunc(c.Rows, func(i int) bool { return !needed[i] })
		if k < 0 {
			break
		}
		i := c.Rows[k]
		rest := slices.Delete(slices.Clone(c.Rows), k, k+1)
		less, status, err := contradict(ctx, m, rest, opt)
		if err != nil {
			return nil, fmt.Errorf("mip: conflict: %w", err)
		}
		if less == nil {
			needed[i] = true
			c.Minimal = c.Minimal && status != solve.Unknown
			continue
		}
		less.Minimal = c.Minimal
		c = less
	}
	return c, nil
}

// contradict tries to prove that the rows contradict, and returns those the
// proof uses; nil when they do not, or a limit comes first.
func contradict(ctx context.Context, m *solve.Model, rows []int, opt solve.Options) (*Conflict, solve.Status, error) {
	sub := Submodel(m, rows)
	r, err := Solver{}.Solve(ctx, sub, opt)
	if err != nil || r.Status != solve.Infeasible {
		status := solve.Unknown
		if r != nil {
			status = r.Status
		}
		return nil, status, err
	}
	used := make([]bool, len(rows))
	for _, d := range r.Certificate.Duals {
		for _, i := range d.Rows {
			if i < len(rows) { // cuts have vectors of their own
				used[i] = true
			}
		}
	}
	for _, n := range r.Certificate.Nodes {
		if n.Branch != nil && len(n.Branch.Zero) > 0 {
			used[n.Branch.Row] = true
		}
	}
	c := &Conflict{Certificate: r.Certificate}
	at := make([]int, len(rows)) // position among the used rows
	for k, i := range rows {
		at[k] = len(c.Rows)
		if used[k] {
			c.Rows = append(c.Rows, i)
		}
	}
	renumber(c.Certificate, at, len(rows), len(c.Rows))
	return c, r.Status, nil
}

// renumber turns row indices of a certificate by at; cuts follow the rows.
func renumber(c *solve.Certificate, at []int, rows, left int) {
	for d := range c.Duals {
		for e, i := range c.Duals[d].Rows {
			if i < rows {
				c.Duals[d].Rows[e] = at[i]
			} else {
				c.Duals[d].Rows[e] = i - rows + left
			}
		}
	}
	for k := range c.Nodes {
		if b := c.Nodes[k].Branch; b != nil && len(b.Zero) > 0 {
			b.Row = at[b.Row]
		}
	}
}
