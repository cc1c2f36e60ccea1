package kernels

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"ipusolve/device"
)

// TestMatrixSum adds random partials on the matrix unit and by the reduction
// kernel: finite values give the same bits but for the sign of zero.
func TestMatrixSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const (
		y, a, out = device.InterleaveBase, device.InterleaveBase + 0x8000, device.InterleaveBase + 0x10000
		w         = device.InterleaveBase + 0x18000
	)
	at := func(addr uint32) uint32 { return addr - device.SRAMBase }
	for _, c := range []struct{ n, e int }{{1, 16}, {3, 96}, {2, 112}, {14, 624}, {15, 16}} {
		for _, exponents := range []int{5, 30} {
			mem := make([]byte, device.SRAMBytes)
			for i := range c.e * (c.n + 1) {
				v := uint16(rng.Uint32())&0x83ff | uint16(1+rng.IntN(exponents))<<10
				if rng.IntN(8) == 0 {
					v &= 0x83ff // zero or subnormal
				}
				to := at(y) + uint32(2*i)
				if i >= c.e {
					to = at(a) + uint32(2*(i-c.e))
				}
				binary.LittleEndian.PutUint16(mem[to:], v)
			}
			copy(mem[at(w):], Identity(c.n))
			reduceArgs := []uint32{out, y, a, uint32(c.n), uint32(c.e)}
			reduce := Spec{Kind: ReduceF16}
			if err := reduce.Run(mem, reduceArgs); err != nil {
				t.Fatal(err)
			}
			if err := SumSpec(c.n, c.e).Run(mem, []uint32{y, a, w}); err != nil {
				t.Fatal(err)
			}
			for row := range c.e / 16 {
				finite := true
				for p := range c.n {
					for i := range 16 {
						f := widen(halfAt(mem, a+uint32(2*(p*c.e+16*row+i))))
						finite = finite && !math.IsInf(float64(f), 0) && f == f
					}
				}
				for i := range 16 {
					got, want := halfAt(mem, y+uint32(2*(16*row+i))), halfAt(mem, out+uint32(2*(16*row+i)))
					if finite && got != want && (got|want)&0x7fff != 0 {
						t.Fatalf("%+v: element (%d,%d) is %#x, the reduction's %#x", c, row, i, got, want)
					}
				}
			}
		}
	}
}

// TestMatrixSumSpoilsRow: an infinite partial makes the other elements of its row
// undefined, and no others; it saturates itself, as in every sum.
func TestMatrixSumSpoilsRow(t *testing.T) {
	mem := make([]byte, device.SRAMBytes)
	const y, a, w = device.InterleaveBase, device.InterleaveBase + 0x8000, device.InterleaveBase + 0x10000
	binary.LittleEndian.PutUint16(mem[a+2*(32+16+3)-device.SRAMBase:], 0x7c00) // partial 1, row 1, column 3
	copy(mem[w-device.SRAMBase:], Identity(2))
	if err := SumSpec(2, 32).Run(mem, []uint32{y, a, w}); err != nil {
		t.Fatal(err)
	}
	for i := range uint32(32) {
		h := halfAt(mem, y+2*i)
		switch {
		case i < 16 && h != 0, i == 19 && h != 0x7bff, i >= 16 && i != 19 && h&0x7fff <= 0x7c00:
			t.Errorf("element %d is %#x", i, h)
		}
	}
}

// TestSumCycles has the figure of optima.md for e elements of k partials, whose
// rows are not rounded to six workers.
func TestSumCycles(t *testing.T) {
	for _, c := range []struct{ k, e int }{{2, 96}, {15, 96 * 7}, {4, 96 * 23}} {
		if got, want := SumCycles(c.k-1, c.e), int64(294+(c.k-1)*(4*c.e/16+235)); got != want {
			t.Errorf("%+v: %d cycles, want %d", c, got, want)
		}
	}
}

// TestTranspose turns shards of the order TransposedLeft into TransposedBlockMajor with
// one row block: the bits of finite values stay but for the sign of zero.
func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const y, a, w = device.InterleaveBase, device.InterleaveBase + 0x8000, device.InterleaveBase + 0x10000
	for _, n := range []int{1, 2, 3, 7, 24} {
		for _, interleaved := range []bool{true, false} {
			mem := make([]byte, device.SRAMBytes)
			from := uint32(w)
			if !interleaved {
				from = device.SRAMBase + 0x10000
			}
			for i := range uint32(256 * n) {
				v := uint16(rng.Uint32())&0x83ff | uint16(rng.IntN(31))<<10
				binary.LittleEndian.PutUint16(mem[from+2*i-device.SRAMBase:], v)
			}
			copy(mem[a-device.SRAMBase:], Identity(1))
			if err := TransposeSpec(n, interleaved).Run(mem, []uint32{y, a, from}); err != nil {
				t.Fatal(err)
			}
			// Panel p holds element (x, z) at 16·z+x in one order and 16·x+z in the other.
			for p := range uint32(n) {
				for x := range uint32(16) {
					for z := range uint32(16) {
						want, got := halfAt(mem, from+2*(256*p+16*z+x)), halfAt(mem, y+2*(256*p+16*x+z))
						if got != want && (got|want)&0x7fff != 0 {
							t.Fatalf("%d panels, panel %d (%d,%d): %#x, want %#x", n, p, x, z, got, want)
						}
					}
				}
			}
		}
		if got, want := TransposeCycles(n, true), GemmCycles(16, 16*n, 16, true); got != want {
			t.Errorf("%d panels: %d cycles, want %d", n, got, want)
		}
	}
}
