package check

import (
	"fmt"

	"ipusolve/device"
	"ipusolve/exchange"
)

// items is the events a message occupies its sender.
func items(m *exchange.Message) int32 {
	if m.Paired {
		return m.Words / 2
	}
	return m.Words
}

// itemBytes is the size of one item.
func itemBytes(m *exchange.Message) uint32 {
	if m.Paired {
		return 8
	}
	return 4
}

// ctl is the control field the message's send must carry.
func ctl(m *exchange.Message) int32 {
	single, wide := 1, int32(0)
	if m.Paired {
		single, wide = 2, device.CtlPaired
	}
	if len(m.Dests) > single {
		return device.CtlBoth | wide
	}
	return direction(m.Source, m.Dests[0].Tile) | wide
}

func direction(s, d int32) int32 {
	return int32(device.Direction(device.Physical(int(s)), device.Physical(int(d))))
}

// wellFormed checks what everything else relies on: tiles in range, addresses
// in SRAM, complete pairs.
func wellFormed(p *exchange.Problem) *Violation {
	fault := func(j int, format string, args ...any) *Violation {
		return &Violation{Phase: p.Phase, Tile: -1, Event: -1, Rule: Problem, Message: j, What: fmt.Sprintf(format, args...)}
	}
	if p.Tiles < 1 || p.Tiles > device.NumTiles {
		return fault(-1, "%d tiles", p.Tiles)
	}
	named := make([]int, p.Tiles)   // 1 + the message that last named the tile
	addr := make([]uint32, p.Tiles) // and the address there
	exists := func(t int32) bool { return t >= 0 && int(t) < p.Tiles }
	for j := range p.Messages {
		m := &p.Messages[j]
		if m.Words < 1 || m.Words > exchange.MaxItems {
			return fault(j, "%d words", m.Words)
		}
		if m.Paired && (m.Words%2 != 0 || m.Words < exchange.MinPairedWords) {
			return fault(j, "%d words in a paired message", m.Words)
		}
		inSRAM := func(a uint32) bool {
			return a%itemBytes(m) == 0 && a >= device.SRAMBase && a <= device.SRAMEnd-4*uint32(m.Words)
		}
		if !exists(m.Source) || len(m.SourceAddrs) == 0 || len(m.Dests) == 0 {
			return fault(j, "source %d, %d source addresses, %d destinations", m.Source, len(m.SourceAddrs), len(m.Dests))
		}
		for _, a := range m.SourceAddrs {
			if !inSRAM(a) {
				return fault(j, "source address %#x", a)
			}
		}
		for _, d := range m.Dests {
			if !exists(d.Tile) || d.Tile == m.Source || named[d.Tile] == j+1 || !inSRAM(d.Addr) {
				return fault(j, "destination %d at %#x", d.Tile, d.Addr)
			}
			named[d.Tile], addr[d.Tile] = j+1, d.Addr
		}
		if m.Open {
			return fault(j, "no width")
		}
		if !m.Paired {
			continue
		}
		if partner := m.Source ^ 1; !exists(partner) || named[partner] == j+1 {
			return fault(j, "the partner of source %d is missing or a destination", m.Source)
		}
		for _, d := range m.Dests {
			if o := d.Tile ^ 1; !exists(o) || named[o] != j+1 || addr[o] != d.Addr {
				return fault(j, "destination %d without its pair at %#x", d.Tile, d.Addr)
			}
		}
	}
	return nil
}

// receive is what a message implies at one receiver, in its events (reference:
// exchange.md §4.1, §4.2).
type receive struct {
	message   int32
	n         int32
	source    int32 // source select, σ or S; of a late member unused
	busy      int32 // [busy, free): no other receive's window
	free      int32
	pointer   int32 // [pointer, pointer+n): words are stored
	value     int32 // selected source
	direction int32
	addr      uint32
	paired    bool
	late      bool // paired, and the other member selects the lane
}

// guard is how long an element and the row stay busy after the last word.
const guard = 5

func (r *receive) writeEnd() int32 { return r.pointer + r.n }

func receiveOf(p *exchange.Problem, j int32, d exchange.Dest, x int32) receive {
	m := &p.Messages[j]
	from, to := device.Physical(int(m.Source)), device.Physical(int(d.Tile))
	delay := int32(device.WriteDelay(to))
	r := receive{message: j, n: items(m), value: int32(from), addr: d.Addr, paired: m.Paired}
	if !m.Paired {
		r.source = x + 1 + int32(device.RouteDelay(from, to))
		r.busy, r.free = r.source, r.source+r.n
		r.pointer = r.source + delay
		return r
	}
	r.source = x + int32(device.PairDelay(from, to))
	r.value = int32(from ^ to&2)
	r.direction = int32(device.Direction(from, to))
	r.late = device.RouteDelay(from, to) > device.RouteDelay(from, to^2)
	formatOn := r.source + delay - 1
	r.pointer = formatOn + 2
	r.busy, r.free = r.source, formatOn+r.n
	if r.late {
		r.busy = formatOn
	}
	return r
}

// roles lists for each tile the messages it takes part in.
type roles struct {
	first []int32 // of tile t: list[first[t]:first[t+1]]
	list  []role
}

// role is a message and, for a receiver, the index of the destination.
type role struct {
	message int32
	dest    int32
}

const (
	sender  = -1
	partner = -2
)

func rolesOf(p *exchange.Problem) roles {
	r := roles{first: make([]int32, p.Tiles+2)}
	// Counts go two places ahead, so that filling leaves the starts in place.
	walk := func(visit func(tile int32, r role)) {
		for j := range p.Messages {
			m := &p.Messages[j]
			visit(m.Source, role{int32(j), sender})
			if lends(m, m.Source^1) {
				visit(m.Source^1, role{int32(j), partner})
			}
			for k, d := range m.Dests {
				visit(d.Tile, role{int32(j), int32(k)})
			}
		}
	}
	walk(func(t int32, _ role) { r.first[t+2]++ })
	for t := 2; t < len(r.first); t++ {
		r.first[t] += r.first[t-1]
	}
	r.list = make([]role, r.first[p.Tiles+1])
	walk(func(t int32, x role) {
		r.list[r.first[t+1]] = x
		r.first[t+1]++
	})
	return r
}

func (r *roles) of(tile int) []role { return r.list[r.first[tile]:r.first[tile+1]] }
