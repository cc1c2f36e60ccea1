package sim_test

import (
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/device/sim"
)

// pairedTiming is one line of the table of exchange.md §4.4.
type pairedTiming struct {
	s, d, x             int // logical sender, receiver
	early               bool
	select_, value      int // only of the early member
	on, pointer, off, h int
}

// row is the receiver's row for n items to addr. 64-bit receives of 64 items on
// row 0 of the chip have their controls in this order.
func (c *pairedTiming) row(t *testing.T, n, addr int) []uint32 {
	type event struct {
		at int
		in func(gap int) device.Instr
	}
	pic := func(sel, v int) func(int) device.Instr {
		return func(gap int) device.Instr { return device.DelayPIC(gap, sel, v) }
	}
	xpic := func(v int) func(int) device.Instr {
		return func(gap int) device.Instr { return device.DelayXPIC(gap, device.SelPairSource, v) }
	}
	dir := device.Direction(device.Physical(c.s), device.Physical(c.d))
	events := []event{{c.on, pic(1, dir)}, {c.pointer, pic(0, addr/4)}, {c.off, pic(1, 0)}}
	if c.early {
		events = append(events, event{c.select_, xpic(c.value)}, event{c.select_ + n, xpic(device.NeutralSource)})
	}
	slices.SortFunc(events, func(a, b event) int { return a.at - b.at })
	var list []device.Instr
	now := 0
	for _, e := range events {
		list = append(list, e.in(e.at-now))
		now = e.at
	}
	return words(t, append(list, device.Delay(c.h-now), device.Return())...)
}

// TestPairedTimings executes the paired messages of exchange.md §4.4.
func TestPairedTimings(t *testing.T) {
	for _, pair := range [][2]pairedTiming{
		{{0, 2, 31, true, 1, 0, 54, 56, 118, 125}, {0, 3, 31, false, 0, 0, 54, 56, 118, 125}},
		{{2, 0, 27, true, 1, 64, 52, 54, 116, 123}, {2, 1, 27, false, 0, 0, 52, 54, 116, 123}},
		{{0, 47, 70, true, 1, 2, 96, 98, 160, 167}, {0, 46, 70, false, 0, 0, 96, 98, 160, 167}},
	} {
		b, _ := pairedProgram(t, pair)
		m, r := b.mustRun()
		want := part(9, 0, 128)
		wants(t, m, "early", want)
		wants(t, m, "late", want)
		if r.Phases[0].Horizon != int64(pair[0].h) || r.Phases[0].Sent != 128 || r.Phases[0].Received != 256 {
			t.Errorf("%+v", r.Phases[0])
		}
	}
}

// pairedProgram is the phase of one paired message of 64 items; rows are those
// of sender, its partner, early and late member.
func pairedProgram(t *testing.T, pair [2]pairedTiming) (*builder, [4]*program) {
	e, l := &pair[0], &pair[1]
	b := newBuilder(t, e.s, e.s^1, e.d, l.d)
	dir := device.Direction(device.Physical(e.s), device.Physical(e.d))
	p := [4]*program{b.tiles[e.s], b.tiles[e.s^1], b.tiles[e.d], b.tiles[l.d]}
	p[0].block(sendBase, 128, 9)
	p[1].block(sendBase, 128, 8)
	p[0].exchange(0, words(t, device.Delay(e.x), device.Send(64, sendBase/8, dir|device.CtlPaired), device.Return()), 128, 0)
	p[1].exchange(0, words(t, device.Delay(e.x+64), device.Return()), 0, 0)
	p[2].exchange(0, e.row(t, 64, dataBase), 0, 128)
	p[3].exchange(0, l.row(t, 64, dataBase), 0, 128)
	for _, q := range p {
		q.halt()
	}
	b.output("early", e.d, dataBase, 128)
	b.output("late", l.d, dataBase, 128)
	return b, p
}

// TestPairedMutations spoils a paired message.
func TestPairedMutations(t *testing.T) {
	pair := [2]pairedTiming{{0, 2, 31, true, 1, 0, 54, 56, 118, 125}, {0, 3, 31, false, 0, 0, 54, 56, 118, 125}}
	change := func(p *program, from, to device.Instr) {
		i := slices.Index(p.rows, words(t, from)[0])
		if i < 0 {
			t.Fatalf("no %v in the row", from)
		}
		copy(p.rows[i:], words(t, to))
	}
	for _, c := range []struct {
		name  string
		spoil func(p [4]*program)
		rule  string
		tile  int
	}{
		{"send one event late", func(p [4]*program) { change(p[0], device.Delay(31), device.Delay(32)) }, sim.RuleLanes, 2},
		{"32-bit send", func(p [4]*program) {
			change(p[0], device.Send(64, sendBase/8, 5), device.Send(64, sendBase/4, 1))
		}, sim.RuleRow, 2},
		{"partner sends", func(p [4]*program) {
			i := slices.Index(p[1].rows, words(t, device.Delay(95))[0])
			p[1].rows = slices.Replace(p[1].rows, i, i+1, words(t, device.Delay(94), device.Send(1, sendBase/4, 1))...)
		}, "R10", 0},
		{"no format on the late member", func(p [4]*program) { change(p[3], device.DelayPIC(54, 1, 1), device.DelayPIC(54, 1, 0)) }, sim.RuleRow, 3},
		{"format on one event late", func(p [4]*program) {
			change(p[3], device.DelayPIC(54, 1, 1), device.DelayPIC(55, 1, 1))
			change(p[3], device.DelayPIC(2, 0, dataBase/4), device.DelayPIC(1, 0, dataBase/4))
		}, sim.RuleRow, 3},
		{"format of the other direction", func(p [4]*program) { change(p[3], device.DelayPIC(54, 1, 1), device.DelayPIC(54, 1, 2)) }, sim.RuleLanes, 3},
		{"format stays on", func(p [4]*program) { change(p[3], device.DelayPIC(62, 1, 0), device.DelayPIC(62, 1, 1)) }, sim.RuleLanes, 3},
		{"neutral dropped", func(p [4]*program) {
			change(p[2], device.DelayXPIC(9, 1, device.NeutralSource), device.DelayXPIC(9, 1, 0))
		}, sim.RuleLanes, 2},
		{"own lane instead of the borrowed", func(p [4]*program) {
			change(p[2], device.DelayXPIC(1, 1, 0), device.DelayXPIC(1, 0, 0))
		}, sim.RuleRow, 2},
		{"late member selects", func(p [4]*program) {
			p[3].rows = slices.Clone(p[3].rows)
			i := slices.Index(p[3].rows, words(t, device.DelayPIC(54, 1, 1))[0])
			p[3].rows = slices.Replace(p[3].rows, i, i+1, words(t, device.DelayXPIC(2, 1, 2), device.DelayPIC(52, 1, 1))...)
		}, sim.RuleRow, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, p := pairedProgram(t, pair)
			c.spoil(p)
			_, _, err := b.run()
			if e := asError(t, err); e.Rule != c.rule || e.Tile != c.tile {
				t.Errorf("%v\nwant rule %s on tile %d\n%s", err, c.rule, c.tile, e.Listing)
			}
		})
	}
}

// TestPairedForbiddenLength: a message of 51+2y or 53+2y items has its format
// on at the early member's select of neutral (R11).
func TestPairedForbiddenLength(t *testing.T) {
	b := newBuilder(t, 0, 1, 2, 3)
	neutral := device.NeutralSource
	b.tiles[0].block(sendBase, 106, 9)
	b.tiles[0].exchange(0, words(t, device.Delay(31), device.Send(53, sendBase/8, 5), device.Return()), 106, 0)
	b.tiles[1].exchange(0, words(t, device.Delay(84), device.Return()), 0, 0)
	b.tiles[2].exchange(0, words(t, device.DelayXPIC(1, 1, 0), device.Delay(52), device.SendPICP(2, 0, 0, 1, neutral, 1, 1),
		device.DelayPIC(1, 0, dataBase/4), device.DelayPIC(51, 1, 0), device.Delay(7), device.Return()), 0, 106)
	b.tiles[3].exchange(0, words(t, device.DelayPIC(54, 1, 1), device.DelayPIC(2, 0, dataBase/4), device.DelayPIC(51, 1, 0), device.Delay(7), device.Return()), 0, 106)
	for _, p := range b.tiles {
		p.halt()
	}
	_, _, err := b.run()
	if e := asError(t, err); e.Rule != "R11" || e.Tile != 2 || e.Event != 54 {
		t.Error(err)
	}
}

// TestPairedAlone: a 64-bit message needs the sender's partner and whole pairs.
func TestPairedAlone(t *testing.T) {
	pair := [2]pairedTiming{{0, 2, 31, true, 1, 0, 54, 56, 118, 125}, {0, 3, 31, false, 0, 0, 54, 56, 118, 125}}
	for missing, rule := range map[int]string{1: "R10", 3: sim.RuleRow} {
		b, _ := pairedProgram(t, pair)
		b.order = slices.DeleteFunc(b.order, func(l int) bool { return l == missing })
		b.app.Outputs = nil
		if e := asError(t, func() error { _, _, err := b.run(); return err }()); e.Rule != rule {
			t.Errorf("without tile %d: %v, want rule %s", missing, e, rule)
		}
	}
}
