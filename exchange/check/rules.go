package check

import (
	"cmp"
	"fmt"
	"slices"

	"ipusolve/device"
	"ipusolve/exchange"
)

// checker verifies the rules of each tile, given the starts.
type checker struct {
	p     *exchange.Problem
	start []int32
	rows  []tileRow // nil: only starts are checked
}

// sending is a send of the tile in message terms.
type sending struct {
	message int32
	x, n    int32
	data    device.ElementSet
}

func (s sending) end() int32 { return s.x + s.n }

// view is everything a tile does.
type view struct {
	tile     int
	sends    []sending // by start
	receives []receive // by window
	lent     []sending // paired messages of the partner, by list order
	source   []expected
	pic      []expected
	horizon  int32
}

// expected is a control the problem demands, and why.
type expected struct {
	control
	message int32
	rule    Rule // broken if it is missing or different
}

func (c *checker) violation(tile int, rule Rule, event, message int32, format string, args ...any) *Violation {
	return &Violation{Phase: c.p.Phase, Tile: tile, Event: event, Rule: rule, Message: int(message), What: fmt.Sprintf(format, args...)}
}

// view derives the tile's sends, receives and controls from the starts.
func (c *checker) view(tile int, roles []role) *view {
	v := &view{tile: tile}
	for _, r := range roles {
		m := &c.p.Messages[r.message]
		x, n := c.start[r.message], items(m)
		end := x + n
		switch r.dest {
		case sender:
			s := sending{message: r.message, x: x, n: n}
			for _, a := range m.SourceAddrs {
				s.data |= device.Elements(a, 4*uint32(m.Words))
			}
			v.sends = append(v.sends, s)
		case partner:
			v.lent = append(v.lent, sending{message: r.message, x: x, n: n})
		default:
			in := receiveOf(c.p, r.message, m.Dests[r.dest], x)
			v.receives = append(v.receives, in)
			end = in.writeEnd() + guard
		}
		v.horizon = max(v.horizon, end)
	}
	slices.SortStableFunc(v.sends, func(a, b sending) int { return cmp.Compare(a.x, b.x) })
	slices.SortStableFunc(v.receives, func(a, b receive) int { return cmp.Compare(a.busy, b.busy) })
	v.expect(c.p)
	return v
}

// expect lists the controls: neutrals after R6, pointers after R8.
func (v *view) expect(p *exchange.Problem) {
	for i := range v.receives {
		r := &v.receives[i]
		source := func(event, sel, value int32, rule Rule) {
			v.source = append(v.source, expected{control{event, sel, value}, r.message, rule})
		}
		pic := func(event, sel, value int32, rule Rule) {
			v.pic = append(v.pic, expected{control{event, sel, value}, r.message, rule})
		}
		pointer := int32(r.addr / 4)
		if r.paired {
			if !r.late {
				source(r.source, device.SelPairSource, r.value, Select)
				source(r.source+r.n, device.SelPairSource, device.NeutralSource, R6)
			}
			pic(r.pointer-2, device.SelFormat, r.direction, Format)
			pic(r.pointer, device.SelPointer, pointer, Pointer)
			pic(r.pointer-2+r.n, device.SelFormat, 0, Format)
			continue
		}
		source(r.source, device.SelSource, r.value, Select)
		if i+1 == len(v.receives) || v.receives[i+1].paired || v.receives[i+1].source != r.source+r.n {
			source(r.source+r.n, device.SelSource, device.NeutralSource, R6)
		}
		if i > 0 && !v.receives[i-1].paired && v.receives[i-1].addr+4*uint32(p.Messages[v.receives[i-1].message].Words) == r.addr {
			continue
		}
		pic(r.pointer, device.SelPointer, pointer, Pointer)
	}
	byEvent := func(a, b expected) int { return cmp.Compare(a.event, b.event) }
	slices.SortStableFunc(v.source, byEvent)
	slices.SortStableFunc(v.pic, byEvent)
}

// tile checks every rule but R9 and R13; the result is the tile's horizon.
func (c *checker) tile(tile int, roles []role) (int32, *Violation) {
	v := c.view(tile, roles)
	checks := []func(*view) *Violation{c.events, c.lanes, c.collisions, c.pairs, c.elements}
	if c.rows != nil {
		// The rows first: a control out of place explains itself, while the
		// rules below speak about what the problem would demand.
		checks = slices.Insert(checks, 1, c.active, c.controls, c.horizon)
	}
	for _, check := range checks {
		if fault := check(v); fault != nil {
			return 0, fault
		}
	}
	return v.horizon, nil
}

// events is R1.
func (c *checker) events(v *view) *Violation {
	for _, s := range v.sends {
		if s.x < 0 {
			return c.violation(v.tile, R1, -1, s.message, "start %d", s.x)
		}
	}
	for _, list := range [][]expected{v.source, v.pic} {
		if len(list) > 0 && list[0].event < 1 {
			return c.violation(v.tile, R1, -1, list[0].message, "a control at event %d", list[0].event)
		}
	}
	return nil
}

// active is R14: only tiles with a message have a row.
func (c *checker) active(v *view) *Violation {
	switch active := c.rows[v.tile].active(); {
	case active && v.horizon == 0:
		return c.violation(v.tile, R14, -1, -1, "a row, but no message")
	case !active && v.horizon > 0:
		return c.violation(v.tile, R14, -1, -1, "messages, but no row")
	}
	return nil
}

// horizon is R14.
func (c *checker) horizon(v *view) *Violation {
	if n := c.rows[v.tile].events; n != v.horizon {
		return c.violation(v.tile, R14, min(n, v.horizon), -1, "the row consumes %d events, its messages need %d", n, v.horizon)
	}
	return nil
}

// controls compares the row's controls with the expected ones and reports the
// earliest difference.
func (c *checker) controls(v *view) *Violation {
	row := &c.rows[v.tile]
	a := c.compare(v, "source", v.source, row.source)
	b := c.compare(v, "pointer", v.pic, row.pic)
	if a == nil || b != nil && b.Event < a.Event {
		return b
	}
	return a
}

func (c *checker) compare(v *view, stream string, want []expected, found []control) *Violation {
	for i := 0; i < max(len(want), len(found)); i++ {
		switch {
		case i < len(want) && i < len(found) && want[i].control == found[i]:
			continue
		case i == len(want) || i < len(found) && found[i].event < want[i].event:
			f := found[i]
			rule, message := v.unexpected(stream, f)
			return c.violation(v.tile, rule, f.event, message, "%s control sel %d value %#x, where none belongs", stream, f.sel, f.value)
		case i == len(found) || want[i].event < found[i].event:
			w := want[i]
			return c.violation(v.tile, w.rule, w.event, w.message, "no %s control sel %d value %#x", stream, w.sel, w.value)
		default:
			w, f := want[i], found[i]
			return c.violation(v.tile, w.rule, w.event, w.message, "%s control sel %d value %#x instead of sel %d value %#x", stream, f.sel, f.value, w.sel, w.value)
		}
	}
	return nil
}

// unexpected classifies a control that no receive asks for, and guesses the
// message that it was meant for.
func (v *view) unexpected(stream string, f control) (Rule, int32) {
	if stream == "source" {
		if f.value == device.NeutralSource {
			return R6, -1
		}
		return Select, v.nearest(f.event, func(r *receive) (int32, bool) { return r.source, r.value == f.value })
	}
	if f.sel == device.SelFormat {
		return Format, -1
	}
	for i := range v.receives {
		if v.receives[i].pointer == f.event {
			return R8, v.receives[i].message
		}
	}
	return Pointer, v.nearest(f.event, func(r *receive) (int32, bool) { return r.pointer, r.addr/4 == uint32(f.value) })
}

// nearest is the message of the receive whose event lies nearest, among those
// that qualify; −1 if none does.
func (v *view) nearest(event int32, of func(*receive) (at int32, ok bool)) int32 {
	message, best := int32(-1), int32(0)
	for i := range v.receives {
		at, ok := of(&v.receives[i])
		if distance := max(at-event, event-at); ok && (message < 0 || distance < best) {
			message, best = v.receives[i].message, distance
		}
	}
	return message
}

// lanes is R2 and R3: windows of one kind are disjoint.
func (c *checker) lanes(v *view) *Violation {
	for i := 1; i < len(v.sends); i++ {
		if a, b := v.sends[i-1], v.sends[i]; b.x < a.end() {
			return c.violation(v.tile, R2, b.x+1, b.message, "sent while message %d leaves until event %d", a.message, a.end())
		}
	}
	for i := 1; i < len(v.receives); i++ {
		a, b := &v.receives[i-1], &v.receives[i]
		if b.busy < a.free {
			return c.violation(v.tile, R3, b.busy, b.message, "received while message %d is, until event %d", a.message, a.free)
		}
		if b.pointer < a.writeEnd() {
			return c.violation(v.tile, R3, b.pointer, b.message, "written while message %d is, until event %d", a.message, a.writeEnd())
		}
	}
	return nil
}

// collisions is R4 and R5.
func (c *checker) collisions(v *view) *Violation {
	for _, list := range [][]expected{v.source, v.pic} {
		s := 0
		for i, e := range list {
			if i > 0 && list[i-1].event == e.event {
				return c.violation(v.tile, R4, e.event, e.message, "a second control of the stream, besides that of message %d", list[i-1].message)
			}
			for s < len(v.sends) && v.sends[s].x+1 < e.event {
				s++
			}
			if s < len(v.sends) && v.sends[s].x+1 == e.event && !c.mayBegin(v, s) {
				return c.violation(v.tile, R5, e.event, e.message, "a control at the first event of message %d", v.sends[s].message)
			}
		}
	}
	return nil
}

// pairs is R10 and R11.
func (c *checker) pairs(v *view) *Violation {
	for _, l := range v.lent {
		overlaps := func(from, to int32) bool { return from < l.end() && to > l.x }
		for _, s := range v.sends {
			if overlaps(s.x, s.end()) {
				return c.violation(v.tile, R10, s.x+1, s.message, "sent while the partner sends message %d", l.message)
			}
		}
		for i := range v.receives {
			r := &v.receives[i]
			if overlaps(r.busy, r.free) || overlaps(r.pointer, r.writeEnd()) {
				return c.violation(v.tile, R10, r.busy, r.message, "received while the partner sends message %d", l.message)
			}
		}
		for _, list := range [][]expected{v.source, v.pic} {
			for _, e := range list {
				if e.event > l.x && e.event <= l.end() {
					return c.violation(v.tile, R10, e.event, e.message, "a control while the partner sends message %d", l.message)
				}
			}
		}
	}
	for i := range v.receives {
		r := &v.receives[i]
		delay := r.pointer - r.source // of a paired receive 53 + 2y
		if r.paired && (r.n == delay || r.n == delay-2) {
			return c.violation(v.tile, R11, r.source, r.message, "%d items meet the format control", r.n)
		}
	}
	return nil
}

// elements is R7.
func (c *checker) elements(v *view) *Violation {
	first := 0 // the receives before it have let go of their elements
	for _, s := range v.sends {
		for first < len(v.receives) && v.receives[first].writeEnd()+guard <= s.x {
			first++
		}
		for i := first; i < len(v.receives) && v.receives[i].pointer < s.end(); i++ {
			r := &v.receives[i]
			data := device.Elements(r.addr, 4*uint32(c.p.Messages[r.message].Words))
			if data&s.data != 0 {
				return c.violation(v.tile, R7, max(s.x+1, r.pointer), s.message, "reads an element that message %d writes in events %d..%d", r.message, r.pointer, r.writeEnd()+guard-1)
			}
		}
	}
	return nil
}
