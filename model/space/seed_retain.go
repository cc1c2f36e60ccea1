package space

import (
	"cmp"
	"slices"

	"ipusolve/model"
	"ipusolve/model/cost"
)

// SeedFigures are what a variant is judged by when few are retained.
type SeedFigures struct {
	Cycles          int64 // SeedInfinite more if the peak does not fit
	Peak            cost.SeedBytes
	LargestStandard int64 // largest single temporary in standard memory
	RowBytes        int64 // exchange rows
}

// Price gives the figures of a variant, with its streamed operand pulled slice by
// slice (reference: planspace.md §7.4).
func (s SeedShape) Price(v SeedVariant) SeedFigures {
	g := s.gemm(v)
	f := s.Figures(&g)
	out := SeedFigures{Cycles: f.Cost.Total(), Peak: f.Peak(true), LargestStandard: max(f.Slices.Standard, f.Reduced), RowBytes: f.RowBytes}
	if out.Peak.Interleaved > seedInterleaved || out.Peak.Total() > seedTotal {
		out.Cycles += SeedInfinite
	}
	return out
}

// MostRetained is the number of variants that the planner keeps for an
// orientation and a tile count.
const MostRetained = 64

// Retain keeps the best variants (reference: planspace.md §7.4): those that no
// other of their class beats in every figure, cheapest first, the first of every
// class at least. A class shares orientation, staging of operand and partials,
// memory classes and the way its result is tiled.
func (s SeedShape) Retain(variants []SeedVariant) []SeedVariant {
	type class struct{ swapped, interleaved, uniform, streamed, rowsFirst bool }
	classOf := func(v *SeedVariant) class {
		// The result of one column part of 64 lists its rows first.
		rowsFirst := !v.Swapped && v.Result.Cols == 1 && ceil(s.Cols, v.Grid.Cols) <= 64 && ceil(ceil(s.Cols, model.PanelWidth), v.Grid.Cols) == 4
		return class{v.Swapped, v.Interleaved, v.Uniform, v.Streamed, rowsFirst}
	}
	type priced struct {
		v     SeedVariant
		f     SeedFigures
		class class
	}
	list := make([]priced, len(variants))
	groups := map[class][]int{}
	for i := range variants {
		list[i] = priced{variants[i], s.Price(variants[i]), classOf(&variants[i])}
		groups[list[i].class] = append(groups[list[i].class], i)
	}
	beats := func(a, b *SeedFigures) bool {
		return a.Cycles <= b.Cycles && a.Peak.Standard <= b.Peak.Standard && a.Peak.Interleaved <= b.Peak.Interleaved &&
			a.LargestStandard <= b.LargestStandard && a.RowBytes <= b.RowBytes && *a != *b
	}
	var kept []priced
	for i := range list {
		if !slices.ContainsFunc(groups[list[i].class], func(o int) bool { return beats(&list[o].f, &list[i].f) }) {
			kept = append(kept, list[i])
		}
	}
	slices.SortStableFunc(kept, func(a, b priced) int {
		return cmp.Or(cmp.Compare(a.f.Cycles, b.f.Cycles), cmp.Compare(a.f.Peak.Total(), b.f.Peak.Total()),
			cmp.Compare(a.f.Peak.Interleaved, b.f.Peak.Interleaved), cmp.Compare(a.f.RowBytes, b.f.RowBytes))
	})
	taken := make([]bool, len(kept))
	seen := map[class]bool{}
	left := min(MostRetained, len(kept))
	for i := range kept {
		if left > 0 && !seen[kept[i].class] {
			seen[kept[i].class], taken[i] = true, true
			left--
		}
	}
	var out []SeedVariant
	for i := range kept {
		if !taken[i] && left > 0 {
			taken[i] = true
			left--
		}
		if taken[i] {
			out = append(out, kept[i].v)
		}
	}
	return out
}
