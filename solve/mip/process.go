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
func (w *worker) relaxation(b box, basis lp.Basis, limit int64) *lp.Solution {
	if b.empty() {
		return &lp.Solution{Status: lp.Infeasible}
	}
	if w.stopped() {
		return &lp.Solution{Status: lp.Limit}
	}
	sol := w.relax.solve(w.ctx, b, basis, w.limit(limit))
	w.stats.LPs++
	w.stats.LPIterations += int64(sol.Iterations)
	if sol.Status == lp.Failed || sol.Status == lp.Unbounded {
		w.stats.ColdSolves++
		if cold := w.cold(limit); cold != nil {
			return cold
		}
	}
	return sol
}

// cold solves the relaxation of the last solve from scratch; nil if that fails as
// well. The binding's solve cannot be stopped, so large ones are done by a
// program of their own.
func (w *worker) cold(limit int64) *lp.Solution {
	if rows, cols := w.relax.problem.Dims(); rows+cols < bigProgram {
		if sol, err := lp.Cold(w.relax.problem); err == nil {
			return sol
		}
		return nil
	}
	x, err := newProgram(w.relax.problem)
	if err != nil {
		return nil
	}
	defer x.free()
	sol := x.solve(w.ctx, w.limit(limit), true)
	w.stats.LPIterations += int64(sol.Iterations)
	if sol.Status == lp.Failed || sol.Primal == nil {
		return nil
	}
	return sol
}

// compact leaves columns that are fixed at the root out of the relaxation,
// once that at least halves it.
func (w *worker) compact() {
	if w.rootSeen == w.rootFixes {
		return
	}
	w.rootSeen = w.rootFixes
	b := w.rootFixed()
	if b.empty() {
		return
	}
	free := 0
	for j := range b.lo {
		if b.lo[j] < b.hi[j] {
			free++
		}
	}
	if 2*free > len(w.relax.cols) {
		return
	}
	if err := w.relax.compact(b); err != nil {
		w.note(func() { w.log.Info("relaxation kept", "reason", err.Error()) })
		return
	}
	if w.leads {
		w.note(func() { w.log.Info("relaxation compacted", "columns", free) })
	}
}

// rootFixed is the root's box after its fixings: nothing outside beats the
// incumbent.
func (s *shared) rootFixed() box {
	b := s.rootBox.clone()
	for _, c := range s.root.fix {
		b.tighten(c)
	}
	return b
}

// limit is the least of a number of iterations and what the effort leaves; 0
// means no limit in both.
func (w *worker) limit(iterations int64) int64 {
	if w.until == 0 {
		return iterations
	}
	left := max(1, w.until-w.stats.Effort())
	if iterations == 0 {
		return left
	}
	return min(left, iterations)
}

// process solves a node's relaxation and closes or branches the node.
func (w *worker) process(n *node) {
	w.compact()
	b := n.box(w.rootBox)
	if d := w.recall(n, b); d != nil {
		n.dual, n.farkas, n.basis = d, true, nil
		w.stats.Pruned++
		w.spare(n)
		return
	}
	sol := w.relaxation(b, n.basis, 0)
	if sol.Status == lp.Limit {
		if sol.Dual != nil { // of an unfinished solve, yet it proves what it proves
			w.tighten(n, b, sol)
		}
		w.open = append(w.open, n)
		return
	}
	w.stats.Nodes++
	n.basis = nil
	if sol.Status == lp.Infeasible {
		if d := w.infeasible(b); d != nil {
			n.dual, n.farkas = d, true
			w.learnNoGood(d, b)
			w.spare(n)
			return
		}
		sol = w.relaxation(b, w.relax.slackBasis(), 0) // tiny pivots may have misled the warm solve
	}
	if sol.Status != lp.Optimal {
		w.branch(n, b, nil)
		return
	}
	w.learn(n, sol.Objective)
	w.tighten(n, b, sol)
	if w.closes(n.bound) {
		w.spare(n)
		return
	}
	w.point = sol.Primal
	basis := w.relax.basis()
	raises := w.raises
	w.heuristics(n, b, sol, basis)
	if w.raises > raises && !w.closes(n.bound) { // the relaxation is no longer this one
		n.basis = basis
		w.open = append(w.open, n)
		return
	}
	if !w.closes(n.bound) && w.in.gran == 0 && w.nearBest(sol.Objective) {
		w.raise(n, b, w.in.exactDual(w.ctx, basis))
	}
	if w.closes(n.bound) {
		w.spare(n)
		return
	}
	if w.on(solve.ReducedCostFixing) && w.bestObj != nil {
		w.fix(n, b)
	}
	n.basis = basis
	w.branch(n, b, sol)
	n.basis = nil
	w.spare(n)
}

// tighten proves the node's bound from its relaxation.
func (w *worker) tighten(n *node, b box, sol *lp.Solution) {
	target := sol.Objective + float64(w.in.m.Constant)
	aim := w.in.roundUp(ratOf(target - integrality*max(1, math.Abs(target)*1e-6)))
	p, ok := w.prover.prove(sol.Dual, b, func(x *big.Rat) bool { return w.closes(x) || x.Cmp(aim) >= 0 && w.in.gran > 0 })
	if ok {
		w.take(n, p)
	}
}

// raise takes d if it proves more than the node has.
func (w *worker) raise(n *node, b box, d *solve.Dual) {
	if d == nil {
		return
	}
	if p, ok := w.prover.proof(d, b); ok {
		w.take(n, p)
	}
}

// take keeps a proof. An equal bound is taken as well when the node has only
// an ancestor's vector: its own allows more fixing.
func (w *worker) take(n *node, p proof) {
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
func (w *worker) nearBest(obj float64) bool {
	if w.bestObj == nil {
		return false
	}
	best, _ := w.bestObj.Float64()
	return obj+float64(w.in.m.Constant) >= best-1e-5*(1+math.Abs(best))
}

// fix removes values of the node's box b that would lift its own bound to the
// incumbent.
func (w *worker) fix(n *node, b box) {
	old := len(n.fix)
	n.fix = w.prover.nodeFixings(n, b, w.bestObj)
	for _, c := range n.fix {
		b.tighten(c)
	}
	w.stats.Fixed += max(0, len(n.fix)-old)
}

// nodeFixings are the node's fixings against best, or those it has if its vector
// says nothing more.
func (p *prover) nodeFixings(n *node, b box, best *big.Rat) []solve.BoundChange {
	if n.dual == nil || n.farkas {
		return n.fix
	}
	if out := p.fixings(n.dual, b, best); out != nil {
		return out
	}
	return n.fix
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
