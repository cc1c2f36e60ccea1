package eval

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Reference evaluates the chain in float32, each operator's result rounded to
// F16; GELU is the tanh form (reference: kernels.md §13). It fails, wrapping
// ErrShape, on data that does not fit.
func Reference(c Chain, d Data) (Tensor, error) {
	if err := d.check(c); err != nil {
		return Tensor{}, err
	}
	x, w := d.Input.Float32(), d.Weights
	for _, op := range c.Ops {
		if op.Kind == Gemm {
			x, w = multiply(x, w[0].Float32(), c.Rows, op), w[1:]
		} else {
			parallel(len(x), func(lo, hi int) {
				for i := lo; i < hi; i++ {
					x[i] = gelu(x[i])
				}
			})
		}
		roundAll(x)
	}
	return FromFloat32(outputShape(c), x), nil
}

// gelu is 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
func gelu(x float32) float32 {
	t := float32(math.Sqrt(2/math.Pi)) * (x + 0.044715*x*x*x)
	return 0.5 * x * (1 + float32(math.Tanh(float64(t))))
}

// multiply is x [rows x K] · w [K x N], a new matrix.
func multiply(x, w []float32, rows int, op Op) []float32 {
	y := make([]float32, rows*op.N)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(x, rows, op.K), general(w, op.K, op.N), 0, general(y, rows, op.N))
	return y
}

func general(data []float32, rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

func outputShape(c Chain) []int { return []int{c.Rows, c.Ops[len(c.Ops)-1].N} }
