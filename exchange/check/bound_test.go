package check

import (
	"math/rand/v2"
	"testing"

	"ipusolve/exchange"
)

// TestBoundWorked uses the regression problems of exchange.md §10.7.
func TestBoundWorked(t *testing.T) {
	const src, dst = 0x60000, 0x68000
	var p6 []exchange.Message
	for i := range int32(6) {
		p6 = append(p6, msg(10+i, 1, src, to(100, dst+8*uint32(i))))
	}
	for name, c := range map[string]struct {
		p    *exchange.Problem
		want int32
	}{
		"P1": {chip(msg(5, 64, src, to(100, dst))), 130},
		"P2": {chip(msg(5, 64, src, to(100, dst)), msg(6, 64, src, to(100, dst+256))), 194},
		"P3": {chip(msg(5, 64, src, to(100, dst)), msg(5, 64, 0x61000, to(101, dst))), 193},
		"P4": {chip(msg(10, 64, src, to(100, dst), to(200, dst)), msg(500, 64, src, to(200, 0x68400), to(300, dst)),
			msg(900, 64, src, to(100, 0x68800), to(300, 0x68400))), 228},
		"P5": {chip(msg(0, 64, src, to(1, dst)), msg(1, 64, src, to(2, dst)), msg(2, 64, src, to(0, dst))), 124},
		"P6": {chip(p6...), 72},
	} {
		if got, kind := Bound(c.p); got != c.want || kind != "machine" {
			t.Errorf("%s: %d (%s), want %d (machine)", name, got, kind, c.want)
		}
	}
	if got, kind := Bound(chip()); got != 0 || kind != "" {
		t.Errorf("no messages: %d %q", got, kind)
	}
}

// TestBoundAgrees compares with the scheduler's own bounds on random problems:
// dense ones, where elements and machines bind, and single words between few
// tiles in elements of their own, where controls do.
func TestBoundAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	kinds := map[string]int{}
	for i := range 2000 {
		p := randomProblem(rng, 4+2*rng.IntN(15), 1+rng.IntN(40))
		if i%10 == 0 {
			p = &exchange.Problem{Tiles: 4}
			for range 200 + rng.IntN(200) {
				perm := rng.Perm(4)
				p.Messages = append(p.Messages, msg(int32(perm[0]), 1, 0x60000, to(int32(perm[1]), 0x68000)))
			}
		}
		got, kind := Bound(p)
		want := exchange.Best(p)
		if got != want.Horizon || kind != string(want.Witness.Kind) {
			t.Fatalf("problem %d: %d (%s), package exchange says %d (%s)", i, got, kind, want.Horizon, want.Witness.Kind)
		}
		kinds[kind]++
	}
	for _, k := range []string{"machine", "control", "element"} {
		if kinds[k] == 0 {
			t.Errorf("bound %s never binds: %v", k, kinds)
		}
	}
}

// TestBoundHolds: no legal schedule is shorter.
func TestBoundHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		p := randomProblem(rng, 6, 1+rng.IntN(8))
		s := place(t, rng, p)
		if b, kind := Bound(p); b > s.Horizon {
			t.Fatalf("bound %d (%s) exceeds horizon %d", b, kind, s.Horizon)
		}
	}
}
