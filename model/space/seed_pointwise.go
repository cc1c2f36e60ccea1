package space

import (
	"slices"

	"ipusolve/model"
)

// SeedPointwise lists the formats in which GELU may run on a rows×cols value
// (reference: planspace.md §8.1): flat ones on tile counts that cut few rows,
// then the value's own. A format must leave room for operand and result.
func SeedPointwise(in *SeedFormat, rows, cols int, counts []int) []SeedFormat {
	elements := rows * cols
	grain := max(1, 8/int(in.ElementBytes()))
	var out []SeedFormat
	add := func(f SeedFormat) {
		if f.Class == model.Interleaved && 2*f.Bytes(rows, cols) > seedInterleaved || 2*f.Bytes(rows, cols) > seedTotal-model.DefaultReserve {
			return
		}
		out = append(out, f)
	}
	linear := func(order model.Order, class model.MemoryClass, tiles, grain int) {
		if elements%grain != 0 || elements/grain < tiles {
			return
		}
		f := seedFormat(order, class, 1, model.AxisTiling{Axis: model.Linear, Parts: tiles, Block: grain, Reject: true})
		f.F32 = in.F32
		add(f)
	}
	panel := 0
	switch in.Order.Kind {
	case model.LeftPanel:
		panel = 32 / int(in.ElementBytes())
	case model.OutputPanel:
		panel = model.PanelWidth
	case model.RowMajor:
		panel = 1
	}
	for _, tiles := range flatCounts(elements, cols, grain, counts) {
		linear(model.Order{Kind: model.RowMajor}, model.Standard, tiles, grain)
		if panel > 0 && panel%grain == 0 && cols%panel == 0 {
			linear(in.Order, in.Class, tiles, panel)
		}
	}
	add(*in)
	return out
}

// flatCounts are the tile counts of flat formats in ascending order: those for
// which no other one has more tiles and cuts no more rows, or as many and cuts
// fewer.
func flatCounts(elements, cols, grain int, counts []int) []int {
	if elements%grain != 0 {
		return nil
	}
	type pair struct{ tiles, cuts int }
	grains := elements / grain
	var pairs []pair
	for _, n := range counts {
		if n > grains {
			continue
		}
		p := pair{tiles: n}
		for t := 1; t < n; t++ {
			if (grains/n*t+min(t, grains%n))*grain%cols != 0 {
				p.cuts++
			}
		}
		pairs = append(pairs, p)
	}
	var kept []int
	for i, p := range pairs {
		beaten := false
		for j, o := range pairs {
			beaten = beaten || o.tiles > p.tiles && o.cuts <= p.cuts || o.tiles == p.tiles && (o.cuts < p.cuts || o.cuts == p.cuts && j < i)
		}
		if !beaten {
			kept = append(kept, p.tiles)
		}
	}
	slices.Sort(kept)
	return kept
}
