package device

import "fmt"

// ETYPE is the exception type in bits 7..4 of a context's status word
// (reference: device.md §4.3).
type ETYPE uint8

// Exception types.
const (
	ExcNone            ETYPE = iota
	ExcRetirementBreak       // break after an instruction retired
	ExcPatchedBreak0         // trap 0
	ExcPatchedBreak1         // trap 1
	ExcSyncBreak             // break on sync
	ExcFloatingPoint
	ExcMemoryConflict // two accesses to one memory element
	ExcExchangeConfig // exchange set up in a way the hardware refuses
	ExcAddress        // address outside SRAM or misaligned
	ExcOperand        // operand an instruction does not allow
	ExcProgramCounter // fetch outside executable memory
	ExcDataBreak
	ExcInstruction // no instruction word
	ExcExchange    // receive error, see ReceiveError
	ExcMemory      // memory parity
	ExcInstructionBreak
)

var etypeNames = [...]string{
	"none", "retirement break", "patched break 0", "patched break 1",
	"break on sync", "floating point", "memory conflict", "exchange configuration",
	"address", "operand", "program counter", "data break",
	"instruction", "exchange error", "memory error", "instruction break",
}

// String is the name with its number, e.g. "memory conflict (ETYPE 6)".
func (e ETYPE) String() string {
	if int(e) >= len(etypeNames) {
		return fmt.Sprintf("ETYPE %d", uint8(e))
	}
	return fmt.Sprintf("%s (ETYPE %d)", etypeNames[e], uint8(e))
}

// ReceiveError tells why a receive failed, beside ExcExchange
// (reference: device.md §4.3).
type ReceiveError uint8

// Receive errors.
const (
	RecvNone          ReceiveError = iota
	RecvAccessClash                // with an executing instruction's access
	RecvFetchClash                 // with instruction fetch
	RecvAddress                    // pointer outside SRAM
	RecvWorkers                    // workers running during a row
	RecvDataBreak                  // data breakpoint
	RecvConfiguration              // stream not set up
	RecvModification               // set-up changed while receiving
)

var receiveNames = [...]string{
	"none", "clash with an executing instruction's access", "clash with instruction fetch",
	"address", "workers running", "data break", "configuration", "modification",
}

// String is the name with its number, e.g. "address (receive error 3)".
func (e ReceiveError) String() string {
	if int(e) >= len(receiveNames) {
		return fmt.Sprintf("receive error %d", uint8(e))
	}
	return fmt.Sprintf("%s (receive error %d)", receiveNames[e], uint8(e))
}
