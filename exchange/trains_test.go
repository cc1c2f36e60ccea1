package exchange

import (
	"context"
	"slices"
	"testing"
)

// TestTrains checks a partition worked by hand.
func TestTrains(t *testing.T) {
	both := func(words int32, addr uint32) Message {
		return Message{Source: 5, SourceAddrs: []uint32{sourceBase + addr}, Words: words,
			Dests: []Dest{{100, destBase + addr}, {200, destBase + addr}}}
	}
	p := &Problem{Tiles: tileCount, Messages: []Message{
		both(8, 0), unicast(5, 100, sourceBase, destBase+0x100, 8), both(8, 64), both(9, 128),
		// Element 24 is read and written on tile 7; of its messages to tile 8, two
		// read there.
		unicast(9, 7, sourceBase, 0x60000, 8),
		unicast(7, 8, 0x60400, destBase, 8), unicast(7, 8, 0x70000, destBase+32, 8), unicast(7, 8, 0x60420, destBase+64, 8),
		// The second overwrites what the first wrote.
		unicast(10, 11, sourceBase, destBase, 8), unicast(10, 11, sourceBase, destBase, 8),
	}}
	of, count := newInstance(p).trains()
	if want := []int32{0, 1, 0, 2, 3, 4, 5, 4, 6, 7}; count != 8 || !slices.Equal(of, want) {
		t.Errorf("%d trains %v, want %v", count, of, want)
	}
}

// TestEffortBoundsLooks lists a problem that no rule brings near its bound.
func TestEffortBoundsLooks(t *testing.T) {
	p := shifts(200, 40, 16, 1)
	const first = 40000 // looks of the listing in message order, and a last step
	last := int32(0)
	for _, effort := range []int{1, 2, 4} {
		s, stats := list(t, p, Options{Effort: effort, Gap: -1})
		// For listings, and again for ejection.
		if most := 2*int64(effort*256*len(p.Messages)) + first; stats.Looks > most {
			t.Errorf("effort %d: %d looks, at most %d", effort, stats.Looks, most)
		}
		if last > 0 && s.Horizon > last {
			t.Errorf("effort %d: horizon %d, %d with less effort", effort, s.Horizon, last)
		}
		last = s.Horizon
	}
}

// TestGapEndsSearch asks for what the first listing already gives.
func TestGapEndsSearch(t *testing.T) {
	p := shifts(200, 10, 16, 1)
	s, stats := list(t, p, Options{Gap: 2})
	if stats.Tries != 1 || s.Horizon > 3*stats.Bound.Horizon {
		t.Errorf("%d tries, horizon %d of bound %d", stats.Tries, s.Horizon, stats.Bound.Horizon)
	}
	if _, more := list(t, p, Options{}); more.Tries == 1 {
		t.Error("the first listing is good enough: the case tests nothing")
	}
}

// TestDispatchAsksContext lets the context end inside a dispatch of multicasts,
// which then counts for nothing.
func TestDispatchAsksContext(t *testing.T) {
	p := groupGather(4, 24, 200, 20, 1)
	s, stats, err := List(&cancelAfter{context.Background(), 2}, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Method != "program order" {
		t.Errorf("method %q after the context ended", stats.Method)
	}
	if err := illegal(p, s); err != nil {
		t.Error(err)
	}
}
