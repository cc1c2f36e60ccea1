package device

import (
	"errors"
	"fmt"
	"slices"
)

// Op is the operation of an instruction word.
type Op uint8

// Operations, in the order of device.md §6.2 and exchange.md §2.1.
const (
	OpInvalid Op = iota
	OpSetZI
	OpPut
	OpGet
	OpBr
	OpCall
	OpBrz
	OpLd32
	OpSt32
	OpAdd
	OpAnd
	OpShl
	OpSync
	OpSans
	OpTrap
	OpNop
	OpDelay
	OpDelayPIC
	OpDelayXPIC
	OpSend
	OpSendOff
	OpSendPIC
	OpSendPICP
)

// Instr is one decoded instruction. Operands that Op does not have are zero.
type Instr struct {
	Op Op

	Reg    int32 // register r; destination d of ld32 and of arithmetic; stored register s of st32
	Src    int32 // source register s of add, and, shl
	Base   int32 // base register b of ld32, st32
	Index  int32 // index register x of ld32, st32
	CSR    int32 // special-register index of put, get
	Imm    int32 // immediate: setzi, add (signed), and, shl; offset in words of ld32, st32
	Target int32 // byte address of call, brz
	N      int32 // events of a delay, items of a send; ≥ 1
	Addr   int32 // send, sendpicp: item address (words, or 8-byte items if Ctl bit 2)
	Delta  int32 // sendoff: items added to the running source address
	Ctl    int32 // send, sendoff, sendpicp: bits 0, 1 fabric directions, bit 2 paired items
	Sel    int32 // sync, sans, trap: k; delaypic, delayxpic: sel; sendpic: sel2
	Value  int32 // delaypic, delayxpic, sendpic: control value
	XSel   int32 // sendpicp: 0 source of the own lane, 1 of the paired lane
	XPIC   int32 // sendpicp: source value
	PSel   int32 // sendpicp: 0 pointer, 1 format
	PIC    int32 // sendpicp: pointer (word address) or format value
}

// Sentinels of this file; the wrapped text names word, field and range.
var (
	// ErrWord reports a word that is no listed instruction.
	ErrWord = errors.New("not an instruction word")
	// ErrOperand reports an operand that its field cannot hold.
	ErrOperand = errors.New("operand out of range")
	// ErrTruncated reports a missing word: no word at all, or no payload.
	ErrTruncated = errors.New("instruction truncated")
)

// form is how a field stores its operand.
type form uint8

const (
	plain    form = iota
	lessOne       // operand − 1
	signed        // two's complement
	wordAddr      // operand / 4
	split         // operand − 1: low 6 bits at lo, next 6 bits at 14 (sendoff)
)

const (
	splitLow  = 6
	splitHigh = 14
)

// operand is one field of an instruction.
type operand struct {
	name  string
	at    func(*Instr) *int32
	word  int // 0, or 1 for the payload
	lo    int
	width int // bits; of a split field all 12
	form  form
	among []int32 // the listed values, if not all
}

// bounds is the closed range of the operand's values.
func (o *operand) bounds() (lo, hi int32) {
	n := int32(1) << o.width
	switch o.form {
	case lessOne, split:
		return 1, n
	case signed:
		return -n / 2, n/2 - 1
	case wordAddr:
		return 0, (n - 1) * 4
	}
	return 0, n - 1
}

// mask is the set of bits the field covers in its word.
func (o *operand) mask() uint32 {
	if o.form == split {
		return 63<<o.lo | 63<<splitHigh
	}
	return (1<<o.width - 1) << o.lo
}

// pack places v, which is within bounds.
func (o *operand) pack(v int32) uint32 {
	switch o.form {
	case lessOne:
		v--
	case wordAddr:
		v /= 4
	case split:
		v--
		return uint32(v)%(1<<splitLow)<<o.lo | uint32(v)>>splitLow<<splitHigh
	}
	return uint32(v) << o.lo & o.mask()
}

func (o *operand) unpack(w uint32) int32 {
	v := w & o.mask() >> o.lo
	switch o.form {
	case lessOne:
		return int32(v) + 1
	case signed:
		shift := 32 - o.width
		return int32(v) << shift >> shift
	case wordAddr:
		return int32(v) * 4
	case split:
		return int32(w>>o.lo&63|w>>splitHigh&63<<splitLow) + 1
	}
	return int32(v)
}

func (o *operand) check(v int32) error {
	lo, hi := o.bounds()
	switch {
	case o.among != nil && !slices.Contains(o.among, v):
		return fmt.Errorf("%w: %s = %d is none of %v", ErrOperand, o.name, v, o.among)
	case v < lo || v > hi:
		return fmt.Errorf("%w: %s = %d not in %d..%d", ErrOperand, o.name, v, lo, hi)
	case o.form == wordAddr && v%4 != 0:
		return fmt.Errorf("%w: %s = %#x not a multiple of 4", ErrOperand, o.name, v)
	}
	return nil
}

// format is one row of the instruction table: the words w with w & mask = match.
// Mask and operands together cover every bit, so an unlisted bit is an error.
type format struct {
	op       Op
	mnemonic string
	mask     uint32
	match    uint32
	words    int
	operands []operand // in text order
}

var (
	regAt    = func(in *Instr) *int32 { return &in.Reg }
	srcAt    = func(in *Instr) *int32 { return &in.Src }
	baseAt   = func(in *Instr) *int32 { return &in.Base }
	indexAt  = func(in *Instr) *int32 { return &in.Index }
	csrAt    = func(in *Instr) *int32 { return &in.CSR }
	immAt    = func(in *Instr) *int32 { return &in.Imm }
	targetAt = func(in *Instr) *int32 { return &in.Target }
	nAt      = func(in *Instr) *int32 { return &in.N }
	addrAt   = func(in *Instr) *int32 { return &in.Addr }
	deltaAt  = func(in *Instr) *int32 { return &in.Delta }
	ctlAt    = func(in *Instr) *int32 { return &in.Ctl }
	selAt    = func(in *Instr) *int32 { return &in.Sel }
	valueAt  = func(in *Instr) *int32 { return &in.Value }
	xselAt   = func(in *Instr) *int32 { return &in.XSel }
	xpicAt   = func(in *Instr) *int32 { return &in.XPIC }
	pselAt   = func(in *Instr) *int32 { return &in.PSel }
	picAt    = func(in *Instr) *int32 { return &in.PIC }
)

func reg(name string, at func(*Instr) *int32, lo int) operand {
	return operand{name: name, at: at, lo: lo, width: 4}
}

func bits(name string, at func(*Instr) *int32, lo, width int) operand {
	return operand{name: name, at: at, lo: lo, width: width}
}

func count(name string, lo, width int) operand {
	return operand{name: name, at: nAt, lo: lo, width: width, form: lessOne}
}

func target() operand {
	return operand{name: "address", at: targetAt, width: 19, form: wordAddr}
}

func loadStore(name string) []operand {
	return []operand{reg(name, regAt, 16), reg("base", baseAt, 20), reg("index", indexAt, 12), bits("offset", immAt, 0, 12)}
}

func arithmetic(imm operand) []operand {
	return []operand{reg("destination", regAt, 16), reg("source", srcAt, 20), imm}
}

// The nop word lies inside setzi (register 14, value 0), so it comes first;
// all other rows are disjoint.
// Reference: device.md §6.2, exchange.md §2.1.
var formats = []format{
	{OpNop, "nop", 0xffffffff, 0x19e00000, 1, nil},
	{OpSetZI, "setzi", 0xff000000, 0x19000000, 1, []operand{reg("register", regAt, 20), bits("value", immAt, 0, 20)}},
	{OpPut, "put", 0xff0fff00, 0x43008000, 1, []operand{bits("csr", csrAt, 0, 8), reg("register", regAt, 20)}},
	{OpGet, "get", 0xfff0ff00, 0x41000000, 1, []operand{reg("register", regAt, 16), bits("csr", csrAt, 0, 8)}},
	{OpBr, "br", 0xff0fffff, 0x43000000, 1, []operand{reg("register", regAt, 20)}},
	{OpCall, "call", 0xff080000, 0x18000000, 1, []operand{reg("register", regAt, 20), target()}},
	{OpBrz, "brz", 0xff080000, 0x13000000, 1, []operand{reg("register", regAt, 20), target()}},
	{OpLd32, "ld32", 0xff000000, 0x01000000, 1, loadStore("destination")},
	{OpSt32, "st32", 0xff000000, 0x4f000000, 1, loadStore("source")},
	{OpAdd, "add", 0xff000000, 0x22000000, 1, arithmetic(operand{name: "immediate", at: immAt, width: 16, form: signed})},
	{OpAnd, "and", 0xff00f000, 0x42000000, 1, arithmetic(bits("immediate", immAt, 0, 12))},
	{OpShl, "shl", 0xff00f000, 0x4200a000, 1, arithmetic(bits("immediate", immAt, 0, 12))},
	{OpSync, "sync", 0xfffffff0, 0x41800000, 1, []operand{{name: "selector", at: selAt, width: 4,
		among: []int32{SyncData, SyncLocal, SyncTiles, SyncHost, SyncCommand}}}},
	{OpSans, "sans", 0xfffffffe, 0x40c00000, 1, []operand{bits("selector", selAt, 0, 1)}},
	{OpTrap, "trap", 0xfffffffe, 0x41801000, 1, []operand{bits("selector", selAt, 0, 1)}},
	{OpDelay, "delay", 0xfff80000, 0x40a00000, 1, []operand{count("events", 0, 19)}},
	{OpDelayPIC, "delaypic", 0xfc000000, 0x60000000, 1, []operand{count("events", 19, 7), bits("sel", selAt, 18, 1), bits("value", valueAt, 0, 18)}},
	{OpDelayXPIC, "delayxpic", 0xfc000000, 0x64000000, 1, []operand{count("events", 14, 12), bits("sel", selAt, 13, 1), bits("value", valueAt, 0, 13)}},
	{OpSend, "send", 0xf8000000, 0x78000000, 1, []operand{count("items", 21, 6), bits("address", addrAt, 3, 18), bits("ctl", ctlAt, 0, 3)}},
	{OpSendOff, "sendoff", 0xf8100000, 0x70000000, 1, []operand{
		{name: "items", at: nAt, lo: 21, width: 12, form: split}, bits("delta", deltaAt, 3, 11), bits("ctl", ctlAt, 0, 3)}},
	{OpSendPIC, "sendpic", 0xf8100000, 0x70100000, 1, []operand{count("items", 21, 6), bits("sel2", selAt, 18, 2), bits("value", valueAt, 0, 18)}},
	{OpSendPICP, "sendpicp", 0xf0000000, 0xf0000000, 2, []operand{
		count("items", 21, 6), bits("address", addrAt, 3, 18), bits("ctl", ctlAt, 0, 3), bits("psel", pselAt, 27, 1),
		{name: "xsel", at: xselAt, word: 1, lo: 31, width: 1},
		{name: "xpic", at: xpicAt, word: 1, lo: 18, width: 13},
		{name: "pic", at: picAt, word: 1, width: 18}}},
}

// The table indexed by operation and by the top byte of a word.
var (
	formatOf [OpSendPICP + 1]*format
	byByte   [256][]*format
)

func init() {
	for i := range formats {
		f := &formats[i]
		formatOf[f.op] = f
		for b := range uint32(256) {
			if (b<<24^f.match)&f.mask&0xff000000 == 0 {
				byByte[b] = append(byByte[b], f)
			}
		}
	}
}

// check holds the two rules that a single field's range does not express.
func (in *Instr) check() error {
	if in.Op == OpSendPIC && in.Sel < 2 && in.Value >= 1<<13 {
		return fmt.Errorf("%w: value = %d not in 0..%d for a source control", ErrOperand, in.Value, 1<<13-1)
	}
	if in.Op == OpSetZI && in.Reg == M14 && in.Imm == 0 {
		return fmt.Errorf("%w: setzi m14, 0 is the word of nop", ErrOperand)
	}
	return nil
}

// Decode reads the instruction at the start of words and tells how many words
// it takes: 1, or 2 for sendpicp. It fails with ErrTruncated, ErrWord (no
// listed word, or an unlisted bit set) or ErrOperand (a value the reference
// does not list). The caller checks that a sendpicp lies at a multiple of 8.
func Decode(words []uint32) (in Instr, used int, err error) {
	if len(words) == 0 {
		return Instr{}, 0, fmt.Errorf("device: %w: no word", ErrTruncated)
	}
	w := words[0]
	for _, f := range byByte[w>>24] {
		if w&f.mask != f.match {
			continue
		}
		if len(words) < f.words {
			return Instr{}, 0, fmt.Errorf("device: %w: %s %#08x without its payload word", ErrTruncated, f.mnemonic, w)
		}
		in = Instr{Op: f.op}
		for i := range f.operands {
			o := &f.operands[i]
			v := o.unpack(words[o.word])
			if o.among != nil {
				if err := o.check(v); err != nil {
					return Instr{}, 0, fmt.Errorf("device: %s %#08x: %w", f.mnemonic, w, err)
				}
			}
			*o.at(&in) = v
		}
		if err := in.check(); err != nil {
			return Instr{}, 0, fmt.Errorf("device: %s %#08x: %w", f.mnemonic, w, err)
		}
		return in, f.words, nil
	}
	return Instr{}, 0, fmt.Errorf("device: %w: %#08x", ErrWord, w)
}

// Append encodes the instruction behind dst. The error, an ErrOperand, names
// the field and its range; dst is then returned as it was.
func (in Instr) Append(dst []uint32) ([]uint32, error) {
	if int(in.Op) >= len(formatOf) || formatOf[in.Op] == nil {
		return dst, fmt.Errorf("device: %w: operation %d", ErrOperand, in.Op)
	}
	f := formatOf[in.Op]
	var words [2]uint32
	words[0] = f.match
	rest := in
	for i := range f.operands {
		o := &f.operands[i]
		v := *o.at(&in)
		if err := o.check(v); err != nil {
			return dst, fmt.Errorf("device: %s: %w", f.mnemonic, err)
		}
		words[o.word] |= o.pack(v)
		*o.at(&rest) = 0
	}
	if rest != (Instr{Op: in.Op}) {
		return dst, fmt.Errorf("device: %w: %s does not have an operand that is set", ErrOperand, f.mnemonic)
	}
	if err := in.check(); err != nil {
		return dst, fmt.Errorf("device: %s: %w", f.mnemonic, err)
	}
	return append(dst, words[:f.words]...), nil
}

// Encode is Append to nothing: one word, or two for sendpicp.
func (in Instr) Encode() ([]uint32, error) { return in.Append(nil) }

// Words is the length of the instruction in words.
func (in Instr) Words() int {
	if in.Op == OpSendPICP {
		return 2
	}
	return 1
}
