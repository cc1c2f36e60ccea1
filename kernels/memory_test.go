package kernels

import (
	"encoding/binary"
	"math/rand/v2"

	"ipusolve/device"
)

// randomMemory is SRAM full of ordinary F16 values, |x| < 2.
func randomMemory(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	mem := make([]byte, device.SRAMBytes)
	for i := 0; i < len(mem); i += 2 {
		binary.LittleEndian.PutUint16(mem[i:], uint16(rng.Uint32())&0xbfff)
	}
	return mem
}

// halfAt reads the F16 bits at a tile address.
func halfAt(mem []byte, addr uint32) uint16 {
	return binary.LittleEndian.Uint16(mem[addr-device.SRAMBase:])
}

// setHalf writes F16 bits at a tile address.
func setHalf(mem []byte, addr uint32, h uint16) {
	binary.LittleEndian.PutUint16(mem[addr-device.SRAMBase:], h)
}
