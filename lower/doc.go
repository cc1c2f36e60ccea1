// Package lower turns plans into programs: it decides for every tile what it
// stores, which kernels it calls and what it exchanges with others.
//
//	model.Plan ── Build ──> Program ── Place ──> Program with addresses
//	                          │                     │
//	                          │ Items, Tiles,       └─ Exchange(phase) ──> exchange.Problem
//	                          │ Phases
//	                          └─ Dump, WriteJSON
//
// One tile of a program, event by event:
//
//	0      the host has written inputs (and, before the first run, weights)
//	1      fill padding, copy what is local        (StepMove)
//	2      exchange 0: operands arrive             (all tiles together)
//	3      GEMM call                               (StepGemm)
//	4      exchange 1: partial sums arrive
//	5, 6   reduction, one call per panel run, or one accumulating GEMM call
//	7      GELU in place                           (StepGelu)
//	…
//	end    the host reads outputs
//
// # Glossary
//
//	shard      part of a value that one tile stores (model.Shard)
//	item       one contiguous allocation on one tile; several shards may share one
//	part       box of a value; a part may lie whole on several tiles, or in slices
//	piece      what one destination shard takes from one source shard
//	span       run of storage; element order decides how a box falls into spans
//	retile     move between layouts of one element order, by ascending offsets
//	panel run  contiguous piece of a 16-column panel of a partial sum and a result
//	root       one reduction: an output shard and the partials of one box
//	phase      one exchange between two barriers
//	event      position in a tile's work list; lifetimes count events
//	apart      two items that must not touch a common SRAM element
//	class      tiles, or pairs of tiles, that state the same placement problem
//	body      work that a repeat runs once an iteration
//	carried   item that an iteration leaves to the next one
//	iterated  item with one copy an iteration, at a constant stride
//	pairable   transfer that could move 64 bits an event at suitable addresses
//
// # Rules worth knowing
//
// Lowering reads layouts, and of recipes only which unit sums. A destination shard that its tile already holds is
// an alias. A tile's own slice of a gathered value is copied into the shard that
// gathers it, or lies in it if the plan says so (Item.Inside): then sends read the
// SRAM element that receives write. Sums read the tile's own partial in place and
// write the result in place: nothing is staged; sums on the matrix unit leave the
// result in the partial, or start from a copy where it is not one run of that,
// with identity weights from the image. Padding that a later kernel reads
// is zeroed before anything is written around it. Weights live to the end, so that
// a program can run again. Addresses are solved for (encode.Arena): a program
// places if the search finds a way, and a plan is given up with the step, class,
// bytes and budget that clash.
package lower
