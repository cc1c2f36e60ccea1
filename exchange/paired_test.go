package exchange_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// pairs lists both tiles of some pairs at one address.
func pairs(addr uint32, even ...int32) []exchange.Dest {
	var out []exchange.Dest
	for _, t := range even {
		out = append(out, exchange.Dest{Tile: t, Addr: addr}, exchange.Dest{Tile: t + 1, Addr: addr})
	}
	return out
}

// TestListPairedWorked: lone paired messages start where the reference puts them,
// and their rows are those of its page (reference: exchange.md §4.4, §8.4).
func TestListPairedWorked(t *testing.T) {
	for _, c := range []struct {
		source, to int32
		start      int32
		horizon    [2]int32
	}{
		{0, 2, 31, [2]int32{125, 125}},
		{2, 0, 27, [2]int32{123, 123}},
		{0, 46, 70, [2]int32{167, 167}},
	} {
		p := &exchange.Problem{Tiles: device.NumTiles, Messages: []exchange.Message{
			{Source: c.source, SourceAddrs: []uint32{0x60000}, Words: 128, Paired: true, Dests: pairs(0x68000, c.to)}}}
		s, stats, err := exchange.List(context.Background(), p, exchange.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Start[0] != c.start || s.Horizon != c.horizon[0] || stats.Bound.Horizon != s.Horizon || s.TileHorizon[c.to+1] != c.horizon[1] {
			t.Errorf("%d→%d: start %d, horizon %d, bound %d", c.source, c.to, s.Start[0], s.Horizon, stats.Bound.Horizon)
		}
		if n := s.TileHorizon[c.source^1]; n != c.start+64 {
			t.Errorf("%d→%d: the partner's row has %d events", c.source, c.to, n)
		}
		rows, err := exchange.EncodePhase(p, s)
		if err != nil {
			t.Fatal(err)
		}
		if want := []uint32{0x64002000, 0x61a40001, 0x6009a000, 0x64022640, 0x61a40000, 0x40a00006, 0x43a00000}; c.source == 0 && c.to == 2 && !slices.Equal(rows[2], want) {
			t.Errorf("early member's row %x", rows[2])
		}
	}
}

// mixed is a random problem of paired and ordinary messages on few pairs of tiles.
func mixed(rng *rand.Rand, messages int) *exchange.Problem {
	count := 3 + rng.IntN(3)
	among := []int{10, 60, device.NumTiles / 2}[rng.IntN(3)]
	pool := rng.Perm(among)[:count] // pairs
	lengths := [][]int32{{1, 2, 3}, {60, 64, 70}, {5, 128, 200}}[rng.IntN(3)]
	addr := func(base uint32) uint32 {
		if rng.IntN(4) == 0 {
			return 0x80000 - 512 + uint32(64*rng.IntN(16))
		}
		return base + uint32(256*rng.IntN(16))
	}
	p := &exchange.Problem{Tiles: 2*slices.Max(pool) + 2}
	for len(p.Messages) < messages {
		perm := rng.Perm(count)
		m := exchange.Message{Source: int32(2*pool[perm[0]] + rng.IntN(2)), SourceAddrs: []uint32{addr(0x60000)}, Words: lengths[rng.IntN(len(lengths))]}
		base := uint32(0x90000)
		if rng.IntN(4) == 0 {
			base = 0x60000
		}
		if rng.IntN(2) == 0 {
			m.Paired, m.Words = true, []int32{128, 130, 160, 204}[rng.IntN(4)]
			for _, d := range perm[1 : 2+rng.IntN(2)] {
				m.Dests = append(m.Dests, pairs(addr(base), int32(2*pool[d]))...)
			}
		} else {
			for _, d := range perm[1 : 2+rng.IntN(2)] {
				m.Dests = append(m.Dests, exchange.Dest{Tile: int32(2*pool[d] + rng.IntN(2)), Addr: addr(base)})
			}
			if rng.IntN(4) == 0 { // to the sender's own partner
				m.Dests = append(m.Dests, exchange.Dest{Tile: m.Source ^ 1, Addr: addr(base)})
			}
		}
		one := exchange.Problem{Tiles: p.Tiles, Messages: []exchange.Message{m}}
		if one.Validate() == nil {
			p.Messages = append(p.Messages, m)
		}
	}
	return p
}

// TestListMixedWidths lists random mixes; the checker judges starts and rows, and
// nothing is below a bound.
func TestListMixedWidths(t *testing.T) {
	count := 100
	if testing.Short() {
		count = 40
	}
	rng := rand.New(rand.NewPCG(64, 32))
	for k := range count {
		p := mixed(rng, 1+rng.IntN(30))
		s, stats, err := exchange.List(context.Background(), p, exchange.Options{Effort: 2, Seed: uint64(k)})
		if err != nil {
			t.Fatalf("problem %d: %v\n%+v", k, err, p.Messages)
		}
		if s.Horizon < stats.Bound.Horizon {
			t.Fatalf("problem %d: horizon %d below the bound %+v", k, s.Horizon, stats.Bound)
		}
		if _, err := check.CheckSchedule(p, s); err != nil {
			t.Fatalf("problem %d: %v\n%+v\n%v", k, err, p.Messages, s.Start)
		}
		rows, err := exchange.EncodePhase(p, s)
		if err != nil {
			t.Fatalf("problem %d: %v\n%+v\n%v", k, err, p.Messages, s.Start)
		}
		if _, err := check.Check(p, rows, nil); err != nil {
			t.Fatalf("problem %d: %v", k, err)
		}
		q, r, err := check.Reconstruct(rows, p.Tiles, exchange.Standard)
		if err != nil || len(q.Messages) != len(p.Messages) || r.Horizon != s.Horizon {
			t.Fatalf("problem %d: reconstructed: %v", k, err)
		}
	}
}
