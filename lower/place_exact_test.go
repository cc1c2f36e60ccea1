package lower_test

import (
	"errors"
	"testing"

	"ipusolve/device"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/solve"
)

// The first seed's plan: every class of tiles is proven optimal, nothing that a
// tile sends shares an element with what it receives, and tiles end lower than
// where the greedy placer leaves them.
func TestSeedPlacedOptimally(t *testing.T) {
	p, err := lower.Build(firstSeed())
	if err != nil {
		t.Fatal(err)
	}
	greedy, err := lower.PlaceGreedy(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	s, err := lower.Place(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d classes, %d nodes: ends at %d bytes (bound %d), %d alive, %d used; greedy ends at %d, %d used", s.Problems, s.Nodes, s.Budget, s.BudgetBound, s.MaxLiveTotal, s.MaxUsed, greedy.Budget, greedy.MaxUsed)
	if s.Status != solve.Optimal || s.Optimal != s.Problems || s.OverlapWords != 0 || s.Budget != s.BudgetBound {
		t.Errorf("%v, %d of %d classes optimal, %d words overlap", s.Status, s.Optimal, s.Problems, s.OverlapWords)
	}
	for phase, tiles := range s.SharedElementTiles {
		if len(tiles) > 0 || s.Overlaps[phase] > 0 {
			t.Errorf("phase %d: %d tiles share an element", phase, len(tiles))
		}
	}
	if s.Budget >= greedy.Budget || s.Nodes > 1<<20 {
		t.Errorf("exact ends at %d after %d nodes, greedy at %d", s.Budget, s.Nodes, greedy.Budget)
	}
	if err := check.Check(p, dataMap); err != nil {
		t.Error(err)
	}
}

// The full-size plan: all receive buffers of pairs at equal addresses; and it
// fits up to its end but, as is proven, into no granule less.
func TestSmallestBudget(t *testing.T) {
	p, err := lower.Build(fullSize())
	if err != nil {
		t.Fatal(err)
	}
	s, err := lower.Place(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	if s.Status != solve.Optimal || s.EqualWords != s.EqualBound || s.EqualBound == 0 || s.OverlapWords != 0 {
		t.Errorf("%d of %d words at equal addresses, %d overlap", s.EqualWords, s.EqualBound, s.OverlapWords)
	}
	for _, x := range s.Pairing {
		if x.Eligible != x.Pairable {
			t.Errorf("%d of %d messages eligible", x.Eligible, x.Pairable)
		}
	}
	// Without wishes less would do: ask for the least that holds the items.
	m := dataMap
	m.InterleavedEnd = device.InterleaveBase + 32
	var full *lower.PlaceError
	if _, err := lower.Place(p, m); !errors.As(err, &full) || !full.Proven || full.Budget == 0 || len(full.Items) == 0 {
		t.Fatalf("error %v", err)
	}
	least := func(extra int) lower.MemoryMap {
		m, err := lower.Reserve(p, lower.ReserveOptions{MemoryLimit: full.Budget + extra})
		if err != nil {
			t.Fatal(err)
		}
		m.Standard = dataMap.Standard // what the budget was found for
		return m
	}
	for tile := 0; ; tile++ { // other tiles may need more
		_, err := lower.Place(p, least(0))
		var more *lower.PlaceError
		if !errors.As(err, &more) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if more.Budget <= full.Budget || tile == 40 {
			t.Fatalf("%v after a budget of %d", err, full.Budget)
		}
		full = more
	}
	if err := check.Check(p, least(0)); err != nil {
		t.Error(err)
	}
	_, err = lower.Place(p, least(-32))
	if !errors.As(err, &full) || !full.Proven {
		t.Errorf("a granule less: %v", err)
	}
	t.Logf("%v", err)
}
