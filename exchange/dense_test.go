package exchange

import (
	"math/rand/v2"
	"testing"
)

// everyToEvery lets each tile send words to every other; a tile stores what it
// receives by source, without gaps.
func everyToEvery(tiles, words int) *Problem {
	p := &Problem{Tiles: tiles}
	for s := range tiles {
		for d := range tiles {
			if s != d {
				p.Messages = append(p.Messages, unicast(s, d, sourceBase+uint32(4*words*d), destBase+uint32(4*words*s), words))
			}
		}
	}
	return p
}

// TestDenseRuns: where receives in the order of their addresses need no pointers,
// a message of two words costs less than the three events that pairs of controls
// would take.
func TestDenseRuns(t *testing.T) {
	for _, c := range []struct{ tiles, words int }{{48, 2}, {64, 2}, {64, 1}} {
		p := everyToEvery(c.tiles, c.words)
		s, stats := list(t, p, Options{Effort: 1})
		without, _ := list(t, p, Options{Effort: 1, Off: map[string]bool{ByDense: true}})
		t.Logf("%d tiles, %d words: bound %d, horizon %d, %s; %d without", c.tiles, c.words, stats.Bound.Horizon, s.Horizon, stats.Method, without.Horizon)
		if err := illegal(p, s); err != nil {
			t.Error(err)
		}
		if most := stats.Bound.Horizon + int32((c.tiles-1)*(3-c.words)); s.Horizon > most || s.Horizon > without.Horizon {
			t.Errorf("%d tiles, %d words: horizon %d, want at most %d and no more than %d", c.tiles, c.words, s.Horizon, most, without.Horizon)
		}
	}
}

// TestDenseIsLegal: whatever dense placement accepts is legal, and rows exist
// without repair.
func TestDenseIsLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	pairs := 0
	for range 400 {
		tiles := 4 + rng.IntN(20)
		p := &Problem{Tiles: tiles}
		filled := make([]uint32, tiles)
		for range tiles * (4 + rng.IntN(20)) {
			s, d := rng.IntN(tiles), rng.IntN(tiles)
			if s == d {
				continue
			}
			words := 1 + rng.IntN(3)
			if rng.IntN(10) == 0 {
				words = 40 + rng.IntN(60) // reaches from σ to π
			}
			filled[d] += uint32(4 * rng.IntN(2))
			p.Messages = append(p.Messages, unicast(s, d, sourceBase, destBase+filled[d], words))
			filled[d] += uint32(4 * words)
		}
		in := newInstance(p)
		d := newDensePlacement(in)
		for _, c := range components(p) {
			for _, order := range [][]int32{c.messages, denseOrder(in, &c)} {
				d.list(&c, order, func() bool { return false })
				part := &Problem{Tiles: tiles}
				var start []int32
				for _, i := range c.messages {
					part.Messages = append(part.Messages, p.Messages[i])
					start = append(start, d.start[i])
				}
				s := &Schedule{Start: start}
				s.horizons(part)
				if err := illegal(part, s); err != nil {
					t.Fatal(err)
				}
				streams, err := TileStreams(part, s)
				if err != nil {
					t.Fatal(err)
				}
				for k := range streams {
					if from, event, ok := streams[k].parityFault(); ok {
						t.Fatalf("tile %d: no row holds the pair at %d (from %d)", k, event, from)
					}
					for j, c := range streams[k].Controls {
						if j > 0 && streams[k].Controls[j-1].Event == c.Event {
							pairs++
						}
					}
				}
				if _, err := EncodePhase(part, s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs of controls", pairs)
	}
}
