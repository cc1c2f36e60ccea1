package kernels

import (
	"math/rand/v2"
	"testing"

	"ipusolve/device"
)

// leftIndex and rightIndex are the storage orders of kernels.md §3: AMP-left of
// an R-row operand, block-major with rb = K and cb = 16.
func leftIndex(R, r, c int) int { return c/16*16*R + 16*r + c%16 }

func rightIndex(K, k, c int) int { return c/16*(K/16)*256 + k/16*256 + c%16*16 + k%16 }

func TestStorageOrderWorkedValues(t *testing.T) {
	for _, c := range []struct{ got, want int }{
		{leftIndex(366, 5, 17), 5937}, {rightIndex(240, 17, 3), 305}, {rightIndex(240, 239, 31), 7679},
		{leftIndex(4, 2, 37), 165}, {leftIndex(4, 3, 47), 191}, {rightIndex(64, 37, 5), 597},
	} {
		if c.got != c.want {
			t.Errorf("index %d, want %d", c.got, c.want)
		}
	}
}

// naiveGemm is the definition of simulator.md §3, element by element, with
// rounding by search.
func naiveGemm(s Spec, mem []byte, args []uint32) []uint16 {
	out := make([]uint16, s.R*s.C)
	for r := range s.R {
		for c := range s.C {
			at := leftIndex(s.R, r, c)
			h := uint16(0)
			if s.Accumulate {
				h = halfAt(mem, args[0]+uint32(2*at))
			}
			for g := 0; g < s.K; g += 16 {
				sum := widen(h)
				for k := g; k < g+16; k++ {
					a := widen(halfAt(mem, args[1]+uint32(2*leftIndex(s.R, r, k))))
					w := widen(halfAt(mem, args[2]+uint32(2*rightIndex(s.K, k, c))))
					product := a * w
					sum = sum + product
				}
				h = nearestHalf(float64(sum))
			}
			out[at] = h
		}
	}
	return out
}

func TestGemmAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	special := []uint16{0x7c00, 0xfc00, 0x7e00, 0xfd01, 0x7bff, 0xfbff, 0x0001, 0x83ff, 0x0400, 0x8000, 0}
	draws := map[string]func() uint16{
		"ordinary":  func() uint16 { return uint16(rng.Uint32())&0x83ff | uint16(12+rng.IntN(5))<<10 },
		"any bits":  func() uint16 { return uint16(rng.Uint32()) },
		"saturate":  func() uint16 { return uint16(rng.Uint32())&0x83ff | uint16(20+rng.IntN(5))<<10 },
		"subnormal": func() uint16 { return uint16(rng.Uint32())&0x83ff | uint16(rng.IntN(9))<<10 },
		"sparse": func() uint16 {
			if rng.IntN(8) == 0 {
				return 0x3c00 | uint16(rng.IntN(2))<<15
			}
			return 0
		},
		"special": func() uint16 {
			if rng.IntN(40) == 0 {
				return special[rng.IntN(len(special))]
			}
			return uint16(rng.Uint32())&0x83ff | uint16(14)<<10
		},
	}
	for name, draw := range draws {
		for _, shape := range [][3]int{{1, 16, 16}, {7, 48, 32}, {12, 64, 64}, {13, 32, 48}} {
			for _, accumulate := range []bool{false, true} {
				s := Spec{Kind: GemmF16, R: shape[0], K: shape[1], C: shape[2], Accumulate: accumulate}
				args := gemmArgs(s)
				mem := make([]byte, device.SRAMBytes)
				for i, n := range []int{s.R * s.C, s.R * s.K, s.K * s.C} {
					for j := range n {
						setHalf(mem, args[i]+uint32(2*j), draw())
					}
				}
				guard := args[0] + uint32(2*s.R*s.C)
				setHalf(mem, guard, 0x1234)
				want := naiveGemm(s, mem, args)
				if err := s.Run(mem, args); err != nil {
					t.Fatal(err)
				}
				for i, w := range want {
					if got := halfAt(mem, args[0]+uint32(2*i)); got != w {
						t.Fatalf("%s %s: half %d = %#04x, want %#04x", name, s.Symbol(), i, got, w)
					}
				}
				if halfAt(mem, guard) != 0x1234 {
					t.Errorf("%s: wrote behind the result", s.Symbol())
				}
			}
		}
	}
}

// TestGemmRounding shows where the roundings are: 2048 + 1 + 1 is exact inside a
// group of 16 and sticks at 2048 across groups; a sum above 65504 saturates
// once and goes on from there.
func TestGemmRounding(t *testing.T) {
	const one, two11, big = 0x3c00, 0x6800, 0x7bff
	for _, c := range []struct {
		name       string
		accumulate bool
		y          uint16
		a          map[int]uint16
		want       uint16
	}{
		{"one group", false, 0, map[int]uint16{0: two11, 1: one, 2: one}, 0x6801},
		{"two groups", false, 0, map[int]uint16{0: two11, 16: one, 17: 0}, two11},
		{"three groups", false, 0, map[int]uint16{0: two11, 16: one, 32: one}, two11},
		{"old value is ignored", false, one, map[int]uint16{5: one}, one},
		{"old value is added", true, one, map[int]uint16{5: one}, 0x4000},
		{"saturates between groups", false, 0, map[int]uint16{0: big, 1: big, 16: big | 0x8000}, 0},
		{"wide inside a group", false, 0, map[int]uint16{0: big, 1: big, 2: big | 0x8000}, big},
	} {
		s := Spec{Kind: GemmF16, R: 1, K: 48, C: 16, Accumulate: c.accumulate}
		args := gemmArgs(s)
		mem := make([]byte, device.SRAMBytes)
		for k := range s.K {
			setHalf(mem, args[2]+uint32(2*rightIndex(s.K, k, 3)), one)
		}
		for k, h := range c.a {
			setHalf(mem, args[1]+uint32(2*leftIndex(s.R, 0, k)), h)
		}
		setHalf(mem, args[0]+2*3, c.y)
		if err := s.Run(mem, args); err != nil {
			t.Fatal(err)
		}
		if got := halfAt(mem, args[0]+2*3); got != c.want {
			t.Errorf("%s: %#04x, want %#04x", c.name, got, c.want)
		}
	}
}
