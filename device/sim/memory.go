package sim

import (
	"encoding/binary"
	"math/bits"

	"ipusolve/device"
)

// span is the half-open address range [start, end).
type span struct{ start, end uint32 }

// inSRAM tells whether n bytes at addr lie in SRAM.
func inSRAM(addr uint32, n uint64) bool {
	return addr >= device.SRAMBase && uint64(addr)+n <= device.SRAMEnd
}

// unit is the granularity, in bytes, of what counts as written: no access of
// the machine is smaller than an F16.
const unit = 2

// written is a bit map of the written units of SRAM.
type written [(device.SRAMBytes/unit + 63) / 64]uint64

// units are the first and last unit of n > 0 bytes at addr.
func units(addr, n uint32) (first, last uint32) {
	addr -= device.SRAMBase
	return addr / unit, (addr + n - 1) / unit
}

// masks are the bits of the first and the last map word of units first..last.
func masks(first, last uint32) (low, high uint64) {
	return ^uint64(0) << (first % 64), ^uint64(0) >> (63 - last%64)
}

// set marks n bytes at addr, which lie in SRAM.
func (w *written) set(addr, n uint32) {
	if n == 0 {
		return
	}
	first, last := units(addr, n)
	low, high := masks(first, last)
	i, j := first/64, last/64
	if i == j {
		w[i] |= low & high
		return
	}
	w[i] |= low
	for i++; i < j; i++ {
		w[i] = ^uint64(0)
	}
	w[j] |= high
}

// missing counts the bytes of [addr, addr+n) not marked and gives the first
// one's address.
func (w *written) missing(addr, n uint32) (count, at uint32) {
	if n == 0 {
		return 0, 0
	}
	first, last := units(addr, n)
	low, high := masks(first, last)
	for i := first / 64; i <= last/64; i++ {
		gap := ^w[i] & low
		low = ^uint64(0)
		if i == last/64 {
			gap &= high
		}
		if gap == 0 {
			continue
		}
		if count == 0 {
			at = device.SRAMBase + unit*(i*64+uint32(bits.TrailingZeros64(gap)))
		}
		count += unit * uint32(bits.OnesCount64(gap))
	}
	return count, at
}

// bytes is the memory of n bytes at addr, which lie in SRAM.
func (t *tile) bytes(addr, n uint32) []byte {
	return t.mem[addr-device.SRAMBase:][:n]
}

func (t *tile) load32(addr uint32) uint32 { return binary.LittleEndian.Uint32(t.bytes(addr, 4)) }

func (t *tile) store32(addr, v uint32) {
	binary.LittleEndian.PutUint32(t.bytes(addr, 4), v)
	t.written.set(addr, 4)
}

// words are the words of [start, end), which lie in SRAM.
func (t *tile) words(start, end uint32) []uint32 {
	w := make([]uint32, 0, (end-start)/4)
	for a := start; a+4 <= end; a += 4 {
		w = append(w, t.load32(a))
	}
	return w
}

// executable is the executable segment that holds the whole word at addr.
func (t *tile) executable(addr uint32) *span {
	if s := t.lastCode; s != nil && addr >= s.start && addr+4 <= s.end && addr+4 > addr {
		return s
	}
	for i := range t.code {
		if s := &t.code[i]; addr >= s.start && uint64(addr)+4 <= uint64(s.end) {
			t.lastCode = s
			return s
		}
	}
	return nil
}

// protects tells whether n bytes at addr touch code that may not be written.
func (t *tile) protects(addr, n uint32) bool {
	for _, s := range t.readOnly {
		if addr < s.end && addr+n > s.start && n > 0 {
			return true
		}
	}
	return false
}
