package space

import (
	"testing"

	"ipusolve/model"
)

// TestSeedPrice: the first GEMM of log 1 (costmodel.md §4.7, planspace.md §10.4;
// there its streamed operand is complete) and the best alternative (planspace.md
// §9.5, B1).
func TestSeedPrice(t *testing.T) {
	s := SeedShape{729, 1152, 4304, 1}
	for _, c := range []struct {
		grid   SeedGrid
		result model.Grid
		cycles int64
	}{{SeedGrid{Rows: 2, Cols: 135, Inner: 5}, model.Grid{Rows: 10, Cols: 135}, 89252},
		{SeedGrid{Rows: 4, Cols: 92, Inner: 4}, model.Grid{Rows: 16, Cols: 92}, 89270}} {
		f := s.Price(SeedVariant{Grid: c.grid, Interleaved: true, Result: c.result})
		if f.Cycles != c.cycles {
			t.Errorf("%+v: %d cycles, want %d", c.grid, f.Cycles, c.cycles)
		}
		if c.grid.Cols == 135 && (f.Peak.Interleaved != 59840 || f.RowBytes != 344) {
			t.Errorf("%+v: interleaved peak and rows are 59840 and 344 bytes", f)
		}
	}
	second := SeedShape{729, 4304, 1152, 1}.Price(SeedVariant{Grid: SeedGrid{Rows: 4, Cols: 24, Inner: 15}, Interleaved: true, Result: model.Grid{Rows: 60, Cols: 24}})
	if second.Cycles != 92646 {
		t.Errorf("second GEMM: %d cycles, want 92646", second.Cycles)
	}
}

// TestSeedRetained: the counts of log 1.
func TestSeedRetained(t *testing.T) {
	first, second := SeedShape{729, 1152, 4304, 1}, SeedShape{729, 4304, 1152, 1}
	for _, c := range []struct {
		shape           SeedShape
		tiles           int
		normal, swapped int
	}{
		{first, 1472, 64, 64}, {first, 1024, 64, 64}, {first, 512, 64, 64}, {first, 256, 59, 64}, {first, 1458, 64, 64}, {first, 1152, 64, 64},
		{second, 1472, 64, 64}, {second, 1024, 64, 64}, {second, 512, 64, 64}, {second, 256, 64, 64}, {second, 1458, 64, 64}, {second, 1152, 64, 64},
	} {
		sw := c.shape.Swapped()
		n := len(c.shape.Retain(c.shape.Variants(SeedFrontier(c.shape.Grids(c.tiles)), false, true)))
		m := len(sw.Retain(sw.Variants(SeedFrontier(sw.Grids(c.tiles)), true, true)))
		if n != c.normal || m != c.swapped {
			t.Errorf("%+v on %d tiles: %d and %d retained, want %d and %d", c.shape, c.tiles, n, m, c.normal, c.swapped)
		}
	}
}
