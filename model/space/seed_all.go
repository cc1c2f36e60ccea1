package space

import "ipusolve/model"

// SeedPriced is a candidate with its figures.
type SeedPriced struct {
	Gemm    SeedGemm
	Figures SeedGemmFigures
	Cycles  int64 // total of the cost
}

// All lists every candidate that the rules of family `seed` express, without the
// filters of Candidates (reference: planspace.md §6, §7): all grids, not those on
// a frontier, all variants, not those retained. swapped says whether the other
// orientation may be used: where nothing made the streamed operand yet. Only
// candidates of less than most cycles that fit a tile on their own are listed.
func (s SeedShape) All(counts []int, tiles int, parameter, swapped, distributed bool, most int64) []SeedPriced {
	var out []SeedPriced
	seen := map[SeedGemm]bool{}
	grids := map[[2]int]model.Grid{}
	add := func(g SeedGemm) {
		side := s
		if g.Swapped {
			side = s.Swapped()
		}
		if seen[g] {
			return
		}
		seen[g] = true
		if !side.legal(&g) {
			return
		}
		f := side.Figures(&g)
		if peak := f.Peak(true); peak.Interleaved > seedInterleaved || peak.Total() > seedTotal-model.DefaultReserve {
			return
		}
		if n := f.Cost.Total(); n < most {
			out = append(out, SeedPriced{g, f, n})
		}
	}
	both := func(g SeedGemm) {
		add(g)
		if !parameter || g.Swapped || g.BlockCols < seedInnerStep {
			return
		}
		// The grid to store weights on depends on how many blocks there are.
		key := [2]int{ceil(s.Inner, g.BlockInner), ceil(s.Cols, g.BlockCols)}
		grid, ok := grids[key]
		if !ok {
			stored, _ := s.store(g, tiles)
			grid = stored.Stored
			grids[key] = grid
		}
		before := g.RightFormat()
		g.Stored, g.Parts = grid, 0
		if g.BlockCols == seedInnerStep {
			g.ByColumns = false
		}
		if after := g.RightFormat(); before.Key() != after.Key() {
			add(g)
		}
	}
	for _, n := range counts {
		for _, p := range SeedStationaries(n) {
			both(p.gemm())
		}
		for _, v := range s.Variants(s.Grids(n), false, distributed) {
			both(s.gemm(v))
		}
		if side := s.Swapped(); swapped {
			for _, v := range side.Variants(side.Grids(n), true, distributed) {
				both(side.gemm(v))
			}
		}
	}
	return out
}
