package kernels

import (
	"encoding/binary"
	"fmt"

	"ipusolve/device"
)

// Run performs a call on the SRAM of a tile; mem[0] is address device.SRAMBase
// and mem holds at least device.SRAMBytes. It fails, leaving mem as it was,
// where Operands does. The worker barrier and start-up change nothing in memory;
// neither does a cycle sample here, since the counter is the caller's clock.
func (s Spec) Run(mem []byte, args []uint32) error {
	ops, err := s.Operands(args)
	if err != nil {
		return err
	}
	if len(mem) < device.SRAMBytes {
		return fmt.Errorf("%w: memory of %d bytes, want %d", ErrAddress, len(mem), device.SRAMBytes)
	}
	span := func(i int) []byte {
		at := ops[i].Addr - device.SRAMBase
		return mem[at:][:ops[i].RowBytes]
	}
	switch s.Kind {
	case GemmF16:
		s.gemm(span(0), span(1), span(2))
	case GeluF16:
		applyGelu(span(0), span(1))
	case ReduceF16:
		reduce(span(0), span(1), span(2))
	case Copy64, Copy32:
		copy(span(0), span(1))
	case CopyStrided64:
		for range ops[0].Rows {
			copy(span(0), span(1))
			ops[0].Addr += ops[0].Stride
			ops[1].Addr += ops[1].Stride
		}
	case FillZero:
		clear(span(0))
	case Completion:
		binary.LittleEndian.PutUint32(span(0), 1)
	}
	return nil
}
