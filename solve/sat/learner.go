package sat

import (
	"context"
	"slices"

	"ipusolve/solve"
)

// lit is a literal as an index: 2·variable, plus 1 when negated.
type lit int32

func mkLit(v int, positive bool) lit {
	if positive {
		return lit(2 * v)
	}
	return lit(2*v + 1)
}

func (l lit) v() int   { return int(l >> 1) }
func (l lit) not() lit { return l ^ 1 }

func (l lit) dimacs() int {
	if l&1 != 0 {
		return -l.v() - 1
	}
	return l.v() + 1
}

// learner is conflict-driven clause learning over linear rows. A row that leaves
// a literal no choice explains it by a clause: that literal, or one of the row's
// literals that are false. What is learnt from such clauses also follows by
// propagation over the rows, which is what a checker does.
type learner struct {
	value  []int8 // by literal: 1 true, −1 false, 0 open
	level  []int32
	reason []reason
	place  []int32 // on the trail
	phase  []bool  // last value
	trail  []lit
	limits []int // trail length before each decision
	done   int

	rows   []weighted
	at     [][]entry // by literal: rows in which it counts
	learnt []learntClause
	watch  [][]int32 // by literal: learnt clauses to look at when it becomes false
	live   []int32   // learnt clauses of more than two literals in use
	size   int       // literals of all learnt clauses

	activity  []float64
	increment float64
	heap      []int32 // variables by activity
	position  []int32 // in the heap, or −1

	mark          []bool  // of the analysis, by variable
	contradiction []int32 // what it rests on: learnt clauses, and −variable−1
}

// weighted is the row Σ weight·literal ≥ need; slack is what the literals that
// are not false exceed it by.
type weighted struct {
	lits    []lit
	weights []int64
	total   int64 // slack with no literal false
	slack   int64
	largest int64
}

type entry struct {
	row    int32
	weight int64
}

// learntClause has its watched literals in front. From lists what its derivation
// used: learnt clauses, and −variable−1 for literals without a decision.
type learntClause struct {
	lits   []lit
	from   []int32
	levels int // different levels when learnt
	gone   bool
}

// reason is what forced a literal: a row or a learnt clause by its index.
type reason struct {
	kind  int8
	index int32
}

const (
	decided int8 = iota
	byRow
	byLearnt
)

func newLearner(m *solve.Model) *learner {
	n := len(m.Vars)
	s := &learner{value: make([]int8, 2*n), level: make([]int32, n), reason: make([]reason, n), place: make([]int32, n), phase: make([]bool, n),
		at: make([][]entry, 2*n), watch: make([][]int32, 2*n), activity: make([]float64, n), increment: 1, position: make([]int32, n), mark: make([]bool, n)}
	for i := range m.Rows {
		r := &m.Rows[i]
		if r.Sense != solve.GE {
			s.addRow(r, -1)
		}
		if r.Sense != solve.LE {
			s.addRow(r, 1)
		}
	}
	for v := range m.Vars {
		// Fixed variables are a row with a literal that must hold.
		if m.Vars[v].Lower == m.Vars[v].Upper {
			l := mkLit(v, m.Vars[v].Lower == 1)
			s.at[l] = append(s.at[l], entry{int32(len(s.rows)), 1})
			s.rows = append(s.rows, weighted{lits: []lit{l}, weights: []int64{1}, largest: 1})
		}
		for _, l := range []lit{mkLit(v, true), mkLit(v, false)} {
			s.activity[v] += float64(len(s.at[l])) / float64(len(m.Rows)+1)
		}
		s.heap = append(s.heap, int32(v))
		s.position[v] = int32(v)
	}
	for i := n/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
	return s
}

// addRow adds Σ sign·a·x ≥ sign·b.
func (s *learner) addRow(r *solve.Row, sign int64) {
	w := weighted{slack: -sign * r.RHS}
	for _, t := range r.Terms {
		c := sign * t.Coef
		if c == 0 {
			continue
		}
		l := mkLit(t.Var, c > 0)
		w.slack += max(c, 0) // −c·(1 − x) below is c·x + |c|
		w.lits, w.weights = append(w.lits, l), append(w.weights, max(c, -c))
		w.largest = max(w.largest, c, -c)
	}
	for k, l := range w.lits {
		s.at[l] = append(s.at[l], entry{int32(len(s.rows)), w.weights[k]})
	}
	w.total = w.slack
	s.rows = append(s.rows, w)
}

var none = reason{}

func (s *learner) assign(l lit, r reason) {
	v := l.v()
	s.value[l], s.value[l.not()] = 1, -1
	s.level[v], s.reason[v], s.place[v] = int32(len(s.limits)), r, int32(len(s.trail))
	s.trail = append(s.trail, l)
}

// propagate follows the trail; it returns the row or clause that cannot hold.
func (s *learner) propagate() (conflict reason, ok bool) {
	for s.done < len(s.trail) {
		gone := s.trail[s.done].not()
		s.done++
		for _, e := range s.at[gone] {
			s.rows[e.row].slack -= e.weight
		}
		for _, e := range s.at[gone] {
			if !s.force(e.row) {
				return reason{byRow, e.row}, false
			}
		}
		if c, ok := s.visit(gone); !ok {
			return reason{byLearnt, c}, false
		}
	}
	return none, true
}

// force assigns what the row leaves no choice for.
func (s *learner) force(i int32) bool {
	r := &s.rows[i]
	if r.slack < 0 {
		return false
	}
	if r.largest > r.slack {
		for k, l := range r.lits {
			if r.weights[k] > r.slack && s.value[l] == 0 {
				s.assign(l, reason{byRow, i})
			}
		}
	}
	return true
}

// visit looks at the learnt clauses that watch a literal.
func (s *learner) visit(gone lit) (int32, bool) {
	list := s.watch[gone]
	kept := list[:0]
next:
	for n, id := range list {
		c := &s.learnt[id]
		if c.gone {
			continue
		}
		if c.lits[0] == gone {
			c.lits[0], c.lits[1] = c.lits[1], c.lits[0]
		}
		if s.value[c.lits[0]] <= 0 {
			for k := 2; k < len(c.lits); k++ {
				if l := c.lits[k]; s.value[l] >= 0 {
					c.lits[1], c.lits[k] = l, gone
					s.watch[l] = append(s.watch[l], id)
					continue next
				}
			}
		}
		kept = append(kept, id)
		switch s.value[c.lits[0]] {
		case 0:
			s.assign(c.lits[0], reason{byLearnt, id})
		case -1:
			kept = append(kept, list[n+1:]...)
			s.watch[gone] = kept
			return id, false
		}
	}
	s.watch[gone] = kept
	return 0, true
}

// back undoes all decisions above a level.
func (s *learner) back(level int) {
	if len(s.limits) <= level {
		return
	}
	n := s.limits[level]
	for k := len(s.trail) - 1; k >= n; k-- {
		l := s.trail[k]
		if k < s.done {
			for _, e := range s.at[l.not()] {
				s.rows[e.row].slack += e.weight
			}
		}
		s.value[l], s.value[l.not()] = 0, 0
		s.phase[l.v()] = l&1 == 0
		s.insert(int32(l.v()))
	}
	s.trail, s.limits, s.done = s.trail[:n], s.limits[:level], min(s.done, n)
}

// explain lists false literals that force variable v.
func (s *learner) explain(v int) []lit {
	r := s.reason[v]
	switch r.kind {
	case byRow:
		l := mkLit(v, true)
		if s.value[l] < 0 {
			l = l.not()
		}
		return s.because(r.index, l)
	case byLearnt:
		return s.others(r.index, v)
	}
	return nil
}

// others are the literals of a learnt clause but that of v (−1: all).
func (s *learner) others(id int32, v int) []lit {
	var out []lit
	for _, l := range s.learnt[id].lits {
		if l.v() != v {
			out = append(out, l)
		}
	}
	return out
}

// because lists false literals of a row, assigned before the literal forced (with
// forced < 0: of a row that cannot hold), that are enough; the latest are left out
// where possible.
func (s *learner) because(i int32, forced lit) []lit {
	r := &s.rows[i]
	before, own := int32(len(s.trail)), int64(0)
	if forced >= 0 {
		before = s.place[forced.v()]
	}
	weight := map[lit]int64{}
	var parts []lit
	slack := r.total // if only the parts were false
	for k, l := range r.lits {
		if l == forced {
			own = r.weights[k]
		} else if s.value[l] < 0 && s.place[l.v()] < before {
			parts = append(parts, l)
			weight[l] = r.weights[k]
			slack -= r.weights[k]
		}
	}
	slices.SortFunc(parts, func(a, b lit) int { return int(s.place[b.v()] - s.place[a.v()]) })
	return slices.DeleteFunc(parts, func(l lit) bool {
		if slack+weight[l] >= own {
			return false
		}
		slack += weight[l]
		return true
	})
}

// search runs until there is an answer.
func (s *learner) search(ctx context.Context, most int) Answer {
	for i := range s.rows {
		if !s.force(int32(i)) {
			s.contradiction = s.rest(s.because(int32(i), -1))
			return Unsatisfiable
		}
	}
	const unit, firstKept, moreKept = 100, 2000, 500
	conflicts, keep := 0, firstKept
	for run := 1; ; run++ {
		for left := unit * luby(run); left > 0; {
			if bad, ok := s.propagate(); !ok {
				conflicts++
				left--
				if len(s.limits) == 0 {
					s.contradiction = s.rest(s.falsified(bad))
					if bad.kind == byLearnt {
						s.contradiction = append(s.contradiction, bad.index)
					}
					return Unsatisfiable
				}
				s.learn(bad)
				if len(s.live) > keep {
					s.forget()
					keep += moreKept
				}
				if conflicts == most || s.size > maxProof {
					return Unknown
				}
				if conflicts%64 == 0 && ctx.Err() != nil {
					return Unknown
				}
				continue
			}
			l, ok := s.decide()
			if !ok {
				return Satisfiable
			}
			if len(s.limits)%1024 == 0 && ctx.Err() != nil {
				return Unknown
			}
			s.limits = append(s.limits, len(s.trail))
			s.assign(l, none)
		}
		s.back(0)
	}
}

// falsified lists the false literals of a row or clause that cannot hold.
func (s *learner) falsified(bad reason) []lit {
	if bad.kind == byRow {
		return s.because(bad.index, -1)
	}
	return s.others(bad.index, -1)
}

// rest are literals that hold without a decision, as a derivation lists them.
func (s *learner) rest(lits []lit) []int32 {
	var from []int32
	for _, l := range lits {
		from = append(from, int32(-l.v()-1))
	}
	return from
}

// luby is the i-th term of 1, 1, 2, 1, 1, 2, 4, … for i ≥ 1.
func luby(i int) int {
	for k := 1; ; k++ {
		switch full := 1<<k - 1; {
		case i == full:
			return 1 << (k - 1)
		case i < full:
			return luby(i - (1<<(k-1) - 1))
		}
	}
}
