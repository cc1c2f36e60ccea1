package sim_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"ipusolve/device"
	"ipusolve/device/sim"
	"ipusolve/kernels"
)

// FuzzRun changes words of a small valid package: every run must end, with an
// *Error or without, soon and without a panic. The package has kernels, a loop,
// a 32-bit phase and a paired phase on tiles 0..3. The input is a flag byte
// (lenient) and edits of 7 bytes: tile, word, value.
func FuzzRun(f *testing.F) {
	build := func(tb testing.TB) *builder {
		b := newBuilder(tb, 0, 1, 2, 3)
		for l, p := range b.tiles {
			p.block(sendBase, 128, uint32(l))
			p.call(kernels.Spec{Kind: kernels.Startup})
			p.call(sample, device.StartCycleWord)
			p.call(copy64, 0x6c000, sendBase, 2, 1)
			p.emit(device.SetZI(device.M4, 3))
			loop := p.here()
			p.emit(device.Add(device.M4, device.M4, -1), device.Brz(device.M4, loop+16), device.SetZI(device.M0, loop), device.BR(device.M0))
		}
		b.tiles[0].exchange(0, sendAt(tb, 0, 1, 40, 20, sendBase), 20, 0)
		b.tiles[1].exchange(0, receiveRow(tb, 0, 1, 40, 20, dataBase), 0, 20)
		b.tiles[2].exchange(0, nil, 0, 0)
		b.tiles[3].exchange(0, nil, 0, 0)
		b.tiles[0].exchange(0, []uint32{0x40a0001e, 0x7fe70005, 0x43a00000}, 128, 0)
		b.tiles[1].exchange(0, []uint32{0x40a0005e, 0x43a00000}, 0, 0)
		b.tiles[2].exchange(0, []uint32{0x64002000, 0x61a40001, 0x6009a000, 0x64022640, 0x61a40000, 0x40a00006, 0x43a00000}, 0, 128)
		b.tiles[3].exchange(0, []uint32{0x61ac0001, 0x6009a000, 0x61ec0000, 0x40a00006, 0x43a00000}, 0, 128)
		for _, p := range b.tiles {
			p.call(gelu, 0x6c000, 0x6c000, 32)
			p.call(sample, device.EndCycleWord)
			p.halt()
		}
		return b
	}
	run := func(tb testing.TB, data []byte) error {
		b := build(tb)
		lenient := len(data) > 0 && data[0]&1 != 0
		for i := 1; i+7 <= len(data); i += 7 {
			p := b.tiles[int(data[i]&3)]
			k := int(binary.LittleEndian.Uint16(data[i+1:])) % (len(p.code) + len(p.rows))
			v := binary.LittleEndian.Uint32(data[i+3:])
			if k < len(p.code) {
				p.code[k] = v
			} else {
				p.rows[k-len(p.code)] = v
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_, err := b.machine(sim.Options{Lenient: lenient, MaxCycles: 1 << 16}).Run(ctx)
		return err
	}
	if err := run(f, nil); err != nil {
		fatal(f, err)
	}
	for l := range 4 {
		p := build(f).tiles[l]
		for k := range len(p.code) + len(p.rows) {
			w := append(p.code, p.rows...)[k]
			edit := []byte{byte(l), byte(l), byte(k), byte(k >> 8)}
			f.Add(binary.LittleEndian.AppendUint32(edit, w^1))
			f.Add(binary.LittleEndian.AppendUint32(edit, w^1<<18))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := run(t, data)
		var e *sim.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
	})
}
