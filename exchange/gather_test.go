package exchange_test

import (
	"testing"

	"ipusolve/exchange"
)

// TestGatherIsSequential: of a value cut in slices that all its holders gather, any two
// slices have a receiver in common if there are three holders or more. So they come one
// after the other: the phase takes as many events as the value has words, also where
// no tile receives its own slice. Two holders swap at once.
func TestGatherIsSequential(t *testing.T) {
	for holders := 2; holders <= 6; holders++ {
		const words = 1600
		p := &exchange.Problem{Tiles: 64}
		for i := range holders {
			m := exchange.Message{Source: int32(6 * i), SourceAddrs: []uint32{0x50000}, Words: words}
			for j := range holders {
				if j != i {
					m.Dests = append(m.Dests, exchange.Dest{Tile: int32(6 * j), Addr: 0x70000 + uint32(4*words*i)})
				}
			}
			p.Messages = append(p.Messages, m)
		}
		least := int32(holders * words)
		if holders == 2 {
			least = words
		}
		if b := exchange.Best(p); b.Horizon < least || b.Horizon > least+150 {
			t.Errorf("%d holders: bound %d, want %d and a route", holders, b.Horizon, least)
		}
	}
}
