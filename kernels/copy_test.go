package kernels

import (
	"bytes"
	"encoding/binary"
	"testing"

	"ipusolve/device"
)

// TestMoves compares the whole SRAM with a byte-wise expectation, so that a copy
// or fill that touches anything else fails.
func TestMoves(t *testing.T) {
	const to, from = 0x60000, 0x84010
	for _, c := range []struct {
		name string
		spec Spec
		args []uint32
		// rows of n bytes, with their distances at source and output
		rows, n, fromStride, toStride uint32
		zero                          bool
	}{
		{"64 smallest", Spec{Kind: Copy64}, []uint32{to, from, 1, 0}, 1, 48, 0, 0, false},
		{"64 with remainder", Spec{Kind: Copy64}, []uint32{to, from, 170, 4}, 1, 8192, 0, 0, false},
		{"32", Spec{Kind: Copy32}, []uint32{to, from, 11}, 1, 44, 0, 0, false},
		{"strided", Spec{Kind: CopyStrided64}, []uint32{to, from, 4, 16, 64, 40}, 16, 32, 64, 40, false},
		{"strided gather of one row", Spec{Kind: CopyStrided64}, []uint32{to, from, 1, 5, 0, 8}, 5, 8, 0, 8, false},
		{"strided, rows interleaved", Spec{Kind: CopyStrided64}, []uint32{from + 16, from, 2, 9, 32, 32}, 9, 16, 32, 32, false},
		{"strided, one row", Spec{Kind: CopyStrided64}, []uint32{to, from, 3, 1, 0, 0}, 1, 24, 0, 0, false},
		{"fill", Spec{Kind: FillZero}, []uint32{to, 3, 5}, 1, 184, 0, 0, true},
		{"fill one word", Spec{Kind: FillZero}, []uint32{to, 0, 1}, 1, 8, 0, 0, true},
	} {
		mem := randomMemory(5)
		want := bytes.Clone(mem)
		for r := range c.rows {
			d := want[c.args[0]-device.SRAMBase+r*c.toStride:][:c.n]
			if c.zero {
				clear(d)
			} else {
				copy(d, mem[c.args[1]-device.SRAMBase+r*c.fromStride:][:c.n])
			}
		}
		if err := c.spec.Run(mem, c.args); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !bytes.Equal(mem, want) {
			t.Errorf("%s: wrong bytes", c.name)
		}
	}
}

// TestRuntimeRoutines: completion stores 1; the others leave memory alone.
func TestRuntimeRoutines(t *testing.T) {
	mem := randomMemory(6)
	want := bytes.Clone(mem)
	for _, k := range []Kind{WorkerBarrier, Startup} {
		if err := (Spec{Kind: k}).Run(mem, nil); err != nil {
			t.Error(err)
		}
	}
	if err := (Spec{Kind: CycleSample}).Run(mem, []uint32{device.StartCycleWord}); err != nil {
		t.Error(err)
	}
	if err := (Spec{Kind: Completion}).Run(mem, nil); err != nil {
		t.Error(err)
	}
	binary.LittleEndian.PutUint32(want[device.CompletionWord-device.SRAMBase:], 1)
	if !bytes.Equal(mem, want) {
		t.Error("wrong bytes")
	}
}
