// Package kernels is the catalogue of tile kernels and runtime routines: for
// each its symbol, code size, arguments, operand rules, cycles and exact
// result. Lowering places operands by these rules and emits calls to these
// symbols; the simulator charges these cycles and performs these results; the
// planner prices with the same formulas.
//
// A kernel's machine code is not part of an image (its bytes are filler); what
// the hardware would do is this package.
//
//	Spec{GemmF16, K: 240, C: 32, R: 366, Interleaved, Accumulate}
//	  |  compile-time parameters: one linked symbol
//	  +-- Symbol    gemm_f16_interleaved_k240_c32_r366_accumulate
//	  +-- CodeBytes 280 + 372
//	  |
//	  |  + args = register values m2, m3, ... of one call
//	  +-- Cycles    294 + 15*2*(24*61 + 235)
//	  +-- Operands  Y 32 B aligned, interleaved, not in A's elements; A; W
//	  +-- Run       reads and writes SRAM bytes
//
// Glossary. R, C, K: rows, columns and inner extent of one GEMM call. Y, A, W:
// its result, left and right operand. Panel: 16 columns of all rows, 32 bytes
// a row. Left-panel order (AMP-left): panels one after another. Group: 16
// consecutive inner indices; a GEMM rounds its sum to F16 once per group.
// Element: unit of SRAM within which simultaneous accesses conflict.
// Tail: bytes behind an operand that a kernel loads and discards.
package kernels
