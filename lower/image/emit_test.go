package image_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/kernels"
	"ipusolve/lower"
	"ipusolve/lower/image"
	"ipusolve/model"
	"ipusolve/model/space"
)

var update = flag.Bool("update", false, "rewrite golden files")

// tiny moves x, 2×16 on tile 0, to tile 1 and copies it there to y. The other 62
// tiles only join the barriers.
func tiny(t testing.TB) lowered {
	t.Helper()
	row := func(tile int) model.Layout {
		return model.Layout{Tiles: 1, Map: model.NewTileMap([]int{tile})}
	}
	plan := &model.Plan{Schema: model.PlanSchema, Problem: model.Problem{Tiles: device.TileBatch, Graph: model.Graph{Values: []model.GraphValue{
		{Name: "x", Shape: []int{1, 2, 16}, Role: model.RoleInput}, {Name: "y", Shape: []int{1, 2, 16}}}, Outputs: []string{"y"}}},
		Values: []model.PlanValue{
			{Name: "x", Graph: "x", Rows: 2, Cols: 16, Role: model.RoleInput, Layout: row(0)},
			{Name: "x@there", Graph: "x", Rows: 2, Cols: 16, Layout: row(1)},
			{Name: "y@there", Graph: "y", Rows: 2, Cols: 16, Role: model.RoleOutput, Layout: row(1)}},
		Steps: []model.Step{{Kind: model.StepMove, Op: "send", In: []int{0}, Out: 1}, {Kind: model.StepMove, Op: "copy", In: []int{1}, Out: 2, Phase: model.NoPhase}}}
	item := func(tile, value, first, last int32) lower.Item {
		return lower.Item{Tile: tile, Value: value, Bytes: 64, Align: 8, First: first, Last: last}
	}
	at := func(item int32) []lower.Location { return []lower.Location{{Ref: lower.Ref{Item: item}, Bytes: 64}} }
	prog := &lower.Program{Plan: plan, Items: []lower.Item{item(0, 0, 0, 1), item(1, 1, 1, 2), item(1, 2, 2, 3)},
		Tiles:  make([][]lower.Work, device.TileBatch),
		Phases: []lower.Phase{{Reason: lower.ReasonOperand, Op: "send", Transfers: []lower.Transfer{{Source: lower.Ref{Item: 0}, Dests: []lower.Ref{{Item: 1}}, Words: 16}}}},
		Shards: [][]lower.Location{at(0), at(1), at(2)}, Roots: []int{0, 0}}
	for i := range prog.Tiles {
		prog.Tiles[i] = []lower.Work{{Kind: lower.WorkExchange}}
	}
	prog.Tiles[1] = append(prog.Tiles[1], lower.Work{Kind: lower.WorkCall, Step: 1, Spec: kernels.Spec{Kind: kernels.Copy64},
		Args: []lower.Arg{lower.Addr(lower.Ref{Item: 2}), lower.Addr(lower.Ref{Item: 1}), lower.Const(1), lower.Const(2)}})
	l := place(t, prog)
	l.rows[0] = schedulePhase(t, prog.Exchange(0))
	return l
}

// listing is a tile image as text: routines by name, all else disassembled.
func listing(t testing.TB, app *ipuexe.Application, tile int) string {
	t.Helper()
	var b strings.Builder
	img := &app.Tiles[tile]
	fmt.Fprintf(&b, "tile %d, physical %d, entry %#x\n", tile, img.PhysicalTile, img.EntryPoint)
	for _, s := range img.Segments {
		fmt.Fprintf(&b, "\nsegment %#x, %d bytes, flags %d\n", s.Address, s.MemorySize, s.Flags)
		named := false
		for _, y := range app.DebugSymbols {
			if y.Address >= s.Address && y.Address < s.Address+s.MemorySize {
				fmt.Fprintf(&b, "%#x %s\n", y.Address, y.Name)
				named = true
			}
		}
		if named || len(s.Data) == 0 {
			continue
		}
		words := make([]uint32, len(s.Data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(s.Data[4*i:])
		}
		b.WriteString(device.Disassemble(words, s.Address))
	}
	return b.String()
}

func TestTinyGolden(t *testing.T) {
	app := tiny(t).emit(t)
	got := listing(t, app, 0) + "\n" + listing(t, app, 1) + "\n" + listing(t, app, 2)
	file := filepath.Join("testdata", "tiny.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

func TestTinyRecords(t *testing.T) {
	l := tiny(t)
	app := l.emit(t)
	slice := func(item, physical int) []ipuexe.RegionSlice {
		return []ipuexe.RegionSlice{{Tile: uint32(physical), TileAddress: l.prog.Items[item].Addr, Size: 64}}
	}
	if d := cmp.Diff([]ipuexe.Binding{{Name: "x", DType: ipuexe.F16, Shape: []uint32{1, 2, 16}, Slices: slice(0, 0)}}, app.Inputs); d != "" {
		t.Error(d)
	}
	var names []string
	for _, b := range app.Outputs {
		names = append(names, b.Name)
	}
	if d := cmp.Diff([]string{"y", "profile.start-cycle", "profile.end-cycle", "completion"}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(slice(2, 2), app.Outputs[0].Slices); d != "" {
		t.Error(d)
	}
	// exchange.md §4: 16 words from physical 0 to 2; the row's words say how long.
	steps := app.ProfileTiles[1].Steps
	events := steps[0].ExchangeEventCycles
	if events < 16+52 || events > 16+52+100 {
		t.Errorf("row of %d events", events)
	}
	want := []ipuexe.Step{
		{Phase: 0x80000000, Operation: "move send", Kind: ipuexe.StepExchange, ExchangeEventCycles: events,
			Metadata: []ipuexe.Metadata{{Name: ipuexe.SentWords}, {Name: ipuexe.ReceivedWords, Value: 16}}},
		{LocalIndex: 1, Phase: 1, Operation: "move copy", Kind: ipuexe.StepCompute, Kernel: "copy_64"},
	}
	if d := cmp.Diff(want, steps); d != "" {
		t.Error(d)
	}
	region := ipuexe.DebugRegion{PhysicalTile: 2, Address: l.prog.Items[2].Addr, Size: 64, Name: "y@there"}
	if !slices.Contains(app.DebugRegions, region) {
		t.Errorf("no region %+v in %+v", region, app.DebugRegions)
	}
}

// Reserve's code size is exact: the longest program fills the area.
func TestCodeFillsArea(t *testing.T) {
	for _, l := range []lowered{tiny(t), smallMLP(t)} {
		app := l.emit(t)
		longest := uint32(0)
		for i := range app.Tiles {
			for _, s := range app.Tiles[i].Segments {
				if s.Address == l.m.Code.Start {
					longest = max(longest, s.MemorySize)
				}
			}
		}
		if room := l.m.Code.End - l.m.Code.Start; longest != room {
			t.Errorf("longest program %d bytes, area %d", longest, room)
		}
	}
}

// smallMLP exchanges, multiplies, sums, applies GELU and copies on 64 tiles.
func smallMLP(t testing.TB) lowered {
	t.Helper()
	p := mlpProblem(t, 7, 48, 80, 64)
	chain, err := space.NewChain(p)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := chain.Plan(p, space.Choice{Vias: []space.Via{space.InResult, space.InResult}, Gemms: []space.Gemm{
		{R: 2, Q: 5, K: 3, Rho: 3, Kappa: 1, Interleaved: true, Gathered: true}, {R: 3, Q: 3, K: 5, Rho: 1, Kappa: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return lowerPlan(t, plan)
}

func TestEmitRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(*lowered)
	}{
		{"no symbol", "copy_64 has no address in the memory map", func(l *lowered) { l.m.Symbols = l.m.Symbols[1:] }},
		{"code area", "bytes in an area of 16", func(l *lowered) { l.m.Code.End = l.m.Code.Start + 16 }},
		{"arguments", "copy_64 with 3 arguments, want 4", func(l *lowered) { w := &l.prog.Tiles[1][1]; w.Args = w.Args[:3] }},
		{"row without end", "row of phase 0: does not end", func(l *lowered) { r := &l.rows[0][0]; *r = (*r)[:len(*r)-1] }},
		{"row of other words", "in an exchange row", func(l *lowered) { l.rows[0][0] = append(mustEncode(t, device.Sync(3)), l.rows[0][0]...) }},
		{"return inside", "does not end with its only return", func(l *lowered) { l.rows[0][0] = append(mustEncode(t, device.Return()), l.rows[0][0]...) }},
		{"no words", "row of phase 0: word 0", func(l *lowered) { l.rows[0][0] = []uint32{image.Filler} }},
		{"graph", `the graph has no value "y"`, func(l *lowered) { g := &l.prog.Plan.Problem.Graph; g.Values = g.Values[:1] }},
		{"phases", "rows of 2 phases", func(l *lowered) { l.rows = append(l.rows, nil) }},
		{"tiles", "rows of 63 tiles", func(l *lowered) { l.rows[0] = l.rows[0][1:] }},
	} {
		l := tiny(t)
		c.spoil(&l)
		if _, err := image.Emit(l.prog, l.m, l.rows, image.Meta{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	l := tiny(t)
	l.rows[0][3] = append(slices.Repeat(mustEncode(t, device.Delay(1)), 5000), mustEncode(t, device.Return())...)
	_, err := image.Emit(l.prog, l.m, l.rows, image.Meta{})
	if short := reserveError(t, err); short.Need != 4*5001 || short.Tile != 3 {
		t.Errorf("%+v", short)
	}
}

func mustEncode(t testing.TB, in device.Instr) []uint32 {
	t.Helper()
	w, err := in.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func leBytes(words []uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
