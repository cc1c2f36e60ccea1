// Package planning turns a model.Problem into a model.Plan: it enumerates the
// candidates of the plan family, states the choice as an encode.Selection, has
// it solved, and builds and re-prices the plan.
//
//	Problem ──space.Each──▶ candidates ──▶ Selection ──encode.Select──▶ choice
//	                                                                      │
//	Plan ◀──cost.PriceC600 (layouts only)──── space.Chain.Plan ◀──────────┘
//
// One node per GEMM; GELUs run on the edges (in the result's layout, or in
// row-major runs), transposes of swapped results in the nodes; stages that look alike
// share their candidates. The gathering of weights shares the phase of the operand's
// move. Memory is one limit per program event and class (memory.go).
//
// Not every candidate is listed (candidates.go): one that memory cannot hold is left
// out, and one that costs and uses no less than another whose neighbours cannot tell the
// two apart.
//
// Family `seed` has candidates and prices of its own (seed.go): SolveSeed lists what a first
// plan's cost does not rule out, and Recheck what the bound does not. Its memory rules are
// limits as far as they are sums (seed_memory.go); an optimum that still does not fit is ruled
// out by a row.
//
// An Explainer (explain.go) reads a plan back as candidates and solves its problem again
// with one GEMM restricted; Grids ranks the candidates of a single GEMM.
package planning
