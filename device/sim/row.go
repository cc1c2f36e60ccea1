package sim

import (
	"fmt"
	"math"

	"ipusolve/device"
)

// maxHorizon keeps every event of a phase within 32 bits.
const maxHorizon = math.MaxInt32 / 2

// stream is consecutive words that leave a tile: item k is read at from + k·item
// and leaves at event x+1+k.
type stream struct {
	x, n    int32
	from    uint32
	message int32 // its message, an index into row.messages
	ctl     uint8
}

// item is the bytes an event of the stream moves.
func (s *stream) item() uint32 { return itemBytes(s.ctl) }

// end is the cycle after the last item.
func (s *stream) end() int32 { return s.x + s.n }

func itemBytes(ctl uint8) uint32 {
	if ctl&device.CtlPaired != 0 {
		return 8
	}
	return 4
}

// control is a write to one of the four receive settings of a row, in force for
// data at event and later.
type control struct {
	event int32
	value uint32
}

// message is what one send reads: window [x, end) and the elements it touches
// (rule R7).
type message struct {
	x, end   int32
	elements device.ElementSet
}

// row is a decoded exchange row.
type row struct {
	base, end uint32 // its words, return included
	horizon   int32
	streams   []stream
	messages  []message
	elements  device.ElementSet // of all sends
	sent      int64             // words

	source, pair    []control // own lane; lane borrowed in 64-bit mode
	pointer, format []control // pointer values are byte addresses

	heard []uint32 // per stream: 1 if one receiver selected all of it
}

func (r *row) reset() {
	*r = row{streams: r.streams[:0], messages: r.messages[:0], source: r.source[:0], pair: r.pair[:0],
		pointer: r.pointer[:0], format: r.format[:0], heard: r.heard[:0]}
}

// sending is the running message while a row is decoded.
type sending struct {
	active bool
	next   uint32 // address of the next item
	ctl    uint8
}

// rowFault is an error at an event of the tile's row.
func (t *tile) rowFault(phase int, event int64, code device.ETYPE, rule string, addr uint32, format string, args ...any) {
	t.fail(Error{Code: code, Rule: rule, Phase: phase, Event: event, Address: addr, Detail: fmt.Sprintf(format, args...)})
}

// receiveFault is an exchange error (code 13) at an event of the tile's row.
func (t *tile) receiveFault(phase int, event int32, code device.ReceiveError, rule string, addr uint32, format string, args ...any) {
	t.fail(Error{Code: device.ExcExchange, Receive: code, Rule: rule, Phase: phase, Event: int64(event), Address: addr, Detail: fmt.Sprintf(format, args...)})
}

// startsRow tells whether the instruction at pc, the first behind a barrier,
// enters a row: an exchange instruction, or a call to something that is no
// routine (device.md §6.4). It gives the row's address.
func (m *Machine) startsRow(t *tile) (base uint32, call device.Instr, ok bool) {
	if t.pc%4 != 0 || t.executable(t.pc) == nil {
		return 0, call, false // reported when it is executed
	}
	words := t.words(t.pc, t.pc+4)
	if s := t.executable(t.pc); t.pc+8 <= s.end {
		words = t.words(t.pc, t.pc+8)
	}
	in, _, err := device.Decode(words)
	switch {
	case err != nil:
	case in.IsExchange():
		return t.pc, device.Instr{}, true
	case in.Op == device.OpCall:
		if y := m.symbols.find(uint32(in.Target)); y == nil || y.start != uint32(in.Target) {
			return uint32(in.Target), in, true
		}
	}
	return 0, call, false
}

// decodeRow reads the row the tile enters at its pc, if it does, and leaves pc
// behind its return. Streams and controls are left in t.row.
func (m *Machine) decodeRow(t *tile, phase int) {
	r := &t.row
	r.reset()
	t.at = t.pc
	base, call, ok := m.startsRow(t)
	if !ok {
		return
	}
	if call.Op == device.OpCall {
		t.set(call.Reg, t.pc+4)
	}
	r.base, r.end, t.at = base, base, base
	var s sending
	clock := int64(0)
	for {
		pc := r.end
		in, size, ok := m.fetch(t, pc)
		if !ok {
			t.err.Phase, t.err.Event = phase, clock+1
			if t.executable(pc) != nil {
				r.end += 4 // listed with the row
			}
			return
		}
		if in.Op == device.OpBr {
			r.end += size
			t.pc = t.regs[in.Reg]
			break
		}
		if !in.IsExchange() {
			t.pc = pc
			break
		}
		r.end += size
		m.decodeSend(t, phase, in, &s, int32(clock))
		t.decodeControls(phase, in, clock)
		if clock += int64(in.N); clock > maxHorizon {
			t.rowFault(phase, clock, device.ExcNone, RuleBudget, 0, "a row of more than %d events", maxHorizon)
		}
		if t.state == failed {
			return
		}
	}
	r.horizon = int32(clock)
	listens := len(r.pointer)+len(r.pair)+len(r.source) > 0
	if d := t.csr[device.IncomingDCount]; listens && d != 1 {
		t.rowFault(phase, 0, device.ExcExchangeConfig, RuleRow, 0, "row receives with INCOMING_DCOUNT %d, not 1", d)
	}
	for range r.streams {
		r.heard = append(r.heard, 0)
	}
}

// decodeSend adds what the instruction, which starts at cycle clock, sends.
func (m *Machine) decodeSend(t *tile, phase int, in device.Instr, s *sending, clock int32) {
	event := int64(clock) + 1
	begins := false
	switch in.Op {
	case device.OpSend:
		s.ctl = uint8(in.Ctl)
		s.next = t.csr[device.OutgoingBase] + uint32(in.Addr)*itemBytes(s.ctl)
		begins = true
	case device.OpSendOff:
		if !s.active {
			t.rowFault(phase, event, device.ExcExchangeConfig, RuleRow, 0, "%v continues no running send", in)
			return
		}
		if itemBytes(s.ctl) != itemBytes(uint8(in.Ctl)) {
			t.rowFault(phase, event, device.ExcExchangeConfig, RuleRow, 0, "%v changes the item size of a running send", in)
			return
		}
		s.ctl = uint8(in.Ctl)
		s.next += uint32(in.Delta) * itemBytes(s.ctl)
	case device.OpSendPIC:
		if !s.active {
			t.rowFault(phase, event, device.ExcExchangeConfig, "R5", 0, "%v continues no running send", in)
			return
		}
	case device.OpSendPICP:
		if in.Ctl == 0 {
			s.active = false
			return
		}
		from := t.csr[device.OutgoingBase] + uint32(in.Addr)*itemBytes(uint8(in.Ctl))
		begins = !s.active || from != s.next || s.ctl != uint8(in.Ctl)
		if begins && !m.opt.Lenient {
			t.rowFault(phase, event, device.ExcExchangeConfig, "R5", from, "%v starts a message: controls on the first event of a send", in)
			return
		}
		s.next, s.ctl = from, uint8(in.Ctl)
	default:
		s.active = false
		return
	}
	s.active = true
	r := &t.row
	item := itemBytes(s.ctl)
	n := uint32(in.N) * item
	from := s.next
	s.next += n
	if begins {
		r.messages = append(r.messages, message{x: clock, end: clock})
	}
	now := &r.messages[len(r.messages)-1]
	now.end = clock + in.N
	if s.ctl&device.CtlBoth == 0 {
		return // the events pass, nothing leaves
	}
	if !inSRAM(from, uint64(n)) || from%item != 0 {
		t.rowFault(phase, event, device.ExcAddress, RuleMemory, from, "%v reads %d bytes at %#x: misaligned or outside SRAM", in, n, from)
		return
	}
	now.elements |= device.Elements(from, n)
	r.elements |= device.Elements(from, n)
	r.sent += int64(n / 4)
	if k := len(r.streams) - 1; k >= 0 && !begins {
		last := &r.streams[k]
		if last.ctl == s.ctl && last.end() == clock && last.from+uint32(last.n)*item == from {
			last.n += in.N
			return
		}
	}
	r.streams = append(r.streams, stream{x: clock, n: in.N, from: from, ctl: s.ctl, message: int32(len(r.messages) - 1)})
}

// decodeControls adds the controls of an instruction that starts at clock.
func (t *tile) decodeControls(phase int, in device.Instr, clock int64) {
	list, n := in.Controls()
	r := &t.row
	for _, c := range list[:n] {
		event := clock + int64(c.Event)
		now := control{event: int32(event), value: uint32(c.Value)}
		switch {
		case c.PIC && c.Sel == device.SelPointer:
			now.value = t.csr[device.IncomingBase] + 4*now.value
			r.pointer = append(r.pointer, now)
		case c.PIC:
			if now.value > device.CtlDirection2 {
				t.rowFault(phase, event, device.ExcExchangeConfig, RuleRow, 0, "format %d: not 0, 1 or 2", now.value)
			}
			r.format = append(r.format, now)
		default:
			if now.value >= device.NumTiles && now.value != device.NeutralSource {
				t.rowFault(phase, event, device.ExcExchangeConfig, RuleSource, 0, "source %#x is neither a tile nor neutral", now.value)
			}
			if c.Sel == device.SelPairSource {
				r.pair = append(r.pair, now)
			} else {
				r.source = append(r.source, now)
			}
		}
	}
}
