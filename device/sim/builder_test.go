package sim_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/kernels"
)

// Addresses of hand-assembled packages. Code, rows and data lie in elements of
// their own: S23, S24, S26 on; interleaved data from I0.
const (
	codeBase = 0x5c000
	rowBase  = 0x60000
	dataBase = 0x68000
	sendBase = 0x70000
	filler   = 0x00000000 // no instruction
)

// builder assembles a package tile by tile.
type builder struct {
	tb      testing.TB
	tiles   map[int]*program // by logical tile
	order   []int
	symbols map[kernels.Spec]uint32
	linked  uint32
	app     ipuexe.Application
}

// program is one tile of a builder.
type program struct {
	b        *builder
	code     []uint32
	rows     []uint32
	steps    []ipuexe.Step
	data     []ipuexe.Segment
	flags    ipuexe.Flags // of the code segment, beside execute
	rowAt    int          // address of the rows
	outgoing int          // OUTGOING_BASE of exchange steps
}

func newBuilder(tb testing.TB, logical ...int) *builder {
	b := &builder{tb: tb, tiles: map[int]*program{}, order: logical, symbols: map[kernels.Spec]uint32{}, linked: device.CodeBase}
	for _, l := range logical {
		b.tiles[l] = &program{b: b, rowAt: rowBase}
	}
	return b
}

// symbol links a routine.
func (b *builder) symbol(s kernels.Spec) int {
	addr, ok := b.symbols[s]
	if !ok {
		addr = b.linked
		b.symbols[s] = addr
		b.linked = addr + uint32(s.CodeBytes()+7)&^7
		b.app.DebugSymbols = append(b.app.DebugSymbols, ipuexe.DebugSymbol{Name: s.Symbol(), Address: addr})
	}
	return int(addr)
}

func words(tb testing.TB, list ...device.Instr) []uint32 {
	tb.Helper()
	var w []uint32
	for _, in := range list {
		var err error
		if w, err = in.Append(w); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

func (p *program) emit(list ...device.Instr) { p.code = append(p.code, words(p.b.tb, list...)...) }

// call emits a compute step (device.md §6.5).
func (p *program) call(s kernels.Spec, args ...int) {
	for i, a := range args {
		p.emit(device.SetZI(device.M2+i, a))
	}
	link := device.M10
	if s.Kind == kernels.WorkerBarrier {
		link = device.M7
	}
	p.emit(device.Call(link, p.b.symbol(s)))
}

// here is the address of the next instruction.
func (p *program) here() int { return codeBase + 4*len(p.code) }

// row places row words and gives their address.
func (p *program) row(w []uint32) int {
	if len(p.rows)%2 != 0 {
		p.rows = append(p.rows, filler)
	}
	addr := p.rowAt + 4*len(p.rows)
	p.rows = append(p.rows, w...)
	return addr
}

// exchange emits an exchange step (device.md §6.4); nil words: inactive. sent
// and received are the step's metadata.
func (p *program) exchange(base int, row []uint32, sent, received int) {
	p.emit(device.SetZI(device.M8, base), device.Put(device.IncomingBase, device.M8))
	if p.outgoing == 0 {
		p.emit(device.Put(device.OutgoingBase, device.M15))
	} else {
		p.emit(device.SetZI(device.M8, p.outgoing), device.Put(device.OutgoingBase, device.M8))
	}
	if row == nil {
		addr := p.row(words(p.b.tb, device.Return()))
		p.emit(device.Sans(0), device.Sync(1), device.Call(device.M10, addr))
	} else {
		p.call(kernels.Spec{Kind: kernels.WorkerBarrier})
		p.emit(device.SetZI(device.M8, 1), device.Put(device.IncomingDCount, device.M8), device.Sync(3), device.Call(device.M10, p.row(row)))
	}
	p.steps = append(p.steps, ipuexe.Step{LocalIndex: uint32(len(p.steps)), Operation: "move", Metadata: []ipuexe.Metadata{
		{Name: ipuexe.SentWords, Value: uint32(sent)}, {Name: ipuexe.ReceivedWords, Value: uint32(received)}}})
}

// halt jumps to the completion routine.
func (p *program) halt() {
	done := p.b.symbol(kernels.Spec{Kind: kernels.Completion})
	p.emit(device.SetZI(device.M0, done), device.BR(device.M0))
}

// segment loads data words at addr.
func (p *program) segment(addr uint32, w ...uint32) {
	p.data = append(p.data, ipuexe.Segment{Address: addr, MemorySize: uint32(4 * len(w)), Data: bytesOf(w), Flags: ipuexe.FlagRead | ipuexe.FlagWrite})
}

// block loads n recognisable words at addr: seed in the high half, index below.
func (p *program) block(addr uint32, n int, seed uint32) []uint32 {
	w := make([]uint32, n)
	for i := range w {
		w[i] = seed<<16 | uint32(i)
	}
	p.segment(addr, w...)
	return w
}

func bytesOf(w []uint32) []byte {
	var d []byte
	for _, v := range w {
		d = binary.LittleEndian.AppendUint32(d, v)
	}
	return d
}

// output declares an output of n words on one tile.
func (b *builder) output(name string, logical int, addr uint32, n int) {
	b.app.Outputs = append(b.app.Outputs, b.binding(name, logical, addr, n))
}

func (b *builder) binding(name string, logical int, addr uint32, n int) ipuexe.Binding {
	return ipuexe.Binding{Name: name, DType: ipuexe.U32, Shape: []uint32{uint32(n)},
		Slices: []ipuexe.RegionSlice{{Tile: uint32(device.Physical(logical)), TileAddress: addr, Size: uint64(4 * n)}}}
}

// application closes the package.
func (b *builder) application() *ipuexe.Application {
	app := b.app
	app.Tiles = nil
	app.ProfileTiles = nil
	for _, l := range b.order {
		p := b.tiles[l]
		phys := uint32(device.Physical(l))
		image := ipuexe.TileImage{PhysicalTile: phys, EntryPoint: device.EntryStub}
		code := func(addr uint32, w []uint32, flags ipuexe.Flags) {
			if len(w) > 0 {
				image.Segments = append(image.Segments, ipuexe.Segment{Address: addr, MemorySize: uint32(4 * len(w)), Data: bytesOf(w), Flags: flags | ipuexe.FlagRead | ipuexe.FlagExecute})
			}
		}
		code(device.EntryStub, words(b.tb, device.SetZI(device.M0, codeBase), device.BR(device.M0)), 0)
		code(device.CodeBase, make([]uint32, (b.linked-device.CodeBase)/4), 0)
		code(codeBase, p.code, p.flags)
		code(uint32(p.rowAt), p.rows, 0)
		image.Segments = append(image.Segments, p.data...)
		app.Tiles = append(app.Tiles, image)
		app.ProfileTiles = append(app.ProfileTiles, ipuexe.TileProfilePlan{PhysicalTile: phys, Steps: p.steps})
	}
	return &app
}

// machine loads the package.
func (b *builder) machine(opt sim.Options) *sim.Machine {
	b.tb.Helper()
	m, err := sim.New(b.application(), opt)
	if err != nil {
		b.tb.Fatal(err)
	}
	return m
}

// run loads and runs the package in strict mode.
func (b *builder) run() (*sim.Machine, *sim.Result, error) {
	b.tb.Helper()
	m := b.machine(sim.Options{})
	r, err := m.Run(context.Background())
	return m, r, err
}

// mustRun is run for packages that have to work.
func (b *builder) mustRun() (*sim.Machine, *sim.Result) {
	b.tb.Helper()
	m, r, err := b.run()
	if err != nil {
		fatal(b.tb, err)
	}
	return m, r
}

// fatal prints an error with its listing.
func fatal(tb testing.TB, err error) {
	tb.Helper()
	var e *sim.Error
	if errors.As(err, &e) {
		tb.Fatalf("%v\n%s", err, e.Listing)
	}
	tb.Fatal(err)
}

// wants checks an output's words.
func wants(tb testing.TB, m *sim.Machine, name string, want []uint32) {
	tb.Helper()
	got, err := m.Output(name)
	if err != nil {
		tb.Fatal(err)
	}
	for i, w := range want {
		if g := binary.LittleEndian.Uint32(got[4*i:]); g != w {
			tb.Fatalf("%s[%d] = %#x, want %#x", name, i, g, w)
		}
	}
}
