// Package heuristic holds the baselines that solved answers are compared with:
// the beam planner of the reference heuristic stack (reference: planspace.md §9)
// and its list scheduler for exchange phases (reference: exchange.md §10), rule by
// rule as they are described there.
//
// The planner goes through the operations in order, extends every state by every
// plan, drops what does not fit memory, and keeps 64 states:
//
//	states ──plans × {complete, sliced}──▶ branches ──memory──▶ expanded
//	   ▲                                                          │
//	   └── 64 by score and diversity ◀── frontiers of equal formats
//
// Branches, scores and memory are priced under profile seed (model/cost,
// model/space). On the reference's log the best scores of all operations and the
// first twelve finalists are the same. Branch counts are the same for the first
// operation of B1; B0 tries one swapped plan more there. Counts of later
// operations differ: which conversions to and from row-major layouts exceed the
// log's exchange rows is not described closely enough to repeat.
//
// The scheduler:
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
//	branch   a state, a plan and a way to stream its operand
//	dead end a state whose result no later operation can read
//	frontier states with the same formats of which none beats another
//	offset   x − ρ: what the placing rule counts in; ρ is the natural start
//	ρ        earliest start of the message on its own; in point form 112 − T
//	rank     place of a message in the sequence that made the incumbent
//	pressure items of all messages that touch a tile
//	wave     a matching of senders and receivers, placed as a block
//
// Schedules keep all rules R1–R14 (exchange/check accepts them); the package
// shares only records, the row encoder and memory order with package exchange.
package heuristic
