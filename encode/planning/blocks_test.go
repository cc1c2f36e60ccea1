package planning

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// TestManyBlocks plans a sequence of alike blocks whose weights fill memory, with a
// certificate that covers the problem; too many have a smallest memory limit.
func TestManyBlocks(t *testing.T) {
	p := problem(t, 64, 256, 512, 9, 64)
	p.MemoryLimit = 130048
	opt := Options{Solve: solve.Options{Gap: 0.02, Effort: 4000}}
	res, err := Solve(context.Background(), p, mip.Solver{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	out := res.Outcome
	t.Logf("%v %d, bound %d, %d prices, %+v", out.Status, out.Objective, out.Bound, len(out.Prices), out.Stats)
	if float64(out.Objective-out.Bound) > 0.02*float64(out.Objective) || len(out.Prices) == 0 {
		t.Errorf("objective %d, bound %d, %d prices", out.Objective, out.Bound, len(out.Prices))
	}
	if v, err := cert.Check(out.Model, out.Result.Certificate); err != nil || v.Bound.Num().Int64() < out.Bound {
		t.Errorf("certificate proves %v of %d: %v", v.Bound, out.Bound, err)
	}
	if seen, err := Recheck(p, out.Model, out.Bound, out.Prices); err != nil {
		t.Errorf("%v, %v", seen, err)
	}
	if _, err := Recheck(p, out.Model, out.Objective+100, out.Prices); err == nil {
		t.Error("a bound above the plan is accepted")
	}

	many := problem(t, 64, 256, 512, 16, 64)
	many.MemoryLimit = p.MemoryLimit
	_, err = Solve(context.Background(), many, mip.Solver{}, opt)
	var inf *InfeasibleError
	if !errors.As(err, &inf) || inf.Smallest <= int64(many.MemoryLimit) {
		t.Fatalf("want no plan, got %v", err)
	}
	t.Log(inf)
}

// hang is far above what ending a search takes, on the slowest machine.
const hang = time.Minute

// TestStopsInTime ends searches of many blocks soon after their context.
func TestStopsInTime(t *testing.T) {
	for _, limit := range []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		start := time.Now()
		res, err := Solve(ctx, problem(t, 64, 256, 512, 12, 64), mip.Solver{}, Options{})
		cancel()
		if took := time.Since(start); took > limit+hang || err != nil {
			t.Errorf("%v: took %v, %v", limit, took, err)
		}
		if err == nil && res.Plan != nil && res.Outcome.Bound > res.Outcome.Objective {
			t.Errorf("%v: bound %d above %d", limit, res.Outcome.Bound, res.Outcome.Objective)
		}
	}
}

// BenchmarkBlocks plans sequences of the default block within a gap of 1 %.
func BenchmarkBlocks(b *testing.B) {
	for _, blocks := range []int{2, 4, 8, 16, 27, 31} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			p := problem(b, 729, 1152, 4304, blocks, 1472)
			for b.Loop() {
				res, err := Solve(context.Background(), p, mip.Solver{}, Options{Solve: solve.Options{Gap: 0.01}})
				if err != nil {
					b.Fatal(err)
				}
				out := res.Outcome
				b.ReportMetric(float64(out.Objective)/float64(blocks), "cycles/block")
				b.ReportMetric(100*float64(out.Objective-out.Bound)/float64(out.Objective), "gap-%")
			}
		})
	}
}
