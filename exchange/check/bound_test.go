package check

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/exchange"
)

// replays are the regression problems P1–P6 of exchange.md §10.7.
func replays() []*exchange.Problem {
	const src, dst = 0x60000, 0x68000
	var p6 []exchange.Message
	for i := range int32(6) {
		p6 = append(p6, msg(10+i, 1, src, to(100, dst+8*uint32(i))))
	}
	return []*exchange.Problem{
		chip(msg(5, 64, src, to(100, dst))),
		chip(msg(5, 64, src, to(100, dst)), msg(6, 64, src, to(100, dst+256))),
		chip(msg(5, 64, src, to(100, dst)), msg(5, 64, 0x61000, to(101, dst))),
		chip(msg(10, 64, src, to(100, dst), to(200, dst)), msg(500, 64, src, to(200, 0x68400), to(300, dst)),
			msg(900, 64, src, to(100, 0x68800), to(300, 0x68400))),
		chip(msg(0, 64, src, to(1, dst)), msg(1, 64, src, to(2, dst)), msg(2, 64, src, to(0, dst))),
		chip(p6...),
	}
}

// TestBoundWorked: the table of exchange.md §10.7, bound B and the optima, which
// the best bound reaches.
func TestBoundWorked(t *testing.T) {
	simple, optimum := []int32{130, 194, 193, 228, 124, 72}, []int32{130, 194, 193, 254, 124, 72}
	for k, p := range replays() {
		if got := Bound(p); got != simple[k] {
			t.Errorf("P%d: %d, want %d", k+1, got, simple[k])
		}
		b := exchange.Best(p)
		if b.Horizon != optimum[k] {
			t.Errorf("P%d: best bound %d, want %d", k+1, b.Horizon, optimum[k])
		}
		if h, err := Witness(p, &b.Witness); h != optimum[k] || err != nil {
			t.Errorf("P%d: witness %+v proves %d, %v", k+1, b.Witness, h, err)
		}
	}
	if got := Bound(chip()); got != 0 {
		t.Errorf("no messages: %d", got)
	}
}

// some draws a problem of one of several shapes: dense ones with overlapping data,
// pairs and multicasts; single words between few tiles, for controls; two words
// between all, for slots; rounds of equal messages, for links.
func some(rng *rand.Rand, i int) *exchange.Problem {
	switch i % 8 {
	case 4: // large cliques: multicasts of which every two share a receiver
		p := &exchange.Problem{Tiles: 64}
		for k := range 12 + rng.IntN(20) {
			m := msg(int32(k), 20+int32(rng.IntN(80)), 0x60000)
			for _, d := range rng.Perm(20)[:11] {
				m.Dests = append(m.Dests, to(int32(40+d), 0x80000+1024*uint32(k)))
			}
			p.Messages = append(p.Messages, m)
		}
		return p
	case 0:
		p := &exchange.Problem{Tiles: 4}
		for range 200 + rng.IntN(200) {
			perm := rng.Perm(4)
			p.Messages = append(p.Messages, msg(int32(perm[0]), 1, 0x60000, to(int32(perm[1]), 0x68000)))
		}
		return p
	case 1:
		n := int32(140 + rng.IntN(30))
		p := &exchange.Problem{Tiles: int(n)}
		for s := range n {
			for d := range n {
				if s != d {
					p.Messages = append(p.Messages, msg(s, 2, 0x60000, to(d, 0x80000+16*uint32(s))))
				}
			}
		}
		return p
	case 2:
		p := &exchange.Problem{Tiles: 1472}
		for k, by := range rng.Perm(1471)[:3+rng.IntN(6)] {
			for s := range int32(1472) {
				p.Messages = append(p.Messages, msg(s, 128, 0x60000, to((s+1+int32(by))%1472, 0x80000+512*uint32(k))))
			}
		}
		return p
	case 3: // elements of their own, multicasts
		p := &exchange.Problem{Tiles: 1472}
		pool := rng.Perm(1472)[:4+rng.IntN(4)]
		for k := range 2 + rng.IntN(9) {
			perm := rng.Perm(len(pool))
			m := msg(int32(pool[perm[0]]), 20+int32(rng.IntN(200)), 0x60000)
			for _, d := range perm[1 : 2+rng.IntN(3)] {
				m.Dests = append(m.Dests, to(int32(pool[d]), 0x80000+1024*uint32(k)))
			}
			p.Messages = append(p.Messages, m)
		}
		return p
	}
	return randomProblem(rng, 4+2*rng.IntN(15), 1+rng.IntN(40))
}

// TestWitnessProvesBest: what package exchange claims is derived from its witness
// with the same value, never less than what the busiest machine shows, for every
// kind of bound.
func TestWitnessProvesBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	kinds, large := map[exchange.BoundKind]int{}, 0
	for i := range 1600 {
		if i%8 == 1 && i > 24 || i%8 == 2 && i > 40 {
			continue // large ones
		}
		p := some(rng, i)
		b := exchange.Best(p)
		kinds[b.Witness.Kind]++
		if len(b.Witness.Messages) > exactClique && b.Witness.Kind == exchange.BoundClique {
			large++
		}
		if h, err := Witness(p, &b.Witness); h != b.Horizon || err != nil {
			t.Fatalf("problem %d: bound %d, but %+v proves %d, %v", i, b.Horizon, b.Witness, h, err)
		}
		if least := Bound(p); b.Horizon < least {
			t.Fatalf("problem %d: bound %+v, a machine shows %d", i, b, least)
		}
	}
	t.Log(kinds, large)
	if large < 100 {
		t.Errorf("only %d large cliques", large)
	}
	for _, k := range []exchange.BoundKind{exchange.BoundMachine, exchange.BoundControl, exchange.BoundElement, exchange.BoundPair,
		exchange.BoundSpread, exchange.BoundPath, exchange.BoundSlots, exchange.BoundLink, exchange.BoundClique} {
		if kinds[k] == 0 {
			t.Errorf("bound %q never binds", k)
		}
	}
}

// TestLargeCliqueHolds: placed one after the other, multicasts that all exclude each
// other take no less than the bound, which is near.
func TestLargeCliqueHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	for range 30 {
		p := some(rng, 4)
		s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 2})
		if err != nil {
			t.Fatal(err)
		}
		b := exchange.Best(p)
		if b.Horizon > s.Horizon || b.Witness.Kind != exchange.BoundClique {
			t.Fatalf("bound %+v exceeds horizon %d", b, s.Horizon)
		}
		if 5*b.Horizon < 4*s.Horizon {
			t.Errorf("bound %d (one machine: %d) for a horizon of %d", b.Horizon, Bound(p), s.Horizon)
		}
	}
}

// TestBoundHolds: no legal schedule is shorter.
func TestBoundHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 300 {
		p := randomProblem(rng, 6, 1+rng.IntN(8))
		s := place(t, rng, p)
		if b := exchange.Best(p); b.Horizon > s.Horizon {
			t.Fatalf("bound %+v exceeds horizon %d", b, s.Horizon)
		}
	}
}
