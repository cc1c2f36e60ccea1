package mip

import (
	"context"
	"log/slog"
	"math"
	"math/big"
	"slices"
	"time"

	"ipusolve/solve"
	"ipusolve/solve/presolve"
)

// preparation is what happens to a model in front of the search: presolve, and
// on selections rounds of dual ascent, each followed by a presolve with the
// candidates that the ascent's bound removes.
type preparation struct {
	lazily
	original *solve.Model
	stages   []*presolve.Reduced // one after the other
	model    *solve.Model        // after all stages
	opt      *solve.Options
	log      *slog.Logger
	begin    time.Time

	best    *solve.Assignment // of the original
	bestObj *big.Rat
	dual    *solve.Dual // of model; from the ascent
	proven  bool        // dual shows that nothing beats best
	fixed   int         // bounds tightened by the ascent's reduced costs
	found   int         // incumbents

	plain      *solve.Dual // of the root's relaxation before cuts, if there are cuts
	cuts       []derived   // rows of model behind those of the last stage
	lps        int
	iterations int64
	work       int64

	proved proved
}

// proved is the best bound proven so far, and the model that it is about.
type proved struct {
	stages int
	model  *solve.Model
	dual   *solve.Dual // nil: the box gives bound
	bound  *big.Rat    // nil: not computed yet
}

// ascentRounds bounds how often an ascent and a presolve alternate.
const ascentRounds = 3

func (p *preparation) on(t solve.Technique) bool { return !slices.Contains(p.opt.Disable, t) }

// presolve adds a stage; false when it leaves no feasible point.
func (p *preparation) presolve(ctx context.Context, priced ...presolve.Reduction) bool {
	r := presolve.ReduceWithin(ctx, p.left(), p.model, priced...)
	p.work += r.Stats.Work
	if r.Interrupted {
		return true
	}
	p.stages = append(p.stages, r)
	s := &r.Stats
	p.log.Info("presolve", "rows", s.RowsLeft, "variables", s.VarsLeft, "entries", s.EntriesLeft, "tightened", s.Tightened, "fixed", s.Fixed,
		"redundant", s.Redundant, "equal", s.Equal, "infeasible", r.Infeasible, "seconds", time.Since(p.begin).Seconds())
	if r.Infeasible {
		return false
	}
	p.model = r.Model
	return true
}

// effort is what the preparation has used.
func (p *preparation) effort() int64 { return p.iterations + p.work/solve.WorkPerEffort }

// left is the work that the effort limit leaves; 0 without a limit.
func (p *preparation) left() int64 {
	if p.opt.Effort == 0 {
		return 0
	}
	return max(1, (p.opt.Effort-p.effort())*solve.WorkPerEffort)
}

// stopped reports whether a limit is reached.
func (p *preparation) stopped(ctx context.Context) bool {
	return ctx.Err() != nil || (p.opt.Effort > 0 && p.effort() >= p.opt.Effort)
}

func (p *preparation) warmStart() {
	w := p.opt.WarmStart
	for _, r := range p.stages {
		w = r.Shrink(w)
	}
	p.opt.WarmStart = w
	if w == nil {
		p.log.Info("warm start refused")
	}
}

// exactlyOne reports whether row i of the model is an exactly-one row there and
// in all models before.
func (p *preparation) exactlyOne(i int) bool {
	if i >= len(p.model.Rows)-len(p.cuts) {
		return false
	}
	for k := len(p.stages) - 1; k >= 0; k-- {
		if !p.stages[k].ExactlyOne(i) {
			return false
		}
		i = p.stages[k].Rows[i]
	}
	return len(p.stages) > 0 || p.original.ExactlyOne(i)
}

func (p *preparation) instance() *instance {
	return newInstance(p.model, p.granularity(), p.exactlyOne)
}

// ascend runs the rounds of dual ascent, if the model is a selection; false when
// they prove the incumbent optimal.
func (p *preparation) ascend(ctx context.Context) bool {
	for round := range ascentRounds {
		if p.stopped(ctx) {
			return true
		}
		in := p.instance()
		s := newSelection(ctx, in)
		if s == nil {
			return true
		}
		a := newAscent(in, s)
		p.climb = a
		if a == nil {
			return true
		}
		if left := p.left(); left > 0 {
			a.limit = min(a.limit, left)
		}
		if round == 0 && p.opt.WarmStart != nil {
			p.offer(&solve.Assignment{Values: p.opt.WarmStart})
		}
		d := newDecoder(ctx, a)
		a.run(ctx, p.aim, func(bound float64) bool {
			for _, forward := range [...]bool{true, false} {
				if !d.decode(forward) {
					return true
				}
				p.offer(&solve.Assignment{Values: d.finish()})
				if p.closes(bound) {
					return true
				}
			}
			return ctx.Err() != nil || p.opt.Effort > 0 && a.work+d.work >= a.limit
		})
		p.work += a.work + d.work
		prover := newProver(in)
		p.dual = a.dual()
		b := in.rootBox()
		q, ok := prover.proof(p.dual, b)
		if !ok {
			p.dual = nil
			return true
		}
		p.proved = proved{len(p.stages), p.model, p.dual, q.bound}
		p.log.Info("ascent", "nodes", len(s.nodes), "pairs", len(in.cost)-count(s.pair), "best", text(p.bestObj), "bound", text(q.bound),
			"gap", solve.Gap(p.bestObj, q.bound), "seconds", time.Since(p.begin).Seconds())
		p.proven = p.bestObj != nil && q.bound.Cmp(p.bestObj) >= 0
		if p.proven || p.bestObj == nil || !p.on(solve.ReducedCostFixing) || !p.on(solve.Presolve) || p.stopped(ctx) {
			return true
		}
		changes := prover.fixings(p.dual, b, p.bestObj)
		if len(changes) == 0 {
			return true
		}
		p.fixed += len(changes)
		before, stages := len(p.model.Vars), len(p.stages)
		if !p.presolve(ctx, presolve.Reduction{Dual: *p.dual, Bounds: changes}) {
			return false
		}
		if len(p.stages) == stages {
			return true
		}
		p.dual = p.carry(p.dual)
		p.opt.WarmStart = nil // it is the incumbent by now, or worse
		if 10*len(p.model.Vars) > 9*before {
			return true
		}
	}
	return true
}

// withinGap reports that the ascent has proven enough.
func (p *preparation) withinGap() bool {
	return p.opt.Gap > 0 && p.proved.bound != nil && solve.Gap(p.bestObj, p.proved.bound) <= p.opt.Gap
}

// count is the number of variables that are no pair variables.
func count(pair []pairEnds) (n int) {
	for _, e := range pair {
		if e.a < 0 {
			n++
		}
	}
	return n
}

// carry drops the multipliers of rows that the last stage removed. What is left
// proves some bound.
func (p *preparation) carry(d *solve.Dual) *solve.Dual {
	last := p.stages[len(p.stages)-1]
	at := make(map[int]int, len(last.Rows))
	for k, i := range last.Rows {
		at[i] = k
	}
	out := &solve.Dual{Den: d.Den}
	for e, i := range d.Rows {
		if k, ok := at[i]; ok {
			out.Rows, out.Num = append(out.Rows, k), append(out.Num, d.Num[e])
		}
	}
	return out
}

// aim is the incumbent's objective without the model's constant.
func (p *preparation) aim() float64 {
	if p.bestObj == nil {
		return math.Inf(1)
	}
	best, _ := p.bestObj.Float64()
	return best - float64(p.model.Constant)
}

// closes reports that bound, a relaxation's, reaches the incumbent.
func (p *preparation) closes(bound float64) bool {
	return bound >= p.aim()
}

// offer makes an assignment of the model the incumbent if it is feasible and
// better.
func (p *preparation) offer(a *solve.Assignment) {
	if len(a.Values) != len(p.model.Vars) {
		return
	}
	obj, err := p.model.Evaluate(a)
	if err != nil || (p.bestObj != nil && obj.Cmp(p.bestObj) >= 0) || p.model.Check(a) != nil {
		return
	}
	if obj = p.exact(a, obj); obj == nil {
		return
	}
	for k := len(p.stages) - 1; k >= 0; k-- {
		a = p.stages[k].Assignment(a)
	}
	p.best, p.bestObj = a, obj
	p.found++
	p.log.Info("incumbent", "nodes", 0, "best", text(obj), "seconds", time.Since(p.begin).Seconds())
}

func (p *preparation) stats() solve.Stats {
	return solve.Stats{Vars: len(p.original.Vars), Rows: len(p.original.Rows), VarsLeft: len(p.model.Vars), RowsLeft: len(p.model.Rows) - len(p.cuts),
		Cuts: len(p.cuts), Fixed: p.fixed, Incumbents: p.found, LPs: p.lps, LPIterations: p.iterations, Work: p.work}
}

// closed is the result when the last stage leaves nothing: the incumbent is
// optimal, or there is no feasible point.
func (p *preparation) closed() *solve.Result {
	last := p.stages[len(p.stages)-1]
	p.stages = p.stages[:len(p.stages)-1]
	r := &solve.Result{Status: solve.Infeasible, Certificate: last.InfeasibleCertificate(), Stats: p.stats()}
	r.Stats.VarsLeft, r.Stats.RowsLeft = 0, 0
	if p.bestObj != nil {
		r.Status, r.Objective, r.Bound = solve.Optimal, p.bestObj, p.bestObj
		r.Certificate.Status, r.Certificate.Bound = solve.Optimal, p.bestObj
	}
	return p.finish(r)
}

// cut is the result when a limit or the ascent's proof makes a search needless:
// the incumbent, and the best bound proven on the way.
func (p *preparation) cut() *solve.Result {
	if p.bestObj == nil && p.opt.WarmStart != nil {
		p.offer(&solve.Assignment{Values: p.opt.WarmStart})
	}
	if p.proved.bound == nil {
		base := *p.model
		base.Rows = base.Rows[:len(base.Rows)-len(p.cuts)]
		p.model = &base
		p.proved = proved{len(p.stages), p.model, nil, boxBound(p.model, p.granularity())}
	}
	q := &p.proved
	p.stages, p.model, p.cuts = p.stages[:q.stages], q.model, nil
	r := &solve.Result{Status: solve.Unknown, Objective: p.bestObj, Bound: q.bound, Stats: p.stats()}
	r.Stats.OpenNodes = 1
	if p.bestObj != nil {
		r.Status = solve.Feasible
		if q.bound.Cmp(p.bestObj) >= 0 {
			r.Status, r.Bound, r.Stats.OpenNodes = solve.Optimal, p.bestObj, 0
		}
	}
	d := q.dual
	if d == nil {
		d = &solve.Dual{Den: 1}
	}
	r.Certificate = &solve.Certificate{Status: r.Status, Bound: r.Bound, Duals: []solve.Dual{*d}, Nodes: []solve.ProofNode{{}}}
	return p.finish(r)
}

// boxBound is the least objective within the variables' bounds, rounded up as
// granularity allows.
func boxBound(m *solve.Model, gran int64) *big.Rat {
	sum := mul128(m.Constant, 1)
	for j := range m.Vars {
		v := &m.Vars[j]
		x := v.Lower
		if v.Cost < 0 {
			x = v.Upper
		}
		sum = sum.add(mul128(v.Cost, x))
	}
	in := instance{m: m, gran: gran}
	return in.roundUp(new(big.Rat).SetInt(sum.big()))
}

// finish carries a result of the model back to the original.
func (p *preparation) finish(r *solve.Result) *solve.Result {
	p.introduce(r.Certificate)
	own := r.Values != nil || p.best == nil // the search found better
	for k := len(p.stages) - 1; k >= 0; k-- {
		r.Certificate = p.stages[k].Certificate(r.Certificate)
		if own && r.Objective != nil {
			r.Assignment = *p.stages[k].Assignment(&r.Assignment)
		}
	}
	if !own {
		r.Assignment = *p.best
	}
	r.Certificate.Assignment = r.Assignment
	r.Stats.Duration = time.Since(p.begin)
	p.log.Info("end", "status", r.Status.String(), "nodes", r.Stats.Nodes, "open", r.Stats.OpenNodes, "best", text(r.Objective),
		"bound", text(r.Bound), "gap", r.Gap(), "iterations", r.Stats.LPIterations, "seconds", r.Stats.Duration.Seconds())
	return r
}
