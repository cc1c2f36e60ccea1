package lower_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/x448/float16"

	"ipusolve/device"
	"ipusolve/kernels"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/model"
)

// dataMap is the whole planned data area, without rows or code.
var dataMap = lower.MemoryMap{
	Standard:       []lower.Range{{Start: device.RuntimeEnd, End: device.ExecutableEnd}},
	InterleavedEnd: device.LoaderEnd,
}

// machine executes a placed program on plain memory: work lists and transfers,
// no rows and no time. Reading a byte that nobody wrote since its item began to
// live is an error, so lifetimes, padding and placement are all checked.
type machine struct {
	p       *lower.Program
	mem     [][]byte
	written [][]bool
}

func newMachine(p *lower.Program) *machine {
	m := &machine{p: p}
	for range p.Tiles {
		m.mem = append(m.mem, make([]byte, device.SRAMBytes))
		m.written = append(m.written, make([]bool, device.SRAMBytes))
	}
	for i := range p.Items {
		if it := &p.Items[i]; it.Kind == lower.ItemIdentity { // part of the image
			copy(m.mem[it.Tile][it.Addr-device.SRAMBase:], kernels.Identity(int(it.Bytes)/kernels.IdentityBlock))
			m.wrote(it.Tile, it.Addr, it.Bytes)
		}
	}
	return m
}

// begin poisons the items of a tile whose life starts at an event.
func (m *machine) begin(tile, event int) {
	for i := range m.p.Items {
		it := &m.p.Items[i]
		if int(it.Tile) != tile || int(it.First) != event {
			continue
		}
		for a := it.Addr; a < it.Addr+it.Bytes; a += 2 {
			binary.LittleEndian.PutUint16(m.mem[tile][a-device.SRAMBase:], 0x7e01)
			m.written[tile][a-device.SRAMBase], m.written[tile][a-device.SRAMBase+1] = false, false
		}
	}
}

func (m *machine) read(tile int32, addr, n uint32) error {
	for i := range n {
		if !m.written[tile][addr-device.SRAMBase+i] {
			return fmt.Errorf("tile %d reads unwritten byte %#x", tile, addr+i)
		}
	}
	return nil
}

func (m *machine) wrote(tile int32, addr, n uint32) {
	for i := range n {
		m.written[tile][addr-device.SRAMBase+i] = true
	}
}

// load stores a host value into all its shards; data is in row-major order.
func (m *machine) load(value int, data []float32) {
	v := m.p.Plan.Values[value]
	shards, _ := v.Layout.Shards(v.Rows, v.Cols)
	for j, s := range shards {
		addr := m.p.Address(m.p.Shards[value][j].Ref)
		R, C := s.Rows.Stored(), s.Cols.Stored()
		for x := range R {
			for y := range C {
				off := v.Layout.Order.Offset(R, C, x, y, 16)
				if off < s.First || off >= s.End {
					continue
				}
				var f float32
				if r, c := s.Rows.Start+x, s.Cols.Start+y; r < s.Rows.Logical && c < s.Cols.Logical {
					f = data[r*v.Cols+c]
				}
				at := addr + uint32(off-s.First)*2
				binary.LittleEndian.PutUint16(m.mem[s.Tile][at-device.SRAMBase:], float16.Fromfloat32(f).Bits())
				m.wrote(int32(s.Tile), at, 2)
			}
		}
	}
}

// store reads a value back from all its shards; they must agree.
func (m *machine) store(value int) ([]float32, error) {
	v := m.p.Plan.Values[value]
	shards, _ := v.Layout.Shards(v.Rows, v.Cols)
	data, have := make([]float32, v.Rows*v.Cols), make([]bool, v.Rows*v.Cols)
	for j, s := range shards {
		addr := m.p.Address(m.p.Shards[value][j].Ref)
		for r := s.Rows.Start; r < s.Rows.Logical; r++ {
			for c := s.Cols.Start; c < s.Cols.Logical; c++ {
				off := v.Layout.Order.Offset(s.Rows.Stored(), s.Cols.Stored(), r-s.Rows.Start, c-s.Cols.Start, 16)
				at := addr + uint32(off)*2
				if err := m.read(int32(s.Tile), at, 2); err != nil {
					return nil, err
				}
				f := float16.Frombits(binary.LittleEndian.Uint16(m.mem[s.Tile][at-device.SRAMBase:])).Float32()
				if k := r*v.Cols + c; have[k] && data[k] != f {
					return nil, fmt.Errorf("copies of element (%d,%d) differ", r, c)
				} else {
					data[k], have[k] = f, true
				}
			}
		}
	}
	for k, ok := range have {
		if !ok {
			return nil, fmt.Errorf("element %d lies nowhere", k)
		}
	}
	return data, nil
}

func (m *machine) run() error {
	at := make([]int, len(m.p.Tiles))
	for {
		finished := 0
		phase := -1
		for t, list := range m.p.Tiles {
			for at[t] < len(list) && list[at[t]].Kind == lower.WorkCall {
				w := &list[at[t]]
				at[t]++
				m.begin(t, at[t])
				if err := m.call(t, w); err != nil {
					return fmt.Errorf("tile %d work %d: %w", t, at[t]-1, err)
				}
			}
			if at[t] == len(list) {
				finished++
				continue
			}
			phase = int(list[at[t]].Phase)
			at[t]++
			m.begin(t, at[t])
		}
		if finished == len(m.p.Tiles) {
			return nil
		}
		if finished != 0 {
			return fmt.Errorf("%d tiles end before the others", finished)
		}
		for i, tr := range m.p.Phases[phase].Transfers {
			src, n := m.p.Address(tr.Source), uint32(tr.Words)*4
			tile := m.p.Items[tr.Source.Item].Tile
			if err := m.read(tile, src, n); err != nil {
				return fmt.Errorf("phase %d transfer %d: %w", phase, i, err)
			}
			for _, d := range tr.Dests {
				to := m.p.Items[d.Item].Tile
				copy(m.mem[to][m.p.Address(d)-device.SRAMBase:][:n], m.mem[tile][src-device.SRAMBase:])
				m.wrote(to, m.p.Address(d), n)
			}
		}
	}
}

func (m *machine) call(tile int, w *lower.Work) error {
	args := m.p.ArgValues(w)
	ops, err := w.Spec.Operands(args)
	if err != nil {
		return err
	}
	for i, o := range ops {
		if o.Addr%o.Align != 0 || o.MustInterleave && o.Addr < device.InterleaveBase {
			return fmt.Errorf("%s: operand %s at %#x", w.Spec.Symbol(), o.Name, o.Addr)
		}
		for _, other := range ops[:i] {
			if o.Distinct&other.Distinct != 0 && o.Elements()&other.Elements() != 0 {
				return fmt.Errorf("%s: %s and %s share an element", w.Spec.Symbol(), o.Name, other.Name)
			}
		}
		for r := range o.Rows {
			if o.Read {
				if err := m.read(int32(tile), o.Addr+r*o.Stride, o.RowBytes); err != nil {
					return fmt.Errorf("%s: operand %s: %w", w.Spec.Symbol(), o.Name, err)
				}
			}
		}
	}
	if err := w.Spec.Run(m.mem[tile], args); err != nil {
		return err
	}
	for _, o := range ops {
		for r := range o.Rows {
			if o.Write {
				m.wrote(int32(tile), o.Addr+r*o.Stride, o.RowBytes)
			}
		}
	}
	return nil
}

// runPlan lowers, places and executes a plan twice (weights stay) with host data
// by graph name and returns its outputs.
func runPlan(t testing.TB, plan *model.Plan, data map[string][]float32) map[string][]float32 {
	t.Helper()
	prog, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Place(prog, dataMap); err != nil {
		t.Fatal(err)
	}
	if err := check.Check(prog, dataMap); err != nil {
		t.Fatal(err)
	}
	m := newMachine(prog)
	out := map[string][]float32{}
	for run := range 2 {
		for i, v := range plan.Values {
			if v.Role == model.RoleInput || v.Role == model.RoleWeight && run == 0 {
				m.load(i, data[v.Name])
			}
		}
		if err := m.run(); err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		for i, v := range plan.Values {
			if v.Role == model.RoleOutput {
				if out[v.Name], err = m.store(i); err != nil {
					t.Fatalf("run %d: %s: %v", run, v.Name, err)
				}
			}
		}
	}
	return out
}
