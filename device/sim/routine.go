package sim

import (
	"context"
	"errors"
	"fmt"

	"ipusolve/device"
	"ipusolve/kernels"
)

// link is the register a routine returns by (device.md §6.1).
func link(k kernels.Kind) int {
	if k == kernels.WorkerBarrier {
		return device.RegBarrierLink
	}
	return device.RegLink
}

// routine runs the routine that control went to: operand rules, cycles,
// semantics, return.
func (m *Machine) routine(ctx context.Context, t *tile, y *symbol) {
	if s := t.executable(y.start); s == nil || y.end > s.end {
		t.fault(device.ExcProgramCounter, RuleFetch, y.start, "%s at %#x, %d bytes, is not in an executable segment of this tile", y.name, y.start, y.end-y.start)
		return
	}
	args := t.regs[device.RegOutput:][:y.spec.NumArgs()]
	if m.opt.Trace != nil {
		t.tracef("cycle %d step %d call %s %#x", t.cycle, t.step, y.name, args)
	}
	ops, err := y.spec.Operands(args)
	if err != nil {
		t.fault(deviceCode(err), RuleKernel, 0, "%v", err)
		return
	}
	for i := range ops {
		t.checkOperand(y, ops, i, m.opt.Lenient)
		if t.state == failed {
			return
		}
	}
	cycles := y.spec.Cycles(args)
	if t.cycle+cycles > m.opt.MaxCycles {
		t.fault(device.ExcNone, RuleBudget, 0, "%s of %d cycles exceeds the limit of %d", y.name, cycles, m.opt.MaxCycles)
		return
	}
	if ctx.Err() != nil {
		return
	}
	if err := y.spec.Run(t.mem, args); err != nil {
		t.fault(deviceCode(err), RuleKernel, 0, "%v", err)
		return
	}
	for _, o := range ops {
		if o.Write {
			eachSpan(o, func(addr, n uint32) { t.written.set(addr, n) })
		}
	}
	switch y.spec.Kind {
	case kernels.CycleSample:
		// Counted when the call has been issued, at both ends of an interval.
		now := t.cycle + 1
		t.store32(args[0], uint32(now))
		if t.samples++; t.samples == 1 {
			t.first = now
		}
		t.last = now
	case kernels.Startup:
		t.csr[device.IncomingMux] = device.NeutralSource
		t.csr[device.OutgoingBase] = 0
		for w := range device.NumWorkers {
			t.csr[device.WorkerBaseCSR+w] = uint32(device.WorkerBase + 0x100*w)
		}
	case kernels.Completion:
		t.state = halted
	case kernels.WorkerBarrier:
	default:
		t.step++
	}
	t.cycle += cycles
	if t.state == running {
		t.pc = t.regs[link(y.spec.Kind)]
		if t.executable(t.pc) == nil {
			t.fault(device.ExcProgramCounter, RuleFetch, t.pc, "%s returns by m%d to %#x, which is no code", y.name, link(y.spec.Kind), t.pc)
		}
	}
}

// eachSpan calls f for every row of an operand; rows that touch are one span.
func eachSpan(o kernels.Operand, f func(addr, n uint32)) {
	if o.Rows > 1 && o.Stride == o.RowBytes {
		f(o.Addr, o.Rows*o.RowBytes)
		return
	}
	for i := range o.Rows {
		f(o.Addr+i*o.Stride, o.RowBytes)
	}
}

// checkOperand applies the rules of one operand: alignment and memory class
// (code 8), elements shared with later operands (code 6), bytes read before
// they were written, writes into code (simulator.md §4 Kernels, Unwritten).
func (t *tile) checkOperand(y *symbol, ops []kernels.Operand, i int, lenient bool) {
	o := &ops[i]
	if o.Align > 0 && o.Addr%o.Align != 0 {
		t.fault(device.ExcAddress, RuleKernel, o.Addr, "%s: %s at %#x is not %d-byte aligned", y.name, o.Name, o.Addr, o.Align)
		return
	}
	if o.MustInterleave && o.Addr < device.InterleaveBase {
		t.fault(device.ExcAddress, RuleKernel, o.Addr, "%s: %s at %#x is not in interleaved memory", y.name, o.Name, o.Addr)
		return
	}
	for j := i + 1; j < len(ops); j++ {
		p := &ops[j]
		if o.Distinct&p.Distinct != 0 && o.Elements()&p.Elements() != 0 {
			t.fault(device.ExcMemoryConflict, RuleKernel, p.Addr, "%s: %s at %#x and %s at %#x share a memory element", y.name, o.Name, o.Addr, p.Name, p.Addr)
			return
		}
	}
	if o.Read {
		var missing int64
		var first uint32
		eachSpan(*o, func(addr, n uint32) {
			k, at := t.written.missing(addr, n)
			if missing == 0 {
				first = at
			}
			missing += int64(k)
		})
		if missing > 0 {
			t.soft(lenient, softUnwritten, missing, func() Error {
				return Error{Phase: -1, Event: -1, Address: first,
					Detail: fmt.Sprintf("%s reads %d unwritten bytes of %s at %#x", y.name, missing, o.Name, o.Addr)}
			})
		}
	}
	if o.Write {
		eachSpan(*o, func(addr, n uint32) {
			if t.protects(addr, n) {
				t.fault(device.ExcAddress, RuleKernel, addr, "%s: %s at %#x, %d bytes, overwrites code", y.name, o.Name, addr, n)
			}
		})
	}
}

// deviceCode is the exception of an error of package kernels.
func deviceCode(err error) device.ETYPE {
	if errors.Is(err, kernels.ErrAddress) {
		return device.ExcAddress
	}
	return device.ExcOperand
}
