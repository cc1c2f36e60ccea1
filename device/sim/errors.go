package sim

import (
	"errors"
	"fmt"
	"strings"

	"ipusolve/device"
)

// Sentinels of misuse; a program's own faults are of type *Error.
var (
	// ErrPackage reports an application that cannot be loaded.
	ErrPackage = errors.New("sim: package cannot be loaded")
	// ErrBinding reports an unknown binding name or data of a wrong size.
	ErrBinding = errors.New("sim: binding")
)

// Rules named by Error.Rule, beside E1, E2 and R1–R14 of the reference
// (device.md §4.3, exchange.md §5).
const (
	RuleLanes     = "lanes"     // strict mode: sources and words that do not meet
	RuleCounts    = "counts"    // strict mode: words moved differ from the step's metadata
	RuleUnwritten = "unwritten" // strict mode: a read byte that nothing wrote
	RuleFetch     = "fetch"     // control went to something that is no code
	RuleRow       = "row"       // exchange instruction outside a row, or a stream that is not set up
	RuleBarrier   = "barrier"   // sync and sans out of order
	RuleDeadlock  = "deadlock"  // a barrier that not every tile reaches
	RuleKernel    = "kernel"    // operands that the called routine does not allow
	RuleMemory    = "memory"    // load, store or send outside SRAM, misaligned, or a write into code
	RulePointer   = "pointer"   // a word arrived where the pointer cannot store it
	RuleSource    = "source"    // a source that is no tile
	RuleTrap      = "trap"      // patched breakpoint
	RuleBudget    = "budget"    // more cycles than Options.MaxCycles
)

// Error is the first fault of a run: of the tiles that fail in one segment or
// phase, the lowest logical one is reported.
type Error struct {
	// Code is the exception a device would raise, ExcNone for what only the
	// simulator's strict mode sees. Receive refines ExcExchange.
	Code    device.ETYPE
	Receive device.ReceiveError
	Rule    string
	Tile    int // logical
	Phase   int // exchange phase whose row was executed; −1 in a segment
	Step    int // of the tile: its calls and phases, from 0
	// Operation is what the profile plan calls the step, if there is one.
	Operation string
	Event     int64  // on the row's event clock; −1 in a segment
	Cycle     int64  // the tile's clock when the instruction or row started
	PC        uint32 // instruction, or first word of the row
	Address   uint32 // data address, 0 if none is concerned
	Detail    string
	// Listing is the code, or the row around Event, disassembled; the faulting
	// instruction is marked with ">".
	Listing string
}

// Error is one line: place, code, rule, detail.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sim: tile %d (physical %d)", e.Tile, device.Physical(e.Tile))
	if e.Phase >= 0 {
		fmt.Fprintf(&b, " phase %d", e.Phase)
	}
	fmt.Fprintf(&b, " step %d", e.Step)
	if e.Operation != "" {
		fmt.Fprintf(&b, " (%s)", e.Operation)
	}
	if e.Event >= 0 {
		fmt.Fprintf(&b, " event %d", e.Event)
	} else {
		fmt.Fprintf(&b, " cycle %d", e.Cycle)
	}
	fmt.Fprintf(&b, " pc %#x", e.PC)
	if e.Address != 0 {
		fmt.Fprintf(&b, " address %#x", e.Address)
	}
	b.WriteString(": ")
	if e.Code != device.ExcNone {
		b.WriteString(e.Code.String())
		if e.Receive != device.RecvNone {
			fmt.Fprintf(&b, ", %v", e.Receive)
		}
		b.WriteString(", ")
	}
	fmt.Fprintf(&b, "rule %s: %s", e.Rule, e.Detail)
	return b.String()
}

const listingContext = 6 // instructions before and after the marked one

// excerpt cuts a listing to the lines around number mark and marks it.
func excerpt(listing string, mark int) string {
	lines := strings.Split(strings.TrimRight(listing, "\n"), "\n")
	var b strings.Builder
	for i := max(0, mark-listingContext); i < min(len(lines), mark+listingContext+1); i++ {
		prefix := "  "
		if i == mark {
			prefix = "> "
		}
		b.WriteString(prefix + lines[i] + "\n")
	}
	return b.String()
}

// complete fills in the operation and the listing: of the row around the event,
// or of the code around the instruction.
func (t *tile) complete(e *Error) {
	if e.Step < len(t.plan) {
		e.Operation = t.plan[e.Step].Operation
	}
	if e.Event >= 0 && t.row.end > t.row.base {
		words := t.words(t.row.base, t.row.end)
		mark, clock := 0, int64(0)
		for i := 0; i < len(words); mark++ {
			in, used, err := device.Decode(words[i:])
			if err != nil || !in.IsExchange() || clock+int64(in.N) >= e.Event {
				break
			}
			clock += int64(in.N)
			i += used
		}
		e.Listing = excerpt(device.Disassemble(words, t.row.base), mark)
		return
	}
	s := t.executable(e.PC)
	if s == nil {
		return
	}
	pc := e.PC &^ 3
	from := max(s.start, pc-min(pc, 4*listingContext))
	words := t.words(from, min(s.end, pc+4*(listingContext+1)))
	mark := 0
	for i := from; i < pc; mark++ {
		_, used, err := device.Decode(words[(i-from)/4:])
		if err != nil {
			used = 1
		}
		i += 4 * uint32(used)
	}
	e.Listing = excerpt(device.Disassemble(words, from), mark)
}
