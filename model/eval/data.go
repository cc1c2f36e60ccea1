package eval

import "fmt"

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
	if err := c.Validate(); err != nil {
		return Data{}, err
	}
	stream := func(v int) func(i int) splitMix { return func(i int) splitMix { return seedStream(v, i) } }
	d := Data{Input: gaussian(stream(0), c.Rows, c.Ops[0].K, 0.25)}
	for j, i := range c.gemms() {
		d.Weights = append(d.Weights, gaussian(stream(j+1), c.Ops[i].K, c.Ops[i].N, 0.0625))
	}
	return d, nil
}

// gaussian draws sigma·N(0,1) for every element from its own stream.
func gaussian(stream func(i int) splitMix, rows, cols int, sigma float64) Tensor {
	t := Tensor{Shape: []int{rows, cols}, Data: make([]uint16, rows*cols)}
	parallel(len(t.Data), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s := stream(i)
			t.Data[i] = toHalf(float32(sigma * s.normal()))
		}
	})
	return t
}
