package kernels

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"ipusolve/device"
)

// TestGeluVectors is the list of kernels.md §6.1.
func TestGeluVectors(t *testing.T) {
	mem := make([]byte, device.SRAMBytes)
	s := Spec{Kind: GeluF16}
	for _, c := range [][2]uint16{
		{0xc200, 0x9b80}, {0xc000, 0xa9d0}, {0xbc00, 0xb116}, {0xb800, 0xb0f0}, {0xb000, 0xab34},
		{0x3400, 0x30ca}, {0x3800, 0x3588}, {0x3c00, 0x3aba}, {0x3e00, 0x3d98}, {0x4000, 0x3fd2},
		{0x4200, 0x41fe}, {0x4400, 0x4400}, {0xc400, 0x8000}, {0x5cb0, 0x5cb0},
	} {
		setHalf(mem, 0x58800, c[0])
		if err := s.Run(mem, []uint32{0x60000, 0x58800, 2}); err != nil {
			t.Fatal(err)
		}
		if got := halfAt(mem, 0x60000); got != c[1] {
			t.Errorf("GELU(%#04x) = %#04x, want %#04x", c[0], got, c[1])
		}
	}
}

// TestGeluAccuracy checks the maximum errors of kernels.md §6.1 against the tanh
// form and the exact operator.
func TestGeluAccuracy(t *testing.T) {
	worst := map[float64][2]float64{}
	for _, limit := range []float64{8, 2} {
		var tanhForm, exact float64
		for h := range 1 << 16 {
			x := float64(widen(uint16(h)))
			if !(math.Abs(x) <= limit) {
				continue
			}
			y := float64(widen(geluTable()[h]))
			tanhForm = max(tanhForm, math.Abs(y-0.5*x*(1+math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))))
			exact = max(exact, math.Abs(y-0.5*x*(1+math.Erf(x/math.Sqrt2))))
		}
		worst[limit] = [2]float64{math.Round(1e4 * tanhForm), math.Round(1e4 * exact)}
	}
	if worst[8] != [2]float64{20, 24} || worst[2] != [2]float64{11, 14} {
		t.Errorf("errors in 1e-4: %v, want 20 and 24 for |x| <= 8, 11 and 14 for |x| <= 2", worst)
	}
}

// TestGeluOnExactTestData: on every multiple of 4 in ±[4, 8192] and on 0, GELU is
// max(x, 0), −0 below 0 (reference: simulator.md §8.2).
func TestGeluOnExactTestData(t *testing.T) {
	for x := -8192; x <= 8192; x += 4 {
		want := half(float32(max(x, 0)))
		if x < 0 {
			want = 0x8000
		}
		if got := geluTable()[half(float32(x))]; got != want {
			t.Errorf("GELU(%d) = %#04x, want %#04x", x, got, want)
		}
	}
}

// TestTanhIsCorrectlyRounded: no F16 argument has a hyperbolic tangent within a
// relative 2^-40 of a tie between F16 values, far above the error of math.Tanh, so
// rounding its float64 result is the correct rounding.
func TestTanhIsCorrectlyRounded(t *testing.T) {
	for i := 1; i < 0x7c00; i++ {
		x := float64(widen(uint16(i)))
		y := math.Tanh(x)
		h := nearestHalf(y)
		for _, n := range []int{int(h) - 1, int(h)} {
			if n < 0 {
				continue
			}
			mid := (float64(widen(uint16(n))) + float64(widen(uint16(n+1)))) / 2
			if math.Abs(y-mid) <= y*0x1p-40 {
				t.Errorf("tanh(%g) = %g is too close to %g", x, y, mid)
			}
		}
		if got := half(tanh(float32(x))); got != h {
			t.Errorf("tanh(%g) = %#04x, want %#04x", x, got, h)
		}
	}
}

func TestGeluInPlace(t *testing.T) {
	a, b := randomMemory(4), randomMemory(4)
	s := Spec{Kind: GeluF16}
	const at, out, n = 0x60000, 0x68000, 1002
	if err := s.Run(a, []uint32{at, at, n}); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(b, []uint32{out, at, n}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a[at-device.SRAMBase:][:2*n], b[out-device.SRAMBase:][:2*n]) {
		t.Error("in place differs")
	}
}

// TestReduceOrder: 2048 + 1 + 1 sticks at 2048 from the left, and each sum
// saturates on its own.
func TestReduceOrder(t *testing.T) {
	const one, two11, big = 0x3c00, 0x6800, 0x7bff
	for _, c := range []struct{ initial, r0, r1, want uint16 }{
		{two11, one, one, two11}, {one, one, two11, 0x6801}, {big, big, big | 0x8000, 0},
		{0x7c00, one, one, big}, {0x7c00, 0xfc00, one, quietHalf}, {0x8000, 0x8000, 0x8000, 0x8000},
	} {
		mem := make([]byte, device.SRAMBytes)
		setHalf(mem, 0x58800+2*7, c.initial)
		setHalf(mem, 0x80000+2*7, c.r0)
		setHalf(mem, 0x80000+2*(8+7), c.r1)
		if err := (Spec{Kind: ReduceF16}).Run(mem, []uint32{0x60000, 0x58800, 0x80000, 2, 8}); err != nil {
			t.Fatal(err)
		}
		if got := halfAt(mem, 0x60000+2*7); got != c.want {
			t.Errorf("%#04x + %#04x + %#04x = %#04x, want %#04x", c.initial, c.r0, c.r1, got, c.want)
		}
	}
}

func TestReduceAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const initial, remote = 0x60000, 0x80000
	for trial := range 20 {
		n, e := uint32(1+rng.IntN(9)), uint32(8*(1+rng.IntN(40)))
		for _, out := range []uint32{0x70000, initial, remote, remote + 2*e*(n-1)} {
			mem := randomMemory(uint64(trial))
			want := make([]uint16, e)
			for i := range e {
				want[i] = halfAt(mem, initial+2*i)
				for k := range n {
					want[i] = nearestHalf(float64(widen(want[i])) + float64(widen(halfAt(mem, remote+2*(k*e+i)))))
				}
			}
			if err := (Spec{Kind: ReduceF16}).Run(mem, []uint32{out, initial, remote, n, e}); err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if got := halfAt(mem, out+2*uint32(i)); got != w {
					t.Fatalf("n %d e %d out %#x: element %d = %#04x, want %#04x", n, e, out, i, got, w)
				}
			}
		}
	}
}
