package device

import "math"

// Registers m0..m15.
const (
	M0 = iota
	M1
	M2
	M3
	M4
	M5
	M6
	M7
	M8
	M9
	M10
	M11
	M12
	M13
	M14
	M15
)

// Roles of registers in emitted supervisor code (reference: device.md §6.1).
const (
	RegOutput      = M2  // kernel output address, routine argument
	RegInput       = M3  // first of the input addresses and arguments, up to m9
	RegBarrierLink = M7  // return address of the worker-barrier routine
	RegScratch     = M8  // value of a special-register write
	RegPatchLink   = M9  // return address of patch and host routines
	RegLink        = M10 // return address of kernels, cycle sampler, rows
	RegStack       = M11 // supervisor stack pointer, grows down
	RegZero        = M15 // constant zero
)

// Special registers (reference: device.md §6.1).
const (
	IncomingMux     = 0xa0 // selected source
	IncomingMuxPair = 0xa1 // source of the borrowed lane in 64-bit mode
	IncomingFormat  = 0xa3 // 0: 32-bit; else 64-bit mode
	IncomingBase    = 0xa4 // byte address added to every receive pointer
	IncomingDCount  = 0xa6 // receive down-count
	OutgoingBase    = 0xa7 // byte address added to every send address
	WorkerBaseCSR   = 0x21 // worker i's base is in WorkerBaseCSR + i
)

// Sources a tile can listen to besides a physical tile id
// (reference: device.md §6.1, exchange.md §2.1).
const (
	HostSource    = 0x600 // plus p & 0x3d: host mux of tile p
	NeutralSource = 0x640 // nothing
)

// Selectors of sync (reference: device.md §6.2).
const (
	SyncData    = 0  // requested incoming data
	SyncLocal   = 1  // workers, and a pending sans
	SyncTiles   = 3  // barrier of all tiles
	SyncHost    = 7  // barrier with the host side of an operation
	SyncCommand = 15 // entry barrier of a host command
)

// Selectors of sans.
const (
	SansInternal = 0 // barrier of all tiles
	SansExternal = 1 // host barrier
)

// Bits of a send's ctl (reference: exchange.md §2.1).
const (
	CtlDirection1 = 1
	CtlDirection2 = 2
	CtlBoth       = 3
	CtlPaired     = 4 // 64-bit items
)

// Selectors of sendpic (reference: exchange.md §2.1): the values of XPIC's and
// PIC's own selectors, with SendSelPIC added for PIC.
const (
	SelSource     = 0 // XPIC: source of the own lane
	SelPairSource = 1 // XPIC: source of the paired lane
	SelPointer    = 0 // PIC: pointer
	SelFormat     = 1 // PIC: format
	SendSelPIC    = 2
)

// Longest counts of one instruction (reference: exchange.md §2.1).
const (
	MaxDelay     = 1 << 19 // events of delay
	MaxDelayPIC  = 128     // events of delaypic
	MaxDelayXPIC = 4096    // events of delayxpic
	MaxSend      = 64      // items of send, sendpic, sendpicp
	MaxSendOff   = 4096    // items of sendoff
)

// i32 saturates, so that a huge operand stays out of range instead of wrapping.
func i32(v int) int32 { return int32(min(max(v, math.MinInt32), math.MaxInt32)) }

// SetZI sets register r to imm, 0 ≤ imm < 2^20.
func SetZI(r, imm int) Instr { return Instr{Op: OpSetZI, Reg: i32(r), Imm: i32(imm)} }

// Put writes register r to the special register csr.
func Put(csr, r int) Instr { return Instr{Op: OpPut, CSR: i32(csr), Reg: i32(r)} }

// Get reads the special register csr into register r.
func Get(r, csr int) Instr { return Instr{Op: OpGet, Reg: i32(r), CSR: i32(csr)} }

// BR branches to the address in register r.
func BR(r int) Instr { return Instr{Op: OpBr, Reg: i32(r)} }

// Return is br m10: the end of a kernel and of an exchange row.
func Return() Instr { return BR(RegLink) }

// Call branches to the byte address addr; the return address goes to r.
func Call(r, addr int) Instr { return Instr{Op: OpCall, Reg: i32(r), Target: i32(addr)} }

// Brz branches to the byte address addr if register r is zero.
func Brz(r, addr int) Instr { return Instr{Op: OpBrz, Reg: i32(r), Target: i32(addr)} }

// Ld32 loads register d from m_base + m_index + 4·off.
func Ld32(d, base, index, off int) Instr {
	return Instr{Op: OpLd32, Reg: i32(d), Base: i32(base), Index: i32(index), Imm: i32(off)}
}

// St32 stores register s to m_base + m_index + 4·off.
func St32(s, base, index, off int) Instr {
	return Instr{Op: OpSt32, Reg: i32(s), Base: i32(base), Index: i32(index), Imm: i32(off)}
}

// Add sets d to s + imm, imm signed 16 bits.
func Add(d, s, imm int) Instr { return Instr{Op: OpAdd, Reg: i32(d), Src: i32(s), Imm: i32(imm)} }

// And sets d to s & imm, imm 12 bits.
func And(d, s, imm int) Instr { return Instr{Op: OpAnd, Reg: i32(d), Src: i32(s), Imm: i32(imm)} }

// Shl sets d to s << imm.
func Shl(d, s, imm int) Instr { return Instr{Op: OpShl, Reg: i32(d), Src: i32(s), Imm: i32(imm)} }

// Sync waits as the selector k tells: SyncLocal, SyncTiles, ….
func Sync(k int) Instr { return Instr{Op: OpSync, Sel: i32(k)} }

// Sans joins the next barrier without taking part: SansInternal, SansExternal.
func Sans(k int) Instr { return Instr{Op: OpSans, Sel: i32(k)} }

// Trap is patched breakpoint k, 0 or 1.
func Trap(k int) Instr { return Instr{Op: OpTrap, Sel: i32(k)} }

// Nop does nothing for one cycle.
func Nop() Instr { return Instr{Op: OpNop} }

// Delay waits n events, 1..MaxDelay.
func Delay(n int) Instr { return Instr{Op: OpDelay, N: i32(n)} }

// DelayPIC waits n events, 1..MaxDelayPIC, and in the last one sets the
// pointer (sel 0, a word address) or the format (sel 1).
func DelayPIC(n, sel, value int) Instr {
	return Instr{Op: OpDelayPIC, N: i32(n), Sel: i32(sel), Value: i32(value)}
}

// DelayXPIC waits n events, 1..MaxDelayXPIC, and in the last one selects the
// source of the own (sel 0) or the paired (sel 1) lane.
func DelayXPIC(n, sel, value int) Instr {
	return Instr{Op: OpDelayXPIC, N: i32(n), Sel: i32(sel), Value: i32(value)}
}

// Send starts a message: n items, 1..MaxSend, from item address addr.
func Send(n, addr, ctl int) Instr {
	return Instr{Op: OpSend, N: i32(n), Addr: i32(addr), Ctl: i32(ctl)}
}

// SendOff sends n items, 1..MaxSendOff, from delta items behind the running
// source address.
func SendOff(n, delta, ctl int) Instr {
	return Instr{Op: OpSendOff, N: i32(n), Delta: i32(delta), Ctl: i32(ctl)}
}

// SendPIC continues the message with n items, 1..MaxSend, and sets one control
// at the first: sel2 0, 1 = XPIC sel 0, 1; 2, 3 = PIC sel 0, 1.
func SendPIC(n, sel2, value int) Instr {
	return Instr{Op: OpSendPIC, N: i32(n), Sel: i32(sel2), Value: i32(value)}
}

// SendPICP sends n items, 1..MaxSend, from the absolute item address addr (or
// waits n events if ctl is 0) and sets both controls at the first.
func SendPICP(n, addr, ctl, xsel, xpic, psel, pic int) Instr {
	return Instr{Op: OpSendPICP, N: i32(n), Addr: i32(addr), Ctl: i32(ctl),
		XSel: i32(xsel), XPIC: i32(xpic), PSel: i32(psel), PIC: i32(pic)}
}

// LoadConst is the words that set register r to v: one below 2^20, else three
// (reference: device.md §6.2). It panics if r is no register.
func LoadConst(r int, v uint32) []uint32 {
	seq := []Instr{SetZI(r, int(v))}
	if v >= 1<<20 {
		seq = []Instr{SetZI(r, int(v>>12)), Shl(r, r, 12), Add(r, r, int(v&0xfff))}
	}
	var words []uint32
	for _, in := range seq {
		var err error
		if words, err = in.Append(words); err != nil {
			panic(err)
		}
	}
	return words
}

// Control is a write to one of a tile's receive streams.
type Control struct {
	PIC   bool  // pointer stream; else source stream (XPIC)
	Sel   int32 // SelSource, SelPairSource; SelPointer, SelFormat
	Value int32
	Event int32 // events from the instruction's start to the one it takes effect at; ≥ 1
}

// Controls lists the controls of an exchange instruction, source before pointer;
// n tells how many of them are used (reference: exchange.md §2.2).
func (in Instr) Controls() (c [2]Control, n int) {
	switch in.Op {
	case OpDelayPIC, OpDelayXPIC:
		return [2]Control{{in.Op == OpDelayPIC, in.Sel, in.Value, in.N}}, 1
	case OpSendPIC:
		return [2]Control{{in.Sel >= SendSelPIC, in.Sel % SendSelPIC, in.Value, 1}}, 1
	case OpSendPICP:
		return [2]Control{{false, in.XSel, in.XPIC, 1}, {true, in.PSel, in.PIC, 1}}, 2
	}
	return c, 0
}

// IsExchange tells whether the instruction runs on a row's event clock; it then
// consumes N events.
func (in Instr) IsExchange() bool { return in.Op >= OpDelay }
