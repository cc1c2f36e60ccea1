package space

// SeedStationary is an output-stationary plan of a GEMM in family `seed`: every
// tile owns a block of the result and walks the inner axis (reference:
// planspace.md §6.3).
type SeedStationary struct {
	Rows, Cols  int  // r, q; r·q tiles
	Parts       int  // p: inner parts that the weights are stored in
	BlockCols   int  // C
	F32         bool // precision of operands and result
	Interleaved bool // memory class of the weights
	Uniform     bool // the weights are first copied like remote ones
	// ByColumns: Cols is 1, and the weights are stored in one column part a tile.
	ByColumns bool
}

// SeedStationaries lists the output-stationary plans for a tile count, in the
// order they are tried in (reference: planspace.md §7.2).
func SeedStationaries(tiles int) []SeedStationary {
	var out []SeedStationary
	add := func(s SeedStationary) {
		out = append(out, s)
		if !s.F32 && !s.Interleaved && !s.ByColumns {
			s.Uniform = true
			out = append(out, s)
		}
	}
	for q := tiles; q >= 1; q-- {
		if tiles%q != 0 {
			continue
		}
		r := tiles / q
		at := func(parts int, f32, interleaved bool, blocks ...int) {
			for _, c := range blocks {
				add(SeedStationary{Rows: r, Cols: q, Parts: parts, BlockCols: c, F32: f32, Interleaved: interleaved})
			}
		}
		at(1, false, false, 64, 128)
		at(1, false, true, 64, 128, 32)
		at(1, true, false, 64)
		if r > 1 {
			at(r, false, false, 64, 128)
			at(r, false, true, 64, 128)
			at(r, true, false, 64)
		}
		if r > 2 && r%2 == 0 {
			at(2, false, true, 64, 128)
		}
	}
	for _, c := range []int{64, 128} {
		add(SeedStationary{Rows: tiles, Cols: 1, Parts: 1, BlockCols: c, ByColumns: true})
	}
	add(SeedStationary{Rows: tiles, Cols: 1, Parts: 1, BlockCols: 64, F32: true, ByColumns: true})
	return out
}
