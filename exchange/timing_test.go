package exchange

import (
	"testing"

	"ipusolve/device"
)

// TestReceptionWorkedTimings holds the 32-bit table of exchange.md §4.4.
func TestReceptionWorkedTimings(t *testing.T) {
	for _, c := range []struct {
		source int32
		words  int32
		x      int32
		dests  map[int32]Reception
	}{
		{5, 64, 32, map[int32]Reception{100: {1, 65, 61, 125, 130}}},
		{0, 1, 28, map[int32]Reception{1471: {1, 2, 53, 54, 59}}},
		{0, 3, 23, map[int32]Reception{274: {1, 4, 53, 56, 61}, 1286: {1, 4, 53, 56, 61}}},
		{736, 52, 0, map[int32]Reception{100: {50, 102, 110, 162, 167}}},
		{1286, 65, 14, map[int32]Reception{1471: {1, 66, 53, 118, 123}}},
		{32, 4148, 0, map[int32]Reception{0: {4, 4152, 56, 4204, 4209}}},
		{780, 1000, 0, map[int32]Reception{0: {113, 1113, 165, 1165, 1170}}},
		{0, 16, 69, map[int32]Reception{
			1: {42, 58, 94, 110, 115}, 2: {39, 55, 93, 109, 114},
			46: {1, 17, 97, 113, 118}, 736: {66, 82, 118, 134, 139},
		}},
	} {
		m := Message{Source: c.source, Words: c.words}
		for d := range c.dests {
			m.Dests = append(m.Dests, Dest{Tile: d})
		}
		if m.Head() != c.x {
			t.Errorf("%d→%v: earliest start %d, want %d", c.source, m.Dests, m.Head(), c.x)
		}
		for d, want := range c.dests {
			if got := m.Receive(d, c.x); got != want {
				t.Errorf("%d→%d: %+v, want %+v", c.source, d, got, want)
			}
			if got := c.x + m.WriteLag(d); got != want.Pointer {
				t.Errorf("%d→%d: first word stored at %d, want %d", c.source, d, got, want.Pointer)
			}
		}
	}
	// Point form: x = 112 − T, so that the select is at 113.
	m := Message{Source: 5, Words: 64, Dests: []Dest{{Tile: 100}}}
	if got, want := m.Receive(100, 144), (Reception{113, 177, 173, 237, 242}); got != want {
		t.Errorf("point form: %+v, want %+v", got, want)
	}
}

// TestLagMatchesRoutes checks the tables against the route formulas for every
// pair of tiles.
func TestLagMatchesRoutes(t *testing.T) {
	for s := range int32(device.NumTiles) {
		word, pair := Message{Source: s}, Message{Source: s, Paired: true}
		ps := device.Physical(int(s))
		for d := range int32(device.NumTiles) {
			pd := device.Physical(int(d))
			if int(word.Lag(d)) != device.RouteDelay(ps, pd) || int(pair.Lag(d)) != device.PairDelay(ps, pd)-1 {
				t.Fatalf("%d→%d: lags %d, %d", s, d, word.Lag(d), pair.Lag(d))
			}
		}
	}
}

func TestControlField(t *testing.T) {
	for _, c := range []struct {
		source int32
		paired bool
		dests  []int32
		want   uint8
	}{
		{5, false, []int32{100}, 1},
		{100, false, []int32{5}, 2},
		{0, false, []int32{274, 1286}, 3},
		{0, true, []int32{2, 3}, 5},
		{100, true, []int32{4, 5}, 6},
		{0, true, []int32{2, 3, 46, 47}, 7},
	} {
		m := Message{Source: c.source, Paired: c.paired}
		for _, d := range c.dests {
			m.Dests = append(m.Dests, Dest{Tile: d})
		}
		if got := m.Control(); got != c.want {
			t.Errorf("%d→%v: ctl %d, want %d", c.source, c.dests, got, c.want)
		}
	}
}

// TestPairedLag holds the P vectors of exchange.md §3.1.
func TestPairedLag(t *testing.T) {
	for _, c := range [][3]int32{{0, 2, -30}, {2, 0, -26}, {0, 46, -69}, {5, 100, -31}, {780, 0, 112}, {90, 136, -77}, {100, 4, -16}} {
		m := Message{Source: c[0], Paired: true}
		if got := m.Lag(c[1]) + 1; got != c[2] || got != m.Lag(c[1]^1)+1 {
			t.Errorf("%d→%d: P = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
