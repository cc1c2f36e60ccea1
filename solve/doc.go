// Package solve holds the records that every decision problem of the compiler
// is written in, and the interface of the engines that answer it. It knows
// neither tiles nor tensors, and it contains no search: the engines are
// solve/lp, solve/mip and their siblings, and solve/cert checks their claims.
//
//	encode ──Model──▶ Solver ──Result──▶ encode
//	                    │
//	                    └─Certificate──▶ solve/cert ──Verdict
//
// Glossary:
//
//   - row: a linear constraint Σ a·x (≤, =, ≥) b with integer data.
//   - box: the finite bounds lower ≤ x ≤ upper of all variables.
//   - incumbent: the best assignment known; always checked in exact arithmetic.
//   - bound: a number that no feasible objective is below.
//   - gap: (best − bound) / best.
//   - column problem: a model most of whose variables are not written down; pricer:
//     who finds those that matter; reduced cost: a cost less what the multipliers
//     pay for the entries.
//   - dual vector: one multiplier y per row, ≥ 0 for ≥ rows and ≤ 0 for ≤ rows.
//     For any such y, y·b + Σ_j min(r_j·lower_j, r_j·upper_j) with the reduced
//     costs r = c − yA is a bound, because the box is finite. Certificates are
//     built from this one fact.
//
// All data is integer and bounded so that the activity of every row, and the
// objective, fit in an int64 for every point of the box.
package solve
