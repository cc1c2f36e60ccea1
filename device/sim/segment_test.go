package sim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/kernels"
)

var (
	sample     = kernels.Spec{Kind: kernels.CycleSample}
	startup    = kernels.Spec{Kind: kernels.Startup}
	copy32     = kernels.Spec{Kind: kernels.Copy32}
	copy64     = kernels.Spec{Kind: kernels.Copy64}
	fillZero   = kernels.Spec{Kind: kernels.FillZero}
	gelu       = kernels.Spec{Kind: kernels.GeluF16}
	reduce     = kernels.Spec{Kind: kernels.ReduceF16}
	gemm       = kernels.Spec{Kind: kernels.GemmF16, K: 16, C: 16, R: 6, Interleaved: true}
	barrier    = kernels.Spec{Kind: kernels.WorkerBarrier}
	strided    = kernels.Spec{Kind: kernels.CopyStrided64}
	accumulate = kernels.Spec{Kind: kernels.GemmF16, K: 16, C: 16, R: 6, Interleaved: true, Accumulate: true}
)

// TestCycles checks the clock of simulator.md §1 and §2: two tiles with a
// barrier between different work, the later one inactive in the phase.
func TestCycles(t *testing.T) {
	b := newBuilder(t, 5, 100, 102)
	for _, l := range b.order {
		b.tiles[l].call(startup)
		b.tiles[l].call(sample, device.StartCycleWord)
	}
	b.tiles[5].block(sendBase, 64, 5)
	b.tiles[5].exchange(0, sendAt(t, 5, 100, 32, 64, sendBase), 64, 0)
	b.tiles[100].exchange(0, receiveRow(t, 5, 100, 32, 64, dataBase), 0, 64)
	// 10 words by the supervisor: 4 set-up + call + 11 + 60.
	b.tiles[102].block(dataBase, 10, 1)
	b.tiles[102].call(copy32, 0x6c000, dataBase, 10)
	b.tiles[102].exchange(0, nil, 0, 0)
	for _, l := range b.order {
		b.tiles[l].call(sample, device.EndCycleWord)
		b.tiles[l].halt()
		b.output(fmt.Sprint("start", l), l, device.StartCycleWord, 1)
		b.output(fmt.Sprint("end", l), l, device.EndCycleWord, 1)
		b.output(fmt.Sprint("done", l), l, device.CompletionWord, 1)
	}
	m, r := b.mustRun()
	// Entry stub 2, start-up 1, sample 2 + 1; the sample counts behind its call.
	const sampled, begin = 2 + 1 + 2, 6
	// Active tiles: 3 words of bases, barrier call, 2 words DCOUNT, sync 3.
	const active = begin + 3 + 1 + 2 + 1
	const inactive = begin + 3 + 1 + 11 + 60 + 3 + 1
	if active >= inactive {
		t.Fatal("the inactive tile should be the last")
	}
	p := r.Phases[0]
	if p.Arrival != inactive || p.Release != inactive+600 || p.Work != inactive || p.Horizon != 130 || p.Longest != 100 || p.Active != 2 {
		t.Errorf("phase %+v, want arrival %d, horizon 130", p, inactive)
	}
	if p.Sent != 64 || p.Received != 64 || p.Bound != 64 || p.Busiest != 5 || p.RowWords != 5 {
		t.Errorf("phase %+v moves wrong words", p)
	}
	// Behind the row: setzi, call; the sample counts; 1; jump of 2.
	for i, horizon := range []int64{96, 130, 0} {
		want := p.Release + horizon + 2 - sampled
		if got := r.Tiles[i].Cycles; got != want {
			t.Errorf("tile %d: %d cycles, want %d", r.Tiles[i].Tile, got, want)
		}
		if got := r.Tiles[i].Total; got != p.Release+horizon+2+1+2 {
			t.Errorf("tile %d halts at %d", r.Tiles[i].Tile, got)
		}
		l := b.order[i]
		wants(t, m, fmt.Sprint("start", l), []uint32{sampled})
		wants(t, m, fmt.Sprint("end", l), []uint32{uint32(sampled + want)})
		wants(t, m, fmt.Sprint("done", l), []uint32{1})
	}
	if r.Cycles != r.Tiles[1].Cycles || r.MinCycles != r.Tiles[2].Cycles || r.Tail != 5 {
		t.Errorf("cycles %d, min %d, tail %d", r.Cycles, r.MinCycles, r.Tail)
	}
}

// TestKernelCycles checks what calls cost beside their set-up words.
func TestKernelCycles(t *testing.T) {
	for _, c := range []struct {
		spec kernels.Spec
		args []int
		want int64 // simulator.md §2
	}{
		{copy32, []int{0x6c000, dataBase, 10}, 11 + 6*10},
		{copy64, []int{0x6c000, dataBase, 2, 1}, 288 + 13},
		{strided, []int{0x6c000, dataBase, 2, 3, 32, 16}, 288 + 6},
		{fillZero, []int{0x6c000, 2, 1}, 288 + 13},
		{gelu, []int{0x6c000, dataBase, 48}, 10*48 + 11},
		{reduce, []int{0x6c000, dataBase, dataBase + 32, 3, 16}, 4*32 + 11},
		{gemm, []int{0x88000, 0x90000, 0x98000}, 294 + 24 + 235},
	} {
		b := newBuilder(t, 0)
		p := b.tiles[0]
		p.block(dataBase, 64, 0)
		p.block(0x90000, 6*16/2, 0)
		p.block(0x98000, 16*16/2, 0)
		p.call(c.spec, c.args...)
		p.halt()
		_, r := b.mustRun()
		if got := r.Tiles[0].Total - int64(2+len(c.args)+1+2); got != c.want {
			t.Errorf("%s: %d cycles, want %d", c.spec.Symbol(), got, c.want)
		}
	}
}

// TestSupervisor executes every supervisor instruction: a loop over a stack
// frame that sums 3 + 2 + 1, constants, branches, special registers.
func TestSupervisor(t *testing.T) {
	b := newBuilder(t, 0)
	p := b.tiles[0]
	const frame, out = 0x6c000, 0x6c100
	p.code = append(p.code, device.LoadConst(device.M11, 0x12345678)...)
	p.emit(
		device.SetZI(device.M1, out),
		device.St32(device.M11, device.M1, device.M15, 0), // out[0]
		device.SetZI(device.M15, 7),                       // stays zero
		device.St32(device.M15, device.M1, device.M15, 1), // out[1]
		device.SetZI(device.M8, 0x604),
		device.Put(device.IncomingMux, device.M8),
		device.Get(device.M3, device.IncomingMux),
		device.SetZI(device.M8, device.NeutralSource),
		device.Put(device.IncomingMux, device.M8),
		device.And(device.M3, device.M3, 0xff),
		device.Shl(device.M3, device.M3, 4),
		device.St32(device.M3, device.M1, device.M15, 2), // out[2] = 0x40
		device.SetZI(device.M11, frame),
		device.SetZI(device.M8, 3),
		device.St32(device.M8, device.M11, device.M15, 0),
		device.SetZI(device.M4, 0),
		device.SetZI(device.M5, 0),
	)
	loop := p.here()
	p.emit(
		device.Ld32(device.M8, device.M11, device.M15, 0),
		device.Add(device.M4, device.M4, 2),
		device.Add(device.M8, device.M8, -1),
		device.St32(device.M8, device.M11, device.M15, 0),
		device.Nop(),
		device.Brz(device.M8, loop+4*8),
		device.SetZI(device.M0, loop),
		device.BR(device.M0),
	)
	p.emit(device.St32(device.M4, device.M1, device.M15, 3), // out[3] = 6
		device.Delay(100), device.Sync(0), device.Sync(7), device.Sync(15), device.Sync(1), device.Sans(1), device.Sync(1))
	p.halt()
	b.output("out", 0, out, 4)
	m, r := b.mustRun()
	wants(t, m, "out", []uint32{0x12345678, 0, 0x40, 6})
	// Stub 2, constants 3, straight 17, loop 6 + 2·8 + 6−… : the last pass
	// leaves by brz.
	want := int64(2 + 3 + 17 + 2*8 + 6 + 1 + 100 + 0 + 3 + 2)
	if got := r.Tiles[0].Total; got != want {
		t.Errorf("%d cycles, want %d", got, want)
	}
}

// TestRepeat runs a package several times: weights stay, inputs do not, and a
// tile result of one run is unwritten in the next.
func TestRepeat(t *testing.T) {
	b := newBuilder(t, 0)
	p := b.tiles[0]
	// y = (w + x) by a reduction of one remote partial.
	p.call(reduce, 0x6c000, dataBase, 0x70000, 1, 8)
	p.halt()
	b.app.Inputs = []ipuexe.Binding{b.binding("x", 0, 0x70000, 4)}
	b.app.Weights = []ipuexe.Binding{b.binding("w", 0, dataBase, 4)}
	b.output("y", 0, 0x6c000, 4)
	m := b.machine(sim.Options{})
	halves := func(v uint16) []byte { return bytes.Repeat([]byte{byte(v), byte(v >> 8)}, 8) }
	run := func() error { _, err := m.Run(context.Background()); return err }
	load := func(name string, v uint16) {
		t.Helper()
		if err := m.Load(name, halves(v)); err != nil {
			t.Fatal(err)
		}
	}
	y := func() uint16 {
		d, err := m.Output("y")
		if err != nil {
			t.Fatal(err)
		}
		return uint16(d[0]) | uint16(d[1])<<8
	}
	load("x", 0x3c00) // 1
	if e := asError(t, run()); e.Rule != sim.RuleUnwritten || e.Address != dataBase {
		t.Fatalf("without weights: %v", e)
	}
	load("w", 0x4000) // 2
	load("x", 0x3c00)
	for _, c := range []struct{ x, y uint16 }{{0x3c00, 0x4200}, {0x4000, 0x4400}, {0x3c00, 0x4200}} {
		load("x", c.x)
		if err := run(); err != nil {
			t.Fatal(err)
		}
		if y() != c.y {
			t.Fatalf("y = %#x, want %#x", y(), c.y)
		}
	}
	if e := asError(t, run()); e.Rule != sim.RuleUnwritten || e.Address != 0x70000 {
		t.Fatalf("input of an earlier run: %v", e)
	}
	for _, err := range []error{m.Load("z", nil), m.Load("x", make([]byte, 8)), m.Load("y", nil)} {
		if !errors.Is(err, sim.ErrBinding) {
			t.Errorf("error %v", err)
		}
	}
	if _, err := m.Output("x"); !errors.Is(err, sim.ErrBinding) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestTrace checks the trace and that it does not depend on the threads.
func TestTrace(t *testing.T) {
	var first string
	for _, threads := range []int{1, 4} {
		b := newBuilder(t, 5, 100)
		b.tiles[5].block(sendBase, 64, 5)
		b.tiles[5].exchange(0, sendAt(t, 5, 100, 32, 64, sendBase), 64, 0)
		b.tiles[100].exchange(0, receiveRow(t, 5, 100, 32, 64, dataBase), 0, 64)
		b.tiles[100].call(copy32, 0x6c000, dataBase, 64)
		b.tiles[5].halt()
		b.tiles[100].halt()
		var out strings.Builder
		if _, err := b.machine(sim.Options{Trace: &out, Threads: threads}).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"tile 5 (130) ", "row at 0x60000: horizon 130, 0 words sent, 64 received", "step 1 call copy_32 [0x6c000 0x68000 0x40]"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
		if first == "" {
			first = out.String()
		} else if out.String() != first {
			t.Error("trace depends on the number of threads")
		}
	}
}

// TestPackage refuses what cannot be loaded.
func TestPackage(t *testing.T) {
	for name, spoil := range map[string]func(*ipuexe.Application){
		"no tiles":        func(a *ipuexe.Application) { a.Tiles = nil },
		"physical tile":   func(a *ipuexe.Application) { a.Tiles[0].PhysicalTile = 1472 },
		"tile twice":      func(a *ipuexe.Application) { a.Tiles = slices.Concat(a.Tiles, a.Tiles) },
		"segment":         func(a *ipuexe.Application) { a.Tiles[0].Segments[0].MemorySize = 1 << 30 },
		"symbol address":  func(a *ipuexe.Application) { a.DebugSymbols[0].Address = 0x7fffc },
		"symbol overlap":  func(a *ipuexe.Application) { a.DebugSymbols[1].Address = a.DebugSymbols[0].Address + 4 },
		"binding tile":    func(a *ipuexe.Application) { a.Outputs[0].Slices[0].Tile = 9 },
		"binding address": func(a *ipuexe.Application) { a.Outputs[0].Slices[0].TileAddress = 0 },
		"binding offset":  func(a *ipuexe.Application) { a.Outputs[0].Slices[0].FileOffset = 1 << 60 },
	} {
		b := newBuilder(t, 0)
		b.tiles[0].call(copy32, 0x6c000, dataBase, 1)
		b.tiles[0].halt()
		b.output("y", 0, dataBase, 1)
		app := b.application()
		spoil(app)
		if _, err := sim.New(app, sim.Options{}); !errors.Is(err, sim.ErrPackage) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// sendAt sends n ≤ 64 words at addr from cycle x; tiles are logical.
func sendAt(t testing.TB, s, d, x, n, addr int) []uint32 {
	return words(t, device.Delay(x), device.Send(n, addr/4, device.Direction(device.Physical(s), device.Physical(d))), device.Return())
}
