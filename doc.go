// Package ipusolve compiles a tensor graph for the Graphcore C600 and proves how
// far the program is from the best one. Compile is a table of passes over the
// records of the packages below:
//
//	Problem ─plan▶ Plan ─shard▶ Program ─reserve▶ MemoryMap ─place▶ addresses
//	        ─schedule▶ Schedules ─encode▶ rows ─check reserve▶ ─emit▶ package
//
// Planner and Scheduler are interfaces: Optimal and List solve and bound their
// problems, others (a heuristic baseline) can take their place. VerifyPackage
// checks the claims of the Report again; it says which of them it checks with code
// of its own, which it computes anew, and which nothing in a package shows.
//
// Glossary: a plan fixes layouts and recipes; a phase is one exchange between
// two barriers; a horizon is the length of a phase's longest row in events; a
// bound is a proven minimum; gap = (best − bound) / best.
package ipusolve
