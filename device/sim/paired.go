package sim

import (
	"cmp"
	"fmt"
	"slices"

	"ipusolve/device"
)

// 64-bit mode: the sender's partner lends its lane, both members of a receiving
// pair store the stream, the early one selects the borrowed lane (reference:
// exchange.md §4.2, simulator.md §4).

// formatLead is how many events before its data the 64-bit format is in force
// (reference: exchange.md §4.2).
const formatLead = 2

// early checks that d may select a borrowed lane of source: its partner exists
// and the words reach d first (exchange.md §4.2).
func (x *matcher) early(d, partner *tile, source uint32, start int32) bool {
	event := int64(max(start, 1))
	switch {
	case partner == nil:
		d.rowFault(x.phase, event, device.ExcExchangeConfig, RuleRow, 0, "64-bit receive on a tile without partner")
	case x.m.tile(source) == nil:
		d.rowFault(x.phase, event, device.ExcExchangeConfig, RuleSource, 0, "64-bit source %#x is no tile of the program", source)
	case device.RouteDelay(int(source), d.physical) > device.RouteDelay(int(source), partner.physical):
		d.rowFault(x.phase, event, device.ExcExchangeConfig, RuleRow, 0, "the late member of the pair selects the borrowed lane of source %d", source)
	default:
		return true
	}
	return false
}

// settleFormat checks the words of a tile against its format windows: 64-bit
// items arrive formatLead events behind them, 32-bit words outside.
func (x *matcher) settleFormat(d *tile) {
	words := d.in.words
	slices.SortStableFunc(words, func(a, b piece) int { return cmp.Compare(a.arrival, b.arrival) })
	value, start := d.csr[device.IncomingFormat], int32(firstEvent)
	i := 0
	check := func(end int32) bool {
		items := int32(0)
		first := i
		for ; i < len(words) && words[i].arrival-formatLead < end; i++ {
			w := &words[i]
			items += w.end() - w.arrival
			wide := w.item == 8
			if wide != (value != 0) || w.end()-formatLead > end || w.arrival-formatLead < start {
				d.receiveFault(x.phase, w.arrival, device.RecvConfiguration, RuleRow, 0, "an item of %d bytes arrives while the format is %d", w.item, value)
				return false
			}
			s := x.m.tiles[w.sender]
			if dir := device.Direction(s.physical, d.physical); wide && uint32(dir) != value {
				d.soft(x.lenient, softLanes, int64(w.end()-w.arrival), func() Error {
					return Error{Phase: x.phase, Event: int64(w.arrival),
						Detail: fmt.Sprintf("format %d, but source %d comes from direction %d", value, s.physical, dir)}
				})
			}
		}
		if lo, hi := max(start, 1), min(end, d.row.horizon); value != 0 && hi-lo > items {
			d.soft(x.lenient, softLanes, int64(hi-lo-items), func() Error {
				return Error{Phase: x.phase, Event: int64(lo),
					Detail: fmt.Sprintf("the 64-bit format is on in [%d, %d) but only %d items arrive from word %d on", lo, hi, items, first)}
			})
		}
		return true
	}
	for _, c := range d.row.format {
		if c.value == value {
			continue
		}
		if !check(c.event) {
			return
		}
		if c.value != 0 && slices.ContainsFunc(d.row.pair, func(p control) bool { return p.event == c.event }) {
			d.rowFault(x.phase, int64(c.event), device.ExcExchangeConfig, "R11", 0, "the format goes on at a select of the borrowed lane")
			return
		}
		value, start = c.value, c.event
	}
	check(lastEvent)
	d.csr[device.IncomingFormat] = value
	if value != 0 {
		d.soft(x.lenient, softLanes, 1, func() Error {
			return Error{Phase: x.phase, Event: int64(start), Detail: "the 64-bit format is still on at the end of the row"}
		})
	}
}

// partnerIdle checks that a tile's partner sends nothing while the tile's
// 64-bit messages use the partner's lane (R10).
func (x *matcher) partnerIdle(t, partner *tile) {
	i := 0
	for _, st := range t.row.streams {
		if st.ctl&device.CtlPaired == 0 {
			continue
		}
		if partner == nil {
			t.rowFault(x.phase, int64(st.x)+1, device.ExcExchangeConfig, "R10", st.from, "64-bit send from a tile without partner")
			return
		}
		other := partner.row.streams
		for i < len(other) && other[i].end() <= st.x {
			i++
		}
		if i < len(other) && other[i].x < st.end() {
			t.rowFault(x.phase, int64(max(st.x, other[i].x))+1, device.ExcExchangeConfig, "R10", st.from, "64-bit send while partner %d sends on the lane it uses", partner.logical)
			return
		}
	}
}
