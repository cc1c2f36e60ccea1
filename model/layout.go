package model

import (
	"encoding/json"
	"fmt"
)

// MemoryClass tells which SRAM region a shard needs (reference: device.md §4).
type MemoryClass uint8

const (
	Standard    MemoryClass = iota // any data address
	Interleaved                    // at or above 0x80000, loads 16 bytes a cycle
)

func (c MemoryClass) String() string {
	if c == Interleaved {
		return "interleaved"
	}
	return "standard"
}

// MarshalText and UnmarshalText give classes their names in JSON.
func (c MemoryClass) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
func (c *MemoryClass) UnmarshalText(b []byte) error {
	switch string(b) {
	case "standard":
		*c = Standard
	case "interleaved":
		*c = Interleaved
	default:
		return fmt.Errorf(`model: memory class: want "standard" or "interleaved", found %q`, b)
	}
	return nil
}

// MarshalText and UnmarshalText give orders their names in JSON.
func (k OrderKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
func (k *OrderKind) UnmarshalText(b []byte) error {
	for i, n := range orderNames {
		if n == string(b) {
			*k = OrderKind(i)
			return nil
		}
	}
	return fmt.Errorf("model: element order: unknown name %q", b)
}

// Layout places a value (a matrix: all axes but the last are folded into rows)
// on tiles. Shard index t, 0 ≤ t < Tiles, holds the part that the strides of
// the axes give it (reference: planspace.md §4.2); Map then says which logical
// tile that is.
type Layout struct {
	Order    Order        `json:"order"`
	Class    MemoryClass  `json:"class"`
	Tiles    int          `json:"tiles"`              // Tv = Replicas · ∏ Parts
	Replicas int          `json:"replicas,omitempty"` // d: how many shards hold each part; default 1
	Axes     []AxisTiling `json:"axes"`
	// Slices cuts the storage of every part in that many nearly equal runs of
	// 16 elements; the ρ-th holder of a part has run ρ mod Slices. 1 (default):
	// every holder has the whole part. Replicas: the value is stored once.
	Slices int     `json:"slices,omitempty"`
	Map    TileMap `json:"map,omitzero"`
}

// sliceGrain is the granularity of Slices in elements: one micro row, 32 bytes.
const sliceGrain = 16

// Shard is what one tile stores of a value.
type Shard struct {
	Index int // shard index in the layout
	Tile  int // logical tile
	Rows  Extent
	Cols  Extent
	// First, End is the run of the part's storage, in elements, that the shard
	// holds: 0 and Rows.Stored()·Cols.Stored() unless the layout is sliced.
	First, End int
}

// Elements is the number of stored elements, padding included.
func (s Shard) Elements() int { return s.End - s.First }

// Whole tells whether the shard holds its whole part.
func (s Shard) Whole() bool { return s.First == 0 && s.End == s.Rows.Stored()*s.Cols.Stored() }

// SameBox tells whether two shards hold (runs of) the same part.
func (s Shard) SameBox(t Shard) bool { return s.Rows == t.Rows && s.Cols == t.Cols }

// Bounds of a layout. They keep layouts from hostile files from exhausting
// memory or overflowing; no useful layout comes near them.
const (
	maxShards       = 1 << 14
	maxLinearShards = 1 << 20
	maxMapEntry     = 1 << 20
)

// Shards lists what every shard index holds of a rows×cols value, in index
// order; a linear layout gives one shard per row piece (planspace.md §4.3).
func (l *Layout) Shards(rows, cols int) ([]Shard, error) {
	if rows < 1 || cols < 1 || rows > MaxElements || cols > MaxElements/rows {
		return nil, fmt.Errorf("model: layout of a %d×%d value: want 1 to %d elements", rows, cols, MaxElements)
	}
	if l.Tiles < 1 || l.Tiles > maxShards || l.Replicas < 0 || l.Replicas > l.Tiles || l.Slices < 0 || l.Order.RowBlock < 0 || l.Order.Kind >= numOrders || l.Class > Interleaved {
		return nil, fmt.Errorf("model: layout wants 1 to %d shards, at most as many replicas, a known order and class, found %+v", maxShards, *l)
	}
	for _, a := range l.Axes {
		if a.Parts < 1 || a.Parts > l.Tiles {
			return nil, fmt.Errorf("model: layout wants 1 to %d parts on an axis, found %d", l.Tiles, a.Parts)
		}
	}
	if len(l.Axes) == 1 && l.Axes[0].Axis == Linear {
		return l.linearShards(rows, cols)
	}
	parts := [3][]Extent{Cols: {{0, cols, cols}}, Rows: {{0, rows, rows}}}
	stride := [3]int{Cols: 1, Rows: 1}
	running := orOne(l.Replicas)
	product := running
	for _, a := range l.Axes {
		if a.Axis != Cols && a.Axis != Rows || len(parts[a.Axis]) != 1 {
			return nil, fmt.Errorf("model: layout splits axis %d twice or it does not exist", a.Axis)
		}
		extent := cols
		if a.Axis == Rows {
			extent = rows
		}
		p, err := a.Split(extent)
		if err != nil {
			return nil, err
		}
		parts[a.Axis] = p
		stride[a.Axis] = running
		if a.Stride > 0 {
			stride[a.Axis] = a.Stride
		}
		running *= a.Parts
		product *= a.Parts
	}
	if product != l.Tiles {
		return nil, fmt.Errorf("model: layout of %d shards has %d parts and replicas", l.Tiles, product)
	}
	nr, nc := len(parts[Rows]), len(parts[Cols])
	holders := make([]int, nr*nc)
	slices := orOne(l.Slices)
	shards := make([]Shard, l.Tiles)
	for t := range l.Tiles {
		ri, ci := t/stride[Rows]%nr, t/stride[Cols]%nc
		r, c := parts[Rows][ri], parts[Cols][ci]
		tile, err := l.Map.Tile(t)
		if err != nil {
			return nil, err
		}
		s := Shard{Index: t, Tile: tile, Rows: r, Cols: c, End: r.Stored() * c.Stored()}
		if err := l.Order.Check(r.Stored(), c.Stored(), 16); err != nil {
			return nil, err
		}
		if slices > 1 {
			if s.End%sliceGrain != 0 {
				return nil, fmt.Errorf("model: a part of %d elements cannot be sliced by %d", s.End, sliceGrain)
			}
			first, n := longFirst(s.End/sliceGrain, slices, holders[ri*nc+ci]%slices)
			s.First, s.End = first*sliceGrain, (first+n)*sliceGrain
		}
		holders[ri*nc+ci]++
		shards[t] = s
	}
	for _, h := range holders {
		if h != orOne(l.Replicas) {
			return nil, fmt.Errorf("model: a part lies on %d shards, want %d replicas", h, orOne(l.Replicas))
		}
	}
	return shards, nil
}

func (l *Layout) linearShards(rows, cols int) ([]Shard, error) {
	a, n := l.Axes[0], rows*cols
	if rows+l.Tiles > maxLinearShards {
		return nil, fmt.Errorf("model: linear layout of %d rows: want at most %d pieces", rows, maxLinearShards)
	}
	if a.Parts != l.Tiles || orOne(l.Replicas) != 1 || orOne(l.Slices) != 1 {
		return nil, fmt.Errorf("model: linear layout wants as many parts as shards and one replica, found %+v", *l)
	}
	if a.Block < 1 || n%a.Block != 0 || n/a.Block < l.Tiles || l.Tiles < 1 {
		return nil, fmt.Errorf("model: linear layout: grain %d does not deal %d elements to %d shards", a.Block, n, l.Tiles)
	}
	var shards []Shard
	for t := range l.Tiles {
		tile, err := l.Map.Tile(t)
		if err != nil {
			return nil, err
		}
		first, count := longFirst(n/a.Block, l.Tiles, t)
		for at, end := first*a.Block, (first+count)*a.Block; at < end; {
			row, col := at/cols, at%cols
			width := min(cols-col, end-at)
			s := Shard{Index: t, Tile: tile, Rows: Extent{row, row + 1, row + 1}, Cols: Extent{col, col + width, col + width}, End: width}
			if err := l.Order.Check(1, width, 16); err != nil {
				return nil, err
			}
			shards = append(shards, s)
			at += width
		}
	}
	return shards, nil
}

// TileMap says on which logical tile a shard index lies. The zero map is the
// identity. It is kept as runs, so that a rotation, a stride or a permutation
// by blocks stays short in text.
type TileMap struct{ runs []tileRun }

// tileRun maps Count consecutive indices to First, First+Step, …
type tileRun struct{ First, Step, Count int }

// NewTileMap builds the map that sends index i to tiles[i].
func NewTileMap(tiles []int) TileMap {
	var m TileMap
	identity := true
	for i, t := range tiles {
		identity = identity && t == i
		if n := len(m.runs); n > 0 {
			r := &m.runs[n-1]
			if r.Count == 1 {
				r.Step = t - r.First
			}
			if r.First+r.Step*r.Count == t {
				r.Count++
				continue
			}
		}
		m.runs = append(m.runs, tileRun{t, 1, 1})
	}
	if identity {
		return TileMap{}
	}
	for i := range m.runs {
		if m.runs[i].Count == 1 {
			m.runs[i].Step = 1
		}
	}
	return m
}

// Rotation maps index i of n to tile (i+offset) mod tiles (lowering.md §3).
func Rotation(n, offset, tiles int) TileMap {
	list := make([]int, n)
	for i := range list {
		list[i] = (i + offset) % tiles
	}
	return NewTileMap(list)
}

// IsZero reports whether the map is the identity.
func (m TileMap) IsZero() bool { return len(m.runs) == 0 }

// Tile is the logical tile of shard index i.
func (m TileMap) Tile(i int) (int, error) {
	if m.IsZero() {
		return i, nil
	}
	for at, r := 0, 0; r < len(m.runs); r++ {
		if i < at+m.runs[r].Count {
			return m.runs[r].First + m.runs[r].Step*(i-at), nil
		}
		at += m.runs[r].Count
	}
	return 0, fmt.Errorf("model: tile map has no entry for shard %d", i)
}

// MarshalJSON writes runs as [first, step, count] triples.
func (m TileMap) MarshalJSON() ([]byte, error) {
	list := make([][3]int, len(m.runs))
	for i, r := range m.runs {
		list[i] = [3]int{r.First, r.Step, r.Count}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads the triples back.
func (m *TileMap) UnmarshalJSON(b []byte) error {
	var list [][3]int
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("model: tile map: want a list of [first, step, count]: %w", err)
	}
	m.runs = nil
	for i, r := range list {
		if r[2] < 1 || r[2] > maxMapEntry || r[0] < 0 || r[0] > maxMapEntry || r[1] < -maxMapEntry || r[1] > maxMapEntry ||
			r[0]+r[1]*(r[2]-1) < 0 || r[0]+r[1]*(r[2]-1) > maxMapEntry {
			return fmt.Errorf("model: tile map run %d: want a positive count and tiles 0 to %d, found %v", i, maxMapEntry, r)
		}
		m.runs = append(m.runs, tileRun{r[0], r[1], r[2]})
	}
	return nil
}
