package check

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Reconstruct rebuilds a phase from its rows alone, indexed by logical tile: the
// messages, by what each receiver hears of which send, and their starts. It
// fails with a *Violation if a selected event carries no word, a sent word has
// no listener, a send lacks the receiver's direction, or the result breaks a
// rule that Check knows. Program order, which rows do not show, is one that
// explains all accesses to common bytes, else the order in which messages leave.
// The rows may use the freedom, which is then that of the problem.
func Reconstruct(rows [][]uint32, tiles int, freedom exchange.Freedom) (*exchange.Problem, *exchange.Schedule, error) {
	if tiles < 1 || tiles > device.NumTiles || len(rows) != tiles {
		return nil, nil, &Violation{Tile: -1, Event: -1, Rule: Row, Message: -1, What: "as many rows as tiles are needed, 1..1472"}
	}
	decoded, v := decodeAll(0, rows, freedom)
	if v != nil {
		return nil, nil, v
	}
	r := &rebuilder{rows: decoded, listeners: make([][][]exchange.Dest, tiles)}
	for t := range decoded {
		r.listeners[t] = make([][]exchange.Dest, len(decoded[t].sends))
	}
	for t := range decoded {
		if v := r.listen(t); v != nil {
			return nil, nil, v
		}
	}
	p, start, v := r.messages()
	if v != nil {
		return nil, nil, v
	}
	p.Freedom = freedom
	if v := wellFormed(p); v != nil {
		return nil, nil, v
	}
	if p.Messages, v = inOrder(p, start); v != nil {
		return nil, nil, v
	}
	result, err := Check(p, rows, nil)
	if err != nil {
		return nil, nil, err
	}
	return p, &exchange.Schedule{Start: result.Starts, Horizon: result.Horizon, TileHorizon: result.TileHorizon}, nil
}

type rebuilder struct {
	rows      []tileRow
	listeners [][][]exchange.Dest // per tile and send
}

func fault(tile int, rule Rule, event int32, what string) *Violation {
	return &Violation{Tile: tile, Event: event, Rule: rule, Message: -1, What: what}
}

// listen books everything tile t hears with its senders.
func (r *rebuilder) listen(t int) *Violation {
	row := &r.rows[t]
	if n := len(row.source); n > 0 && row.source[n-1].value != device.NeutralSource {
		return fault(t, R6, row.source[n-1].event, "the last source is not left")
	}
	to := device.Physical(t)
	for _, h := range row.hear(int32(t)) {
		send, v := r.find(t, h.event, h.source, func(from int) int32 { return h.event - 1 - int32(device.RouteDelay(from, to)) }, 0)
		if v != nil {
			return v
		}
		if n := r.rows[send.tile].sends[send.index].n; h.n != n {
			return fault(t, Select, h.event+min(h.n, n), "the selected window and the send differ in length")
		}
		if h.addr < 0 || h.addr > device.SRAMEnd {
			return fault(t, Pointer, h.event, "words arrive without a pointer")
		}
		r.hears(send, t, uint32(h.addr))
	}
	for _, c := range row.source {
		if c.sel != device.SelPairSource || c.value == device.NeutralSource {
			continue
		}
		send, v := r.find(t, c.event, c.value^int32(to&2), func(from int) int32 { return c.event - int32(device.PairDelay(from, to)) }, device.CtlPaired)
		if v != nil {
			return v
		}
		for _, d := range []int{t, t ^ 1} {
			pointer := c.event + int32(device.WriteDelay(to)) + 1
			if d >= len(r.rows) {
				return fault(t, Select, c.event, "a paired receive without the partner")
			}
			a, ok := at(r.rows[d].pic, pointer, device.SelPointer)
			if !ok {
				return fault(d, Pointer, pointer, "items of a paired message arrive without a pointer")
			}
			r.hears(send, d, 4*uint32(a))
		}
	}
	return nil
}

// sendID is a send in a row.
type sendID struct{ tile, index int }

// find looks up the send that tile t selects at the event: the one of the given
// source that begins at the right start and has the right width and direction.
func (r *rebuilder) find(t int, event, source int32, start func(from int) int32, width int32) (sendID, *Violation) {
	if source < 0 || source >= device.NumTiles || device.Logical(int(source)) >= len(r.rows) {
		return sendID{}, fault(t, Select, event, "the selected source is no tile of the program")
	}
	s := device.Logical(int(source))
	sends := r.rows[s].sends
	x := start(int(source))
	i := sort.Search(len(sends), func(i int) bool { return sends[i].start >= x })
	switch {
	case i == len(sends) || sends[i].start != x:
		return sendID{}, fault(t, Select, event, "the selected source begins no send there")
	case sends[i].ctl&device.CtlPaired != width:
		return sendID{}, fault(t, Select, event, "the send has the other width")
	case sends[i].ctl&direction(int32(s), int32(t)) == 0:
		return sendID{}, fault(t, Send, event, "the send does not go in this tile's direction")
	}
	return sendID{s, i}, nil
}

func (r *rebuilder) hears(s sendID, t int, addr uint32) {
	list := &r.listeners[s.tile][s.index]
	*list = append(*list, exchange.Dest{Tile: int32(t), Addr: addr})
}

// messages makes one message of each send, in the order of leaving on a common
// clock (reference: exchange.md §12, clock shift).
func (r *rebuilder) messages() (*exchange.Problem, []int32, *Violation) {
	type leaving struct {
		at int32
		sendID
	}
	var order []leaving
	for t := range r.rows {
		c := device.CoordOf(device.Physical(t))
		skew := int32(4*c.Fold() + 8*c.Half() + 2*c.Y)
		for i, s := range r.rows[t].sends {
			if len(r.listeners[t][i]) == 0 {
				return nil, nil, fault(t, Send, s.start+1, "no tile listens to the words sent")
			}
			order = append(order, leaving{s.start + skew, sendID{t, i}})
		}
	}
	slices.SortStableFunc(order, func(a, b leaving) int { return cmp.Compare(a.at, b.at) })
	p := &exchange.Problem{Tiles: len(r.rows), Messages: make([]exchange.Message, len(order))}
	start := make([]int32, len(order))
	for j, o := range order {
		s := r.rows[o.tile].sends[o.index]
		m := exchange.Message{Source: int32(o.tile), Words: s.n, Paired: s.ctl&device.CtlPaired != 0, Dests: r.listeners[o.tile][o.index]}
		if m.Paired {
			m.Words = int32(min(2*int64(s.n), exchange.MaxItems+1)) // longer is invalid anyway
		}
		m.SourceAddrs = []uint32{uint32(s.addr) * itemBytes(&m)}
		slices.SortFunc(m.Dests, func(a, b exchange.Dest) int { return cmp.Compare(a.Tile, b.Tile) })
		p.Messages[j], start[j] = m, s.start
	}
	return p, start, nil
}

// inOrder sorts the messages so that those which touch a common byte of a tile
// come in the order in which they do, and otherwise leaves them in place.
func inOrder(p *exchange.Problem, start []int32) ([]exchange.Message, *Violation) {
	c := checker{p: p, start: start}
	roles := rolesOf(p)
	after := make([][]int32, len(p.Messages))
	waits := make([]int, len(p.Messages))
	edge := func(a, b int32) {
		if a > 0 && a-1 != b {
			after[a-1] = append(after[a-1], b)
			waits[b]++
		}
	}
	found := false
	for t := range p.Tiles {
		list := c.accesses(roles.of(t))
		if !meet(list) {
			continue
		}
		found = true
		slices.SortStableFunc(list, func(a, b access) int { return cmp.Compare(a.begin, b.begin) })
		touch(list, edge)
	}
	if !found {
		return p.Messages, nil
	}
	var ready lowest
	for j, n := range waits {
		if n == 0 {
			ready = append(ready, int32(j))
		}
	}
	sorted := make([]exchange.Message, 0, len(p.Messages))
	for len(ready) > 0 {
		j := heap.Pop(&ready).(int32)
		sorted = append(sorted, p.Messages[j])
		for _, k := range after[j] {
			if waits[k]--; waits[k] == 0 {
				heap.Push(&ready, k)
			}
		}
	}
	if len(sorted) < len(p.Messages) {
		return nil, fault(-1, R9, -1, "no program order explains the accesses to common bytes")
	}
	return sorted, nil
}

// touch calls edge(a+1, b) for messages a and b of which b touches a byte after
// a, with a write among them; chains are not closed.
func touch(list []access, edge func(a, b int32)) {
	cuts, cells := cutCells(list)
	readers := make([][]int32, len(cells)) // since the last write
	for _, a := range list {
		first, _ := slices.BinarySearch(cuts, a.lo)
		for i := first; cuts[i] < a.hi; i++ {
			edge(cells[i].writer, a.message)
			if !a.write {
				readers[i] = append(readers[i], a.message+1)
				continue
			}
			for _, r := range readers[i] {
				edge(r, a.message)
			}
			readers[i] = readers[i][:0]
			cells[i].writer = a.message + 1
		}
	}
}

// lowest is a heap of message indices.
type lowest []int32

func (h lowest) Len() int           { return len(h) }
func (h lowest) Less(i, j int) bool { return h[i] < h[j] }
func (h lowest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *lowest) Push(x any)        { *h = append(*h, x.(int32)) }
func (h *lowest) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
