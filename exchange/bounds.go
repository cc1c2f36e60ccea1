package exchange

import (
	"runtime"
	"slices"
	"sync"
)

// BoundKind names the argument of a lower bound (reference: exchange.md §13).
type BoundKind string

// The bounds of Best. Of several that reach the same horizon the first counts.
const (
	BoundItems   BoundKind = "items"   // A: items one machine has to pass
	BoundMachine BoundKind = "machine" // B: one machine with heads and tails
	BoundControl BoundKind = "control" // C: control events of one tile
	BoundElement BoundKind = "element" // D: one SRAM element is half duplex
	BoundPair    BoundKind = "pair"    // G: a machine and the paired messages the partner sends
	BoundSpread  BoundKind = "spread"  // H: the nearest and the furthest receiver of one multicast
	BoundPath    BoundKind = "path"    // F: a chain of memory dependencies
	BoundSlots   BoundKind = "slots"   // control pairs of one tile on even words
	BoundLink    BoundKind = "link"    // two machines that one message uses
	BoundClique  BoundKind = "clique"  // E: messages of which no two can swap freely
	BoundLanes   BoundKind = "lanes"   // words that pass the two send lanes of a pair of tiles
)

// Side is a machine of a tile.
type Side string

// Machines of a tile. The control, element and slot bounds concern both streams.
const (
	SendSide    Side = "send"    // the lane out: [x, x+n)
	ReceiveSide Side = "receive" // the source selector
	WriteSide   Side = "write"   // the pointer: [π, π+n)
	BothSides   Side = "both"
)

// Witness is all it takes to re-derive a bound from the problem. Messages are
// indices into Problem.Messages.
type Witness struct {
	Kind    BoundKind
	Tile    int32
	Side    Side
	Element int // device.Element number; BoundElement only
	// Messages whose work is counted, ascending; of a path in the order in which
	// they depend on each other, which is ascending too. A clique or a path has no
	// tile of its own and names the sender of its first message.
	Messages []int32
	// Other is the second machine of a link, nil in other bounds.
	Other *OtherMachine `json:",omitempty"`
}

// OtherMachine is the second machine of a link, the messages counted there, and
// the one that uses both machines.
type OtherMachine struct {
	Tile     int32
	Side     Side
	Messages []int32
	Joint    int32
}

// Bound is a proven lower bound on the phase horizon, in events.
type Bound struct {
	Horizon int32
	Witness Witness
}

// raise keeps the larger bound, the first of equals.
func (b *Bound) raise(other Bound) {
	if other.Horizon > b.Horizon {
		*b = other
	}
}

// Best is the largest of all bounds that are found. It holds for every schedule
// that keeps R1–R14; the package check derives it again from the witness. The
// problem must be valid; a problem without messages has bound 0. The result does
// not depend on the number of processors.
//
// A message of open width counts on every machine with the window that it has at
// either width, the intersection of both: half its words at the sender and at the
// pointer, and at the selector all words or half of them and L − 1 events (L − 2 at
// a late member), whichever is less. It lends no lane. So the bound holds whatever
// widths are chosen.
func Best(p *Problem) Bound {
	b := newBounder(p)
	var best Bound
	for _, t := range b.eachTile() {
		best.raise(t)
	}
	best.raise(b.path())
	best.raise(b.link(best.Horizon))
	best.raise(b.clique(best.Horizon))
	best.named(p)
	return best
}

// bounder is a problem laid out for its bounds.
type bounder struct {
	p     *Problem
	roles []tileRoles
	lent  [][]int32 // per tile: paired messages its partner sends; nil if there are none
	// head is ρ, the earliest start; end is when the last row of the message ends
	// if it starts at 0, at least.
	head, end []int32
	sides     []sideSums // 2t: send lane of tile t, 2t+1: its selector
}

func newBounder(p *Problem) *bounder {
	p = p.narrowest()
	b := &bounder{p: p, roles: p.roles(), head: make([]int32, len(p.Messages)), end: make([]int32, len(p.Messages)), sides: make([]sideSums, 2*p.Tiles)}
	rt := routes()
	parallel(len(p.Messages), func(from, to int) {
		for i := from; i < to; i++ {
			m := &p.Messages[i]
			n, g := m.Items(), m.format()
			head, end := int32(0), n
			for _, d := range m.Dests {
				lag := rt.lag(m.Source, d.Tile, m.Paired)
				head = max(head, -lag)
				end = max(end, lag+1+rt.writeDelay(d.Tile)+g+n+guard)
			}
			b.head[i], b.end[i] = head, end
		}
	})
	for i := range p.Messages {
		if m := &p.Messages[i]; m.Paired && !m.Open {
			if b.lent == nil {
				b.lent = make([][]int32, p.Tiles)
			}
			b.lent[m.Source^1] = append(b.lent[m.Source^1], int32(i))
		}
	}
	return b
}

// parallel calls do for pieces of 0..n-1, of a size that depends on n alone.
func parallel(n int, do func(from, to int)) {
	const pieces = 64
	size := (n + pieces - 1) / pieces
	next := make(chan int, pieces)
	for from := 0; from < n; from += size {
		next <- from
	}
	close(next)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(next)) {
		wait.Go(func() {
			for from := range next {
				do(from, min(from+size, n))
			}
		})
	}
	wait.Wait()
}

// eachTile gives the best bound of every piece of the tiles, in their order.
func (b *bounder) eachTile() []Bound {
	found := make([]Bound, b.p.Tiles)
	parallel(b.p.Tiles, func(from, to int) {
		var w tileBounds
		best := &found[from]
		for t := from; t < to; t++ {
			w.tile(b, int32(t), best)
		}
	})
	return found
}

// EndpointBound is the bound the reference prints (exchange.md §10.6): the most
// items any tile sends or receives; the partner of a paired message's sender
// counts them on both sides.
func EndpointBound(p *Problem) int32 {
	sent, received := make([]int32, p.Tiles), make([]int32, p.Tiles)
	for i := range p.Messages {
		m := &p.Messages[i]
		n := m.Items()
		sent[m.Source] += n
		if m.Paired {
			sent[m.Source^1] += n
			received[m.Source^1] += n
		}
		for _, d := range m.Dests {
			received[d.Tile] += n
		}
	}
	if p.Tiles == 0 {
		return 0
	}
	return max(slices.Max(sent), slices.Max(received))
}

// tileRoles are messages one tile sends and receives, as indices.
type tileRoles struct {
	tile            int32
	sends, receives []int32
}

// roles lists the roles of every tile, messages ascending.
func (p *Problem) roles() []tileRoles {
	sends, receives := make([]int32, p.Tiles), make([]int32, p.Tiles)
	total := 0
	for i := range p.Messages {
		m := &p.Messages[i]
		sends[m.Source]++
		for _, d := range m.Dests {
			receives[d.Tile]++
		}
		total += 1 + len(m.Dests)
	}
	arena := make([]int32, total)
	take := func(n int32) []int32 {
		s := arena[:0:n]
		arena = arena[n:]
		return s
	}
	out := make([]tileRoles, p.Tiles)
	for t := range out {
		out[t] = tileRoles{int32(t), take(sends[t]), take(receives[t])}
	}
	for i := range p.Messages {
		m := &p.Messages[i]
		s := &out[m.Source]
		s.sends = append(s.sends, int32(i))
		for _, d := range m.Dests {
			r := &out[d.Tile]
			r.receives = append(r.receives, int32(i))
		}
	}
	return out
}
