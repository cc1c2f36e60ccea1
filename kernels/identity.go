package kernels

import "encoding/binary"

// IdentityBlock is the size in bytes of one 16×16 block of GEMM weights.
const IdentityBlock = 512

// SumSpec is the GEMM call that adds n partials of e elements, a multiple of 16,
// to a result on the matrix unit: the result and every partial are one panel of
// e/16 rows, so the partials one after another are a left operand of depth 16·n,
// and the weights are n identity blocks (reference: optima.md).
//
// It adds one partial after another, rounding once for each, as ReduceF16 does,
// with two differences: every element also takes the products of its row's 15
// other elements with 0, so that an infinite or undefined partial spoils its row
// (Inf·0 is NaN); and a sum of zeros is +0 whatever their signs.
func SumSpec(n, e int) Spec {
	return Spec{Kind: GemmF16, R: e / 16, C: 16, K: 16 * n, Interleaved: true, Accumulate: true}
}

// SumCycles prices the call of SumSpec: 294 + n·(24·⌈e/96⌉ + 235).
func SumCycles(n, e int) int64 { return GemmCycles(e/16, 16, 16*n, true) }

// TransposeSpec is the GEMM call that turns n panels of 16×16 elements, one after
// another: it streams one identity block through the panels as weights, of which the
// kernel reads 16 inner elements of a column side by side, and writes rows. Panels in
// standard memory are loaded at its rate. Like SumSpec it spoils the row of an infinite
// or undefined element (reference: optima.md).
func TransposeSpec(n int, interleaved bool) Spec {
	return Spec{Kind: GemmF16, R: 16, C: 16 * n, K: 16, Interleaved: interleaved}
}

// TransposeCycles prices the call of TransposeSpec.
func TransposeCycles(n int, interleaved bool) int64 { return GemmCycles(16, 16*n, 16, interleaved) }

// Identity is a stack of n identity blocks as GEMM weights: n·IdentityBlock
// bytes, block after block, each with F16 ones where inner index and column are
// equal.
func Identity(n int) []byte {
	const one = 0x3c00
	b := make([]byte, n*IdentityBlock)
	for at := 0; at < len(b); at += IdentityBlock {
		for i := range 16 {
			binary.LittleEndian.PutUint16(b[at+2*(17*i):], one)
		}
	}
	return b
}
