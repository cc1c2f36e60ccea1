package sim

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/kernels"
)

// DefaultMaxCycles ends a run that a 32-bit cycle counter could not measure.
const DefaultMaxCycles = 1 << 32

// Options of a Machine.
type Options struct {
	// Lenient turns the strict rules lanes, counts and unwritten into counted
	// warnings and accepts rows of experimental freedoms (simulator.md §4).
	Lenient bool
	// Trace receives one line per step of every tile, ordered by segment, then
	// by tile. Nil: none.
	Trace io.Writer
	// Threads is the number of tiles simulated at a time; 0: GOMAXPROCS. It
	// does not change any result.
	Threads int
	// MaxCycles bounds a tile's clock, and with it the time a run takes;
	// 0: DefaultMaxCycles.
	MaxCycles int64
}

// Machine is a loaded package. SRAM survives from run to run, as on a device:
// weights are loaded once, inputs before every run. A Machine serves one call
// at a time.
type Machine struct {
	opt     Options
	tiles   []*tile // in logical order
	index   [device.NumTiles]int32
	symbols symbolTable

	inputs, outputs, weights map[string]*ipuexe.Binding
}

// tile is the state of one tile.
type tile struct {
	logical, physical int

	mem      []byte
	code     []span // executable segments
	readOnly []span // those of them that may not be written
	lastCode *span  // where the last fetch was
	always   []span // written at the start of every run: segments, weights
	fresh    []span // written at the start of the next run: inputs
	plan     []ipuexe.Step
	exchange []counts // of the exchange steps of plan
	written  written

	regs [16]uint32
	csr  [256]uint32
	pc   uint32
	at   uint32 // address of the instruction being executed

	state   state
	pending bool  // sans 0 without its sync 1
	cycle   int64 // the tile's clock
	arrival int64 // at the barrier it has joined last
	left    int64 // when it left the last barrier and its row
	step    int
	steps   int // exchange steps so far

	samples     int
	first, last int64 // clock at the first and last cycle sample

	row row
	in  incoming

	err      *Error
	warnings [numSoft]warning
	trace    *bytes.Buffer
}

// counts are the words an exchange step moves by its metadata.
type counts struct{ sent, received int64 }

type state uint8

const (
	running state = iota
	waiting       // at a barrier it has joined
	halted
	failed
)

// New loads the images of app, which must be valid (ipuexe.Read and Write see
// to that); app must not change while the machine is used. The error is an
// ErrPackage.
func New(app *ipuexe.Application, opt Options) (*Machine, error) {
	if opt.Threads <= 0 {
		opt.Threads = runtime.GOMAXPROCS(0)
	}
	if opt.MaxCycles <= 0 {
		opt.MaxCycles = DefaultMaxCycles
	}
	m := &Machine{opt: opt}
	for i := range m.index {
		m.index[i] = -1
	}
	for i := range app.Tiles {
		t, err := newTile(&app.Tiles[i])
		if err != nil {
			return nil, fmt.Errorf("%w: tiles[%d]: %w", ErrPackage, i, err)
		}
		m.tiles = append(m.tiles, t)
	}
	if len(m.tiles) == 0 {
		return nil, fmt.Errorf("%w: no tiles", ErrPackage)
	}
	slices.SortFunc(m.tiles, func(a, b *tile) int { return cmp.Compare(a.logical, b.logical) })
	for i, t := range m.tiles {
		if m.index[t.physical] >= 0 {
			return nil, fmt.Errorf("%w: physical tile %d is there twice", ErrPackage, t.physical)
		}
		m.index[t.physical] = int32(i)
	}
	m.readProfile(app.ProfileTiles)
	var err error
	if m.symbols, err = newSymbols(app.DebugSymbols); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPackage, err)
	}
	for _, l := range []struct {
		into *map[string]*ipuexe.Binding
		list []ipuexe.Binding
	}{{&m.inputs, app.Inputs}, {&m.outputs, app.Outputs}, {&m.weights, app.Weights}} {
		*l.into = make(map[string]*ipuexe.Binding, len(l.list))
		for i := range l.list {
			b := &l.list[i]
			var sum uint64
			for _, s := range b.Slices {
				if m.tile(s.Tile) == nil || s.Size > device.SRAMBytes || !inSRAM(s.TileAddress, s.Size) || s.FileOffset != sum {
					return nil, fmt.Errorf("%w: binding %q: slice of tile %d at %#x, %d bytes from %d", ErrPackage, b.Name, s.Tile, s.TileAddress, s.Size, s.FileOffset)
				}
				sum += s.Size
			}
			(*l.into)[b.Name] = b
		}
	}
	return m, nil
}

func newTile(image *ipuexe.TileImage) (*tile, error) {
	if image.PhysicalTile >= device.NumTiles {
		return nil, fmt.Errorf("physical tile %d", image.PhysicalTile)
	}
	p := int(image.PhysicalTile)
	t := &tile{logical: device.Logical(p), physical: p, mem: make([]byte, device.SRAMBytes)}
	for i, s := range image.Segments {
		if !inSRAM(s.Address, uint64(s.MemorySize)) || len(s.Data) > int(s.MemorySize) {
			return nil, fmt.Errorf("segments[%d] at %#x, %d bytes", i, s.Address, s.MemorySize)
		}
		copy(t.bytes(s.Address, s.MemorySize), s.Data)
		where := span{s.Address, s.Address + s.MemorySize}
		t.always = append(t.always, where)
		if s.Flags&ipuexe.FlagExecute == 0 {
			continue
		}
		t.code = append(t.code, span{where.start, min(where.end, device.ExecutableEnd)})
		if s.Flags&ipuexe.FlagWrite == 0 {
			t.readOnly = append(t.readOnly, where)
		}
	}
	return t, nil
}

// readProfile collects the word counts of the exchange steps.
func (m *Machine) readProfile(plans []ipuexe.TileProfilePlan) {
	for i := range plans {
		t := m.tile(plans[i].PhysicalTile)
		if t == nil {
			continue
		}
		t.plan = plans[i].Steps
		for _, s := range t.plan {
			if s.Kind != ipuexe.StepExchange {
				continue
			}
			var c counts
			for _, d := range s.Metadata {
				switch d.Name {
				case ipuexe.SentWords:
					c.sent = int64(d.Value)
				case ipuexe.ReceivedWords:
					c.received = int64(d.Value)
				}
			}
			t.exchange = append(t.exchange, c)
		}
	}
}

// tile is the tile with a physical id, nil if the package has none.
func (m *Machine) tile(physical uint32) *tile {
	if physical >= device.NumTiles || m.index[physical] < 0 {
		return nil
	}
	return m.tiles[m.index[physical]]
}

// Load writes the bytes of an input or a weight to SRAM: data is the
// concatenation of the binding's slices (kernels.md §10). Weights count as
// written in every later run, an input in the next run only. The error is an
// ErrBinding.
func (m *Machine) Load(binding string, data []byte) error {
	b, weight := m.inputs[binding], false
	if b == nil {
		b, weight = m.weights[binding], true
	}
	if b == nil {
		return fmt.Errorf("%w: no input or weight %q", ErrBinding, binding)
	}
	if want := size(b); uint64(len(data)) != want {
		return fmt.Errorf("%w: %q has %d bytes, got %d", ErrBinding, binding, want, len(data))
	}
	for _, s := range b.Slices {
		t := m.tile(s.Tile)
		copy(t.bytes(s.TileAddress, uint32(s.Size)), data[s.FileOffset:])
		where := span{s.TileAddress, s.TileAddress + uint32(s.Size)}
		list := &t.fresh
		if weight {
			list = &t.always
		}
		if !slices.Contains(*list, where) {
			*list = append(*list, where)
		}
	}
	return nil
}

// Output reads the bytes of an output from SRAM, as the concatenation of the
// binding's slices. The error is an ErrBinding.
func (m *Machine) Output(binding string) ([]byte, error) {
	b := m.outputs[binding]
	if b == nil {
		return nil, fmt.Errorf("%w: no output %q", ErrBinding, binding)
	}
	data := make([]byte, size(b))
	for _, s := range b.Slices {
		copy(data[s.FileOffset:], m.tile(s.Tile).bytes(s.TileAddress, uint32(s.Size)))
	}
	return data, nil
}

// size is the byte count of a binding's host data.
func size(b *ipuexe.Binding) uint64 {
	var n uint64
	for _, s := range b.Slices {
		n = max(n, s.FileOffset+s.Size)
	}
	return n
}

// symbol is a linked routine.
type symbol struct {
	span
	spec kernels.Spec
	name string
}

// symbolTable lists the routines by address.
type symbolTable []symbol

// newSymbols takes the debug symbols that name a routine; others label
// addresses only.
func newSymbols(list []ipuexe.DebugSymbol) (symbolTable, error) {
	var table symbolTable
	for _, s := range list {
		spec, err := kernels.ParseSymbol(s.Name)
		if err != nil {
			continue
		}
		n := uint64(spec.CodeBytes())
		if s.Address%4 != 0 || !inSRAM(s.Address, n) || uint64(s.Address)+n > device.ExecutableEnd {
			return nil, fmt.Errorf("symbol %q at %#x, %d bytes", s.Name, s.Address, n)
		}
		table = append(table, symbol{span{s.Address, s.Address + uint32(n)}, spec, s.Name})
	}
	slices.SortFunc(table, func(a, b symbol) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(table); i++ {
		if a, b := table[i-1], table[i]; b.start < a.end {
			return nil, fmt.Errorf("symbol %q at %#x lies in %q at %#x", b.name, b.start, a.name, a.start)
		}
	}
	return table, nil
}

// find is the routine whose code holds addr, nil if none does.
func (s symbolTable) find(addr uint32) *symbol {
	if len(s) == 0 || addr < s[0].start || addr >= s[len(s)-1].end {
		return nil
	}
	i, found := slices.BinarySearchFunc(s, addr, func(y symbol, a uint32) int { return cmp.Compare(y.start, a) })
	if !found {
		i--
	}
	if addr >= s[i].end {
		return nil
	}
	return &s[i]
}

// parallel calls f for 0..n−1 from Threads goroutines.
func (m *Machine) parallel(n int, f func(i int)) {
	threads := min(m.opt.Threads, n)
	if threads <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range threads {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	group.Wait()
}

// firstError is the error of the lowest failed tile.
func (m *Machine) firstError() error {
	var first *tile
	for _, t := range m.tiles {
		if t.err != nil {
			first = t
			break
		}
	}
	if first == nil {
		return nil
	}
	first.complete(first.err)
	return first.err
}
