// Package space enumerates the candidates of a plan family: for every GEMM its
// orientation, compute grid, result grid, memory class of the loaded operand and weight
// storage, with closed-form sizes, cycles and interface words, and it builds the plan of
// a choice.
//
// A GEMM streams the rows of one operand past blocks of the other, which the matrix
// unit loads. Of Y = A·B the normal orientation streams A and loads B; the swapped one
// computes Yᵀ = Bᵀ·Aᵀ, so streams B by its columns and loads A by its rows:
//
//	                 streamed rows    inner    loaded columns
//	normal  (N)      rows of A        K        columns of B
//	swapped (S)      columns of B     K        rows of A
//
//	streamed rows ─┬ r parts      inner ⌈K/16⌉ ─┬ k parts      loaded columns ─┬ q parts
//	               └ single rows,               └ blocks of 16                 └ blocks of 16
//	                 swapped: blocks of 16
//
//	compute tile of (streamed part a, loaded part c, inner part i) = c + q·(i + k·a)
//	result: every compute block is cut again in ρ streamed × κ loaded parts, ρ·κ ≤ k,
//	owned by the tiles i = 0 … ρκ−1 of its k contributors
//
// Family `normal` has all grids in the normal orientation; `full` both orientations, and
// gathered weights in several copies. A swapped result lies by columns. Where a GEMM or a
// linear output reads it, its 16×16 panels are transposed first, and then move as any
// others; it is therefore cut at blocks of 16 on both axes, but for a result that stays
// as it lies (Gemm.Fine).
//
//	S→S  gemm · gelu · transpose · move of whole panels      N→S  gemm · gelu · move
//	S→N  gemm · gelu · transpose · move                      N→N  gemm · gelu · move
//
// Partials of several inner parts are added by the reduction kernel or on the
// matrix unit (Gemm.Matrix).
//
// Splits are uneven by single rows and blocks of 16, long parts first, so that
// nothing but the last panel is ever padded. All splits put their largest parts
// on tile 0, which therefore attains every maximum that a closed form states.
package space
