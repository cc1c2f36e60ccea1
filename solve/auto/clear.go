package auto

import (
	"context"
	"math/big"

	"ipusolve/solve"
	"ipusolve/solve/format"
)

// clear reports whether no point that could matter lies beyond an assumed bound.
//
// Let P be the linear relaxation without the assumed bounds, cut at the objective
// of the incumbent if there is one. P is convex. If the part of P inside the
// bounds is not empty and stays away from every assumed one, then P has nothing
// outside: the segment to a point outside would have to cross the bound. So each
// assumed bound asks for one linear program.
func clear(ctx context.Context, p *format.Problem, res *solve.Result, engine solve.Solver, opt solve.Options) (bool, error) {
	m := &solve.Model{Name: p.Model.Name + "/clear", Vars: append([]solve.Var(nil), p.Model.Vars...), Rows: p.Model.Rows}
	names := map[string]bool{}
	for i := range m.Rows {
		names[m.Rows[i].Name] = true
	}
	if res.Objective != nil {
		cut := solve.Row{Name: "cut", Sense: solve.LE, RHS: ceil(res.Objective) - p.Model.Constant}
		for names[cut.Name] {
			cut.Name += "~"
		}
		for j := range m.Vars {
			if c := m.Vars[j].Cost; c != 0 {
				cut.Terms = append(cut.Terms, solve.Term{Var: j, Coef: c})
			}
		}
		m.Rows = append(m.Rows[:len(m.Rows):len(m.Rows)], cut)
	}
	for j := range m.Vars {
		m.Vars[j].Kind, m.Vars[j].Cost = solve.Continuous, 0
	}
	if m.Validate() != nil { // the cut has numbers that are too large
		return false, nil
	}
	opt.WarmStart = nil
	inside := res.Objective != nil
	for _, a := range p.Assumed {
		v := &m.Vars[a.Var]
		v.Cost = 1
		if a.Upper {
			v.Cost = -1
		}
		r, err := engine.Solve(ctx, m, opt)
		if err != nil {
			return false, err
		}
		inside = inside || r.Objective != nil
		edge := v.Lower
		if a.Upper {
			edge = -v.Upper
		}
		v.Cost = 0
		if r.Bound == nil || r.Bound.Cmp(new(big.Rat).SetInt64(edge)) <= 0 {
			return false, nil
		}
	}
	return inside, nil
}

// ceil is the least integer that is not below x, a number that fits.
func ceil(x *big.Rat) int64 {
	q, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}
