package device

import (
	"fmt"
	"strings"
)

// String is the assembler text: mnemonic and operands in the order of the
// reference, e.g. "ld32 m8, m11, m15, 1". The payload of sendpicp follows in
// braces.
func (in Instr) String() string {
	if int(in.Op) >= len(formatOf) || formatOf[in.Op] == nil {
		return fmt.Sprintf("invalid operation %d", in.Op)
	}
	f := formatOf[in.Op]
	var b strings.Builder
	b.WriteString(f.mnemonic)
	word := 0
	for i := range f.operands {
		o := &f.operands[i]
		switch {
		case i == 0:
			b.WriteByte(' ')
		case o.word != word:
			b.WriteString(" {")
		default:
			b.WriteString(", ")
		}
		if word = o.word; word == 1 {
			b.WriteString(o.name + " ")
		}
		v := *o.at(&in)
		switch o.name {
		case "register", "destination", "source", "base", "index":
			fmt.Fprintf(&b, "m%d", v)
		case "address", "csr", "value", "xpic", "pic":
			fmt.Fprintf(&b, "%#x", v)
		default:
			fmt.Fprintf(&b, "%d", v)
		}
	}
	if f.words == 2 {
		b.WriteByte('}')
	}
	return b.String()
}

// comment explains what the text form leaves as numbers; clock is the event
// clock at the instruction's start.
func (in Instr) comment(clock int64) string {
	if in.Op == OpPut || in.Op == OpGet {
		return csrName(in.CSR)
	}
	controls, n := in.Controls()
	var parts []string
	for _, c := range controls[:n] {
		what := "source"
		switch {
		case c.PIC && c.Sel == SelPointer:
			what = "pointer"
		case c.PIC:
			what = "format"
		case c.Sel == SelPairSource:
			what = "paired source"
		}
		value := fmt.Sprint(c.Value)
		if c.PIC && c.Sel == SelPointer {
			value = fmt.Sprintf("%#x", 4*c.Value)
		} else if !c.PIC && c.Value == NeutralSource {
			value = "neutral"
		}
		parts = append(parts, fmt.Sprintf("event %d: %s %s", clock+int64(c.Event), what, value))
	}
	return strings.Join(parts, ", ")
}

func csrName(csr int32) string {
	switch csr {
	case IncomingMux:
		return "INCOMING_MUX"
	case IncomingMuxPair:
		return "INCOMING_MUXPAIR"
	case IncomingFormat:
		return "INCOMING_FORMAT"
	case IncomingBase:
		return "INCOMING_BASE"
	case IncomingDCount:
		return "INCOMING_DCOUNT"
	case OutgoingBase:
		return "OUTGOING_BASE"
	}
	if i := csr - WorkerBaseCSR; i >= 0 && i < NumWorkers {
		return fmt.Sprintf("base of worker %d", i)
	}
	return ""
}

// Disassemble lists the words from byte address base, one instruction a line:
// address, words, the events an exchange instruction covers on its row's
// clock, text, remark. The clock is 0 where an exchange instruction follows
// the start or anything else. Words that do not decode are listed as such.
// Pointers are shown as byte addresses.
func Disassemble(words []uint32, base uint32) string {
	var b strings.Builder
	clock := int64(0)
	for i := 0; i < len(words); {
		addr := base + 4*uint32(i)
		in, used, err := Decode(words[i:])
		if err != nil {
			fmt.Fprintf(&b, "%05x  %-17s  %15s  .word  ; %s\n", addr, fmt.Sprintf("%08x", words[i]), "", strings.TrimPrefix(err.Error(), "device: "))
			clock = 0
			i++
			continue
		}
		hex := fmt.Sprintf("%08x", words[i])
		if used == 2 {
			hex += fmt.Sprintf(" %08x", words[i+1])
		}
		window, remark := "", in.comment(clock)
		if in.IsExchange() {
			window = fmt.Sprintf("[%d,%d)", clock, clock+int64(in.N))
			clock += int64(in.N)
		} else {
			if in.Op == OpBr && clock > 0 {
				remark = fmt.Sprintf("horizon %d", clock)
			}
			clock = 0
		}
		if used == 2 && addr%8 != 0 {
			remark += "; not 8-byte aligned"
		}
		if remark != "" {
			remark = "  ; " + remark
		}
		fmt.Fprintf(&b, "%05x  %-17s  %15s  %s%s\n", addr, hex, window, in, remark)
		i += used
	}
	return b.String()
}
