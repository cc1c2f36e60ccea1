package lower

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"ipusolve/device"
	"ipusolve/model"
)

// PlaceStats describes a placement.
type PlaceStats struct {
	// MaxLive is, per memory class, the most bytes of items that are alive at one
	// event of one tile; MaxLiveTotal the same over both classes: no placement
	// needs less.
	MaxLive      [2]uint32
	MaxLiveTotal uint32
	// MaxUsed is the most bytes of one tile that hold an item at some event.
	MaxUsed uint32
	// InterleavedEnd is the highest end of an interleaved item.
	InterleavedEnd uint32
	// Problems is the number of different tile problems.
	Problems int
	// SharedElementTiles lists, per phase, the tiles that receive into an SRAM
	// element they also send from: they cannot do both at once
	// (reference: simulator.md §7).
	SharedElementTiles [][]int32
}

// PlaceError says what did not fit on a tile.
type PlaceError struct {
	Tile  int
	Event int // event of the tile with the most bytes alive among those of the item
	Step  int // plan step of that event, -1 at program start or end
	Op    string
	Class model.MemoryClass // of the item that found no room
	// NeedBytes are alive at Event (of interleaved class only, if Class is
	// interleaved), HaveBytes is the room for them. NeedBytes ≤ HaveBytes means
	// that the free bytes are in too many pieces.
	NeedBytes, HaveBytes uint32
	Items                []PlaceItem // alive at Event, largest first
}

// PlaceItem names an item in an error.
type PlaceItem struct {
	Value string
	Kind  ItemKind
	Class model.MemoryClass
	Bytes uint32
}

func (e *PlaceError) Error() string {
	if len(e.Items) == 0 {
		return fmt.Sprintf("lower: tile %d: no place", e.Tile)
	}
	big := e.Items[0]
	at := "at program start or end"
	if e.Step >= 0 {
		at = fmt.Sprintf("in step %d (%s)", e.Step, e.Op)
	}
	why := ""
	if e.NeedBytes <= e.HaveBytes {
		why = " in one piece each"
	}
	return fmt.Sprintf("lower: tile %d %s: %d items of %s memory class need %d bytes%s, %d are there; largest: %s of %s, %d bytes",
		e.Tile, at, len(e.Items), e.Class, e.NeedBytes, why, e.HaveBytes, big.Kind, big.Value, big.Bytes)
}

// Place gives every item of the program an address. Tiles are independent; a
// tile problem that occurs on several tiles is solved once, so that equal tiles
// get equal addresses. Interleaved items go to the lowest feasible address from
// 0x80000, standard ones where they leave the smallest gap (reference:
// lowering.md §8.4). Where it fits, the elements that a tile sends from in a
// phase and those it receives into are disjoint. An error is a *PlaceError.
func Place(prog *Program, m MemoryMap) (PlaceStats, error) {
	problems, tileProblem := tileProblems(prog)
	results := make([]placement, len(problems))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				results[i] = problems[i].solve(m)
			}
		})
	}
	for i := range problems {
		next <- i
	}
	close(next)
	wg.Wait()
	for tile, i := range tileProblem {
		if f := results[i].failed; f >= 0 {
			return PlaceStats{}, problems[i].explain(prog, m, tile, f)
		}
	}
	byTile := itemsByTile(prog)
	for tile, i := range tileProblem {
		for k, id := range byTile.on(tile) {
			prog.Items[id].Addr = results[i].addr[k]
		}
	}
	stats := placeStats(prog, byTile)
	stats.Problems = len(problems)
	return stats, nil
}

func itemsByTile(p *Program) tileLists {
	return byTile(len(p.Tiles), len(p.Items), func(i int) int { return int(p.Items[i].Tile) })
}

// access is the byte range of an item that a tile sends from or receives into
// in one phase.
type access struct {
	phase, item int32
	receives    bool
	lo, hi      uint32
}

// accesses lists, per tile, what its items do in the phases: by phase, item
// number, sends first. Items are numbered within the tile.
func accesses(p *Program, local []int32) [][]access {
	list := make([][]access, len(p.Tiles))
	type key struct {
		item     int32
		receives bool
	}
	for id := range p.Phases {
		span := map[key][2]uint32{}
		add := func(r Ref, receives bool, bytes uint32) {
			k := key{r.Item, receives}
			s, ok := span[k]
			if !ok {
				s = [2]uint32{r.Offset, r.Offset + bytes}
			}
			span[k] = [2]uint32{min(s[0], r.Offset), max(s[1], r.Offset+bytes)}
		}
		for i := range p.Phases[id].Transfers {
			t := &p.Phases[id].Transfers[i]
			add(t.Source, false, uint32(t.Words)*4)
			for _, d := range t.Dests {
				add(d, true, uint32(t.Words)*4)
			}
		}
		for k, s := range span {
			tile := p.Items[k.item].Tile
			list[tile] = append(list[tile], access{int32(id), local[k.item], k.receives, s[0], s[1]})
		}
	}
	for t := range list {
		slices.SortFunc(list[t], func(a, b access) int {
			recv := func(x access) int {
				if x.receives {
					return 1
				}
				return 0
			}
			return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.item, b.item), recv(a)-recv(b))
		})
	}
	return list
}

// tileProblems states the placement of every tile and merges equal ones:
// tileProblem[t] is the problem of tile t.
func tileProblems(p *Program) (problems []*problem, tileProblem []int) {
	byTile := itemsByTile(p)
	local := make([]int32, len(p.Items))
	for t := range p.Tiles {
		for k, id := range byTile.on(t) {
			local[id] = int32(k)
		}
	}
	uses := accesses(p, local)
	known := map[string]int{}
	var key []byte
	for t := range p.Tiles {
		q := &problem{}
		for _, id := range byTile.on(t) {
			it := &p.Items[id]
			x := box{bytes: it.Bytes, tail: it.Tail, align: it.Align, class: it.Class, first: it.First, last: it.Last}
			for _, o := range it.Apart {
				x.apart = append(x.apart, pair{other: local[o], lo: 0, hi: it.Bytes + it.Tail, otherLo: 0, otherHi: p.Items[o].Bytes + p.Items[o].Tail})
			}
			q.boxes = append(q.boxes, x)
		}
		q.duplex(uses[t])
		key = q.appendKey(key[:0])
		i, ok := known[string(key)]
		if !ok {
			i = len(problems)
			known[string(key)] = i
			problems = append(problems, q)
		}
		tileProblem = append(tileProblem, i)
	}
	return problems, tileProblem
}

// duplex adds the soft pairs: what a tile sends from and receives into in one
// phase should be in different elements. An item that does both cannot be kept
// apart from itself.
func (q *problem) duplex(uses []access) {
	for i, s := range uses {
		if s.receives {
			continue
		}
		for j := i; j >= 0 && uses[j].phase == s.phase; j-- {
			q.soft(s, uses[j])
		}
		for j := i + 1; j < len(uses) && uses[j].phase == s.phase; j++ {
			q.soft(s, uses[j])
		}
	}
}

func (q *problem) soft(s, r access) {
	if !r.receives || r.item == s.item {
		return
	}
	q.boxes[s.item].soft = append(q.boxes[s.item].soft, pair{r.item, s.lo, s.hi, r.lo, r.hi})
	q.boxes[r.item].soft = append(q.boxes[r.item].soft, pair{s.item, r.lo, r.hi, s.lo, s.hi})
}

// appendKey encodes a problem; equal problems have equal keys.
func (q *problem) appendKey(b []byte) []byte {
	u := binary.LittleEndian.AppendUint32
	for i := range q.boxes {
		x := &q.boxes[i]
		for _, v := range []uint32{x.bytes, x.tail, x.align, uint32(x.class), uint32(x.first), uint32(x.last), uint32(len(x.apart)), uint32(len(x.soft))} {
			b = u(b, v)
		}
		for _, list := range [][]pair{x.apart, x.soft} {
			for _, a := range list {
				b = u(u(u(u(u(b, uint32(a.other)), a.lo), a.hi), a.otherLo), a.otherHi)
			}
		}
	}
	return b
}

// placeStats measures a placement.
func placeStats(p *Program, byTile tileLists) PlaceStats {
	var s PlaceStats
	for t := range p.Tiles {
		ids := byTile.on(t)
		var used []Range
		for _, id := range ids {
			it := &p.Items[id]
			used = append(used, Range{it.Addr, it.Addr + it.Bytes})
			if it.Class == model.Interleaved {
				s.InterleavedEnd = max(s.InterleavedEnd, it.Addr+it.Bytes)
			}
			// The most live bytes occur where some item begins.
			var live [2]uint32
			for _, o := range ids {
				if x := &p.Items[o]; x.First <= it.First && it.First <= x.Last {
					live[x.Class] += x.Bytes
				}
			}
			s.MaxLive[0], s.MaxLive[1] = max(s.MaxLive[0], live[0]), max(s.MaxLive[1], live[1])
			s.MaxLiveTotal = max(s.MaxLiveTotal, live[0]+live[1])
		}
		s.MaxUsed = max(s.MaxUsed, unionBytes(used))
	}
	for id := range p.Phases {
		sends := make([]device.ElementSet, len(p.Tiles))
		receives := make([]device.ElementSet, len(p.Tiles))
		for i := range p.Phases[id].Transfers {
			t := &p.Phases[id].Transfers[i]
			sends[p.Items[t.Source.Item].Tile] |= device.Elements(p.Address(t.Source), uint32(t.Words)*4)
			for _, d := range t.Dests {
				receives[p.Items[d.Item].Tile] |= device.Elements(p.Address(d), uint32(t.Words)*4)
			}
		}
		var shared []int32
		for t := range p.Tiles {
			if sends[t]&receives[t] != 0 {
				shared = append(shared, int32(t))
			}
		}
		s.SharedElementTiles = append(s.SharedElementTiles, shared)
	}
	return s
}

// unionBytes is the number of bytes that some range covers.
func unionBytes(list []Range) uint32 {
	slices.SortFunc(list, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	var n, end uint32
	for _, r := range list {
		if r.End > end {
			n += r.End - max(r.Start, end)
			end = r.End
		}
	}
	return n
}
