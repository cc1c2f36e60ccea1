package model

import "slices"

// contribution is what one kernel call adds to: a box of the result over a
// range of the inner axis.
type contribution struct{ rows, cols, inner Extent }

// gemm checks that the calls of a GEMM step, one per tile that holds a shard of
// both operands, cover rows × inner × columns exactly once, and that the recipe
// says the same (reference: planspace.md §6.2).
func (v *planValidator) gemm(s *Step, path string) error {
	recipe := s.Gemm
	if recipe == nil {
		return pathErrorf(path+".gemm", "a gemm step needs its recipe")
	}
	orders := [3]OrderKind{LeftPanel, BlockMajor, LeftPanel} // of A, B and the result
	switch recipe.Orientation {
	case OrientationNormal:
	case OrientationSwapped:
		if v.p.Problem.Family == FamilyNormal {
			return pathErrorf(path+".gemm.orientation", "family %s has no %s GEMMs", FamilyNormal, OrientationSwapped)
		}
		orders = [3]OrderKind{TransposedBlockMajor, TransposedLeft, TransposedLeft}
	default:
		return pathErrorf(path+".gemm.orientation", "want %q or %q, found %q", OrientationNormal, OrientationSwapped, recipe.Orientation)
	}
	a, b, y := &v.p.Values[s.In[0]], &v.p.Values[s.In[1]], &v.p.Values[s.Out]
	for _, operand := range []struct {
		value *PlanValue
		want  OrderKind
	}{{a, orders[0]}, {b, orders[1]}, {y, orders[2]}} {
		if l := &operand.value.Layout; l.Order.Kind != operand.want || orOne(l.Slices) > 1 {
			return pathErrorf(path, "want %q in order %v and not sliced, found %v", operand.value.Name, operand.want, l)
		}
	}
	if h := a.Layout.Order.RowBlock; recipe.Orientation == OrientationSwapped && h != 0 {
		return pathErrorf(path, "the kernel loads %q in one row block a shard, found row block %d", a.Name, h)
	}
	calls, err := v.calls(s, path)
	if err != nil {
		return err
	}
	if found := recipe.turned(v.grid(s.Out)); found != recipe.Result {
		return pathErrorf(path+".gemm.result", "%q has %d×%d parts, the recipe says %d×%d", y.Name, found.Rows, found.Cols, recipe.Result.Rows, recipe.Result.Cols)
	}
	compute := recipe.turned(Grid{v.grid(s.In[0]).Rows, v.grid(s.In[1]).Cols, v.grid(s.In[0]).Cols})
	if compute != recipe.Compute {
		return pathErrorf(path+".gemm.compute", "operands have %+v parts, the recipe says %+v", compute, recipe.Compute)
	}
	inner, cols := 0, 0
	for _, c := range calls {
		loaded := c.cols
		if recipe.Orientation == OrientationSwapped {
			loaded = c.rows
		}
		inner, cols = max(inner, c.inner.Stored()), max(cols, loaded.Stored())
	}
	if inner != recipe.BlockInner || cols != recipe.BlockCols {
		return pathErrorf(path+".gemm", "the largest call has %d inner and %d columns, the recipe says %d and %d", inner, cols, recipe.BlockInner, recipe.BlockCols)
	}
	if err := v.sum(s, path); err != nil {
		return err
	}
	return v.result(s, path, calls)
}

// calls lists the contribution of every tile (the zero value where it has none)
// and checks that together they are the whole product.
func (v *planValidator) calls(s *Step, path string) ([]contribution, error) {
	a, b := &v.p.Values[s.In[0]], &v.p.Values[s.In[1]]
	left := make([]*Shard, v.p.Problem.Tiles)
	for i := range v.shards[s.In[0]] {
		shard := &v.shards[s.In[0]][i]
		left[shard.Tile] = shard
	}
	calls := make([]contribution, v.p.Problem.Tiles)
	seen := map[contribution]int{}
	volume := 0
	for i := range v.shards[s.In[1]] {
		right := &v.shards[s.In[1]][i]
		l := left[right.Tile]
		if l == nil {
			return nil, pathErrorf(path, "tile %d holds %q but not %q", right.Tile, b.Name, a.Name)
		}
		if l.Cols != right.Rows {
			return nil, pathErrorf(path, "tile %d: columns %+v of %q are not rows %+v of %q", right.Tile, l.Cols, a.Name, right.Rows, b.Name)
		}
		c := contribution{l.Rows, right.Cols, l.Cols}
		if c.rows.Len() == 0 || c.cols.Len() == 0 || c.inner.Len() == 0 {
			return nil, pathErrorf(path, "tile %d has an empty operand", right.Tile)
		}
		if t, twice := seen[c]; twice {
			return nil, pathErrorf(path, "tiles %d and %d compute the same part", t, right.Tile)
		}
		seen[c] = right.Tile
		volume += c.rows.Len() * c.cols.Len() * c.inner.Len()
		calls[right.Tile] = c
	}
	if len(v.shards[s.In[0]]) != len(v.shards[s.In[1]]) {
		return nil, pathErrorf(path, "%d tiles hold %q but %d hold %q", len(v.shards[s.In[0]]), a.Name, len(v.shards[s.In[1]]), b.Name)
	}
	// Parts of one axis are disjoint, so distinct calls are, and equal volume
	// means that nothing is missing.
	if volume != a.Rows*a.Cols*b.Cols {
		return nil, pathErrorf(path, "calls cover %d of %d products", volume, a.Rows*a.Cols*b.Cols)
	}
	return calls, nil
}

// grid counts the non-empty parts of a value along both axes.
func (v *planValidator) grid(value int) Grid {
	rows, cols := map[Extent]bool{}, map[Extent]bool{}
	for _, s := range v.shards[value] {
		if s.Rows.Len() > 0 && s.Cols.Len() > 0 {
			rows[s.Rows], cols[s.Cols] = true, true
		}
	}
	return Grid{Rows: len(rows), Cols: len(cols)}
}

// sum checks the unit that adds the partials.
func (v *planValidator) sum(s *Step, path string) error {
	y := &v.p.Values[s.Out]
	switch {
	case s.Gemm.Sum == "":
		return nil
	case s.Gemm.Sum != SumMatrix:
		return pathErrorf(path+".gemm.sum", "want %q or none, found %q", SumMatrix, s.Gemm.Sum)
	case s.Gemm.Compute.Inner == 1:
		return pathErrorf(path+".gemm.sum", "one inner part has no partials to add")
	case !v.p.Problem.Has(MatrixSums):
		return pathErrorf(path+".gemm.sum", "the problem is without %s", MatrixSums)
	case v.p.Problem.Profile == ProfileSeed:
		return pathErrorf(path+".gemm.sum", "profile %s has no price for sums on the matrix unit", ProfileSeed)
	case y.Layout.Class != Interleaved:
		return pathErrorf(path+".gemm.sum", "the matrix unit writes interleaved memory, but %q is %v", y.Name, y.Layout.Class)
	}
	return nil
}

// result checks the result's layout and where the partials are summed.
func (v *planValidator) result(s *Step, path string, calls []contribution) error {
	y, shards := &v.p.Values[s.Out], v.shards[s.Out]
	if orOne(y.Layout.Replicas) > 1 || slices.ContainsFunc(y.Layout.Axes, func(a AxisTiling) bool { return a.Axis == Linear }) {
		return pathErrorf(path+".out", "want %q in one copy and split by rows and columns, found %v", y.Name, &y.Layout)
	}
	for _, shard := range shards {
		if shard.Elements() == 0 {
			return pathErrorf(path+".out", "shard %d of %q is empty", shard.Index, y.Name)
		}
	}
	if s.Gemm.Compute.Inner > 1 {
		if s.Phase < 0 {
			return pathErrorf(path+".phase", "partials of %d inner parts need an exchange phase", s.Gemm.Compute.Inner)
		}
		return nil
	}
	if s.Phase != NoPhase {
		return pathErrorf(path+".phase", "one inner part needs no exchange, want %d, found %d", NoPhase, s.Phase)
	}
	for _, shard := range shards {
		if c := calls[shard.Tile]; c.rows != shard.Rows || c.cols != shard.Cols {
			return pathErrorf(path+".out", "tile %d computes rows %+v and columns %+v, but shard %d of %q is %+v and %+v",
				shard.Tile, c.rows, c.cols, shard.Index, y.Name, shard.Rows, shard.Cols)
		}
	}
	return nil
}
