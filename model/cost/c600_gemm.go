package cost

import (
	"fmt"
	"slices"

	"ipusolve/kernels"
	"ipusolve/model"
)

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
	cost := p.term(TermKernel, kernel)
	load, sums, copies := NewLoad(tiles), make([]int64, tiles), make([]int64, tiles)
	roots, alone := p.roots(s, partials, swapped)
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
	cost = append(cost, p.term(TermCopy, copies)...)
	if p.read[s.Out] {
		cost = append(cost, p.term(TermFill, p.padding(s, roots))...)
	}
	cost = append(cost, load.Terms()...)
	return append(cost, p.term(TermSum, sums)...), nil
}

// padding prices, per tile, clearing what the sums do not write of the output shards.
func (p *pricer) padding(s *model.Step, roots []root) []int64 {
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
	return fills
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
