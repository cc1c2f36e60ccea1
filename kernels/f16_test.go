package kernels

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/x448/float16"
)

// nearestHalf rounds to nearest even with saturation by searching the sorted
// finite F16 values in float64, where midpoints are exact.
func nearestHalf(x float64) uint16 {
	if x != x {
		return quietHalf
	}
	sign := uint16(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	const largest = 0x7bff
	at := func(h int) float64 { return float64(float16.Frombits(uint16(h)).Float32()) }
	h := sort.Search(largest, func(h int) bool { return at(h+1) > x }) // largest value <= x
	if h < largest {
		mid := (at(h) + at(h+1)) / 2
		if x > mid || x == mid && h&1 == 1 {
			h++
		}
	}
	return sign | uint16(h)
}

func TestWidenAndHalfAllValues(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		x, want := widen(h), float16.Frombits(h).Float32()
		if x != want && (x == x || want == want) || math.Signbit(float64(x)) != math.Signbit(float64(want)) {
			t.Fatalf("widen(%#04x) = %g, want %g", h, x, want)
		}
		back := h
		switch {
		case x != x:
			back = quietHalf
		case math.IsInf(float64(x), 0):
			back = h&0x8000 | 0x7bff
		}
		if got := half(narrow(x)); got != back {
			t.Fatalf("half(narrow(widen(%#04x))) = %#04x, want %#04x", h, got, back)
		}
	}
}

func TestNarrowAgainstSearch(t *testing.T) {
	check := func(u uint32) {
		x := math.Float32frombits(u)
		y := narrow(x)
		if got, want := half(y), nearestHalf(float64(x)); got != want || x == x && widen(got) != y {
			t.Fatalf("narrow(%#08x = %g) = %g = %#04x, want %#04x", u, x, y, got, want)
		}
	}
	// Every F16 value, every midpoint, and the float32 values beside them.
	for h := range uint32(1 << 16) {
		x := math.Float32bits(widen(uint16(h)))
		mid := math.Float32bits((widen(uint16(h)) + widen(uint16(h+1))) / 2)
		for _, u := range []uint32{x - 1, x, x + 1, mid - 1, mid, mid + 1} {
			check(u)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500_000 {
		check(rng.Uint32())
	}
	for _, c := range []struct {
		x    float32
		want uint16
	}{
		{65504, 0x7bff}, {65519.996, 0x7bff}, {65520, 0x7bff}, {1e30, 0x7bff}, {-65520, 0xfbff},
		{float32(math.Inf(1)), 0x7bff}, {float32(math.Inf(-1)), 0xfbff}, {float32(math.NaN()), 0x7e00},
		{0x1p-25, 0}, {0x1.000002p-25, 1}, {-0x1p-26, 0x8000}, {2049, 0x6800}, {2051, 0x6802},
	} {
		if got := half(narrow(c.x)); got != c.want {
			t.Errorf("%g -> %#04x, want %#04x", c.x, got, c.want)
		}
	}
}
