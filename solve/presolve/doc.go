// Package presolve makes a model smaller before it is searched, and carries
// answers and proofs back.
//
//	Model ──Reduce──▶ Reduced.Model ──engine──▶ Result
//	  ▲                                           │
//	  └──── Reduced.Assignment, .Certificate ─────┘
//
// Of its own it uses only what the constraints imply: no reduction removes a
// feasible point, so optimal solutions, warm starts and infeasibility carry over both
// ways. Every bound that it tightens comes with a dual vector on the original
// rows that excludes the side cut off, and dual vectors of the smaller model
// are dual vectors of the original one with the same bound: the certificate
// that comes back is checked against the original model alone.
//
// The rules:
//
//   - propagation: the other variables' least activity bounds each variable of a
//     row. In an exactly-one set the least activity counts one member only,
//     which is what removes candidates that no neighbour leaves room for.
//   - redundant rows: the greatest activity, counted the same way, fits.
//   - priced steps, which the caller hands in, cut off what a dual vector shows
//     to be no better than a known solution.
//   - equal rows: rows with proportional entries keep the tighter side.
//   - fixed variables and empty rows disappear.
//
// Glossary: activity = Σ a·x of a row; set = the variables of an exactly-one
// row; residual = what is left of a row's coefficients after multiples of
// exactly-one rows are subtracted.
package presolve
