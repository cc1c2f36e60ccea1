// Package workload builds the graphs that are named on the command line.
//
//	siglip-mlp   x·w1 → GELU → ·w2, as often as there are blocks
//
// Glossary: tokens are the rows of one batch entry; dim is the width of the
// model, hidden that between the two GEMMs of a block.
package workload
