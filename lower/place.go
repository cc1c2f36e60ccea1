package lower

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"ipusolve/device"
	"ipusolve/encode"
	"ipusolve/solve"
)

// PlaceEffort is the nodes that each level of one class of tiles may take before
// the best placement so far is kept, with the bound reached.
const PlaceEffort = 20_000

// PlaceClass is the placement of tiles that state the same problem: single tiles,
// or pairs of tiles of which some receive buffers want equal addresses. Values
// are those of one tile or pair.
type PlaceClass struct {
	Tiles  []int32 // the tiles, or the even tiles of the pairs
	Paired bool
	Items  int
	Status solve.Status
	// Words that a phase delivers to receive buffers of a pair at equal addresses,
	// and the most that can be.
	EqualWords, EqualBound int64
	// Words that the tiles send from and receive into one element in one phase, and
	// the fewest that can be (reference: simulator.md §7).
	OverlapWords, OverlapBound int64
	// Top is the end of the highest item; no placement that keeps as many words
	// ends below TopBound.
	Top, TopBound uint32
	Nodes         int64
}

// PlaceStats describes a placement.
type PlaceStats struct {
	// Status is optimal if that of every class is; then no placement has more
	// words at equal addresses, fewer overlaps or more contiguous space left.
	Status  solve.Status
	Classes []PlaceClass
	Optimal int // classes proven optimal
	// EqualWords and so on sum over the tiles of all classes.
	EqualWords, EqualBound     int64
	OverlapWords, OverlapBound int64
	// Top is the highest end on any tile; no placement of the fullest class ends
	// below TopBound.
	Top, TopBound uint32
	// Budget and BudgetBound are the data bytes of a tile up to Top and TopBound.
	Budget, BudgetBound uint32
	// MaxLive is, per memory class, the most bytes of items that are alive at one
	// event of one tile; MaxLiveTotal the same over both classes: no placement
	// needs less.
	MaxLive      [2]uint32
	MaxLiveTotal uint32
	// MaxUsed is the most bytes of one tile that hold an item at some event.
	MaxUsed uint32
	// InterleavedEnd is the highest end of an interleaved item.
	InterleavedEnd uint32
	// Problems is the number of different problems.
	Problems int
	Nodes    int64
	// SharedElementTiles lists, per phase, the tiles that receive into an SRAM
	// element they also send from: they cannot do both at once
	// (reference: simulator.md §7).
	SharedElementTiles [][]int32
	Pairing            []Pairing // per phase
	Overlaps           []int64   // per phase: the part of OverlapWords
}

// Place gives every item of the program an address. A tile problem that occurs on
// several tiles is solved once, so that equal tiles get equal addresses. In this
// order it asks for the most words that can move paired (receive buffers of a
// pair at equal addresses), the fewest words that a tile sends from and receives
// into one element, and the most contiguous space left. An error is a
// *PlaceError.
func Place(prog *Program, m MemoryMap) (PlaceStats, error) {
	return PlaceWithin(context.Background(), prog, m, PlaceEffort)
}

// PlaceWithin is Place with so many nodes for each level of a class; when ctx ends,
// it keeps the best so far, and takes the first constructive placement of what has none.
func PlaceWithin(ctx context.Context, prog *Program, m MemoryMap, effort int64) (PlaceStats, error) {
	classes := arenas(prog, m)
	results := make([]*encode.ArenaResult, len(classes))
	errs := make([]error, len(classes))
	parallel(len(classes), func(i int) {
		results[i], errs[i] = encode.SolveArena(ctx, classes[i].arena, solve.Options{Effort: effort})
		if errs[i] == nil && results[i].Status == solve.Unknown { // any placement at all is worth more
			results[i], errs[i] = encode.SolveArena(ctx, classes[i].arena, solve.Options{Effort: 20 * effort})
		}
	})
	for i, c := range classes {
		if errs[i] != nil {
			return PlaceStats{}, fmt.Errorf("lower: tile %d: %w", c.tiles[0], errs[i])
		}
		if results[i].At == nil {
			return PlaceStats{}, c.explain(ctx, prog, m, results[i], effort)
		}
	}
	for i := range prog.Items {
		prog.Items[i].Addr = device.InterleaveBase // an empty item lies anywhere
	}
	var s PlaceStats
	s.Status = solve.Optimal
	byTile := itemsByTile(prog)
	for i, c := range classes {
		r := results[i]
		for _, tile := range c.tiles {
			for k, id := range c.items(prog, byTile, tile) {
				prog.Items[id].Addr = uint32(r.At[k])
			}
		}
		pc := PlaceClass{Tiles: c.tiles, Paired: c.paired, Items: len(r.At), Status: r.Status, EqualWords: r.Equal, EqualBound: r.EqualBound,
			OverlapWords: r.Overlap, OverlapBound: r.OverlapBound, Top: uint32(r.Height), TopBound: uint32(r.HeightBound), Nodes: r.Stats.Nodes}
		s.add(&pc)
	}
	t := placeStats(prog, m, byTile)
	t.Status, t.Classes, t.Optimal, t.Problems, t.Nodes = s.Status, s.Classes, s.Optimal, len(classes), s.Nodes
	t.EqualWords, t.EqualBound, t.OverlapWords, t.OverlapBound = s.EqualWords, s.EqualBound, s.OverlapWords, s.OverlapBound
	t.TopBound = s.TopBound
	t.BudgetBound = m.DataBytes(s.TopBound)
	return t, nil
}

// add counts a class.
func (s *PlaceStats) add(c *PlaceClass) {
	n := int64(len(c.Tiles))
	s.EqualWords += n * c.EqualWords
	s.EqualBound += n * c.EqualBound
	s.OverlapWords += n * c.OverlapWords
	s.OverlapBound += n * c.OverlapBound
	s.TopBound = max(s.TopBound, c.TopBound)
	s.Nodes += c.Nodes
	if c.Status == solve.Optimal {
		s.Optimal++
	} else {
		s.Status = solve.Feasible
	}
	s.Classes = append(s.Classes, *c)
}

// DataBytes are the bytes for data that lie below an address.
func (m MemoryMap) DataBytes(top uint32) uint32 {
	var n uint32
	for _, r := range append(m.Standard[:len(m.Standard):len(m.Standard)], Range{device.InterleaveBase, m.InterleavedEnd}) {
		if top > r.Start {
			n += min(top, r.End) - r.Start
		}
	}
	return n
}

// parallel runs f(0..n-1) on all processors.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

func itemsByTile(p *Program) tileLists {
	return byTile(len(p.Tiles), len(p.Items), func(i int) int { return int(p.Items[i].Tile) })
}
