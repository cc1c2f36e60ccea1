package eval

import (
	"fmt"
	"math"
	"slices"
)

// exactLimit bounds Σ|terms| of every sum of the exact test: multiples of 4 up
// to here are F16 values, so partial sums in any order and split do not round
// (reference: simulator.md §8.2).
const exactLimit = 8192

// ExactData is the data of the exact test (reference: simulator.md §8.2):
//
//   - input 0 or ±4, first weights 0 or ±1, all equally likely;
//   - second weights ±1 with probability 1/64, else 0; a row or column left empty
//     gets one, so that no value of the hidden layer and no output goes unseen;
//   - later weights one ±1 a column, reading a column that is not all zero, with the
//     sign that most of its values survive if GELU follows: with free choice nothing
//     but zeros would be left after some blocks.
//
// Where Σ|terms| of an output exceeds 8192 the density is halved until it fits.
// Where every output is zero, as a single token's may be, the data is drawn anew;
// it fails, wrapping ErrDegenerate, if that does not help.
func ExactData(c Chain) (Data, error) {
	if err := c.Validate(); err != nil {
		return Data{}, err
	}
	for salt := range attempts {
		d, out := exactData(c, salt)
		if slices.ContainsFunc(out, func(y float32) bool { return y != 0 }) {
			return d, nil
		}
	}
	return Data{}, fmt.Errorf("%w: outputs of the exact test are zero everywhere", ErrDegenerate)
}

// exactData also gives the chain's result.
func exactData(c Chain, salt int) (Data, []float32) {
	input := make([]float32, c.Rows*c.Ops[0].K)
	for i := range input {
		s := ownStream(0, salt, i)
		input[i] = float32(4*s.below(3) - 4)
	}
	d := Data{Input: FromFloat32([]int{c.Rows, c.Ops[0].K}, input)}
	x := input
	for i, op := range c.Ops {
		if op.Kind == Gelu {
			exactGelu(x)
			continue
		}
		l := layer{op, len(d.Weights) + 1, salt}
		var w []float32
		switch l.value {
		case 1:
			w = l.ternary(x, c.Rows, 2./3, false)
		case 2:
			w = l.ternary(x, c.Rows, 1./64, true)
		default:
			w = l.singles(x, i+1 < len(c.Ops) && c.Ops[i+1].Kind == Gelu)
		}
		d.Weights = append(d.Weights, FromFloat32([]int{op.K, op.N}, w))
		x = multiply(x, w, c.Rows, op)
	}
	return d, x
}

// layer is a GEMM that gets weights, and where their random numbers come from.
type layer struct {
	Op
	value int // as ownStream counts
	salt  int
}

func (l *layer) stream(i int) splitMix { return ownStream(l.value, l.salt, i) }

// ExactReference evaluates the chain on exact test data: sums without rounding,
// GELU as max(x, 0) with −0 below 0. It fails, wrapping ErrInexact, on data for
// which the kernels' results could depend on order or differ from this, and
// wrapping ErrShape on data that does not fit.
func ExactReference(c Chain, d Data) (Tensor, error) {
	if err := d.check(c); err != nil {
		return Tensor{}, err
	}
	x, v := d.Input.Float32(), 0
	for i, op := range c.Ops {
		if op.Kind == Gelu {
			for _, y := range x {
				if math.Mod(float64(y), 4) != 0 {
					return Tensor{}, fmt.Errorf("%w: GELU of %g, want multiples of 4", ErrInexact, y)
				}
			}
			exactGelu(x)
			continue
		}
		w := d.Weights[v].Float32()
		for _, y := range w {
			if y != float32(math.Trunc(float64(y))) {
				return Tensor{}, fmt.Errorf("%w: weight %d holds %g, want integers", ErrInexact, v, y)
			}
		}
		if most := largestSum(x, w, c.Rows, op); !(most <= exactLimit) {
			return Tensor{}, fmt.Errorf("%w: operator %d has a sum of magnitudes %g, want at most %d", ErrInexact, i, most, exactLimit)
		}
		x = multiply(x, w, c.Rows, op)
		v++
	}
	return FromFloat32(outputShape(c), x), nil
}

func exactGelu(x []float32) {
	for i, y := range x {
		if y < 0 {
			x[i] = float32(math.Copysign(0, -1))
		}
	}
}

// largestSum is the largest Σ|x·w| of any output or, if that is within the
// limit, a bound on it that costs no product.
func largestSum(x, w []float32, rows int, op Op) float32 {
	peak := make([]float32, op.K) // largest magnitude in each column of x
	for i, y := range x {
		peak[i%op.K] = max(peak[i%op.K], abs(y))
	}
	if most := maxOf(multiply(peak, absolute(w), 1, op)); most <= exactLimit {
		return most
	}
	return maxOf(multiply(absolute(x), absolute(w), rows, op))
}

// ternary draws ±1 with probability density, else 0, halving the density until
// the sums fit; cover gives empty rows and columns one entry. It gives up for
// single entries where even one a column is too dense.
func (l *layer) ternary(x []float32, rows int, density float64, cover bool) []float32 {
	op := l.Op
	for ; density*float64(op.K) >= 1e-3; density /= 2 {
		w := make([]float32, op.K*op.N)
		parallel(len(w), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if s := l.stream(i); s.uniform() < density {
					w[i] = s.sign()
				}
			}
		})
		if cover {
			l.coverEmpty(w)
		}
		if largestSum(x, w, rows, op) <= exactLimit {
			return w
		}
	}
	return l.singles(x, false)
}

// coverEmpty gives every empty row and column of w one ±1, and keeps the two rows
// that one word of the operand before feeds apart.
func (l *layer) coverEmpty(w []float32) {
	op := l.Op
	row, col := make([]bool, op.K), make([]bool, op.N)
	for i, y := range w {
		if y != 0 {
			row[i/op.N], col[i%op.N] = true, true
		}
	}
	s := l.stream(len(w))
	for k, used := range row {
		if !used {
			n := s.below(op.N)
			w[k*op.N+n], col[n] = s.sign(), true
		}
	}
	for n, used := range col {
		if !used {
			w[s.below(op.K)*op.N+n] = s.sign()
		}
	}
	// The two values of one word must not cancel in every output that reads them.
	for k := 0; k+1 < op.K; k += 2 {
		first, second := w[k*op.N:(k+1)*op.N], w[(k+1)*op.N:(k+2)*op.N]
		if slices.EqualFunc(first, second, func(a, b float32) bool { return (a == 0) == (b == 0) }) {
			for i, at := 0, s.below(op.N); i < op.N; i++ {
				if n := (at + i) % op.N; second[n] == 0 {
					second[n] = s.sign()
					break
				}
			}
		}
	}
}

// singles puts one ±1 in each column of w; the rows they take come round-robin
// from a shuffle of the columns of x that are not all zero. With keep the sign is
// that of the column's sum, so that GELU leaves most of it.
func (l *layer) singles(x []float32, keep bool) []float32 {
	op := l.Op
	sum, live := make([]float32, op.K), make([]bool, op.K)
	for i, y := range x {
		sum[i%op.K] += y
		live[i%op.K] = live[i%op.K] || y != 0
	}
	var from []int
	for k := range op.K {
		if live[k] {
			from = append(from, k)
		}
	}
	if len(from) == 0 {
		from = []int{0}
	}
	s := l.stream(op.K*op.N + 1)
	for i := range from {
		j := i + s.below(len(from)-i)
		from[i], from[j] = from[j], from[i]
	}
	w := make([]float32, op.K*op.N)
	for n := range op.N {
		k := from[n%len(from)]
		y := s.sign()
		if keep && sum[k] != 0 {
			y = float32(math.Copysign(1, float64(sum[k])))
		}
		w[k*op.N+n] = y
	}
	return w
}

func (s *splitMix) sign() float32 { return float32(2*s.below(2) - 1) }

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

func absolute(x []float32) []float32 {
	out := make([]float32, len(x))
	for i, y := range x {
		out[i] = abs(y)
	}
	return out
}

func maxOf(x []float32) float32 {
	most := x[0]
	for _, y := range x {
		most = max(most, y)
	}
	return most
}
