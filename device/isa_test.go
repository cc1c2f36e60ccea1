package device

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Vectors of device.md §6.2 and §4.1, exchange.md §2.3.
var vectors = []struct {
	in    Instr
	words []uint32
	text  string
}{
	{SetZI(M8, 0x604), []uint32{0x19800604}, "setzi m8, 0x604"},
	{Put(IncomingMux, M8), []uint32{0x438080a0}, "put 0xa0, m8"},
	{Get(M8, IncomingMux), []uint32{0x410800a0}, "get m8, 0xa0"},
	{BR(M10), []uint32{0x43a00000}, "br m10"},
	{Ld32(M8, M11, M15, 1), []uint32{0x01b8f001}, "ld32 m8, m11, m15, 1"},
	{St32(M2, M11, M15, 0), []uint32{0x4fb2f000}, "st32 m2, m11, m15, 0"},
	{Add(M11, M11, -32), []uint32{0x22bbffe0}, "add m11, m11, -32"},
	{And(M0, M8, 1), []uint32{0x42800001}, "and m0, m8, 1"},
	{Shl(M10, M7, 2), []uint32{0x427aa002}, "shl m10, m7, 2"},
	{Brz(M0, 0x4c100), []uint32{0x13013040}, "brz m0, 0x4c100"},
	{Call(M10, 0x4c100), []uint32{0x18a13040}, "call m10, 0x4c100"},
	{Sync(3), []uint32{0x41800003}, "sync 3"},
	{Sans(1), []uint32{0x40c00001}, "sans 1"},
	{Trap(1), []uint32{0x41801001}, "trap 1"},
	{Nop(), []uint32{0x19e00000}, "nop"},
	{Delay(51), []uint32{0x40a00032}, "delay 51"},
	{Send(2, 82041, 3), []uint32{0x782a03cb}, "send 2, 0x14079, 3"},
	{SendPICP(43, 0x14021, 1, 0, 0x640, 0, 0x15000), []uint32{0xf54a0109, 0x19015000},
		"sendpicp 43, 0x14021, 1, 0 {xsel 0, xpic 0x640, pic 0x15000}"},
	// exchange.md §8.4, the SDK's 4148-word and the paired row
	{SendOff(4084, 0, 1), []uint32{0x766fc001}, "sendoff 4084, 0, 1"},
	{DelayXPIC(1, SelPairSource, 0), []uint32{0x64002000}, "delayxpic 1, 1, 0x0"},
	{DelayPIC(53, SelFormat, 1), []uint32{0x61a40001}, "delaypic 53, 1, 0x1"},
	{SendPIC(12, 0, NeutralSource), []uint32{0x71700640}, "sendpic 12, 0, 0x640"},
	{SendPIC(64, SendSelPIC+SelPointer, 0x1a000), []uint32{0x77f9a000}, "sendpic 64, 2, 0x1a000"},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		words, err := v.in.Encode()
		if err != nil || !slices.Equal(words, v.words) {
			t.Errorf("%s: encodes to %08x, %v; want %08x", v.text, words, err, v.words)
		}
		in, used, err := Decode(append(v.words, 0xffffffff))
		if err != nil || in != v.in || used != len(v.words) || used != in.Words() {
			t.Errorf("%08x: decodes to %+v, %d, %v", v.words, in, used, err)
		}
		if got := v.in.String(); got != v.text {
			t.Errorf("text %q, want %q", got, v.text)
		}
	}
}

func hexWords(t testing.TB, text string) []uint32 {
	t.Helper()
	var words []uint32
	for _, s := range strings.Fields(text) {
		w, err := strconv.ParseUint(s, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, uint32(w))
	}
	return words
}

// rowText summarises a row: its texts, and controls with absolute events.
func rowText(t testing.TB, words []uint32) (texts []string, controls []string, horizon int32) {
	t.Helper()
	for len(words) > 0 {
		in, used, err := Decode(words)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, in.String())
		list, n := in.Controls()
		for _, c := range list[:n] {
			stream := "X"
			if c.PIC {
				stream = "P"
			}
			controls = append(controls, fmt.Sprintf("%s%d@%d=%x", stream, c.Sel, horizon+c.Event, c.Value))
		}
		horizon += in.N
		words = words[used:]
	}
	return texts, controls, horizon
}

// Rows of exchange.md §2.3 and §8.4: the control events (stream and selector @
// event = value in hex), sends and horizon the page states.
func TestWorkedRows(t *testing.T) {
	rows := []struct {
		name, row string
		controls  string
		sends     string
		horizon   int32
	}{
		{"four messages", "64000082 40a00032 f6600000 03014048 f6600000 03095000 f6600000 04016000 f7200000 19017000 43a00000",
			"X0@1=82 X0@53=c0 P0@53=14048 X0@105=c2 P0@105=15000 X0@157=100 P0@157=16000 X0@209=640 P0@209=17000", "", 266},
		{"tile 5", "40a0001f 7fec0001 43a00000", "", "send 64, 0x18000, 1", 96},
		{"tile 100", "64000082 61d9a000 6400c640 40a00040 43a00000", "X0@1=82 P0@61=1a000 X0@65=640", "", 130},
		{"tile 6", "40a0005d 7fec0001 43a00000", "", "send 64, 0x18000, 1", 158},
		{"tile 100 both", "64000082 61d9a000 6400c0c0 640fc640 40a00040 43a00000",
			"X0@1=82 P0@61=1a000 X0@65=c0 X0@129=640", "", 194},
		{"tile 100 apart", "64000082 61d9a000 6400c0c0 61d9a400 6400c640 40a00040 43a00000",
			"X0@1=82 P0@61=1a000 X0@65=c0 P0@125=1a400 X0@129=640", "", 194},
		{"60 words", "64000082 40a0003a f7e00000 1901a000 40a00001 43a00000", "X0@1=82 X0@61=640 P0@61=1a000", "", 126},
		{"60 words and a send", "64000082 40a00022 780c0001 72c00001 f7ec00c1 1901a000 71600001 43a00000",
			"X0@1=82 X0@61=640 P0@61=1a000", "send 1, 0x18000, 1; sendoff 23, 0, 1; sendoff 12, 0, 1", 136},
		{"paired sender", "40a0001e 7fe60005 43a00000", "", "send 64, 0xc000, 5", 95},
		{"partner", "40a0005e 43a00000", "", "", 95},
		{"early member", "64002000 61a40001 6009a000 64022640 61a40000 40a00006 43a00000",
			"X1@1=0 P1@54=1 P0@56=1a000 X1@65=640 P1@118=0", "", 125},
		{"late member", "61ac0001 6009a000 61ec0000 40a00006 43a00000", "P1@54=1 P0@56=1a000 P1@118=0", "", 125},
		{"SDK 3 words, sender", "40a00086 78400001", "", "send 3, 0x0, 1", 138},
		{"SDK 3 words, receiver", "641c0000 64008640 61800000 40a00007", "X0@113=0 X0@116=640 P0@165=0", "", 173},
		{"SDK 52 words, sender", "40a0003e 7e600002", "", "send 52, 0x0, 2", 115},
		{"SDK 52 words, receiver", "641c0000 61d00000 64000640 40a00038", "X0@113=0 P0@172=0 X0@173=640", "", 230},
		{"SDK 65 words, sender", "40a0007d 7fe00002 70000002", "", "send 64, 0x0, 2; sendoff 1, 0, 2", 191},
		{"SDK 65 words, receiver", "641c0000 61980000 64030640 40a00038", "X0@113=0 P0@165=0 X0@178=640", "", 235},
		{"SDK 4148 words, sender", "40a0006c 7fe00001 766fc001", "", "send 64, 0x0, 1; sendoff 4084, 0, 1", 4257},
		{"SDK 4148 words, receiver", "641c0000 61980000 67ffc640 40a00038", "X0@113=0 P0@165=0 X0@4261=640", "", 4318},
	}
	for _, r := range rows {
		texts, controls, horizon := rowText(t, hexWords(t, r.row))
		sends := slices.DeleteFunc(texts, func(s string) bool {
			return !strings.HasPrefix(s, "send ") && !strings.HasPrefix(s, "sendoff ")
		})
		if got := strings.Join(controls, " "); got != r.controls {
			t.Errorf("%s: controls %s, want %s", r.name, got, r.controls)
		}
		if got := strings.Join(sends, "; "); got != r.sends {
			t.Errorf("%s: sends %s, want %s", r.name, got, r.sends)
		}
		if horizon != r.horizon {
			t.Errorf("%s: horizon %d, want %d", r.name, horizon, r.horizon)
		}
	}
}

// Every bit of every listed word is opcode or operand, exactly once, and no
// two rows of the table claim one word, nop inside setzi aside.
func TestTableCoversWords(t *testing.T) {
	for i, f := range formats {
		if f.match&^f.mask != 0 {
			t.Errorf("%s: match %#x outside mask %#x", f.mnemonic, f.match, f.mask)
		}
		cover := [2]uint32{f.mask, 0}
		for _, o := range f.operands {
			if cover[o.word]&o.mask() != 0 {
				t.Errorf("%s: %s overlaps", f.mnemonic, o.name)
			}
			cover[o.word] |= o.mask()
		}
		for w := range f.words {
			if cover[w] != 0xffffffff {
				t.Errorf("%s: word %d covers only %#x", f.mnemonic, w, cover[w])
			}
		}
		for _, g := range formats[i+1:] {
			if both := f.mask & g.mask; f.match&both == g.match&both && f.op != OpNop {
				t.Errorf("%s and %s share words", f.mnemonic, g.mnemonic)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	cases := []struct {
		words []uint32
		want  error
	}{
		{nil, ErrTruncated},
		{[]uint32{0xf54a0109}, ErrTruncated},
		{[]uint32{0}, ErrWord},
		{[]uint32{0x43a00001}, ErrWord},    // br with a stray bit
		{[]uint32{0x43a08100}, ErrWord},    // put with bit 8
		{[]uint32{0x18a80000}, ErrWord},    // call with bit 19
		{[]uint32{0x41800005}, ErrOperand}, // sync 5 is not listed
		{[]uint32{0x41800013}, ErrWord},
		{[]uint32{0x40c00002}, ErrWord},    // sans 2
		{[]uint32{0x40a80000}, ErrWord},    // delay with bit 19
		{[]uint32{0x70102000}, ErrOperand}, // source control with bit 13
		{[]uint32{0x41801002}, ErrWord},    // trap 2
	}
	for _, c := range cases {
		if in, used, err := Decode(c.words); !errors.Is(err, c.want) || used != 0 || in != (Instr{}) {
			t.Errorf("%08x: %v, %d, %v; want %v", c.words, in, used, err, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	cases := []struct {
		in   Instr
		want string
	}{
		{SetZI(M1, 1<<20), "value = 1048576 not in 0..1048575"},
		{SetZI(16, 0), "register = 16 not in 0..15"},
		{SetZI(M14, 0), "is the word of nop"},
		{Put(256, M0), "csr = 256 not in 0..255"},
		{Call(M10, 0x4c102), "address = 0x4c102 not a multiple of 4"},
		{Call(M10, 1<<21), "address = 2097152 not in 0..2097148"},
		{Ld32(M0, M0, M0, 4096), "offset = 4096 not in 0..4095"},
		{Add(M0, M0, 32768), "immediate = 32768 not in -32768..32767"},
		{Sync(2), "selector = 2 is none of [0 1 3 7 15]"},
		{Delay(0), "events = 0 not in 1..524288"},
		{Delay(MaxDelay + 1), "events = 524289 not in 1..524288"},
		{DelayPIC(MaxDelayPIC+1, 0, 0), "events = 129 not in 1..128"},
		{DelayXPIC(MaxDelayXPIC+1, 0, 0), "events = 4097 not in 1..4096"},
		{Send(MaxSend+1, 0, 1), "items = 65 not in 1..64"},
		{Send(1, 1<<18, 1), "address = 262144 not in 0..262143"},
		{Send(1, 1<<40, 1), "not in 0..262143"},
		{Send(1, 0, 8), "ctl = 8 not in 0..7"},
		{SendOff(MaxSendOff+1, 0, 1), "items = 4097 not in 1..4096"},
		{SendOff(1, 2048, 1), "delta = 2048 not in 0..2047"},
		{SendPIC(1, 1, 1<<13), "value = 8192 not in 0..8191"},
		{SendPICP(1, 0, 0, 0, 1<<13, 0, 0), "xpic = 8192 not in 0..8191"},
		{Instr{Op: OpBr, Reg: 10, N: 1}, "does not have"},
		{Instr{}, "operation 0"},
		{Instr{Op: 200}, "operation 200"},
	}
	for _, c := range cases {
		words, err := c.in.Encode()
		if !errors.Is(err, ErrOperand) || !strings.Contains(err.Error(), c.want) || words != nil {
			t.Errorf("%+v: %08x, %v; want %q", c.in, words, err, c.want)
		}
	}
}

// Every legal instruction survives encoding.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(formats).Draw(t, "format")
		in := Instr{Op: f.op}
		for _, o := range f.operands {
			lo, hi := o.bounds()
			v := rapid.Int32Range(lo, hi).Draw(t, o.name)
			switch {
			case o.among != nil:
				v = o.among[int(v)%len(o.among)]
			case o.form == wordAddr:
				v &^= 3
			case f.op == OpSendPIC && o.name == "value" && in.Sel < 2:
				v &= 1<<13 - 1
			case f.op == OpSetZI && in.Reg == M14 && v == 0:
				v = 1
			}
			*o.at(&in) = v
		}
		words, err := in.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if out, used, err := Decode(words); err != nil || out != in || used != len(words) {
			t.Fatalf("%+v: %08x: %+v, %v", in, words, out, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.words[0], v.words[len(v.words)-1])
	}
	f.Fuzz(func(t *testing.T, w, payload uint32) {
		in, used, err := Decode([]uint32{w, payload})
		if err != nil {
			return
		}
		words, err := in.Encode()
		if err != nil {
			t.Fatalf("%08x %08x: %s: %v", w, payload, in, err)
		}
		if want := []uint32{w, payload}[:used]; !slices.Equal(words, want) {
			t.Fatalf("%08x decodes to %s, which encodes to %08x", want, in, words)
		}
	})
}

func TestLoadConst(t *testing.T) {
	for _, v := range []uint32{0, 1, 1<<20 - 1, 1 << 20, 0x12345678, 0xffffffff, 0xfffff000} {
		var got, n uint32
		for _, w := range LoadConst(M3, v) {
			in, _, err := Decode([]uint32{w})
			if err != nil || in.Reg != M3 {
				t.Fatal(in, err)
			}
			switch in.Op {
			case OpSetZI:
				got = uint32(in.Imm)
			case OpShl:
				got <<= in.Imm
			case OpAdd:
				got += uint32(in.Imm)
			}
			n++
		}
		want := uint32(1)
		if v >= 1<<20 {
			want = 3
		}
		if got != v || n != want {
			t.Errorf("%#x: %d words make %#x", v, n, got)
		}
	}
}

func TestDisassemble(t *testing.T) {
	words := hexWords(t, "438080a0 64000082 40a0003a 40a00000 f7e00000 1901a000 43a00000 00000000 f7e00000")
	got := Disassemble(words, 0x5c000)
	want := `5c000  438080a0                            put 0xa0, m8  ; INCOMING_MUX
5c004  64000082                     [0,1)  delayxpic 1, 0, 0x82  ; event 1: source 130
5c008  40a0003a                    [1,60)  delay 59
5c00c  40a00000                   [60,61)  delay 1
5c010  f7e00000 1901a000         [61,125)  sendpicp 64, 0x0, 0, 0 {xsel 0, xpic 0x640, pic 0x1a000}  ; event 62: source neutral, event 62: pointer 0x68000
5c018  43a00000                            br m10  ; horizon 125
5c01c  00000000                            .word  ; not an instruction word: 0x00000000
5c020  f7e00000                            .word  ; instruction truncated: sendpicp 0xf7e00000 without its payload word
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if s := Disassemble(words[4:6], 0x5c004); !strings.Contains(s, "not 8-byte aligned") {
		t.Error(s)
	}
}

func BenchmarkDecode(b *testing.B) {
	words := hexWords(b, "64000082 40a00022 780c0001 72c00001 f7ec00c1 1901a000 71600001 43a00000")
	for b.Loop() {
		for i := 0; i < len(words); {
			_, used, err := Decode(words[i:])
			if err != nil {
				b.Fatal(err)
			}
			i += used
		}
	}
}
