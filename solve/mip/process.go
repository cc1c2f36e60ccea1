package mip

import (
	"math"
	"math/big"
	"math/bits"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// tolerance for calling a relaxation value integral.
const integrality = 1e-6

// relaxation solves the linear program in box b, from basis if given, with at
// most limit iterations (0 = what the effort leaves). When the warm solve
// fails numerically, a cold one by another algorithm is asked.
func (s *search) relaxation(b box, basis lp.Basis, limit int64) *lp.Solution {
	if b.empty() {
		return &lp.Solution{Status: lp.Infeasible}
	}
	if s.stopped() {
		return &lp.Solution{Status: lp.Limit}
	}
	sol := s.relax.solve(s.ctx, b, basis, s.limit(limit))
	s.stats.LPs++
	s.stats.LPIterations += int64(sol.Iterations)
	if sol.Status == lp.Failed || sol.Status == lp.Unbounded {
		s.stats.ColdSolves++
		if cold, err := lp.Cold(s.relax.problem); err == nil {
			return cold
		}
	}
	return sol
}

// compact leaves columns that are fixed at the root out of the relaxation,
// once that at least halves it.
func (s *search) compact() {
	if !s.refixed {
		return
	}
	s.refixed = false
	b := s.rootFixed()
	if b.empty() {
		return
	}
	free := 0
	for j := range b.lo {
		if b.lo[j] < b.hi[j] {
			free++
		}
	}
	if 2*free > len(s.relax.cols) {
		return
	}
	if err := s.relax.compact(b); err != nil {
		s.log.Info("relaxation kept", "reason", err.Error())
		return
	}
	s.log.Info("relaxation compacted", "columns", free)
}

// rootFixed is the root's box after its fixings: nothing outside beats the
// incumbent.
func (s *search) rootFixed() box {
	b := s.rootBox.clone()
	for _, c := range s.root.fix {
		b.tighten(c)
	}
	return b
}

// limit is the least of a number of iterations and what the effort leaves; 0
// means no limit in both.
func (s *search) limit(iterations int64) int64 {
	if s.opt.Effort == 0 {
		return iterations
	}
	left := s.opt.Effort - s.stats.LPIterations
	if iterations == 0 {
		return left
	}
	return min(left, iterations)
}

// process solves a node's relaxation and closes or branches the node.
func (s *search) process(n *node) {
	s.compact()
	b := n.box(s.rootBox)
	sol := s.relaxation(b, n.basis, 0)
	if sol.Status == lp.Limit {
		if sol.Dual != nil { // of an unfinished solve, yet it proves what it proves
			s.tighten(n, b, sol)
		}
		s.open.push(n)
		return
	}
	s.stats.Nodes++
	n.basis = nil
	if sol.Status == lp.Infeasible {
		if d := s.infeasible(b); d != nil {
			n.dual, n.farkas = d, true
			n.parent.release()
			return
		}
		sol = s.relaxation(b, s.relax.slackBasis(), 0) // tiny pivots may have misled the warm solve
	}
	if sol.Status != lp.Optimal {
		s.branch(n, b, nil)
		return
	}
	s.pseudo.learn(n, sol.Objective)
	s.tighten(n, b, sol)
	if s.closes(n.bound) {
		n.parent.release()
		return
	}
	basis := s.relax.basis()
	s.heuristics(n, b, sol, basis)
	if !s.closes(n.bound) && s.in.gran == 0 && s.nearBest(sol.Objective) {
		s.raise(n, b, s.in.exactDual(basis))
	}
	if s.closes(n.bound) {
		n.parent.release()
		return
	}
	if s.on(solve.ReducedCostFixing) && s.bestObj != nil {
		s.fix(n, b)
	}
	n.basis = basis
	s.branch(n, b, sol)
	n.basis = nil
	n.parent.release()
}

// tighten proves the node's bound from its relaxation.
func (s *search) tighten(n *node, b box, sol *lp.Solution) {
	target := sol.Objective + float64(s.in.m.Constant)
	aim := s.in.roundUp(ratOf(target - integrality*max(1, math.Abs(target)*1e-6)))
	p, ok := s.prover.prove(sol.Dual, b, func(x *big.Rat) bool { return s.closes(x) || x.Cmp(aim) >= 0 && s.in.gran > 0 })
	if ok {
		s.take(n, p)
	}
}

// raise takes d if it proves more than the node has.
func (s *search) raise(n *node, b box, d *solve.Dual) {
	if d == nil {
		return
	}
	if p, ok := s.prover.proof(d, b); ok {
		s.take(n, p)
	}
}

// take keeps a proof. An equal bound is taken as well when the node has only
// an ancestor's vector: its own allows more fixing.
func (s *search) take(n *node, p proof) {
	if c := p.bound.Cmp(n.bound); c > 0 || (c == 0 && (n.dual == nil || n.parent == nil)) {
		n.dual, n.bound = p.dual, p.bound
	}
}

func ratOf(x float64) *big.Rat {
	r := new(big.Rat)
	if r.SetFloat64(x) == nil {
		return new(big.Rat)
	}
	return r
}

// nearBest reports whether the relaxation is so close to the incumbent that
// only exact duals can tell.
func (s *search) nearBest(obj float64) bool {
	if s.bestObj == nil {
		return false
	}
	best, _ := s.bestObj.Float64()
	return obj+float64(s.in.m.Constant) >= best-1e-5*(1+math.Abs(best))
}

// fix removes values of the node's box b that would lift its own bound to the
// incumbent.
func (s *search) fix(n *node, b box) {
	old := len(n.fix)
	n.fix = s.fixings(n, b)
	for _, c := range n.fix {
		b.tighten(c)
	}
	s.stats.Fixed += max(0, len(n.fix)-old)
	s.refixed = s.refixed || (n == s.root && len(n.fix) > 0)
}

func (s *search) fixings(n *node, b box) []solve.BoundChange {
	if n.dual == nil || n.farkas {
		return n.fix
	}
	out := s.prover.fixings(n.dual, b, s.bestObj)
	if out == nil {
		return n.fix
	}
	return out
}

// fixings lists the values of b that d shows to be no better than best.
func (p *prover) fixings(d *solve.Dual, b box, best *big.Rat) (out []solve.BoundChange) {
	num, ok := p.evaluate(d, b, false)
	if !ok {
		return nil
	}
	need, ok := p.in.need(best, d.Den)
	if !ok {
		return nil
	}
	slack := need.sub(num)
	if slack.sign() <= 0 || slack.hi != 0 {
		return nil // closed, or farther than any one reduced cost reaches
	}
	for j, r := range p.rc {
		if r == 0 || b.lo[j] == b.hi[j] || !p.in.integral[j] {
			continue
		}
		// A move by d from the bound costs d·|r|; it may not reach slack.
		steps := ceilDiv(slack.lo, abs64(r)) - 1
		if steps >= uint64(b.hi[j]-b.lo[j]) {
			continue
		}
		c := solve.BoundChange{Var: j, Upper: r > 0, Bound: b.lo[j] + int64(steps)}
		if r < 0 {
			c.Bound = b.hi[j] - int64(steps)
		}
		out = append(out, c)
	}
	return out
}

func ceilDiv(a, b uint64) uint64 {
	q, r := bits.Div64(0, a, b)
	if r > 0 {
		q++
	}
	return q
}
