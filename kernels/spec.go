package kernels

import (
	"errors"
	"fmt"

	"ipusolve/device"
)

// Kind names a kernel or runtime routine.
type Kind uint8

// The catalogue. Arguments are register values in call order from m2 on;
// addresses are byte addresses (reference: kernels.md §2, §4, §6).
const (
	// GemmF16 is Y = A·W or, with Spec.Accumulate, Y += A·W on the matrix
	// unit. Arguments: Y [R x C] left-panel, A [R x K] left-panel,
	// W [K x C] block-major with one row block. kernels.md §5.
	GemmF16 Kind = iota + 1
	// GeluF16 is the tanh form of GELU, elementwise. Arguments: out, in,
	// element count (even). kernels.md §6.1.
	GeluF16
	// ReduceF16 is out = ((initial + remote 0) + remote 1) + …. Arguments:
	// out, initial, remote, number of remotes (>= 1), element count (multiple
	// of 8); remote k starts k·count elements behind remote. kernels.md §6.2.
	ReduceF16
	// Copy64 copies bytes by workers. Arguments: out, source, words div 6,
	// words mod 6, a word being 8 bytes; at least 48 bytes.
	Copy64
	// CopyStrided64 copies rows of 8-byte words. Arguments: out, source,
	// words a row, rows, source stride, output stride; strides in bytes,
	// multiples of 8.
	CopyStrided64
	// Copy32 copies by the supervisor. Arguments: out, source, count of
	// 4-byte words.
	Copy32
	// FillZero clears bytes by workers. Arguments: out, words div 6, words
	// mod 6, a word being 8 bytes.
	FillZero
	// WorkerBarrier waits for the workers before an exchange row. No arguments.
	WorkerBarrier
	// Startup sets up workers and selectors. No arguments. device.md §8.
	Startup
	// CycleSample stores the cycle counter. Argument: address of the word.
	CycleSample
	// Completion stores 1 in the completion word and halts. No arguments.
	Completion

	numKinds
)

// Spec is one linked symbol: a kernel with its compile-time parameters.
// Everything but Kind is zero for all kinds except GemmF16.
type Spec struct {
	Kind        Kind
	K, C, R     int  // inner extent, columns, rows of one GEMM call
	Interleaved bool // W is read 16 bytes at a time, from interleaved memory
	Accumulate  bool // Y holds the sum so far; otherwise the call starts at 0
}

// Errors of this package; both are wrapped with the kernel and the reason. The
// codes are those a device raises (reference: device.md §4.3).
var (
	ErrSpec    = errors.New("kernels: illegal kernel parameters")
	ErrAddress = errors.New("kernels: address outside SRAM (code 8)")
	ErrOperand = errors.New("kernels: illegal operand (code 9)")
)

// kinds is indexed by Kind. Code sizes in bytes: the first six are kernels.md
// §4. The runtime routines are counted from what device.md §6.4, §7 and §8 say
// they do, 4 bytes an instruction: barrier (launch, sync, return; worker exit)
// 5; start-up 30 supervisor + 18 worker; sample (push, launch, sync, pop,
// return; worker: context test, counter, load, store, exit) 13; completion
// (two constants, store, jump to 0) 5.
var kinds = [numKinds]struct {
	name string
	code int
	args int
}{
	GemmF16:       {"gemm_f16", 0, 3},
	GeluF16:       {"gelu_f16", 964, 3},
	ReduceF16:     {"reduction_sum_f16", 196, 5},
	Copy64:        {"copy_64", 128, 4},
	CopyStrided64: {"copy_strided_64", 192, 6},
	Copy32:        {"copy_32", 32, 3},
	FillZero:      {"fill_zero", 108, 3},
	WorkerBarrier: {"worker_barrier", 20, 0},
	Startup:       {"startup", 192, 0},
	CycleSample:   {"cycle_sample", 52, 1},
	Completion:    {"completion", 20, 0},
}

// Validate reports, wrapping ErrSpec, parameters no kernel exists for: K and C
// must be positive multiples of 16, R positive, and each operand must fit into
// SRAM (reference: kernels.md §4).
func (s Spec) Validate() error {
	if s.Kind == 0 || s.Kind >= numKinds {
		return fmt.Errorf("%w: kind %d", ErrSpec, s.Kind)
	}
	if s.Kind != GemmF16 {
		if s != (Spec{Kind: s.Kind}) {
			return fmt.Errorf("%w: %s takes none", ErrSpec, kinds[s.Kind].name)
		}
		return nil
	}
	if s.K <= 0 || s.K%16 != 0 || s.C <= 0 || s.C%16 != 0 || s.R <= 0 {
		return fmt.Errorf("%w: GEMM K=%d C=%d R=%d, want K, C positive multiples of 16, R positive", ErrSpec, s.K, s.C, s.R)
	}
	const most = device.SRAMBytes / 2
	if s.K > most || s.C > most || s.R > most || s.R*s.K > most || s.K*s.C > most || s.R*s.C > most {
		return fmt.Errorf("%w: GEMM K=%d C=%d R=%d exceeds SRAM", ErrSpec, s.K, s.C, s.R)
	}
	return nil
}

// NumArgs is the number of register values a call takes, m2 first.
func (s Spec) NumArgs() int {
	if s.Kind >= numKinds {
		return 0
	}
	return kinds[s.Kind].args
}

// CodeBytes is the linked size of the symbol. A GEMM symbol is one entry with
// its worker code: 280 (interleaved) or 408 bytes + 372 for rows divisible by
// 6, else 392 (reference: kernels.md §4).
func (s Spec) CodeBytes() int {
	if s.Kind >= numKinds {
		return 0
	}
	if s.Kind != GemmF16 {
		return kinds[s.Kind].code
	}
	entry, worker := 408, 392
	if s.Interleaved {
		entry = 280
	}
	if s.R%device.NumWorkers == 0 {
		worker = 372
	}
	return entry + worker
}
