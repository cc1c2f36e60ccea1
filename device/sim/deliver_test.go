package sim_test

import (
	"context"
	"testing"

	"ipusolve/device"
	"ipusolve/device/sim"
)

// TestForward moves data along a chain inside one phase: tile 1 receives from
// tile 0 into the words it then sends to tile 2, and, later, receives from
// tile 3 into the same words. Only the order of events makes the result right.
func TestForward(t *testing.T) {
	p := device.Physical
	const n = 16
	// Timing of exchange.md §4.1. Tile 1: receive [π, π+n+5), send, receive.
	arrive := func(s, d, x int) (sigma, pi int) {
		sigma = x + 1 + device.RouteDelay(p(s), p(d))
		return sigma, sigma + device.WriteDelay(p(d))
	}
	const x0, x1, x3 = 40, 200, 260
	s0, p0 := arrive(0, 1, x0)
	s3, p3 := arrive(3, 1, x3)
	if p0+n+5 > x1 || x1+n > p3 || s0+n > p0 || s3+n > p3 || p0 > x1 || x1+n > s3 {
		t.Fatalf("times do not fit: %d %d, %d %d", s0, p0, s3, p3)
	}
	dir := func(s, d int) int { return device.Direction(p(s), p(d)) }
	row1 := words(t,
		device.DelayXPIC(s0, 0, p(0)), device.DelayXPIC(n, 0, device.NeutralSource), device.DelayPIC(p0-s0-n, 0, sendBase/4),
		device.Delay(x1-p0), device.Send(n, sendBase/4, dir(1, 2)),
		device.DelayXPIC(s3-x1-n, 0, p(3)), device.DelayXPIC(n, 0, device.NeutralSource), device.DelayPIC(p3-s3-n, 0, sendBase/4),
		device.Delay(n+5), device.Return())
	build := func() *builder {
		b := newBuilder(t, 0, 1, 2, 3)
		b.tiles[0].block(sendBase, n, 10)
		b.tiles[3].block(sendBase, n, 13)
		b.tiles[0].exchange(0, sendAt(t, 0, 1, x0, n, sendBase), n, 0)
		b.tiles[1].exchange(0, row1, n, 2*n)
		b.tiles[2].exchange(0, receiveRow(t, 1, 2, x1, n, dataBase), 0, n)
		b.tiles[3].exchange(0, sendAt(t, 3, 1, x3, n, sendBase), n, 0)
		for _, q := range b.tiles {
			q.halt()
		}
		b.output("last", 2, dataBase, n)
		b.output("held", 1, sendBase, n)
		return b
	}
	m, _ := build().mustRun()
	wants(t, m, "last", part(10, 0, n))
	wants(t, m, "held", part(13, 0, n))

	// Without the words of tile 0 the forwarded ones are unwritten.
	b := build()
	b.tiles[0].data = nil
	m = b.machine(sim.Options{Lenient: true})
	r, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || r.Warnings[0].Rule != sim.RuleUnwritten || r.Warnings[0].Count != 4*n || r.Warnings[0].First.Tile != 0 {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// TestMulticast checks the timings of the fan-out of exchange.md §4.4: 16 words
// from 0 to 1, 2, 46 and 736 at x = 69.
func TestMulticast(t *testing.T) {
	b := newBuilder(t, 0, 1, 2, 46, 736)
	b.tiles[0].block(sendBase, 16, 3)
	b.tiles[0].exchange(0, words(t, device.Delay(69), device.Send(16, sendBase/4, 3), device.Return()), 16, 0)
	b.tiles[0].halt()
	for _, c := range []struct{ d, sigma, pi, h int }{{1, 42, 94, 115}, {2, 39, 93, 114}, {46, 1, 97, 118}, {736, 66, 118, 139}} {
		p := b.tiles[c.d]
		p.exchange(0, words(t, device.DelayXPIC(c.sigma, 0, 0), device.DelayXPIC(16, 0, device.NeutralSource),
			device.DelayPIC(c.pi-c.sigma-16, 0, dataBase/4), device.Delay(c.h-c.pi), device.Return()), 0, 16)
		p.halt()
		b.output(string(rune('a'+c.d%26)), c.d, dataBase, 16)
	}
	m, r := b.mustRun()
	for _, d := range []int{1, 2, 46, 736} {
		wants(t, m, string(rune('a'+d%26)), part(3, 0, 16))
	}
	if ph := r.Phases[0]; ph.Sent != 16 || ph.Received != 64 || ph.Horizon != 139 || ph.Active != 5 {
		t.Errorf("%+v", ph)
	}
}

// TestOracleRows executes the SDK's stand-alone rows of exchange.md §8.4. They
// address by base registers. The second one's neutral is 2·y events late, which
// strict mode does not accept.
func TestOracleRows(t *testing.T) {
	for _, c := range []struct {
		s, d, n          int
		send, receive    []uint32
		late             int64
		outgoing, length int
	}{
		{0, 1286, 3, []uint32{0x40a00086, 0x78400001}, []uint32{0x641c0000, 0x64008640, 0x61800000, 0x40a00007}, 0, sendBase, 173},
		{736, 100, 52, []uint32{0x40a0003e, 0x7e600002}, []uint32{0x641c0000, 0x61d00000, 0x64000640, 0x40a00038}, 8, sendBase, 230},
		{1286, 1471, 65, []uint32{0x40a0007d, 0x7fe00002, 0x70000002}, []uint32{0x641c0000, 0x61980000, 0x64030640, 0x40a00038}, 0, sendBase, 235},
		{32, 0, 4148, []uint32{0x40a0006c, 0x7fe00001, 0x766fc001}, []uint32{0x641c0000, 0x61980000, 0x67ffc640, 0x40a00038}, 0, sendBase, 4318},
	} {
		b := newBuilder(t, c.s, c.d)
		s, d := b.tiles[c.s], b.tiles[c.d]
		s.rowAt, d.rowAt = 0x7c000, 0x7c000
		s.outgoing = c.outgoing
		s.block(sendBase, c.n, 6)
		c.receive[0] |= uint32(device.Physical(c.s))
		s.exchange(0, append(c.send, 0x43a00000), c.n, 0)
		d.exchange(dataBase, append(c.receive, 0x43a00000), 0, c.n)
		s.halt()
		d.halt()
		b.output("y", c.d, dataBase, c.n)
		m := b.machine(sim.Options{Lenient: true})
		r, err := m.Run(context.Background())
		if err != nil {
			fatal(t, err)
		}
		wants(t, m, "y", part(6, 0, c.n))
		late := int64(0)
		if len(r.Warnings) > 0 {
			late = r.Warnings[0].Count
		}
		if late != c.late || len(r.Warnings) > 1 || r.Phases[0].Horizon != int64(c.length) {
			t.Errorf("%d to %d: warnings %v, horizon %d, want %d, %d", c.s, c.d, r.Warnings, r.Phases[0].Horizon, c.late, c.length)
		}
	}
}
