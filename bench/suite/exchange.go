package suite

import (
	"fmt"
	"math/rand/v2"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Family is a kind of exchange phase on which schedulers are compared. Its
// problems are the same on every machine: generator, seed and addresses are fixed.
type Family struct {
	Name  string
	Title string
	// Problems makes the phases; the figures of a family with several are sums.
	Problems func() ([]*exchange.Problem, error)
	// Target is the largest ratio of horizon and bound that the project aims at; 0
	// means none. Optimum is the least horizon if it is known from elsewhere, and
	// then the target.
	Target  float64
	Optimum int32
	// Seconds and Bytes are the most time and memory that scheduling should take on
	// two processors; 0 means no limit.
	Seconds float64
	Bytes   int64
}

// Met tells whether a horizon reaches the family's target, given a proven bound.
// A family without target is always met.
func (f *Family) Met(horizon, bound int64) bool {
	switch {
	case f.Optimum > 0:
		return horizon <= int64(f.Optimum)
	case f.Target > 0:
		return float64(horizon) <= f.Target*float64(bound)
	}
	return true
}

// Data lie so that the words a tile sends and those it receives share no memory
// element, but where a family says otherwise.
const (
	sendBase    = 0x80000 // interleaved region
	receiveBase = 0x60000 // standard region
	all         = device.NumTiles
)

// Exchange lists the families.
func Exchange() []Family {
	list := replayFamilies()
	list = append(list, seedFamilies()...)
	one := func(name, title string, target float64, make func() *exchange.Problem) {
		list = append(list, Family{Name: name, Title: title, Target: target,
			Problems: func() ([]*exchange.Problem, error) { return []*exchange.Problem{make()}, nil }})
	}
	one("shifts-20x16", "20 random cyclic shifts of 16 words on 1472 tiles", 1.10, func() *exchange.Problem { return Shifts(all, 20, 16, 1) })
	one("shifts-8x128", "8 random cyclic shifts of 128 words on 1472 tiles", 1.02, func() *exchange.Problem { return Shifts(all, 8, 128, 1) })
	one("shifts-200", "10 random cyclic shifts of 16 words on 200 tiles", 1.05, func() *exchange.Problem { return Shifts(200, 10, 16, 1) })
	one("all-64x100", "64 tiles, each 100 words to every other", 1.05, func() *exchange.Problem { return AllToAll(64, 100) })
	one("all-256x2", "256 tiles, each 2 words to every other", 1.50, func() *exchange.Problem { return AllToAll(256, 2) })
	one("mixed-200", "20 messages of 1–200 words from each tile to random others", 1.05, func() *exchange.Problem { return Mixed(20, 200, false, 1) })
	one("mixed-16", "60 messages of 1–16 words from each tile to random others", 1.15, func() *exchange.Problem { return Mixed(60, 16, false, 1) })
	one("even-200", "as mixed-200, but each tile receives 20 too", 1.05, func() *exchange.Problem { return Mixed(20, 200, true, 1) })
	one("even-16", "as mixed-16, but each tile receives 60 too", 1.15, func() *exchange.Problem { return Mixed(60, 16, true, 1) })
	one("gather", "60 groups of 24 tiles, each receives 58 multicasts of 454 words", 1.05, func() *exchange.Problem { return Gather(60, 24, 58, 454, 1) })
	one("skewed", "10 messages of 1–64 words from each tile, a quarter of them to 8 tiles", 1.01, func() *exchange.Problem { return Skewed(10, 64, 8, 1) })
	list = append(list, Family{Name: "small", Title: "500 random problems of 1–12 messages, multicast and overlapping data included",
		Problems: func() ([]*exchange.Problem, error) {
			rng := rand.New(rand.NewPCG(1, 7))
			out := make([]*exchange.Problem, 500)
			for i := range out {
				out[i] = Small(rng, 1+i%12)
				out[i].Phase = i
			}
			return out, nil
		}})
	return list
}

func unicast(s, d int, from, to uint32, words int) exchange.Message {
	return exchange.Message{Source: int32(s), SourceAddrs: []uint32{from}, Dests: []exchange.Dest{{Tile: int32(d), Addr: to}}, Words: int32(words)}
}

// filler gives out addresses tile by tile, one behind the other.
type filler struct{ sent, received []uint32 }

func newFiller(tiles int) *filler { return &filler{make([]uint32, tiles), make([]uint32, tiles)} }

func (f *filler) unicast(s, d, words int) exchange.Message {
	m := unicast(s, d, sendBase+f.sent[s], receiveBase+f.received[d], words)
	f.sent[s] += uint32(4 * words)
	f.received[d] += uint32(4 * words)
	return m
}

// Shifts is k rounds of a random cyclic shift of all tiles, each message of w
// words. Every tile has its rounds one behind the other at 0x80000 and stores them
// at 0x60000.
func Shifts(tiles, k, w int, seed uint64) *exchange.Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &exchange.Problem{Tiles: tiles}
	for round := range k {
		by := 1 + rng.IntN(tiles-1)
		for t := range tiles {
			at := uint32(4 * w * round)
			p.Messages = append(p.Messages, unicast(t, (t+by)%tiles, sendBase+at, receiveBase+at, w))
		}
	}
	return p
}

// AllToAll lets each of the tiles send w words to every other, by source and
// destination.
func AllToAll(tiles, w int) *exchange.Problem {
	p := &exchange.Problem{Tiles: tiles}
	f := newFiller(tiles)
	for s := range tiles {
		for d := range tiles {
			if s != d {
				p.Messages = append(p.Messages, f.unicast(s, d, w))
			}
		}
	}
	return p
}

// Mixed lets every tile send k messages of 1 to most words to random others; even
// makes each tile receive k as well.
func Mixed(k, most int, even bool, seed uint64) *exchange.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := &exchange.Problem{Tiles: all}
	f := newFiller(all)
	for range k {
		cycle := rng.Perm(all) // each tile sends to the next one
		to := make([]int, all)
		for at, t := range cycle {
			to[t] = cycle[(at+1)%all]
		}
		for t, d := range to {
			if !even {
				d = (t + 1 + rng.IntN(all-1)) % all
			}
			p.Messages = append(p.Messages, f.unicast(t, d, 1+rng.IntN(most)))
		}
	}
	return p
}

// Gather lets every group of consecutive tiles receive multicasts from random
// senders outside it. Each tile sends from 0x60000; the words of a group's k-th
// message go to 0x80000 + 4·words·k.
func Gather(groups, size, messages, words int, seed uint64) *exchange.Problem {
	rng := rand.New(rand.NewPCG(seed, 2))
	p := &exchange.Problem{Tiles: all}
	for g := range groups {
		for k := range messages {
			s := rng.IntN(all - size)
			if s >= g*size {
				s += size
			}
			m := exchange.Message{Source: int32(s), SourceAddrs: []uint32{receiveBase}, Words: int32(words)}
			for d := range size {
				m.Dests = append(m.Dests, exchange.Dest{Tile: int32(g*size + d), Addr: sendBase + uint32(4*words*k)})
			}
			p.Messages = append(p.Messages, m)
		}
	}
	return p
}

// Skewed lets every tile send k messages of 1 to most words, each fourth one to
// one of a few hot tiles, the others to random ones.
func Skewed(k, most, hot int, seed uint64) *exchange.Problem {
	rng := rand.New(rand.NewPCG(seed, 4))
	p := &exchange.Problem{Tiles: all}
	f := newFiller(all)
	hottest := rng.Perm(all)[:hot]
	for t := range all {
		for range k {
			d := rng.IntN(all)
			if rng.IntN(4) == 0 {
				d = hottest[rng.IntN(hot)]
			}
			if d == t {
				d = (t + 1) % all
			}
			p.Messages = append(p.Messages, f.unicast(t, d, 1+rng.IntN(most)))
		}
	}
	return p
}

// Small is a random problem of few tiles for comparison with exhaustive methods:
// one to three receivers, up to two source addresses, data that may overlap.
func Small(rng *rand.Rand, messages int) *exchange.Problem {
	lengths := []int32{1, 1, 2, 3, 8, 40, 52, 64, 100}
	const spread = 64 // words among which addresses are drawn
	p := &exchange.Problem{Tiles: all}
	pool := rng.Perm(all)[:2+rng.IntN(5)]
	for range messages {
		order := rng.Perm(len(pool))
		m := exchange.Message{Source: int32(pool[order[0]]), Words: lengths[rng.IntN(len(lengths))]}
		for range 1 + rng.IntN(2) {
			m.SourceAddrs = append(m.SourceAddrs, receiveBase+uint32(4*rng.IntN(spread)))
		}
		for _, k := range order[1 : 2+rng.IntN(min(3, len(pool)-1))] {
			m.Dests = append(m.Dests, exchange.Dest{Tile: int32(pool[k]), Addr: receiveBase + 0x8000*uint32(rng.IntN(2)) + uint32(4*rng.IntN(spread))})
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// replayFamilies are the regression problems P1–P6 (reference: exchange.md §10.7).
func replayFamilies() []Family {
	const from, to = 0x60000, 0x68000
	multi := func(s int, dests ...exchange.Dest) exchange.Message {
		return exchange.Message{Source: int32(s), SourceAddrs: []uint32{from}, Dests: dests, Words: 64}
	}
	p6 := []exchange.Message{}
	for i := range 6 {
		p6 = append(p6, unicast(10+i, 100, from, to+uint32(8*i), 1))
	}
	var list []Family
	for k, f := range []struct {
		title    string
		optimum  int32
		messages []exchange.Message
	}{
		{"one message of 64 words", 130, []exchange.Message{unicast(5, 100, from, to, 64)}},
		{"two senders, one receiver, contiguous", 194, []exchange.Message{unicast(5, 100, from, to, 64), unicast(6, 100, from, to+0x100, 64)}},
		{"one sender, two receivers", 193, []exchange.Message{unicast(5, 100, from, to, 64), unicast(5, 101, from+0x1000, to, 64)}},
		{"three multicasts that share receivers pairwise", 254, []exchange.Message{
			multi(10, exchange.Dest{Tile: 100, Addr: to}, exchange.Dest{Tile: 200, Addr: to}),
			multi(500, exchange.Dest{Tile: 200, Addr: to + 0x400}, exchange.Dest{Tile: 300, Addr: to}),
			multi(900, exchange.Dest{Tile: 100, Addr: to + 0x800}, exchange.Dest{Tile: 300, Addr: to + 0x400}),
		}},
		{"a ring of three tiles", 124, []exchange.Message{unicast(0, 1, from, to, 64), unicast(1, 2, from, to, 64), unicast(2, 0, from, to, 64)}},
		{"six words, 8 bytes apart", 72, p6},
	} {
		list = append(list, Family{Name: fmt.Sprintf("p%d", k+1), Title: f.title, Optimum: f.optimum,
			Problems: func() ([]*exchange.Problem, error) {
				return []*exchange.Problem{{Phase: k + 1, Tiles: all, Messages: f.messages}}, nil
			}})
	}
	return list
}
