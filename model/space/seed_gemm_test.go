package space

import "testing"

var mlpCounts = []int{1472, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 1458, 1152}

// TestSeedCandidates: the counts of planspace.md §7.5 for stationary and normal
// plans. Of swapped ones the page has 277 and 298 of 2387 and 1983 legal plans in
// all; what tells the few others apart is not in it.
func TestSeedCandidates(t *testing.T) {
	for _, c := range []struct {
		shape SeedShape
		legal int
		kinds [4]int // F16 and F32 stationary, normal, swapped
	}{
		{SeedShape{729, 1152, 4304, 1}, 2388, [4]int{508, 78, 406, 278}},
		{SeedShape{729, 4304, 1152, 1}, 1979, [4]int{385, 66, 377, 291}},
	} {
		got := c.shape.Candidates(mlpCounts, 1472, true, true)
		var kinds [4]int
		seen := map[SeedGemm]bool{}
		for _, g := range got.List {
			if seen[g] {
				t.Errorf("%+v twice", g)
			}
			seen[g] = true
			switch {
			case g.F32:
				kinds[1]++
			case g.Stationary:
				kinds[0]++
			case g.Swapped:
				kinds[3]++
			default:
				kinds[2]++
			}
		}
		if got.Legal != c.legal || kinds != c.kinds {
			t.Errorf("%+v: %d legal, kept %v; want %d, %v", c.shape, got.Legal, kinds, c.legal, c.kinds)
		}
	}
}

// TestSeedFormats: closed sizes are those of the layouts, and a candidate's
// figures those of its formats.
func TestSeedFormats(t *testing.T) {
	s := SeedShape{729, 1152, 4304, 1}
	list := s.Candidates(mlpCounts, 1472, true, true).List
	for i := 0; i < len(list); i += 7 {
		g := &list[i]
		side := s
		if g.Swapped {
			side = s.Swapped()
		}
		f := side.Figures(g)
		left, right, y := g.LeftFormat(), g.RightFormat(), g.ResultFormat()
		dims := [3][2]int{{side.Rows, side.Inner}, {side.Inner, side.Cols}, {side.Rows, side.Cols}}
		for j, format := range []*SeedFormat{&left, &right, &y} {
			rows, cols := dims[j][0], dims[j][1]
			if g.Swapped {
				rows, cols = cols, rows
			}
			shards, err := format.Shards(rows, cols)
			if err != nil {
				t.Fatalf("%+v: %v", *g, err)
			}
			most := 0
			for _, sh := range shards {
				most = max(most, sh.Elements())
			}
			want := int64(most) * format.ElementBytes()
			got := []int64{f.Left.Total(), f.Right.Total(), f.Result.Total()}[j]
			if format.Bytes(rows, cols) != want || got != want {
				t.Errorf("%+v: operand %d has %d bytes, figures say %d, want %d", *g, j, format.Bytes(rows, cols), got, want)
			}
		}
	}
}
