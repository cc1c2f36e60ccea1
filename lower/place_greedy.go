package lower

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"ipusolve/device"
	"ipusolve/model"
)

// problem is the placement of one tile as the greedy placer sees it: boxes in
// time × addresses.
type problem struct{ boxes []box }

// box is an item without its identity.
type box struct {
	bytes, tail, align uint32
	class              model.MemoryClass
	first, last        int32
	apart, soft        []pair
}

func (x *box) meets(y *box) bool { return x.first <= y.last && y.first <= x.last }

// pair asks that bytes [lo, hi) of a box and [otherLo, otherHi) of another touch
// no common memory element while both live.
type pair struct {
	other            int32
	lo, hi           uint32
	otherLo, otherHi uint32
}

// placement is the answer: an address per box, or the box that found no room.
type placement struct {
	addr   []uint32
	failed int // -1: placed
}

// order is one way to fill a tile.
type order struct {
	classFirst bool // all interleaved boxes before all standard ones
	less       func(a, b *box) int
}

func byTime(a, b *box) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last)) }
func bySize(a, b *box) int { return -cmp.Compare(a.bytes, b.bytes) }
func byArea(a, b *box) int {
	return -cmp.Compare(int64(a.bytes)*int64(a.last-a.first+1), int64(b.bytes)*int64(b.last-b.first+1))
}
func byDuration(a, b *box) int { return -cmp.Compare(a.last-a.first, b.last-b.first) }

// orders are tried one after the other; the first is the reference's
// (reference: lowering.md §8.4).
var orders = []order{
	{true, byTime}, {true, bySize}, {true, byArea}, {true, byDuration},
	{false, bySize}, {false, byArea}, {false, byDuration},
}

// solve tries every order with the soft pairs, then without them.
func (q *problem) solve(m MemoryMap) placement {
	soft := slices.ContainsFunc(q.boxes, func(x box) bool { return len(x.soft) > 0 })
	failed := -1
	for _, keepSoft := range []bool{true, false} {
		if keepSoft && !soft {
			continue
		}
		for _, o := range orders {
			p := q.fill(m, o, keepSoft)
			if p.failed < 0 {
				return p
			}
			if failed < 0 || !keepSoft {
				failed = p.failed
			}
		}
	}
	return placement{failed: failed}
}

// fill places the boxes one by one.
func (q *problem) fill(m MemoryMap, o order, soft bool) placement {
	list := make([]int, len(q.boxes))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := &q.boxes[a], &q.boxes[b]
		if o.classFirst && x.class != y.class {
			return int(y.class) - int(x.class)
		}
		return o.less(x, y)
	})
	f := &filler{problem: q, soft: soft, addr: make([]uint32, len(q.boxes)), placed: make([]bool, len(q.boxes))}
	high := Range{device.InterleaveBase, m.InterleavedEnd}
	for _, i := range list {
		at, ok := high.Start, true
		switch {
		case q.boxes[i].bytes == 0: // an empty shard lies anywhere
		case q.boxes[i].class == model.Interleaved:
			at, ok = f.lowest(i, high)
		default:
			at, ok = f.tightest(i, append(slices.Clone(m.Standard), high))
		}
		if !ok {
			return placement{failed: i}
		}
		f.addr[i], f.placed[i] = at, true
	}
	return placement{f.addr, -1}
}

type filler struct {
	*problem
	soft   bool
	addr   []uint32
	placed []bool
}

func alignUp(x, a uint32) uint32 { return (x + a - 1) &^ (a - 1) }

// elementEnd is the first address behind the element that holds addr.
func elementEnd(addr uint32) uint32 {
	if addr < device.InterleaveBase {
		return alignUp(addr+1, device.StandardElement)
	}
	return device.InterleaveBase + alignUp(addr+1-device.InterleaveBase, device.InterleaveElement)
}

// next is the lowest aligned address from at on where box i meets no placed box;
// the caller checks that it still fits.
func (f *filler) next(i int, at uint32) uint32 {
	x := &f.boxes[i]
	for {
		start := alignUp(at, x.align)
		at = start
		for j := range f.boxes {
			y := &f.boxes[j]
			if f.placed[j] && x.meets(y) && at < f.addr[j]+y.bytes && f.addr[j] < at+x.bytes {
				at = alignUp(f.addr[j]+y.bytes, x.align)
			}
		}
		at = f.separate(x, x.apart, at)
		if f.soft {
			at = f.separate(x, x.soft, at)
		}
		if at == start {
			return at
		}
	}
}

// separate moves a box up until its pairs share no element with placed boxes.
func (f *filler) separate(x *box, pairs []pair, at uint32) uint32 {
	for _, p := range pairs {
		o := f.addr[p.other]
		if !f.placed[p.other] || !x.meets(&f.boxes[p.other]) {
			continue
		}
		if device.Elements(at+p.lo, p.hi-p.lo)&device.Elements(o+p.otherLo, p.otherHi-p.otherLo) != 0 {
			end := elementEnd(o + p.otherHi - 1)
			at = alignUp(max(at+1, end-min(end, p.lo)), x.align)
		}
	}
	return at
}

func (x *box) fits(at uint32, r Range) bool {
	return at >= r.Start && at+x.bytes <= r.End && at+x.bytes+x.tail <= device.SRAMEnd
}

// lowest is the lowest feasible address of box i in a range.
func (f *filler) lowest(i int, r Range) (uint32, bool) {
	at := f.next(i, r.Start)
	return at, f.boxes[i].fits(at, r)
}

// tightest is the feasible address that leaves the smallest rest of the gap it
// lies in; the lowest of these.
func (f *filler) tightest(i int, ranges []Range) (best uint32, ok bool) {
	x := &f.boxes[i]
	rest := ^uint32(0)
	for _, r := range ranges {
		for at := f.next(i, r.Start); x.fits(at, r); {
			lo, hi := f.gap(i, at, r)
			if left := hi - lo - x.bytes; left < rest {
				best, rest, ok = at, left, true
			}
			if hi >= r.End {
				break
			}
			at = f.next(i, hi)
		}
	}
	return best, ok
}

// gap is the free interval of r around address at in the lifetime of box i.
func (f *filler) gap(i int, at uint32, r Range) (lo, hi uint32) {
	x := &f.boxes[i]
	lo, hi = r.Start, r.End
	for j := range f.boxes {
		y := &f.boxes[j]
		if !f.placed[j] || !x.meets(y) || y.bytes == 0 {
			continue
		}
		if end := f.addr[j] + y.bytes; end <= at {
			lo = max(lo, end)
		} else {
			hi = min(hi, f.addr[j])
		}
	}
	return lo, hi
}

// PlaceGreedy gives every item an address the way the reference does, tile by
// tile and without going back: interleaved items lowest first, standard ones
// where they leave the smallest gap, in several orders (reference: lowering.md
// §8.4). It is what Place is compared with. The error says which tile did not fit.
func PlaceGreedy(prog *Program, m MemoryMap) (PlaceStats, error) {
	problems, tileProblem := tileProblems(prog)
	results := make([]placement, len(problems))
	parallel(len(problems), func(i int) { results[i] = problems[i].solve(m) })
	byTile := itemsByTile(prog)
	for tile, i := range tileProblem {
		if f := results[i].failed; f >= 0 {
			return PlaceStats{}, fmt.Errorf("lower: tile %d: the greedy placer finds no room for %d bytes", tile, problems[i].boxes[f].bytes)
		}
		for k, id := range byTile.on(tile) {
			prog.Items[id].Addr = results[i].addr[k]
		}
	}
	for i := range prog.Items {
		if in := prog.Items[i].Inside; in != nil {
			prog.Items[i].Addr = prog.Items[in.Item].Addr + in.Offset
		}
	}
	stats := placeStats(prog, m, byTile)
	stats.Problems = len(problems)
	return stats, nil
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
	for t := range uses { // parts of others take no part
		ids := byTile.on(t)
		uses[t] = slices.DeleteFunc(uses[t], func(u access) bool { return p.Items[ids[u.item]].Inside != nil })
	}
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
			if it.Inside != nil {
				x.bytes = 0
			}
			q.boxes = append(q.boxes, x)
		}
		for _, id := range byTile.on(t) { // a host stays as long as its part
			if it := &p.Items[id]; it.Inside != nil {
				host := &q.boxes[local[it.Inside.Item]]
				host.first, host.last = min(host.first, it.First), max(host.last, it.Last)
			}
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
