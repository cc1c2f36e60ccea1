package check

import (
	"errors"
	"fmt"
	"sort"

	"ipusolve/device"
)

// sent is one message as its sender's row shows it.
type sent struct {
	start, n int32
	addr     int32 // in items
	ctl      int32
}

// control is one control event of a row.
type control struct {
	event int32
	sel   int32
	value int32
}

// tileRow is what a row does: sends by start, and both control streams by event.
type tileRow struct {
	sends  []sent
	source []control
	pic    []control
	events int32
	began  []int32 // events at which a sendpicp that begins a message sets its controls
}

// active tells whether the tile takes part: the row of one that does not is
// missing or a bare return (reference: device.md §6.4).
func (r *tileRow) active() bool { return r.events > 0 }

// maxEvents keeps all event arithmetic inside 32 bits.
const maxEvents = 1 << 30

// decode executes a row; free lets a sendpicp begin a message. The violation lacks
// phase and tile.
func decode(row []uint32, free bool) (tileRow, *Violation) {
	var r tileRow
	if len(row) == 0 {
		return r, nil
	}
	fault := func(rule Rule, at int, format string, args ...any) (tileRow, *Violation) {
		return r, &Violation{Event: r.events, Rule: rule, Message: -1,
			What: fmt.Sprintf("word %d: ", at) + fmt.Sprintf(format, args...)}
	}
	for at := 0; ; {
		in, used, err := device.Decode(row[at:])
		switch {
		case errors.Is(err, device.ErrTruncated):
			return fault(Row, at, "the row ends without a return")
		case err != nil:
			return fault(Row, at, "%v", err)
		case in == device.Return():
			if at+1 != len(row) {
				return fault(Row, at, "return before the last word %d", len(row)-1)
			}
			return r, nil
		case !in.IsExchange():
			return fault(Row, at, "%s is no instruction of a row", in)
		case in.Op == device.OpSendPICP && at%2 != 0:
			return fault(R12, at, "%s starts on an odd word", in)
		case r.events > maxEvents-in.N:
			return fault(Row, at, "the row is longer than %d events", maxEvents)
		}
		if rule, what := r.send(in, free); what != "" {
			return fault(rule, at, "%s %s", in, what)
		}
		controls, n := in.Controls()
		for _, c := range controls[:n] {
			e := control{r.events + c.Event, c.Sel, c.Value}
			if c.PIC {
				r.pic = append(r.pic, e)
			} else {
				r.source = append(r.source, e)
			}
		}
		r.events += in.N
		at += used
	}
}

// send books the items of the instruction, if it sends any.
func (r *tileRow) send(in device.Instr, free bool) (Rule, string) {
	running := len(r.sends) > 0 && r.sends[len(r.sends)-1].end() == r.events
	switch {
	case in.Op == device.OpSend:
		r.sends = append(r.sends, sent{r.events, in.N, in.Addr, in.Ctl})
		return "", ""
	case in.Op == device.OpSendPICP && in.Ctl != 0:
		if free && (!running || !r.sends[len(r.sends)-1].continuedBy(in)) {
			r.sends = append(r.sends, sent{r.events, in.N, in.Addr, in.Ctl})
			r.began = append(r.began, r.events+1)
			return "", ""
		}
		if !running {
			return R5, "sets controls at the first event of a send"
		}
		if s := r.sends[len(r.sends)-1]; in.Addr != s.addr+s.n {
			return Send, fmt.Sprintf("leaves the running message, which continues at item %#x", s.addr+s.n)
		}
	case in.Op == device.OpSendOff, in.Op == device.OpSendPIC:
		if !running {
			return Send, "continues no message"
		}
	default:
		return "", ""
	}
	s := &r.sends[len(r.sends)-1]
	if in.Delta != 0 {
		return Send, "skips items of the running message"
	}
	if in.Op != device.OpSendPIC && in.Ctl != s.ctl {
		return Send, fmt.Sprintf("changes ctl %d of the running message", s.ctl)
	}
	s.n += in.N
	return "", ""
}

func (s sent) end() int32 { return s.start + s.n }

// continuedBy tells whether a sendpicp right behind goes on with the send.
func (s sent) continuedBy(in device.Instr) bool { return in.Addr == s.addr+s.n && in.Ctl == s.ctl }

// at finds the control of the selector at the event.
func at(controls []control, event, sel int32) (value int32, ok bool) {
	i := sort.Search(len(controls), func(i int) bool { return controls[i].event >= event })
	if i < len(controls) && controls[i].event == event && controls[i].sel == sel {
		return controls[i].value, true
	}
	return 0, false
}

// heard is a 32-bit receive as a row shows it.
type heard struct {
	event  int32 // select, σ
	n      int32 // events until the next source control
	source int32 // physical
	addr   int64 // byte address of the first word; −1 if no pointer was set
}

// hear lists the 32-bit receives of a tile by select event. A receive without a
// pointer of its own continues the address run of the one before it.
func (r *tileRow) hear(tile int32) []heard {
	if len(r.source) == 0 {
		return nil
	}
	delay := int32(device.WriteDelay(device.Physical(int(tile))))
	list := make([]heard, 0, len(r.source)/2+1)
	for i, c := range r.source {
		if c.sel != device.SelSource || c.value == device.NeutralSource {
			continue
		}
		h := heard{event: c.event, n: r.events - c.event, source: c.value, addr: -1}
		if i+1 < len(r.source) {
			h.n = r.source[i+1].event - c.event
		}
		if v, ok := at(r.pic, c.event+delay, device.SelPointer); ok {
			h.addr = 4 * int64(v)
		} else if last := len(list) - 1; last >= 0 && list[last].addr >= 0 {
			h.addr = list[last].addr + 4*int64(list[last].n)
		}
		list = append(list, h)
	}
	return list
}
