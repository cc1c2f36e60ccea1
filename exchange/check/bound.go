package check

import (
	"cmp"
	"slices"
	"sync/atomic"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Bound is what the busiest machine of a phase forces, directly from the
// statement of bound B (reference: exchange.md §13) for the send lanes, source
// selectors and elements of all tiles, and bound C (of which a freedom leaves the
// first term): every message's windows, head
// and tail from the events it causes when it starts at 0, and every subset of a
// machine's messages that a pair of thresholds on head and tail selects. The
// order of messages does not matter to it, so rows alone show it; a witness may
// prove more, never less. A phase without messages has bound 0.
//
// The problem must be one that Check accepts, or has open widths.
func Bound(p *exchange.Problem) int32 {
	p, lent := narrow(p)
	spans := make([]span, len(p.Messages))
	for j := range spans {
		spans[j] = spanOf(p, int32(j))
	}
	all := rolesOf(p)
	var best atomic.Int32
	eachTile(p.Tiles, func(t int) *Violation {
		b := tileBound(p, lent, spans, int32(t), all.of(t))
		for old := best.Load(); old < b && !best.CompareAndSwap(old, b); old = best.Load() {
		}
		return nil
	})
	return best.Load()
}

// span is a message that starts as early as R1 lets it: at head; its last row
// ends at least length events after its start.
type span struct{ n, head, length int32 }

func spanOf(p *exchange.Problem, j int32) span {
	m := &p.Messages[j]
	s := span{n: items(m), length: items(m)}
	for _, d := range m.Dests {
		r := receiveOf(p, j, d, 0)
		s.head = max(s.head, 1-r.source)
		s.length = max(s.length, r.writeEnd()+guard)
	}
	return s
}

// window is one use on a machine: not before head, n events long, and tail
// events later some row still runs.
type window struct{ head, n, tail int32 }

// onMachine gives the window of message j on a machine when it starts at 0; ok is
// false if it does not use the machine. lent tells that the tile's partner sends
// it, which keeps all machines of the tile idle (R10).
func onMachine(p *exchange.Problem, lending []bool, j, tile int32, side exchange.Side, element int) (from, n int32, lent, ok bool) {
	m := &p.Messages[j]
	touches := func(addr uint32) bool {
		return side != exchange.BothSides || device.Elements(addr, 4*uint32(m.Words))>>element&1 != 0
	}
	switch {
	case lends(m, tile):
		return 0, items(m), true, true
	case m.Source == tile:
		sends := side == exchange.SendSide || side == exchange.BothSides
		return 0, items(m), false, sends && slices.ContainsFunc(m.SourceAddrs, touches)
	}
	for _, d := range m.Dests {
		if d.Tile != tile {
			continue
		}
		r := receiveOf(p, j, d, 0)
		switch side {
		case exchange.ReceiveSide:
			from, to := selector(m, &r, lending[tile])
			return from, to - from, false, true
		case exchange.WriteSide, exchange.BothSides:
			return r.pointer, r.n, false, touches(d.Addr)
		}
	}
	return 0, 0, false, false
}

// narrow makes open widths paired ones for the deriver; see selector and lends for
// where the other width allows more. lent tells the tiles that must lend their lane.
func narrow(p *exchange.Problem) (q *exchange.Problem, lent []bool) {
	c := *p
	c.Messages = slices.Clone(p.Messages)
	lent = make([]bool, max(p.Tiles, 0))
	for j := range c.Messages {
		m := &c.Messages[j]
		m.Paired = m.Paired || m.Open
		if lends(m, m.Source^1) {
			lent[m.Source^1] = true
		}
	}
	return &c, lent
}

// lends tells whether the tile must lend its lane to the message.
func lends(m *exchange.Message, tile int32) bool { return m.Paired && !m.Open && m.Source^1 == tile }

// selector is the time in which no other receive uses the selector, nor anything else
// if the tile lends its lane. For other receives a late member's selector is busy from
// S + 1 on: a 32-bit receive before it would not have written all by the first paired
// word otherwise, and a paired one would meet this message's select on the early
// member. An open width keeps the events of both widths.
func selector(m *exchange.Message, r *receive, lending bool) (from, to int32) {
	from, to = r.busy, r.free
	if r.late {
		from = r.source + 1
	}
	if m.Open {
		to = min(to, from+m.Words)
	}
	if r.late && lending {
		from = r.busy
	}
	return from, to
}

// on is the window of a message that starts no earlier than it can.
func (s span) on(from, n int32) window { return window{s.head + from, n, s.length - from - n} }

// tileBound is the best bound of one tile.
func tileBound(p *exchange.Problem, lent []bool, spans []span, t int32, list []role) int32 {
	words, sends := int32(0), int32(0)
	var reads, writes device.ElementSet
	for _, x := range list {
		m := &p.Messages[x.message]
		switch x.dest {
		case partner:
		case sender:
			sends++
			for _, a := range m.SourceAddrs {
				reads |= device.Elements(a, 4*uint32(m.Words))
			}
		default:
			if !m.Paired { // nor open
				words++
			}
			writes |= device.Elements(m.Dests[x.dest].Addr, 4*uint32(m.Words))
		}
	}
	best := int32(0)
	if words > 0 {
		best = words + 58 + 2*int32(device.CoordOf(device.Physical(int(t))).Y)
		if p.Freedom == exchange.Standard { // sends begin where there are no controls
			best = max(best, words+1+sends)
		}
	}
	var windows []window
	try := func(side exchange.Side, element int) {
		windows = windows[:0]
		for _, x := range list {
			if from, n, _, ok := onMachine(p, lent, x.message, t, side, element); ok {
				windows = append(windows, spans[x.message].on(from, n))
			}
		}
		best = max(best, subsets(windows, best))
	}
	try(exchange.SendSide, 0)
	try(exchange.ReceiveSide, 0)
	try(exchange.WriteSide, 0)
	for e, both := 0, reads&writes; both>>e != 0; e++ {
		if both>>e&1 != 0 {
			try(exchange.BothSides, e)
		}
	}
	return best
}

// subsets is the best min head + Σ n + min tail over all subsets, if it exceeds
// least: for every tail as the smallest, windows in order of falling head join one
// by one.
func subsets(list []window, least int32) int32 {
	sum, head, tail := int32(0), int32(0), int32(0)
	for _, l := range list {
		sum, head, tail = sum+l.n, max(head, l.head), max(tail, l.tail)
	}
	if sum+head+tail <= least {
		return 0
	}
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(b.head, a.head) })
	tails := make([]int32, len(list))
	for i, l := range list {
		tails[i] = l.tail
	}
	slices.Sort(tails)
	best := int32(0)
	for _, tail := range slices.Compact(tails) {
		work := int32(0)
		for _, l := range list {
			if l.tail >= tail {
				work += l.n
				best = max(best, l.head+work+tail)
			}
		}
	}
	return best
}
