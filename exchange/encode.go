package exchange

import (
	"fmt"
	"slices"

	"ipusolve/device"
)

// EncodeTile writes the row of one tile: words that consume horizon events,
// send what sends lists and apply controls at their events, ended by the return
// word (reference: exchange.md §8.1). sends are sorted by start, controls by
// event; two controls of an event may come in either order. No send and no
// control at all gives a delay (a paired sender's partner).
//
// A pair of controls at one event needs a sendpicp, which starts on an even
// word (R12). Where the count is odd, the latest earlier instruction of two or
// more events is split, back to the last sendpicp (exchange.md §8.3). Nothing
// else changes the parity, so *ParityError means that no row exists. *RowError
// names a broken rule; an address or value that its field cannot hold is a
// device.ErrOperand.
//
// A control at event x of a send starting at x is taken if it ends an idle
// instruction or lies in the last event of an abutting send; one at x+1 is not
// (reference: simulator.md §4).
func EncodeTile(sends []RowSend, controls []RowControl, horizon int32) ([]uint32, error) {
	return encodeTile(sends, controls, horizon, false)
}

// encodeTile is EncodeTile; free allows pairs of controls at the first events of sends
// (FirstEvent).
func encodeTile(sends []RowSend, controls []RowControl, horizon int32, free bool) ([]uint32, error) {
	if err := checkRow(sends, controls, horizon, free); err != nil {
		return nil, err
	}
	// Two words a message or control hold nearly every row.
	e := encoder{ins: make([]device.Instr, 0, 2*len(sends)+2*len(controls)+2)}
	for _, s := range sends {
		n := 0
		for n < len(controls) && controls[n].Event <= s.Start {
			n++
		}
		if err := e.idle(controls[:n], s.Start); err != nil {
			return nil, err
		}
		controls = controls[n:]
		n = 0
		for n < len(controls) && controls[n].Event <= s.End() {
			n++
		}
		if err := e.send(s, controls[:n]); err != nil {
			return nil, err
		}
		controls = controls[n:]
	}
	if err := e.idle(controls, horizon); err != nil {
		return nil, err
	}
	row := make([]uint32, 0, e.words+1)
	clock := int32(0)
	for _, in := range append(e.ins, device.Return()) {
		var err error
		if row, err = in.Append(row); err != nil {
			return nil, fmt.Errorf("exchange: row event %d: %w", clock+1, err)
		}
		clock += in.N
	}
	return row, nil
}

// checkRow verifies order, ranges and the rules that a row cannot break and
// still be written: R1, R2, R4, R5 (at x+1; free leaves what FirstEvent does) and R14.
func checkRow(sends []RowSend, controls []RowControl, horizon int32, free bool) error {
	if horizon < 0 {
		return &RowError{"R14", horizon, "a negative horizon"}
	}
	for i, s := range sends {
		switch {
		case s.Start < 0:
			return &RowError{"R1", s.Start, "a send starts before the row"}
		case s.Items < 1:
			return &RowError{"R2", s.Start, fmt.Sprintf("a send of %d items", s.Items)}
		case s.Start > horizon-s.Items:
			return &RowError{"R14", s.Start, fmt.Sprintf("a send of %d items ends behind the horizon %d", s.Items, horizon)}
		case i > 0 && s.Start < sends[i-1].End():
			return &RowError{"R2", s.Start, fmt.Sprintf("a send starts before the end %d of the one listed before it", sends[i-1].End())}
		case s.Ctl&device.CtlBoth == 0:
			return &RowError{"R2", s.Start, "a send without a direction"}
		}
	}
	next := 0
	for i, c := range controls {
		switch {
		case c.Event < 1:
			return &RowError{"R1", c.Event, "a " + c.Stream.String() + " control before event 1"}
		case c.Event > horizon:
			return &RowError{"R14", c.Event, fmt.Sprintf("a %s control behind the horizon %d", c.Stream, horizon)}
		case i > 0 && c.Event < controls[i-1].Event:
			return &RowError{"R4", c.Event, "controls are not sorted by event"}
		case i > 0 && c.Event == controls[i-1].Event && c.Stream == controls[i-1].Stream,
			i > 1 && c.Event == controls[i-2].Event:
			return &RowError{"R4", c.Event, "two " + c.Stream.String() + " controls"}
		}
		for next < len(sends) && sends[next].Start+1 < c.Event {
			next++
		}
		if next < len(sends) && sends[next].Start+1 == c.Event && !(free && mayBegin(sends, next) && pairAt(controls, i)) {
			return &RowError{"R5", c.Event, "a " + c.Stream.String() + " control at the first event of a send"}
		}
	}
	return nil
}

// pairAt tells whether control i is one of two at its event.
func pairAt(controls []RowControl, i int) bool {
	return group(controls[i:]) == 2 || i > 0 && group(controls[i-1:]) == 2
}

// encoder collects the instructions of one row.
type encoder struct {
	ins     []device.Instr
	words   int   // length of ins in words
	now     int32 // events consumed by ins
	aligned int   // index in ins of the last sendpicp, 0 if none
}

func (e *encoder) emit(in device.Instr) {
	if in.Op == device.OpSendPICP {
		e.aligned = len(e.ins)
	}
	e.ins = append(e.ins, in)
	e.words += in.Words()
	e.now += in.N
}

// group is the number of controls at the event of the first one, 0 at the end.
func group(controls []RowControl) int {
	switch {
	case len(controls) < 2:
		return len(controls)
	case controls[0].Event == controls[1].Event:
		return 2
	}
	return 1
}

// nextStart is the cycle the instruction of the next group starts at, or end if
// none is left.
func nextStart(controls []RowControl, end int32) int32 {
	if len(controls) == 0 {
		return end
	}
	return controls[0].Event - 1
}

// delay waits until the cycle.
func (e *encoder) delay(until int32) {
	for e.now < until {
		e.emit(device.Delay(int(min(until-e.now, device.MaxDelay))))
	}
}

// idle applies the controls and waits until cycle end, which none of them is
// behind (reference: exchange.md §8.1, idle mode).
func (e *encoder) idle(controls []RowControl, end int32) error {
	for len(controls) > 0 {
		n := group(controls)
		c, at := controls[0], controls[0].Event
		if n == 2 {
			e.delay(at - 1)
			if err := e.align(at); err != nil {
				return err
			}
			k := min(device.MaxSend, nextStart(controls[2:], end)-e.now)
			e.emit(pairInstr(k, 0, 0, controls[:2]))
		} else if c.Stream == PointerStream {
			e.delay(at - device.MaxDelayPIC)
			e.emit(device.DelayPIC(int(at-e.now), int(c.Sel), int(c.Value)))
		} else {
			e.delay(at - device.MaxDelayXPIC)
			e.emit(device.DelayXPIC(int(at-e.now), int(c.Sel), int(c.Value)))
		}
		controls = controls[n:]
	}
	e.delay(end)
	return nil
}

// items sends the words of s up to the cycle: a send if the message starts
// here, then sendoffs.
func (e *encoder) items(s RowSend, until int32) {
	if e.now == s.Start && e.now < until {
		e.emit(device.Send(int(min(until-e.now, device.MaxSend)), int(s.ItemAddr), int(s.Ctl)))
	}
	for e.now < until {
		e.emit(device.SendOff(int(min(until-e.now, device.MaxSendOff)), 0, int(s.Ctl)))
	}
}

// send sends one message and applies the controls inside it, all at events of
// x+2..x+n (reference: exchange.md §8.1, send mode), or a pair at x+1.
func (e *encoder) send(s RowSend, controls []RowControl) error {
	for len(controls) > 0 {
		n := group(controls)
		c := controls[0]
		e.items(s, c.Event-1)
		if n == 2 {
			if err := e.align(c.Event); err != nil {
				return err
			}
		}
		k := min(device.MaxSend, nextStart(controls[n:], s.End())-e.now)
		if n == 2 {
			e.emit(pairInstr(k, s.ItemAddr+uint32(e.now-s.Start), s.Ctl, controls[:2]))
		} else {
			sel := int(c.Sel)
			if c.Stream == PointerStream {
				sel += device.SendSelPIC
			}
			e.emit(device.SendPIC(int(k), sel, int(c.Value)))
		}
		controls = controls[n:]
	}
	e.items(s, s.End())
	return nil
}

// pairInstr is the sendpicp of k events that applies both controls.
func pairInstr(k int32, addr uint32, ctl uint8, pair []RowControl) device.Instr {
	x, p := pair[0], pair[1]
	if x.Stream == PointerStream {
		x, p = p, x
	}
	return device.SendPICP(int(k), int(addr), int(ctl), int(x.Sel), int(x.Value), int(p.Sel), int(p.Value))
}

// align makes the word count even for the pair at the event. Only instructions
// from the last sendpicp on count: it was aligned, and so is what came before.
func (e *encoder) align(event int32) error {
	if e.words%2 == 0 {
		return nil
	}
	for i := len(e.ins) - 1; i >= e.aligned; i-- {
		if e.ins[i].N >= 2 {
			e.split(i)
			return nil
		}
	}
	return &ParityError{event}
}

// split replaces instruction i, of at least two events, by two that do the same
// in one word more.
func (e *encoder) split(i int) {
	a := e.ins[i]
	b := device.Delay(1)
	n := a.N
	switch a.Op {
	case device.OpDelay:
		a.N = n - 1
	case device.OpDelayPIC, device.OpDelayXPIC: // the control stays at the last event
		b = a
		a, b.N = device.Delay(int(n-1)), 1
	case device.OpSend, device.OpSendOff:
		b = device.SendOff(int(n-1), 0, int(a.Ctl))
		a.N = 1
	case device.OpSendPIC, device.OpSendPICP: // the control stays at the first event
		if ctl := e.ctlAt(i); ctl != 0 {
			b = device.SendOff(1, 0, int(ctl))
		}
		a.N = n - 1
	}
	e.ins[i] = a
	e.ins = slices.Insert(e.ins, i+1, b)
	e.words++
}

// ctlAt is the ctl of the running message at instruction i; 0 for a sendpicp
// that only waits. A sendpic has no ctl of its own, but always a send before it.
func (e *encoder) ctlAt(i int) int32 {
	for e.ins[i].Op == device.OpSendPIC {
		i--
	}
	return e.ins[i].Ctl
}
