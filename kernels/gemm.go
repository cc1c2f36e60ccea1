package kernels

import (
	"math"
	"sync"
)

// gemmScratch holds one call's operands in float32.
type gemmScratch struct{ a, w []float32 }

var gemmPool = sync.Pool{New: func() any { return new(gemmScratch) }}

// gemm computes Y = A·W (or Y += A·W) as the kernel does: for each 16-deep group
// of the inner extent, in order, the 16 products are added to the F16 value of Y
// (or to 0, first group of an initialising call) in float32 in index order, and
// the sum is narrowed (reference: kernels.md §5.1, simulator.md §3).
//
// y, a, w are SRAM bytes: y [R x C] and a [R x K] in left-panel order, w [K x C]
// as column groups of 16, inside them K groups of 16, each a 16x16 block with
// the inner index fastest.
func (s Spec) gemm(y, a, w []byte) {
	scratch := gemmPool.Get().(*gemmScratch)
	defer gemmPool.Put(scratch)
	scratch.a = grow(scratch.a, s.R*s.K)
	scratch.w = grow(scratch.w, s.K*s.C)
	for p := range s.K / 16 {
		for r := range s.R {
			loadHalves(scratch.a[r*s.K+16*p:][:16], a[(p*s.R+r)*32:])
		}
	}
	loadHalves(scratch.w, w)

	for cg := range s.C / 16 {
		panel := y[cg*s.R*32:][:s.R*32]
		block := scratch.w[cg*16*s.K:][:16*s.K]
		for r := range s.R {
			left := scratch.a[r*s.K:][:s.K]
			for c := 0; c < 16; c += 4 {
				out := panel[32*r+2*c:][:8]
				var sum [4]float32
				if s.Accumulate {
					loadHalves(sum[:], out)
				}
				dot4(&sum, left, block[16*c:])
				storeHalves(out, sum[:])
			}
		}
	}
}

// dot4 adds to sum the products of a row of A with four columns of W, narrowing
// every 16 values. Group g of a starts at a[16·g], of column c at w[256·g + 16·c].
func dot4(sum *[4]float32, a, w []float32) {
	s0, s1, s2, s3 := sum[0], sum[1], sum[2], sum[3]
	for g := 0; g+16 <= len(a); g += 16 {
		x, y := (*[16]float32)(a[g:]), (*[64]float32)(w[16*g:])
		for k, v := range x {
			// The conversions forbid fused multiply-add.
			s0 += float32(v * y[k])
			s1 += float32(v * y[k+16])
			s2 += float32(v * y[k+32])
			s3 += float32(v * y[k+48])
		}
		u0, u1, u2, u3 := math.Float32bits(s0), math.Float32bits(s1), math.Float32bits(s2), math.Float32bits(s3)
		if ordinary(u0) && ordinary(u1) && ordinary(u2) && ordinary(u3) {
			s0, s1, s2, s3 = roundOrdinary(u0), roundOrdinary(u1), roundOrdinary(u2), roundOrdinary(u3)
		} else {
			s0, s1, s2, s3 = narrow(s0), narrow(s1), narrow(s2), narrow(s3)
		}
	}
	sum[0], sum[1], sum[2], sum[3] = s0, s1, s2, s3
}

// grow returns a slice of n elements, reusing s if it is large enough.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
