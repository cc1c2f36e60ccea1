package kernels

import "ipusolve/device"

// Timing set `c600`, used by simulator and planner (reference: simulator.md §2).
const (
	gemmCall        = 294 // one GEMM call
	gemmInterleaved = 235 // per 16x16 block, W interleaved
	gemmStandard    = 266 // per 16x16 block, W standard
	workerCopyCall  = 288 // worker copies and fill
	launch          = 11
)

// GemmCycles prices one GEMM call of r rows, c columns and k inner elements,
// c and k multiples of 16: 294 + (k/16)·(c/16)·(24·⌈r/6⌉ + g), g = 235 with
// interleaved weights, else 266 (reference: simulator.md §2).
func GemmCycles(r, c, k int, interleaved bool) int64 {
	g := int64(gemmStandard)
	if interleaved {
		g = gemmInterleaved
	}
	return gemmCall + int64(k/16)*int64(c/16)*(24*ceilDiv(int64(r), device.NumWorkers)+g)
}

// GeluCycles prices GELU of e F16 elements: 10·e + 11 (reference: simulator.md §2).
func GeluCycles(e int) int64 { return 10*int64(e) + launch }

// ReduceCycles prices the sum of n remote partials to a result of b bytes:
// (n+1)·b + 11 (reference: simulator.md §2).
func ReduceCycles(n, b int) int64 { return (int64(n)+1)*int64(b) + launch }

// CopyCycles prices a contiguous copy of b bytes, a multiple of 4, by its size:
// 288 + b/8 for at least 48 bytes and a multiple of 8 (Copy64), else 11 + 6·b/4
// (Copy32); nothing to copy costs nothing (reference: simulator.md §2).
func CopyCycles(b int) int64 {
	switch {
	case b == 0:
		return 0
	case b >= minCopy64 && b%8 == 0:
		return StridedCopyCycles(b)
	}
	return CopyWordsCycles(b)
}

// CopyWordsCycles prices the word loop of Copy32 on b bytes: 11 + 6·b/4
// (reference: simulator.md §2).
func CopyWordsCycles(b int) int64 { return launch + 6*ceilDiv(int64(b), 4) }

// StridedCopyCycles prices a strided copy of b bytes in all, a multiple of 8:
// 288 + b/8 at any size (reference: simulator.md §2).
func StridedCopyCycles(b int) int64 { return workerCopyCall + ceilDiv(int64(b), 8) }

// CopyRunsCycles prices a copy of n runs of b bytes each at constant strides: one
// strided call where that is cheaper than one call a run.
func CopyRunsCycles(n, b int) int64 {
	cycles := int64(n) * CopyCycles(b)
	if n > 1 && b%8 == 0 {
		cycles = min(cycles, StridedCopyCycles(n*b))
	}
	return cycles
}

// FillCycles prices zeroing b bytes: 288 + ⌈b/8⌉; nothing to clear costs
// nothing (reference: simulator.md §2).
func FillCycles(b int) int64 {
	if b == 0 {
		return 0
	}
	return workerCopyCall + ceilDiv(int64(b), 8)
}

// FillRunsCycles prices zeroing n equal runs of b bytes at a constant stride: of
// three or more the first is filled and copied to the others with source stride 0.
func FillRunsCycles(n, b int) int64 {
	if n < 3 {
		return int64(n) * FillCycles(b)
	}
	return FillCycles(b) + StridedCopyCycles((n-1)*b)
}

// Cycles is the duration of a call with arguments that Operands accepts, without
// the call instruction itself, which costs 1 more (reference: simulator.md §1,
// §2). Start-up, completion and the worker barrier are free; a cycle sample is 1.
func (s Spec) Cycles(args []uint32) int64 {
	if len(args) != s.NumArgs() {
		return 0
	}
	switch s.Kind {
	case GemmF16:
		return GemmCycles(s.R, s.C, s.K, s.Interleaved)
	case GeluF16:
		return GeluCycles(int(args[2]))
	case ReduceF16:
		return ReduceCycles(int(args[3]), 2*int(args[4]))
	case Copy64:
		return CopyCycles(int(splitBytes(args[2], args[3])))
	case CopyStrided64:
		return StridedCopyCycles(8 * int(args[2]) * int(args[3]))
	case Copy32:
		// The size's own price is the least, so that small copies gain nothing
		// from the routine that the table does not give them.
		b := 4 * int(args[2])
		return max(CopyCycles(b), CopyWordsCycles(b))
	case FillZero:
		return FillCycles(int(splitBytes(args[1], args[2])))
	case CycleSample:
		return 1
	}
	return 0
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
