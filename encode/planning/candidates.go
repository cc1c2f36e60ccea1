package planning

import (
	"cmp"
	"slices"

	"ipusolve/encode"
	"ipusolve/kernels"
	"ipusolve/model"
	"ipusolve/model/space"
)

// lister lists the candidates of a stage.
type lister struct {
	stage       *space.Stage
	first, last bool
	use         stageUse
	options     space.Options
	// Bytes that a candidate may take at any event, in all and of interleaved memory:
	// the memory limit less the least that the weights of the other stages take, which
	// is their equal share.
	total, inter int64
	admits       func(space.Gemm) bool // nil: all
}

// lister describes stage i to the enumeration.
func (b *builder) lister(i int) lister {
	p, stages := b.problem, b.chain.Stages
	stage := &stages[i]
	l := lister{stage: stage, first: i == 0, last: i+1 == len(stages),
		options: space.Options{WeightsOnce: p.Weights == model.WeightsOnce, MatrixSums: p.Has(model.MatrixSums)},
		total:   int64(p.MemoryLimit)}
	l.admits = b.pins[i].admits
	l.use = stageUse{input: i == 0 && p.Inputs == model.InputsGathered, linear: 2 * b.runs(i), turned: !l.last}
	if l.last && p.Outputs == model.OutputsLinear {
		l.use.linear = 2 * (stage.M*stage.N/stage.Tiles + model.PanelWidth)
		l.use.swappedLinear, l.use.turned = l.use.linear, true
	}
	full := p.Family == model.FamilyFull
	l.options.Swapped, l.options.Replicas, l.options.Fine = full, full, full && !l.use.turned
	// Weights gathered in place take as much memory as whole ones on their consumers.
	l.options.InPlace = l.options.WeightsOnce
	for j := range stages {
		if j != i {
			l.total -= int64(2 * stages[j].K * stages[j].N / stages[j].Tiles)
		}
	}
	l.inter = int64(p.MemoryLimit) - model.StandardShare
	return l
}

// cost is what a candidate costs whatever is next to it.
func (l *lister) cost(g space.Gemm) int64 {
	s := l.stage
	v := s.Kernel(g)
	words, sum := s.Reduction(g)
	if v += sum; words > 0 {
		v += words + phase
	}
	words, copies := s.Gather(g, l.use.input)
	if v += copies; l.first && words > 0 {
		v += words + phase
	}
	if l.last {
		z := s.Sizes(g)
		v += int64(len(s.Gelus)) * kernels.GeluCycles(z.ResultRows*z.ResultCols)
	}
	if g.Swapped && l.use.turned {
		v += s.Transpose(g)
	}
	return v
}

// class is a candidate without what its neighbours cannot see: the memory class of the
// loaded operand, the unit that adds the partials, the storage of the first weights
// and the parts of a last result that stays as it lies.
func (l *lister) class(g space.Gemm) space.Gemm {
	g.Interleaved, g.Matrix = false, false
	if l.first {
		g.Gathered, g.InPlace, g.Slices = false, false, 0
	}
	if l.last && !l.use.turned {
		g.Rho, g.Kappa, g.Fine = 1, 1, false
	}
	return g
}

// fits tells whether memory holds a candidate beside the least of the other stages.
func (l *lister) fits(u []int64) bool {
	for e := range len(eventNames) {
		if u[gatherTotal+e]+u[residentTotal] > l.total || u[gatherInter+e]+u[residentInter] > l.inter {
			return false
		}
	}
	return true
}

// small tells whether memory can hold any candidate of a compute grid: both operands
// lie beside the product.
func (l *lister) small(g space.Gemm) bool {
	z := l.stage.Sizes(g)
	return int64(2*(z.Rows*z.Inner+z.Inner*z.Cols+z.Rows*z.Cols)) <= l.total
}

// listed are the candidates of a stage and the representatives of their classes.
type listed struct {
	node    encode.Node
	gemms   []space.Gemm // of every candidate
	classes []space.Gemm
}

// list lists the candidates of a stage that some plan may need: those that fit in
// memory and of which no other one of their class is as cheap in cycles and in every
// use. With all, every candidate.
func (l *lister) list(all bool) listed {
	var cands chunks[encode.Candidate]
	var gemms chunks[space.Gemm]
	var classes []space.Gemm
	class := map[space.Gemm]int32{}
	var uses usePool
	grid := compared{all: all} // of one compute grid
	flush := func() {
		grid.undominated(func(e *entry) {
			id, ok := class[e.class]
			if !ok {
				id = int32(len(classes))
				class[e.class] = id
				classes = append(classes, e.class)
			}
			cands.add(encode.Candidate{Cost: e.cost, Class: id, Use: uses.keep(e.use)})
			gemms.add(e.gemm)
		})
		uses.taken = 0
	}
	if !all {
		l.options.Grid = l.small
	}
	var at [3]int32
	l.stage.Each(l.options, func(g space.Gemm) {
		if l.admits != nil && !l.admits(g) {
			return
		}
		if here := [3]int32{g.R, g.Q, g.K}; here != at {
			flush()
			at = here
		}
		u := uses.next()
		l.use.uses(l.stage.Shape, g, u)
		if !all && !l.fits(u) {
			uses.taken--
			return
		}
		grid.entries = append(grid.entries, entry{g, l.class(g), l.cost(g), u})
	})
	flush()
	out := listed{gemms: gemms.join(), classes: classes}
	out.node.Candidates = cands.join()
	out.node.Describe = func(c int) string { return out.gemms[c].String() }
	return out
}

// entry is a candidate on its way into a list.
type entry struct {
	gemm, class space.Gemm
	cost        int64
	use         []int64
}

// compared are candidates of which some may be left out.
type compared struct {
	all         bool
	entries     []entry
	order, kept []int32
}

// undominated calls f for the candidates in order of cost, without those that cost and
// use no less than another of their class, and forgets all.
func (c *compared) undominated(f func(*entry)) {
	c.order, c.kept = c.order[:0], c.kept[:0]
	for i := range c.entries {
		c.order = append(c.order, int32(i))
	}
	slices.SortFunc(c.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.entries[a].cost, c.entries[b].cost), cmp.Compare(a, b))
	})
	for _, i := range c.order {
		e := &c.entries[i]
		if !c.all && slices.ContainsFunc(c.kept, func(k int32) bool { return c.entries[k].class == e.class && noMore(c.entries[k].use, e.use) }) {
			continue
		}
		c.kept = append(c.kept, i)
		f(e)
	}
	c.entries = c.entries[:0]
}

// chunks is a growing list that is copied once, in the end.
type chunks[T any] struct{ full [][]T }

const chunkSize = 1 << 14

func (c *chunks[T]) add(v T) {
	n := len(c.full)
	if n == 0 || len(c.full[n-1]) == chunkSize {
		c.full = append(c.full, make([]T, 0, chunkSize))
		n++
	}
	c.full[n-1] = append(c.full[n-1], v)
}

func (c *chunks[T]) join() []T { return slices.Concat(c.full...) }

// noMore tells whether every amount of a is at most that of b.
func noMore(a, b []int64) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// usePool holds the uses of candidates: those of the current grid, and for good.
type usePool struct {
	scratch [][]int64
	taken   int
	kept    []int64
}

// next is room for the uses of one more candidate of the grid.
func (p *usePool) next() []int64 {
	if p.taken == len(p.scratch) {
		p.scratch = append(p.scratch, make([]int64, numUses))
	}
	p.taken++
	return p.scratch[p.taken-1]
}

// keep copies uses for good.
func (p *usePool) keep(u []int64) []int64 {
	if len(p.kept) < numUses {
		p.kept = make([]int64, 1<<12*numUses)
	}
	room := p.kept[:numUses:numUses]
	p.kept = p.kept[numUses:]
	copy(room, u)
	return room
}
