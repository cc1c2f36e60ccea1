package mip

import (
	"context"
	"time"

	"ipusolve/solve/lp"
)

// program is a linear program in CLP. CLP looks up from its work after every
// iteration, but not while it presolves or factorises, which takes seconds on
// programs of a million columns: there a solve that ignores the end of its
// context is left to itself.
type program struct {
	simplex *lp.Simplex
	big     bool
	lost    bool // left to itself; the solve frees it
}

const (
	bigProgram = 20000                  // rows and columns from which CLP may be deaf for long
	patience   = 200 * time.Millisecond // with a solve after its context has ended
)

func newProgram(p *lp.Problem) (*program, error) {
	x, err := lp.New(p)
	if err != nil {
		return nil, err
	}
	rows, cols := p.Dims()
	return &program{simplex: x, big: rows+cols >= bigProgram}, nil
}

// free releases CLP's side; the program must not be used any more.
func (p *program) free() {
	if !p.lost {
		p.simplex.Free()
	}
}

// solve is lp.Simplex.Solve, or with fresh SolveFresh. A lost program has no
// vectors and no basis.
func (p *program) solve(ctx context.Context, limit int64, fresh bool) *lp.Solution {
	run := p.simplex.Solve
	if fresh {
		run = p.simplex.SolveFresh
	}
	switch {
	case p.lost:
		return &lp.Solution{Status: lp.Limit}
	case !p.big || ctx.Done() == nil:
		return run(ctx, limit)
	}
	ended, taken := make(chan *lp.Solution), make(chan struct{})
	x := p.simplex
	go func() {
		sol := run(ctx, limit)
		select {
		case ended <- sol:
		case <-taken:
			x.Free()
		}
	}()
	select {
	case sol := <-ended:
		return sol
	case <-ctx.Done():
	}
	select {
	case sol := <-ended:
		return sol
	case <-time.After(patience):
		close(taken)
		p.lost = true
		return &lp.Solution{Status: lp.Limit}
	}
}

// basis is the last solve's; nil before the first and of a lost program.
func (p *program) basis() lp.Basis {
	if p.lost {
		return nil
	}
	return p.simplex.Basis()
}
