package ipusolve

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
)

// Row is an exchange row as a tile's code calls it.
type Row struct {
	Address uint32
	Active  bool     // called behind the barrier of a tile that takes part
	Words   []uint32 // return included
}

// Rows lists the exchange rows of app.Tiles[i] in program order, phase by phase,
// found by following the tile's code.
func Rows(app *ipuexe.Application, i int) ([]Row, error) {
	symbols := make(map[uint32]string, len(app.DebugSymbols))
	for _, s := range app.DebugSymbols {
		symbols[s.Address] = s.Name
	}
	f, err := followCode(&app.Tiles[i], symbols)
	if err != nil {
		return nil, err
	}
	return f.rows, nil
}

// call is a call of a routine with the registers it may read as arguments.
type call struct {
	routine string
	args    [device.M9 - device.RegOutput + 1]uint32 // m2, m3, …; 0 if not a known constant
}

// followCode reads a tile's supervisor program from its entry, word by word, and
// collects the rows of its exchange steps and its calls in program order. It knows the
// emitted form only (reference: device.md §6.3–6.5): straight-line code, jumps and
// calls with constant targets, repeats with their frames on the stack, rows called right behind a barrier with both bases
// zero, the end in a symbol. Anything else is an error.
func followCode(image *ipuexe.TileImage, symbols map[uint32]string) (*follower, error) {
	f := &follower{image: image, symbols: symbols, pc: image.EntryPoint, stored: map[uint32]uint32{}, read: map[uint32][]uint32{}}
	f.known[device.RegZero] = true
	for range device.SRAMBytes / 4 {
		done, err := f.step()
		if err != nil {
			return nil, fmt.Errorf("code at %#x: %w", f.pc, err)
		}
		if done {
			return f, nil
		}
	}
	return nil, errors.New("the code does not end")
}

type follower struct {
	image   *ipuexe.TileImage
	symbols map[uint32]string
	pc      uint32
	value   [16]uint32 // of registers that hold a known constant
	known   [16]bool
	last    [2]device.Instr // the two instructions before
	rows    []Row
	stored  map[uint32]uint32   // words of the stack
	read    map[uint32][]uint32 // rows by address
	calls   []call
}

func (f *follower) step() (done bool, err error) {
	in, used, err := device.Decode(f.words(f.pc, 2))
	if err != nil {
		return false, err
	}
	next := f.pc + 4*uint32(used)
	switch in.Op {
	case device.OpSetZI:
		f.set(in.Reg, uint32(in.Imm), true)
	case device.OpShl:
		f.set(in.Reg, f.value[in.Src]<<uint32(in.Imm&31), f.known[in.Src])
	case device.OpAdd:
		f.set(in.Reg, f.value[in.Src]+uint32(in.Imm), f.known[in.Src])
	case device.OpSt32, device.OpLd32:
		at := f.value[in.Base] + f.value[in.Index] + 4*uint32(in.Imm)
		if !f.known[in.Base] || !f.known[in.Index] || at%4 != 0 || at < device.EndCycleWord+4 || at >= device.SupervisorStack {
			return false, fmt.Errorf("%v: no place on the stack", in)
		}
		if in.Op == device.OpLd32 {
			v, ok := f.stored[at]
			f.set(in.Reg, v, ok)
			break
		}
		if !f.known[in.Reg] {
			return false, fmt.Errorf("%v: unknown value", in)
		}
		f.stored[at] = f.value[in.Reg]
	case device.OpBrz:
		if !f.known[in.Reg] {
			return false, fmt.Errorf("%v: unknown condition", in)
		}
		if f.value[in.Reg] == 0 {
			next = uint32(in.Target)
		}
	case device.OpPut:
		base := in.CSR == device.IncomingBase || in.CSR == device.OutgoingBase
		if base && (!f.known[in.Reg] || f.value[in.Reg] != 0) {
			return false, fmt.Errorf("%v: a base that is not zero", in)
		}
	case device.OpSync, device.OpSans, device.OpNop:
	case device.OpCall:
		f.known[in.Reg] = false
		if name, routine := f.symbols[uint32(in.Target)]; routine {
			c := call{routine: name}
			for k := range c.args {
				if f.known[device.RegOutput+k] {
					c.args[k] = f.value[device.RegOutput+k]
				}
			}
			f.calls = append(f.calls, c)
		} else if err := f.row(uint32(in.Target)); err != nil {
			return false, err
		}
	case device.OpBr:
		if !f.known[in.Reg] {
			return false, fmt.Errorf("%v: unknown target", in)
		}
		next = f.value[in.Reg]
		if _, routine := f.symbols[next]; routine {
			return true, nil
		}
	default:
		return false, fmt.Errorf("%v is not part of an emitted program", in)
	}
	f.last[0], f.last[1] = f.last[1], in
	f.pc = next
	return false, nil
}

func (f *follower) set(reg int32, value uint32, known bool) {
	if reg == device.RegZero {
		return
	}
	f.value[reg], f.known[reg] = value, known
}

// row books the exchange row at an address.
func (f *follower) row(at uint32) error {
	r := Row{Address: at}
	switch {
	case f.last[1] == device.Sync(device.SyncTiles):
		r.Active = true
	case f.last[0] == device.Sans(device.SansInternal) && f.last[1] == device.Sync(device.SyncLocal):
	default:
		return fmt.Errorf("call of %#x, which is no symbol, without a barrier before it", at)
	}
	if r.Words = f.read[at]; r.Words != nil {
		f.rows = append(f.rows, r)
		return nil
	}
	all := f.words(at, device.SRAMBytes/4)
	for n := 0; n < len(all); {
		in, used, err := device.Decode(all[n:])
		if err != nil {
			return fmt.Errorf("row at %#x: %w", at, err)
		}
		n += used
		if in == device.Return() {
			r.Words = all[:n]
			f.read[at] = r.Words
			f.rows = append(f.rows, r)
			return nil
		}
	}
	return fmt.Errorf("row at %#x does not return", at)
}

// words are up to n words of executable memory.
func (f *follower) words(at uint32, n int) []uint32 {
	for i := range f.image.Segments {
		s := &f.image.Segments[i]
		if s.Flags&ipuexe.FlagExecute == 0 || at < s.Address || at%4 != 0 || at-s.Address >= uint32(len(s.Data)) {
			continue
		}
		data := s.Data[at-s.Address:]
		n = min(n, len(data)/4)
		out := make([]uint32, n)
		for k := range out {
			out[k] = binary.LittleEndian.Uint32(data[4*k:])
		}
		return out
	}
	return nil
}
