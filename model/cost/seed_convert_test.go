package cost

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ipusolve/model"
)

// TestSeedConvert: region by region and shard by shard give the same figures.
func TestSeedConvert(t *testing.T) {
	const tiles = 64
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(4, 24).Draw(t, "rows"), rapid.SampledFrom([]int{16, 24, 32, 48, 7 * 16, 33}).Draw(t, "cols")
		layout := func(name string) *model.Layout {
			kind := rapid.SampledFrom([]model.OrderKind{model.LeftPanel, model.LeftPanel, model.OutputPanel, model.RowMajor, model.TransposedLeft}).Draw(t, name)
			l := &model.Layout{Order: model.Order{Kind: kind}}
			if rapid.Bool().Draw(t, name+" linear") {
				grain := 16
				if kind == model.RowMajor {
					grain = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, name+" grain")
				}
				if rows*cols%grain != 0 || kind == model.TransposedLeft {
					t.Skip()
				}
				l.Tiles = min(rapid.IntRange(1, rows*cols/grain).Draw(t, name+" tiles"), tiles)
				l.Axes = []model.AxisTiling{{Axis: model.Linear, Parts: l.Tiles, Block: grain}}
				return l
			}
			r, c := rapid.IntRange(1, 4).Draw(t, name+" r"), rapid.IntRange(1, 4).Draw(t, name+" c")
			l.Replicas = rapid.IntRange(1, 4).Draw(t, name+" replicas")
			l.Tiles = r * c * l.Replicas
			l.Axes = []model.AxisTiling{{Axis: model.Cols, Parts: c, Block: 16}, {Axis: model.Rows, Parts: r, Block: rapid.SampledFrom([]int{1, 2, 16}).Draw(t, name+" block")}}
			if rapid.Bool().Draw(t, name+" strides") {
				l.Axes[0].Stride = 1
				l.Axes[1].Stride = c
			}
			return l
		}
		from, to := layout("from"), layout("to")
		want, wantErr := SeedRearrange(from, to, rows, cols, tiles, SeedRectangles)
		src, err := NewSeedLayout(from, rows, cols)
		if err != nil {
			t.Skip()
		}
		dst, err := NewSeedLayout(to, rows, cols)
		if err != nil {
			t.Skip()
		}
		got, err := SeedConvert(src, dst, f16Bytes, tiles)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v → %v: %v, want %v", from, to, err, wantErr)
		}
		if err != nil {
			return
		}
		want.Runs = 0
		if want.Strategy == SeedStaged {
			want.Strategy = got.Strategy
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%v → %v: %s", from, to, d)
		}
	})
}
