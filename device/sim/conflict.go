package sim

import (
	"cmp"
	"fmt"
	"slices"

	"ipusolve/device"
)

// conflicts checks E1 and E2 on a tile whose pieces are settled, and finds out
// whether it sends bytes that it also receives.
func (x *matcher) conflicts(d *tile) {
	received := device.ElementSet(0)
	for i := range d.in.pieces {
		p := &d.in.pieces[i]
		received |= device.Elements(p.to, p.n)
	}
	x.rowElements(d, received)
	if d.row.elements&received == 0 || d.state == failed {
		return
	}
	x.windowElements(d)
	d.in.mixed = d.mixes()
}

// rowElements is E1 with R13: no data in an element of the row's words or of
// the fetch guard behind them.
func (x *matcher) rowElements(d *tile, received device.ElementSet) {
	r := &d.row
	if r.end == r.base {
		return
	}
	code := device.Elements(r.base, min(r.end+device.FetchGuard, device.SRAMEnd)-r.base)
	if code&r.elements != 0 {
		for _, s := range r.streams {
			if n := uint32(s.n) * s.item(); code&device.Elements(s.from, n) != 0 {
				d.rowFault(x.phase, int64(s.x)+1, device.ExcMemoryConflict, "E1", s.from, "send of %d bytes at %#x shares an element with the row at %#x..%#x", n, s.from, r.base, r.end)
				return
			}
		}
	}
	if code&received != 0 {
		for i := range d.in.pieces {
			if p := &d.in.pieces[i]; code&device.Elements(p.to, p.n) != 0 {
				d.receiveFault(x.phase, p.arrival, device.RecvFetchClash, "E1", p.to, "receive of %d bytes at %#x shares an element with the row at %#x..%#x", p.n, p.to, r.base, r.end)
				return
			}
		}
	}
}

// windowElements is E2 by the windows of R7: [x, x+n) of a message and
// [π, π+n+5) of a receive. Both lists are in order of time.
func (x *matcher) windowElements(d *tile) {
	sends := d.row.messages
	first := 0
	for i := range d.in.pieces {
		p := &d.in.pieces[i]
		elements := device.Elements(p.to, p.n)
		for first < len(sends) && sends[first].end <= p.arrival {
			first++
		}
		for _, s := range sends[first:] {
			if s.x >= p.end()+receiveGuard {
				break
			}
			if s.elements&elements != 0 {
				d.rowFault(x.phase, int64(max(s.x+1, p.arrival)), device.ExcMemoryConflict, "E2", p.to,
					"receive [%d, %d) of %d bytes at %#x and send [%d, %d) share a memory element", p.arrival, p.end()+receiveGuard, p.n, p.to, s.x, s.end)
				return
			}
		}
	}
}

// mixes tells whether a byte is both sent and received.
func (t *tile) mixes() bool {
	var sent, got []span
	for _, s := range t.row.streams {
		sent = append(sent, span{s.from, s.from + uint32(s.n)*s.item()})
	}
	for i := range t.in.pieces {
		p := &t.in.pieces[i]
		got = append(got, span{p.to, p.to + p.n})
	}
	byStart := func(a, b span) int { return cmp.Compare(a.start, b.start) }
	slices.SortFunc(sent, byStart)
	slices.SortFunc(got, byStart)
	// Sweep by start; the furthest end seen of the other list decides.
	var sentEnd, gotEnd uint32
	for i, j := 0, 0; i < len(sent) || j < len(got); {
		if j == len(got) || i < len(sent) && sent[i].start <= got[j].start {
			if sent[i].start < gotEnd {
				return true
			}
			sentEnd = max(sentEnd, sent[i].end)
			i++
			continue
		}
		if got[j].start < sentEnd {
			return true
		}
		gotEnd = max(gotEnd, got[j].end)
		j++
	}
	return false
}

// heard checks that every sent word was selected by at least one tile. partials
// are the parts of t's streams that receivers selected.
func (x *matcher) heard(t *tile, partials []partial) {
	slices.SortFunc(partials, func(a, b partial) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.first, b.first))
	})
	i := 0
	for k, full := range t.row.heard {
		at := int32(0) // items before it are heard
		lost, first := int32(0), int32(0)
		lose := func(until int32) {
			if until > at {
				if lost == 0 {
					first = at
				}
				lost += until - at
			}
		}
		for ; i < len(partials) && partials[i].stream == int32(k); i++ {
			lose(partials[i].first)
			at = max(at, partials[i].end)
		}
		s := &t.row.streams[k]
		lose(s.n)
		if lost > 0 && full == 0 {
			t.soft(x.lenient, softLanes, int64(lost), func() Error {
				return Error{Phase: x.phase, Event: int64(s.x + 1 + first), Address: s.from + uint32(first)*s.item(),
					Detail: fmt.Sprintf("%d of %d items of a send are selected by no tile", lost, s.n)}
			})
		}
	}
}
