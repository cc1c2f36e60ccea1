package lower

import (
	"cmp"
	"slices"

	"ipusolve/device"
	"ipusolve/model"
)

// problem is the placement of one tile: boxes in time × addresses.
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

// explain turns a failure into an error: the fullest event in the lifetime of
// the box that found no room.
func (q *problem) explain(p *Program, m MemoryMap, tile, failed int) error {
	x := &q.boxes[failed]
	e := &PlaceError{Tile: tile, Class: x.class, Step: -1, HaveBytes: m.InterleavedEnd - device.InterleaveBase}
	if x.class == model.Standard {
		for _, r := range m.Standard {
			e.HaveBytes += r.End - r.Start
		}
	}
	counts := func(y *box, event int32) bool {
		return y.first <= event && event <= y.last && (y.class == x.class || x.class == model.Standard)
	}
	for i := range q.boxes {
		event := max(x.first, q.boxes[i].first)
		if event > x.last {
			continue
		}
		need := uint32(0)
		for j := range q.boxes {
			if counts(&q.boxes[j], event) {
				need += q.boxes[j].bytes
			}
		}
		if need > e.NeedBytes {
			e.NeedBytes, e.Event = need, int(event)
		}
	}
	ids := itemsByTile(p).on(tile)
	for j := range q.boxes {
		if it := &p.Items[ids[j]]; counts(&q.boxes[j], int32(e.Event)) {
			e.Items = append(e.Items, PlaceItem{p.Plan.Values[it.Value].Name, it.Kind, it.Class, it.Bytes})
		}
	}
	slices.SortStableFunc(e.Items, func(a, b PlaceItem) int { return -cmp.Compare(a.Bytes, b.Bytes) })
	if w := p.Tiles[tile]; e.Event > 0 && e.Event <= len(w) {
		e.Step = int(w[e.Event-1].Step)
		e.Op = p.Plan.Steps[e.Step].Op
	}
	return e
}
