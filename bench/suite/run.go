package suite

import (
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"ipusolve"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// Result is what a scheduler made of a family. Horizons and bounds of several
// problems are added up.
type Result struct {
	Family   string `json:"family"`
	Messages int    `json:"messages"`
	// Receives is the number of receivers of all messages.
	Receives  int     `json:"receives"`
	Endpoint  int64   `json:"endpoint"` // the reference's bound: items one tile sends or receives
	Bound     int64   `json:"bound"`    // best proven bound
	BoundKind string  `json:"boundKind"`
	Horizon   int64   `json:"horizon"`
	Ratio     float64 `json:"ratio"` // horizon / bound
	Target    float64 `json:"target,omitempty"`
	Optimum   int64   `json:"optimum,omitempty"`
	Met       bool    `json:"met"` // target, and limits of time and memory
	Method    string  `json:"method"`
	Seconds   float64 `json:"seconds"` // scheduling alone
	// PeakBytes is the most memory that the process held while scheduling.
	PeakBytes int64 `json:"peakBytes"`
}

// Run schedules the problems of a family and checks the outcome: the rows of
// every schedule are decoded and compared with the problem, and bounds, horizons
// and gaps derived anew from them. An error wraps ipusolve.ErrVerify if that
// fails, or what the scheduler returned. progress is told the problem at hand.
func Run(ctx context.Context, f *Family, s ipusolve.Scheduler, progress func(done, total int)) (*Result, error) {
	list, err := f.Problems()
	if err != nil {
		return nil, err
	}
	snap := &exchange.Snapshot{Tiles: list[0].Tiles, Phases: list}
	debug.FreeOSMemory()
	watched := &watch{Scheduler: s}
	file, err := ipusolve.ScheduleSnapshot(ctx, snap, watched, progress)
	if err != nil {
		return nil, fmt.Errorf("family %s: %w", f.Name, err)
	}
	if err := ipusolve.FirstFailure(ipusolve.VerifySchedule(file, snap)); err != nil {
		return nil, fmt.Errorf("family %s: %w", f.Name, err)
	}
	r := &Result{Family: f.Name, Target: f.Target, Optimum: int64(f.Optimum), Seconds: watched.elapsed.Seconds(), PeakBytes: watched.peak}
	for i := range file.Phases {
		p := &file.Phases[i].PhaseReport
		r.Messages += p.Transfers
		r.Receives += p.Destinations
		r.Endpoint += int64(p.Endpoint)
		r.Bound += int64(p.Bound)
		r.Horizon += int64(p.Horizon)
		r.BoundKind, r.Method = same(i, r.BoundKind, p.BoundKind), same(i, r.Method, p.Method)
	}
	if r.Optimum > 0 && r.Horizon < r.Optimum || r.Horizon < r.Bound {
		return nil, fmt.Errorf("family %s: %w: horizon %d is below the bound %d or the optimum %d", f.Name, ipusolve.ErrVerify, r.Horizon, r.Bound, r.Optimum)
	}
	r.Ratio = float64(r.Horizon) / float64(r.Bound)
	r.Met = f.Met(r.Horizon, r.Bound) && (f.Seconds == 0 || r.Seconds <= f.Seconds) && (f.Bytes == 0 || r.PeakBytes <= f.Bytes)
	return r, nil
}

// same joins the words of several problems.
func same(i int, all, next string) string {
	if i == 0 || all == next {
		return next
	}
	return "several"
}

// watch measures the time and memory of a scheduler, and checks its starts.
type watch struct {
	ipusolve.Scheduler
	elapsed time.Duration
	peak    int64
}

// Schedule implements ipusolve.Scheduler.
func (w *watch) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			w.peak = max(w.peak, held())
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	start := time.Now()
	s, method, err := w.Scheduler.Schedule(ctx, p)
	w.elapsed += time.Since(start)
	close(done)
	<-stopped
	w.peak = max(w.peak, held())
	if err == nil {
		if _, bad := check.CheckSchedule(p.WithWidths(s.Paired), s); bad != nil {
			err = fmt.Errorf("%w: %w", ipusolve.ErrVerify, bad)
		}
	}
	return s, method, err
}

// held is the memory that the runtime holds and has not given back.
func held() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
