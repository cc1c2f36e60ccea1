package check

import (
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Each rule at its edge: the first starts are legal, the second break the rule
// by one event.
func TestCheckScheduleRules(t *testing.T) {
	const a, b = 0x60000, 0x68000
	kappa := func(s, d int32) int32 {
		return int32(device.RouteDelay(device.Physical(int(s)), device.Physical(int(d))))
	}
	l := func(d int32) int32 { return int32(device.WriteDelay(device.Physical(int(d)))) }
	// pointer is π of a message from s at start x.
	pointer := func(s, d, x int32) int32 { return x + 1 + kappa(s, d) + l(d) }
	// startFor gives x for which π is p.
	startFor := func(s, d, p int32) int32 { return p - pointer(s, d, 0) }
	far := msg(5, 20, a, to(100, b))
	for _, c := range []struct {
		name  string
		rule  Rule
		p     *exchange.Problem
		legal []int32
		wrong []int32
	}{
		{"first event", R1, chip(far), []int32{32}, []int32{31}},
		{"sends touch", R2, chip(far, msg(5, 30, a, to(300, b))), []int32{100, 120}, []int32{100, 119}},
		{"receives touch", R3, chip(far, msg(6, 20, a, to(100, b+0x200))), []int32{100, 120 + kappa(5, 100) - kappa(6, 100)}, []int32{100, 119 + kappa(5, 100) - kappa(6, 100)}},
		// Select of the second message one event behind, then at, its own send's
		// first event.
		{"control in a send", R5, chip(far, msg(100, 20, a, to(7, b))), []int32{100, 99 + kappa(5, 100)}, []int32{100, 100 + kappa(5, 100)}},
		{"control at a send's start", R5, chip(far, msg(100, 20, a, to(7, b))), []int32{100, 101 + kappa(5, 100)}, []int32{100, 100 + kappa(5, 100)}},
		{"send before a receive in one element", R7, chip(far, msg(100, 20, b+0x400, to(7, b))),
			[]int32{300, pointer(5, 100, 300) - 20}, []int32{300, pointer(5, 100, 300) - 19}},
		{"send behind a receive in one element", R7, chip(far, msg(100, 20, b+0x400, to(7, b))),
			[]int32{300, pointer(5, 100, 300) + 25}, []int32{300, pointer(5, 100, 300) + 24}},
		{"read after write", R9, chip(far, msg(100, 20, b+76, to(7, b))),
			[]int32{300, pointer(5, 100, 300) + 25}, []int32{300, 60}},
		{"write after read", R9, chip(msg(100, 20, b+76, to(7, b)), far),
			[]int32{300, startFor(5, 100, 320)}, []int32{300, 100}},
		{"write after write", R9, chip(far, msg(6, 20, a, to(100, b+76))),
			[]int32{100, startFor(6, 100, pointer(5, 100, 100)+20)}, []int32{200, 100}},
		{"partner sends", R10, chip(paired(msg(0, 128, a, pair(2, b)...)), msg(1, 20, a, to(300, b))), []int32{100, 164}, []int32{100, 163}},
		{"partner receives", R10, chip(paired(msg(0, 128, a, pair(2, b)...)), msg(5, 20, a, to(1, b))),
			[]int32{200, 264 - kappa(5, 1)}, []int32{200, 262 - kappa(5, 1)}},
	} {
		t.Run(string(c.rule)+" "+c.name, func(t *testing.T) {
			if _, err := CheckSchedule(c.p, schedule(c.p, c.legal...)); err != nil {
				t.Errorf("legal: %v", err)
			}
			_, err := CheckSchedule(c.p, schedule(c.p, c.wrong...))
			wantRule(t, err, c.rule)
		})
	}
}

func TestCheckScheduleMoreRules(t *testing.T) {
	const a, b = 0x60000, 0x68000
	// R4: a neutral at the event of a paired select is not replaced.
	p := chip(msg(5, 20, a, to(2, b)), paired(msg(0, 128, a, pair(2, b+0x1000)...)))
	x := int32(100)
	selectAt := x + 1 + int32(device.RouteDelay(device.Physical(5), device.Physical(2))) + 20
	start := selectAt - int32(device.PairDelay(device.Physical(0), device.Physical(2)))
	_, err := CheckSchedule(p, schedule(p, x, start))
	wantRule(t, err, R4)
	if _, err := CheckSchedule(p, schedule(p, x, start+1)); err != nil {
		t.Error(err)
	}
	// R11: row 22 refuses 51 + 44 items; 94 are fine.
	p = chip(paired(msg(0, 190, a, pair(46, b)...)))
	_, err = CheckSchedule(p, schedule(p, 200))
	wantRule(t, err, R11)
	p.Messages[0].Words = 188
	if _, err := CheckSchedule(p, schedule(p, 200)); err != nil {
		t.Error(err)
	}
	p.Messages[0].Words = 194 // 53 + 44 items
	_, err = CheckSchedule(p, schedule(p, 200))
	wantRule(t, err, R11)

	// R14: horizons of the schedule.
	p = chip(msg(5, 64, a, to(100, b)))
	s := schedule(p, 32)
	s.TileHorizon[100]++
	_, err = CheckSchedule(p, s)
	wantRule(t, err, R14)
	s = schedule(p, 32)
	s.Horizon--
	_, err = CheckSchedule(p, s)
	wantRule(t, err, R14)

	// A second source address counts for R7 and R9 as the first does.
	p = chip(msg(5, 20, a, to(100, b)), msg(100, 20, a, to(7, b)))
	s = schedule(p, 100, 140)
	if _, err := CheckSchedule(p, s); err != nil {
		t.Error(err)
	}
	p.Messages[1].SourceAddrs = []uint32{a, b + 0x400}
	_, err = CheckSchedule(p, s)
	wantRule(t, err, R7)
	p.Messages[1].SourceAddrs = []uint32{a, b}
	s = schedule(p, 100, 50)
	_, err = CheckSchedule(p, s)
	wantRule(t, err, R9)

	for name, broken := range map[string]exchange.Message{
		"own tile":    msg(5, 64, a, to(5, b)),
		"twice":       msg(5, 64, a, to(6, b), to(6, b)),
		"no tile":     msg(5, 64, a, to(1472, b)),
		"words":       msg(5, 0, a, to(6, b)),
		"alignment":   msg(5, 64, a+2, to(6, b)),
		"end of SRAM": msg(5, 64, a, to(6, device.SRAMEnd-252)),
		"lone pair":   paired(msg(0, 128, a, to(2, b))),
		"unequal":     paired(msg(0, 128, a, to(2, b), to(3, b+8))),
		"own pair":    paired(msg(2, 128, a, pair(2, b)...)),
		"short pair":  paired(msg(0, 126, a, pair(2, b)...)),
	} {
		_, err := Check(chip(broken), make([][]uint32, device.NumTiles), nil)
		if v := wantRule(t, err, Problem); v.Message != 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// Rules about words and their place: R12 and R13.
func TestCheckPlacement(t *testing.T) {
	const a, b = 0x60000, 0x68000
	p := chip(msg(5, 60, a, to(100, b))) // tile 100 has a sendpicp
	rows := encode(t, p, schedule(p, 32))
	addrs := make([]uint32, p.Tiles)
	for i := range addrs {
		addrs[i] = 0x70000
	}
	for _, c := range []struct {
		tile int
		addr uint32
		rule Rule
	}{
		{100, 0x70004, R12},
		{100, 0x68f00, R13},
		{100, b - 24, R13},      // six words, and the fetch guard reaches the data
		{100, b - 24 - 64, ""},  // the guard ends where the element begins
		{5, b - 24 - 64, ""},    // nothing is received there
		{5, a + 0x3ff8, R13},    // the source's element
		{5, 0x7fff8, R13},       // end of executable memory
		{100, 0x80000, R13},     // not executable
		{100, 0xfffffff8, R13},  // not memory
		{300, 0x68f01, ""},      // takes no part
		{100, 0x6c000, ""},      // next element
		{100, b - 16 - 64, R13}, // one word further
	} {
		changed := append([]uint32(nil), addrs...)
		changed[c.tile] = c.addr
		_, err := Check(p, rows, changed)
		if c.rule == "" {
			if err != nil {
				t.Errorf("%#x on tile %d: %v", c.addr, c.tile, err)
			}
			continue
		}
		wantRule(t, err, c.rule)
	}
	// The sendpicp moved to an odd word: one delay more, one event less.
	rows[100] = []uint32{0x64000082, 0x40a00000, 0x40a00039, 0xf7e00000, 0x1901a000, 0x40a00001, 0x43a00000}
	_, err := Check(p, rows, nil)
	wantRule(t, err, R12)
	// A sendpicp that starts a message (freedom 4) is refused.
	rows[5] = []uint32{0x40a0001f, 0x40a00000, 0xf7e60001, 0x19000000, 0x43a00000}
	_, err = Check(p, rows, nil)
	wantRule(t, err, R5)
}

func TestReconstructErrors(t *testing.T) {
	const a, b = 0x60000, 0x68000
	p := chip(msg(5, 60, a, to(100, b)), msg(100, 60, a, to(200, b)))
	s := schedule(p, 32, 300)
	rows := encode(t, p, s)
	for _, c := range []struct {
		name   string
		tile   int
		change func(*exchange.TileStream)
		rule   Rule
	}{
		{"send moved", 5, func(st *exchange.TileStream) { st.Sends[0].Start++; st.Horizon++ }, Select},
		{"send longer", 5, func(st *exchange.TileStream) { st.Sends[0].Items++; st.Horizon++ }, Select},
		{"send in the other direction", 5, func(st *exchange.TileStream) { st.Sends[0].Ctl ^= 3 }, Send},
		{"no listener", 200, func(st *exchange.TileStream) { st.Controls = nil }, Send},
		{"no neutral", 200, func(st *exchange.TileStream) { st.Controls[1].Value = 0 }, R6},
		{"no pointer", 200, func(st *exchange.TileStream) {
			for i, c := range st.Controls {
				if c.Stream == exchange.PointerStream {
					st.Controls = append(st.Controls[:i], st.Controls[i+1:]...)
					return
				}
			}
		}, Pointer},
		{"host source", 200, func(st *exchange.TileStream) { st.Controls[0].Value = device.HostSource }, Select},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := Reconstruct(mutate(t, p, s, rows, c.tile, c.change), p.Tiles, exchange.Standard)
			wantRule(t, err, c.rule)
		})
	}
	if _, _, err := Reconstruct(rows[:10], p.Tiles, exchange.Standard); err == nil {
		t.Error("10 rows for 1472 tiles")
	}
}

// Any change of a row's bits is refused or means the same; nothing panics.
func FuzzRows(f *testing.F) {
	const a, b = 0x60000, 0x68000
	p := &exchange.Problem{Tiles: 8, Messages: []exchange.Message{
		msg(0, 20, a, to(2, b)), msg(1, 60, a, to(2, b+80), to(4, b)), msg(2, 9, b, to(0, a+0x4000)),
		msg(5, 9, a, to(2, b)), paired(msg(6, 128, a, pair(4, b+0x2000)...)),
	}}
	s := schedule(p, 100, 200, 400, 600, 800)
	rows := encode(f, p, s)
	if _, err := Check(p, rows, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(byte(2), uint16(3), uint32(1), uint16(0))
	f.Add(byte(0), uint16(0), uint32(0), uint16(2))
	f.Fuzz(func(t *testing.T, tile byte, at uint16, flip uint32, cut uint16) {
		changed := append([][]uint32(nil), rows...)
		row := append([]uint32(nil), rows[tile%8]...)
		if len(row) == 0 {
			return
		}
		row[int(at)%len(row)] ^= flip
		changed[tile%8] = row[:len(row)-int(cut)%len(row)]
		r, err := Check(p, changed, nil)
		if err == nil && r.Horizon != s.Horizon {
			t.Errorf("horizon %d", r.Horizon)
		}
		q, qs, err := Reconstruct(changed, 8, exchange.Standard)
		if err != nil {
			return
		}
		if _, err := CheckSchedule(q, qs); err != nil {
			t.Errorf("reconstructed: %v", err)
		}
	})
}
