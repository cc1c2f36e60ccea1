package device

// Tile memory map (reference: device.md §4.1, lowering.md §8.1). Addresses are
// byte addresses; ranges are half open.
const (
	SRAMBase  = 0x4c000
	SRAMEnd   = 0xe8000
	SRAMBytes = SRAMEnd - SRAMBase // 638 976

	EntryStub      = 0x4c010 // first byte the loader fills; execution enters here
	CodeBase       = 0x4c018 // linked runtime and kernels
	WindowBase     = 0x50000 // host exchange window, reserved
	WindowEnd      = 0x58000
	CompletionWord = 0x58000
	StartCycleWord = 0x58004
	EndCycleWord   = 0x58008
	WorkerBase     = 0x580e0 // worker i's stack base is WorkerBase + 0x100*i
	// SupervisorStack is where the supervisor's stack begins; it grows down towards
	// the runtime's words (device.md §6.6 wants frames there and leaves the place open).
	SupervisorStack = 0x580e0
	RuntimeEnd      = 0x586e0 // standard data may start here (simulator.md §7)
	SecondCodeBase  = 0x5c000 // second executable region
	ExecutableEnd   = 0x80000 // instruction fetch only below
	InterleaveBase  = 0x80000
	LoaderEnd       = 0xe7bb0 // last byte the loader can fill, plus one

	StandardElement   = 0x4000 // bytes of a memory element below InterleaveBase
	InterleaveElement = 0x8000 // bytes of an interleaved pair of elements above it

	// FetchGuard is kept free behind the last row word: the supervisor's
	// instruction fetch looks ahead (device.md §4.3 E1).
	FetchGuard = 64

	StandardBytes    = ExecutableEnd - RuntimeEnd // 162 080
	InterleavedBytes = LoaderEnd - InterleaveBase // 424 880
	DataBytes        = StandardBytes + InterleavedBytes
)

// Element numbers the SRAM element of an address: 19..31 for S19..S31, then
// 32.. for I0.. (device.md §4.2). Accesses to one element conflict.
func Element(addr uint32) int {
	if addr < InterleaveBase {
		return int(addr / StandardElement)
	}
	return 32 + int((addr-InterleaveBase)/InterleaveElement)
}

// NumElements bounds the values of Element.
const NumElements = 32 + (SRAMEnd-InterleaveBase)/InterleaveElement

// ElementSet is a set of SRAM elements as a bit mask indexed by Element.
type ElementSet uint64

// Elements is the set that n bytes at addr touch; empty for n = 0.
func Elements(addr, n uint32) ElementSet {
	if n == 0 {
		return 0
	}
	first, last := Element(addr), Element(addr+n-1)
	return ElementSet(1)<<(last+1) - ElementSet(1)<<first
}
