package cost

import (
	"errors"
	"fmt"

	"ipusolve/device"
)

// SeedBytes is bytes of one tile by memory class.
type SeedBytes struct {
	Standard    int64 `json:"standard"`
	Interleaved int64 `json:"interleaved"`
}

// Add is the class-wise sum, Max the class-wise maximum, Total both classes.
func (b SeedBytes) Add(c SeedBytes) SeedBytes {
	return SeedBytes{b.Standard + c.Standard, b.Interleaved + c.Interleaved}
}
func (b SeedBytes) Max(c SeedBytes) SeedBytes {
	return SeedBytes{max(b.Standard, c.Standard), max(b.Interleaved, c.Interleaved)}
}
func (b SeedBytes) Total() int64 { return b.Standard + b.Interleaved }

// SeedGemmMemory is what the temporary memory of a GEMM on an inner-split grid
// depends on (reference: costmodel.md §9, planspace.md §10.1).
type SeedGemmMemory struct {
	Inner, Parts    int   // K and k
	Cols            int   // columns per tile, padded to the kernel's block
	PartialBytes    int64 // Π
	ReducedBytes    int64 // β: bytes of one summed piece
	Streamed        bool  // one remote partial at a time
	SlicedLeftBytes int64 // largest shard of a streamed operand consumed by slices, else 0
}

// Temporary is the class-wise maximum of the kernel and the reduction step.
func (g SeedGemmMemory) Temporary() SeedBytes {
	inner := ceilDiv(ceilDiv(int64(g.Inner), seedInnerQuantum), int64(g.Parts)) * seedInnerQuantum
	kernel := SeedBytes{Interleaved: inner*int64(g.Cols)*f16Bytes + g.PartialBytes}
	if g.SlicedLeftBytes > 0 {
		kernel.Standard = seedAlign(g.SlicedLeftBytes+seedLeftTail, seedStandardElement)
	}
	remote := int64(g.Parts - 1)
	if g.Streamed {
		remote = 1
	}
	return kernel.Max(SeedBytes{Standard: g.ReducedBytes * (remote + 2), Interleaved: g.PartialBytes})
}

// Rounding and limits of the profile's memory rules (reference: planspace.md §10).
const (
	seedInnerQuantum       = 64
	seedLeftTail           = 16 // access tail of a streamed F16 operand
	seedStandardElement    = device.StandardElement
	seedInterleavedElement = device.InterleaveElement
	seedReserved           = 49152 // support code and tables
)

// SeedElement rounds bytes up to whole elements of standard memory.
func SeedElement(bytes int64) int64 { return seedAlign(bytes, seedStandardElement) }

// SeedRounded rounds every class up to whole memory elements, as values need that
// are read and written at once.
func SeedRounded(b SeedBytes) SeedBytes {
	return SeedBytes{seedAlign(b.Standard, seedStandardElement), seedAlign(b.Interleaved, seedInterleavedElement)}
}

// SeedState is the peak memory of a whole plan (reference: planspace.md §10.2);
// standard and total include the exchange rows.
type SeedState struct {
	Peak            SeedBytes `json:"peak"`
	Total           int64     `json:"total"`           // largest simultaneous sum of both classes
	LargestStandard int64     `json:"largestStandard"` // one allocation
	RowBytes        int64     `json:"rowBytes"`
}

// ErrSeedMemory marks a state that does not fit.
var ErrSeedMemory = errors.New("cost: profile seed: out of memory")

const (
	seedStandardRange int64 = device.StandardBytes
	seedInterleavable int64 = device.InterleavedBytes
)

// Overflow is how far the largest standard allocation exceeds one contiguous
// range.
func (s SeedState) Overflow() int64 {
	upper := seedInterleavable - seedAlign(s.Peak.Interleaved, seedInterleavedElement)
	return max(0, s.LargestStandard-max(seedStandardRange, upper))
}

// Accept tells whether the state fits a tile (reference: planspace.md §10.3).
// Errors wrap ErrSeedMemory.
func (s SeedState) Accept() error {
	boundary := seedAlign(s.Peak.Interleaved, seedInterleavedElement)
	total := seedStandardRange + seedInterleavable
	if s.Peak.Interleaved > seedInterleavable {
		return fmt.Errorf("%w: interleaved %d B, limit %d", ErrSeedMemory, s.Peak.Interleaved, seedInterleavable)
	}
	if need := s.Peak.Standard + boundary + seedReserved; need > total {
		return fmt.Errorf("%w: standard, interleaved and reserve %d B, limit %d", ErrSeedMemory, need, total)
	}
	if room := max(seedStandardRange-seedReserved-s.RowBytes, seedInterleavable-boundary); s.LargestStandard > room {
		return fmt.Errorf("%w: one standard allocation of %d B, limit %d", ErrSeedMemory, s.LargestStandard, room)
	}
	return nil
}
