package eval

import (
	"fmt"
	"math"
	"slices"
)

// Report is the verdict of one test.
type Report struct {
	Test        string  // "seed", "exact" or "scaled"
	Pass        bool    //
	MaxAbsError float64 // largest |got − want| over the elements that are finite
	Detail      string  // why the test failed, with the first failing element; empty if it passed
}

// CheckSeed judges the seed test: every element finite and within
// 0.03 + 0.05·|want| (reference: kernels.md §13). Its tolerance is meant for
// the full-size MLP; on small shapes zeros would pass.
func CheckSeed(got, want Tensor) Report {
	return compare("seed", got, want, func(g, w float64) bool { return math.Abs(g-w) <= 0.03+0.05*math.Abs(w) })
}

// CheckExact judges the exact test: every element equal bit for bit, except that
// +0 equals −0. A reference of zeros alone shows nothing and fails.
func CheckExact(got, want Tensor) Report {
	r := compare("exact", got, want, func(g, w float64) bool { return g == w })
	if r.Pass && want.rms() == 0 {
		r.Pass, r.Detail = false, "the reference is zero everywhere"
	}
	return r
}

// CheckScaled judges the scaled test of a chain of the given number of blocks:
// every element finite and within √blocks·(0.02·RMS(want) + 0.02·|want|), and
// RMS(want) in [0.2, 20] (reference: simulator.md §8.3).
func CheckScaled(got, want Tensor, blocks int) Report {
	limit := scaledTolerance(want, blocks)
	r := compare("scaled", got, want, func(g, w float64) bool { return math.Abs(g-w) <= limit(w) })
	if rms := want.rms(); r.Pass && !(rms >= leastScaledRMS && rms <= mostScaledRMS) {
		r.Pass, r.Detail = false, fmt.Sprintf("root mean square of the reference is %g, want %g to %g", rms, leastScaledRMS, mostScaledRMS)
	}
	return r
}

// Outside of these the values of a scaled test show nothing.
const leastScaledRMS, mostScaledRMS = 0.2, 20.0

// scaledTolerance is the error that the scaled test allows an element.
func scaledTolerance(want Tensor, blocks int) func(w float64) float64 {
	rms, scale := want.rms(), 0.02*math.Sqrt(float64(blocks))
	return func(w float64) float64 { return scale * (rms + math.Abs(w)) }
}

func compare(test string, got, want Tensor, within func(got, want float64) bool) Report {
	r := Report{Test: test, Pass: true}
	if !slices.Equal(got.Shape, want.Shape) || len(got.Data) != len(want.Data) {
		r.Pass = false
		r.Detail = fmt.Sprintf("got shape %v with %d elements, want %v with %d", got.Shape, len(got.Data), want.Shape, len(want.Data))
		return r
	}
	for i, h := range got.Data {
		g, w := got.At(i), want.At(i)
		if finite(h) && finite(want.Data[i]) {
			r.MaxAbsError = max(r.MaxAbsError, math.Abs(g-w))
			if within(g, w) {
				continue
			}
		}
		if r.Pass {
			r.Pass = false
			r.Detail = fmt.Sprintf("element %v is %g, want %g", got.index(i), g, w)
		}
	}
	return r
}
