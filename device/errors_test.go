package device

import "testing"

// Numbers of device.md §4.3.
func TestErrorNames(t *testing.T) {
	for e, want := range map[ETYPE]string{
		0: "none (ETYPE 0)", ExcPatchedBreak1: "patched break 1 (ETYPE 3)",
		ExcMemoryConflict: "memory conflict (ETYPE 6)", ExcExchangeConfig: "exchange configuration (ETYPE 7)",
		ExcAddress: "address (ETYPE 8)", ExcProgramCounter: "program counter (ETYPE 10)",
		ExcInstruction: "instruction (ETYPE 12)", ExcExchange: "exchange error (ETYPE 13)",
		ExcInstructionBreak: "instruction break (ETYPE 15)", 16: "ETYPE 16",
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for e, want := range map[ReceiveError]string{
		RecvFetchClash: "clash with instruction fetch (receive error 2)", RecvWorkers: "workers running (receive error 4)",
		RecvModification: "modification (receive error 7)", 8: "receive error 8",
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
