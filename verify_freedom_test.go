package ipusolve_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"ipusolve"
	"ipusolve/exchange"
)

// shortWords is a phase of messages of one word between 24 tiles, which the freedom
// firstEvent makes shorter.
func shortWords() *exchange.Snapshot {
	const tiles = 24
	rng := rand.New(rand.NewPCG(1, 24))
	p := &exchange.Problem{Tiles: tiles}
	var sent, stored [tiles]uint32
	for range 40 {
		shift := 1 + rng.IntN(tiles-1)
		for s := range tiles {
			d := (s + shift) % tiles
			p.Messages = append(p.Messages, exchange.Message{Source: int32(s), SourceAddrs: []uint32{0x60000 + 8*sent[s]}, Words: 1,
				Dests: []exchange.Dest{{Tile: int32(d), Addr: 0x90000 + 8*stored[d]}}})
			sent[s]++
			stored[d]++
		}
	}
	return &exchange.Snapshot{Tiles: tiles, Phases: []*exchange.Problem{p}}
}

// TestVerifyFreedom: rows that use a freedom are accepted where it is declared, with
// and without the snapshot, and nowhere else; rows that do not use it declare none.
func TestVerifyFreedom(t *testing.T) {
	snap := shortWords()
	file := func(f exchange.Freedom) *ipusolve.ScheduleFile {
		out, err := ipusolve.ScheduleSnapshot(context.Background(), snap, ipusolve.List{Options: exchange.Options{Effort: 1, Freedom: f}}, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	strict, f := file(exchange.Standard), file(exchange.FirstEvent)
	t.Logf("%d events of at least %d; %d of at least %d with the freedom", strict.Phases[0].Horizon, strict.Phases[0].Bound, f.Phases[0].Horizon, f.Phases[0].Bound)
	if f.Phases[0].Freedom != exchange.FirstEvent || f.Phases[0].Horizon >= strict.Phases[0].Horizon || strict.Phases[0].Freedom != exchange.Standard {
		t.Fatalf("freedom %q, %d events; %d without", f.Phases[0].Freedom, f.Phases[0].Horizon, strict.Phases[0].Horizon)
	}
	for _, s := range []*exchange.Snapshot{snap, nil} {
		for _, f := range []*ipusolve.ScheduleFile{strict, f} {
			if err := ipusolve.FirstFailure(ipusolve.VerifySchedule(f, s)); err != nil {
				t.Errorf("snapshot known %v: %v", s != nil, err)
			}
		}
	}
	for name, c := range map[string]struct {
		file   *ipusolve.ScheduleFile
		change func(*ipusolve.ScheduledPhase)
		want   string
	}{
		"not declared":       {f, func(ph *ipusolve.ScheduledPhase) { ph.Freedom = exchange.Standard }, "exchange/0/rows"},
		"unknown":            {f, func(ph *ipusolve.ScheduledPhase) { ph.Freedom = "all" }, "exchange/0/rows"},
		"declared, not used": {strict, func(ph *ipusolve.ScheduledPhase) { ph.Freedom = exchange.FirstEvent }, "exchange/0/freedom"},
		"bound that rests on R5": {f, func(ph *ipusolve.ScheduledPhase) {
			w := &ph.Witness
			*w = exchange.Witness{Kind: exchange.BoundControl, Side: exchange.BothSides}
			for j, m := range snap.Phases[0].Messages {
				if m.Source == 0 || m.Dests[0].Tile == 0 {
					w.Messages = append(w.Messages, int32(j))
				}
			}
			ph.BoundKind = string(w.Kind)
		}, "lets controls fall on first events of sends"},
	} {
		changed := *c.file
		changed.Phases = []ipusolve.ScheduledPhase{c.file.Phases[0]}
		c.change(&changed.Phases[0])
		if err := ipusolve.FirstFailure(ipusolve.VerifySchedule(&changed, snap)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
