// Package sat decides Boolean formulas. The search is gini's; this package adds
// what a user of a SAT solver needs around it: answers that a context can cut
// off, encodings of arithmetic, cores, and bound tightening.
//
//	Formula ──clauses──▶ gini ──Answer──▶ Value, Core
//	   ▲
//	   └─ AtMostOne, AtMost, Linear, Int, Difference …
//
// gini is reached only through Formula, which keeps clear of its traps: Try
// leaves a deadline behind that stops later calls (it is never used); Value
// panics on variables that occur nowhere (models are copied, over all
// variables made); clauses added after an unconditional "unsatisfiable" lose
// the conflict (such a formula is closed and never searched again); Why is not
// minimal (MinimalCore is).
//
// gini writes no proof. What it says of unsatisfiability is therefore believed,
// not checked, and Solver, the engine for 0-1 models, never turns it into a
// bound or a status of a solve.Result. Refute looks for a proof on its own, by
// clause learning over the linear rows, that solve/cert checks.
//
// Glossary:
//
//   - literal: a variable or its negation, written ±variable as in DIMACS.
//   - assumption: a literal taken as true for one call of Solve.
//   - core: assumptions that cannot all be true.
//   - guard: a literal whose truth switches constraints on; with a name, a group.
//   - order encoding: an integer x as the literals x ≤ v, one for each v.
package sat
