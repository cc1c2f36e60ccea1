package eval

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Kind is the kind of an operator.
type Kind uint8

// Operators of a chain.
const (
	Gemm Kind = iota + 1 // result = operand [rows x K] · weights [K x N]
	Gelu                 // elementwise, K = N columns
)

// Op is one operator; its operand is the result of the one before.
type Op struct {
	Kind Kind
	K, N int
}

// Chain is a list of operators applied to an input of Rows rows; leading batch
// axes are folded into the rows. The GEMMs take one weight tensor each, in order.
type Chain struct {
	Rows int
	Ops  []Op
}

// Errors of this package.
var (
	ErrShape   = errors.New("eval: illegal shape")
	ErrInexact = errors.New("eval: data on which sums may round")
	// ErrDegenerate: a chain on which a test would show nothing.
	ErrDegenerate = errors.New("eval: no data that shows anything")
)

// MLP is blocks times GEMM, GELU, GEMM without residual or bias.
func MLP(tokens, dim, hidden, blocks int) Chain {
	c := Chain{Rows: tokens}
	for range blocks {
		c.Ops = append(c.Ops, Op{Gemm, dim, hidden}, Op{Gelu, hidden, hidden}, Op{Gemm, hidden, dim})
	}
	return c
}

// Validate reports, wrapping ErrShape, an empty chain, a size below 1 or
// operators that do not fit one another.
func (c Chain) Validate() error {
	if c.Rows < 1 || len(c.Ops) == 0 {
		return fmt.Errorf("%w: %d rows, %d operators", ErrShape, c.Rows, len(c.Ops))
	}
	for i, op := range c.Ops {
		switch {
		case op.Kind != Gemm && op.Kind != Gelu, op.Kind == Gelu && op.K != op.N, op.K < 1 || op.N < 1,
			i > 0 && op.K != c.Ops[i-1].N:
			return fmt.Errorf("%w: operator %d is %+v", ErrShape, i, op)
		}
	}
	return nil
}

// Blocks is the depth in MLP blocks, two GEMMs each, at least 1: the factor of
// the scaled test's tolerance.
func (c Chain) Blocks() int { return max(1, (len(c.gemms())+1)/2) }

// gemms lists the positions of the GEMMs in Ops.
func (c Chain) gemms() []int {
	var at []int
	for i, op := range c.Ops {
		if op.Kind == Gemm {
			at = append(at, i)
		}
	}
	return at
}

// parallel splits [0, n) over the processors.
func parallel(n int, work func(lo, hi int)) {
	parts := min(runtime.GOMAXPROCS(0), max(1, n/4096))
	var group sync.WaitGroup
	for p := range parts {
		group.Go(func() { work(p*n/parts, (p+1)*n/parts) })
	}
	group.Wait()
}
