package mip

import (
	"context"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"time"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// Solver is a solve.Solver by branch and bound. It uses one thread; it may be
// used by several goroutines at once.
type Solver struct{}

var _ solve.Solver = Solver{}

// Solve answers m. Limits and cancellation end it with the best so far and a
// certificate for the bound reached. Errors wrap solve.ErrModel, or report
// that CLP could not be set up.
func (Solver) Solve(ctx context.Context, m *solve.Model, opt solve.Options) (*solve.Result, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("mip: %w", err)
	}
	begin := time.Now()
	if opt.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.TimeLimit)
		defer cancel()
	}
	log := opt.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	log.Info("model", "rows", len(m.Rows), "variables", len(m.Vars))
	p := &preparation{original: m, model: m, opt: &opt, log: log, begin: begin}
	if p.on(solve.Presolve) && !p.presolve(ctx) {
		return p.closed(), nil
	}
	if opt.WarmStart != nil {
		p.warmStart()
	}
	if p.on(solve.DualAscent) && !p.ascend(ctx) {
		return p.closed(), nil
	}
	relax, basis, err := p.root(ctx)
	if err != nil {
		return nil, fmt.Errorf("mip: %w", err)
	}
	in := p.instance()
	s := &search{
		ctx: ctx, in: in, opt: opt, begin: begin,
		relax: relax, prover: newProver(in), rootBox: in.rootBox(),
		log: log, pseudo: newPseudo(in, opt.Seed), bestObj: p.bestObj, start: p.dual, plain: p.plain, startBasis: basis,
		stats: p.stats(),
	}
	if p.on(solve.DualAscent) && ctx.Err() == nil {
		s.selection = newSelection(in)
	}
	defer s.free()
	s.run()
	return p.finish(s.result()), nil
}

// search is one solve.
type search struct {
	ctx       context.Context
	in        *instance
	opt       solve.Options
	begin     time.Time
	log       *slog.Logger
	relax     *relaxer
	elastic   *elastic // made when first needed
	prover    *prover
	pseudo    *pseudo
	selection *selection // nil when the model is none
	strong    int64      // simplex iterations spent on strong branching
	rootBox   box
	stats     solve.Stats

	root    *node
	open    queue
	stuck   []*node // nothing left to branch on, and no proof
	seq     int     // nodes made
	refixed bool    // the root's fixings changed since the last look
	now     *node   // in process
	dive    *node   // next node of the current plunge

	start      *solve.Dual       // proves the root's first bound; nil = the box does
	plain      *solve.Dual       // without cuts; nil = the root's own is
	startBasis lp.Basis          // of the root; nil = none
	best       *solve.Assignment // nil while the incumbent is the preparation's
	bestObj    *big.Rat
	gap        float64 // last logged
}

func (s *search) free() {
	s.relax.simplex.Free()
	if s.elastic != nil {
		s.elastic.simplex.Free()
	}
}

func (s *search) on(t solve.Technique) bool { return !slices.Contains(s.opt.Disable, t) }

// stopped reports whether a limit is reached.
func (s *search) stopped() bool {
	return s.ctx.Err() != nil || (s.opt.Effort > 0 && s.stats.LPIterations >= s.opt.Effort)
}

// run is the loop over nodes.
func (s *search) run() {
	zero := &solve.Dual{Den: 1}
	p, ok := s.prover.proof(zero, s.rootBox)
	if !ok {
		panic("mip: the box bound overflows although the model is valid")
	}
	s.root = &node{dual: zero, bound: p.bound, basis: s.startBasis}
	s.raise(s.root, s.rootBox, s.start)
	s.open.push(s.root)
	if s.opt.WarmStart != nil {
		s.warmStart(s.opt.WarmStart)
	}
	for !s.stopped() {
		n := s.next()
		if n == nil || s.withinGap(n) {
			if n != nil {
				s.open.push(n)
			}
			break
		}
		s.now = n
		s.process(n)
		s.now = nil
		s.progress()
	}
	if s.dive != nil {
		s.open.push(s.dive)
		s.dive = nil
	}
}

// next takes the node to work on: the plunge's, else the least bound. Nodes
// that the incumbent already closes are left behind as leaves.
func (s *search) next() *node {
	if n := s.dive; n != nil {
		s.dive = nil
		if !s.closes(n.bound) {
			return n
		}
	}
	for len(s.open) > 0 {
		if n := s.open.pop(); !s.closes(n.bound) {
			return n
		}
	}
	return nil
}

// closes reports whether nothing below bound can beat the incumbent.
func (s *search) closes(bound *big.Rat) bool {
	return s.bestObj != nil && bound.Cmp(s.bestObj) >= 0
}

// bound is what is proven so far, n being out of the queue.
func (s *search) bound(n *node) *big.Rat {
	b := s.bestObj
	least := func(x *big.Rat) {
		if b == nil || x.Cmp(b) < 0 {
			b = x
		}
	}
	for _, k := range [...]*node{n, s.now, s.dive} {
		if k != nil {
			least(k.bound)
		}
	}
	if len(s.open) > 0 {
		least(s.open[0].bound)
	}
	for _, k := range s.stuck {
		least(k.bound)
	}
	return b
}

func (s *search) withinGap(n *node) bool {
	return s.opt.Gap > 0 && s.bestObj != nil && solve.Gap(s.bestObj, s.bound(n)) <= s.opt.Gap
}

// result sums up when the loop has ended.
func (s *search) result() *solve.Result {
	r := &solve.Result{Stats: s.stats}
	r.Bound = s.bound(nil)
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
	gap := solve.Gap(s.bestObj, s.bound(nil))
	if s.stats.Nodes == 1 || gap < 0.9*s.gap || s.stats.Nodes%progressEvery == 0 {
		s.line("progress")
	}
}

func (s *search) line(msg string) {
	b := s.bound(nil)
	s.gap = solve.Gap(s.bestObj, b)
	s.log.Info(msg, "nodes", s.stats.Nodes, "open", len(s.open), "best", text(s.bestObj), "bound", text(b),
		"gap", s.gap, "iterations", s.stats.LPIterations, "seconds", time.Since(s.begin).Seconds())
}

func text(x *big.Rat) string {
	if x == nil {
		return "-"
	}
	return x.RatString()
}
