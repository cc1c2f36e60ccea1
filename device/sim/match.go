package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"ipusolve/device"
)

// receiveGuard is the number of events a receive keeps its element and its row
// behind the last word (reference: exchange.md §4.1, R7, R14).
const receiveGuard = 5

// piece is words of one message that are stored one after another: bytes
// [from, from+n) of sender go to [to, to+n), the first at event arrival.
type piece struct {
	sender  int32 // index in Machine.tiles
	from    uint32
	to      uint32
	n       uint32
	arrival int32
	item    uint8
}

// end is the event behind the last arrival.
func (p *piece) end() int32 { return p.arrival + int32(p.n/uint32(p.item)) }

// partial is a part [first, end) of a stream that a receiver selected.
type partial struct {
	sender, stream int32
	first, end     int32
}

// incoming is what a tile receives in a phase.
type incoming struct {
	words    []piece // as selected, by arrival; to is not set; only while matched
	pieces   []piece // cut by pointer writes, by arrival
	partials []partial
	received int64 // words
	paired   bool  // words of 64-bit messages are among them
	mixed    bool  // received bytes are also sent in this phase
}

func (in *incoming) reset() {
	*in = incoming{pieces: in.pieces[:0], partials: in.partials[:0]}
}

// matcher matches the rows of one phase.
type matcher struct {
	m       *Machine
	phase   int
	lenient bool
	scratch sync.Pool // of *[2][]piece: lists of words of a group
}

// receive matches a tile and, because 64-bit streams reach both, its partner,
// which may be nil.
func (x *matcher) receive(t, partner *tile) {
	group := [2]*tile{t, partner}
	lists, _ := x.scratch.Get().(*[2][]piece)
	if lists == nil {
		lists = new([2][]piece)
	}
	for i, d := range group {
		if d != nil {
			d.in.words = lists[i][:0]
			x.listen(d, d.row.source, device.IncomingMux, nil)
		}
	}
	for i, d := range group {
		if d != nil && (len(d.row.pair) > 0 || d.csr[device.IncomingMuxPair] != device.NeutralSource) {
			x.listen(d, d.row.pair, device.IncomingMuxPair, group[1-i])
		}
	}
	for _, d := range group {
		if d == nil || d.state == failed {
			continue
		}
		if d.in.paired || len(d.row.format) > 0 || d.csr[device.IncomingFormat] != 0 {
			x.settleFormat(d)
		}
		x.settlePointer(d)
		if d.state != failed {
			x.conflicts(d)
		}
	}
	for i, d := range group {
		if d != nil {
			x.partnerIdle(d, group[1-i])
			lists[i], d.in.words = d.in.words, nil
		}
	}
	x.scratch.Put(lists)
}

const (
	firstEvent = math.MinInt32 / 2
	lastEvent  = math.MaxInt32 / 2
)

// listen walks the windows of a lane: [event of a select, event of the next).
// The source selected before the row stays selected up to its first select, the
// last one to the end of the phase. mux is the register that holds the source.
// partner is the other receiver of the borrowed lane, nil for the own lane.
func (x *matcher) listen(d *tile, selects []control, mux int, partner *tile) {
	source, start := d.csr[mux], int32(firstEvent)
	if source != device.NeutralSource {
		// A source preselected before the barrier is freedom 12 of exchange.md §14.
		d.soft(x.lenient, softLanes, 1, func() Error {
			return Error{Phase: x.phase, Event: 0, Detail: fmt.Sprintf("lane does not start on neutral: source %#x is selected before the row", source)}
		})
	}
	for _, c := range selects {
		if source != device.NeutralSource && c.event > start {
			x.window(d, source, start, c.event, partner, mux)
		}
		source, start = c.value, c.event
	}
	d.csr[mux] = source
	if source == device.NeutralSource {
		return
	}
	x.window(d, source, start, lastEvent, partner, mux)
	d.soft(x.lenient, softLanes, 1, func() Error {
		return Error{Phase: x.phase, Event: int64(max(start, 1)),
			Detail: fmt.Sprintf("lane does not end on neutral: source %d is still selected at horizon %d", source, d.row.horizon)}
	})
}

// window takes the words of source that pass d's selector in [start, end).
func (x *matcher) window(d *tile, source uint32, start, end int32, partner *tile, mux int) {
	// Events that need a word: those of the row's clock, unless the window has
	// no end, which listen reports.
	next, want := max(start, 1), end
	if end == lastEvent {
		want = next
	}
	missing, first := int64(0), int32(0)
	miss := func(until int32) {
		if until > next {
			if missing == 0 {
				first = next
			}
			missing += int64(until - next)
		}
	}
	paired := mux == device.IncomingMuxPair
	if paired {
		// The borrowed lane is named after the receiver's side of the pair.
		source ^= uint32(d.physical) & 2
		if !x.early(d, partner, source, start) {
			return
		}
	}
	if s := x.m.tile(source); s != nil {
		delay := int32(device.RouteDelay(s.physical, d.physical))
		direction := uint8(device.Direction(s.physical, d.physical))
		late := int32(device.WriteDelay(d.physical))
		if paired {
			late++
		}
		streams := s.row.streams
		i, _ := slices.BinarySearchFunc(streams, start-delay, func(st stream, e int32) int { return cmp.Compare(st.end(), e) })
		for ; i < len(streams); i++ {
			st := &streams[i]
			at := st.x + 1 + delay
			a, b := max(at, start), min(at+st.n, end)
			if at >= end {
				break
			}
			if a >= b || st.ctl&direction == 0 {
				continue
			}
			if (st.ctl&device.CtlPaired != 0) != paired {
				d.receiveFault(x.phase, a, device.RecvConfiguration, RuleRow, 0, "source %d sends items of %d bytes to a lane of the other width", source, st.item())
				return
			}
			miss(min(a, want))
			next = max(next, b)
			if a == at && b == at+st.n {
				atomic.StoreUint32(&s.row.heard[i], 1)
			} else {
				d.in.partials = append(d.in.partials, partial{x.m.index[s.physical], int32(i), a - at, b - at})
			}
			w := piece{sender: x.m.index[s.physical], from: st.from + uint32(a-at)*st.item(), n: uint32(b-a) * st.item(), arrival: a + late, item: uint8(st.item())}
			d.in.words = append(d.in.words, w)
			if paired {
				d.in.paired, partner.in.paired = true, true
				partner.in.words = append(partner.in.words, w)
			}
		}
	}
	miss(want)
	if missing > 0 {
		d.soft(x.lenient, softLanes, missing, func() Error {
			return Error{Phase: x.phase, Event: int64(first),
				Detail: fmt.Sprintf("source %d is selected in [%d, %d) but %d events carry no word", source, max(start, 1), end, missing)}
		})
	}
}

// settlePointer gives every word its address: the pointer is what was written
// last, advanced by what has arrived since (simulator.md §4).
func (x *matcher) settlePointer(d *tile) {
	pointers := d.row.pointer
	at, to := 0, uint32(0)
	busy := int32(firstEvent)
	for _, w := range d.in.words {
		if w.arrival < busy {
			d.receiveFault(x.phase, w.arrival, device.RecvConfiguration, "R3", 0, "two words arrive at one event")
			return
		}
		busy = w.end()
		for w.n > 0 {
			for at < len(pointers) && pointers[at].event <= w.arrival {
				to = pointers[at].value
				at++
			}
			if at == 0 {
				d.receiveFault(x.phase, w.arrival, device.RecvConfiguration, RulePointer, 0, "a word of source %d arrives before the first pointer write", x.m.tiles[w.sender].physical)
				return
			}
			p := w
			if at < len(pointers) && pointers[at].event < w.end() {
				p.n = uint32(pointers[at].event-w.arrival) * uint32(w.item)
			}
			p.to = to
			switch {
			case !inSRAM(to, uint64(p.n)) || to%uint32(p.item) != 0:
				d.receiveFault(x.phase, p.arrival, device.RecvAddress, RulePointer, to, "%d bytes are stored at %#x: misaligned or outside SRAM", p.n, to)
				return
			case d.protects(to, p.n):
				d.receiveFault(x.phase, p.arrival, device.RecvFetchClash, RuleMemory, to, "%d bytes are stored into code at %#x", p.n, to)
				return
			}
			d.in.pieces = append(d.in.pieces, p)
			d.in.received += int64(p.n / 4)
			to += p.n
			w.from += p.n
			w.arrival = p.end()
			w.n -= p.n
		}
	}
	if k := len(d.in.pieces); k > 0 {
		if last := d.in.pieces[k-1].end() + receiveGuard; last > d.row.horizon {
			d.receiveFault(x.phase, last-receiveGuard-1, device.RecvWorkers, "R14", 0, "the last word arrives at event %d; the row must last to %d but ends at %d", last-receiveGuard-1, last, d.row.horizon)
		}
	}
}
