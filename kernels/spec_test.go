package kernels

import (
	"errors"
	"testing"

	"ipusolve/device"
)

func TestSymbols(t *testing.T) {
	gemm := Spec{Kind: GemmF16, K: 240, C: 48, R: 232}
	interleaved, accumulate := gemm, gemm
	interleaved.Interleaved, accumulate.Accumulate = true, true
	for _, c := range []struct {
		spec Spec
		name string
		code int
	}{
		{gemm, "gemm_f16_k240_c48_r232_initialise", 408 + 392},
		{interleaved, "gemm_f16_interleaved_k240_c48_r232_initialise", 280 + 392},
		{accumulate, "gemm_f16_k240_c48_r232_accumulate", 408 + 392},
		{Spec{Kind: GemmF16, K: 240, C: 32, R: 366, Interleaved: true, Accumulate: true}, "gemm_f16_interleaved_k240_c32_r366_accumulate", 280 + 372},
		{Spec{Kind: GeluF16}, "gelu_f16", 964},
		{Spec{Kind: ReduceF16}, "reduction_sum_f16", 196},
		{Spec{Kind: Copy64}, "copy_64", 128},
		{Spec{Kind: CopyStrided64}, "copy_strided_64", 192},
		{Spec{Kind: Copy32}, "copy_32", 32},
		{Spec{Kind: FillZero}, "fill_zero", 108},
	} {
		if got := c.spec.Symbol(); got != c.name {
			t.Errorf("symbol %q, want %q", got, c.name)
		}
		if got, err := ParseSymbol(c.name); err != nil || got != c.spec {
			t.Errorf("ParseSymbol(%q) = %+v, %v", c.name, got, err)
		}
		if got := c.spec.CodeBytes(); got != c.code {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.code)
		}
	}
	for _, name := range []string{
		"", "gemm_f16", "gelu", "gemm_f16_k240_c48_r232", "gemm_f16_k240_c48_initialise", "gemm_f16_k0240_c48_r232_initialise",
		"gemm_f16_k-16_c48_r232_initialise", "gemm_f16_k240_c48_r0_initialise", "gemm_f16_k241_c48_r1_initialise",
		"gemm_f16_k240_c8_r1_initialise", "gemm_f16_c240_k48_r232_initialise", "gemm_f16_k240_c48_r232_initialise_accumulate",
		"gemm_f16_k4096_c4096_r1_initialise", "gemm_f16_k99999999999999999999_c16_r1_initialise", "gemm_f16_kk16_c16_r1_initialise",
	} {
		if s, err := ParseSymbol(name); !errors.Is(err, ErrSpec) {
			t.Errorf("ParseSymbol(%q) = %+v, %v", name, s, err)
		}
	}
}

func TestEveryKindIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for k := Kind(1); k < numKinds; k++ {
		s := Spec{Kind: k}
		if k == GemmF16 {
			s.K, s.C, s.R = 16, 16, 1
		}
		if err := s.Validate(); err != nil || s.Symbol() == "" || seen[s.Symbol()] || s.CodeBytes() <= 0 || s.CodeBytes()%4 != 0 || s.NumArgs() > 8 {
			t.Errorf("kind %d: %v %q %d bytes %d arguments", k, err, s.Symbol(), s.CodeBytes(), s.NumArgs())
		}
		seen[s.Symbol()] = true
		s.R = -1
		if err := s.Validate(); !errors.Is(err, ErrSpec) {
			t.Errorf("kind %d accepts R = -1", k)
		}
	}
	for _, k := range []Kind{0, numKinds, 255} {
		s := Spec{Kind: k}
		if s.Validate() == nil || s.Symbol() != "" || s.NumArgs() != 0 || s.CodeBytes() != 0 || s.Cycles(nil) != 0 || s.Run(nil, nil) == nil {
			t.Errorf("kind %d is not refused", k)
		}
	}
}

func FuzzParseSymbol(f *testing.F) {
	for _, name := range []string{"gemm_f16_interleaved_k240_c48_r232_initialise", "gemm_f16_k16_c16_r1_accumulate", "copy_64", "gemm_f16_k_c_r_initialise"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := ParseSymbol(name)
		if err != nil {
			if s != (Spec{}) || !errors.Is(err, ErrSpec) {
				t.Errorf("%q: %+v, %v", name, s, err)
			}
			return
		}
		if s.Symbol() != name || s.Validate() != nil {
			t.Errorf("%q parses to %+v, named %q", name, s, s.Symbol())
		}
	})
}

// TestCycles holds the worked values of kernels.md §5.4 (F = 235), simulator.md
// §2 and costmodel.md §5.
func TestCycles(t *testing.T) {
	gemm := func(k, c, r int, interleaved bool) Spec {
		return Spec{Kind: GemmF16, K: k, C: c, R: r, Interleaved: interleaved}
	}
	for _, c := range []struct {
		spec Spec
		args []uint32
		want int64
	}{
		{gemm(240, 32, 366, true), make([]uint32, 3), 51264},
		{gemm(288, 48, 184, true), make([]uint32, 3), 53160},
		{gemm(240, 48, 232, true), make([]uint32, 3), 52989},
		{gemm(192, 64, 216, true), make([]uint32, 3), 53046},
		{gemm(64, 64, 12, true), make([]uint32, 3), 4822},
		{gemm(240, 32, 366, false), make([]uint32, 3), 51264 + 30*31},
		{Spec{Kind: GeluF16}, []uint32{0, 0, 2144}, 21451},
		{Spec{Kind: GeluF16}, []uint32{0, 0, 2176}, 21771},
		{Spec{Kind: ReduceF16}, []uint32{0, 0, 0, 4, 2368}, 23691},
		{Spec{Kind: ReduceF16}, []uint32{0, 0, 0, 14, 672}, 20171},
		{Spec{Kind: Copy64}, []uint32{0, 0, 170, 4}, 288 + 1024},
		{Spec{Kind: Copy64}, []uint32{0, 0, 1, 0}, 288 + 6},
		{Spec{Kind: CopyStrided64}, []uint32{0, 0, 4, 16, 64, 32}, 288 + 64},
		{Spec{Kind: Copy32}, []uint32{0, 0, 11}, 11 + 66},
		{Spec{Kind: Copy32}, []uint32{0, 0, 12}, 288 + 6},
		{Spec{Kind: Copy32}, []uint32{0, 0, 2048}, 11 + 6*2048},
		{Spec{Kind: FillZero}, []uint32{0, 1, 1}, 288 + 7},
		{Spec{Kind: WorkerBarrier}, nil, 0},
		{Spec{Kind: Startup}, nil, 0},
		{Spec{Kind: Completion}, nil, 0},
		{Spec{Kind: CycleSample}, []uint32{0}, 1},
	} {
		if got := c.spec.Cycles(c.args); got != c.want {
			t.Errorf("%s%v: %d cycles, want %d", c.spec.Symbol(), c.args, got, c.want)
		}
	}
	for _, c := range []struct {
		b    int
		want int64
	}{{0, 0}, {4, 17}, {40, 71}, {44, 77}, {48, 294}, {52, 89}, {8192, 1312}} {
		if got := CopyCycles(c.b); got != c.want {
			t.Errorf("CopyCycles(%d) = %d, want %d", c.b, got, c.want)
		}
	}
	if FillCycles(0) != 0 || FillCycles(56) != 295 {
		t.Error("FillCycles")
	}
}

func TestMemoryMapHoldsTails(t *testing.T) {
	if device.SRAMEnd-device.LoaderEnd < max(LeftTail, ResultTail) {
		t.Error("an over-read behind the last loadable byte leaves SRAM")
	}
}
