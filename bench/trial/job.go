package trial

import (
	"ipusolve/model/eval"
)

// Job is one use of the machine: data, and how to judge the output. Check is nil
// if nothing is known of it.
type Job struct {
	Name  string
	Data  Tensors
	Check func(got eval.Tensor) eval.Report
}

// Tests are the numerical tests that judge this chain: the exact one, and that of
// the seed at its full size, else the scaled one. Data are made when a test's turn
// comes; an error that wraps eval.ErrDegenerate says that a chain has none.
func (c *Chain) Tests() []func() (*Job, error) {
	if c.full() {
		return []func() (*Job, error){c.ExactTest, c.SeedTest}
	}
	return []func() (*Job, error){c.ExactTest, c.ScaledTest}
}

// full tells whether this is the full-size MLP.
func (c *Chain) full() bool {
	want := eval.MLP(FullSize.Tokens, FullSize.Dim, FullSize.Hidden, FullSize.Blocks)
	if c.Rows != want.Rows || len(c.Ops) != len(want.Ops) {
		return false
	}
	for i := range c.Ops {
		if c.Ops[i] != want.Ops[i] {
			return false
		}
	}
	return true
}

// ExactTest demands the exact evaluator's output, bit for bit.
func (c *Chain) ExactTest() (*Job, error) {
	d, err := eval.ExactData(c.Chain)
	if err != nil {
		return nil, err
	}
	want, err := eval.ExactReference(c.Chain, d)
	return &Job{"exact", c.Named(d), func(got eval.Tensor) eval.Report { return eval.CheckExact(got, want) }}, err
}

// SeedTest is the seed's own test against the float32 reference.
func (c *Chain) SeedTest() (*Job, error) {
	d, err := eval.SeedData(c.Chain)
	if err != nil {
		return nil, err
	}
	want, err := eval.Reference(c.Chain, d)
	return &Job{"seed", c.Named(d), func(got eval.Tensor) eval.Report { return eval.CheckSeed(got, want) }}, err
}

// ScaledTest is the seed's test with data that suit any size.
func (c *Chain) ScaledTest() (*Job, error) {
	d, want, err := eval.ScaledData(c.Chain)
	return &Job{"scaled", c.Named(d), func(got eval.Tensor) eval.Report { return eval.CheckScaled(got, want, c.Blocks()) }}, err
}
