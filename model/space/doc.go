// Package space enumerates the candidates of a plan family: for every GEMM its
// compute grid, result grid, weight memory class and weight storage, with
// closed-form sizes, cycles and interface words, and it builds the plan of a
// choice.
//
// The family `normal` (all grids in normal orientation):
//
//	rows M ─┬ r parts      inner ⌈K/16⌉ ─┬ k parts      cols ⌈N/16⌉ ─┬ q parts
//	        └ single rows                └ blocks of 16              └ blocks of 16
//
//	compute tile of (row part a, column part c, inner part i) = c + q·(i + k·a)
//	result: every compute block is cut again in ρ row × κ column parts, ρ·κ ≤ k,
//	owned by the tiles i = 0 … ρκ−1 of its k contributors
//
// Partials of several inner parts are added by the reduction kernel or on the
// matrix unit (Gemm.Matrix).
//
// Splits are uneven by single rows and blocks of 16, long parts first, so that
// nothing but the last panel is ever padded. All splits put their largest parts
// on tile 0, which therefore attains every maximum that a closed form states.
package space
