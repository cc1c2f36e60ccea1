package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Reference: planspace.md §4.5 and lowering.md §2.
func TestSplitWorked(t *testing.T) {
	starts := func(list []Extent) []int {
		var s []int
		for _, e := range list {
			s = append(s, e.Start)
		}
		return s
	}
	for _, c := range []struct {
		name        string
		axis        AxisTiling
		extent      int
		starts      []int // of the first parts
		last        Extent
		parts, long int
	}{
		{"x rows", AxisTiling{Parts: 2, Block: 2}, 729, []int{0, 366}, Extent{366, 729, 730}, 2, 366},
		{"x inner", AxisTiling{Parts: 5, Block: 240}, 1152, []int{0, 240, 480, 720, 960}, Extent{960, 1152, 1200}, 5, 240},
		{"w1 columns", AxisTiling{Parts: 135, Block: 16}, 4304, []int{0, 32, 64}, Extent{4288, 4304, 4304}, 135, 32},
		{"h rows", AxisTiling{Parts: 10, Block: 2}, 729, []int{0, 74, 148, 222, 296, 370, 442, 514, 586, 658}, Extent{658, 729, 730}, 10, 74},
		{"g rows", AxisTiling{Parts: 4, Block: 2}, 729, []int{0, 184, 366, 548}, Extent{548, 729, 730}, 4, 184},
		{"g inner", AxisTiling{Parts: 15, Block: 288}, 4304, []int{0, 288}, Extent{4032, 4304, 4320}, 15, 288},
		{"w2 columns", AxisTiling{Parts: 24, Block: 16}, 1152, []int{0, 48}, Extent{1104, 1152, 1152}, 24, 48},
		{"y rows", AxisTiling{Parts: 60, Block: 2}, 729, []int{0, 14, 28, 42, 56, 70, 82}, Extent{718, 729, 730}, 60, 14},
	} {
		got, err := c.axis.Split(c.extent)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.starts, starts(got)[:len(c.starts)]); d != "" {
			t.Errorf("%s: starts %s", c.name, d)
		}
		if len(got) != c.parts || got[0].Stored() != c.long || got[len(got)-1] != c.last {
			t.Errorf("%s: %d parts, first %+v, last %+v", c.name, len(got), got[0], got[len(got)-1])
		}
	}
	groups := AxisTiling{Parts: 32, Block: 16, Groups: 16}
	got, err := groups.Split(1152)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Extent{{0, 48, 48}, {48, 72, 80}, {72, 120, 120}, {120, 144, 152}}, got[:4]); d != "" {
		t.Errorf("groups: %s", d)
	}
	padded := AxisTiling{Parts: 3, Block: 4, ShardPad: 16}
	if got, err = padded.Split(100); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Extent{{0, 36, 48}, {36, 68, 68}, {68, 100, 100}}, got); d != "" {
		t.Errorf("shard padding: %s", d)
	}
}

func TestSplitRejects(t *testing.T) {
	for name, c := range map[string]struct {
		axis   AxisTiling
		extent int
	}{
		"rejected padding":       {AxisTiling{Parts: 2, Block: 2, Reject: true}, 729},
		"groups and extent":      {AxisTiling{Parts: 4, Block: 1, Groups: 4}, 10},
		"groups and parts":       {AxisTiling{Parts: 3, Block: 1, Groups: 2}, 10},
		"block and padding":      {AxisTiling{Parts: 2, Block: 4, Pad: 5}, 10},
		"outer parts":            {AxisTiling{Parts: 6, Block: 1, Nest: 4}, 100},
		"no parts":               {AxisTiling{Block: 1}, 10},
		"no block":               {AxisTiling{Parts: 1}, 10},
		"too large to represent": {AxisTiling{Parts: 1, Block: 1 << 62}, 10},
	} {
		if got, err := c.axis.Split(c.extent); err == nil {
			t.Errorf("%s: accepted as %v", name, got)
		}
	}
}

// Parts tile the axis, long parts first, and an outer split's boundaries are
// boundaries of the nested one.
func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nest := rapid.IntRange(1, 5).Draw(t, "nest")
		a := AxisTiling{Parts: nest * rapid.IntRange(1, 6).Draw(t, "perOuter"), Block: rapid.IntRange(1, 20).Draw(t, "block"), Nest: nest}
		extent := rapid.IntRange(1, 500).Draw(t, "extent")
		parts, err := a.Split(extent)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for i, p := range parts {
			if p.Len() > 0 && p.Start != at {
				t.Fatalf("part %d of %+v starts at %d, want %d", i, a, p.Start, at)
			}
			at += p.Len()
			if p.Stored()%a.Block != 0 || p.Stored() < p.Len() {
				t.Fatalf("part %d of %+v: %+v", i, a, p)
			}
		}
		if at != extent {
			t.Fatalf("parts of %+v hold %d of %d", a, at, extent)
		}
		outer, err := AxisTiling{Parts: nest, Block: a.Block}.Split(extent)
		if err != nil {
			t.Fatal(err)
		}
		for o, p := range outer {
			if first := parts[o*a.Parts/nest]; first.Start != p.Start {
				t.Fatalf("outer part %d starts at %d, its first inner part at %d", o, p.Start, first.Start)
			}
		}
	})
}
