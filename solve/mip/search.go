package mip

import (
	"context"
	"log/slog"
	"math/big"
	"slices"
	"time"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// shared is what workers read. Only the search changes it, and only while no
// worker runs beside it.
type shared struct {
	ctx       context.Context
	in        *instance
	opt       *solve.Options
	log       *slog.Logger
	problem   *lp.Problem // the relaxation in the root's box
	rootBox   box
	root      *node
	pseudo    *pseudo
	selection *selection // nil when the model is none
	rootFixes int        // how often the root's fixings changed
	pool      []*noGood
	barren    bool // SAT search says that there is no assignment
	revealed
}

func (s *shared) on(t solve.Technique) bool { return !slices.Contains(s.opt.Disable, t) }

// search is one solve: the tree, what is known, and the workers that it gives
// nodes to (rounds.go).
type search struct {
	shared
	begin   time.Time
	prover  *prover
	workers []*worker // made when first needed
	stats   solve.Stats
	strong  int64 // simplex iterations spent on strong branching

	open      queue
	stuck     []*node // nothing left to branch on, and no proof
	seq       int     // nodes made
	sinceDive int     // nodes since the last one with dives

	start      *solve.Dual       // proves the root's first bound; nil = the box does
	plain      *solve.Dual       // without cuts; nil = the root's own is
	startBasis lp.Basis          // of the root; nil = none
	best       *solve.Assignment // nil while the incumbent is the preparation's
	bestObj    *big.Rat
	seeker     *seeker // nil before the first look, and without one
	sought     bool    // whether there was a first look
	gap        float64 // last logged
	lined      int     // nodes at the last line
}

// newSearch continues a preparation. The search frees relax.
func newSearch(ctx context.Context, p *preparation, relax *relaxer, basis lp.Basis) *search {
	in := p.instance()
	s := &search{
		shared: shared{ctx: ctx, in: in, opt: p.opt, log: p.log, problem: relax.problem, rootBox: in.rootBox(), pseudo: newPseudo(in, p.opt.Seed)},
		begin:  p.begin, prover: newProver(in), bestObj: p.bestObj, start: p.dual, plain: p.plain, startBasis: basis, stats: p.stats(),
	}
	if p.on(solve.DualAscent) && ctx.Err() == nil {
		s.selection = newSelection(ctx, in)
	}
	s.prepared = p
	s.workers = []*worker{newWorker(&s.shared, relax)}
	s.workers[0].leads = true
	return s
}

func (s *search) free() {
	for _, w := range s.workers {
		w.free()
	}
}

// stopped reports whether a limit is reached.
func (s *search) stopped() bool {
	return s.ctx.Err() != nil || (s.opt.Effort > 0 && s.stats.Effort() >= s.opt.Effort)
}

// run is the loop over rounds.
func (s *search) run() {
	zero := &solve.Dual{Den: 1}
	p, ok := s.prover.proof(zero, s.rootBox)
	if !ok {
		panic("mip: the box bound overflows although the model is valid")
	}
	s.root = &node{dual: zero, bound: p.bound, basis: s.startBasis}
	if s.start != nil {
		if p, ok := s.prover.proof(s.start, s.rootBox); ok && p.bound.Cmp(s.root.bound) > 0 {
			s.root.dual, s.root.bound = p.dual, p.bound
		}
	}
	s.open.push(s.root)
	if s.opt.WarmStart != nil {
		s.alone(func(w *worker) { w.warmStart(s.opt.WarmStart) })
	}
	for !s.stopped() && !s.withinGap() && s.round() {
		s.progress()
		s.seek()
	}
	for _, w := range s.workers {
		if w.dive != nil {
			s.open.push(w.dive)
			w.dive = nil
		}
	}
}

// seek asks SAT search for an incumbent as long as there is none.
func (s *search) seek() {
	if s.bestObj != nil || s.barren || !s.on(solve.SAT) || s.stats.Nodes == 0 || s.stopped() {
		return
	}
	if !s.sought {
		s.sought = true
		s.seeker = newSeeker(s.in, s.rootFixed())
	}
	if s.seeker != nil && s.seeker.wants(s.stats.Nodes) {
		s.alone(func(w *worker) { w.seek(s.seeker) })
		s.barren = s.seeker.barren
	}
}

// closes reports whether nothing below bound can beat the incumbent.
func (s *search) closes(bound *big.Rat) bool {
	return s.bestObj != nil && bound.Cmp(s.bestObj) >= 0
}

// bound is what is proven so far. No worker runs, or one alone that calls it.
func (s *search) bound() *big.Rat {
	b := s.bestObj
	least := func(nodes ...*node) {
		for _, n := range nodes {
			if n != nil && (b == nil || n.bound.Cmp(b) < 0) {
				b = n.bound
			}
		}
	}
	for _, w := range s.workers {
		least(w.now, w.dive)
		least(w.given...)
		least(w.open...)
		least(w.stuck...)
	}
	if len(s.open) > 0 {
		least(s.open[0])
	}
	least(s.stuck...)
	return b
}

func (s *search) withinGap() bool {
	return s.opt.Gap > 0 && s.bestObj != nil && solve.Gap(s.bestObj, s.bound()) <= s.opt.Gap
}

// adopt makes an assignment that a worker found the incumbent.
func (s *search) adopt(a *solve.Assignment, obj *big.Rat) {
	if s.bestObj != nil && obj.Cmp(s.bestObj) >= 0 {
		return
	}
	s.best, s.bestObj = a, obj
	s.stats.Incumbents++
	if s.on(solve.ReducedCostFixing) && s.root.split != nil {
		old := len(s.root.fix)
		s.root.fix = s.prover.nodeFixings(s.root, s.rootBox, s.bestObj)
		s.stats.Fixed += max(0, len(s.root.fix)-old)
		s.rootFixes++
	}
	s.line("incumbent")
}

// result sums up when the loop has ended.
func (s *search) result() *solve.Result {
	r := &solve.Result{Stats: s.stats}
	r.Bound = s.bound()
	open := len(s.stuck)
	for _, n := range s.open {
		if !s.closes(n.bound) {
			open++
		}
	}
	r.Stats.OpenNodes = open
	switch {
	case s.bestObj == nil && open == 0:
		r.Status, r.Bound = solve.Infeasible, nil
	case s.bestObj == nil:
		r.Status = solve.Unknown
	case r.Bound.Cmp(s.bestObj) == 0:
		r.Status = solve.Optimal
	default:
		r.Status = solve.Feasible
	}
	r.Objective = s.bestObj
	if s.best != nil {
		r.Assignment = *s.best
	}
	r.Certificate = s.certificate(r)
	return r
}

// A progress line comes with the root, when the gap has shrunk by a tenth since
// the last line, and every progressEvery nodes.
const progressEvery = 1000

func (s *search) progress() {
	gap := solve.Gap(s.bestObj, s.bound())
	if s.stats.Nodes == 1 || gap < 0.9*s.gap || s.stats.Nodes/progressEvery != s.lined/progressEvery {
		s.line("progress")
	}
}

func (s *search) line(msg string) {
	b := s.bound()
	s.gap, s.lined = solve.Gap(s.bestObj, b), s.stats.Nodes
	s.log.Info(msg, "nodes", s.stats.Nodes, "open", s.waiting(), "best", text(s.bestObj), "bound", text(b),
		"gap", s.gap, "iterations", s.stats.LPIterations, "seconds", time.Since(s.begin).Seconds())
}

// waiting is the number of open nodes.
func (s *search) waiting() int {
	n := len(s.open)
	for _, w := range s.workers {
		n += len(w.open) + len(w.given)
		if w.dive != nil {
			n++
		}
	}
	return n
}

func text(x *big.Rat) string {
	if x == nil {
		return "-"
	}
	return x.RatString()
}
