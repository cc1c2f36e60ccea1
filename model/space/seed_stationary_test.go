package space

import "testing"

// TestSeedStationaries: the distinct plans of planspace.md §7.2.
func TestSeedStationaries(t *testing.T) {
	counts := []int{1472, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 1458, 1152}
	for i, want := range []int{228, 179, 162, 145, 128, 111, 94, 77, 60, 43, 26, 11, 218, 396} {
		distinct := map[SeedStationary]bool{}
		for _, s := range SeedStationaries(counts[i]) {
			if s.Rows*s.Cols != counts[i] {
				t.Fatalf("%d tiles: %+v", counts[i], s)
			}
			distinct[s] = true
		}
		if len(distinct) != want || len(SeedStationaries(counts[i])) != want {
			t.Errorf("%d tiles: %d plans, want %d", counts[i], len(distinct), want)
		}
	}
}
