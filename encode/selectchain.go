package encode

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ipusolve/solve"
)

// Sizes of the search for a choice along a chain: candidates per node and labels.
// A second, wider search follows when the first leaves a gap.
const (
	beamCandidates = 40
	beamWidth      = 512
	wideCandidates = 80
	wideWidth      = 2048

	glanceCandidates = 400 // per node, for a first incumbent
)

// selectChain solves a selection whose edges form paths. Prices of the limits
// leave a shortest path, whose length bounds every choice and, node by node, every
// choice with a candidate: few candidates are in any choice below the incumbent.
// The incumbent is found by a beam along the chain; a model over the rest decides.
func (r *reducer) selectChain(ctx context.Context, solver solve.Solver, opt solve.Options, out *Outcome) error {
	r.kinds.alike(r.sel)
	r.findPrices(ctx, solver, out)
	r.greedyKinds(ctx)
	r.glance(ctx)
	if r.best == nil {
		if err := r.anyChoice(ctx, solver, opt, out); err != nil || r.best == nil {
			return err
		}
	}
	out.Bound = r.lowerBound()
	var b *chainBounds
	if ctx.Err() == nil {
		r.bounded()
		b = r.bounds(ctx, false)
	}
	if b != nil {
		out.Bound = max(out.Bound, min(b.bound(), r.cost))
		r.boundedByChain(b)
		if b = r.bounds(ctx, true); b != nil {
			out.Bound = max(out.Bound, min(b.bound(), r.cost))
			r.boundedByChain(b)
			b = r.improve(ctx, b, solver, opt.Gap, out)
			out.Bound = max(out.Bound, min(b.bound(), r.cost))
		}
	}
	if err := r.witness(solver, out); err != nil {
		return err
	}
	if b == nil || r.within(out.Bound, opt.Gap) || ctx.Err() != nil {
		return r.finish(out)
	}
	return r.models(ctx, b, solver, opt, minModelPairs, out)
}

// Pairs of the first model and of the last: most of what the models leave out
// matters little, and where it does not, twice as many are tried.
const (
	minModelPairs = 1 << 13
	maxModelPairs = 1 << 17
)

// models solves models over what the bounds of a chain leave, with rising targets,
// until one proves the incumbent or fails to prove its target.
func (r *reducer) models(ctx context.Context, b *chainBounds, solver solve.Solver, opt solve.Options, pairs int, out *Outcome) error {
	r.sweeps = nil
	for most := pairs; ; most *= 2 {
		r.target = r.cost
		alive := slices.Clone(r.alive)
		tables := r.chainPairs(ctx, b, most)
		if tables == nil {
			break
		}
		bound, model, result := out.Bound, out.Model, out.Result
		out.Model, out.Result = nil, nil
		if err := r.rounds(ctx, solver, opt, tables, out); err != nil {
			return err
		}
		proven := int64(math.MinInt64)
		if out.Result != nil && out.Result.Bound != nil {
			proven = min(ratCeil(out.Result.Bound), r.target)
		}
		if proven < bound {
			out.Model, out.Result = model, result
		}
		out.Bound = max(bound, proven)
		if proven < r.target || r.target >= r.cost || most >= maxModelPairs || r.within(out.Bound, opt.Gap) || ctx.Err() != nil {
			break
		}
		r.alive = alive
	}
	return r.finish(out)
}

// glance looks for an incumbent among the cheapest candidates of every kind under
// the prices found, and under higher ones while nothing fits: a good incumbent
// saves bounding most others.
func (r *reducer) glance(ctx context.Context) {
	for _, factor := range [...]float64{1, 1.25, 2, 4} {
		if ctx.Err() != nil {
			return
		}
		few := *r
		few.alive, few.price, few.sweeps = slices.Clone(r.alive), slices.Clone(r.price), nil
		for l, p := range r.price {
			few.price[l] = int64(float64(p) * factor)
		}
		for k, members := range r.kinds.nodes {
			list := r.cheapestOf(members[0], r.entryPrices(k, few.price), glanceCandidates)
			for _, n := range members {
				few.alive[n] = list
			}
		}
		b := few.bounds(ctx, true)
		if b == nil {
			return
		}
		if c := few.beam(ctx, b, few.shortlist(b, beamCandidates), beamWidth); c != nil {
			r.offer(c)
			return
		}
	}
}

// cheapestOf are a node's candidates of least value with uses priced by entry, at
// most some number, ascending.
func (r *reducer) cheapestOf(n int, q []int64, most int) []int {
	cands := r.sel.Nodes[n].Candidates
	value := make([]int64, len(cands))
	list := slices.Clone(r.alive[n])
	for _, i := range list {
		value[i] = r.value[n][i] * priceUnit
		for j, u := range cands[i].Use {
			value[i] += q[j] * u
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(value[a], value[b]) })
	list = list[:min(most, len(list))]
	slices.Sort(list)
	return list
}

// improve looks for better choices with beams and for better prices, and bounds
// candidates again.
func (r *reducer) improve(ctx context.Context, b *chainBounds, solver solve.Solver, gap float64, out *Outcome) *chainBounds {
	for _, size := range [...][2]int{{beamCandidates, beamWidth}, {wideCandidates, wideWidth}} {
		if r.within(b.bound(), gap) || ctx.Err() != nil {
			break
		}
		b = r.refine(ctx, b, solver, out)
		r.boundedByChain(b)
		if c := r.beam(ctx, b, r.shortlist(b, size[0]), size[1]); c != nil {
			r.offer(c)
		}
		r.boundedByChain(b)
	}
	return b
}

// within tells whether a bound is within a gap of the incumbent.
func (r *reducer) within(bound int64, gap float64) bool {
	return float64(r.cost-bound) <= gap*math.Abs(float64(r.cost))
}

// boundedByChain removes candidates whose bound by the chain reaches the incumbent.
func (r *reducer) boundedByChain(b *chainBounds) {
	for n := range r.sel.Nodes {
		r.stats.Bounded += r.keep(n, func(i int) bool {
			return r.chosen(n, i) || ceilDiv(b.with(r, n, i), priceUnit) < r.cost
		})
	}
}

// witness solves the model of the incumbent alone. Beside the bound on all that it
// leaves out, it is a certificate until a model proves more.
func (r *reducer) witness(solver solve.Solver, out *Outcome) error {
	alone := &reducer{sel: r.sel, known: r.known, alive: make([][]int, len(r.alive)), value: r.value, parts: r.parts, best: r.best}
	for n, i := range r.best {
		alone.alive[n] = []int{i}
	}
	tables := make([]pairTable, len(r.sel.Edges))
	for e := range tables {
		edge := &r.sel.Edges[e]
		k := pairKey{r.class(edge.From, r.best), r.class(edge.To, r.best)}
		tables[e] = pairTable{keys: []pairKey{k}, cost: map[pairKey]int64{k: r.exactCost(edge.Pair, k.a, k.b)}, exact: map[pairKey]bool{k: true}}
	}
	_, _, _, err := alone.solve(context.Background(), tables, solver, solve.Options{}, out)
	return err
}

// greedyKinds looks for an incumbent: the cheapest candidates under the prices
// found, raised until they fit.
func (r *reducer) greedyKinds(ctx context.Context) {
	price := slices.Clone(r.price)
	if !slices.ContainsFunc(price, func(p int64) bool { return p > 0 }) {
		for l := range price {
			price[l] = priceUnit / 64
		}
		r.tryPrices(make([]int64, len(price)), 1)
	}
	most := slices.Max(append([]int64{1}, price...))
	low, high := 1.0, 0.0
	// Few and quick enough to be tried even behind the end of ctx: a choice is worth it.
	for f := 1.0; f*float64(most) < maxPrice/256; f *= 2 {
		if r.tryPrices(price, f) {
			high = f
			break
		}
		low = f
	}
	for range 8 {
		if high == 0 || ctx.Err() != nil {
			return
		}
		if mid := (low + high) / 2; r.tryPrices(price, mid) {
			high = mid
		} else {
			low = mid
		}
	}
}

// tryPrices offers the choice of the cheapest candidates under multiples of prices.
func (r *reducer) tryPrices(price []int64, factor float64) bool {
	scaled := make([]int64, len(price))
	for l, p := range price {
		scaled[l] = int64(float64(p) * factor)
	}
	c := make(Choice, len(r.sel.Nodes))
	for k, members := range r.kinds.nodes {
		i, _ := r.cheapest(members[0], r.entryPrices(k, scaled))
		for _, n := range members {
			c[n] = i
		}
	}
	if !r.sel.Fits(c) && !r.mend(c) {
		return false
	}
	r.offer(c)
	return true
}

// mend makes a choice fit by the choice of one node without edges, which stands for
// something that the others share and whose price says little.
func (r *reducer) mend(c Choice) bool {
	for n := range c {
		if !r.isolated(n) {
			continue
		}
		old := c[n]
		for _, c[n] = range r.alive[n] {
			if r.sel.Fits(c) {
				return true
			}
		}
		c[n] = old
	}
	return false
}

func (r *reducer) isolated(n int) bool { return r.chain.in[n] < 0 && r.chain.out[n] < 0 }

// anyChoice finds some choice that fits, or that there is none.
func (r *reducer) anyChoice(ctx context.Context, solver solve.Solver, opt solve.Options, out *Outcome) error {
	least := &reducer{sel: r.sel, alive: slices.Clone(r.alive), value: r.value, parts: r.parts, cost: math.MaxInt64}
	if least.frugal(ctx, r.kinds); ctx.Err() != nil {
		return r.finish(out)
	}
	m, v, err := least.build(ctx, nil)
	if err != nil {
		return err
	}
	opt.WarmStart, opt.Gap = nil, 0.5
	res, err := solver.Solve(ctx, m, out.rest(opt))
	if err != nil {
		return fmt.Errorf("encode: %s: %w", r.sel.Name, err)
	}
	out.take(m, res)
	if res.Status == solve.Infeasible {
		return fmt.Errorf("encode: %s: %w", r.sel.Name, ErrInfeasible)
	}
	if res.Values != nil {
		r.offer(least.choice(v, res.Values))
	}
	return nil
}

// frugal keeps candidates that no other undercuts in every use.
func (r *reducer) frugal(ctx context.Context, g *kinds) {
	for _, members := range g.nodes {
		kept := map[*int][]int{}
		for _, n := range members {
			if ctx.Err() != nil || len(r.alive[n]) == 0 {
				return
			}
			at := &r.alive[n][0]
			if kept[at] == nil {
				kept[at] = frugal(ctx, r.sel.Nodes[n].Candidates, r.alive[n])
			}
			r.alive[n] = kept[at]
		}
	}
}

func frugal(ctx context.Context, cands []Candidate, alive []int) []int {
	total := func(i int) int64 {
		var s int64
		for _, u := range cands[i].Use {
			s += u
		}
		return s
	}
	order := slices.Clone(alive)
	sums := make(map[int]int64, len(alive))
	for _, i := range alive {
		sums[i] = total(i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case sums[a] < sums[b]:
			return -1
		case sums[a] > sums[b]:
			return 1
		}
		return 0
	})
	var kept []int
	for k, i := range order {
		if k%256 == 0 && ctx.Err() != nil {
			return alive
		}
		if !slices.ContainsFunc(kept, func(d int) bool { return fewer(cands[d].Use, cands[i].Use) }) {
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	return kept
}

// chainPairs lists the pairs of every edge whose bound along the chain is below the
// target, at exact costs; nil when ctx ends first. The
// target is the incumbent's cost, or less where that leaves too many pairs: then
// the candidates and pairs left out are in no choice below the target.
func (r *reducer) chainPairs(ctx context.Context, b *chainBounds, most int) []pairTable {
	tables := make([]pairTable, len(r.sel.Edges))
	least := make([]map[int32]int64, len(r.sel.Nodes))
	classes := make([][]int32, len(r.sel.Nodes))
	for n := range r.sel.Nodes {
		classes[n], least[n] = r.classValues(n)
	}
	bound := func(e int, k pairKey, cost int64) int64 {
		edge := &r.sel.Edges[e]
		return ceilDiv(b.total-b.least[edge.From]+b.before[edge.From][k.a]+least[edge.From][k.a]+
			cost*priceUnit+least[edge.To][k.b]+b.after[edge.To][k.b], priceUnit)
	}
	missing := map[Pair][]pairKey{}
	bounds := make([][]int64, len(tables))
	for e := range r.sel.Edges {
		edge, t := &r.sel.Edges[e], &tables[e]
		t.cost, t.exact = map[pairKey]int64{}, map[pairKey]bool{}
		for _, a := range classes[edge.From] {
			if ctx.Err() != nil {
				return nil
			}
			for _, c := range classes[edge.To] {
				k := pairKey{a, c}
				if v := bound(e, k, edge.Pair.Left(a)+edge.Pair.Right(c)); v >= r.target && !r.isChosen(e, k) {
					continue
				}
				cost := edge.Pair.LowerBound(a, c)
				v := bound(e, k, cost)
				if v < r.target || r.isChosen(e, k) {
					t.keys, bounds[e] = append(t.keys, k), append(bounds[e], v)
					t.cost[k] = cost
				}
			}
			r.lower(bounds, most)
		}
	}
	for e := range tables {
		edge, t := &r.sel.Edges[e], &tables[e]
		t.keys = slices.DeleteFunc(t.keys, func(k pairKey) bool { return bound(e, k, t.cost[k]) >= r.target && !r.isChosen(e, k) })
		missing[edge.Pair] = append(missing[edge.Pair], t.keys...)
	}
	if !r.learn(ctx, missing) {
		return nil
	}
	for e := range tables {
		t, pair := &tables[e], r.sel.Edges[e].Pair
		t.keys = slices.DeleteFunc(t.keys, func(k pairKey) bool {
			t.cost[k], t.exact[k] = r.exactCost(pair, k.a, k.b), true
			return bound(e, k, t.cost[k]) >= r.target && !r.isChosen(e, k)
		})
	}
	for n := range r.sel.Nodes {
		r.stats.Bounded += r.keep(n, func(i int) bool {
			return r.chosen(n, i) || ceilDiv(b.with(r, n, i), priceUnit) < r.target
		})
	}
	return tables
}

// lower lowers the target until few enough bounds are below it.
func (r *reducer) lower(bounds [][]int64, most int) {
	total := 0
	for e := range bounds {
		total += len(bounds[e])
	}
	if total < 2*most {
		return
	}
	all := slices.Concat(bounds...)
	slices.Sort(all)
	r.target = min(r.target, all[most])
	for e := range bounds {
		bounds[e] = slices.DeleteFunc(bounds[e], func(v int64) bool { return v >= r.target })
	}
}

// learn computes exact pair costs in parallel; false when ctx ends first.
func (r *reducer) learn(ctx context.Context, missing map[Pair][]pairKey) bool {
	for pair, keys := range missing { // in any order: nothing depends on it
		slices.SortFunc(keys, comparePairs)
		keys = slices.Compact(keys)
		var next atomic.Int64
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for k := int(next.Add(1)) - 1; k < len(keys) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
					r.exactCost(pair, keys[k].a, keys[k].b)
				}
			})
		}
		wg.Wait()
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}
