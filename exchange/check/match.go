package check

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"ipusolve/device"
	"ipusolve/exchange"
)

// matcher finds the start of every message in the rows.
type matcher struct {
	p     *exchange.Problem
	rows  []tileRow
	heard [][]heard // per tile
	start []int32   // result
}

// wanted is a message as its sender's row must show it.
type wanted struct {
	message int32
	sent    // start is not known yet
}

func bySent(a, b sent) int {
	return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.n, b.n), cmp.Compare(a.ctl, b.ctl))
}

// tile matches the sends in the tile's row with the messages it has to send, by
// address, length and ctl. Where several messages agree in all three, the
// receivers' rows decide.
func (m *matcher) tile(tile int, roles []role) *Violation {
	var want []wanted
	for _, r := range roles {
		if r.dest == sender {
			msg := &m.p.Messages[r.message]
			want = append(want, wanted{r.message, sent{n: items(msg), addr: int32(msg.SourceAddrs[0] / itemBytes(msg)), ctl: ctl(msg)}})
		}
	}
	found := slices.Clone(m.rows[tile].sends)
	slices.SortStableFunc(want, func(a, b wanted) int { return bySent(a.sent, b.sent) })
	slices.SortStableFunc(found, bySent)
	for i := 0; i < max(len(want), len(found)); i++ {
		if i < len(want) && i < len(found) && bySent(want[i].sent, found[i]) == 0 {
			continue
		}
		v := &Violation{Phase: m.p.Phase, Tile: tile, Event: -1, Rule: Send, Message: -1}
		if i < len(found) && (i == len(want) || bySent(want[i].sent, found[i]) > 0) {
			f := found[i]
			v.Event = f.start + 1
			v.What = fmt.Sprintf("no message sends %d items from item %#x with ctl %d", f.n, f.addr, f.ctl)
		} else {
			w := want[i]
			v.Message = int(w.message)
			v.What = fmt.Sprintf("the row does not send %d items from item %#x with ctl %d", w.n, w.addr, w.ctl)
		}
		return v
	}
	for len(want) > 0 {
		n := 1
		for n < len(want) && bySent(want[n].sent, want[0].sent) == 0 {
			n++
		}
		m.group(want[:n], found[:n])
		want, found = want[n:], found[n:]
	}
	return nil
}

// group distributes the starts found (ascending) over messages that look alike
// at the sender (in program order): a maximum matching along what receivers
// hear, and any assignment for the rest, which the rules will then reject.
// Messages that agree in everything get their starts in program order.
func (m *matcher) group(want []wanted, found []sent) {
	if len(want) == 1 {
		m.start[want[0].message] = found[0].start
		return
	}
	slices.SortStableFunc(want, func(a, b wanted) int {
		return compareReceivers(&m.p.Messages[a.message], &m.p.Messages[b.message])
	})
	copies := func(i int) bool { // of the one before
		return compareReceivers(&m.p.Messages[want[i-1].message], &m.p.Messages[want[i].message]) == 0
	}
	choices := make([][]int, len(want))
	for i, w := range want {
		if i > 0 && copies(i) {
			choices[i] = choices[i-1]
		} else {
			choices[i] = m.candidates(w.message, found)
		}
	}
	for f, w := range matching(choices, len(found)) {
		m.start[want[w].message] = found[f].start
	}
	for first := 0; first < len(want); {
		end := first + 1
		for end < len(want) && copies(end) {
			end++
		}
		starts := make([]int32, 0, end-first)
		for _, w := range want[first:end] {
			starts = append(starts, m.start[w.message])
		}
		slices.Sort(starts)
		for i, x := range starts {
			m.start[want[first+i].message] = x
		}
		first = end
	}
}

func compareReceivers(a, b *exchange.Message) int {
	return cmp.Or(
		slices.CompareFunc(a.Dests, b.Dests, func(a, b exchange.Dest) int {
			return cmp.Or(cmp.Compare(a.Tile, b.Tile), cmp.Compare(a.Addr, b.Addr))
		}),
		slices.Compare(a.SourceAddrs, b.SourceAddrs))
}

// matching assigns each of n things to one of as many owners, as many as
// possible to an owner that has it among its choices. Augmenting paths.
func matching(choices [][]int, n int) []int {
	owner := make([]int, n)
	tried := make([]int, n) // stamp of the last search that came by
	for i := range owner {
		owner[i] = -1
	}
	var place func(w, stamp int) bool
	place = func(w, stamp int) bool {
		for _, f := range choices[w] {
			if owner[f] < 0 {
				owner[f] = w
				return true
			}
		}
		for _, f := range choices[w] {
			if tried[f] == stamp {
				continue
			}
			tried[f] = stamp
			if place(owner[f], stamp) {
				owner[f] = w
				return true
			}
		}
		return false
	}
	var rest []int
	for w := range choices {
		if !place(w, w+1) {
			rest = append(rest, w)
		}
	}
	for f, w := range owner {
		if w < 0 {
			owner[f], rest = rest[0], rest[1:]
		}
	}
	return owner
}

// candidates lists, ascending, the sends that every receiver of the message
// hears and stores at the message's address.
func (m *matcher) candidates(message int32, found []sent) []int {
	msg := &m.p.Messages[message]
	var list []int
	if msg.Paired {
		for f := range found {
			if m.allHear(message, found[f].start) {
				list = append(list, f)
			}
		}
		return list
	}
	d := msg.Dests[0]
	from, to := device.Physical(int(msg.Source)), device.Physical(int(d.Tile))
	for _, h := range m.heard[d.Tile] {
		if h.source != int32(from) {
			continue
		}
		x := h.event - 1 - int32(device.RouteDelay(from, to))
		f := sort.Search(len(found), func(i int) bool { return found[i].start >= x })
		if f < len(found) && found[f].start == x && m.allHear(message, x) {
			list = append(list, f)
		}
	}
	return list
}

func (m *matcher) allHear(message, x int32) bool {
	for _, d := range m.p.Messages[message].Dests {
		r := receiveOf(m.p, message, d, x)
		if r.paired {
			row := &m.rows[d.Tile]
			if v, ok := at(row.pic, r.pointer, device.SelPointer); !ok || uint32(v) != r.addr/4 {
				return false
			}
			if v, ok := at(row.source, r.source, device.SelPairSource); !r.late && (!ok || v != r.value) {
				return false
			}
			continue
		}
		list := m.heard[d.Tile]
		i := sort.Search(len(list), func(i int) bool { return list[i].event >= r.source })
		if i == len(list) || list[i] != (heard{r.source, r.n, r.value, int64(r.addr)}) {
			return false
		}
	}
	return true
}
