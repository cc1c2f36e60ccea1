package sim

import (
	"context"
	"fmt"

	"ipusolve/device"
)

// pollInterval is the number of instructions between looks at the context.
const pollInterval = 1 << 12

// reset puts the tile at its entry point; memory keeps its bytes, but only
// segments, weights and this run's inputs count as written (simulator.md §4).
func (t *tile) reset() {
	clear(t.written[:])
	for _, list := range [][]span{t.always, t.fresh} {
		for _, s := range list {
			t.written.set(s.start, s.end-s.start)
		}
	}
	t.fresh = nil
	t.regs = [16]uint32{}
	t.csr = [256]uint32{device.IncomingMux: device.NeutralSource, device.IncomingMuxPair: device.NeutralSource}
	t.pc, t.at = device.EntryStub, device.EntryStub
	t.state, t.pending = running, false
	t.cycle, t.arrival, t.left = 0, 0, 0
	t.step, t.steps = 0, 0
	t.samples, t.first, t.last = 0, 0, 0
	t.row.reset()
	t.in.reset()
	t.err = nil
	t.warnings = [numSoft]warning{}
}

// fail stops the tile with the error, completed by where the tile is; the first
// error stays.
func (t *tile) fail(e Error) {
	if t.err != nil {
		return
	}
	e.Tile, e.Step, e.Cycle, e.PC = t.logical, t.step, t.cycle, t.at
	t.err, t.state = &e, failed
}

// fault is an error of an instruction of a segment.
func (t *tile) fault(code device.ETYPE, rule string, addr uint32, format string, args ...any) {
	t.fail(Error{Code: code, Rule: rule, Phase: -1, Event: -1, Address: addr, Detail: fmt.Sprintf(format, args...)})
}

// advance executes the tile up to its next barrier, its end or an error.
func (m *Machine) advance(ctx context.Context, t *tile) {
	for n := 0; t.state == running; n++ {
		if n%pollInterval == 0 && ctx.Err() != nil {
			return
		}
		if t.cycle > m.opt.MaxCycles {
			t.fault(device.ExcNone, RuleBudget, 0, "more than %d cycles", m.opt.MaxCycles)
			return
		}
		m.execute(ctx, t)
	}
}

// fetch decodes the instruction at addr. It fails the tile where no code can
// be: outside executable segments, on a routine's filler, on other words.
func (m *Machine) fetch(t *tile, addr uint32) (in device.Instr, used uint32, ok bool) {
	if addr%4 != 0 {
		t.fault(device.ExcProgramCounter, RuleFetch, addr, "instruction address %#x is not a multiple of 4", addr)
		return in, 0, false
	}
	s := t.executable(addr)
	if s == nil {
		why := "is neither a symbol nor emitted code"
		if addr >= device.ExecutableEnd {
			why = fmt.Sprintf("is behind the executable limit %#x", device.ExecutableEnd)
		}
		t.fault(device.ExcProgramCounter, RuleFetch, addr, "address %#x %s", addr, why)
		return in, 0, false
	}
	if y := m.symbols.find(addr); y != nil {
		t.fault(device.ExcInstruction, RuleFetch, addr, "word %#08x inside %s executed as code", t.load32(addr), y.name)
		return in, 0, false
	}
	var words [2]uint32
	words[0] = t.load32(addr)
	n := 1
	if addr+8 <= s.end {
		words[1] = t.load32(addr + 4)
		n = 2
	}
	in, k, err := device.Decode(words[:n])
	if err != nil {
		t.fault(device.ExcInstruction, RuleFetch, addr, "%v", err)
		return in, 0, false
	}
	if k == 2 && addr%8 != 0 {
		t.fault(device.ExcInstruction, "R12", addr, "sendpicp at %#x is not 8-byte aligned", addr)
		return in, 0, false
	}
	return in, uint32(4 * k), true
}

// set writes a register; m15 stays zero.
func (t *tile) set(r int32, v uint32) {
	if r != device.RegZero {
		t.regs[r] = v
	}
}

// execute performs the instruction at pc and charges its cycles (simulator.md
// §1).
func (m *Machine) execute(ctx context.Context, t *tile) {
	t.at = t.pc
	in, size, ok := m.fetch(t, t.pc)
	if !ok {
		return
	}
	t.pc += size
	cost := int64(1)
	switch in.Op {
	case device.OpNop:
	case device.OpSetZI:
		t.set(in.Reg, uint32(in.Imm))
	case device.OpPut:
		t.csr[in.CSR] = t.regs[in.Reg]
	case device.OpGet:
		t.set(in.Reg, t.csr[in.CSR])
	case device.OpAdd:
		t.set(in.Reg, t.regs[in.Src]+uint32(in.Imm))
	case device.OpAnd:
		t.set(in.Reg, t.regs[in.Src]&uint32(in.Imm))
	case device.OpShl:
		t.set(in.Reg, t.regs[in.Src]<<uint32(in.Imm))
	case device.OpLd32, device.OpSt32:
		t.loadStore(in, m.opt.Lenient)
	case device.OpBr:
		m.jump(ctx, t, t.regs[in.Reg])
	case device.OpBrz:
		if t.regs[in.Reg] == 0 {
			m.jump(ctx, t, uint32(in.Target))
		}
	case device.OpCall:
		t.set(in.Reg, t.pc)
		m.jump(ctx, t, uint32(in.Target))
	case device.OpTrap:
		t.fault(device.ExcPatchedBreak0+device.ETYPE(in.Sel), RuleTrap, 0, "trap %d", in.Sel)
	case device.OpSync, device.OpSans:
		cost = t.synchronise(in)
	case device.OpDelay:
		cost = int64(in.N)
	default:
		t.fault(device.ExcExchangeConfig, RuleRow, 0, "%v outside the row of a phase", in)
	}
	t.cycle += cost
	if t.state == waiting && !t.pending {
		t.arrival = t.cycle
	}
}

// loadStore performs ld32 and st32.
func (t *tile) loadStore(in device.Instr, lenient bool) {
	addr := t.regs[in.Base] + t.regs[in.Index] + 4*uint32(in.Imm)
	switch {
	case addr%4 != 0 || !inSRAM(addr, 4):
		t.fault(device.ExcAddress, RuleMemory, addr, "%v at %#x: misaligned or outside SRAM", in, addr)
	case in.Op == device.OpSt32 && t.protects(addr, 4):
		t.fault(device.ExcAddress, RuleMemory, addr, "%v writes into code at %#x", in, addr)
	case in.Op == device.OpSt32:
		t.store32(addr, t.regs[in.Reg])
	default:
		if n, at := t.written.missing(addr, 4); n > 0 {
			t.soft(lenient, softUnwritten, int64(n), func() Error {
				return Error{Phase: -1, Event: -1, Address: at, Detail: fmt.Sprintf("%v loads %d unwritten bytes", in, n)}
			})
		}
		t.set(in.Reg, t.load32(addr))
	}
}

// synchronise performs sync and sans and gives their cycles. A tile that joins
// a barrier is left waiting.
func (t *tile) synchronise(in device.Instr) int64 {
	if in.Op == device.OpSans {
		if in.Sel == device.SansInternal {
			if t.pending {
				t.fault(device.ExcNone, RuleBarrier, 0, "sans 0 while the barrier of an earlier sans 0 is open")
			}
			t.pending = true
			t.arrival = t.cycle + 1
		}
		return 1
	}
	switch in.Sel {
	case device.SyncTiles:
		if t.pending {
			t.fault(device.ExcNone, RuleBarrier, 0, "sync 3 while the barrier of a sans 0 is open")
			return 1
		}
		t.state = waiting
		return 1
	case device.SyncLocal:
		if t.pending {
			t.state = waiting
		}
		return 1
	}
	return 0 // the host answers at once
}

// jump continues at target: in code, in a routine, or, at address 0, not at
// all (device.md §6.3).
func (m *Machine) jump(ctx context.Context, t *tile, target uint32) {
	if target == 0 {
		t.state = halted
		return
	}
	if y := m.symbols.find(target); y != nil && y.start == target {
		m.routine(ctx, t, y)
		return
	}
	t.pc = target
	if target%4 == 0 && t.executable(target) != nil {
		return
	}
	// Report the branch, not the place it went to.
	m.fetch(t, target)
}
