package exchange

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func list(t testing.TB, p *Problem, opt Options) (*Schedule, Stats) {
	t.Helper()
	s, stats, err := List(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := EncodePhase(p, s); err != nil {
		t.Fatal(err)
	}
	return s, stats
}

// TestListReplay holds the list scheduler against the optima of exchange.md
// §10.7.
func TestListReplay(t *testing.T) {
	optimum := []int32{130, 194, 193, 254, 124, 72}
	bound := []int32{130, 194, 193, 254, 124, 72}
	endpoint := []int32{64, 128, 128, 128, 64, 6}
	for k, p := range replay() {
		s, stats := list(t, p, Options{})
		if err := illegal(p, s); err != nil {
			t.Errorf("P%d: %v", k+1, err)
		}
		if s.Horizon != optimum[k] {
			t.Errorf("P%d: horizon %d, optimum %d", k+1, s.Horizon, optimum[k])
		}
		if stats.Bound.Horizon != bound[k] || EndpointBound(p) != endpoint[k] {
			t.Errorf("P%d: bounds %d, %d, want %d, %d", k+1, stats.Bound.Horizon, EndpointBound(p), bound[k], endpoint[k])
		}
	}
}

func TestListFamilies(t *testing.T) {
	for _, f := range []struct {
		name     string
		p        *Problem
		endpoint int32 // 0: not known from elsewhere
		bound    int32
		most     int32 // horizon
		effort   int
	}{
		{"20 shifts of 16 words", shifts(tileCount, 20, 16, 1), 320, 0, 480, 2},
		{"8 shifts of 128 words", shifts(tileCount, 8, 128, 1), 1024, 0, 1178, 1},
		{"10 shifts of 16 words on 200 tiles", shifts(200, 10, 16, 1), 160, 0, 275, 4},
		{"partial sums", reduction(), 4800, 4902, 5000, 6},
		{"retile", regrid(729, 4304, 10, 135, tileCount), 1184, 1258, 1360, 2},
		{"all-gather", allGather(tileCount, 90, 293), 89 * 293, 0, 26700, 3},
		{"gather by groups", groupGather(60, 24, 58, 454, 1), 58 * 454, 0, 26800, 2},
	} {
		t.Run(f.name, func(t *testing.T) {
			if testing.Short() && f.p.Tiles == tileCount {
				t.Skip("all tiles")
			}
			s, stats := list(t, f.p, Options{Effort: f.effort})
			if f.endpoint != 0 && EndpointBound(f.p) != f.endpoint {
				t.Errorf("endpoint bound %d, want %d", EndpointBound(f.p), f.endpoint)
			}
			if f.bound != 0 && stats.Bound.Horizon != f.bound {
				t.Errorf("bound %d, want %d", stats.Bound.Horizon, f.bound)
			}
			if s.Horizon < stats.Bound.Horizon || s.Horizon > f.most {
				t.Errorf("horizon %d outside bound %d .. %d", s.Horizon, stats.Bound.Horizon, f.most)
			}
			t.Logf("%d messages: bound %d, horizon %d (%.3f), %s", len(f.p.Messages), stats.Bound.Horizon, s.Horizon,
				float64(s.Horizon)/float64(stats.Bound.Horizon), stats.Method)
		})
	}
}

func TestListRandomIsLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	rounds := 700
	if testing.Short() {
		rounds = 150
	}
	for round := range rounds {
		p := tangled(rng, 1+rng.IntN(14), 2+rng.IntN(6), []int32{1, 1, 2, 3, 8, 40, 64, 100})
		s, stats := list(t, p, Options{Effort: 6, Seed: uint64(round)})
		if err := illegal(p, s); err != nil {
			t.Fatalf("round %d: %v\n%+v\n%v", round, err, p.Messages, s.Start)
		}
		if s.Horizon < stats.Bound.Horizon {
			t.Fatalf("round %d: horizon %d below bound %+v", round, s.Horizon, stats.Bound)
		}
	}
}

func TestListIsDeterministic(t *testing.T) {
	p := reduction()
	p.Messages = p.Messages[:900]
	a, sa := list(t, p, Options{Effort: 8, Seed: 5})
	b, sb := list(t, p, Options{Effort: 8, Seed: 5})
	if diff := cmp.Diff(a, b) + cmp.Diff(sa, sb); diff != "" {
		t.Error(diff)
	}
}

// TestListRepairsParity builds a tile whose row is all single events: a send of
// one word, then selects at every event from 2 on. Its first control pair would
// sit on an odd word.
func TestListRepairsParity(t *testing.T) {
	p := &Problem{Tiles: tileCount}
	const tile = 736 // row 0, and far from its receiver: may start at 0
	p.Messages = append(p.Messages, unicast(tile, 100, sourceBase, destBase, 1))
	for k := range 70 {
		p.Messages = append(p.Messages, unicast(800+k, tile, sourceBase, destBase+uint32(8*k), 1))
	}
	s, stats := list(t, p, Options{Effort: 1})
	if stats.Repairs == 0 {
		t.Error("no message was moved: the case does not test the repair")
	}
	if err := illegal(p, s); err != nil {
		t.Error(err)
	}
}

// TestListDense lists messages so short that rows cannot hold pairs at the rate
// the other rules allow; bound C is what counts.
func TestListDense(t *testing.T) {
	for words := 1; words <= 2; words++ {
		p := &Problem{Tiles: tileCount}
		const tiles = 48
		for s := range tiles {
			for d := range tiles {
				if s != d {
					p.Messages = append(p.Messages, unicast(s, d, sourceBase, destBase+uint32(16*s), words))
				}
			}
		}
		s, stats := list(t, p, Options{Effort: 4})
		if err := illegal(p, s); err != nil {
			t.Errorf("%d words: %v", words, err)
		}
		if s.Horizon > 3*stats.Bound.Horizon {
			t.Errorf("%d words: horizon %d, bound %d", words, s.Horizon, stats.Bound.Horizon)
		}
		t.Logf("%d words: bound %d (%s), horizon %d, %d repairs", words, stats.Bound.Horizon, stats.Bound.Witness.Kind, s.Horizon, stats.Repairs)
	}
}

func TestListErrors(t *testing.T) {
	p := replay()[0]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := List(ctx, p, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	wide := &Problem{Tiles: 8, Messages: []Message{{
		Source: 0, SourceAddrs: []uint32{sourceBase}, Words: 128, Paired: true,
		Dests: []Dest{{2, destBase}, {3, destBase}},
	}}}
	wide.Messages[0].Words = 0
	if _, _, err := List(context.Background(), wide, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no words: %v", err)
	}
	s, stats, err := List(context.Background(), &Problem{Tiles: 4}, Options{})
	if err != nil || s.Horizon != 0 || stats.Bound.Horizon != 0 {
		t.Errorf("no messages: %v %v %v", s, stats, err)
	}
}

// cancelAfter is a context that ends after its error was asked for n times.
type cancelAfter struct {
	context.Context
	n int
}

func (c *cancelAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestListCancelledKeepsBest(t *testing.T) {
	p := shifts(200, 10, 16, 1)
	for n := 1; n < 40; n += 3 {
		s, _, err := List(&cancelAfter{context.Background(), n}, p, Options{})
		if err != nil {
			t.Fatalf("after %d: %v", n, err)
		}
		if err := illegal(p, s); err != nil {
			t.Fatalf("after %d: %v", n, err)
		}
	}
}

func BenchmarkListRetile(b *testing.B) {
	p := regrid(729, 4304, 10, 135, tileCount)
	benchmarkList(b, p, Options{Effort: 3})
}

func BenchmarkListAllGather(b *testing.B) {
	benchmarkList(b, allGather(tileCount, 90, 293), Options{Effort: 3})
}

func benchmarkList(b *testing.B, p *Problem, opt Options) {
	b.ReportAllocs()
	for b.Loop() {
		s, stats, err := List(context.Background(), p, opt)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Horizon)/float64(stats.Bound.Horizon), "horizon/bound")
	}
}
