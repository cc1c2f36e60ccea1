package lower

import (
	"fmt"
	"slices"

	"ipusolve/kernels"
	"ipusolve/model"
)

// contributor is one kernel call and where its result lies.
type contributor struct {
	tile   int
	a, b   int // shards of the streamed and the loaded operand
	inner  model.Extent
	result Ref
}

// partialGroup is the set of calls whose results cover one box; each inner part
// may be computed on several tiles.
type partialGroup struct {
	rows, cols model.Extent
	calls      []contributor // by tile
	inner      []model.Extent
}

func (g *partialGroup) storage() storage { return storage{leftPanels, g.rows, g.cols} }

// leftPanels is the order of what a kernel streams and writes, as it sees it.
var leftPanels = model.Order{Kind: model.LeftPanel}

// product is a GEMM step as its kernel sees it: rows of the streamed operand times
// columns of the loaded one. In the swapped orientation these are columns and rows of
// the values, and everything here is in terms of transposed values: left panels of
// the transpose are what the order TransposedLeft stores.
type product struct {
	streamed, loaded, out *value
	swapped               bool
}

// newProduct pairs the values of a step with their parts and checks that they fit.
func (b *builder) newProduct(s *model.Step) (product, error) {
	left, right, out := b.values[s.In[0]], b.values[s.In[1]], b.values[s.Out]
	if left.Cols != right.Rows || left.Rows != out.Rows || right.Cols != out.Cols {
		return product{}, fmt.Errorf("%d×%d times %d×%d does not give %d×%d", left.Rows, left.Cols, right.Rows, right.Cols, out.Rows, out.Cols)
	}
	p := product{streamed: left, loaded: right, out: out}
	panels, blocks := model.LeftPanel, model.BlockMajor
	if s.Gemm != nil && s.Gemm.Orientation == model.OrientationSwapped {
		p = product{streamed: right, loaded: left, out: out, swapped: true}
		panels, blocks = model.TransposedLeft, model.TransposedBlockMajor
	}
	if x, y, z := p.streamed.Layout.Order.Kind, p.loaded.Layout.Order.Kind, out.Layout.Order.Kind; x != panels || y != blocks || z != panels {
		return product{}, fmt.Errorf("%w: GEMM streams and writes %v and loads %v, found %v, %v and %v", ErrOrder, panels, blocks, x, z, y)
	}
	return p, nil
}

// view is a shard of an operand or the result as the kernel sees it.
func (p *product) view(s model.Shard) model.Shard {
	if p.swapped {
		s.Rows, s.Cols = s.Cols, s.Rows
	}
	return s
}

// box is a box of the kernel's result in coordinates of the value, and back.
func (p *product) box(b model.Box) model.Box {
	if p.swapped {
		return model.Box{R0: b.C0, R1: b.C1, C0: b.R0, C1: b.R1}
	}
	return b
}

// gemm lowers StepGemm: one call per tile with both operands, then for every
// output shard one sum per group that meets it (reference: lowering.md §4.2).
func (b *builder) gemm(step int, ph *openPhase) error {
	s := &b.plan.Steps[step]
	prod, err := b.newProduct(s)
	if err != nil {
		return err
	}
	out := prod.out
	groups, err := b.groups(&prod)
	if err != nil {
		return err
	}
	boxes := map[[2]model.Extent]*partialGroup{}
	shards := make([]model.Shard, len(groups))
	for i, g := range groups {
		boxes[[2]model.Extent{g.rows, g.cols}] = g
		shards[i] = model.Shard{Index: i, Rows: g.rows, Cols: g.cols, End: g.storage().elements()}
	}
	// The call writes an output shard itself if it is the box's only term.
	direct := map[*contributor]int{}
	done := make([]bool, len(out.shards))
	for j, o := range out.shards {
		seen := prod.view(o)
		g := boxes[[2]model.Extent{seen.Rows, seen.Cols}]
		if g == nil || len(g.inner) != 1 || out.Layout.Class != model.Interleaved || !o.Whole() {
			continue
		}
		for c := range g.calls {
			if g.calls[c].tile == o.Tile && !done[j] {
				direct[&g.calls[c]], done[j] = j, true
				out.filled[j] = true
			}
		}
	}
	for _, g := range groups {
		for c := range g.calls {
			j, ok := direct[&g.calls[c]]
			if !ok {
				j = -1
			}
			b.gemmCall(step, &prod, g, &g.calls[c], j)
		}
	}
	sum := &summer{builder: b, product: prod, step: step, ph: ph, matrix: s.Gemm != nil && s.Gemm.Sum == model.SumMatrix, groups: groups, index: model.NewShardIndex(shards, leftPanels), sent: map[sentSpan]int{}}
	if ph != nil {
		ph.provenance(ReasonOperands, s.Op)
		sum.from = len(ph.transfers)
	}
	if sum.matrix {
		sum.own = sum.inPlace()
	}
	for j := range out.shards {
		if done[j] {
			continue
		}
		if err := sum.shard(j); err != nil {
			return fmt.Errorf("shard %d of %s: %w", out.shards[j].Index, out.Name, err)
		}
	}
	return nil
}

// groups pairs the operands that lie on one tile and cover equal inner ranges,
// and checks that the inner parts of every box cover the inner axis once.
func (b *builder) groups(p *product) ([]*partialGroup, error) {
	var groups []*partialGroup
	known := map[[2]model.Extent]*partialGroup{}
	inner := p.loaded.Rows
	if p.swapped {
		inner = p.loaded.Cols
	}
	for t := range b.prog.Tiles {
		for _, i := range p.streamed.byTile.on(t) {
			for _, j := range p.loaded.byTile.on(t) {
				a, w := p.view(p.streamed.shards[i]), p.view(p.loaded.shards[j])
				if a.Cols != w.Rows || a.Rows.Len() == 0 || w.Cols.Len() == 0 || a.Cols.Len() == 0 {
					continue
				}
				if st := storageOf(p.loaded.PlanValue, p.loaded.shards[j]); st.rowBlock() != w.Rows.Stored() {
					return nil, fmt.Errorf("%w: GEMM loads block-major weights with one row block, found %+v", ErrOrder, p.loaded.Layout.Order)
				}
				if !a.Whole() || !w.Whole() || !p.streamed.filled[i] || !p.loaded.filled[j] {
					return nil, fmt.Errorf("tile %d: operands must be whole shards", t)
				}
				key := [2]model.Extent{a.Rows, w.Cols}
				g := known[key]
				if g == nil {
					g = &partialGroup{rows: a.Rows, cols: w.Cols}
					known[key] = g
					groups = append(groups, g)
				}
				g.calls = append(g.calls, contributor{tile: t, a: int(i), b: int(j), inner: a.Cols})
				if !slices.Contains(g.inner, a.Cols) {
					g.inner = append(g.inner, a.Cols)
				}
			}
		}
	}
	for _, g := range groups {
		slices.SortFunc(g.inner, func(x, y model.Extent) int { return x.Start - y.Start })
		at := 0
		for _, e := range g.inner {
			if e.Start != at {
				break
			}
			at = e.Logical
		}
		if at != inner {
			return nil, fmt.Errorf("%w: streamed rows %d.. loaded columns %d..: inner parts cover %d of %d", ErrCover, g.rows.Start, g.cols.Start, at, inner)
		}
	}
	return groups, nil
}

// gemmCall emits the call of a contributor, into output shard direct or, if that
// is negative, into a partial of its own.
func (b *builder) gemmCall(step int, p *product, g *partialGroup, c *contributor, direct int) {
	if direct >= 0 {
		b.allocateShard(p.out, direct)
		c.result = p.out.at[direct].Ref
	} else {
		c.result = Ref{Item: b.newItem(c.tile, ItemPartial, p.out, g.storage().elements()*elementBytes, 32, model.Interleaved)}
	}
	a := p.streamed.at[c.a].Ref
	result, streamed := &b.prog.Items[c.result.Item], &b.prog.Items[a.Item]
	result.Tail = max(result.Tail, kernels.ResultTail)
	streamed.Tail = max(streamed.Tail, kernels.LeftTail)
	b.apart(c.result.Item, a.Item)
	spec := kernels.Spec{Kind: kernels.GemmF16, R: g.rows.Stored(), C: g.cols.Stored(), K: c.inner.Stored(), Interleaved: p.loaded.Layout.Class == model.Interleaved}
	b.call(c.tile, step, spec, Addr(c.result), Addr(a), Addr(p.loaded.at[c.b].Ref))
}

// summer builds the reduction roots of one GEMM.
type summer struct {
	*builder
	product
	step   int
	ph     *openPhase
	matrix bool  // sums run on the matrix unit
	own    []Ref // of every output shard in its tile's partial; nil: shards of their own
	groups []*partialGroup
	index  *model.ShardIndex
	from   int              // first transfer of the step
	sent   map[sentSpan]int // transfers by what they send
}

type sentSpan struct {
	source Ref
	n      int
}

// shard sums output shard j from the groups that meet it.
func (s *summer) shard(j int) error {
	o := s.out.shards[j]
	if !o.Whole() {
		return fmt.Errorf("a GEMM cannot fill slices")
	}
	seen := s.view(o)
	if s.own != nil {
		s.locate(s.out, j, s.own[j])
	} else {
		s.allocateShard(s.out, j)
	}
	logical, got := 0, 0
	covered := model.Box{}
	var roots []func() error
	var err error
	s.index.Meet(seen.Defined(leftPanels), func(gi int, _ model.Box) {
		g := s.groups[gi]
		region := g.region(seen)
		logical += (min(region.R1, seen.Rows.Logical) - region.R0) * (min(region.C1, seen.Cols.Logical) - region.C0)
		got += region.Elements()
		covered = hull(covered, region)
		root, e := s.root(j, g, region)
		if e != nil && err == nil {
			err = e
		}
		if root != nil {
			roots = append(roots, root)
		}
	})
	if err != nil {
		return err
	}
	if logical != o.Rows.Len()*o.Cols.Len() || got != covered.Elements() {
		return fmt.Errorf("%w: partial sums give %d of %d elements", ErrCover, logical, o.Rows.Len()*o.Cols.Len())
	}
	if s.out.filled[j] = got == o.Elements(); !s.out.filled[j] {
		if err := s.clear(s.step, s.out, j, s.box(covered)); err != nil {
			return err
		}
	}
	if s.ph == nil {
		for _, r := range roots {
			if err := r(); err != nil {
				return err
			}
		}
		return nil
	}
	s.ph.post = append(s.ph.post, roots...)
	return nil
}

// commonEnd is where two extents of one axis stop sharing storage: padding
// behind the axis is shared too (reference: lowering.md §4.2).
func commonEnd(a, b model.Extent) int {
	if a.Logical == b.Logical {
		return min(a.Physical, b.Physical)
	}
	return min(a.Logical, b.Logical)
}

// region is what an output shard, as the kernel sees it, takes of a group's results,
// padding included.
func (g *partialGroup) region(o model.Shard) model.Box {
	return model.Box{R0: max(g.rows.Start, o.Rows.Start), R1: commonEnd(g.rows, o.Rows), C0: max(g.cols.Start, o.Cols.Start), C1: commonEnd(g.cols, o.Cols)}
}

// run is a contiguous piece of a panel at element offset src of the partials and
// dst of the output shard.
type run struct{ src, dst, n int }

// runs cuts a region in panel runs between partials and an output shard as the kernel
// sees it.
func (g *partialGroup) runs(o model.Shard, region model.Box) ([]run, error) {
	c, d := region.C0-g.cols.Start, region.C0-o.Cols.Start
	if c%micro != 0 || d%micro != 0 || (region.C1-region.C0)%micro != 0 {
		return nil, fmt.Errorf("%w: columns %d..%d are no whole panels of partials from %d and results from %d", ErrOrder, region.C0, region.C1, g.cols.Start, o.Cols.Start)
	}
	var list []run
	for p := 0; p < region.C1-region.C0; p += micro {
		r := run{src: (c + p) * g.rows.Stored(), dst: (d + p) * o.Rows.Stored(), n: (region.R1 - region.R0) * micro}
		r.src += (region.R0 - g.rows.Start) * micro
		r.dst += (region.R0 - o.Rows.Start) * micro
		if n := len(list); n > 0 && list[n-1].src+list[n-1].n == r.src && list[n-1].dst+list[n-1].n == r.dst {
			list[n-1].n += r.n
			continue
		}
		list = append(list, r)
	}
	return list, nil
}

// root brings the partials of a region to output shard j's tile; it returns the
// summing calls to emit behind the exchange.
func (s *summer) root(j int, g *partialGroup, region model.Box) (func() error, error) {
	o := s.view(s.out.shards[j])
	runs, err := g.runs(o, region)
	if err != nil {
		return nil, err
	}
	// One contributor per inner part, the tile's own where there is one.
	var terms []*contributor
	for _, e := range g.inner {
		best := -1
		for c := range g.calls {
			if g.calls[c].inner == e && (best < 0 || g.calls[c].tile == o.Tile) {
				best = c
			}
		}
		terms = append(terms, &g.calls[best])
	}
	slices.SortFunc(terms, func(x, y *contributor) int { return x.tile - y.tile })
	local := slices.IndexFunc(terms, func(c *contributor) bool { return c.tile == o.Tile })
	if len(terms) == 1 {
		return nil, s.whole(j, terms[0], runs)
	}
	if s.ph == nil {
		return nil, fmt.Errorf("partial sums need an exchange but the step has no phase")
	}
	s.prog.Roots[s.step]++
	initial := max(local, 0)
	remotes := slices.Delete(slices.Clone(terms), initial, initial+1)
	if s.matrix {
		if local < 0 {
			return s.matrixRoot(j, nil, terms, runs)
		}
		return s.matrixRoot(j, terms[local], remotes, runs)
	}
	// Per run: the initial term if it is remote, then the remotes in order.
	slots := len(remotes)
	if local < 0 {
		slots++
	}
	bytes := 0
	for _, r := range runs {
		bytes += slots * r.n * elementBytes
	}
	buffer := s.newItem(o.Tile, ItemRemote, s.out, bytes, 8, model.Standard)
	slot := func(run, k int) Ref {
		at := 0
		for _, r := range runs[:run] {
			at += slots * r.n
		}
		return Ref{buffer, uint32((at + k*runs[run].n) * elementBytes)}
	}
	received := remotes
	if local < 0 {
		received = terms
	}
	for k, c := range received {
		for i, r := range runs {
			if err := s.send(c.result, r, slot(i, k)); err != nil {
				return nil, err
			}
		}
	}
	first := terms[initial].result
	return func() error {
		for i, r := range runs {
			init, remote := slot(i, 0), slot(i, 1)
			if local >= 0 {
				init, remote = Ref{first.Item, first.Offset + uint32(r.src*elementBytes)}, slot(i, 0)
			}
			s.call(o.Tile, s.step, kernels.Spec{Kind: kernels.ReduceF16}, Addr(s.out.ref(j, r.dst)), Addr(init), Addr(remote), Const(uint32(len(remotes))), Const(uint32(r.n)))
		}
		return nil
	}, nil
}

// whole brings the only term of a region into the output shard.
func (s *summer) whole(j int, c *contributor, runs []run) error {
	o := s.out.shards[j]
	var l copyList
	for _, r := range runs {
		if c.tile != o.Tile {
			if s.ph == nil {
				return fmt.Errorf("results need an exchange but the step has no phase")
			}
			if err := s.send(c.result, r, s.out.ref(j, r.dst)); err != nil {
				return err
			}
			continue
		}
		l.add(Ref{c.result.Item, c.result.Offset + uint32(r.src*elementBytes)}, s.out.ref(j, r.dst), uint32(r.n*elementBytes))
	}
	return s.copies(o.Tile, s.step, l)
}

// send adds a transfer of a run of a partial; a span that already goes to
// another tile gets one more destination.
func (s *summer) send(partial Ref, r run, to Ref) error {
	source := Ref{partial.Item, partial.Offset + uint32(r.src*elementBytes)}
	for at := 0; at < r.n; at += maxElements {
		n := min(r.n-at, maxElements)
		src := Ref{source.Item, source.Offset + uint32(at*elementBytes)}
		dst := Ref{to.Item, to.Offset + uint32(at*elementBytes)}
		key := sentSpan{src, n}
		if k, ok := s.sent[key]; ok {
			s.ph.transfers[k].Dests = append(s.ph.transfers[k].Dests, dst)
			continue
		}
		// Never joined with the one before it, so that the span stays findable.
		if err := s.transfer(s.ph, len(s.ph.transfers), src, []Ref{dst}, n); err != nil {
			return err
		}
		s.sent[key] = len(s.ph.transfers) - 1
	}
	return nil
}

// gelu lowers StepGelu: in place where nobody needs the input any more.
func (b *builder) gelu(step int) error {
	s := &b.plan.Steps[step]
	in, out := b.values[s.In[0]], b.values[s.Out]
	if len(in.shards) != len(out.shards) || s.Phase >= 0 {
		return fmt.Errorf("GELU works in place of its layout, without a phase")
	}
	for i, x := range in.shards {
		if y := out.shards[i]; x != y || in.Layout.Order != out.Layout.Order {
			return fmt.Errorf("shard %d of %s and %s differ", x.Index, in.Name, out.Name)
		}
		if !x.Whole() || !in.filled[i] {
			return fmt.Errorf("shard %d of %s is incomplete", x.Index, in.Name)
		}
		if x.Elements() == 0 {
			b.allocateShard(out, i)
			continue
		}
		item := in.at[i].Item
		if b.itemUse[item] <= step && in.Layout.Class >= out.Layout.Class {
			b.locate(out, i, in.at[i].Ref)
		} else {
			b.allocateShard(out, i)
		}
		out.filled[i] = true
		b.call(x.Tile, step, kernels.Spec{Kind: kernels.GeluF16}, Addr(out.at[i].Ref), Addr(in.at[i].Ref), Const(uint32(x.Elements())))
	}
	return nil
}
