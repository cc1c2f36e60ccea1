package cost

import (
	"fmt"
	"slices"

	"ipusolve/kernels"
	"ipusolve/model"
)

// Charges of the c600 profile (reference: simulator.md §1–2).
const (
	PhaseSync = 600 // barrier release after the latest arrival
	RouteTail = 100 // charged per phase until it is scheduled
)

// Names of cost terms.
const (
	TermKernel    = "kernel"         // matrix unit, weight feeding and call
	TermWords     = "exchange/words" // busiest tile of the phase
	TermBarrier   = "exchange/sync"
	TermTail      = "exchange/tail"
	TermSum       = "reduction/sum"
	TermCopy      = "copy"
	TermFill      = "fill"
	TermPointwise = "pointwise"
	TermTranspose = "transpose" // panels turned
)

// PriceC600 prices every step of a plan under the c600 profile, from the
// plan's layouts alone: a step's work is that of its busiest tile, a phase costs
// the largest of words sent, words received and control slots of any tile,
// plus 100 + 600 (reference: simulator.md §2). Of a value whose slices are gathered
// in place a tile sends and receives through one SRAM element, so not at once; nor do
// parts move at once that three tiles or more gather. Moves that share a phase put its
// cost on the first of them.
func PriceC600(p *model.Plan) ([]model.Cost, error) {
	pricer := pricer{plan: p, shards: make([][]model.Shard, len(p.Values)), read: make([]bool, len(p.Values))}
	for i := range p.Steps {
		for _, v := range p.Steps[i].In {
			pricer.read[v] = true
		}
	}
	for i := range p.Values {
		v := &p.Values[i]
		s, err := v.Layout.Shards(v.Rows, v.Cols)
		if err != nil {
			return nil, fmt.Errorf("cost: value %s: %w", v.Name, err)
		}
		for _, sh := range s {
			if sh.Tile < 0 || sh.Tile >= p.Problem.Tiles {
				return nil, fmt.Errorf("cost: value %s: tile %d of %d", v.Name, sh.Tile, p.Problem.Tiles)
			}
		}
		pricer.shards[i] = s
	}
	costs := make([]model.Cost, len(p.Steps))
	phase, first, load := model.NoPhase, 0, &Load{}
	closePhase := func() {
		if phase != model.NoPhase {
			costs[first] = append(costs[first], load.Terms()...)
		}
		phase = model.NoPhase
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kind != model.StepMove || s.Phase != phase {
			closePhase()
		}
		var err error
		switch s.Kind {
		case model.StepMove:
			if phase == model.NoPhase && s.Phase != model.NoPhase {
				phase, first, load = s.Phase, i, NewLoad(p.Problem.Tiles)
			}
			costs[i], err = pricer.move(s, load)
		case model.StepGemm:
			costs[i], err = pricer.gemm(s)
		case model.StepGelu:
			costs[i] = pricer.gelu(s)
		case model.StepTranspose:
			costs[i] = pricer.transpose(s)
		default:
			err = fmt.Errorf("kind %q", s.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("cost: step %d: %w", i, err)
		}
	}
	closePhase()
	return costs, nil
}

// Load collects what every tile sends and receives in one phase.
type Load struct {
	sent, received    []int // elements of F16
	receives, shorter []int // messages; sends of fewer than 3 words
	crossed           []int // most elements of one value that come one after the other
}

// NewLoad starts an empty phase of that many tiles.
func NewLoad(tiles int) *Load {
	return &Load{make([]int, tiles), make([]int, tiles), make([]int, tiles), make([]int, tiles), make([]int, tiles)}
}

// cross counts a value of which a tile sends and receives parts one after the other:
// through one SRAM element, or because any two parts have a receiver in common.
func (l *Load) cross(tile, elements int) { l.crossed[tile] = max(l.crossed[tile], elements) }

func (l *Load) send(tile, elements, runs int) {
	l.sent[tile] += elements
	if elements < 6*runs {
		l.shorter[tile] += runs
	}
}

func (l *Load) receive(tile, elements, runs int) {
	l.received[tile] += elements
	l.receives[tile] += runs
}

// Words is the phase's length before tail and barrier: the largest of words
// sent, words received, words of a value in place and control slots
// (receives + 1 + 2·short sends) of a tile.
func (l *Load) Words() int64 {
	var most int
	for t := range l.sent {
		slots := 0
		if l.receives[t]+l.shorter[t] > 0 {
			slots = l.receives[t] + 1 + 2*l.shorter[t]
		}
		most = max(most, (l.sent[t]+1)/2, (l.received[t]+1)/2, (l.crossed[t]+1)/2, slots)
	}
	return int64(most)
}

// Terms is the cost of the phase; nothing if nothing moves.
func (l *Load) Terms() model.Cost { return PhaseTerms(l.Words()) }

// PhaseTerms is the cost of a phase of that many words on its busiest tile.
func PhaseTerms(words int64) model.Cost {
	if words == 0 {
		return nil
	}
	return model.Cost{{Name: TermWords, Cycles: words, Exchange: true},
		{Name: TermTail, Cycles: RouteTail, Exchange: true},
		{Name: TermBarrier, Cycles: PhaseSync, Exchange: true}}
}

type pricer struct {
	plan   *model.Plan
	shards [][]model.Shard // per value
	read   []bool          // by a step, per value
}

// busiest is the largest entry.
func busiest(perTile []int64) int64 {
	var most int64
	for _, c := range perTile {
		most = max(most, c)
	}
	return most
}

func (p *pricer) gelu(s *model.Step) model.Cost {
	work := make([]int64, p.plan.Problem.Tiles)
	for _, sh := range p.shards[s.In[0]] {
		work[sh.Tile] += kernels.GeluCycles(sh.Elements())
	}
	return model.Cost{{Name: TermPointwise, Cycles: busiest(work)}}
}

// transpose prices turning panels: one call per shard, which loads its panels as weights.
func (p *pricer) transpose(s *model.Step) model.Cost {
	work := make([]int64, p.plan.Problem.Tiles)
	interleaved := p.plan.Values[s.In[0]].Layout.Class == model.Interleaved
	for _, sh := range p.shards[s.In[0]] {
		work[sh.Tile] += kernels.TransposeCycles(sh.Elements()/(model.PanelWidth*model.PanelWidth), interleaved)
	}
	return model.Cost{{Name: TermTranspose, Cycles: busiest(work)}}
}

// gemm prices kernel calls and, if partials must be added, their exchange and
// the sums.
func (p *pricer) gemm(s *model.Step) (model.Cost, error) {
	tiles := p.plan.Problem.Tiles
	swapped := s.Gemm != nil && s.Gemm.Orientation == model.OrientationSwapped
	loaded := s.In[1]
	if swapped {
		loaded = s.In[0]
	}
	interleaved := p.plan.Values[loaded].Layout.Class == model.Interleaved
	onTile := make([]int, tiles) // loaded shard of the tile, plus one
	for i, b := range p.shards[s.In[1]] {
		onTile[b.Tile] = i + 1
	}
	kernel := make([]int64, tiles)
	var partials []model.Shard
	for _, a := range p.shards[s.In[0]] {
		if onTile[a.Tile] == 0 {
			continue
		}
		b := p.shards[s.In[1]][onTile[a.Tile]-1]
		if a.Cols.Start != b.Rows.Start || a.Cols.Stored() != b.Rows.Stored() || !a.Whole() || !b.Whole() {
			return nil, fmt.Errorf("operands on tile %d do not fit", a.Tile)
		}
		if swapped {
			kernel[a.Tile] += kernels.GemmCycles(b.Cols.Stored(), a.Rows.Stored(), a.Cols.Stored(), interleaved)
		} else {
			kernel[a.Tile] += kernels.GemmCycles(a.Rows.Stored(), b.Cols.Stored(), a.Cols.Stored(), interleaved)
		}
		partials = append(partials, model.Shard{Tile: a.Tile, Rows: a.Rows, Cols: b.Cols})
	}
	cost := model.Cost{{Name: TermKernel, Cycles: busiest(kernel)}}
	load, sums, copies := NewLoad(tiles), make([]int64, tiles), make([]int64, tiles)
	roots, alone := p.roots(s, partials, swapped)
	var fill int64
	if p.read[s.Out] {
		fill = p.padding(s, roots)
	}
	for _, r := range roots {
		e := r.box.Elements()
		height := r.shard.Rows.Stored()
		if swapped { // panels lie the other way
			r.box = model.Box{R0: r.box.C0, R1: r.box.C1, C0: r.box.R0, C1: r.box.R1}
			height = r.shard.Cols.Stored()
		}
		runs := panelRuns(r.box, r.height, height)
		local := slices.Contains(r.from, r.shard.Tile)
		if local && len(r.from) == 1 {
			if !r.direct {
				copies[r.shard.Tile] += kernels.CopyRunsCycles(runs, 2*e/runs)
			}
			continue
		}
		for _, t := range r.from {
			if t == r.shard.Tile {
				continue
			}
			load.send(t, e, runs)
			load.receive(r.shard.Tile, e, runs)
		}
		if len(r.from) == 1 {
			continue
		}
		sum := &sums[r.shard.Tile]
		if s.Gemm == nil || s.Gemm.Sum != model.SumMatrix {
			// Without a local contributor the first received one starts the sum.
			*sum += int64(runs) * kernels.ReduceCycles(len(r.from)-1, 2*e/runs)
			continue
		}
		// The own term starts the sum where it lies, or is copied; without one the
		// call starts from zero.
		remote := len(r.from)
		if local {
			remote--
			if !alone {
				*sum += kernels.CopyRunsCycles(runs, 2*e/runs)
			}
		}
		stretches := panelRuns(r.box, height, height)
		*sum += int64(stretches) * kernels.SumCycles(remote, e/stretches)
	}
	if c := busiest(copies); c > 0 {
		cost = append(cost, model.Term{Name: TermCopy, Cycles: c})
	}
	if fill > 0 {
		cost = append(cost, model.Term{Name: TermFill, Cycles: fill})
	}
	cost = append(cost, load.Terms()...)
	if c := busiest(sums); c > 0 {
		cost = append(cost, model.Term{Name: TermSum, Cycles: c})
	}
	return cost, nil
}

// padding prices clearing what the sums do not write of the output shards.
func (p *pricer) padding(s *model.Step, roots []root) int64 {
	fills := make([]int64, p.plan.Problem.Tiles)
	for len(roots) > 0 {
		d, n, written := roots[0].shard, 0, model.Box{}
		for n < len(roots) && roots[n].shard.Index == d.Index {
			written = hull(written, roots[n].box)
			n++
		}
		if written.Elements() < d.Elements() {
			fills[d.Tile] += clearCycles(stored{p.plan.Values[s.Out].Layout.Order, d.Rows, d.Cols}, written)
		}
		roots = roots[n:]
	}
	return busiest(fills)
}

// root is a sum of partials: the box that its contributors have in common with an
// output shard.
type root struct {
	shard  model.Shard
	box    model.Box
	height int   // rows of the contributors
	from   []int // their tiles
	direct bool  // the only contributor writes the shard itself
}

// roots lists the sums of a GEMM; alone tells that every output shard is one sum and
// one run of its own tile's partial.
func (p *pricer) roots(s *model.Step, partials []model.Shard, swapped bool) (roots []root, alone bool) {
	order := model.Order{Kind: model.LeftPanel}
	if swapped {
		order.Kind = model.TransposedLeft
	}
	height := func(s model.Shard) int {
		if swapped {
			return s.Cols.Stored()
		}
		return s.Rows.Stored()
	}
	turn := func(b model.Box) model.Box {
		if swapped {
			return model.Box{R0: b.C0, R1: b.C1, C0: b.R0, C1: b.R1}
		}
		return b
	}
	index := model.NewShardIndex(partials, order)
	alone = true
	for _, d := range p.shards[s.Out] {
		first := len(roots)
		index.Meet(d.Defined(order), func(i int, common model.Box) {
			part := partials[i]
			common.R1, common.C1 = sharedEnd(part.Rows, d.Rows), sharedEnd(part.Cols, d.Cols)
			if n := len(roots); n == first || roots[n-1].box != common {
				direct := p.plan.Values[s.Out].Layout.Class == model.Interleaved && part.Rows == d.Rows && part.Cols == d.Cols
				roots = append(roots, root{shard: d, box: common, height: height(part), direct: direct})
			}
			r := &roots[len(roots)-1]
			r.from = append(r.from, part.Tile)
		})
		if len(roots) != first+1 {
			alone = false
			continue
		}
		r := &roots[first]
		alone = alone && len(r.from) > 1 && r.box.Elements() == d.Elements() && panelRuns(turn(r.box), r.height, height(d)) == 1 && slices.Contains(r.from, d.Tile)
	}
	return roots, alone
}

// sharedEnd is where two extents of one axis stop sharing storage: padding behind the
// axis is shared too (reference: lowering.md §4.2).
func sharedEnd(a, b model.Extent) int {
	if a.Logical == b.Logical {
		return min(a.Physical, b.Physical)
	}
	return min(a.Logical, b.Logical)
}

// panelRuns counts the contiguous runs of a box in two left-panel shards of the
// given heights: one per 16-column panel, or one in all at full height.
func panelRuns(b model.Box, heightA, heightB int) int {
	if h := b.R1 - b.R0; h == heightA && h == heightB {
		return 1
	}
	return (b.C1 - b.C0 + model.PanelWidth - 1) / model.PanelWidth
}
