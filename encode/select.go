package encode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"sync"

	"ipusolve/solve"
)

// ErrInfeasible is wrapped by Select when no choice respects the limits.
var ErrInfeasible = errors.New("no choice respects the limits")

// errStopped is returned by build when the context ends before the model is whole.
var errStopped = errors.New("encode: stopped while building a model")

// Outcome is the answer to a selection.
type Outcome struct {
	Status    solve.Status
	Choice    Choice
	Objective int64 // exact cost of Choice
	Bound     int64 // proven: no choice costs less
	// Model is the last model solved, over the candidates that reductions left,
	// and Result its answer with the certificate; of a search cut short, the model
	// that proves most.
	Model  *solve.Model
	Result *solve.Result
	// Prices are the multipliers of the limits that reductions used, by limit, in
	// 1/2^20 cost per unit; none is listed at 0.
	Prices map[string]int64
	Stats  Stats
}

// Stats says what a selection cost.
type Stats struct {
	Reduce       ReduceStats
	ExactPairs   int // pair costs computed exactly
	Rounds       int // models solved with pairs
	Pairs        int // in the last model
	Rows, Vars   int // of the last model
	Nodes        int
	LPIterations int64
	Effort       int64 // of all models, in units of solve.Stats.Effort
}

// batch is the number of pairs whose exact cost is computed before the first
// pruning; each batch is twice as large as the one before, since pruning looks
// at all pairs.
const batch = 256

// eager bounds how many pairs get exact costs before the first model; beyond
// it, only those that a solution uses do.
const eager = 1 << 14

// Select solves a selection. Where the edges form paths (selectChain), bounds are
// those of shortest paths at priced limits. Elsewhere (selectAny) there are
// reductions, an incumbent, then a model in which pair
// costs are lower bounds until a solution uses them, when they become exact. An
// engine that knows solve.Options.Lazy asks for them during its search; others are
// asked again until the optimum uses exact costs only. The effort of opt is for all
// models together, its time limit for each; a context that ends returns the
// incumbent with the bound so far.
// ErrInfeasible is returned when nothing fits. Selections with forbidden pairs are
// refused: FullModel takes them.
func Select(ctx context.Context, s *Selection, solver solve.Solver, opt solve.Options) (*Outcome, error) {
	return selectWith(ctx, s, solver, opt, eager)
}

// selectWith is Select with a limit on the exact costs before the first model.
func selectWith(ctx context.Context, s *Selection, solver solve.Solver, opt solve.Options, eager int) (*Outcome, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	for _, e := range s.Edges {
		if e.Forbidden != nil {
			return nil, fmt.Errorf("encode: edge %s: Select knows no forbidden pairs; solve the full model", e.Name)
		}
	}
	r := newReducer(s)
	if n := r.oversized(ctx); n >= 0 {
		return nil, fmt.Errorf("encode: %s: %w: no candidate of %s fits", s.Name, ErrInfeasible, s.Nodes[n].Name)
	}
	out := &Outcome{}
	var err error
	if r.chain != nil {
		err = r.selectChain(ctx, solver, opt, out)
	} else {
		err = r.selectAny(ctx, solver, opt, eager, out)
	}
	if err != nil {
		return nil, err
	}
	for n := range r.alive {
		r.stats.Left += len(r.alive[n])
	}
	out.Stats.Reduce = r.stats
	return out, nil
}

// selectAny solves a selection with any edges.
func (r *reducer) selectAny(ctx context.Context, solver solve.Solver, opt solve.Options, eager int, out *Outcome) error {
	r.greedy()
	r.bounded()
	r.dominated(ctx)
	if err := r.relax(ctx, solver, opt, out); err != nil {
		return err
	}
	r.bounded()
	tables := r.pairs(ctx)
	if tables == nil {
		out.Bound = r.lowerBound()
		return r.finish(out)
	}
	r.evaluate(ctx, tables, eager, out)
	return r.rounds(ctx, solver, opt, tables, out)
}

// relax solves the model without pairs: its optimum is another incumbent, its
// duals price the limits, and its infeasibility is that of the selection.
func (r *reducer) relax(ctx context.Context, solver solve.Solver, opt solve.Options, out *Outcome) error {
	m, v, res, err := r.solve(ctx, nil, solver, opt, out)
	if err != nil {
		return err
	}
	if res.Values != nil {
		r.offer(r.choice(v, res.Values))
	}
	r.setPrices(m, res)
	return nil
}

// solve builds the model over the surviving candidates, with pairs if there are
// any, and solves it from the incumbent. Every choice ruled out so far is no
// better than the incumbent, which itself is in the model, so an infeasible model
// is an infeasible selection.
func (r *reducer) solve(ctx context.Context, pairs []pairTable, solver solve.Solver, opt solve.Options, out *Outcome) (*solve.Model, *variables, *solve.Result, error) {
	m, v, err := r.build(ctx, pairs)
	if err != nil {
		return nil, nil, nil, err
	}
	opt.WarmStart = nil
	if r.best != nil {
		opt.WarmStart = r.start(m, v, r.best)
	}
	opt.Lazy = r.exactly(v, pairs, out)
	res, err := solver.Solve(ctx, m, out.rest(opt))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("encode: %s: %w", r.sel.Name, err)
	}
	if len(res.Raised) > 0 {
		m = m.WithCosts(res.Raised)
	}
	out.take(m, res)
	if res.Status == solve.Infeasible {
		return nil, nil, nil, fmt.Errorf("encode: %s: %w", r.sel.Name, ErrInfeasible)
	}
	return m, v, res, nil
}

// setPrices takes the multipliers of the limits from the first dual vector of
// the relaxation, and keeps them only if they raise the bound.
func (r *reducer) setPrices(m *solve.Model, res *solve.Result) {
	if res.Certificate == nil || len(res.Certificate.Duals) == 0 {
		return
	}
	limit := map[string]int{}
	for l := range r.sel.Limits {
		limit[r.sel.Limits[l].Name] = l
	}
	before := r.lowerBound()
	old := slices.Clone(r.price)
	d := res.Certificate.Duals[0]
	for k, row := range d.Rows {
		if l, ok := limit[m.Rows[row].Name]; ok {
			y := new(big.Int).Mul(big.NewInt(-d.Num[k]), big.NewInt(priceUnit))
			y.Quo(y, big.NewInt(d.Den))
			if y.Sign() > 0 && y.IsInt64() && y.Int64() < maxPrice {
				r.price[l] = y.Int64()
			}
		}
	}
	if r.lowerBound() < before {
		r.price = old
	}
}

// pairBound is the bound on any choice that uses a pair whose cost is at least
// cost, given the base bound and the least scaled value per class.
func (r *reducer) pairBound(total int64, reduced [2]int64, k pairKey, p Pair, cost int64) int64 {
	return ceilDiv(total+reduced[0]+reduced[1]+(cost-p.Left(k.a)-p.Right(k.b))*priceUnit, priceUnit)
}

// reducedByClass is, per class of a node, the least scaled value above the
// node's minimum.
func (r *reducer) reducedByClass(n int, least int64) map[int32]int64 {
	m := map[int32]int64{}
	for _, i := range r.alive[n] {
		class, v := r.sel.Nodes[n].Candidates[i].Class, r.scaled(n, i)-least
		if old, ok := m[class]; !ok || v < old {
			m[class] = v
		}
	}
	return m
}

// pairs lists the pairs of every edge whose bound is below the incumbent; nil when
// ctx ends first.
func (r *reducer) pairs(ctx context.Context) []pairTable {
	total, least := r.base()
	tables := make([]pairTable, len(r.sel.Edges))
	for e := range r.sel.Edges {
		if ctx.Err() != nil {
			return nil
		}
		edge := &r.sel.Edges[e]
		t := &tables[e]
		t.cost, t.exact = map[pairKey]int64{}, map[pairKey]bool{}
		left, right := r.reducedByClass(edge.From, least[edge.From]), r.reducedByClass(edge.To, least[edge.To])
		// In order of rising reduced value, the separable part of the bound alone
		// ends the inner loop early.
		to := r.classes(edge.To)
		slices.SortStableFunc(to, func(a, b int32) int { return cmp.Compare(right[a], right[b]) })
		for _, a := range r.classes(edge.From) {
			for _, b := range to {
				k := pairKey{a, b}
				if ceilDiv(total+left[a]+right[b], priceUnit) >= r.cost && !r.isChosen(e, k) {
					if r.isChosenClass(edge.From, a) {
						continue // the incumbent's pair may come later
					}
					break
				}
				cost := edge.Pair.LowerBound(a, b)
				if r.isChosen(e, k) || r.pairBound(total, [2]int64{left[a], right[b]}, k, edge.Pair, cost) < r.cost {
					t.keys = append(t.keys, k)
					t.cost[k] = cost
				}
			}
		}
		slices.SortFunc(t.keys, comparePairs)
	}
	return tables
}

func comparePairs(x, y pairKey) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) }

func (r *reducer) isChosenClass(n int, class int32) bool {
	return r.best != nil && r.class(n, r.best) == class
}

func (r *reducer) isChosen(e int, k pairKey) bool {
	edge := &r.sel.Edges[e]
	return r.best != nil && r.class(edge.From, r.best) == k.a && r.class(edge.To, r.best) == k.b
}

// prune drops pairs whose bound reaches the incumbent, and candidates left
// without a pair on some edge, until nothing changes or ctx ends.
func (r *reducer) prune(ctx context.Context, tables []pairTable) {
	for changed := true; changed; {
		changed = false
		r.bounded()
		total, least := r.base()
		for e := range tables {
			if ctx.Err() != nil {
				return
			}
			edge, t := &r.sel.Edges[e], &tables[e]
			left, right := r.reducedByClass(edge.From, least[edge.From]), r.reducedByClass(edge.To, least[edge.To])
			before := len(t.keys)
			from, to := map[int32]bool{}, map[int32]bool{}
			t.keys = slices.DeleteFunc(t.keys, func(k pairKey) bool {
				ra, okA := left[k.a]
				rb, okB := right[k.b]
				if !okA || !okB || !r.isChosen(e, k) && r.pairBound(total, [2]int64{ra, rb}, k, edge.Pair, t.cost[k]) >= r.cost {
					return true
				}
				from[k.a], to[k.b] = true, true
				return false
			})
			changed = changed || len(t.keys) < before
			for _, end := range []struct {
				node int
				ok   map[int32]bool
			}{{edge.From, from}, {edge.To, to}} {
				n := r.keep(end.node, func(i int) bool { return end.ok[r.sel.Nodes[end.node].Candidates[i].Class] })
				r.stats.Bounded += n
				changed = changed || n > 0
			}
		}
	}
}

// evaluate computes exact pair costs in order of rising bound, in parallel
// batches, pruning between them, for at most limit pairs.
func (r *reducer) evaluate(ctx context.Context, tables []pairTable, limit int, out *Outcome) {
	for done, size := 0, batch; done < limit && ctx.Err() == nil; size *= 2 {
		type job struct {
			edge  int
			key   pairKey
			bound int64
			cost  int64
		}
		var jobs []job
		total, least := r.base()
		for e := range tables {
			edge := &r.sel.Edges[e]
			left, right := r.reducedByClass(edge.From, least[edge.From]), r.reducedByClass(edge.To, least[edge.To])
			for _, k := range tables[e].keys {
				if !tables[e].exact[k] {
					jobs = append(jobs, job{edge: e, key: k, bound: r.pairBound(total, [2]int64{left[k.a], right[k.b]}, k, edge.Pair, tables[e].cost[k])})
				}
			}
		}
		if len(jobs) == 0 {
			return
		}
		slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(a.bound, b.bound) })
		jobs = jobs[:min(size, len(jobs), limit-done)]
		var wg sync.WaitGroup
		workers := runtime.GOMAXPROCS(0)
		for w := range workers {
			wg.Go(func() {
				for i := w; i < len(jobs) && ctx.Err() == nil; i += workers {
					jobs[i].cost = r.sel.Edges[jobs[i].edge].Pair.Exact(jobs[i].key.a, jobs[i].key.b)
				}
			})
		}
		wg.Wait()
		if ctx.Err() != nil {
			return
		}
		for _, j := range jobs {
			r.setExact(&tables[j.edge], j.key, j.cost, out)
			r.tryPair(j.edge, j.key)
		}
		done += len(jobs)
		r.prune(ctx, tables)
	}
}

func (r *reducer) setExact(t *pairTable, k pairKey, cost int64, out *Outcome) {
	t.cost[k], t.exact[k] = cost, true
	out.Stats.ExactPairs++
}

// tryPair offers the incumbent with both ends of an edge replaced by the
// cheapest candidates of a pair.
func (r *reducer) tryPair(e int, k pairKey) {
	if r.best == nil {
		return
	}
	c := slices.Clone(r.best)
	for _, end := range []struct {
		node  int
		class int32
	}{{r.sel.Edges[e].From, k.a}, {r.sel.Edges[e].To, k.b}} {
		least := int64(math.MaxInt64)
		for _, i := range r.alive[end.node] {
			if r.sel.Nodes[end.node].Candidates[i].Class == end.class && r.scaled(end.node, i) < least {
				least, c[end.node] = r.scaled(end.node, i), i
			}
		}
	}
	var bound int64 // of the choice, by separable values
	for n, i := range c {
		bound += r.value[n][i]
	}
	if bound < r.cost {
		r.offer(c)
	}
}

// rounds solves the model with pairs until its optimum uses exact costs only.
func (r *reducer) rounds(ctx context.Context, solver solve.Solver, opt solve.Options, tables []pairTable, out *Outcome) error {
	out.Bound = r.lowerBound()
	for {
		r.prune(ctx, tables)
		_, v, res, err := r.solve(ctx, tables, solver, opt, out)
		if errors.Is(err, errStopped) {
			return r.finish(out)
		}
		if err != nil {
			return err
		}
		out.Stats.Rounds++
		out.Stats.Pairs = 0
		for e := range tables {
			out.Stats.Pairs += len(tables[e].keys)
		}
		if res.Bound != nil {
			bound := ratCeil(res.Bound)
			if r.target > 0 {
				bound = min(bound, r.target)
			}
			out.Bound = max(out.Bound, bound)
		}
		lazy := false
		if res.Values != nil {
			c := r.choice(v, res.Values)
			for e := range tables {
				edge := &r.sel.Edges[e]
				k := pairKey{r.class(edge.From, c), r.class(edge.To, c)}
				if !tables[e].exact[k] {
					cost := edge.Pair.Exact(k.a, k.b)
					lazy = true
					r.setExact(&tables[e], k, cost, out)
				}
			}
			r.offer(c)
		}
		if !lazy || ctx.Err() != nil || res.Status != solve.Optimal {
			return r.finish(out)
		}
	}
}

// finish writes the incumbent and the status.
func (r *reducer) finish(out *Outcome) error {
	out.Choice, out.Status = r.best, solve.Unknown
	for l, p := range r.price {
		if p > 0 {
			if out.Prices == nil {
				out.Prices = map[string]int64{}
			}
			out.Prices[r.sel.Limits[l].Name] = p
		}
	}
	if r.best == nil {
		return nil
	}
	out.Objective = r.sel.Cost(r.best)
	out.Bound = min(out.Bound, out.Objective)
	out.Status = solve.Feasible
	if out.Bound == out.Objective {
		out.Status = solve.Optimal
	}
	return nil
}

// take counts a solve and keeps its model and result if they prove at least as
// much as what is kept: a later model that a limit cut short may prove less.
func (o *Outcome) take(m *solve.Model, res *solve.Result) {
	if o.Result == nil || o.Result.Bound == nil || res.Bound != nil && res.Bound.Cmp(o.Result.Bound) >= 0 {
		o.Model, o.Result = m, res
	}
	o.Stats.Nodes += res.Stats.Nodes
	o.Stats.LPIterations += res.Stats.LPIterations
	o.Stats.Effort += res.Stats.Effort()
	o.Stats.Rows, o.Stats.Vars = res.Stats.Rows, res.Stats.Vars
}

// rest is the options for the next model: what is left of the effort, at least
// enough to look at it.
func (o *Outcome) rest(opt solve.Options) solve.Options {
	if opt.Effort > 0 {
		opt.Effort = max(1, opt.Effort-o.Stats.Effort)
	}
	return opt
}

func ratCeil(r *big.Rat) int64 {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}
