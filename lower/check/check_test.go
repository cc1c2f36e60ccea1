package check_test

import (
	"errors"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/model"
)

var memory = lower.MemoryMap{
	Code:           lower.Range{Start: 0x7c000, End: 0x80000},
	RowTable:       lower.Range{Start: 0x5c000, End: 0x60000},
	Standard:       []lower.Range{{Start: device.RuntimeEnd, End: 0x5c000}, {Start: 0x60000, End: 0x7c000}},
	InterleavedEnd: device.LoaderEnd,
}

// placed is a small program with a gather, a GEMM, a sum and a GELU.
func placed(t *testing.T) *lower.Program { return placedOn(t, 4) }

// placedOn is the program on more tiles, of which four work.
func placedOn(t *testing.T, tiles int) *lower.Program {
	t.Helper()
	left := func(slices int) model.Layout {
		return model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: 4, Replicas: 2, Slices: slices,
			Axes: []model.AxisTiling{{Axis: model.Cols, Parts: 2, Block: 16}}}
	}
	right := model.Layout{Order: model.Order{Kind: model.BlockMajor}, Class: model.Interleaved, Tiles: 4,
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: 2, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: 2, Block: 16, Stride: 2}}}
	result := model.Layout{Order: model.Order{Kind: model.LeftPanel}, Class: model.Interleaved, Tiles: 4,
		Axes: []model.AxisTiling{{Axis: model.Cols, Parts: 2, Block: 16, Stride: 1}, {Axis: model.Rows, Parts: 2, Block: 1, Stride: 2}}}
	plan := &model.Plan{Problem: model.Problem{Tiles: tiles}, Values: []model.PlanValue{
		{Name: "x@home", Rows: 6, Cols: 32, Role: model.RoleInput, Layout: left(2)},
		{Name: "x", Rows: 6, Cols: 32, Layout: left(1)},
		{Name: "w", Rows: 32, Cols: 32, Role: model.RoleWeight, Layout: right},
		{Name: "h", Rows: 6, Cols: 32, Layout: result},
		{Name: "y", Rows: 6, Cols: 32, Role: model.RoleOutput, Layout: result},
	}, Steps: []model.Step{
		{Kind: model.StepMove, In: []int{0}, Out: 1, Phase: 0},
		{Kind: model.StepGemm, In: []int{1, 2}, Out: 3, Phase: 1},
		{Kind: model.StepGelu, In: []int{3}, Out: 4, Phase: model.NoPhase},
	}}
	p, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Place(p, memory); err != nil {
		t.Fatal(err)
	}
	return p
}

// placedInPlace is the program with the own slices of x left in place.
func placedInPlace(t *testing.T) *lower.Program {
	t.Helper()
	plan := placed(t).Plan
	plan.Steps[0].InPlace = true
	p, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Place(p, memory); err != nil {
		t.Fatal(err)
	}
	return p
}

// An item inside another is where it is said to be, and nobody writes there.
func TestInside(t *testing.T) {
	good := placedInPlace(t)
	if err := check.Check(good, memory); err != nil {
		t.Fatal(err)
	}
	slice, host := item(t, good, lower.ItemValue, "x@home"), item(t, good, lower.ItemValue, "x")
	if slice.Inside == nil || slice.Addr != host.Addr+slice.Inside.Offset {
		t.Fatalf("%+v is not in %+v", slice, host)
	}
	for _, c := range []struct {
		name   string
		want   error
		mutate func(p *lower.Program, slice, host *lower.Item)
	}{
		{"elsewhere in it", check.ErrOverlap, func(_ *lower.Program, slice, host *lower.Item) {
			slice.Addr = host.Addr + host.Bytes - slice.Bytes
		}},
		{"said to be nowhere", check.ErrOverlap, func(_ *lower.Program, slice, _ *lower.Item) { slice.Inside = nil }},
		{"said to reach out of it", check.ErrProgram, func(_ *lower.Program, slice, host *lower.Item) {
			slice.Inside = &lower.Ref{Item: slice.Inside.Item, Offset: host.Bytes}
		}},
		{"said to be in itself", check.ErrProgram, func(p *lower.Program, slice, _ *lower.Item) {
			for i := range p.Items {
				if &p.Items[i] == slice {
					slice.Inside = &lower.Ref{Item: int32(i)}
				}
			}
		}},
		{"overwritten", check.ErrOverlap, func(p *lower.Program, slice, _ *lower.Item) {
			for i := range p.Phases[0].Transfers {
				for k := range p.Phases[0].Transfers[i].Dests {
					if d := &p.Phases[0].Transfers[i].Dests[k]; d.Item == slice.Inside.Item {
						d.Offset = slice.Inside.Offset
					}
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := placedInPlace(t)
			c.mutate(p, item(t, p, lower.ItemValue, "x@home"), item(t, p, lower.ItemValue, "x"))
			if err := check.Check(p, memory); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

// item finds the first item of tile 0 of a kind that holds a value.
func item(t *testing.T, p *lower.Program, kind lower.ItemKind, value string) *lower.Item {
	t.Helper()
	for i := range p.Items {
		if it := &p.Items[i]; it.Tile == 0 && it.Kind == kind && p.Plan.Values[it.Value].Name == value {
			return it
		}
	}
	t.Fatalf("no %v of %s", kind, value)
	return nil
}

func TestMutations(t *testing.T) {
	if err := check.Check(placed(t), memory); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		want   error
		mutate func(p *lower.Program, m *lower.MemoryMap)
	}{
		{"two live items share a byte", check.ErrOverlap, func(p *lower.Program, _ *lower.MemoryMap) {
			w, y := item(t, p, lower.ItemValue, "w"), item(t, p, lower.ItemPartial, "h")
			y.Addr = w.Addr + w.Bytes - 32
		}},
		{"wrong class", check.ErrClass, func(p *lower.Program, _ *lower.MemoryMap) { item(t, p, lower.ItemValue, "w").Addr = 0x60000 }},
		{"misaligned", check.ErrAlignment, func(p *lower.Program, _ *lower.MemoryMap) { item(t, p, lower.ItemValue, "w").Addr += 4 }},
		{"apart pair in one element", check.ErrElement, func(p *lower.Program, _ *lower.MemoryMap) {
			a, y := item(t, p, lower.ItemValue, "x"), item(t, p, lower.ItemPartial, "h")
			w := item(t, p, lower.ItemValue, "w")
			a.Addr = device.InterleaveBase + 8192
			w.Addr, y.Addr = device.InterleaveBase, device.InterleaveBase+4096
		}},
		{"kernel operands in one element", check.ErrElement, func(p *lower.Program, _ *lower.MemoryMap) {
			for i := range p.Items {
				p.Items[i].Apart = nil
			}
			item(t, p, lower.ItemValue, "x").Addr = device.InterleaveBase + 8192
		}},
		{"outside the data ranges", check.ErrRange, func(p *lower.Program, _ *lower.MemoryMap) { item(t, p, lower.ItemValue, "x").Addr = 0x50000 }},
		{"in the rows", check.ErrRange, func(p *lower.Program, m *lower.MemoryMap) {
			m.Standard = append(m.Standard, m.RowTable)
			item(t, p, lower.ItemValue, "x").Addr = m.RowTable.Start
		}},
		{"beside the rows", check.ErrElement, func(p *lower.Program, m *lower.MemoryMap) {
			m.RowTable.Start = item(t, p, lower.ItemValue, "x").Addr&^(device.StandardElement-1) + 0x3000
			m.RowTable.End = m.RowTable.Start + 0x100
		}},
		{"in a symbol", check.ErrRange, func(p *lower.Program, m *lower.MemoryMap) {
			m.Symbols = append(m.Symbols, lower.Symbol{Spec: p.Tiles[0][2].Spec, Addr: item(t, p, lower.ItemValue, "x").Addr - 100})
		}},
		{"tail behind SRAM", check.ErrRange, func(p *lower.Program, m *lower.MemoryMap) {
			m.InterleavedEnd = device.SRAMEnd
			y := item(t, p, lower.ItemPartial, "h")
			y.Addr = device.SRAMEnd - y.Bytes
		}},
		{"dies before its use", check.ErrLifetime, func(p *lower.Program, _ *lower.MemoryMap) { item(t, p, lower.ItemPartial, "h").Last-- }},
		{"born after its use", check.ErrLifetime, func(p *lower.Program, _ *lower.MemoryMap) { item(t, p, lower.ItemRemote, "h").First++ }},
		{"weights die", check.ErrLifetime, func(p *lower.Program, _ *lower.MemoryMap) { item(t, p, lower.ItemValue, "w").Last-- }},
		{"operand behind its item", check.ErrOperand, func(p *lower.Program, _ *lower.MemoryMap) { item(t, p, lower.ItemRemote, "h").Bytes -= 8 }},
		{"transfer behind its item", check.ErrOperand, func(p *lower.Program, _ *lower.MemoryMap) { p.Phases[0].Transfers[0].Words += 1000 }},
		{"transfer too long", check.ErrProgram, func(p *lower.Program, _ *lower.MemoryMap) { p.Phases[0].Transfers[0].Words = 4149 }},
		{"transfer to its own tile", check.ErrProgram, func(p *lower.Program, _ *lower.MemoryMap) {
			tr := &p.Phases[0].Transfers[0]
			tr.Dests = append(slices.Clone(tr.Dests), tr.Source)
		}},
		{"half-word transfer", check.ErrAlignment, func(p *lower.Program, _ *lower.MemoryMap) { p.Phases[1].Transfers[0].Source.Offset += 2 }},
		{"phase missing on a tile", check.ErrProgram, func(p *lower.Program, _ *lower.MemoryMap) { p.Tiles[2] = p.Tiles[2][:1] }},
		{"phases swapped on a tile", check.ErrProgram, func(p *lower.Program, _ *lower.MemoryMap) { p.Tiles[1][1].Phase = 1 }},
		{"shard in no item", check.ErrProgram, func(p *lower.Program, _ *lower.MemoryMap) { p.Shards[3][0].Item = 1 << 20 }},
		{"output behind its item", check.ErrOperand, func(p *lower.Program, _ *lower.MemoryMap) { p.Shards[4][0].Offset += 4 }},
		{"argument names no item", check.ErrProgram, func(p *lower.Program, _ *lower.MemoryMap) { p.Tiles[0][2].Args[0].Item = 1 << 20 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, m := placed(t), memory
			m.Standard = slices.Clone(m.Standard)
			c.mutate(p, &m)
			if err := check.Check(p, m); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}
