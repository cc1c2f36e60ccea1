package exchange

import (
	"sync"

	"ipusolve/device"
)

// guard is the number of events a receiver's row and its memory element stay
// busy after the last word was stored (reference: exchange.md §4.1, R7).
const guard = 5

// routeTables hold the route delays of all tile pairs in row 0; a row of the
// sender adds 2 events, a row of the receiver takes 2 away (exchange.md §3.1).
// Index: low six bits of the physical ids.
type routeTables struct {
	word, pair [64][64]int16
	dir        [64][64]uint8
	physical   [device.NumTiles]int16
}

var routes = sync.OnceValue(func() *routeTables {
	t := new(routeTables)
	for s := range 64 {
		for d := range 64 {
			t.word[s][d] = int16(device.RouteDelay(s, d))
			t.pair[s][d] = int16(device.PairDelay(s, d))
			t.dir[s][d] = uint8(device.Direction(s, d))
		}
	}
	for l := range t.physical {
		t.physical[l] = int16(device.Physical(l))
	}
	return t
})

// lag is κ of exchange.md §12 between logical tiles: T for 32-bit messages,
// P − 1 for paired ones.
func (t *routeTables) lag(s, d int32, paired bool) int32 {
	ps, pd := t.physical[s], t.physical[d]
	rows := 2 * (int32(ps>>6) - int32(pd>>6))
	if paired {
		return int32(t.pair[ps&63][pd&63]) - 1 + rows
	}
	return int32(t.word[ps&63][pd&63]) + rows
}

// writeDelay is L_d for a logical tile.
func (t *routeTables) writeDelay(d int32) int32 {
	return 52 + 2*int32(t.physical[d]>>6)
}

// Lag is κ in events for a receiver of the message: the source selector of d
// sees word k at event x+1+k+κ (reference: exchange.md §12).
func (m *Message) Lag(d int32) int32 { return routes().lag(m.Source, d, m.Paired) }

// Items is the number of events the message occupies its sender: words, or
// pairs of words in a paired message.
func (m *Message) Items() int32 {
	if m.Paired {
		return m.Words / 2
	}
	return m.Words
}

// format is g of exchange.md §12: the extra event of the paired format.
func (m *Message) format() int32 {
	if m.Paired {
		return 1
	}
	return 0
}

// Head is ρ, the earliest start of the message on its own: no source control
// of it may fall before event 1 (R1; reference: exchange.md §13).
func (m *Message) Head() int32 {
	head := int32(0)
	for _, d := range m.Dests {
		head = max(head, -m.Lag(d.Tile))
	}
	return head
}

// WriteLag is Λ: the first word is stored at event x + Λ of receiver d
// (reference: exchange.md §3.1; 32-bit messages).
func (m *Message) WriteLag(d int32) int32 {
	return m.Lag(d) + 1 + routes().writeDelay(d) + m.format()
}

// Control is the ctl field of the message's send: one direction for a single
// receiver (pair), else both; bit 2 marks 64-bit items (reference: exchange.md
// §4).
func (m *Message) Control() uint8 {
	r := routes()
	single, both, wide := 1, uint8(3), uint8(0)
	if m.Paired {
		single, wide = 2, 4
	}
	if len(m.Dests) != single {
		return both | wide
	}
	return r.dir[r.physical[m.Source]&63][r.physical[m.Dests[0].Tile]&63] | wide
}

// Reception is what a 32-bit message that starts at x implies at one receiver,
// in events of that receiver (reference: exchange.md §4.1).
type Reception struct {
	Select   int32 // σ: the sender's lane is selected
	Neutral  int32 // σ+n: the lane is left
	Pointer  int32 // π: first word stored
	WriteEnd int32 // π+n
	Horizon  int32 // π+n+5: what it adds to the receiver's row
}

// Receive gives the events of a 32-bit message at receiver d.
func (m *Message) Receive(d, x int32) Reception {
	r := routes()
	s := x + 1 + r.lag(m.Source, d, false)
	p := s + r.writeDelay(d)
	return Reception{Select: s, Neutral: s + m.Words, Pointer: p, WriteEnd: p + m.Words, Horizon: p + m.Words + guard}
}

// horizons fills the tile and phase horizons from the starts (R14).
func (s *Schedule) horizons(p *Problem) {
	s.TileHorizon, s.Horizon = make([]int32, p.Tiles), 0
	for i := range p.Messages {
		s.raise(p, int32(i))
	}
}

// raise makes the horizons cover message i.
func (s *Schedule) raise(p *Problem, i int32) {
	r := routes()
	m := &p.Messages[i]
	x, n := s.Start[i], m.Items()
	cover := func(tile, h int32) {
		s.TileHorizon[tile] = max(s.TileHorizon[tile], h)
		s.Horizon = max(s.Horizon, h)
	}
	cover(m.Source, x+n)
	if m.Paired {
		cover(m.Source^1, x+n) // the partner lends its lane (R10)
	}
	for _, d := range m.Dests {
		cover(d.Tile, x+1+r.lag(m.Source, d.Tile, m.Paired)+r.writeDelay(d.Tile)+n+guard+m.format())
	}
}
