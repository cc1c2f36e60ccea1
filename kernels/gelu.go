package kernels

import (
	"encoding/binary"
	"math"
	"sync"
)

// geluTable maps the F16 bits of x to those of GELU(x).
var geluTable = sync.OnceValue(func() *[1 << 16]uint16 {
	table := new([1 << 16]uint16)
	for h := range table {
		table[h] = half(gelu(widen(uint16(h))))
	}
	return table
})

// gelu is 0.5·x·(1 + tanh(α·(x + β·x³))) with every operation narrowed, in the
// order and with the F16 constants of kernels.md §6.1.
func gelu(x float32) float32 {
	const (
		alpha = 0.7978515625      // 0x3A62
		beta  = 0.044708251953125 // 0x29B9
	)
	t := narrow(x * x)
	t = narrow(t * x)
	t = narrow(beta * t)
	t = narrow(x + t)
	t = narrow(alpha * t)
	t = tanh(t)
	t = narrow(1 + t)
	t = narrow(0.5 * t)
	return narrow(x * t)
}

// tanh is the correctly rounded F16 hyperbolic tangent of an F16 value: math.Tanh
// is close enough to decide every rounding, which a test shows. The step through
// float32 rounds to odd (inexact results end in a one), so that it makes no tie:
// plain rounding would for x = 0.0283966.
func tanh(x float32) float32 {
	y := math.Tanh(float64(x))
	f := float32(y)
	if float64(f) != y {
		u := math.Float32bits(f)
		if math.Abs(float64(f)) > math.Abs(y) {
			u--
		}
		f = math.Float32frombits(u | 1)
	}
	return narrow(f)
}

// applyGelu sets out to GELU of in, F16 little-endian; out may be in.
func applyGelu(out, in []byte) {
	table := geluTable()
	out = out[:len(in)]
	for i := 0; i+1 < len(in); i += 2 {
		binary.LittleEndian.PutUint16(out[i:], table[binary.LittleEndian.Uint16(in[i:])])
	}
}
