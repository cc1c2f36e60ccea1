package lower_test

import (
	"errors"
	"testing"

	"ipusolve/device"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/model"
	"ipusolve/solve"
)

// itemProgram is a program of one tile with the given items and nothing to do.
func itemProgram(events int, items ...lower.Item) *lower.Program {
	p := newPlan(1)
	v := p.value("v", "", 1, 16, model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: 1})
	p.gelu(v, v)
	prog := &lower.Program{Plan: &p.Plan, Items: items, Tiles: [][]lower.Work{make([]lower.Work, events)}}
	for i := range prog.Items {
		prog.Items[i].Value = int32(v)
	}
	return prog
}

// The regression vector of lowering.md §8.4 (tile 0 of the first seed), with the
// reference's rounding of distinct items to whole elements. Two rules differ, so
// the reduction buffers and results do not compare: standard items may also use
// gaps below the highest interleaved item, where the reference draws a fixed
// boundary, and the reference's staging buffers `initial` and `result` do not
// exist here. All interleaved items and the two big operands do.
func TestReferenceVector(t *testing.T) {
	const e, pair = device.StandardElement, device.InterleaveElement
	rows := []struct {
		name        string
		class       model.MemoryClass
		bytes       uint32
		align       uint32
		first, last int32
		want        uint32
	}{
		{"X", model.Standard, 180224, e, 0, 2, 0x90000},
		{"W1", model.Interleaved, 15360, 32, 0, 2, 0x80000},
		{"partial", model.Interleaved, 32768, pair, 2, 5, 0x88000},
		{"H", model.Interleaved, 4736, 32, 7, 9, 0x80000},
		{"H linear", model.Interleaved, 4288, 32, 8, 10, 0x81280},
		{"G linear", model.Interleaved, 4288, 32, 10, 29, 0x80000},
		{"G left", model.Standard, 114688, e, 11, 30, 0x5c000},
		{"W2", model.Interleaved, 27648, 32, 11, 30, 0x810c0},
		{"partial 2", model.Interleaved, 32768, pair, 30, 34, 0x88000},
		{"Y", model.Interleaved, 1344, 32, 36, 37, 0x80000},
	}
	var items []lower.Item
	for _, r := range rows {
		items = append(items, lower.Item{Bytes: r.bytes, Align: r.align, Class: r.class, First: r.first, Last: r.last})
	}
	p := itemProgram(36, items...)
	stats, err := lower.PlaceGreedy(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if p.Items[i].Addr != r.want {
			t.Errorf("%s at %#x, want %#x", r.name, p.Items[i].Addr, r.want)
		}
	}
	if stats.InterleavedEnd != 0x90000 || stats.MaxLiveTotal != 180224+15360+32768 {
		t.Errorf("stats %+v", stats)
	}
	// The exact placer leaves more space behind the highest item, and proves that
	// nothing leaves more: X goes on across 0x80000 up to the first partial's
	// 0x88000, and W1 lies behind that.
	exact, err := lower.Place(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	if exact.Status != solve.Optimal || exact.Top != 0x93c00 || exact.TopBound != exact.Top || exact.Budget >= stats.Budget {
		t.Errorf("exact: %v, top %#x, bound %#x, %d bytes; greedy %d", exact.Status, exact.Top, exact.TopBound, exact.Budget, stats.Budget)
	}
}

// Operands that must be apart end up in different elements without being
// rounded to whole elements.
func TestApartIsExact(t *testing.T) {
	p := itemProgram(1,
		lower.Item{Bytes: 4000, Tail: 64, Align: 32, Class: model.Interleaved, First: 1, Last: 1, Apart: []int32{1}},
		lower.Item{Bytes: 6000, Tail: 24, Align: 32, First: 0, Last: 1, Apart: []int32{0}},
		lower.Item{Bytes: 2000, Align: 8, First: 0, Last: 2})
	m := lower.MemoryMap{Standard: nil, InterleavedEnd: device.InterleaveBase + device.InterleaveElement + 6000}
	if _, err := lower.Place(p, m); err != nil {
		t.Fatal(err)
	}
	x, y, z := &p.Items[0], &p.Items[1], &p.Items[2]
	if min(x.Addr, y.Addr) != device.InterleaveBase || max(x.Addr, y.Addr) != device.InterleaveBase+device.InterleaveElement {
		t.Errorf("apart items at %#x, %#x", x.Addr, y.Addr)
	}
	low := x
	if y.Addr < x.Addr {
		low = y
	}
	if z.Addr < low.Addr+low.Bytes || z.Addr+z.Bytes > max(x.Addr, y.Addr) {
		t.Errorf("third item at %#x is not in the gap", z.Addr)
	}
}

// An order by time fails where an order by size fits.
func TestPlaceTriesOrders(t *testing.T) {
	room := uint32(1000 * 32)
	m := lower.MemoryMap{InterleavedEnd: device.InterleaveBase + room}
	// By time, a and b leave a hole of 400 between them once a is dead.
	p := itemProgram(4,
		lower.Item{Bytes: 300 * 32, Align: 32, Class: model.Interleaved, First: 0, Last: 1},
		lower.Item{Bytes: 300 * 32, Align: 32, Class: model.Interleaved, First: 0, Last: 5},
		lower.Item{Bytes: 700 * 32, Align: 32, Class: model.Interleaved, First: 2, Last: 5})
	if _, err := lower.Place(p, m); err != nil {
		t.Fatal(err)
	}
}

func TestPlaceError(t *testing.T) {
	for _, c := range []struct {
		name  string
		class model.MemoryClass
		m     lower.MemoryMap
		have  uint32
	}{
		{"interleaved", model.Interleaved, lower.MemoryMap{InterleavedEnd: device.InterleaveBase + 4096}, 4096},
		{"standard", model.Standard, lower.MemoryMap{Standard: []lower.Range{{Start: 0x60000, End: 0x60800}}, InterleavedEnd: device.InterleaveBase + 1024}, 2048 + 1024},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := itemProgram(2, lower.Item{Bytes: 3000, Align: 8, Class: c.class, First: 0, Last: 1}, lower.Item{Bytes: 2000, Align: 8, Class: c.class, First: 1, Last: 3})
			_, err := lower.Place(p, c.m)
			var e *lower.PlaceError
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if e.Tile != 0 || e.Class != c.class || e.NeedBytes != 5000 && e.NeedBytes != 3000 || e.HaveBytes != c.have || len(e.Items) == 0 || e.Error() == "" {
				t.Errorf("%+v: %v", e, e)
			}
		})
	}
}

// A plan that is too big for the memory says which step on which tile.
func TestPlanTooBig(t *testing.T) {
	p, err := lower.Build(mlpPlan(8, 64, 128, 256, grid{2, 2, 2, 4, 2}, grid{2, 2, 2, 4, 2}, mlpOptions{sliced: true, once: true, rowBlock: 1}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = lower.Place(p, lower.MemoryMap{InterleavedEnd: device.InterleaveBase + 24*1024})
	var e *lower.PlaceError
	if !errors.As(err, &e) || e.NeedBytes == 0 || len(e.Items) == 0 {
		t.Fatalf("error %v", err)
	}
	t.Log(err)
}

// Equal programs get equal addresses, whatever the goroutines do, and the
// checker accepts the placed full-size plan.
func TestPlaceDeterministic(t *testing.T) {
	var first *lower.Program
	for range 2 {
		p, err := lower.Build(fullSize())
		if err != nil {
			t.Fatal(err)
		}
		stats, err := lower.Place(p, dataMap)
		if err != nil {
			t.Fatal(err)
		}
		if stats.MaxLiveTotal > stats.MaxUsed {
			t.Errorf("%d bytes alive, %d used", stats.MaxLiveTotal, stats.MaxUsed)
		}
		// Only the gather of X sends from the item that it receives into.
		for phase, tiles := range stats.SharedElementTiles {
			if phase > 0 && len(tiles) > 0 {
				t.Errorf("phase %d: %d tiles send and receive in one element", phase, len(tiles))
			}
		}
		if err := check.Check(p, dataMap); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = p
			continue
		}
		for i := range p.Items {
			if p.Items[i].Addr != first.Items[i].Addr {
				t.Fatalf("item %d at %#x and %#x", i, first.Items[i].Addr, p.Items[i].Addr)
			}
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		name string
		plan *model.Plan
	}{{"normal", fullSize()}, {"seed", firstSeed()}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := lower.Build(c.plan); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPlace(b *testing.B) {
	for _, c := range []struct {
		name string
		plan *model.Plan
	}{{"normal", fullSize()}, {"seed", firstSeed()}} {
		b.Run(c.name, func(b *testing.B) {
			p, err := lower.Build(c.plan)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := lower.Place(p, dataMap); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
