package mip

import (
	"cmp"
	"math"
	"slices"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

const (
	reliable         = 1   // observations per side that make a pseudo-cost trusted
	strongCandidates = 4   // measured per node
	strongIterations = 100 // per measured side
	strongMinEffort  = 2000
)

// candidate is a possible split with its distances: how much relaxation value
// each side takes away.
type candidate struct {
	split    split
	key      int // of the pseudo-cost: variable, or number of variables + row
	down, up float64
	preferUp bool
	score    float64
}

// branch splits n, whose box is b, and queues the children. Without sol, or
// when nothing is fractional, any free integral variable is split.
func (s *search) branch(n *node, b box, sol *lp.Solution) {
	var c *candidate
	if sol != nil {
		c = s.choose(s.candidates(b, sol.Primal), n, b, sol)
	}
	if c == nil {
		if d := s.oneRow(b); d != nil && len(n.fix) == 0 {
			n.dual, n.farkas = d, true // the relaxation was feasible within tolerances only
			return
		}
		if c = s.anySplit(n, b, sol); c == nil {
			if d := s.infeasible(b); d != nil {
				n.dual, n.farkas = d, true
			} else {
				s.stuck = append(s.stuck, n)
			}
			return
		}
	}
	n.split = &c.split
	down, up := c.split.changes()
	for k, ch := range [2][]solve.BoundChange{down, up} {
		s.seq++
		n.kids[k] = &node{parent: n, changes: ch, basis: n.basis, bound: n.bound, depth: n.depth + 1, seq: s.seq,
			dist: [2]float64{c.down, c.up}[k]}
		if sol != nil {
			n.kids[k].parentObj = sol.Objective
		} else {
			n.kids[k].dist = 0
		}
	}
	first, second := n.kids[0], n.kids[1]
	if c.preferUp {
		first, second = second, first
	}
	s.open.push(second)
	if s.on(solve.Plunging) {
		s.dive = first
	} else {
		s.open.push(first)
	}
}

// anySplit halves the box where the relaxation gives no reason to: at the
// relaxation's value if there is one. If reduced costs have just fixed
// everything, the node is solved again inside them: the split's other side is
// empty.
func (s *search) anySplit(n *node, b box, sol *lp.Solution) *candidate {
	for j := range b.lo {
		if !s.in.integral[j] || b.lo[j] >= b.hi[j] {
			continue
		}
		at := b.lo[j] + (b.hi[j]-b.lo[j])/2
		if sol != nil {
			at = min(max(int64(math.Round(sol.Primal[j])), b.lo[j]), b.hi[j]-1)
		}
		return &candidate{split: split{v: j, at: at}}
	}
	if len(n.fix) > 0 {
		c := n.fix[0]
		if c.Upper {
			return &candidate{split: split{v: c.Var, at: c.Bound}}
		}
		return &candidate{split: split{v: c.Var, at: c.Bound - 1}, preferUp: true}
	}
	return nil
}

// candidates lists the fractional variables and the exactly-one rows with
// fractional members.
func (s *search) candidates(b box, x []float64) (out []candidate) {
	for j := range x {
		f := x[j] - math.Floor(x[j])
		at := int64(math.Floor(x[j]))
		if !s.in.integral[j] || min(f, 1-f) <= integrality || at < b.lo[j] || at >= b.hi[j] {
			continue
		}
		out = append(out, candidate{split: split{v: j, at: at}, key: j, down: f, up: 1 - f, preferUp: f > 0.5 || s.in.inSet[j]})
	}
	if s.on(solve.ExactlyOneBranching) {
		for _, i := range s.in.sets {
			if c, ok := s.splitRow(i, b, x); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// splitRow cuts an exactly-one row where its relaxation value, in the order of
// the row, passes one half. Rows with two positive members only are left to
// the variables.
func (s *search) splitRow(i int, b box, x []float64) (candidate, bool) {
	terms := s.in.m.Rows[i].Terms
	positive := 0
	for _, t := range terms {
		if b.lo[t.Var] > 0 {
			return candidate{}, false
		}
		if x[t.Var] > integrality {
			positive++
		}
	}
	if positive < 3 {
		return candidate{}, false
	}
	var sum float64
	cut, at := 0, 0.0
	for k, t := range terms {
		sum += max(0, x[t.Var])
		if cut == 0 || math.Abs(sum-0.5) < math.Abs(at-0.5) {
			cut, at = k+1, sum
		}
	}
	if at <= integrality || at >= 1-integrality {
		return candidate{}, false
	}
	c := candidate{split: split{row: i}, key: len(x) + i, down: at, up: 1 - at, preferUp: at > 0.5}
	for k, t := range terms {
		if k < cut {
			c.split.zero = append(c.split.zero, t.Var)
		} else {
			c.split.rest = append(c.split.rest, t.Var)
		}
	}
	return c, true
}

// choose picks the candidate with the best product of gains, measuring the
// promising ones whose pseudo-costs are not reliable yet. nil without any.
func (s *search) choose(cands []candidate, n *node, b box, sol *lp.Solution) *candidate {
	if len(cands) == 0 {
		return nil
	}
	for k := range cands {
		c := &cands[k]
		if s.on(solve.PseudoCosts) {
			c.score = product(s.pseudo.estimate(c.key, 0)*c.down, s.pseudo.estimate(c.key, 1)*c.up)
		} else {
			c.score = min(c.down, c.up)
		}
	}
	slices.SortFunc(cands, func(x, y candidate) int {
		return cmp.Or(-cmp.Compare(x.score, y.score), cmp.Compare(s.pseudo.tie(x.key), s.pseudo.tie(y.key)), cmp.Compare(x.key, y.key))
	})
	if !s.on(solve.StrongBranching) || len(cands) == 1 {
		return &cands[0]
	}
	best := -1
	measured := 0
	for k := range cands {
		c := &cands[k]
		if measured < strongCandidates && s.strongBudget() && !s.pseudo.reliable(c.key) {
			measured++
			before := s.stats.LPIterations
			d := s.measure(n, b, c, 0, sol.Objective)
			u := s.measure(n, b, c, 1, sol.Objective)
			s.strong += s.stats.LPIterations - before
			if math.IsInf(d, 1) || math.IsInf(u, 1) {
				return c
			}
			c.score = product(d, u)
		}
		if best < 0 || c.score > cands[best].score {
			best = k
		}
	}
	return &cands[best]
}

// strongBudget keeps strong branching at half of all simplex iterations.
func (s *search) strongBudget() bool {
	return !s.stopped() && s.strong < max(strongMinEffort, s.stats.LPIterations/4)
}

func product(d, u float64) float64 { return max(d, 1e-6) * max(u, 1e-6) }

// measure is the gain of one side of a candidate within a few iterations;
// +Inf if the side closes.
func (s *search) measure(n *node, b box, c *candidate, side int, obj float64) float64 {
	w := b.clone()
	down, up := c.split.changes()
	for _, ch := range [2][]solve.BoundChange{down, up}[side] {
		w.tighten(ch)
	}
	sol := s.relaxation(w, n.basis, strongIterations)
	if sol.Status == lp.Infeasible || (sol.Status == lp.Optimal && s.hopeless(sol)) {
		return math.Inf(1)
	}
	gain := max(0, sol.Objective-obj)
	if sol.Status == lp.Optimal {
		s.pseudo.observe(c.key, side, gain/[2]float64{c.down, c.up}[side])
	}
	return gain
}

// pseudo holds the average gain per unit of distance of every variable and
// every row, per side.
type pseudo struct {
	vars  int
	sum   [2][]float64
	count [2][]int
	all   [2]float64 // totals over all keys
	seen  [2]int
	seed  uint64
}

func newPseudo(in *instance, seed uint64) *pseudo {
	p := &pseudo{vars: len(in.cost), seed: seed}
	for k := range p.sum {
		p.sum[k] = make([]float64, len(in.cost)+len(in.rhs))
		p.count[k] = make([]int, len(in.cost)+len(in.rhs))
	}
	return p
}

func (p *pseudo) observe(key, side int, gain float64) {
	if math.IsNaN(gain) || math.IsInf(gain, 0) {
		return
	}
	p.sum[side][key] += gain
	p.count[side][key]++
	p.all[side] += gain
	p.seen[side]++
}

// learn takes the gain of a node over its parent.
func (p *pseudo) learn(n *node, obj float64) {
	if n.parent == nil || n.dist <= 0 {
		return
	}
	side := 0
	if n.parent.kids[1] == n {
		side = 1
	}
	key := n.parent.split.v
	if n.parent.split.zero != nil {
		key = p.vars + n.parent.split.row
	}
	p.observe(key, side, max(0, obj-n.parentObj)/n.dist)
}

func (p *pseudo) reliable(key int) bool {
	return min(p.count[0][key], p.count[1][key]) >= reliable
}

// estimate is the key's average, the average of all keys, or 1.
func (p *pseudo) estimate(key, side int) float64 {
	switch {
	case p.count[side][key] > 0:
		return p.sum[side][key] / float64(p.count[side][key])
	case p.seen[side] > 0:
		return p.all[side] / float64(p.seen[side])
	}
	return 1
}

// tie orders equal candidates by the seed (splitmix64).
func (p *pseudo) tie(key int) uint64 {
	z := p.seed + (uint64(key)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
