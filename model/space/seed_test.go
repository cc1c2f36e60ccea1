package space

import (
	"slices"
	"testing"

	"ipusolve/model/workload"
)

func TestSeedCounts(t *testing.T) {
	g, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []int{1472, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 1458, 1152}
	if got := SeedCounts(g, 1472); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSeedGridCounts: the counts of log 1 and further vectors (planspace.md
// §7.4): grids, frontier and variants, normal and swapped. Both values have
// a use for distributed results: H goes to GELU, Y is an output.
func TestSeedGridCounts(t *testing.T) {
	type figures struct{ grids, frontier, variants int }
	const unknown = -1
	first, second := SeedShape{729, 1152, 4304, 1}, SeedShape{729, 4304, 1152, 1}
	for _, c := range []struct {
		shape           SeedShape
		tiles           int
		normal, swapped figures
	}{
		{first, 1472, figures{2279, 239, 2832}, figures{570, 111, 2624}},
		{first, 1024, figures{1661, 180, 2128}, figures{464, 88, 2080}},
		{first, 512, figures{641, 106, 1228}, figures{168, 54, 1248}},
		{first, 256, figures{126, 27, 324}, figures{33, 17, 408}},
		{first, 1458, figures{2266, 207, 2452}, figures{570, 114, 2680}},
		{first, 1152, figures{1876, 227, 2688}, figures{517, 94, 2216}},
		{first, 128, figures{}, figures{}},
		{first, 1, figures{}, figures{}},
		{second, 1472, figures{1693, 234, 2716}, figures{1171, 226, 5168}},
		{second, 1024, figures{1352, 197, 2320}, figures{964, 202, 4736}},
		{second, 512, figures{575, 145, 1704}, figures{384, 144, 3400}},
		{second, 256, figures{141, 62, 732}, figures{93, 54, 1296}},
		{second, 1458, figures{1688, 220, 2572}, figures{1168, 225, 5152}},
		{second, 1152, figures{1497, 229, 2656}, figures{1053, 207, 4872}},
		{second, 64, figures{}, figures{}},
		{SeedShape{1024, 1024, 1024, 1}, 1472, figures{828, 103, unknown}, figures{828, 103, unknown}},
		{SeedShape{512, 768, 3072, 1}, 1472, figures{1763, 192, unknown}, figures{361, 69, unknown}},
		{SeedShape{197, 768, 3072, 1}, 1216, figures{1642, 213, unknown}, figures{156, 67, unknown}},
		{SeedShape{256, 512, 512, 1}, 128, figures{199, 58, unknown}, figures{135, 44, unknown}},
		{SeedShape{64, 128, 256, 1}, 64, figures{56, 18, unknown}, figures{16, 12, unknown}},
	} {
		for _, side := range []struct {
			swapped bool
			shape   SeedShape
			want    figures
		}{{false, c.shape, c.normal}, {true, c.shape.Swapped(), c.swapped}} {
			grids := side.shape.Grids(c.tiles)
			frontier := SeedFrontier(grids)
			got := figures{len(grids), len(frontier), len(side.shape.Variants(frontier, side.swapped, true))}
			if side.want.variants == unknown {
				got.variants = unknown
			}
			if got != side.want {
				t.Errorf("%+v on %d tiles, swapped %v: %+v, want %+v", c.shape, c.tiles, side.swapped, got, side.want)
			}
		}
	}
}

// TestSeedGridMetrics: the proxy metrics of planspace.md §7.3.
func TestSeedGridMetrics(t *testing.T) {
	first := SeedFrontier(SeedShape{729, 1152, 4304, 1}.Grids(1472))
	second := SeedFrontier(SeedShape{729, 4304, 1152, 1}.Grids(1472))
	for i, want := range []SeedGrid{{4, 90, 4, 53163, 4995, 150624}, {4, 91, 4, 53163, 4995, 150624}, {4, 92, 4, 53163, 4995, 150624}} {
		if first[i] != want {
			t.Errorf("frontier[%d] %+v, want %+v", i, first[i], want)
		}
	}
	for _, c := range []struct {
		frontier []SeedGrid
		want     SeedGrid
	}{{first, SeedGrid{2, 135, 5, 57025, 8425, 213920}}, {second, SeedGrid{4, 24, 15, 59202, 11034, 150624}}} {
		if !slices.Contains(c.frontier, c.want) {
			t.Errorf("no %+v", c.want)
		}
	}
}
