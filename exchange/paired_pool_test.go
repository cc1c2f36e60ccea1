package exchange

import (
	"math/rand/v2"
	"testing"
)

// TestPoolAgreesOnMixedWidths is TestPoolAgreesWithPlacement among paired
// messages.
func TestPoolAgreesOnMixedWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 11))
	free, taken := 0, 0
	for range 200 {
		count := 2 + rng.IntN(3) // pairs of tiles
		p := &Problem{Tiles: 2 * count}
		for range 4 + rng.IntN(16) {
			perm := rng.Perm(count)
			from, to := int32(2*perm[0]+rng.IntN(2)), int32(2*perm[1])
			addr := func() uint32 { return 0x60000 + uint32(8*rng.IntN(64)) + uint32(0x10000*rng.IntN(3)) }
			m := Message{Source: from, SourceAddrs: []uint32{addr()}, Words: []int32{1, 2, 3, 50, 128, 140}[rng.IntN(6)]}
			if a := addr(); m.Words >= MinPairedWords {
				m.Paired, m.Dests = true, []Dest{{to, a}, {to + 1, a}}
			} else {
				m.Dests = []Dest{{to + rng.Int32N(2), a}}
			}
			p.Messages = append(p.Messages, m)
		}
		in := newInstance(p)
		m := newPool(newPlacement(in))
		m.horizon, m.rng = 1500, rng
		for s := range m.pairless {
			m.pairless[s] = rng.IntN(4) == 0
		}
		for range 6 * len(in.items) {
			i := rng.Int32N(int32(len(in.items)))
			m.weight[i] = 1
			if m.placed[i] {
				m.unplace(i)
				m.placed[i] = false
			}
			x := m.head[i] + rng.Int32N(600)
			m.look(i)
			weight := m.conflicts(i, x)
			legal := m.earliest(i, x, never) == x
			for j := range in.items {
				for _, o := range in.precedence(int32(j)) {
					if int32(j) == i && m.placed[o.earlier] && x < m.start[o.earlier]+o.lag || o.earlier == i && m.placed[j] && m.start[j] < x+o.lag {
						legal = false
					}
				}
			}
			if (weight == 0) != legal {
				t.Fatalf("message %d at %d: weight %d, placement legal %v\n%+v", i, x, weight, legal, p.Messages)
			}
			if weight == 0 {
				free++
			} else {
				taken++
			}
			for _, j := range m.found {
				m.eject(j)
			}
			if w := m.conflicts(i, x); w != 0 {
				t.Fatalf("message %d at %d: weight %d is left", i, x, w)
			}
			m.settleAt(i, x)
		}
	}
	if free < 300 || taken < 1000 {
		t.Errorf("%d starts were free, %d taken", free, taken)
	}
}
