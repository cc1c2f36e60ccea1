package check_test

import (
	"errors"
	"testing"

	"ipusolve/lower"
	"ipusolve/lower/check"
)

// moved puts an item of tile 0 so that 8 bytes of it lie in another one that is
// alive with it, and returns what it did; the two are found by trying.
func moved(t *testing.T, p *lower.Program, suits func(a, b *lower.Item) bool) (a, b *lower.Item) {
	t.Helper()
	for i := range p.Items {
		for j := range p.Items {
			a, b := &p.Items[i], &p.Items[j]
			if i == j || a.Tile != 0 || b.Tile != 0 || a.First > b.Last || b.First > a.Last || a.Align > 8 || a.Bytes < 8 || b.Bytes < 8 || !suits(a, b) {
				continue
			}
			a.Addr = b.Addr + b.Bytes - 8
			return a, b
		}
	}
	t.Fatal("no two items to move")
	return nil, nil
}

// 8 bytes of one item in another that is alive: the validator sees it.
func TestMovedByEightBytes(t *testing.T) {
	p := placed(t)
	a, b := moved(t, p, func(*lower.Item, *lower.Item) bool { return true })
	if err := check.Check(p, memory); !errors.Is(err, check.ErrOverlap) && !errors.Is(err, check.ErrClass) {
		t.Errorf("%+v in %+v: error %v", a, b, err)
	}
}

// Figures measured here are those that the placement says it reaches, whatever
// the addresses are.
func TestMeasure(t *testing.T) {
	p := placed(t)
	for _, shift := range []uint32{0, 8, 0x4000, 0x8000} {
		for i := range p.Items {
			if p.Items[i].Tile%2 == 1 {
				p.Items[i].Addr += shift
			}
		}
		stats := lower.MeasurePlacement(p, memory)
		f := check.Measure(p)
		if f.Top != stats.Top || len(f.Phases) != len(stats.Pairing) {
			t.Fatalf("top %#x, want %#x", f.Top, stats.Top)
		}
		for id, x := range f.Phases {
			y := stats.Pairing[id]
			if x.Pairable != y.Pairable || x.Eligible != y.Eligible || x.PairableWords != y.PairableWords || x.EligibleWords != y.EligibleWords ||
				x.OverlapWords != stats.Overlaps[id] || x.SharedTiles != len(stats.SharedElementTiles[id]) {
				t.Errorf("shift %d, phase %d: %+v, want %+v, overlap %d, shared %d", shift, id, x, y, stats.Overlaps[id], len(stats.SharedElementTiles[id]))
			}
		}
	}
}
