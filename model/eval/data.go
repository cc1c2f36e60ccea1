package eval

import (
	"fmt"
	"math"
)

// Data is one set of values for a chain: the input [Rows x K] and the weights
// [K x N] of its GEMMs in order.
type Data struct {
	Input   Tensor
	Weights []Tensor
}

// check reports data that does not fit the chain.
func (d Data) check(c Chain) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if err := checkShape("input", d.Input, c.Rows, c.Ops[0].K); err != nil {
		return err
	}
	at := c.gemms()
	if len(d.Weights) != len(at) {
		return fmt.Errorf("%w: %d weight tensors for %d GEMMs", ErrShape, len(d.Weights), len(at))
	}
	for j, i := range at {
		if err := checkShape(fmt.Sprintf("weight %d", j), d.Weights[j], c.Ops[i].K, c.Ops[i].N); err != nil {
			return err
		}
	}
	return nil
}

// SeedData is the data of the reference's MLP benchmark: input 0.25·N(0,1),
// weights 0.0625·N(0,1). Value 0 is the input, value j+1 the weights of GEMM j
// (reference: kernels.md §13).
func SeedData(c Chain) (Data, error) {
	return gaussian(c, seedStream, 0.25, func(int) float64 { return 0.0625 })
}

// ScaledData keeps values near unit size: input N(0,1), weights of σ = 1/√K, or
// 1.534/√K where the operand is a GELU result, whose root mean square is
// 1/1.534 of its operand's (reference: simulator.md §8.3).
func ScaledData(c Chain) (Data, error) {
	return gaussian(c, ownStream, 1, func(i int) float64 {
		sigma := 1 / math.Sqrt(float64(c.Ops[i].K))
		if i > 0 && c.Ops[i-1].Kind == Gelu {
			sigma *= 1.534
		}
		return sigma
	})
}

// gaussian draws normal input and weights; sigma is asked with the GEMM's
// position in the chain.
func gaussian(c Chain, stream func(v, i int) splitMix, input float64, sigma func(op int) float64) (Data, error) {
	if err := c.Validate(); err != nil {
		return Data{}, err
	}
	draw := func(v, rows, cols int, sigma float64) Tensor {
		t := Tensor{Shape: []int{rows, cols}, Data: make([]uint16, rows*cols)}
		parallel(len(t.Data), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				s := stream(v, i)
				t.Data[i] = toHalf(float32(sigma * s.normal()))
			}
		})
		return t
	}
	d := Data{Input: draw(0, c.Rows, c.Ops[0].K, input)}
	for j, i := range c.gemms() {
		d.Weights = append(d.Weights, draw(j+1, c.Ops[i].K, c.Ops[i].N, sigma(i)))
	}
	return d, nil
}
