package planning

import (
	"context"
	"slices"
	"testing"

	"ipusolve/model"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// TestRecheck covers what every solved problem left out of its model, also with
// memory so tight that limits are priced.
func TestRecheck(t *testing.T) {
	for _, c := range []struct {
		tokens, dim, hidden, blocks, tiles, memory int
		once, linear                               bool
	}{
		{64, 128, 256, 1, 64, 0, false, false}, {7, 48, 80, 3, 64, 0, false, true}, {64, 128, 256, 3, 64, 0, true, false},
		{256, 1024, 2048, 1, 64, 360448, false, false}, {256, 1024, 2048, 1, 64, 400000, true, true}, {200, 512, 2048, 1, 128, 150016, false, false},
	} {
		p := problem(t, c.tokens, c.dim, c.hidden, c.blocks, c.tiles)
		if c.memory > 0 {
			p.MemoryLimit = c.memory
		}
		if c.once {
			p.Weights = model.WeightsOnce
		}
		if c.linear {
			p.Outputs = model.OutputsLinear
		}
		out := solved(t, p).Outcome
		seen, err := Recheck(p, out.Model, out.Bound, out.Prices)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		t.Logf("%v, prices %v", seen, out.Prices)
		if seen.Oversized+seen.Bounded+seen.Dominated+seen.Modelled != seen.Candidates {
			t.Errorf("%+v: %+v does not add up", c, seen)
		}
	}
}

// TestRecheckRefuses forges models.
func TestRecheckRefuses(t *testing.T) {
	p := problem(t, 64, 128, 256, 1, 64)
	res, err := Solve(context.Background(), p, mip.Solver{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := res.Outcome
	for _, c := range []struct {
		name  string
		forge func(m *solve.Model) int64
	}{
		{"dearer candidate", func(m *solve.Model) int64 { m.Vars[0].Cost++; return out.Bound }},
		{"dearer pair", func(m *solve.Model) int64 { m.Vars[len(m.Vars)-1].Cost++; return out.Bound }},
		{"unknown candidate", func(m *solve.Model) int64 { m.Vars[0].Name += "x"; return out.Bound }},
		{"constant", func(m *solve.Model) int64 { m.Constant = 1; return out.Bound }},
		{"row of its own", func(m *solve.Model) int64 {
			m.Rows = append(m.Rows, solve.Row{Name: "more", Sense: solve.GE, RHS: 1, Terms: []solve.Term{{Var: 0, Coef: 1}}})
			return out.Bound
		}},
		{"changed row", func(m *solve.Model) int64 { m.Rows[0].RHS++; return out.Bound }},
		{"one variable alone", func(m *solve.Model) int64 {
			*m = solve.Model{Vars: []solve.Var{{Name: "x", Kind: solve.Binary, Lower: 1, Upper: 1, Cost: out.Bound}}}
			return out.Bound
		}},
		// Above the optimum, what was ruled out may be part of a plan.
		{"much higher bound", func(*solve.Model) int64 { return 2 * out.Bound }},
	} {
		m := *out.Model
		m.Vars, m.Rows = slices.Clone(m.Vars), slices.Clone(m.Rows)
		bound := c.forge(&m)
		if _, err := Recheck(p, &m, bound, out.Prices); err == nil {
			t.Errorf("%s: accepted", c.name)
		}
	}
}
