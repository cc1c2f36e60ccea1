package exchange

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWavesAreMatchings checks that no tile sends or receives twice in a wave
// and that there are only as many waves as the busiest machine has messages.
func TestWavesAreMatchings(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 300 {
		tiles := 2 + rng.IntN(12)
		p := &Problem{Tiles: tiles}
		for range 1 + rng.IntN(120) {
			s := rng.IntN(tiles)
			p.Messages = append(p.Messages, unicast(s, (s+1+rng.IntN(tiles-1))%tiles, sourceBase, destBase, 8))
		}
		in := newInstance(p)
		for _, c := range components(p) {
			w := waves(in, &c)
			type use struct{ machine, wave int32 }
			seen := map[use]bool{}
			load := map[int32]int32{}
			for k, i := range c.messages {
				m := &p.Messages[i]
				for _, machine := range []int32{m.Source, int32(tiles) + m.Dests[0].Tile} {
					load[machine]++
					u := use{machine, w[k]}
					if seen[u] {
						t.Fatalf("machine %d twice in wave %d", machine, w[k])
					}
					seen[u] = true
				}
			}
			most := int32(0)
			for _, n := range load {
				most = max(most, n)
			}
			if got := slices.Max(w) + 1; got > most {
				t.Fatalf("%d waves for %d messages at the busiest machine", got, most)
			}
		}
	}
	p := allGather(4, 4, 8)
	if c := components(p); waves(newInstance(p), &c[0]) != nil {
		t.Error("waves of multicasts")
	}
}

// TestComponents checks a split worked by hand.
func TestComponents(t *testing.T) {
	p := &Problem{Tiles: 9, Messages: []Message{
		unicast(7, 2, sourceBase, destBase, 1), unicast(0, 1, sourceBase, destBase, 1),
		unicast(3, 2, sourceBase, destBase, 1), unicast(1, 4, sourceBase, destBase, 1),
	}}
	c := components(p)
	if len(c) != 2 || !slices.Equal(c[0].tiles, []int32{0, 1, 4}) || !slices.Equal(c[0].messages, []int32{1, 3}) ||
		!slices.Equal(c[1].tiles, []int32{2, 3, 7}) || !slices.Equal(c[1].messages, []int32{0, 2}) {
		t.Errorf("components %+v", c)
	}
}

// TestPrecedences checks the R9 dependencies of one tile worked by hand.
func TestPrecedences(t *testing.T) {
	// Tile 100: 0 writes a..a+64 B, 1 reads the second half of it, 2 overwrites
	// the last quarter, 3 reads elsewhere.
	const a = destBase
	p := &Problem{Tiles: tileCount, Messages: []Message{
		unicast(5, 100, sourceBase, a, 16), unicast(100, 5, a+32, sourceBase+0x8000, 8),
		unicast(6, 100, sourceBase, a+48, 4), unicast(100, 6, a+64, sourceBase+0x8000, 4),
	}}
	lead := func(i int) int32 { return p.Messages[i].WriteLag(100) }
	want := []precedence{
		{0, 1, lead(0) + 16 + 5},
		{0, 2, lead(0) + 16 - lead(2)},
		{1, 2, 8 - lead(2)},
	}
	if got := precedences(p, p.roles()); !slices.Equal(got, want) {
		t.Errorf("precedences %v, want %v", got, want)
	}
}
