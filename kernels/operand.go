package kernels

import (
	"fmt"

	"ipusolve/device"
)

// Over-read behind GEMM operands (reference: simulator.md §7, kernels.md §5.5).
const (
	LeftTail   = 24 // bytes behind A
	ResultTail = 64 // bytes behind Y
)

const (
	gemmAlign = 32 // kernels.md §5.5
	wordAlign = 8  // double-word accesses of workers
	minCopy64 = 48 // one word for each worker; kernels.md §4
)

// Operand is the memory one pointer argument of a call reaches: Rows spans of
// RowBytes bytes, Stride bytes apart from Addr on.
type Operand struct {
	Name           string
	Addr           uint32
	RowBytes       uint32
	Rows, Stride   uint32 // Stride is 0 for a single span
	Read, Write    bool   // an accumulating result has both
	Align          uint32 // Addr must be a multiple
	MustInterleave bool   // every byte must lie at device.InterleaveBase or above
	// Distinct is a bit mask: two operands of a call that share a bit must not
	// touch a common SRAM element, tails included (one instruction accesses
	// both).
	Distinct int
	// Tail is the number of bytes behind the last span that are loaded and
	// discarded. They need not hold written data.
	Tail uint32
}

// Elements is the set of SRAM elements the operand and its tail touch.
func (o Operand) Elements() device.ElementSet {
	if o.Stride == o.RowBytes || o.Rows <= 1 {
		return device.Elements(o.Addr, o.Rows*o.RowBytes+o.Tail)
	}
	var set device.ElementSet
	for i := range o.Rows {
		set |= device.Elements(o.Addr+i*o.Stride, o.RowBytes)
	}
	return set | device.Elements(o.Addr+(o.Rows-1)*o.Stride+o.RowBytes, o.Tail)
}

// end is one past the last byte of the last span, tail excluded.
func (o Operand) end() uint64 {
	return uint64(o.Addr) + uint64(o.Rows-1)*uint64(o.Stride) + uint64(o.RowBytes)
}

// Operands lists the memory a call reaches, results first, and rejects what the
// kernel cannot do at all: with ErrOperand a wrong number of arguments, zero or
// unsupported counts and an overlap of result and source that a kernel's
// workers would race on; with ErrAddress a span that leaves SRAM. Alignment,
// memory class and distinct elements are stated in the operands and left to the
// caller to check.
func (s Spec) Operands(args []uint32) ([]Operand, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(args) != s.NumArgs() {
		return nil, s.errorf(ErrOperand, "%d arguments, want %d", len(args), s.NumArgs())
	}
	ops, err := s.layout(args)
	if err != nil {
		return nil, err
	}
	for _, o := range ops {
		if o.Addr < device.SRAMBase || o.end()+uint64(o.Tail) > device.SRAMEnd {
			return nil, s.errorf(ErrAddress, "%s spans %#x..%#x, tail %d", o.Name, o.Addr, o.end(), o.Tail)
		}
	}
	if err := s.checkOverlap(ops); err != nil {
		return nil, err
	}
	return ops, nil
}

// layout turns arguments into operands; the spans may still leave SRAM.
func (s Spec) layout(args []uint32) ([]Operand, error) {
	switch s.Kind {
	case GemmF16:
		return s.spans([]uint64{uint64(2 * s.R * s.C), uint64(2 * s.R * s.K), uint64(2 * s.K * s.C)},
			Operand{Name: "result", Addr: args[0], Write: true, Read: s.Accumulate, Align: gemmAlign, MustInterleave: true, Distinct: 1, Tail: ResultTail},
			Operand{Name: "left", Addr: args[1], Read: true, Align: gemmAlign, Distinct: 1, Tail: LeftTail},
			Operand{Name: "right", Addr: args[2], Read: true, Align: gemmAlign, MustInterleave: s.Interleaved})
	case GeluF16:
		if args[2]%2 != 0 {
			return nil, s.errorf(ErrOperand, "element count %d is odd", args[2])
		}
		return s.pair(args, 2*uint64(args[2]), wordAlign)
	case ReduceF16:
		n, b := uint64(args[3]), 2*uint64(args[4])
		if args[4]%8 != 0 {
			return nil, s.errorf(ErrOperand, "element count %d is no multiple of 8", args[4])
		}
		return s.spans([]uint64{b, b, n * min(b, device.SRAMBytes+1)},
			Operand{Name: "result", Addr: args[0], Write: true, Align: wordAlign},
			Operand{Name: "initial", Addr: args[1], Read: true, Align: wordAlign},
			Operand{Name: "remote", Addr: args[2], Read: true, Align: wordAlign})
	case Copy64:
		b := splitBytes(args[2], args[3])
		if args[3] >= device.NumWorkers || b < minCopy64 {
			return nil, s.errorf(ErrOperand, "words %d div, %d mod 6: want mod < 6 and at least %d bytes", args[2], args[3], minCopy64)
		}
		return s.pair(args, b, wordAlign)
	case CopyStrided64:
		return s.strided(args)
	case Copy32:
		return s.pair(args, 4*uint64(args[2]), 4)
	case FillZero:
		if args[2] >= device.NumWorkers {
			return nil, s.errorf(ErrOperand, "words mod 6 is %d", args[2])
		}
		return s.spans([]uint64{splitBytes(args[1], args[2])},
			Operand{Name: "result", Addr: args[0], Write: true, Align: wordAlign})
	case CycleSample:
		return s.spans([]uint64{4}, Operand{Name: "sample", Addr: args[0], Write: true, Align: 4})
	case Completion:
		return s.spans([]uint64{4}, Operand{Name: "completion", Addr: device.CompletionWord, Write: true, Align: 4})
	}
	return nil, nil
}

// pair is a result and a source of b bytes each.
func (s Spec) pair(args []uint32, b uint64, align uint32) ([]Operand, error) {
	return s.spans([]uint64{b, b},
		Operand{Name: "result", Addr: args[0], Write: true, Align: align},
		Operand{Name: "source", Addr: args[1], Read: true, Align: align})
}

// spans completes operands of one span each with their byte counts.
func (s Spec) spans(bytes []uint64, ops ...Operand) ([]Operand, error) {
	for i, b := range bytes {
		if b == 0 {
			return nil, s.errorf(ErrOperand, "%s is empty", ops[i].Name)
		}
		if b > device.SRAMBytes {
			return nil, s.errorf(ErrAddress, "%s of %d bytes exceeds SRAM", ops[i].Name, b)
		}
		ops[i].RowBytes, ops[i].Rows = uint32(b), 1
	}
	return ops, nil
}

func (s Spec) strided(args []uint32) ([]Operand, error) {
	words, rows, from, to := args[2], args[3], args[4], args[5]
	switch {
	case words == 0 || rows == 0:
		return nil, s.errorf(ErrOperand, "%d words a row, %d rows", words, rows)
	case from%8 != 0 || to%8 != 0:
		return nil, s.errorf(ErrOperand, "strides %d, %d are no multiples of 8", from, to)
	case max(words, rows, from, to) > device.SRAMBytes:
		return nil, s.errorf(ErrAddress, "%d words a row, %d rows, strides %d, %d exceed SRAM", words, rows, from, to)
	case rows > 1 && to < 8*words:
		return nil, s.errorf(ErrOperand, "output stride %d is below the row's %d bytes", to, 8*words)
	}
	if rows == 1 {
		from, to = 0, 0
	}
	return []Operand{
		{Name: "result", Addr: args[0], RowBytes: 8 * words, Rows: rows, Stride: to, Write: true, Align: wordAlign},
		{Name: "source", Addr: args[1], RowBytes: 8 * words, Rows: rows, Stride: from, Read: true, Align: wordAlign},
	}, nil
}

// checkOverlap refuses results that overlap a source. Elementwise kernels load
// before they store, so there the result may be exactly a source (kernels.md
// §6.1): the input of GELU, the initial or any one remote partial of a sum.
func (s Spec) checkOverlap(ops []Operand) error {
	if len(ops) == 0 {
		return nil
	}
	result, inPlace := ops[0], s.Kind == GeluF16 || s.Kind == ReduceF16
	for _, source := range ops[1:] {
		aligned := (result.Addr-source.Addr)%result.RowBytes == 0 && result.Addr >= source.Addr
		if overlap(result, source) && !(inPlace && aligned) {
			return s.errorf(ErrOperand, "result at %#x overlaps %s at %#x", result.Addr, source.Name, source.Addr)
		}
	}
	return nil
}

// overlap reports whether any span of a meets any span of b.
func overlap(a, b Operand) bool {
	if uint64(a.Addr) >= b.end() || uint64(b.Addr) >= a.end() {
		return false
	}
	for i := range a.Rows {
		lo := a.Addr + i*a.Stride
		hi := lo + a.RowBytes
		// First span of b that ends behind lo; it meets if it starts before hi.
		first := uint32(0)
		if b.Addr+b.RowBytes <= lo {
			if b.Stride == 0 {
				continue
			}
			first = (lo-b.Addr-b.RowBytes)/b.Stride + 1
		}
		if first < b.Rows && b.Addr+first*b.Stride < hi {
			return true
		}
	}
	return false
}

// splitBytes is the byte count of 8-byte words given as quotient and remainder
// over the workers.
func splitBytes(div, mod uint32) uint64 {
	return 8 * (device.NumWorkers*uint64(div) + uint64(mod))
}

func (s Spec) errorf(sentinel error, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", sentinel, s.Symbol(), fmt.Sprintf(format, args...))
}
