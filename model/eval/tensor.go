package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/x448/float16"
)

// Tensor is an F16 tensor in logical row-major order.
type Tensor struct {
	Shape []int
	Data  []uint16 // F16 bits, the product of Shape elements
}

// FromFloat32 rounds values to F16: to nearest even, saturating to ±65504,
// infinities included; NaN stays NaN (reference: simulator.md §3).
func FromFloat32(shape []int, values []float32) Tensor {
	t := Tensor{Shape: slices.Clone(shape), Data: make([]uint16, len(values))}
	parallel(len(values), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t.Data[i] = toHalf(values[i])
		}
	})
	return t
}

// Float32 widens the elements.
func (t Tensor) Float32() []float32 {
	out := make([]float32, len(t.Data))
	parallel(len(out), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = fromHalf(t.Data[i])
		}
	})
	return out
}

// At is element i of Data as a number.
func (t Tensor) At(i int) float64 { return float64(fromHalf(t.Data[i])) }

// index turns a position in Data into coordinates.
func (t Tensor) index(i int) []int {
	at := make([]int, len(t.Shape))
	for d := len(t.Shape) - 1; d >= 0; d-- {
		at[d], i = i%t.Shape[d], i/t.Shape[d]
	}
	return at
}

func checkShape(what string, t Tensor, want ...int) error {
	n := 1
	for _, d := range want {
		n *= d
	}
	if !slices.Equal(t.Shape, want) || len(t.Data) != n {
		return fmt.Errorf("%w: %s has shape %v and %d elements, want %v", ErrShape, what, t.Shape, len(t.Data), want)
	}
	return nil
}

func fromHalf(h uint16) float32 { return float16.Frombits(h).Float32() }

// toHalf is the library's round-to-nearest-even, made to saturate.
func toHalf(x float32) uint16 {
	switch {
	case x >= 65504:
		return 0x7bff
	case x <= -65504:
		return 0xfbff
	}
	return float16.Fromfloat32(x).Bits()
}

// roundAll rounds float32 values to F16 in place.
func roundAll(x []float32) {
	parallel(len(x), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i] = fromHalf(toHalf(x[i]))
		}
	})
}

// finite reports whether F16 bits are neither infinite nor NaN.
func finite(h uint16) bool { return h&0x7c00 != 0x7c00 }

// rms is the root mean square of the elements.
func (t Tensor) rms() float64 {
	var sum float64
	for i := range t.Data {
		sum += t.At(i) * t.At(i)
	}
	return math.Sqrt(sum / float64(max(1, len(t.Data))))
}
