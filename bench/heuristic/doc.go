// Package heuristic holds the baseline that solved answers are compared with:
// the list scheduler of the reference heuristic stack for exchange phases
// (reference: exchange.md §10), rule by rule as it is described there.
//
//	messages ──list──▶ order ──place──▶ starts        pressure list (§10.2)
//	                     ▲                 │
//	                     └── waves (§10.3) ┤           kept if strictly shorter
//	                     └── repair (§10.4)┘
//
// Its weakness is the placing rule, not the order: a message waits until the last
// word of its receivers' previous message is stored, although only the source
// selector has to be free. So receives follow each other 53 and more events later
// than they could.
//
// # Glossary
//
//	offset   x − ρ: what the placing rule counts in; ρ is the natural start
//	ρ        earliest start of the message on its own; in point form 112 − T
//	rank     place of a message in the sequence that made the incumbent
//	pressure items of all messages that touch a tile
//	wave     a matching of senders and receivers, placed as a block
//
// Schedules keep all rules R1–R14 (exchange/check accepts them); the package
// shares only records, the row encoder and memory order with package exchange.
package heuristic
