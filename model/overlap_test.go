package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDefinedReachesEndOfPanel(t *testing.T) {
	s := Shard{Rows: Extent{10, 13, 14}, Cols: Extent{32, 50, 80}}
	if got, want := s.Defined(Order{Kind: LeftPanel}), (Box{10, 13, 32, 64}); got != want {
		t.Errorf("panelled: %+v, want %+v", got, want)
	}
	if got, want := s.Defined(Order{Kind: RowMajor}), (Box{10, 13, 32, 50}); got != want {
		t.Errorf("row-major: %+v, want %+v", got, want)
	}
	turned := Shard{Rows: Extent{32, 50, 80}, Cols: Extent{16, 29, 32}}
	for _, kind := range []OrderKind{TransposedLeft, TransposedBlockMajor} {
		if got, want := turned.Defined(Order{Kind: kind}), (Box{32, 64, 16, 32}); got != want {
			t.Errorf("%v: %+v, want %+v", kind, got, want)
		}
	}
	// Columns of transposed-left shards may be cut anywhere.
	turned.Cols = Extent{10, 13, 13}
	if got, want := turned.Defined(Order{Kind: TransposedLeft}), (Box{32, 64, 10, 13}); got != want {
		t.Errorf("single columns: %+v, want %+v", got, want)
	}
}

// Meet finds what comparing with every shard finds.
func TestMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 90).Draw(t, "cols")
		var l Layout
		if rapid.Bool().Draw(t, "linear") {
			n := rapid.IntRange(1, min(12, rows*cols)).Draw(t, "tiles")
			l = Layout{Tiles: n, Axes: []AxisTiling{{Axis: Linear, Parts: n, Block: 1}}}
		} else {
			r, c, d := rapid.IntRange(1, 6).Draw(t, "r"), rapid.IntRange(1, 6).Draw(t, "c"), rapid.IntRange(1, 3).Draw(t, "d")
			kind := rapid.SampledFrom([]OrderKind{LeftPanel, TransposedLeft, TransposedBlockMajor, BlockMajor}).Draw(t, "order")
			across, down := 16, 16
			switch kind { // the other axis may be cut anywhere
			case LeftPanel:
				down = rapid.IntRange(1, 3).Draw(t, "block")
			case TransposedLeft:
				across = rapid.IntRange(1, 3).Draw(t, "block")
			default: // no empty parts: blocks as high as a shard have no height there
				r, c = min(r, (rows+15)/16), min(c, (cols+15)/16)
			}
			l = Layout{Order: Order{Kind: kind}, Tiles: r * c * d, Replicas: d, Slices: rapid.IntRange(1, d).Draw(t, "slices"), Axes: []AxisTiling{
				{Axis: Cols, Parts: c, Block: across}, {Axis: Rows, Parts: r, Block: down}}}
		}
		shards, err := l.Shards(rows, cols)
		if err != nil {
			t.Fatal(err)
		}
		index := NewShardIndex(shards, l.Order)
		r0, c0 := rapid.IntRange(0, rows).Draw(t, "r0"), rapid.IntRange(0, cols+16).Draw(t, "c0")
		box := Box{r0, r0 + rapid.IntRange(0, 20).Draw(t, "height"), c0, c0 + rapid.IntRange(0, 50).Draw(t, "width")}
		want, got := map[int]Box{}, map[int]Box{}
		for i, s := range shards {
			if b := s.Defined(l.Order).Intersect(box); !b.Empty() {
				want[i] = b
			}
		}
		last := Box{-1, 0, -1, 0}
		index.Meet(box, func(i int, common Box) {
			if _, twice := got[i]; twice {
				t.Fatalf("shard %d is reported twice", i)
			}
			at := shards[i].Defined(l.Order)
			if at.R0 < last.R0 || at.R0 == last.R0 && at.C0 < last.C0 {
				t.Fatalf("shard %d is out of order", i)
			}
			got[i], last = common, at
		})
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("box %+v: %s", box, d)
		}
	})
}

func TestBox(t *testing.T) {
	b := Box{0, 2, 3, 7}
	if b.Elements() != 8 || b.Empty() || !b.Intersect(Box{2, 5, 0, 9}).Empty() || b.Intersect(Box{1, 5, 5, 9}).Elements() != 2 {
		t.Error("boxes do not count their elements")
	}
}
