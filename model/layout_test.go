package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func shardsOf(t *testing.T, l Layout, rows, cols int) []Shard {
	t.Helper()
	shards, err := l.Shards(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	return shards
}

func largest(shards []Shard) int {
	n := 0
	for _, s := range shards {
		n = max(n, 2*s.Elements())
	}
	return n
}

// The layouts of the first seed log.
var (
	seedX = Layout{Order: Order{Kind: LeftPanel}, Tiles: 1350, Replicas: 135, Axes: []AxisTiling{
		{Axis: Cols, Parts: 5, Block: 240}, {Axis: Rows, Parts: 2, Block: 2}}}
	seedW1 = Layout{Order: Order{Kind: BlockMajor, RowBlock: 240}, Class: Interleaved, Tiles: 675, Axes: []AxisTiling{
		{Axis: Cols, Parts: 135, Block: 16, Stride: 1}, {Axis: Rows, Parts: 5, Block: 240}}}
	seedH = Layout{Order: Order{Kind: LeftPanel}, Class: Interleaved, Tiles: 1350, Axes: []AxisTiling{
		{Axis: Cols, Parts: 135, Block: 16, Stride: 1}, {Axis: Rows, Parts: 10, Block: 2, Stride: 135}}}
	seedLinear = Layout{Order: Order{Kind: LeftPanel}, Class: Interleaved, Tiles: 1472, Axes: []AxisTiling{
		{Axis: Linear, Parts: 1472, Block: 16, Reject: true}}}
	seedG = Layout{Order: Order{Kind: LeftPanel}, Tiles: 1440, Replicas: 24, Axes: []AxisTiling{
		{Axis: Cols, Parts: 15, Block: 288}, {Axis: Rows, Parts: 4, Block: 2}}}
	seedW2 = Layout{Order: Order{Kind: BlockMajor, RowBlock: 288}, Class: Interleaved, Tiles: 360, Map: Rotation(360, 675, 1472), Axes: []AxisTiling{
		{Axis: Cols, Parts: 24, Block: 16, Stride: 1}, {Axis: Rows, Parts: 15, Block: 288}}}
	seedY = Layout{Order: Order{Kind: LeftPanel}, Class: Interleaved, Tiles: 1440, Axes: []AxisTiling{
		{Axis: Cols, Parts: 24, Block: 16, Stride: 1}, {Axis: Rows, Parts: 60, Block: 2, Stride: 24}}}
)

// Reference: planspace.md §4.5, lowering.md §2.
func TestSeedShards(t *testing.T) {
	type at struct{ tile, r0, rl, rp, c0, cl, cp int }
	for _, c := range []struct {
		name       string
		layout     Layout
		rows, cols int
		shards     int
		bytes      int // largest shard
		at         []at
	}{
		{"x", seedX, 729, 1152, 1350, 175680, []at{
			{0, 0, 366, 366, 0, 240, 240}, {675, 366, 729, 730, 0, 240, 240}, {540, 0, 366, 366, 960, 1152, 1200}, {1000, 366, 729, 730, 480, 720, 720}}},
		{"w1", seedW1, 1152, 4304, 675, 15360, []at{{500, 720, 960, 960, 3040, 3072, 3072}, {134, 0, 240, 240, 4288, 4304, 4304}}},
		{"h", seedH, 729, 4304, 1350, 4736, []at{{777, 370, 442, 442, 3264, 3296, 3296}}},
		{"linear", seedLinear, 729, 4304, 2195, 4288, []at{{0, 0, 1, 1, 0, 2144, 2144}}},
		{"g", seedG, 729, 4304, 1440, 105984, []at{{1000, 366, 548, 548, 3168, 3456, 3456}}},
		{"w2", seedW2, 4304, 1152, 360, 27648, []at{{675, 0, 288, 288, 0, 48, 48}, {675 + 359, 4032, 4304, 4320, 1104, 1152, 1152}}},
		{"y", seedY, 729, 1152, 1440, 1344, []at{{24 * 59, 718, 729, 730, 0, 48, 48}}},
	} {
		shards := shardsOf(t, c.layout, c.rows, c.cols)
		if len(shards) != c.shards || largest(shards) != c.bytes {
			t.Errorf("%s: %d shards of at most %d bytes, want %d of %d", c.name, len(shards), largest(shards), c.shards, c.bytes)
		}
		for _, a := range c.at {
			want := Shard{Tile: a.tile, Rows: Extent{a.r0, a.rl, a.rp}, Cols: Extent{a.c0, a.cl, a.cp}, End: (a.rp - a.r0) * (a.cp - a.c0)}
			found := false
			for _, s := range shards {
				if s.Tile == a.tile {
					want.Index, found = s.Index, true
					if s != want {
						t.Errorf("%s tile %d: %+v, want %+v", c.name, a.tile, s, want)
					}
					break
				}
			}
			if !found {
				t.Errorf("%s: tile %d holds nothing", c.name, a.tile)
			}
		}
	}
}

// All shards of the first seed's values (reference: lowering.md §2).
func TestSeedShardTotal(t *testing.T) {
	total := 0
	for _, c := range []struct {
		layout     Layout
		rows, cols int
	}{{seedX, 729, 1152}, {seedW1, 1152, 4304}, {seedH, 729, 4304}, {seedLinear, 729, 4304}, {seedLinear, 729, 4304},
		{seedG, 729, 4304}, {seedW2, 4304, 1152}, {seedY, 729, 1152}} {
		total += len(shardsOf(t, c.layout, c.rows, c.cols))
	}
	if total != 11005 {
		t.Errorf("%d shards, want 11005", total)
	}
}

func TestSeedW1Sizes(t *testing.T) {
	count := map[int]int{}
	for _, s := range shardsOf(t, seedW1, 1152, 4304) {
		count[2*s.Elements()]++
	}
	if d := cmp.Diff(map[int]int{15360: 670, 7680: 5}, count); d != "" {
		t.Error(d)
	}
}

// Linear ownership: grains per tile, and a tile whose interval crosses a row
// (reference: planspace.md §4.5).
func TestLinearPieces(t *testing.T) {
	grains := map[int]int{}
	var tile2 []Box
	for _, s := range shardsOf(t, seedLinear, 729, 4304) {
		grains[s.Tile] += s.Elements() / 16
		if s.Tile == 2 {
			tile2 = append(tile2, Box{s.Rows.Start, s.Rows.Logical, s.Cols.Start, s.Cols.Logical})
		}
	}
	byCount := map[int]int{}
	for _, n := range grains {
		byCount[n]++
	}
	if d := cmp.Diff(map[int]int{134: 325, 133: 1147}, byCount); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Box{{0, 1, 4288, 4304}, {1, 2, 0, 2128}}, tile2); d != "" {
		t.Error(d)
	}
}

// Every element lies in exactly Replicas shards, or in one slice per Slices
// replicas, and slices of a part follow each other.
func TestShardsCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.IntRange(1, 4).Draw(t, "replicas")
		slices := rapid.IntRange(1, replicas).Draw(t, "slices")
		rowParts, colParts := rapid.IntRange(1, 5).Draw(t, "rowParts"), rapid.IntRange(1, 5).Draw(t, "colParts")
		rows, cols := rapid.IntRange(rowParts, 60).Draw(t, "rows"), 16*rapid.IntRange(1, 12).Draw(t, "panels")
		l := Layout{Order: Order{Kind: LeftPanel}, Tiles: replicas * rowParts * colParts, Replicas: replicas, Slices: slices, Axes: []AxisTiling{
			{Axis: Cols, Parts: colParts, Block: 16}, {Axis: Rows, Parts: rowParts, Block: rapid.IntRange(1, 4).Draw(t, "block")}}}
		if rapid.Bool().Draw(t, "columns fast") {
			l.Axes[0].Stride, l.Axes[1].Stride = 1, colParts
		}
		shards, err := l.Shards(rows, cols)
		if err != nil {
			t.Fatal(err)
		}
		type part struct{ rows, cols Extent }
		held := map[part][]Shard{}
		elements := 0
		for _, s := range shards {
			if s.Rows.Stored() == 0 || s.Cols.Stored() == 0 {
				continue
			}
			p := part{s.Rows, s.Cols}
			if len(held[p]) == 0 {
				elements += s.Rows.Len() * s.Cols.Len()
			}
			held[p] = append(held[p], s)
		}
		if elements != rows*cols {
			t.Fatalf("parts hold %d of %d elements", elements, rows*cols)
		}
		for p, list := range held {
			if len(list) != replicas {
				t.Fatalf("part %+v lies on %d shards, want %d", p, len(list), replicas)
			}
			at := 0
			for i, s := range list {
				if i%slices == 0 {
					at = 0
				}
				if s.First != at {
					t.Fatalf("slice %d of %+v starts at %d, want %d", i, p, s.First, at)
				}
				if at = s.End; i%slices == slices-1 && at != p.rows.Stored()*p.cols.Stored() {
					t.Fatalf("slices of %+v end at %d", p, at)
				}
			}
		}
	})
}

func TestShardsReject(t *testing.T) {
	base := func(change func(*Layout)) Layout {
		l := seedH
		l.Axes = append([]AxisTiling(nil), seedH.Axes...)
		change(&l)
		return l
	}
	for name, l := range map[string]Layout{
		"product":       base(func(l *Layout) { l.Tiles-- }),
		"axis twice":    base(func(l *Layout) { l.Axes[1].Axis = Cols }),
		"unknown axis":  base(func(l *Layout) { l.Axes[1].Axis = 3 }),
		"uneven stride": base(func(l *Layout) { l.Axes[1].Stride = 7 }),
		"many tiles":    base(func(l *Layout) { l.Tiles = 1 << 40; l.Replicas = 1 << 40 / 1350 }),
		"many parts":    base(func(l *Layout) { l.Axes[0].Parts = 1 << 60 }),
		"order":         base(func(l *Layout) { l.Order.Kind = numOrders }),
		"row block":     base(func(l *Layout) { l.Order = Order{Kind: BlockMajor, RowBlock: -16} }),
		"short map":     base(func(l *Layout) { l.Map = Rotation(10, 3, 64) }),
		"unfit order":   base(func(l *Layout) { l.Axes[0].Block = 8 }),
		"linear grain":  {Tiles: 2, Axes: []AxisTiling{{Axis: Linear, Parts: 2, Block: 7}}},
		"linear parts":  {Tiles: 2, Axes: []AxisTiling{{Axis: Linear, Parts: 1, Block: 8}}},
		"linear copies": {Tiles: 2, Replicas: 2, Axes: []AxisTiling{{Axis: Linear, Parts: 2, Block: 8}}},
	} {
		if _, err := l.Shards(729, 4304); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	tall := Layout{Tiles: 2, Axes: []AxisTiling{{Axis: Linear, Parts: 2, Block: 1}}}
	if _, err := tall.Shards(MaxElements, 1); err == nil {
		t.Error("a linear layout of 2^30 rows was listed")
	}
}

func TestTileMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tiles := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 30).Draw(t, "tiles")
		m := NewTileMap(tiles)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back TileMap
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i, want := range tiles {
			for _, m := range []TileMap{m, back} {
				if got, err := m.Tile(i); err != nil || got != want {
					t.Fatalf("%s: index %d lies on %d (%v), want %d", text, i, got, err, want)
				}
			}
		}
		if again, _ := json.Marshal(back); string(again) != string(text) {
			t.Fatalf("%s becomes %s", text, again)
		}
	})
	for want, m := range map[string]TileMap{
		"[[675,1,360]]":           Rotation(360, 675, 1472),
		"[[1470,1,2],[0,1,2]]":    Rotation(4, 1470, 1472),
		"[[0,2,3],[1,2,3]]":       NewTileMap([]int{0, 2, 4, 1, 3, 5}),
		"[]":                      NewTileMap([]int{0, 1, 2}),
		"[[5,-1,3],[7,1,1]]":      NewTileMap([]int{5, 4, 3, 7}),
		"[[1000,1,472],[0,1,28]]": Rotation(500, 1000, 1472),
	} {
		if got, _ := json.Marshal(m); string(got) != want {
			t.Errorf("map is %s, want %s", got, want)
		}
	}
}

func FuzzTileMap(f *testing.F) {
	f.Add(`[[675,1,360]]`)
	f.Add(`[[0,9223372036854775807,9223372036854775807]]`)
	f.Fuzz(func(t *testing.T, text string) {
		var m TileMap
		if json.Unmarshal([]byte(text), &m) != nil {
			return
		}
		if tile, err := m.Tile(0); err == nil && tile < 0 {
			t.Fatalf("index 0 lies on tile %d", tile)
		}
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back TileMap
		if err := json.Unmarshal(out, &back); err != nil || back.String() != m.String() {
			t.Fatalf("%s does not read back: %v", out, err)
		}
	})
}

func TestLayoutText(t *testing.T) {
	nested := Layout{Order: Order{Kind: RowMajor}, Tiles: 24, Replicas: 4, Slices: 4, Map: NewTileMap([]int{3, 1, 4, 1, 5, 9, 2, 6}), Axes: []AxisTiling{
		{Axis: Rows, Parts: 6, Block: 1, Pad: 4, Groups: 2, ShardPad: 8, Nest: 3, Reject: true, Stride: 5}}}
	for want, l := range map[string]Layout{
		"left standard 1350 shards ×135 · cols 5×240 · rows 2×2":                                                 seedX,
		"block-major(288) interleaved 360 shards · cols 24×16 @1 · rows 15×288 · on 675…1034":                    seedW2,
		"left interleaved 1472 shards · linear 1472×16 exact":                                                    seedLinear,
		"row-major standard 24 shards ×4 in 4 slices · rows 6×1 pad 4 groups 2 shardpad 8 nest 3 exact @5 · on ": {},
	} {
		if l.Tiles == 0 {
			if got := nested.String(); !strings.HasPrefix(got, want) {
				t.Errorf("text is %q, want prefix %q", got, want)
			}
			continue
		}
		if got := l.String(); got != want {
			t.Errorf("text is %q, want %q", got, want)
		}
	}
	if got, want := nested.Map.String(), "3…1 by -2, 4…1 by -3, 5…9 by 4, (1 more runs)"; got != want {
		t.Errorf("map is %q, want %q", got, want)
	}
}

func TestNames(t *testing.T) {
	for k := range numOrders {
		text, _ := k.MarshalText()
		var back OrderKind
		if err := back.UnmarshalText(text); err != nil || back != k {
			t.Errorf("order %v reads back as %v: %v", k, back, err)
		}
	}
	for _, c := range []MemoryClass{Standard, Interleaved} {
		text, _ := c.MarshalText()
		var back MemoryClass
		if err := back.UnmarshalText(text); err != nil || back != c {
			t.Errorf("class %v reads back as %v: %v", c, back, err)
		}
	}
	if new(OrderKind).UnmarshalText([]byte("amp")) == nil || new(MemoryClass).UnmarshalText([]byte("slow")) == nil {
		t.Error("unknown names are accepted")
	}
}
