// Package lp solves linear programs with CLP. It answers in floating point and
// claims nothing: whoever needs a bound derives it again in exact arithmetic
// from the dual vector (solve/mip does).
//
// Two doors lead to the same library:
//
//   - Simplex, a thin layer on CLP's C interface, keeps the factorised problem
//     between solves: bounds and costs change, rows and columns come and go, and
//     the next solve continues from the last basis: by the dual simplex after
//     changes of bounds and new rows (branch and bound lives on it), by the primal
//     one after changes of costs and new columns (column generation does).
//   - Cold, on github.com/lanl/clp, loads a problem, runs the primal simplex
//     once and forgets it. It is the second opinion when a warm solve fails
//     numerically, and the yardstick in tests and benchmarks.
//
// Both check the problem first: CLP aborts the process on NaN and on costs
// from 1e25, and misreads bounds beyond 1e27.
//
// Signs, for a minimisation: Dual[i] is the change of the objective per unit of
// right-hand side, ≥ 0 at an active lower row bound and ≤ 0 at an active upper
// one; Reduced = Cost − Dualᵀ·A.
package lp
