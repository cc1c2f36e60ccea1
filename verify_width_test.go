package ipusolve_test

import (
	"context"
	"testing"

	"ipusolve"
	"ipusolve/exchange"
)

// longPairs are 1000 words each from six tiles to pairs of others.
func longPairs() *exchange.Snapshot {
	p := &exchange.Problem{Tiles: 64}
	for k := range int32(6) {
		to := 2 * (k + 20)
		addr := 0x60000 + uint32(4000*(k%2))
		p.Messages = append(p.Messages, exchange.Message{Source: 4 * k, SourceAddrs: []uint32{0x90000}, Words: 1000,
			Dests: []exchange.Dest{{Tile: to, Addr: addr}, {Tile: to + 1, Addr: addr}}})
	}
	return &exchange.Snapshot{Tiles: 64, Phases: []*exchange.Problem{p}}
}

// TestVerifyWidths: a schedule that chose widths proves itself from rows, with and
// without the snapshot, and only as what it is.
func TestVerifyWidths(t *testing.T) {
	snap := longPairs()
	file := func() *ipusolve.ScheduleFile {
		f, err := ipusolve.ScheduleSnapshot(context.Background(), snap, ipusolve.List{Widths: true}, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := file()
	if ph := &f.Phases[0]; !ph.OpenWidths || ph.Paired != 6 || ph.Horizon > 700 || ph.Status != "optimal" {
		t.Errorf("open widths %v, %d paired, %d events, %s", ph.OpenWidths, ph.Paired, ph.Horizon, ph.Status)
	}
	for _, s := range []*exchange.Snapshot{snap, nil} {
		if err := ipusolve.FirstFailure(ipusolve.VerifySchedule(f, s)); err != nil {
			t.Errorf("snapshot known %v: %v", s != nil, err)
		}
	}
	for name, change := range map[string]func(*ipusolve.ScheduledPhase){
		"widths not chosen": func(ph *ipusolve.ScheduledPhase) { ph.OpenWidths = false },
		"fewer paired":      func(ph *ipusolve.ScheduledPhase) { ph.Paired-- },
		"larger bound":      func(ph *ipusolve.ScheduledPhase) { ph.Bound++ },
	} {
		f := file()
		change(&f.Phases[0])
		if ipusolve.FirstFailure(ipusolve.VerifySchedule(f, snap)) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
