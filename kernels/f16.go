package kernels

import (
	"encoding/binary"
	"math"
)

// Numbers (reference: simulator.md §3). F16 values are held as float32 that
// are exactly representable in F16; half and widen go between them and bits.
// An operation is done in float32 and narrowed: for sums and products of two F16
// values this equals one correct rounding, since 24 >= 2·11 + 2 bits.

const (
	maxHalfBits = 0x477fe000 // 65504
	signBit     = 1 << 31
	quietNaN    = 0x7fc00000
	quietHalf   = 0x7e00
	saturateAt  = 0x477ff000 // 65520: from here on round-to-nearest leaves the range
	minNormal   = 0x38800000 // 2^-14
)

// narrow rounds x to the nearest F16 value, ties to even, saturating to ±65504,
// infinities included. NaN becomes the one quiet NaN, so that results do not
// depend on the host's NaN rules.
func narrow(x float32) float32 {
	u := math.Float32bits(x)
	if ordinary(u) {
		return roundOrdinary(u)
	}
	return narrowEdge(x)
}

// ordinary tells whether float32 bits u are a value that stays in the normal
// range of F16.
func ordinary(u uint32) bool { return u&^signBit-minNormal < saturateAt-minNormal }

// roundOrdinary is narrow of such a value: it drops 13 bits, ties to even.
func roundOrdinary(u uint32) float32 {
	return math.Float32frombits((u + 0xfff + u>>13&1) &^ 0x1fff)
}

// narrowEdge is narrow of zeros, subnormals, saturating values and NaN.
//
//go:noinline
func narrowEdge(x float32) float32 {
	u := math.Float32bits(x)
	switch a := u &^ signBit; {
	case a > 0x7f800000:
		return math.Float32frombits(quietNaN)
	case a >= saturateAt:
		return math.Float32frombits(u&signBit | maxHalfBits)
	}
	// The last place of 0.75 is that of F16 subnormals, 2^-24.
	return math.Float32frombits(math.Float32bits((x+0.75)-0.75) | u&signBit)
}

// half is the bit pattern of a float32 that narrow returned.
func half(x float32) uint16 {
	u := math.Float32bits(x)
	sign, a := uint16(u>>16&0x8000), u&^signBit
	switch {
	case a >= minNormal && a < saturateAt:
		return sign | uint16((a-0x38000000)>>13)
	case a < minNormal:
		return sign | uint16(math.Float32frombits(a)*(1<<24))
	}
	return quietHalf
}

// widen is the float32 value of F16 bits, exact for all.
func widen(h uint16) float32 {
	a := uint32(h&0x7fff) << 13
	if a >= 0x7c00<<13 {
		a |= 0x7f800000 // infinity and NaN
	} else {
		// Scaling by 2^112 moves the exponent bias from 15 to 127 and
		// normalises subnormals.
		a = math.Float32bits(math.Float32frombits(a) * 0x1p112)
	}
	return math.Float32frombits(a | uint32(h&0x8000)<<16)
}

// loadHalves widens len(dst) F16 values stored little-endian in src.
func loadHalves(dst []float32, src []byte) {
	src = src[:2*len(dst)]
	for i := range dst {
		dst[i] = widen(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

// storeHalves stores narrowed values little-endian.
func storeHalves(dst []byte, src []float32) {
	dst = dst[:2*len(src)]
	for i, x := range src {
		binary.LittleEndian.PutUint16(dst[2*i:], half(x))
	}
}
