package sat

import (
	"context"

	"ipusolve/solve"
)

// maxProof bounds the literals of all learnt clauses, also of those that turn out
// not to be needed.
const maxProof = 1 << 26

// Refute looks for a proof that a 0-1 model has no assignment, or with an
// incumbent none that costs less: clauses that each follow from the rows, and the
// clauses before, by propagation, the last one empty (see solve.Clause). It learns
// them in a search of its own over the rows as they are, without encodings, for
// gini keeps no record of what it learns.
//
//	Unsatisfiable   the certificate, with only the clauses that it needs
//	Satisfiable     an assignment (that is better)
//	Unknown         after so many conflicts (0 = no limit), or ctx ended
//
// Errors wrap ErrModel or solve.ErrModel, or solve.ErrViolated for a wrong
// incumbent.
func Refute(ctx context.Context, m *solve.Model, incumbent *solve.Assignment, conflicts int) (*solve.Certificate, *solve.Assignment, Answer, error) {
	if err := zeroOne(m); err != nil {
		return nil, nil, Unknown, err
	}
	c := &solve.Certificate{Status: solve.Infeasible}
	s := newLearner(m)
	if incumbent != nil {
		if err := m.Check(incumbent); err != nil {
			return nil, nil, Unknown, err
		}
		best, err := m.Evaluate(incumbent)
		if err != nil {
			return nil, nil, Unknown, err
		}
		c.Status, c.Bound, c.Assignment = solve.Optimal, best, *incumbent
		less := solve.Row{RHS: best.Num().Int64() - m.Constant - 1}
		for v := range m.Vars {
			if cost := m.Vars[v].Cost; cost != 0 {
				less.Terms = append(less.Terms, solve.Term{Var: v, Coef: cost})
			}
		}
		s.addRow(&less, -1)
	}
	switch answer := s.search(ctx, conflicts); answer {
	case Satisfiable:
		a := &solve.Assignment{Values: make([]int64, len(m.Vars))}
		for v := range m.Vars {
			if s.value[mkLit(v, true)] > 0 {
				a.Values[v] = 1
			}
		}
		if err := m.Check(a); err != nil {
			return nil, nil, Unknown, err
		}
		return nil, a, answer, nil
	case Unsatisfiable:
		s.certify(m, c)
		return c, nil, answer, nil
	}
	return nil, nil, Unknown, nil
}

// certify writes down the clauses that the contradiction needs.
func (s *learner) certify(m *solve.Model, c *solve.Certificate) {
	root := solve.ProofNode{Farkas: true}
	need := s.needed()
	for id := range s.learnt {
		if need[id] {
			k := &solve.Clause{}
			for _, l := range s.learnt[id].lits {
				k.Literals = append(k.Literals, l.dimacs())
			}
			root.Fix = append(root.Fix, solve.Tightening{Dual: -1, Clause: k})
		}
	}
	root.Fix = append(root.Fix, solve.Tightening{Dual: -1, Clause: &solve.Clause{Literals: []int{}}})
	c.Duals = []solve.Dual{{Den: 1, Rows: []int{len(m.Rows) + len(root.Fix) - 1}, Num: []int64{1}}}
	c.Nodes = []solve.ProofNode{root}
}

// needed marks the learnt clauses that the contradiction rests on, through other
// clauses and through literals that hold without decisions.
func (s *learner) needed() []bool {
	need, seen := make([]bool, len(s.learnt)), make([]bool, len(s.level))
	var clauses []int32
	var vars []int32
	use := func(list []int32) {
		for _, d := range list {
			if d >= 0 {
				clauses = append(clauses, d)
			} else {
				vars = append(vars, -d-1)
			}
		}
	}
	use(s.contradiction)
	for len(clauses)+len(vars) > 0 {
		if n := len(vars); n > 0 {
			v := vars[n-1]
			vars = vars[:n-1]
			if seen[v] {
				continue
			}
			seen[v] = true
			if r := s.reason[v]; r.kind == byLearnt {
				clauses = append(clauses, r.index)
			}
			for _, l := range s.explain(int(v)) {
				vars = append(vars, int32(l.v()))
			}
			continue
		}
		n := len(clauses)
		id := clauses[n-1]
		clauses = clauses[:n-1]
		if !need[id] {
			need[id] = true
			use(s.learnt[id].from)
		}
	}
	return need
}
