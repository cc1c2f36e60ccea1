package kernels

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"ipusolve/device"

	"github.com/google/go-cmp/cmp"
)

func TestGemmOperands(t *testing.T) {
	s := Spec{Kind: GemmF16, K: 240, C: 32, R: 366, Interleaved: true}
	want := []Operand{
		{Name: "result", Addr: 0x80000, RowBytes: 23424, Rows: 1, Write: true, Align: 32, MustInterleave: true, Distinct: 1, Tail: 64},
		{Name: "left", Addr: 0x88000, RowBytes: 175680, Rows: 1, Read: true, Align: 32, Distinct: 1, Tail: 24},
		{Name: "right", Addr: 0xb8000, RowBytes: 15360, Rows: 1, Read: true, Align: 32, MustInterleave: true},
	}
	args := []uint32{0x80000, 0x88000, 0xb8000}
	got, err := s.Operands(args)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	s.Interleaved, s.Accumulate = false, true
	want[0].Read, want[2].MustInterleave = true, false
	got, err = s.Operands(args)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	if want[0].Elements()&want[1].Elements() != 0 {
		t.Error("I0 and I1 are distinct")
	}
}

// TestElementsCoverTail: the over-read counts, gaps between strided spans do not.
func TestElementsCoverTail(t *testing.T) {
	for _, c := range []struct {
		o    Operand
		want device.ElementSet
	}{
		{Operand{Addr: 0x7ffe0, RowBytes: 32, Rows: 1}, 1 << 31},
		{Operand{Addr: 0x7ffe0, RowBytes: 32, Rows: 1, Tail: 24}, 1<<31 | 1<<32},
		{Operand{Addr: 0x5c000, RowBytes: 16, Rows: 3, Stride: 0x8000}, 1<<23 | 1<<25 | 1<<27},
		{Operand{Addr: 0x5c000, RowBytes: 0x1000, Rows: 5, Stride: 0x1000}, 1<<23 | 1<<24},
	} {
		if got := c.o.Elements(); got != c.want {
			t.Errorf("%+v: %#x, want %#x", c.o, got, c.want)
		}
	}
}

func TestIllegalCalls(t *testing.T) {
	const std, ilv, end = 0x60000, 0x80000, device.SRAMEnd
	gemm := Spec{Kind: GemmF16, K: 64, C: 16, R: 8}
	gelu, reduction := Spec{Kind: GeluF16}, Spec{Kind: ReduceF16}
	copy64, strided := Spec{Kind: Copy64}, Spec{Kind: CopyStrided64}
	copy32, fill := Spec{Kind: Copy32}, Spec{Kind: FillZero}
	for _, c := range []struct {
		name string
		spec Spec
		args []uint32
		want error
	}{
		{"too few arguments", gemm, []uint32{ilv, std}, ErrOperand},
		{"too many arguments", fill, []uint32{std, 1, 0, 0}, ErrOperand},
		{"illegal parameters", Spec{Kind: GemmF16, K: 8, C: 16, R: 1}, []uint32{ilv, std, std + 0x1000}, ErrSpec},
		{"result below SRAM", gemm, []uint32{0x4bfe0, std, std + 0x1000}, ErrAddress},
		{"result tail behind SRAM", gemm, []uint32{end - 256 - 32, std, std + 0x1000}, ErrAddress},
		{"result tail inside SRAM", gemm, []uint32{end - 256 - 64, std, std + 0x1000}, nil},
		{"left tail behind SRAM", gemm, []uint32{ilv, end - 1024, std}, ErrAddress},
		{"weights to the end", gemm, []uint32{ilv, std, end - 2048}, nil},
		{"weights behind SRAM", gemm, []uint32{ilv, std, end - 2048 + 32}, ErrAddress},
		{"result on weights", gemm, []uint32{ilv, std, ilv + 224}, ErrOperand},
		{"result beside weights", gemm, []uint32{ilv, std, ilv + 256}, nil},
		{"result on left", gemm, []uint32{ilv, ilv, std}, ErrOperand},
		{"left on weights", gemm, []uint32{ilv, std, std}, nil},

		{"no elements", gelu, []uint32{std, ilv, 0}, ErrOperand},
		{"odd elements", gelu, []uint32{std, ilv, 3}, ErrOperand},
		{"huge count", gelu, []uint32{std, ilv, 0xfffffffe}, ErrAddress},
		{"in place", gelu, []uint32{std, std, 16}, nil},
		{"shifted in place", gelu, []uint32{std + 8, std, 16}, ErrOperand},
		{"address wraps", gelu, []uint32{0xfffffff8, std, 16}, ErrAddress},

		{"no remotes", reduction, []uint32{std, ilv, ilv + 64, 0, 8}, ErrOperand},
		{"no elements", reduction, []uint32{std, ilv, ilv + 64, 1, 0}, ErrOperand},
		{"half a group", reduction, []uint32{std, ilv, ilv + 64, 1, 12}, ErrOperand},
		{"into initial", reduction, []uint32{ilv, ilv, ilv + 64, 3, 8}, nil},
		{"into second remote", reduction, []uint32{ilv + 80, ilv, ilv + 64, 3, 8}, nil},
		{"between remotes", reduction, []uint32{ilv + 72, ilv, ilv + 64, 3, 8}, ErrOperand},
		{"before remotes", reduction, []uint32{ilv + 56, ilv, ilv + 64, 3, 8}, ErrOperand},
		{"too many remotes", reduction, []uint32{std, std + 64, ilv, 0xffffffff, 0xfffffff8}, ErrAddress},

		{"40 bytes", copy64, []uint32{std, ilv, 0, 5}, ErrOperand},
		{"remainder 6", copy64, []uint32{std, ilv, 1, 6}, ErrOperand},
		{"quotient wraps", copy64, []uint32{std, ilv, 0x55555556, 0}, ErrAddress},
		{"onto itself", copy64, []uint32{std, std, 1, 0}, ErrOperand},
		{"copy of nothing", copy32, []uint32{std, ilv, 0}, ErrOperand},
		{"overlapping words", copy32, []uint32{std + 4, std, 2}, ErrOperand},
		{"adjoining words", copy32, []uint32{std + 8, std, 2}, nil},

		{"no rows", strided, []uint32{std, ilv, 4, 0, 32, 32}, ErrOperand},
		{"no words", strided, []uint32{std, ilv, 0, 4, 32, 32}, ErrOperand},
		{"odd stride", strided, []uint32{std, ilv, 1, 4, 12, 8}, ErrOperand},
		{"rows overwrite each other", strided, []uint32{std, ilv, 4, 4, 32, 24}, ErrOperand},
		{"rows meet", strided, []uint32{std, std + 16, 2, 4, 32, 40}, ErrOperand},
		{"rows interleave", strided, []uint32{std, std + 16, 2, 4, 32, 32}, nil},
		{"last row behind SRAM", strided, []uint32{std, end - 0x1000, 1, 2, 0x1000, 8}, ErrAddress},
		{"product wraps", strided, []uint32{std, ilv, 0x10000, 0x10000, 0x10000, 0x80000}, ErrAddress},

		{"fill of nothing", fill, []uint32{std, 0, 0}, ErrOperand},
		{"fill remainder", fill, []uint32{std, 0, 6}, ErrOperand},
		{"sample outside", Spec{Kind: CycleSample}, []uint32{end}, ErrAddress},
	} {
		ops, err := c.spec.Operands(c.args)
		if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) || (err == nil) != (ops != nil) {
			t.Errorf("%s: %d operands, %v, want %v", c.name, len(ops), err, c.want)
		}
		mem := make([]byte, device.SRAMBytes)
		if err := c.spec.Run(mem, c.args); (err == nil) != (c.want == nil) {
			t.Errorf("%s: Run: %v", c.name, err)
		}
	}
	if err := fill.Run(make([]byte, 64), []uint32{device.SRAMBase, 0, 1}); !errors.Is(err, ErrAddress) {
		t.Errorf("short memory: %v", err)
	}
}

// TestOverlapAgainstBytes compares the span arithmetic with sets of bytes.
func TestOverlapAgainstBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func() Operand {
		o := Operand{Addr: uint32(device.SRAMBase + rng.IntN(200)), RowBytes: uint32(1 + rng.IntN(12)), Rows: uint32(1 + rng.IntN(5))}
		if o.Rows > 1 {
			o.Stride = uint32(rng.IntN(50))
		}
		return o
	}
	hits := 0
	for range 20_000 {
		a, b := draw(), draw()
		used := map[uint32]bool{}
		for i := range a.Rows * a.RowBytes {
			used[a.Addr+i/a.RowBytes*a.Stride+i%a.RowBytes] = true
		}
		want := false
		for i := range b.Rows * b.RowBytes {
			want = want || used[b.Addr+i/b.RowBytes*b.Stride+i%b.RowBytes]
		}
		if got := overlap(a, b); got != want {
			t.Fatalf("overlap(%+v, %+v) = %v", a, b, got)
		}
		if want {
			hits++
		}
	}
	if hits < 1000 || hits > 19_000 {
		t.Errorf("%d overlaps: one-sided sample", hits)
	}
}

// FuzzRun calls every kernel with arbitrary arguments: no panic, no write
// outside the declared results.
func FuzzRun(f *testing.F) {
	f.Add(uint8(GemmF16), uint8(2), uint8(1), uint8(9), uint32(0x80000), uint32(0x60000), uint32(0x90000), uint32(0), uint32(0), uint32(0))
	f.Add(uint8(CopyStrided64), uint8(0), uint8(0), uint8(0), uint32(0x80000), uint32(0x60000), uint32(2), uint32(4), uint32(64), uint32(32))
	f.Add(uint8(ReduceF16), uint8(0), uint8(0), uint8(0), uint32(0x80000), uint32(0x60000), uint32(0x60100), uint32(3), uint32(16), uint32(0))
	f.Fuzz(func(t *testing.T, kind, k, c, r uint8, a0, a1, a2, a3, a4, a5 uint32) {
		s := Spec{Kind: Kind(kind)}
		if s.Kind == GemmF16 {
			s.K, s.C, s.R, s.Accumulate = 16*int(k), 16*int(c), int(r), k%2 == 0
		}
		args := []uint32{a0, a1, a2, a3, a4, a5}[:min(6, s.NumArgs())]
		mem := randomMemory(uint64(a0))
		before := append([]byte(nil), mem...)
		if s.Run(mem, args) == nil {
			ops, err := s.Operands(args)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range ops {
				for i := range o.Rows {
					if at := o.Addr - device.SRAMBase + i*o.Stride; o.Write {
						copy(before[at:][:o.RowBytes], mem[at:])
					}
				}
			}
			if s.Cycles(args) < 0 {
				t.Error("negative cycles")
			}
		}
		for i := 0; i < len(mem); i += 8 {
			if binary.LittleEndian.Uint64(mem[i:]) != binary.LittleEndian.Uint64(before[i:]) {
				t.Fatalf("%s%x wrote at %#x", s.Symbol(), args, i+device.SRAMBase)
			}
		}
	})
}
