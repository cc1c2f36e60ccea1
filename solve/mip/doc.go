// Package mip answers models by branch and bound on linear relaxations.
//
//	    root ── relaxation ── dual vector, rounded ── exact bound
//	   /    \
//	x ≤ a   x ≥ a+1        or, on an exactly-one row:
//	 ·        ·            these members 0 | the other members 0
//
// In front of the search, package presolve shrinks the model. If what is left is
// a selection (nodes, candidates, pair variables tied by marginal rows), dual
// ascent raises its bound by message passing in integers with priced limits,
// reads choices off the multipliers, and hands what its bound removes to another presolve; the search
// often has nothing left to do, and where a relaxation would not end in time,
// the gap is certified all the same. The root's relaxation then gains cover and
// clique cuts.
//
// The tree is searched in rounds by four workers, each with a relaxation of its
// own; what they find is collected in their order, so that the number of threads
// that run them shows in nothing but the time (rounds.go). An infeasible node
// leaves a no-good behind, bounds that its Farkas vector excludes together, which
// closes other nodes or tightens them, proven anew in each box. While a 0-1 model
// has no incumbent, SAT search looks for one near the relaxation's solution; its
// word for infeasible is a hint only.
//
// Effort is counted in simplex iterations, with the row entries that presolve,
// dual ascent, its local search and no-goods touch as fractions of one
// (solve.Stats.Effort).
//
// Floating point only guides the search. Incumbents are checked against the
// model in exact integers (continuous parts in rationals, from the basis); a
// node is pruned only by a dual vector whose bound, recomputed in integers
// inside the node's box, reaches the incumbent; an infeasible node needs a dual
// vector for the zero objective with positive bound. A node for which neither
// is found is branched on, or, when nothing is left to branch on, stays open
// and is counted in the final bound. The certificate is that tree.
//
// Costs may be lower bounds that rise to exact ones where a solution uses them
// (solve.Options.Lazy): bounds proven before still hold, incumbents are priced
// exactly before they count, and the certificate is for the final costs.
//
// Column problems (solve.ColumnProblem) are solved by column generation on one warm
// linear program. A pricer states the least reduced cost of all columns in exact
// integers for a rational dual vector, and bounds follow from that statement alone.
// Dives that generate the columns which the rest wants, and an integer program
// over all columns found, give assignments.
//
// Glossary: plunging = following one child after the other until a node is
// pruned, then taking the open node of least bound; reduced-cost fixing =
// removing values that would lift the node's bound to the incumbent;
// pseudo-cost = average gain of the bound seen when branching on a variable or
// row; worker = what one thread runs in a round; no-good = bounds that no feasible
// point meets together; dual ascent = raising the bound multiplier by multiplier, without a linear
// program; member = variable of a node's exactly-one row; side row = ≤ row over
// members, such as a memory limit; strong branching = measuring that gain by a few simplex iterations.
package mip
