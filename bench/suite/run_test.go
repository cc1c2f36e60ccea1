package suite

import (
	"context"
	"errors"
	"slices"
	"testing"

	"ipusolve"
	"ipusolve/bench/heuristic"
	"ipusolve/exchange"
)

// altered changes what a scheduler returns.
type altered struct {
	ipusolve.Scheduler
	change func(*exchange.Schedule)
}

func (a altered) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	s, method, err := a.Scheduler.Schedule(ctx, p)
	if err == nil {
		s.Start, s.TileHorizon = slices.Clone(s.Start), slices.Clone(s.TileHorizon)
		a.change(s)
	}
	return s, method, err
}

func TestRun(t *testing.T) {
	families := Exchange()
	p2 := &families[1]
	none := func(int, int) {}
	r, err := Run(context.Background(), p2, heuristic.Scheduler{}, none)
	if err != nil {
		t.Fatal(err)
	}
	if r.Family != "p2" || r.Messages != 2 || r.Receives != 2 || r.Endpoint != 128 || r.Bound != 194 || r.Horizon != 255 || r.Met || r.PeakBytes == 0 {
		t.Errorf("%+v", r)
	}
	for name, change := range map[string]func(*exchange.Schedule){
		"overlap": func(s *exchange.Schedule) { s.Start[1] = s.Start[0] },
		"late":    func(s *exchange.Schedule) { s.Start[1]++ },
		"longer":  func(s *exchange.Schedule) { s.Horizon++ },
		"early":   func(s *exchange.Schedule) { s.Start[0] = 0 },
	} {
		if _, err := Run(context.Background(), p2, altered{heuristic.Scheduler{}, change}, none); !errors.Is(err, ipusolve.ErrVerify) {
			t.Errorf("%s: %v, want a failed check", name, err)
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Run(stopped, p2, ipusolve.List{}, none); err != nil || r.Horizon > 255 {
		t.Errorf("stopped: %+v, %v", r, err)
	}
}
