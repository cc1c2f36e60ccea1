package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
	"ipusolve/solve"
)

// ErrSeedProblem is wrapped by errors about problems that family `seed` cannot plan.
var ErrSeedProblem = errors.New("family seed")

// seedUnbounded is a limit on costs that no plan reaches.
const seedUnbounded int64 = 1 << 33

// SolveSeed plans a problem in family `seed` under profile seed. Nodes are the
// GEMMs, each with the format in which the GELU behind it runs; edges are the
// conversions between them. The memory rules of the family look at a whole plan:
// an optimum that breaks them is ruled out by a row over its candidates and the
// rest is solved again.
//
// Where a plan record cannot express the optimum, the plan is the best one that it
// can; the bound stays the family's.
func SolveSeed(ctx context.Context, p *model.Problem, solver solve.Solver, opt Options) (*Result, error) {
	best, err := solveSeed(ctx, p, solver, opt, false)
	if !errors.Is(err, space.ErrSeedForm) {
		return best, err
	}
	written, second := solveSeed(ctx, p, solver, opt, true)
	switch {
	case errors.Is(second, encode.ErrInfeasible):
		return nil, err
	case second != nil:
		return nil, second
	case written.Plan == nil:
		return written, nil
	}
	out := *best.Outcome
	out.Status, out.Objective, out.Choice = solve.Feasible, written.Outcome.Objective, written.Outcome.Choice
	return &Result{Plan: written.Plan, Outcome: &out}, nil
}

// solveSeed solves over all candidates or over those that a record can express.
// With an error that wraps space.ErrSeedForm comes the solved outcome.
func solveSeed(ctx context.Context, p *model.Problem, solver solve.Solver, opt Options, writable bool) (*Result, error) {
	rough, err := newSeedBuilder(p, seedUnbounded, nil)
	if err != nil {
		return nil, err
	}
	for target := rough.glance(); ; target = min(target+target/4, seedUnbounded) {
		b, err := newSeedBuilder(p, target, rough)
		if err != nil {
			return nil, err
		}
		if writable {
			b.writable()
		}
		b.limit(false)
		res, err := b.solve(ctx, solver, opt, target)
		// What was left out costs more than target.
		if target < seedUnbounded && ctx.Err() == nil && (errors.Is(err, encode.ErrInfeasible) || err == nil && res.Plan == nil) {
			continue
		}
		return res, err
	}
}

// solve rules out optima that do not fit until one does.
func (b *seedBuilder) solve(ctx context.Context, solver solve.Solver, opt Options, target int64) (*Result, error) {
	for n := range b.sel.Nodes {
		if len(b.sel.Nodes[n].Candidates) == 0 {
			return nil, fmt.Errorf("planning: %w: no candidate of %s fits", encode.ErrInfeasible, b.sel.Nodes[n].Name)
		}
	}
	for {
		out, err := encode.Select(ctx, b.sel, solver, opt.Solve)
		if err != nil {
			return nil, fmt.Errorf("planning: %w", err)
		}
		if out.Choice == nil || out.Objective > target {
			return &Result{Outcome: out}, nil
		}
		if out.Objective >= seedUnbounded {
			return nil, fmt.Errorf("planning: %w: every plan has a conversion that cannot be done", encode.ErrInfeasible)
		}
		choices, cycles, fits, err := b.fits(out.Choice)
		if err != nil {
			return nil, err
		}
		if !fits {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b.exclude(out.Choice)
			continue
		}
		if cycles != out.Objective {
			return nil, fmt.Errorf("planning: choices cost %d cycles, their candidates %d", cycles, out.Objective)
		}
		res := &Result{Outcome: out}
		if res.Plan, err = space.SeedPlan(b.problem, choices); err != nil {
			return res, fmt.Errorf("planning: the best plan of family seed, %s (%d cycles), cannot be written: %w", b.name(out.Choice), out.Objective, err)
		}
		priced, err := cost.PriceSeed(res.Plan)
		if err != nil {
			return nil, err
		}
		for i := range res.Plan.Steps {
			res.Plan.Steps[i].Cost = priced.Steps[i]
		}
		all := priced.Cost()
		if got := all.Total(); got != out.Objective {
			return nil, fmt.Errorf("planning: the plan's layouts cost %d cycles, its candidates %d", got, out.Objective)
		}
		return res, nil
	}
}

// seedOption is a candidate of a node: a GEMM and the format in which GELU runs.
type seedOption struct {
	gemm    *space.SeedPriced
	cycles  int64 // of all that does not depend on other nodes
	in, out int32 // formats of A and of what the stage hands on
	via     int   // 0: no GELU or in place, else index of the flat format
}

// seedStage are the candidates of a GEMM.
type seedStage struct {
	*space.Stage
	options []seedOption
	least   int64 // value of any option
	least32 int64 // of one in single precision
}

// seedBuilder states a problem of family seed as a selection.
type seedBuilder struct {
	problem   *model.Problem
	path      *space.SeedPath
	chain     *space.Chain
	rest      []int64 // per stage: least value of all others
	penalty   []int64 // per stage: see stranded
	stages    []seedStage
	sel       *encode.Selection
	formats   []space.SeedFormat
	ids       map[string]int32
	shortlist []seedOption // of the stage that glance saw last
	classes   [][2]int32   // per class: formats read and handed on
	class     map[[2]int32]int32
}

func (b *seedBuilder) intern(f space.SeedFormat) int32 {
	key := f.Key()
	id, ok := b.ids[key]
	if !ok {
		id = int32(len(b.formats))
		b.ids[key], b.formats = id, append(b.formats, f)
	}
	return id
}

// newSeedBuilder lists the candidates of plans that cost at most target, whose
// stages' least values a rough builder knows. Without one it is rough itself: it
// lists GELU in place only, and conversions that depend on one node are free.
func newSeedBuilder(p *model.Problem, target int64, rough *seedBuilder) (*seedBuilder, error) {
	chain, err := space.NewChain(p)
	if err != nil {
		return nil, err
	}
	if err := refuseSeed(p, chain); err != nil {
		return nil, fmt.Errorf("planning: %w: %w", ErrSeedProblem, err)
	}
	b := &seedBuilder{problem: p, chain: chain, path: space.NewSeedPath(&p.Graph, p.Tiles), sel: &encode.Selection{Name: "planning"},
		stages: make([]seedStage, len(chain.Stages)), rest: make([]int64, len(chain.Stages)), penalty: make([]int64, len(chain.Stages)), ids: map[string]int32{}, class: map[[2]int32]int32{}}
	if rough != nil {
		b.rest, b.penalty = rough.rest, rough.penalty
	}
	counts := space.SeedCounts(&p.Graph, p.Tiles)
	var floor int64
	for i := len(chain.Stages) - 1; i >= 0; i-- {
		s := &chain.Stages[i]
		b.stages[i] = seedStage{Stage: s, least: seedUnbounded, least32: seedUnbounded}
		if rough == nil && i+1 < len(chain.Stages) {
			b.penalty[i] = b.stages[i+1].least32 - b.stages[i+1].least
		}
		b.list(i, counts, target, rough == nil)
		floor += b.stages[i].least
	}
	if rough == nil {
		for i := range b.rest {
			b.rest[i] = floor - b.stages[i].least
		}
		return b, nil
	}
	b.flatten(target)
	b.state()
	return b, nil
}

// refuseSeed tells what the family's rules have no price for.
func refuseSeed(p *model.Problem, chain *space.Chain) error {
	usage := func(path, format string, args ...any) error {
		return &model.PathError{Path: path, Reason: fmt.Sprintf(format, args...), Err: model.ErrUsage}
	}
	for _, f := range []struct{ path, got, want string }{
		{"inputs", p.Inputs, model.InputsPreplaced}, {"weights", p.Weights, model.WeightsOnce}, {"outputs", p.Outputs, model.OutputsAny}} {
		if f.got != f.want {
			return usage(f.path, "want %q, found %q", f.want, f.got)
		}
	}
	if least := seedMostTotal / model.MemoryGranule * model.MemoryGranule; p.MemoryLimit < least {
		return usage("memoryLimit", "its own memory rules need %d bytes, found %d", least, p.MemoryLimit)
	}
	for i := range chain.Stages {
		if s := &chain.Stages[i]; len(s.Gelus) > 1 {
			return usage("graph", "%d GELUs behind %s, want one at most", len(s.Gelus), s.Gemm.Name)
		}
	}
	return nil
}

// list adds the candidates of a stage.
func (b *seedBuilder) list(i int, counts []int, target int64, rough bool) {
	s := &b.stages[i]
	distributed := i+1 == len(b.chain.Stages) || len(s.Gelus) == 1
	shape := space.SeedShape{Rows: s.M, Inner: s.K, Cols: s.N, Batch: 1}
	all := shape.All(counts, s.Tiles, true, i == 0, distributed, target)
	fits := make([]bool, len(all))
	parallel(len(all), func(k int) { fits[k] = i > 0 || b.alone(&all[k].Gemm) })
	for k := range all {
		if !fits[k] {
			continue
		}
		g := &all[k]
		a, w := g.Gemm.OperandA(), g.Gemm.OperandB()
		o := seedOption{gemm: g, cycles: g.Cycles, in: b.intern(a)}
		if g.Gemm.F32 { // weights and graph inputs come in half precision
			o.cycles += cost.SeedCast(w.Bytes(s.K, s.N)/2, w.Bytes(s.K, s.N))
			if i == 0 {
				o.cycles += cost.SeedCast(a.Bytes(s.M, s.K)/2, a.Bytes(s.M, s.K))
			}
		}
		result := g.Gemm.ResultFormat()
		if len(s.Gelus) == 0 {
			o.out = b.intern(result)
			b.add(i, o, target, false)
			continue
		}
		if o.cycles+b.rest[i] > target {
			continue
		}
		own := result.Key()
		for v, f := range space.SeedPointwise(&result, s.M, s.N, counts) {
			o := o
			o.cycles += cost.SeedGelu(f.Elements(s.M, s.N))
			o.out = b.intern(f)
			if f.Key() != own {
				o.via = v + 1
			}
			if o.via == 0 || !b.stranded(i, &o) {
				b.add(i, o, target, rough && o.via > 0)
			}
		}
	}
}

// alone tells whether the first GEMM fits a tile with nothing else there: later
// operations only add to what a state takes.
func (b *seedBuilder) alone(g *space.SeedGemm) bool {
	first := b.chain.Stages[0].Gemm
	graph := model.Graph{Ops: []model.Op{first}, Outputs: []string{first.Output}}
	for _, v := range b.problem.Graph.Values {
		if v.Name == first.Output || slices.Contains(first.Inputs, v.Name) {
			graph.Values = append(graph.Values, v)
		}
	}
	_, fits, err := space.NewSeedPath(&graph, b.problem.Tiles).Best([]space.SeedChoice{{Gemm: g, Format: g.ResultFormat()}})
	return fits || err != nil
}

// add lists an option, or only counts its value.
func (b *seedBuilder) add(i int, o seedOption, target int64, countOnly bool) {
	s := &b.stages[i]
	v := b.value(i, &o)
	s.least = min(s.least, v)
	if o.gemm.Gemm.F32 {
		s.least32 = min(s.least32, v)
	}
	if !countOnly && v+b.rest[i] <= target {
		s.options = append(s.options, o)
	}
}

// value is an option's cycles with the separable bounds of its conversions.
func (b *seedBuilder) value(i int, o *seedOption) int64 {
	v := o.cycles
	if i > 0 {
		v += b.received(i, o.in)
	}
	if i+1 < len(b.chain.Stages) {
		v -= b.kept(i, o.out)
	}
	if b.stranded(i, o) {
		v += b.penalty[i]
	}
	return v
}

// stranded tells whether only a GEMM in single precision can read what an option
// hands on: of a transposed order, neighbours in a row-major or panel order are no
// neighbours, and an exchange moves whole words. The penalty is what that costs
// the next stage at least.
func (b *seedBuilder) stranded(i int, o *seedOption) bool {
	return o.gemm.Gemm.Swapped && i+1 < len(b.chain.Stages) && b.chain.Stages[i].N > 1
}

// received and kept bound a conversion from below (model/cost.SeedConvert): a tile
// receives its shard of the operand but for what it holds of the value already.
// Precision is taken as half: more bytes cost more.
func (b *seedBuilder) received(i int, format int32) int64 {
	s := b.stages[i].Stage
	return (2*b.formats[format].Logical(s.M, s.K) + 3) / 4
}
func (b *seedBuilder) kept(i int, format int32) int64 {
	s := b.stages[i].Stage
	return (2*b.formats[format].Elements(s.M, s.N) + 3) / 4
}

// flatten prices conversions into flat formats, which depend on one node only.
func (b *seedBuilder) flatten(target int64) {
	for i := range b.stages {
		s := &b.stages[i]
		type move struct{ from, to int32 }
		prices := map[move]int64{}
		var moves []move
		for k := range s.options {
			if o := &s.options[k]; o.via > 0 {
				m := move{b.intern(o.gemm.Gemm.ResultFormat()), o.out}
				if _, ok := prices[m]; !ok {
					prices[m] = 0
					moves = append(moves, m)
				}
			}
		}
		list := make([]int64, len(moves))
		parallel(len(moves), func(k int) { list[k] = b.convert(i, moves[k].from, moves[k].to) })
		for k, m := range moves {
			prices[m] = list[k]
		}
		kept := s.options[:0]
		for _, o := range s.options {
			if o.via > 0 {
				o.cycles += prices[move{b.intern(o.gemm.Gemm.ResultFormat()), o.out}]
			}
			if b.value(i, &o)+b.rest[i] <= target {
				kept = append(kept, o)
			}
		}
		s.options = kept
	}
}

// convert is the exact cost of a conversion of stage i's result.
func (b *seedBuilder) convert(i int, from, to int32) int64 {
	s := b.stages[i].Stage
	n, _, err := space.SeedConvert(&b.formats[from], &b.formats[to], s.M, s.N, s.Tiles)
	if err != nil {
		return seedUnbounded // no strategy does it
	}
	return n
}

// writable leaves the options that a plan record can express.
func (b *seedBuilder) writable() {
	for n := range b.stages {
		s := &b.stages[n]
		s.options = slices.DeleteFunc(s.options, func(o seedOption) bool {
			return !o.gemm.Gemm.Writable() || len(s.Gelus) > 0 && b.formats[o.out].F32
		})
	}
	b.sel, b.class, b.classes = &encode.Selection{Name: b.sel.Name}, map[[2]int32]int32{}, nil
	b.state()
}

// state states the options as a selection.
func (b *seedBuilder) state() {
	for i := range b.stages {
		s := &b.stages[i]
		node := encode.Node{Name: s.Gemm.Name, Describe: func(k int) string { return s.options[k].name() }}
		for k := range s.options {
			o := &s.options[k]
			key := [2]int32{-1, -1}
			if i > 0 {
				key[0] = o.in
			}
			if i+1 < len(b.stages) {
				key[1] = o.out
			}
			id, ok := b.class[key]
			if !ok {
				id = int32(len(b.classes))
				b.class[key], b.classes = id, append(b.classes, key)
			}
			node.Candidates = append(node.Candidates, encode.Candidate{Cost: o.cycles, Class: id})
		}
		b.sel.Nodes = append(b.sel.Nodes, node)
		if i > 0 {
			name := "move/" + b.stages[i-1].Result()
			b.sel.Edges = append(b.sel.Edges, encode.Edge{Name: name, From: i - 1, To: i, Pair: &seedPair{builder: b, stage: i - 1, known: map[[2]int32]int64{}}})
		}
	}
}

// name tells an option from others of its node.
func (o *seedOption) name() string {
	g := &o.gemm.Gemm
	orientation := "N"
	switch {
	case g.Swapped:
		orientation = "S"
	case g.Stationary:
		orientation = "O"
	}
	text := fmt.Sprintf("%s(%d,%d,%d)/%dx%d/%dx%d", orientation, g.Compute.Rows, g.Compute.Cols, g.Compute.Inner, g.Result.Rows, g.Result.Cols, g.BlockInner, g.BlockCols)
	for _, f := range []struct {
		set  bool
		text string
	}{{g.Interleaved, "interleaved"}, {g.Uniform, "uniform"}, {g.Streamed, "streamed"}, {g.RowsFast, "rows"}, {g.F32, "f32"}, {g.ByColumns, "columns"}} {
		if f.set {
			text += "/" + f.text
		}
	}
	if g.Stationary {
		text += fmt.Sprintf("/parts%d", g.Parts)
	}
	if g.Stored != (model.Grid{}) {
		text += fmt.Sprintf("/stored%dx%d", g.Stored.Inner, g.Stored.Cols)
	}
	if o.via > 0 {
		text += fmt.Sprintf("/flat%d", o.via)
	}
	return text
}

// seedPair prices conversions between stage and the next.
type seedPair struct {
	builder *seedBuilder
	stage   int
	mu      sync.Mutex
	known   map[[2]int32]int64
}

func (p *seedPair) ends(a, b int32) (from, to int32) {
	return p.builder.classes[a][1], p.builder.classes[b][0]
}

// Left, Right, Spread, LowerBound and Exact implement encode.Pair.
func (p *seedPair) Left(a int32) int64 { return -p.builder.kept(p.stage, p.builder.classes[a][1]) }
func (p *seedPair) Right(b int32) int64 {
	return p.builder.received(p.stage+1, p.builder.classes[b][0])
}
func (p *seedPair) Spread(int32) int64 { return 2 * seedUnbounded }
func (p *seedPair) LowerBound(a, b int32) int64 {
	f := p.builder
	if from, to := p.ends(a, b); f.formats[from].Order.Kind == model.TransposedLeft && !f.formats[to].F32 && f.stages[p.stage].N > 1 {
		return seedUnbounded
	}
	if more := p.Left(a) + p.Right(b); more > 0 { // something is received
		return more + cost.SeedSync
	}
	return p.Left(a) + p.Right(b)
}
func (p *seedPair) Exact(a, b int32) int64 {
	from, to := p.ends(a, b)
	k := [2]int32{from, to}
	p.mu.Lock()
	v, ok := p.known[k]
	p.mu.Unlock()
	if !ok {
		v = p.builder.convert(p.stage, from, to)
		p.mu.Lock()
		p.known[k] = v
		p.mu.Unlock()
	}
	return v
}

// glance is a first target: the cost of the best path through the cheapest
// options of every stage, whether it fits memory or not.
func (b *seedBuilder) glance() int64 {
	const cheapest = 24
	var before []int64
	for i := range b.stages {
		options := slices.DeleteFunc(slices.Clone(b.stages[i].options), func(o seedOption) bool { return b.stranded(i, &o) })
		slices.SortStableFunc(options, func(x, y seedOption) int { return cmp.Compare(b.value(i, &x), b.value(i, &y)) })
		options = options[:min(cheapest, len(options))]
		costs := make([]int64, len(options))
		parallel(len(options), func(k int) {
			costs[k] = seedUnbounded
			for j := range b.shortlist {
				costs[k] = min(costs[k], before[j]+b.convert(i-1, b.shortlist[j].out, options[k].in))
			}
			if i == 0 {
				costs[k] = 0
			}
			costs[k] += options[k].cycles
		})
		before, b.shortlist = costs, options
	}
	if len(before) == 0 {
		return seedUnbounded
	}
	return min(slices.Min(before), seedUnbounded)
}

// fits prices a choice as a whole, with the way to slice its operands that fits.
func (b *seedBuilder) fits(c encode.Choice) (choices []space.SeedChoice, cycles int64, fits bool, err error) {
	for n, i := range c {
		o := &b.stages[n].options[i]
		choices = append(choices, space.SeedChoice{Gemm: &o.gemm.Gemm, Format: o.gemm.Gemm.ResultFormat()})
		if len(b.stages[n].Gelus) > 0 {
			choices = append(choices, space.SeedChoice{Format: b.formats[o.out]})
		}
	}
	cycles, fits, err = b.path.Best(choices)
	return choices, cycles, fits, err
}

// exclude adds a row that rules out a choice that does not fit, and all choices of
// options that take no less: not one of every node at once.
func (b *seedBuilder) exclude(c encode.Choice) {
	limit := len(b.sel.Limits)
	b.sel.Limits = append(b.sel.Limits, encode.Limit{Name: seedRow + b.name(c), Amount: int64(len(c) - 1)})
	for n, i := range c {
		node := &b.sel.Nodes[n]
		node.Counts = append(node.Counts, []int{limit})
		for k := range node.Candidates {
			use := int64(0)
			if options := b.stages[n].options; k == i || b.covers(n, &options[k], &options[i]) {
				use = 1
			}
			node.Candidates[k].Use = append(node.Candidates[k].Use, use)
		}
	}
}

// seedRow starts the names of rows that rule a choice out; seedJoin is between the
// candidates they name.
const (
	seedRow  = "fits/"
	seedJoin = ";"
)

// name of a choice.
func (b *seedBuilder) name(c encode.Choice) string {
	var parts []string
	for n, i := range c {
		parts = append(parts, b.sel.Nodes[n].Describe(i))
	}
	return strings.Join(parts, seedJoin)
}
