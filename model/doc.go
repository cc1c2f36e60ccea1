// Package model holds the records that planning decides on and lowering expands:
// the graph, the problem, layouts, shards and the plan. It imports no solver.
//
//	Graph ──┐
//	        ├─ Problem ── (planning) ──▶ Plan ── (lowering) ──▶ program
//	choices ┘                            │
//	                                     ├─ PlanValue: a graph value in one Layout
//	                                     └─ Step: move, gemm or gelu, with its Cost
//
//	Layout = Order + MemoryClass + axis tilings + replicas + slices + TileMap
//	             │                     │
//	             │                     └─ which rows and columns shard index t holds
//	             └─ where in the shard's storage an element lies
//
// Subpackages: cost prices plans, workload builds named graphs.
//
// # Glossary
//
//   - value: a tensor of the graph, seen as a matrix: all axes but the last are
//     folded into rows.
//   - part: a box of a value that an axis split makes (planspace.md §4.1).
//   - shard: what one tile stores of a value. Shard index t becomes logical tile
//     Layout.Map(t).
//   - logical, physical: an Extent's elements, and those with the padding that is
//     stored behind them. Padding only lies behind the value.
//   - replica: one of d shards that hold the same part.
//   - slice: a run of a part's storage. A layout with as many slices as replicas
//     stores every element once, spread over the tiles that will need the part.
//   - micro width: elements of the contracted axis in one 32-byte row of the
//     matrix unit, 16 for f16.
//   - panel: 16 columns of a shard in one of the blocked orders.
//   - linear: elements in row-major order dealt to tiles in grains.
//   - compute grid (r, q, k): row, column and inner parts of a GEMM's operands;
//     result grid (R, Q): row and column parts of its result.
//   - partial: what one tile's kernel call gives for one inner part.
//   - phase: one exchange between all tiles, with its barrier.
//   - profile: the formulas a plan is priced with.
package model
