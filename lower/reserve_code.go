package lower

import (
	"cmp"
	"math"
	"slices"

	"ipusolve/kernels"
)

// Words of the pieces of a tile's supervisor program that have a fixed length
// (reference: device.md §6.4, §8, lowering.md §11). Package image emits them.
const (
	startWords    = 24 // start-up
	sampleWords   = 2  // cycle sample; one before the first step, one after the last
	endWords      = 2  // jump to the completion routine
	activeWords   = 8  // exchange step of a tile with a row
	inactiveWords = 6  // exchange step of a tile without one

	// Repeat (lowering.md §11): frame and count, then every pointer; at the end of an
	// iteration every pointer and the branch back.
	repeatWords  = 3 + 6
	pointerWords = 2 + 2 // and the additions of the stride
)

// RuntimeSpecs are the routines that every tile's image holds.
func RuntimeSpecs() []kernels.Spec {
	return []kernels.Spec{{Kind: kernels.WorkerBarrier}, {Kind: kernels.Startup}, {Kind: kernels.CycleSample}, {Kind: kernels.Completion}}
}

// linkedSpecs lists every routine that some tile calls, in a fixed order.
func linkedSpecs(prog *Program) []kernels.Spec {
	seen := map[kernels.Spec]bool{}
	var list []kernels.Spec
	add := func(s kernels.Spec) {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	for _, s := range RuntimeSpecs() {
		add(s)
	}
	var last kernels.Spec
	for _, tile := range prog.Tiles {
		for i := range tile {
			if w := &tile[i]; w.Kind == WorkCall && w.Spec != last {
				last = w.Spec
				add(last)
			}
		}
	}
	slices.SortFunc(list, compareSpecs)
	return list
}

func compareSpecs(a, b kernels.Spec) int {
	bit := func(x bool) int {
		if x {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.K, b.K), cmp.Compare(a.C, b.C), cmp.Compare(a.R, b.R),
		bit(a.Interleaved)-bit(b.Interleaved), bit(a.Accumulate)-bit(b.Accumulate))
}

func sortSymbols(list []Symbol) {
	slices.SortFunc(list, func(a, b Symbol) int { return cmp.Compare(a.Addr, b.Addr) })
}

// maxCodeBytes is the size of the longest supervisor program of a tile.
func maxCodeBytes(prog *Program) int {
	active := activeTiles(prog)
	most := 0
	for t := range prog.Tiles {
		most = max(most, 4*codeWords(prog, t, active))
	}
	return most
}

// codeWords is the length of a tile's supervisor program: one word an argument
// and the call (lowering.md §11), the exchange steps and what surrounds them.
func codeWords(prog *Program, tile int, active [][]bool) int {
	n := startWords + 2*sampleWords + endWords
	for i := range prog.Tiles[tile] {
		w := &prog.Tiles[tile][i]
		switch {
		case w.Kind == WorkCall:
			n++
			for _, a := range w.Args {
				if prog.Repeat != nil && a.Item >= 0 && prog.Items[a.Item].Stride > 0 {
					n += 1 + AddWords(a.Value)
				} else {
					n += argWords(a)
				}
			}
		case active[w.Phase][tile]:
			n += activeWords
		default:
			n += inactiveWords
		}
	}
	if r := prog.Repeat; r != nil && r.Begin[tile] < r.End[tile] {
		n += repeatWords
		for _, x := range prog.Pointers(tile) {
			n += pointerWords + AddWords(prog.Items[x].Stride)
		}
	}
	return n
}

// AddWords is the number of instructions that add v to a register: immediates are
// signed (device.md §6.2).
func AddWords(v uint32) int { return int((v + math.MaxInt16 - 1) / math.MaxInt16) }

// argWords is the number of words that set a register: three for constants of
// more than 20 bits (device.md §6.2); addresses have fewer.
func argWords(a Arg) int {
	if a.Item < 0 && a.Value >= 1<<20 {
		return 3
	}
	return 1
}

// activeTiles tells for every phase and tile whether it sends or receives.
func activeTiles(prog *Program) [][]bool {
	active := make([][]bool, len(prog.Phases))
	for id := range prog.Phases {
		active[id] = make([]bool, len(prog.Tiles))
		for i := range prog.Phases[id].Transfers {
			t := &prog.Phases[id].Transfers[i]
			active[id][prog.Items[t.Source.Item].Tile] = true
			for _, d := range t.Dests {
				active[id][prog.Items[d.Item].Tile] = true
			}
		}
	}
	return active
}
