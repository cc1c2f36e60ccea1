package sim_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
)

// transferProgram sends 64 words from tile 5 to tile 100 and 60 on to 200, with
// the rows given.
func transferProgram(tb testing.TB, r rows) *builder {
	b := newBuilder(tb, 5, 100, 200)
	b.tiles[5].block(sendBase, 64, 5)
	b.tiles[100].block(sendBase, 100, 100)
	b.tiles[5].exchange(0, r[0], 60, 0)
	b.tiles[100].exchange(0, r[1], 100, 60)
	b.tiles[200].exchange(0, r[2], 0, 100)
	for _, p := range b.tiles {
		p.halt()
	}
	b.output("y", 100, dataBase, 60)
	b.output("z", 200, dataBase, 100)
	return b
}

// goodRows are the rows of exchange.md §8.4, fifth case, from sendBase.
func goodRows(tb testing.TB) rows {
	p100, p200 := device.Physical(100), device.Physical(200)
	dir := device.Direction(p100, p200)
	row5 := sendAt(tb, 5, 100, 32, 60, sendBase)
	row100 := words(tb,
		device.DelayXPIC(1, 0, 130), device.Delay(35),
		device.Send(1, sendBase/4, dir), device.SendOff(23, 0, dir),
		device.SendPICP(64, sendBase/4+24, dir, 0, device.NeutralSource, 0, dataBase/4),
		device.SendOff(12, 0, dir), device.Return())
	return rows{row5, row100, receiveRow(tb, 100, 200, 36, 100, dataBase)}
}

func TestGoodRows(t *testing.T) {
	b := transferProgram(t, goodRows(t))
	m, _ := b.mustRun()
	wants(t, m, "y", part(5, 0, 60))
	wants(t, m, "z", part(100, 0, 100))
}

type rows [3][]uint32

// TestMutations spoils one thing of a good phase; each must be named.
func TestMutations(t *testing.T) {
	replace := func(row []uint32, from, to device.Instr) []uint32 {
		f, w := words(t, from), words(t, to)
		i := slices.Index(row, f[0])
		if i < 0 || len(f) != len(w) {
			t.Fatalf("no %v in the row", from)
		}
		return slices.Replace(slices.Clone(row), i, i+len(f), w...)
	}
	row5, row100, row200 := unpack(goodRows(t))
	p100, p200 := device.Physical(100), device.Physical(200)
	dir := device.Direction(p100, p200)
	pair := device.SendPICP(64, sendBase/4+24, dir, 0, device.NeutralSource, 0, dataBase/4)
	withPair := func(change func(*device.Instr)) []uint32 {
		in := pair
		change(&in)
		return replace(row100, pair, in)
	}
	for _, c := range []struct {
		name string
		rows rows
		rule string
		code device.ETYPE
		recv device.ReceiveError
		tile int
	}{
		{"send one event late", rows{replace(row5, device.Delay(32), device.Delay(33)), row100, row200}, sim.RuleLanes, 0, 0, 100},
		{"send one event early", rows{replace(row5, device.Delay(32), device.Delay(31)), row100, row200}, sim.RuleLanes, 0, 0, 100},
		{"forwarded send late", rows{row5, words(t,
			device.DelayXPIC(1, 0, 130), device.Delay(36),
			device.Send(1, sendBase/4, dir), device.SendOff(22, 0, dir),
			device.SendPICP(64, sendBase/4+23, dir, 0, device.NeutralSource, 0, dataBase/4),
			device.SendOff(13, 0, dir), device.Return()), row200}, sim.RuleLanes, 0, 0, 200},
		{"neutral dropped", rows{row5, withPair(func(in *device.Instr) { in.XPIC = 130 }), row200}, sim.RuleLanes, 0, 0, 100},
		{"source changed", rows{replace(row5, device.Delay(32), device.Delay(32)), replace(row100, device.DelayXPIC(1, 0, 130), device.DelayXPIC(1, 0, 64)), row200}, sim.RuleLanes, 0, 0, 100},
		{"source in the wrong event", rows{row5, replace(row100, device.DelayXPIC(1, 0, 130), device.DelayXPIC(2, 0, 130)), row200}, sim.RuleLanes, 0, 0, 100},
		{"direction bit missing", rows{replace(row5, device.Send(60, sendBase/4, 1), device.Send(60, sendBase/4, 2)), row100, row200}, sim.RuleLanes, 0, 0, 100},
		{"pointer outside SRAM", rows{row5, withPair(func(in *device.Instr) { in.PIC = 0x3ffff }), row200}, sim.RulePointer, device.ExcExchange, device.RecvAddress, 100},
		{"pointer into code", rows{row5, withPair(func(in *device.Instr) { in.PIC = codeBase / 4 }), row200}, sim.RuleMemory, device.ExcExchange, device.RecvFetchClash, 100},
		{"pointer dropped", rows{row5, withPair(func(in *device.Instr) { in.PSel = device.SelFormat; in.PIC = 0 }), row200}, sim.RulePointer, device.ExcExchange, device.RecvConfiguration, 100},
		{"pointer into the send's element", rows{row5, withPair(func(in *device.Instr) { in.PIC = (sendBase + 0x400) / 4 }), row200}, "E2", device.ExcMemoryConflict, 0, 100},
		{"pointer into the row's element", rows{row5, withPair(func(in *device.Instr) { in.PIC = (rowBase + 0x3000) / 4 }), row200}, "E1", device.ExcExchange, device.RecvFetchClash, 100},
		{"send from the row's element", rows{replace(row5, device.Send(60, sendBase/4, 1), device.Send(60, rowBase/4, 1)), row100, row200}, "E1", device.ExcMemoryConflict, 0, 5},
		{"format 3", rows{row5, withPair(func(in *device.Instr) { in.PSel = device.SelFormat; in.PIC = 3 }), row200}, sim.RuleRow, device.ExcExchangeConfig, 0, 100},
		{"no such source", rows{row5, withPair(func(in *device.Instr) { in.XPIC = 1472 }), row200}, sim.RuleSource, device.ExcExchangeConfig, 0, 100},
		{"row too short", rows{row5, row100, replace(row200, device.Delay(device.WriteDelay(p200)+5), device.Delay(device.WriteDelay(p200)+4))}, "R14", device.ExcExchange, device.RecvWorkers, 200},
		{"send outside SRAM", rows{replace(row5, device.Send(60, sendBase/4, 1), device.Send(60, 0x3ffff, 1)), row100, row200}, sim.RuleMemory, device.ExcAddress, 0, 5},
		{"unwritten send", rows{replace(row5, device.Send(60, sendBase/4, 1), device.Send(60, sendBase/4+5, 1)), row100, row200}, sim.RuleUnwritten, 0, 0, 5},
		{"misaligned sendpicp", rows{row5, append(words(t, device.Delay(1)), row100...), row200}, "R12", device.ExcInstruction, 0, 100},
		{"sendoff without send", rows{replace(row5, device.Send(60, sendBase/4, 1), device.SendOff(60, 0, 1)), row100, row200}, sim.RuleRow, device.ExcExchangeConfig, 0, 5},
		{"sendpic without send", rows{replace(row5, device.Send(60, sendBase/4, 1), device.SendPIC(60, 0, device.NeutralSource)), row100, row200}, "R5", device.ExcExchangeConfig, 0, 5},
		{"controls on a first event", rows{row5, withPair(func(in *device.Instr) { in.Addr++ }), row200}, "R5", device.ExcExchangeConfig, 0, 100},
		{"word that is no instruction", rows{append([]uint32{filler}, row5...), row100, row200}, sim.RuleFetch, device.ExcInstruction, 0, 5},
		{"row of the other tile", rows{row100, row100, row200}, sim.RuleUnwritten, 0, 0, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := transferProgram(t, c.rows).run()
			e := asError(t, err)
			if c.tile < 0 {
				return // some named error
			}
			if e.Rule != c.rule || e.Code != c.code || e.Receive != c.recv || e.Tile != c.tile || e.Phase != 0 || e.Event < 0 {
				t.Errorf("%v\nwant rule %s on tile %d, %v, %v", err, c.rule, c.tile, c.code, c.recv)
			}
			if !strings.Contains(e.Listing, "\n> ") && !strings.HasPrefix(e.Listing, "> ") {
				t.Errorf("listing without mark:\n%s", e.Listing)
			}
			if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "(physical ") || !strings.Contains(err.Error(), "phase 0 step 0 (move) event ") {
				t.Errorf("error text %q", err)
			}
		})
	}
}

// TestPointerChanged: a pointer that is legal but wrong shows in the data.
func TestPointerChanged(t *testing.T) {
	row5, row100, row200 := unpack(goodRows(t))
	i := slices.Index(row100, words(t, device.SendPICP(64, sendBase/4+24, device.Direction(device.Physical(100), device.Physical(200)), 0, device.NeutralSource, 0, dataBase/4))[0])
	row100[i+1]++
	m, _ := transferProgram(t, rows{row5, row100, row200}).mustRun()
	got, err := m.Output("y")
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(got, bytesOf(part(5, 0, 60))) {
		t.Error("a changed pointer gives the same data")
	}
}

// TestCounts: a lost pair of send and receive is seen by the metadata only.
func TestCounts(t *testing.T) {
	empty := words(t, device.Delay(10), device.Return())
	_, _, err := transferProgram(t, rows{empty, empty, empty}).run()
	if e := asError(t, err); e.Rule != sim.RuleCounts || e.Tile != 5 {
		t.Error(err)
	}
	m := transferProgram(t, rows{empty, empty, empty}).machine(sim.Options{Lenient: true})
	r, err := m.Run(context.Background())
	if err != nil || len(r.Warnings) != 1 || r.Warnings[0].Rule != sim.RuleCounts || r.Warnings[0].Count != 3 || r.Warnings[0].First.Tile != 5 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestSegmentErrors reaches every error of a segment.
func TestSegmentErrors(t *testing.T) {
	const x, y, inter = dataBase, 0x6c000, 0x88000
	for _, c := range []struct {
		name string
		code func(p *program)
		rule string
		etyp device.ETYPE
	}{
		{"no instruction", func(p *program) { p.code = append(p.code, filler) }, sim.RuleFetch, device.ExcInstruction},
		{"filler of a kernel", func(p *program) { p.emit(device.Call(device.M10, p.b.symbol(copy64)+8)) }, sim.RuleFetch, device.ExcInstruction},
		{"call to data", func(p *program) { p.emit(device.Call(device.M10, x)) }, sim.RuleFetch, device.ExcProgramCounter},
		{"call behind the executable limit", func(p *program) { p.emit(device.Call(device.M10, 0x80000)) }, sim.RuleFetch, device.ExcProgramCounter},
		{"branch to an odd address", func(p *program) { p.emit(device.SetZI(device.M1, codeBase+2), device.BR(device.M1)) }, sim.RuleFetch, device.ExcProgramCounter},
		{"end of code", func(p *program) { p.emit(device.Nop()) }, sim.RuleFetch, device.ExcProgramCounter},
		{"kernel called by another register", func(p *program) {
			p.emit(device.SetZI(device.M2, y), device.SetZI(device.M3, 1), device.SetZI(device.M4, 0), device.Call(device.M7, p.b.symbol(fillZero)))
		}, sim.RuleFetch, device.ExcProgramCounter},
		{"fill of nothing", func(p *program) { p.call(fillZero, y, 0, 0) }, sim.RuleKernel, device.ExcOperand},
		{"barrier called by m10", func(p *program) { p.emit(device.Call(device.M10, p.b.symbol(barrier))) }, sim.RuleFetch, device.ExcProgramCounter},
		{"trap 0", func(p *program) { p.emit(device.Trap(0)) }, sim.RuleTrap, device.ExcPatchedBreak0},
		{"trap 1", func(p *program) { p.emit(device.Trap(1)) }, sim.RuleTrap, device.ExcPatchedBreak1},
		{"send outside a row", func(p *program) { p.emit(device.Send(1, x/4, 1)) }, sim.RuleRow, device.ExcExchangeConfig},
		{"load outside SRAM", func(p *program) { p.emit(device.Ld32(device.M1, device.M15, device.M15, 0)) }, sim.RuleMemory, device.ExcAddress},
		{"misaligned store", func(p *program) {
			p.emit(device.SetZI(device.M1, y+2), device.St32(device.M1, device.M1, device.M15, 0))
		}, sim.RuleMemory, device.ExcAddress},
		{"store into code", func(p *program) {
			p.emit(device.SetZI(device.M1, codeBase), device.St32(device.M1, device.M1, device.M15, 0))
		}, sim.RuleMemory, device.ExcAddress},
		{"load of unwritten", func(p *program) {
			p.emit(device.SetZI(device.M1, y), device.Ld32(device.M1, device.M1, device.M15, 0))
		}, sim.RuleUnwritten, device.ExcNone},
		{"copy of unwritten", func(p *program) { p.call(copy32, y, y+0x100, 4) }, sim.RuleUnwritten, device.ExcNone},
		{"copy over code", func(p *program) { p.call(copy32, codeBase, x, 4) }, sim.RuleKernel, device.ExcAddress},
		{"copy outside SRAM", func(p *program) { p.call(copy32, 0x10000, x, 4) }, sim.RuleKernel, device.ExcAddress},
		{"copy of nothing", func(p *program) { p.call(copy32, y, x, 0) }, sim.RuleKernel, device.ExcOperand},
		{"misaligned GELU", func(p *program) { p.call(gelu, y+4, x, 16) }, sim.RuleKernel, device.ExcAddress},
		{"result in standard memory", func(p *program) { p.call(gemm, y, x, inter) }, sim.RuleKernel, device.ExcAddress},
		{"left and result in one element", func(p *program) { p.call(gemm, inter, inter+0x400, 0x90000) }, sim.RuleKernel, device.ExcMemoryConflict},
		{"GEMM of unwritten", func(p *program) { p.call(gemm, inter, x, 0x90000) }, sim.RuleUnwritten, device.ExcNone},
		{"accumulation on unwritten", func(p *program) {
			p.block(0x90000, 128, 0)
			p.call(accumulate, inter, x, 0x90000)
		}, sim.RuleUnwritten, device.ExcNone},
		{"sans twice", func(p *program) { p.emit(device.Sans(0), device.Sans(0)) }, sim.RuleBarrier, device.ExcNone},
		{"sync after sans", func(p *program) { p.emit(device.Sans(0), device.Sync(3)) }, sim.RuleBarrier, device.ExcNone},
		{"endless loop", func(p *program) { p.emit(device.SetZI(device.M1, codeBase), device.BR(device.M1)) }, sim.RuleBudget, device.ExcNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuilder(t, 9)
			p := b.tiles[9]
			p.block(x, 64, 0)
			c.code(p)
			_, err := b.machine(sim.Options{MaxCycles: 100000}).Run(context.Background())
			e := asError(t, err)
			if e.Rule != c.rule || e.Code != c.etyp || e.Tile != 9 || e.Phase != -1 || e.Event != -1 {
				t.Errorf("%v\nwant rule %s, %v", err, c.rule, c.etyp)
			}
		})
	}
}

// TestDeadlock: a tile that halts before a barrier leaves the others waiting.
func TestDeadlock(t *testing.T) {
	b := newBuilder(t, 0, 1, 2)
	for _, p := range b.tiles {
		if p != b.tiles[1] {
			p.exchange(0, nil, 0, 0)
		}
		p.halt()
	}
	_, _, err := b.run()
	if e := asError(t, err); e.Rule != sim.RuleDeadlock || e.Tile != 1 || !strings.Contains(e.Detail, "2 tiles wait") {
		t.Error(err)
	}
}

// TestRowSetUp: rules that the words before the row break.
func TestRowSetUp(t *testing.T) {
	row5, row100, row200 := unpack(goodRows(t))
	for _, c := range []struct {
		name  string
		spoil func(b *builder)
		rule  string
		tile  int
	}{
		{"no down-count", func(b *builder) {
			p := b.tiles[100]
			i := slices.Index(p.code, words(t, device.SetZI(device.M8, 1))[0])
			p.code[i] = words(t, device.SetZI(device.M8, 0))[0]
		}, sim.RuleRow, 100},
		{"lane not neutral before the row", func(b *builder) {
			p := b.tiles[5]
			p.code = append(words(t, device.SetZI(device.M8, 7), device.Put(device.IncomingMux, device.M8)), p.code...)
		}, sim.RuleLanes, 5},
		{"barrier as the row's first word", func(b *builder) {
			for l, p := range b.tiles {
				row := words(t, device.Sync(3), device.Delay(1)) // two words, so that pairs stay aligned
				row = append(row, rows{row5, row100, row200}[slices.Index(b.order, l)]...)
				i := slices.Index(p.code, words(t, device.Sync(3))[0])
				p.code[i] = words(t, device.Nop())[0]
				p.code[i+1] = words(t, device.Call(device.M10, p.row(row)))[0]
			}
		}, "", 0},
		{"row starts late", func(b *builder) {
			p := b.tiles[5]
			p.code = nil
			p.emit(device.Sans(0), device.Delay(5000), device.Sync(1), device.Call(device.M10, p.row(row5)))
			p.halt()
		}, sim.RuleBarrier, 5},
		{"exchange address", func(b *builder) {
			p := b.tiles[200]
			i := slices.Index(p.code, words(t, device.Put(device.IncomingBase, device.M8))[0])
			p.code[i-1] = words(t, device.SetZI(device.M8, 2))[0]
		}, sim.RulePointer, 200},
		{"executable and writable code may be patched", func(b *builder) {
			b.tiles[5].flags = ipuexe.FlagWrite
			p := b.tiles[5]
			p.code = append(words(t, device.SetZI(device.M1, codeBase), device.Ld32(device.M2, device.M1, device.M15, 0),
				device.St32(device.M2, device.M1, device.M15, 0)), p.code...)
		}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := transferProgram(t, rows{row5, row100, row200})
			c.spoil(b)
			_, _, err := b.run()
			if c.rule == "" {
				if err != nil {
					fatal(t, err)
				}
				return
			}
			if e := asError(t, err); e.Rule != c.rule || e.Tile != c.tile {
				t.Errorf("%v\nwant rule %s on tile %d", err, c.rule, c.tile)
			}
		})
	}
}

func unpack(r rows) (a, b, c []uint32) { return r[0], r[1], r[2] }

// TestRoutineMissing: a symbol resolves a call only where the tile's image has
// its code.
func TestRoutineMissing(t *testing.T) {
	b := newBuilder(t, 0)
	p := b.tiles[0]
	p.block(dataBase, 4, 0)
	p.call(copy32, 0x6c000, dataBase, 4)
	p.halt()
	app := b.application()
	app.Tiles[0].Segments = slices.DeleteFunc(app.Tiles[0].Segments, func(s ipuexe.Segment) bool { return s.Address == device.CodeBase })
	m, err := sim.New(app, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(context.Background())
	if e := asError(t, err); e.Rule != sim.RuleFetch || e.Code != device.ExcProgramCounter {
		t.Error(err)
	}
}

// TestBudget: neither a long kernel nor a long row outlasts MaxCycles.
func TestBudget(t *testing.T) {
	for name, code := range map[string]func(p *program){
		"kernel": func(p *program) { p.call(fillZero, 0x80000, 2000, 0) },
		"row": func(p *program) {
			p.exchange(0, words(t, device.Delay(device.MaxDelay), device.Return()), 0, 0)
			p.emit(device.Nop())
		},
	} {
		b := newBuilder(t, 0)
		code(b.tiles[0])
		_, err := b.machine(sim.Options{MaxCycles: 5000}).Run(context.Background())
		if e := asError(t, err); e.Rule != sim.RuleBudget {
			t.Errorf("%s: %v", name, err)
		}
	}
}
