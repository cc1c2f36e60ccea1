// Package check verifies exchange rows and schedules on its own: it decodes the
// rows word by word, executes their events and compares them with what the
// problem demands (reference: exchange.md §5, §9). It shares no code with the
// scheduler, the stream derivation or the encoder; only the records of package
// exchange, and the instruction, route and memory tables of package device.
//
//	rows ──decode──> sends, controls, events of each tile
//	                   │
//	problem ──match──> start of each message (from the sender's row)
//	                   │
//	         expected controls = found controls?   rules R1–R14, memory order
//
// # Why no replay is needed
//
// When the control sets agree, each receiver stores exactly the words of its
// messages at their addresses at [π, π+n). What memory then holds depends only on
// the order of accesses to common bytes, and R9 fixes it for every byte range
// separately: a read sees the write that precedes it in program order, and the
// last write is the last in program order. So the result is that of executing
// the messages in program order. The tests replay rows on real memory too.
//
// # Glossary
//
//	start     cycle x at which the send instruction of a message begins
//	select    source control of a receive, at σ = x + 1 + T
//	heard     a receive as a row shows it: source, select event, length, address
//	role      the part a tile plays in a message: sender, receiver, or partner
//	          of a paired sender
package check
