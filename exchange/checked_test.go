package exchange_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// TestCheckAcceptsLists lets the independent checker decode the rows of listed
// schedules: random multicasts with repeats, lengths and addresses that collide.
func TestCheckAcceptsLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	lengths := []int32{1, 2, 5, 16, 64, 130}
	for range 60 {
		tiles := 4 + rng.IntN(60)
		p := &exchange.Problem{Tiles: tiles}
		for range 1 + rng.IntN(150) {
			perm := rng.Perm(tiles)
			m := exchange.Message{Source: int32(perm[0]), Words: lengths[rng.IntN(len(lengths))]}
			for range 1 + rng.IntN(2) {
				m.SourceAddrs = append(m.SourceAddrs, 0x60000+uint32(4*rng.IntN(0x8000)))
			}
			for _, d := range perm[1 : 2+rng.IntN(3)] {
				m.Dests = append(m.Dests, exchange.Dest{Tile: int32(d), Addr: 0x70000 + uint32(4*rng.IntN(0x8000))})
			}
			p.Messages = append(p.Messages, m)
		}
		s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 5})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := exchange.EncodePhase(p, s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := check.Check(p, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Horizon != s.Horizon {
			t.Fatalf("rows have horizon %d, schedule %d", got.Horizon, s.Horizon)
		}
	}
}
