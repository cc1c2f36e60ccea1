// Package cost prices plans in cycles. Every price is a model.Cost, a sum of
// named terms, so that a report can say where the cycles go.
//
//	             ┌ c600  PriceC600   what the simulated machine will take
//	Plan ── of ──┤
//	layouts      └ seed  PriceSeed   what the reference's planner logged
//	Graph ─────── Floor              what no plan takes less than
//
// Profile c600 charges the kernels' own cycle formulas on the busiest tile of
// every step, and for an exchange phase the words or control slots of its
// busiest tile, a tail and the barrier (reference: simulator.md §2). It reads
// layouts alone and never a solver's variables, which makes it the check of
// them.
//
// Profile seed restates the calibrated analytical model of the seed logs
// (reference: costmodel.md §1–§9, planspace.md §10): work of an operation is its
// largest shard, sending is shared by a pair of tiles, every phase costs a global
// synchronisation. It reproduces the logged figures exactly; it prices plans only
// and says nothing about the simulated machine. PriceSeed prices a whole plan;
// the other functions are the formulas, each on small inputs.
//
// Glossary: words is 32-bit words through one tile in one direction; a control
// slot is an event of a tile's exchange clock that a receive or a short send
// takes up; payload is the bytes through the busiest endpoint of a phase; a
// fragment is one piece that an exchange row has to name; a chunk is the unit of
// row memory; routes are transfers with one source and any number of receivers.
package cost
