package exchange_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// brute looks for a legal schedule with a horizon below the limit: all starts of
// all messages, with the independent checker as judge. Starts of two messages
// which break a rule about windows are not combined further: those rules hold for
// the two whatever else there is.
type brute struct {
	p     *exchange.Problem
	low   []int32 // first start of each message
	room  []int32 // how many starts
	legal [][][]bool
	start []int32
	left  int // work: starts tried, those of all messages judged
}

func newBrute(t *testing.T, p *exchange.Problem, limit int32) *brute {
	s := &brute{p: p, start: make([]int32, len(p.Messages)), left: 100000}
	for i := range p.Messages {
		m := &p.Messages[i]
		end := m.Items()
		for _, d := range m.Dests {
			end = max(end, m.WriteLag(d.Tile)+m.Items()+5)
		}
		s.low, s.room = append(s.low, m.Head()), append(s.room, max(limit-m.Head()-end, 0))
	}
	for i := range p.Messages {
		s.legal = append(s.legal, make([][]bool, i))
		for j := range i {
			part := &exchange.Problem{Tiles: p.Tiles, Messages: []exchange.Message{p.Messages[j], p.Messages[i]}}
			plain := !part.Messages[0].Paired && !part.Messages[1].Paired && !ordered(part)
			s.legal[i][j] = make([]bool, s.room[i]+s.room[j])
			for k := range s.legal[i][j] {
				// x_i − x_j = low_i − low_j − room_j + k, far from event 1.
				x := 1000 + s.low[i] - s.low[j] - s.room[j] + int32(k)
				if plain {
					s.legal[i][j][k] = !overlap(part, 1000, x) && !overlap(&exchange.Problem{Messages: []exchange.Message{part.Messages[1], part.Messages[0]}}, x, 1000)
					continue
				}
				_, err := check.CheckSchedule(part, withHorizons(part, 1000, x))
				var v *check.Violation
				if err != nil && !errors.As(err, &v) {
					t.Fatal(err)
				}
				s.legal[i][j][k] = err == nil || !slices.Contains([]check.Rule{check.R2, check.R3, check.R7, check.R9, check.R10}, v.Rule)
			}
		}
	}
	return s
}

// ordered tells whether two messages touch a common byte, one of them writing it.
func ordered(p *exchange.Problem) bool {
	touch := func(a *exchange.Message, at uint32, b *exchange.Message, other uint32) bool {
		return at < other+4*uint32(b.Words) && other < at+4*uint32(a.Words)
	}
	for k := range p.Messages {
		a, b := &p.Messages[k], &p.Messages[1-k]
		for _, d := range a.Dests {
			if b.Source == d.Tile && slices.ContainsFunc(b.SourceAddrs, func(at uint32) bool { return touch(a, d.Addr, b, at) }) {
				return true
			}
			if slices.ContainsFunc(b.Dests, func(e exchange.Dest) bool { return e.Tile == d.Tile && touch(a, d.Addr, b, e.Addr) }) {
				return true
			}
		}
	}
	return false
}

// overlap tells whether two 32-bit messages meet on a lane or a selector, or the
// first one's send and a receive of the second in an element (R2, R3, R7).
func overlap(p *exchange.Problem, x, y int32) bool {
	a, b := &p.Messages[0], &p.Messages[1]
	if a.Source == b.Source && x < y+b.Words && y < x+a.Words {
		return true
	}
	var read device.ElementSet
	for _, at := range a.SourceAddrs {
		read |= device.Elements(at, 4*uint32(a.Words))
	}
	for _, e := range b.Dests {
		in := b.Receive(e.Tile, y)
		if e.Tile == a.Source && x < in.Horizon && in.Pointer < x+a.Words && read&device.Elements(e.Addr, 4*uint32(b.Words)) != 0 {
			return true
		}
		for _, d := range a.Dests {
			if other := a.Receive(e.Tile, x); d.Tile == e.Tile && other.Select < in.Neutral && in.Select < other.Neutral {
				return true
			}
		}
	}
	return false
}

// find tells whether the starts from message i on can be completed.
func (s *brute) find(i int) bool {
	if i == len(s.start) {
		s.left -= 50
		_, err := check.CheckSchedule(s.p, withHorizons(s.p, s.start...))
		return err == nil
	}
next:
	for k := range s.room[i] {
		if s.left--; s.left < 0 {
			return false
		}
		s.start[i] = s.low[i] + k
		for j := range i {
			if !s.legal[i][j][k-(s.start[j]-s.low[j])+s.room[j]] {
				continue next
			}
		}
		if s.find(i + 1) {
			return true
		}
	}
	return false
}

// withHorizons adds the horizons of R14 to starts.
func withHorizons(p *exchange.Problem, starts ...int32) *exchange.Schedule {
	s := &exchange.Schedule{Start: starts, TileHorizon: make([]int32, p.Tiles)}
	cover := func(t, h int32) {
		s.TileHorizon[t], s.Horizon = max(s.TileHorizon[t], h), max(s.Horizon, h)
	}
	for i := range p.Messages {
		m := &p.Messages[i]
		cover(m.Source, starts[i]+m.Items())
		if m.Paired {
			cover(m.Source^1, starts[i]+m.Items())
		}
		for _, d := range m.Dests {
			cover(d.Tile, starts[i]+m.WriteLag(d.Tile)+m.Items()+5)
		}
	}
	return s
}

// cramped draws a problem of two to four messages in which everything may collide:
// both widths, multicasts, repeats, few tiles and addresses.
func cramped(rng *rand.Rand) *exchange.Problem {
	p := &exchange.Problem{Tiles: 4 + 2*rng.IntN(7)}
	pool := rng.Perm(p.Tiles)[:min(p.Tiles, 4+rng.IntN(3))]
	lengths := []int32{1, 2, 3, 9, 17, 30}
	addr := func() uint32 {
		if rng.IntN(3) == 0 {
			return 0x60000 + uint32(16*rng.IntN(8))
		}
		return 0x80000 - 32 + uint32(0x4000*rng.IntN(4)+16*rng.IntN(8))
	}
	for range 2 + rng.IntN(3) {
		perm := rng.Perm(len(pool))
		m := exchange.Message{Source: int32(pool[perm[0]]), SourceAddrs: []uint32{addr()}, Words: lengths[rng.IntN(len(lengths))]}
		if rng.IntN(6) == 0 {
			m.SourceAddrs = append(m.SourceAddrs, addr())
		}
		if d := int32(pool[perm[1]]); rng.IntN(7) == 0 && d^1 != m.Source {
			m.Words, m.Paired = 128+2*int32(rng.IntN(3)), true
			a := addr()
			m.Dests = []exchange.Dest{{Tile: d, Addr: a}, {Tile: d ^ 1, Addr: a}}
		} else {
			for _, d := range perm[1 : 2+rng.IntN(3)] {
				m.Dests = append(m.Dests, exchange.Dest{Tile: int32(pool[d]), Addr: addr()})
			}
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// TestNothingLegalBelowTheBound searches all schedules that would finish before
// the bound, of random small problems with everything in them, every third under a
// freedom.
func TestNothingLegalBelowTheBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	problems := 1200
	if testing.Short() {
		problems = 250
	}
	tried, kinds, reached := 0, map[exchange.BoundKind]int{}, 0
	for tried < problems {
		p := cramped(rng)
		if p.Validate() != nil {
			continue
		}
		if tried%3 == 2 {
			p = p.WithFreedom(exchange.FirstEvent)
		}
		b := exchange.Best(p)
		s := newBrute(t, p, b.Horizon)
		if s.find(0) {
			t.Fatalf("starts %v are legal and end before %+v of %+v", s.start, b, p.Messages)
		}
		if s.left < 0 {
			continue // too many to be sure
		}
		tried++
		kinds[b.Witness.Kind]++
		if tried%10 == 0 {
			if s := newBrute(t, p, b.Horizon+1); s.find(0) {
				reached++
			}
		}
	}
	t.Logf("kinds %v; %d of %d optima are at the bound", kinds, reached, problems/10)
	for _, k := range []exchange.BoundKind{exchange.BoundMachine, exchange.BoundElement, exchange.BoundPair, exchange.BoundSpread, exchange.BoundPath, exchange.BoundClique} {
		if kinds[k] == 0 {
			t.Errorf("no case of bound %q", k)
		}
	}
}
