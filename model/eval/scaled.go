package eval

import (
	"fmt"
	"math"
)

// attempts is how many seeds are tried before a chain is said to have no data
// that would show anything.
const attempts = 64

const (
	// A layer keeps its nominal weights while its result's root mean square is in
	// this range; else they are scaled until it is, in so many steps.
	leastRMS, mostRMS = 0.5, 2.0
	scalings          = 12
	// smallTensor is the number of elements below which rounding errors need not
	// average out from layer to layer.
	smallTensor = 4096
	// roundingShare is the part of the tolerance that the reference's own rounding
	// of results may use up.
	roundingShare = 1. / 8
)

// ScaledData makes values near unit size and evaluates the chain on them as
// Reference does: input N(0,1), weights of σ = 1/√K, or 1.534/√K where the operand
// is a GELU result, whose root mean square is 1/1.534 of its operand's (reference:
// simulator.md §8.3). Few or many numbers in a row stray from that: weights whose
// results leave [½, 2] are scaled until they do not. Data on which rounding alone
// would use up an eighth of the test's tolerance is drawn anew. It fails,
// wrapping ErrDegenerate, if nothing helps.
func ScaledData(c Chain) (Data, Tensor, error) {
	if err := c.Validate(); err != nil {
		return Data{}, Tensor{}, err
	}
	err := fmt.Errorf("%w: no seed tried", ErrDegenerate)
	for salt := range attempts {
		s := scaled{Chain: c, salt: salt}
		if err = s.run(); err == nil {
			return s.data, FromFloat32(outputShape(c), s.x), nil
		}
	}
	return Data{}, Tensor{}, err
}

// scaled is one attempt at data of the scaled test.
type scaled struct {
	Chain
	salt  int
	data  Data
	x     []float32 // the value reached, rounded as F16
	plain []float32 // the same without any rounding of results; nil if not followed
}

func (s *scaled) run() error {
	s.data.Input = gaussian(s.stream(0), s.Rows, s.Ops[0].K, 1)
	s.x = s.data.Input.Float32()
	if s.small() {
		s.plain = s.data.Input.Float32()
	}
	for at := 0; at < len(s.Ops); {
		end := at + 1
		for end < len(s.Ops) && s.Ops[end].Kind == Gelu {
			end++
		}
		if err := s.stage(at, end); err != nil {
			return err
		}
		at = end
	}
	want := FromFloat32(outputShape(s.Chain), s.x)
	if rms := want.rms(); !(rms >= leastScaledRMS && rms <= mostScaledRMS) {
		return fmt.Errorf("%w: root mean square of the reference is %g", ErrDegenerate, rms)
	}
	if s.plain == nil {
		return nil
	}
	limit := scaledTolerance(want, s.Blocks())
	for i, y := range s.plain {
		if w := want.At(i); !(math.Abs(float64(y)-w) <= roundingShare*limit(w)) {
			return fmt.Errorf("%w: rounding of results turns %g into %g", ErrDegenerate, y, w)
		}
	}
	return nil
}

func (s *scaled) stream(v int) func(i int) splitMix {
	return func(i int) splitMix { return ownStream(v, s.salt, i) }
}

// small tells a chain with a value too small for errors to average out.
func (s *scaled) small() bool {
	least := s.Rows * s.Ops[0].K
	for _, op := range s.Ops {
		least = min(least, s.Rows*op.N)
	}
	return least < smallTensor
}

// stage evaluates an operator, and GELUs behind it up to end. The weights of a
// GEMM are scaled by the root mean square of its own result, or of the chain's
// result if that follows.
func (s *scaled) stage(at, end int) error {
	op := s.Ops[at]
	if op.Kind == Gelu {
		s.x, s.plain = apply(s.x, s.Ops[at:end], true), apply(s.plain, s.Ops[at:end], false)
		return nil
	}
	sigma := 1 / math.Sqrt(float64(op.K))
	if at > 0 && s.Ops[at-1].Kind == Gelu {
		sigma *= 1.534
	}
	v := len(s.data.Weights) + 1
	for range scalings {
		w := gaussian(s.stream(v), op.K, op.N, sigma)
		y := multiply(s.x, w.Float32(), s.Rows, op)
		roundAll(y)
		measured := y
		if end == len(s.Ops) {
			measured = apply(y, s.Ops[at+1:end], true)
		}
		rms := rootMeanSquare(measured)
		switch {
		case rms >= leastRMS && rms <= mostRMS:
			s.data.Weights = append(s.data.Weights, w)
			s.x = apply(y, s.Ops[at+1:end], true)
			if s.plain != nil {
				s.plain = apply(multiply(s.plain, w.Float32(), s.Rows, op), s.Ops[at+1:end], false)
			}
			return nil
		case rms == 0 || math.IsInf(rms, 0) || math.IsNaN(rms):
			return fmt.Errorf("%w: operator %d has a result of root mean square %g", ErrDegenerate, at, rms)
		}
		sigma *= min(max(1/rms, 1./64), 64)
	}
	return fmt.Errorf("%w: no weights bring the result of operator %d near 1", ErrDegenerate, at)
}

// apply applies GELUs to a copy of x, rounding each result to F16 if asked to.
func apply(x []float32, gelus []Op, rounded bool) []float32 {
	if len(gelus) == 0 || x == nil {
		return x
	}
	y := make([]float32, len(x))
	parallel(len(x), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y[i] = x[i]
			for range gelus {
				if y[i] = gelu(y[i]); rounded {
					y[i] = fromHalf(toHalf(y[i]))
				}
			}
		}
	})
	return y
}

func rootMeanSquare(x []float32) float64 {
	var sum float64
	for _, y := range x {
		sum += float64(y) * float64(y)
	}
	return math.Sqrt(sum / float64(max(1, len(x))))
}
