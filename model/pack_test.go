package model_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ipusolve/model"
)

// randomValue draws a value in any order and layout that can be stored.
func randomValue(t *rapid.T) *model.PlanValue {
	draw := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	v := &model.PlanValue{Name: "v", Rows: draw("rows", 1, 70), Cols: draw("cols", 1, 70)}
	kind := model.OrderKind(draw("order", 0, 7))
	if draw("linear", 0, 7) == 0 {
		v.Cols *= 16
		order, grain := model.RowMajor, rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "grain")
		if rapid.Bool().Draw(t, "panels") {
			order, grain = model.LeftPanel, 16
		}
		n := draw("tiles", 1, v.Rows*v.Cols/grain/8+1)
		v.Layout = model.Layout{Order: model.Order{Kind: order}, Tiles: n, Axes: []model.AxisTiling{{Axis: model.Linear, Parts: n, Block: grain}}}
		return v
	}
	block := 1
	if kind != model.RowMajor {
		block = 16
	}
	pr, pc, copies := draw("row parts", 1, 4), draw("column parts", 1, 4), draw("replicas", 1, 4)
	l := model.Layout{Order: model.Order{Kind: kind}, Tiles: pr * pc * copies, Replicas: copies}
	// A part holds whole blocks; in orders without row panels rows are free.
	rowBlock := block
	if kind == model.LeftPanel || kind == model.OutputPanel {
		rowBlock = draw("row block", 1, 3)
	}
	colBlock := block
	if kind == model.TransposedLeft || kind == model.TransposedOutput {
		colBlock = draw("column block", 1, 3)
	}
	rows := model.AxisTiling{Axis: model.Rows, Parts: pr, Block: rowBlock, ShardPad: rowBlock * draw("row pad", 1, 2)}
	cols := model.AxisTiling{Axis: model.Cols, Parts: pc, Block: colBlock, ShardPad: colBlock * draw("column pad", 1, 2)}
	if rapid.Bool().Draw(t, "row blocks") {
		switch kind { // two row blocks in each part
		case model.BlockMajor:
			l.Order.RowBlock, rows.ShardPad = 16, 32
		case model.TransposedBlockMajor:
			l.Order.RowBlock, cols.ShardPad = 16, 32
		}
	}
	l.Axes = []model.AxisTiling{rows, cols}
	if rapid.Bool().Draw(t, "columns first") {
		slices.Reverse(l.Axes)
	}
	if kind != model.RowMajor && rapid.Bool().Draw(t, "sliced") {
		l.Slices = draw("slices", 1, copies)
	}
	v.Layout = l
	return v
}

func randomTensor(n int) []uint16 {
	x := make([]uint16, n)
	for i := range x {
		x[i] = uint16(40503*(i+1)) | 1 // never zero, unlike padding
	}
	return x
}

// naivePack places every element by Order.Offset.
func naivePack(v *model.PlanValue, tensor []uint16) ([]byte, error) {
	shards, err := v.Layout.Shards(v.Rows, v.Cols)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, s := range shards {
		R, C := s.Rows.Stored(), s.Cols.Stored()
		part := make([]byte, 2*R*C)
		for r := s.Rows.Start; r < s.Rows.Logical; r++ {
			for c := s.Cols.Start; c < s.Cols.Logical; c++ {
				at := v.Layout.Order.Offset(R, C, r-s.Rows.Start, c-s.Cols.Start, 16)
				binary.LittleEndian.PutUint16(part[2*at:], tensor[r*v.Cols+c])
			}
		}
		data = append(data, part[2*s.First:2*s.End]...)
	}
	return data, nil
}

func TestPackAllLayouts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := randomValue(t)
		tensor := randomTensor(v.Rows * v.Cols)
		want, err := naivePack(v, tensor)
		got, errPack := model.Pack(v, tensor)
		if (err == nil) != (errPack == nil) {
			t.Fatalf("layout: %v, Pack: %v", err, errPack)
		}
		if err != nil {
			t.Skip(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v packs wrongly", v)
		}
		back, err := model.Unpack(v, got)
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		if !slices.Equal(back, tensor) {
			t.Fatalf("%+v unpacks wrongly", v)
		}
	})
}

// weight is a loaded operand: 48×40 in 3×2 parts of two replicas, as stored on
// every holder (1 slice) or once (2).
func weight(slices int) *model.PlanValue {
	return &model.PlanValue{Name: "w", Rows: 48, Cols: 40, Layout: model.Layout{Order: model.Order{Kind: model.BlockMajor}, Tiles: 12, Replicas: 2, Slices: slices,
		Axes: []model.AxisTiling{{Axis: model.Rows, Parts: 3, Block: 16}, {Axis: model.Cols, Parts: 2, Block: 16}}}}
}

func TestUnpackRefuses(t *testing.T) {
	tensor := randomTensor(48 * 40)
	pack := func(v *model.PlanValue) []byte {
		data, err := model.Pack(v, tensor)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	replicated, once := pack(weight(1)), pack(weight(2))
	// 3 row parts of 16 rows, columns 0..31 and 32..39 (16 stored).
	if n := 2 * 2 * 48 * 48; len(replicated) != n || len(once) != n/2 {
		t.Fatalf("%d and %d bytes, want %d and half of it", len(replicated), len(once), n)
	}
	if _, err := model.Unpack(weight(1), replicated[2:]); !errors.Is(err, model.ErrPackSize) {
		t.Errorf("short data: %v", err)
	}
	if _, err := model.Pack(weight(1), tensor[1:]); !errors.Is(err, model.ErrPackSize) {
		t.Errorf("short tensor: %v", err)
	}
	replicated[0] ^= 0x10
	if _, err := model.Unpack(weight(1), replicated); !errors.Is(err, model.ErrCopies) {
		t.Errorf("first copy changed: %v", err)
	}
	replicated[0] ^= 0x10
	// Column 41, which is padding, behind the six shards of columns 0..31.
	padding := 2 * (6*16*32 + 9*16)
	replicated[padding] = 1
	if got, err := model.Unpack(weight(1), replicated); err != nil || !slices.Equal(got, tensor) {
		t.Errorf("padding changed: %v", err)
	}
	three := weight(3) // the third slice of every part is nowhere
	if _, err := model.Unpack(three, pack(three)); !errors.Is(err, model.ErrCoverage) {
		t.Errorf("a slice without holder: %v", err)
	}
	huge := weight(1)
	huge.Layout.Tiles, huge.Layout.Replicas, huge.Layout.Slices = 1<<14, 1<<14, 0
	huge.Layout.Axes, huge.Rows, huge.Cols = nil, 1<<12, 1<<12
	if _, err := model.Pack(huge, make([]uint16, 1<<24)); !errors.Is(err, model.ErrPackSize) {
		t.Errorf("a value larger than the device: %v", err)
	}
}

func BenchmarkPack(b *testing.B) {
	for _, c := range []struct {
		name string
		v    *model.PlanValue
	}{
		{"preplaced x", &model.PlanValue{Rows: 729, Cols: 1152, Layout: model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: 1350, Replicas: 135,
			Axes: []model.AxisTiling{{Axis: model.Cols, Parts: 5, Block: 240}, {Axis: model.Rows, Parts: 2, Block: 2}}}}},
		{"resident w", &model.PlanValue{Rows: 1152, Cols: 4304, Layout: model.Layout{Order: model.Order{Kind: model.BlockMajor}, Tiles: 1440, Replicas: 4,
			Axes: []model.AxisTiling{{Axis: model.Cols, Parts: 90, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: 4, Block: 16, Stride: 90}}}}},
	} {
		tensor := randomTensor(c.v.Rows * c.v.Cols)
		data, err := model.Pack(c.v, tensor)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("pack "+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := model.Pack(c.v, tensor); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("unpack "+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := model.Unpack(c.v, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
