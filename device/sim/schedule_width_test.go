package sim_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
)

// TestScheduledWidths executes phases of long messages between pairs of tiles: all
// paired that can be, half of them, and the widths that make the phase shortest.
func TestScheduledWidths(t *testing.T) {
	wide, shorter := 0, 0
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 64))
		n := 6 + r.IntN(6) // pairs
		pool := r.Perm(device.NumTiles / 2)[:n]
		p := &exchange.Problem{Tiles: device.NumTiles}
		from, next := make([]uint32, 2*n), make([]uint32, n)
		for i := range next {
			next[i] = 0x90000
		}
		for range 3 * n {
			s, words := r.IntN(2*n), 2*(1+r.IntN(300))
			m := message(2*pool[s/2]+s%2, 0x60000+from[s], words)
			from[s] += 4 * uint32(words+words%4)
			for _, d := range r.Perm(n)[:1+r.IntN(3)] {
				if d == s/2 {
					continue
				}
				for side := range 2 {
					m.Dests = append(m.Dests, exchange.Dest{Tile: int32(2*pool[d] + side), Addr: next[d]})
				}
				next[d] += 4 * uint32(words+2*r.IntN(2))
			}
			if len(m.Dests) > 0 {
				p.Messages = append(p.Messages, m)
			}
		}
		runProblem(t, p.WithWidths(p.Pairable()))
		some := p.Pairable()
		for i := range some {
			some[i] = some[i] && r.IntN(2) == 0
		}
		runProblem(t, p.WithWidths(some))
		s, _, err := exchange.ListWidths(context.Background(), p, exchange.Options{Effort: 2})
		if err != nil {
			t.Fatal(err)
		}
		ordinary, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 2})
		if err != nil {
			t.Fatal(err)
		}
		if s.Horizon > ordinary.Horizon {
			t.Errorf("%d events with widths chosen, %d without", s.Horizon, ordinary.Horizon)
		}
		if slices.Contains(s.Paired, true) {
			wide++
			runProblem(t, p.WithWidths(s.Paired))
		}
		t.Logf("%d messages: %d events with 32 bits, %d with widths chosen", len(p.Messages), ordinary.Horizon, s.Horizon)
		if s.Horizon < ordinary.Horizon {
			shorter++
		}
	}
	if wide < 3 || shorter < 3 {
		t.Errorf("%d phases have paired messages, %d are shorter for it", wide, shorter)
	}
}
