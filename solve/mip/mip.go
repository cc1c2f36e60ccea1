package mip

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"ipusolve/solve"
)

// Solver is a solve.Solver by branch and bound. Options.Threads says how many
// goroutines search at a time, 0 as many as help; it never changes the answer,
// its certificate or its statistics. A Solver may be used by several
// goroutines at once.
type Solver struct{}

var _ solve.Solver = Solver{}

// Solve answers m. Limits and cancellation end it with the best so far and a
// certificate for the bound reached. Errors wrap solve.ErrModel, or report
// that CLP could not be set up.
func (Solver) Solve(ctx context.Context, m *solve.Model, opt solve.Options) (r *solve.Result, err error) {
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
	var l *lazy
	if opt.Lazy != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		l = newLazy(m, opt.Lazy, stop)
		m = l.model
		defer func() { r, err = l.finish(r, err) }()
	}
	p := &preparation{lazily: lazily{lazy: l}, original: m, model: m, opt: &opt, log: log, begin: begin}
	if p.on(solve.Presolve) && !p.presolve(ctx) {
		return p.closed(), nil
	}
	if opt.WarmStart != nil {
		p.warmStart()
	}
	if p.on(solve.DualAscent) && !p.ascend(ctx) {
		return p.closed(), nil
	}
	if p.proven || p.withinGap() || p.stopped(ctx) {
		return p.cut(), nil
	}
	relax, basis, err := p.root(ctx)
	if err != nil {
		return nil, fmt.Errorf("mip: %w", err)
	}
	if ctx.Err() != nil {
		relax.free()
		return p.cut(), nil
	}
	s := newSearch(ctx, p, relax, basis)
	defer s.free()
	s.run()
	return p.finish(s.result()), nil
}
