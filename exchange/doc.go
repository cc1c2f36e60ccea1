// Package exchange schedules the data movement of one exchange phase: which
// cycle every message leaves at, how close that is to a proven lower bound, and
// the instruction row each tile executes.
//
// # Model
//
// The fabric has no contention and no handshakes. A tile sends on its own lane,
// receivers select a lane at the right event, and everything is timed
// statically (reference: exchange.md §1):
//
//	sender s    |x ......... x+n|                    n words leave
//	receiver d        |σ ......... σ+n|              the lane of s is selected
//	                          |π ......... π+n| +5   the words are stored
//
//	σ = x + 1 + κ     κ = T(s,d), constant per pair, may be negative
//	π = σ + L         L = 52 + 2·row of d
//
// So a message occupies its sender and all its receivers for n events each, at
// fixed offsets: a job shop of multi-resource operations with lags. What a
// schedule has to respect are the rules R1–R14 of exchange.md §5.
//
// # Glossary
//
//	event     one cycle of a tile's own exchange clock
//	item      one word of a 32-bit message, two of a paired 64-bit message
//	select    source control (XPIC) at σ; neutral: the one at σ+n
//	pointer   pointer control (PIC) at π; omitted when a receive continues the
//	          address run of the one before it (R8)
//	cutover   a select at the event of another receive's neutral replaces it (R6)
//	head      earliest event at which a message can occupy a machine
//	tail      events that must still elapse in some row after it left the machine
//	train     messages of one sender to the same receivers, all of one length:
//	          interchangeable, and never waiting for each other
//	machine   the send lane or the source selector of a tile
//	horizon   length of a tile's row in events; of a phase: the largest one
//
// # Parts
//
// Problem is a phase, Snapshot its JSON form, Message.Lag and Message.Receive
// the timing of one message, Best the lower bounds with witnesses, List the
// scheduler, ListWidths the same with the width of messages as a decision.
package exchange
