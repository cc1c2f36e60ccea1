package exchange

import (
	"context"
	"math/rand/v2"
	"testing"
)

// halved puts all data of every tile of a problem by shifts into one element.
func halved(p *Problem) *Problem {
	const base, half = 0x60000, 0x2000
	for i := range p.Messages {
		m := &p.Messages[i]
		m.SourceAddrs[0] = m.SourceAddrs[0] - sourceBase + base
		m.Dests[0].Addr = m.Dests[0].Addr - destBase + base + half
	}
	return p
}

// TestRolesGain: tiles that cannot send and receive at once do better in turns.
func TestRolesGain(t *testing.T) {
	for seed := range uint64(1) {
		p := halved(shifts(200, 60, 8, seed+1))
		off := map[string]bool{ByEjection: true}
		with, stats := list(t, p, Options{Effort: 8, Off: off})
		without, _ := list(t, p, Options{Effort: 8, Off: map[string]bool{ByEjection: true, ByRoles: true}})
		t.Logf("bound %d, horizon %d, %d without", stats.Bound.Horizon, with.Horizon, without.Horizon)
		if with.Horizon >= without.Horizon {
			t.Errorf("seed %d: horizon %d, %d without", seed, with.Horizon, without.Horizon)
		}
		if err := illegal(p, with); err != nil {
			t.Error(err)
		}
	}
}

// TestRolesPlan: on every tile what it may send and write keeps R7's distance,
// whatever the shares, and every message keeps to it that dispatch places.
func TestRolesPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range 20 {
		p := halved(shifts(20+rng.IntN(60), 20, 8, rng.Uint64()))
		l := newLister(context.Background(), p, Options{})
		l.limit = never
		placed := 0
		for k := range l.components {
			c := &l.components[k]
			if !l.halfDuplex(&c.component) {
				t.Fatal("not seen as half duplex")
			}
			r := newRolePlan(l.placement, &c.component, 900, 16, rng)
			r.improve(&c.component, 1, 5, rng, func() bool { return false })
			for _, d := range c.tiles {
				for _, s := range r.sends[d] {
					for _, w := range r.writes[d] {
						if s.low < w.high+guard && w.low < s.high {
							t.Fatalf("tile %d sends in %v, writes in %v", d, s, w)
						}
					}
				}
			}
			late, ok := r.dispatch(c.tiles, l.dispatcher.clocks, l.stop)
			if !ok {
				t.Fatal("stopped")
			}
			waits := map[int32]bool{}
			for _, b := range late {
				waits[b] = true
			}
			for k := range r.blocks {
				b := &r.blocks[k]
				if waits[int32(k)] {
					continue
				}
				x, in := l.start[b.messages[0]], false
				r.starts(b, func(low, high int32) bool {
					in = in || low <= x && x <= high
					return true
				})
				if !in {
					t.Fatalf("block %d starts at %d, out of its roles", k, x)
				}
				placed++
			}
		}
		if placed == 0 {
			t.Error("nothing was placed")
		}
	}
}
