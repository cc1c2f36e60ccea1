package space

import (
	"math"
	"testing"

	"ipusolve/model"
)

// TestSeedAll: the family holds all candidates that the filters leave, and more.
func TestSeedAll(t *testing.T) {
	for _, s := range []SeedShape{{64, 128, 256, 1}, {197, 256, 512, 1}, {33, 80, 48, 1}} {
		g := &model.Graph{Values: []model.GraphValue{{Name: "a", Shape: []int{s.Rows, s.Inner}}, {Name: "b", Shape: []int{s.Inner, s.Cols}}}}
		for _, tiles := range []int{16, 64, 128} {
			counts := SeedCounts(g, tiles)
			all := map[SeedGemm]int64{}
			list := s.All(counts, tiles, true, true, true, math.MaxInt64)
			for i := range list {
				all[list[i].Gemm] = list[i].Cycles
			}
			if len(all) != len(list) {
				t.Errorf("%+v on %d: %d candidates, %d different ones", s, tiles, len(list), len(all))
			}
			kept := s.Candidates(counts, tiles, true, true).List
			for _, c := range kept {
				side := s
				if c.Swapped {
					side = s.Swapped()
				}
				f := side.Figures(&c)
				if n, ok := all[c]; !ok || n != f.Cost.Total() {
					t.Errorf("%+v on %d: %+v is missing or costs %d, want %d", s, tiles, c, n, f.Cost.Total())
				}
			}
			t.Logf("%+v on %d: %d candidates, filters keep %d", s, tiles, len(all), len(kept))
		}
	}
}
