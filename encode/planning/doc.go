// Package planning turns a model.Problem into a model.Plan: it enumerates the
// candidates of the plan family, states the choice as an encode.Selection, has
// it solved, and builds and re-prices the plan.
//
//	Problem ──space.Each──▶ candidates ──▶ Selection ──encode.Select──▶ choice
//	                                                                      │
//	Plan ◀──cost.PriceC600 (layouts only)──── space.Chain.Plan ◀──────────┘
//
// One node per GEMM; GELUs run on the edges (in the result's layout, or in
// row-major runs); stages that look alike share their candidates. The gathering of weights shares the phase of the operand's
// move. Memory is one limit per program event and class (memory.go).
package planning
