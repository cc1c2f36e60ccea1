package heuristic_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/bench/heuristic"
	"ipusolve/bench/suite"
	"ipusolve/device"
	"ipusolve/exchange"
)

// TestWidthsOne: a lone long message to a pair is worth pairing; its timing is
// that of exchange.md §4.4.
func TestWidthsOne(t *testing.T) {
	p := &exchange.Problem{Tiles: device.NumTiles, Messages: []exchange.Message{{Source: 0, SourceAddrs: []uint32{0x60000}, Words: 128,
		Dests: []exchange.Dest{{Tile: 2, Addr: 0x68000}, {Tile: 3, Addr: 0x68000}}}}}
	wide, s, _, err := heuristic.ScheduleWidths(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !wide.Messages[0].Paired || p.Messages[0].Paired || s.Start[0] != 31 || s.Horizon != 125 {
		t.Errorf("paired %v, start %d, horizon %d", wide.Messages[0].Paired, s.Start[0], s.Horizon)
	}
	legal(t, wide, s)
	p.Messages[0].Dests[1].Addr += 8
	if wide, _, _, err := heuristic.ScheduleWidths(context.Background(), p); err != nil || wide != p {
		t.Errorf("different addresses: %v, %v", wide, err)
	}
}

// TestWidths: schedules with chosen widths are legal and never longer.
func TestWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	problems := []*exchange.Problem{suite.Gather(2, 24, 6, 454, 1)}
	for range 60 {
		p := mixed(rng, 4+2*rng.IntN(6), 1+rng.IntN(20))
		for i := range p.Messages {
			p.Messages[i].Paired = false
		}
		problems = append(problems, p)
	}
	changed := 0
	for _, p := range problems {
		plain, _ := schedule(t, p)
		wide, s, _, err := heuristic.ScheduleWidths(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		legal(t, wide, s)
		switch {
		case s.Horizon > plain.Horizon, wide != p && s.Horizon == plain.Horizon:
			t.Errorf("horizon %d, without pairs %d", s.Horizon, plain.Horizon)
		case wide != p:
			changed++
		}
	}
	if changed < 2 {
		t.Errorf("%d problems got pairs", changed)
	}
}
