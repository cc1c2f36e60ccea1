package cost

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"ipusolve/model"
)

// conversionByElement recounts a direct retile element by element.
func conversionByElement(from, to []model.Shard, tiles int) (pairOut, tileIn, local, routes int64) {
	in, kept, out := make([]int64, tiles), make([]int64, tiles), make([]int64, (tiles+1)/2)
	type key struct{ r, c int }
	holders := map[key][]model.Shard{}
	each := func(s model.Shard, f func(key)) {
		for r := s.Rows.Start; r < s.Rows.Logical; r++ {
			for c := s.Cols.Start; c < s.Cols.Logical; c++ {
				f(key{r, c})
			}
		}
	}
	for _, s := range from {
		each(s, func(k key) { holders[k] = append(holders[k], s) })
	}
	type route struct {
		src, dst model.Box
	}
	seen := map[route]bool{}
	sent := map[[6]int]bool{} // sender, element and destination box
	for _, s := range to {
		each(s, func(k key) {
			for _, h := range holders[k] {
				if h.Index == s.Index {
					kept[s.Index] += 2
					return
				}
			}
			in[s.Index] += 2
			first := holders[k][0]
			if id := [6]int{first.Index, k.r, k.c, s.Rows.Start, s.Cols.Start, s.Rows.Logical}; !sent[id] {
				sent[id] = true
				out[first.Index/2] += 2
			}
			seen[route{logicalBox(first), logicalBox(s)}] = true
		})
	}
	top := func(list []int64) (n int64) {
		for _, v := range list {
			n = max(n, v)
		}
		return n
	}
	return top(out), top(in), top(kept), int64(len(seen))
}

func TestSeedRetileBruteForce(t *testing.T) {
	const tiles = 64
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(4, 20).Draw(t, "rows"), 16*rapid.IntRange(1, 6).Draw(t, "panels")
		layout := func(name string) *model.Layout {
			l := &model.Layout{Order: model.Order{Kind: model.LeftPanel}}
			if rapid.Bool().Draw(t, name+" linear") {
				l.Tiles = rapid.IntRange(1, rows*cols/16).Draw(t, name+" tiles")
				l.Tiles = min(l.Tiles, tiles)
				l.Axes = []model.AxisTiling{{Axis: model.Linear, Parts: l.Tiles, Block: 16}}
				return l
			}
			r, c := rapid.IntRange(1, 4).Draw(t, name+" r"), rapid.IntRange(1, 4).Draw(t, name+" c")
			l.Replicas = rapid.IntRange(1, 4).Draw(t, name+" replicas")
			l.Tiles = r * c * l.Replicas
			l.Axes = []model.AxisTiling{{Axis: model.Cols, Parts: c, Block: 16}, {Axis: model.Rows, Parts: r, Block: 2}}
			return l
		}
		from, to := layout("from"), layout("to")
		c, err := SeedRearrange(from, to, rows, cols, tiles, SeedRectangles)
		if err != nil {
			t.Fatal(err)
		}
		src, _ := from.Shards(rows, cols)
		dst, _ := to.Shards(rows, cols)
		pairOut, tileIn, local, routes := conversionByElement(src, dst, tiles)
		if c.PairOut != pairOut || c.TileIn != tileIn || c.LocalBytes != local || c.Routes != routes {
			t.Fatalf("%v → %v: %+v, want pair out %d, tile in %d, local %d, routes %d", from, to, *c, pairOut, tileIn, local, routes)
		}
	})
}

// Runs of a piece cover it once, in whole elements, and pair the same elements.
func TestSeedRunsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := func(name string, kinds ...model.OrderKind) seedBox {
			return seedBox{model.Order{Kind: rapid.SampledFrom(kinds).Draw(t, name)}, 32, 48, 0, 0}
		}
		logical := rapid.Bool().Draw(t, "logical")
		kinds := []model.OrderKind{model.RowMajor, model.LeftPanel, model.OutputPanel, model.TransposedLeft, model.BlockMajor, model.TransposedRight}
		src := box("src", kinds...)
		dst := box("dst", kinds...)
		if !logical {
			dst.order = src.order
		}
		r0, c0 := rapid.IntRange(0, 31).Draw(t, "r0"), rapid.IntRange(0, 47).Draw(t, "c0")
		piece := model.Box{R0: r0, R1: rapid.IntRange(r0+1, 32).Draw(t, "r1"), C0: c0, C1: rapid.IntRange(c0+1, 48).Draw(t, "c1")}
		var w seedWalk
		w.between(src, dst, piece, logical)
		want := map[int64]int64{} // source offset → destination offset
		for r := piece.R0; r < piece.R1; r++ {
			for c := piece.C0; c < piece.C1; c++ {
				want[2*int64(src.order.Offset(32, 48, r, c, 16))] = 2 * int64(dst.order.Offset(32, 48, r, c, 16))
			}
		}
		for i, run := range w.runs {
			for at := int64(0); at < run.bytes; at += 2 {
				d, ok := want[run.src+at]
				if !ok || d != run.dst+at {
					t.Fatalf("run %d %+v takes byte %d to %d, want %d", i, run, run.src+at, run.dst+at, d)
				}
				delete(want, run.src+at)
			}
			if i > 0 && w.runs[i-1].src+w.runs[i-1].bytes == run.src && w.runs[i-1].dst+w.runs[i-1].bytes == run.dst {
				t.Fatalf("runs %d and %d are one", i-1, i)
			}
		}
		if len(want) > 0 {
			t.Fatalf("%d elements are in no run", len(want))
		}
	})
}

// What strategy each pair of orders gets (reference: costmodel.md §7).
func TestSeedStrategies(t *testing.T) {
	layout := func(kind model.OrderKind, tiles int) *model.Layout {
		return &model.Layout{Order: model.Order{Kind: kind}, Tiles: tiles, Axes: []model.AxisTiling{{Axis: model.Rows, Parts: tiles, Block: 16}}}
	}
	left, rowMajor, transposed := layout(model.LeftPanel, 4), layout(model.RowMajor, 2), layout(model.TransposedLeft, 4)
	for _, c := range []struct {
		name           string
		from, to       *model.Layout
		rule           SeedRule
		strategy       SeedStrategy
		cycles, chunks int64
	}{
		// 64×64 elements, 32 rows on each of two tiles to 16 rows on each of four,
		// whole rows of 128 bytes; tile 1 holds none of its 16 rows, the pair sends
		// rows 16–63. Of 1472 tiles 4 are active.
		{"rectangles", rowMajor, left, SeedRectangles, SeedLogical, (1536 + 600 + 512 + 288) * 368, 3},
		// Panels cut rows in runs of 32 bytes: 64 a tile in, 192 a pair out, and
		// staging costs a transform but no fragments.
		{"runs", rowMajor, left, SeedByteRuns, SeedStaged, (1536 + 600 + 512 + 2*288) * 368, 3},
	} {
		got, err := SeedRearrange(c.from, c.to, 64, 64, 1472, c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got.Strategy != c.strategy || got.Cost.Total() != c.cycles || got.Chunks != c.chunks {
			t.Errorf("%s: %s, %d chunks, %v = %d, want %s, %d chunks, %d", c.name, got.Strategy, got.Chunks, got.Cost, got.Cost.Total(), c.strategy, c.chunks, c.cycles)
		}
	}
	for _, to := range []*model.Layout{left, rowMajor} {
		if _, err := SeedRearrange(transposed, to, 64, 64, 1472, SeedByteRuns); !errors.Is(err, ErrImpossible) {
			t.Errorf("transposed left to %v: %v, want ErrImpossible", to, err)
		}
	}
	same, err := SeedRearrange(left, left, 64, 64, 1472, SeedRectangles)
	if err != nil || same.Phases != 0 || same.Chunks != 0 || same.Cost.Exchange() != 0 {
		t.Errorf("no change of layout: %+v, %v", same, err)
	}
}
