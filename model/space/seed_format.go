package space

import (
	"encoding/binary"

	"ipusolve/model"
)

// SeedFormat is how family `seed` stores a value: precision and layout
// (reference: planspace.md §2). Layouts of formats carry no tile map and no
// slices.
type SeedFormat struct {
	F32 bool
	model.Layout
}

// ElementBytes is the size of an element.
func (f *SeedFormat) ElementBytes() int64 {
	if f.F32 {
		return 4
	}
	return 2
}

// Elements is E of a rows×cols value, the stored elements of the largest shard
// (reference: planspace.md §4.4).
func (f *SeedFormat) Elements(rows, cols int) int64 {
	if len(f.Axes) == 1 && f.Axes[0].Axis == model.Linear {
		return int64(f.Axes[0].Block) * ceil64(rows*cols/f.Axes[0].Block, f.Tiles)
	}
	extent := [3]int{model.Cols: cols, model.Rows: rows}
	for _, a := range f.Axes {
		extent[a.Axis] = a.Block * ceil(ceil(extent[a.Axis], a.Block), a.Parts)
	}
	return int64(extent[model.Cols]) * int64(extent[model.Rows])
}

// Logical is the elements of a rows×cols value that the largest shard holds,
// without padding.
func (f *SeedFormat) Logical(rows, cols int) int64 {
	if len(f.Axes) == 1 && f.Axes[0].Axis == model.Linear {
		return f.Elements(rows, cols)
	}
	extent := [3]int{model.Cols: cols, model.Rows: rows}
	for _, a := range f.Axes { // the first part is full, unless it is the only one
		extent[a.Axis] = min(extent[a.Axis], a.Block*ceil(ceil(extent[a.Axis], a.Block), a.Parts))
	}
	return int64(extent[model.Cols]) * int64(extent[model.Rows])
}

// Bytes is S of a rows×cols value: Elements in bytes.
func (f *SeedFormat) Bytes(rows, cols int) int64 { return f.Elements(rows, cols) * f.ElementBytes() }

// Key is equal for equal formats only.
func (f *SeedFormat) Key() string {
	var b []byte
	add := func(numbers ...int) {
		for _, n := range numbers {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	add(int(f.ElementBytes()), int(f.Order.Kind), f.Order.RowBlock, int(f.Class), f.Tiles, f.Replicas)
	for _, a := range f.Axes {
		reject := 0
		if a.Reject {
			reject = 1
		}
		add(a.Axis, a.Parts, a.Block, a.Stride, reject)
	}
	return string(b)
}

// seedFormat is a format on a grid of shards: axes in the order of their default
// strides.
func seedFormat(order model.Order, class model.MemoryClass, replicas int, axes ...model.AxisTiling) SeedFormat {
	f := SeedFormat{Layout: model.Layout{Order: order, Class: class, Tiles: replicas, Replicas: replicas, Axes: axes}}
	for _, a := range axes {
		f.Tiles *= a.Parts
	}
	return f
}

// SeedProvisional is the format of a graph input that no operation has read: its
// rows are dealt to all tiles (reference: planspace.md §10.2).
func SeedProvisional(rows, tiles int) SeedFormat {
	return seedFormat(model.Order{}, model.Standard, 1, model.AxisTiling{Axis: model.Rows, Parts: tiles, Block: 1})
}

// LinearOutput is the row-major layout in which a rows×cols result is left for
// the host where the problem wants linear outputs.
func LinearOutput(rows, cols, tiles int) model.Layout {
	return Shape{M: rows, N: cols, Tiles: tiles}.linear(model.RowMajor)
}
