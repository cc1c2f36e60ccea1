// Package image turns a placed program with its exchange rows into a package:
// what every tile is loaded with and what the host has to know.
//
//	lower.Program ─┐
//	MemoryMap ─────┼─ Emit ─> ipuexe.Application
//	rows ──────────┘            ├ tiles[]       segments, below
//	                            ├ bindings      shards in SRAM, by graph value
//	                            ├ profileTiles  one step a work item
//	                            └ debug…        symbols, areas, items
//
// One tile's image:
//
//	0x4c010  entry stub   setzi m0, start; br m0
//	0x4c018  symbols      filler words of the routines this tile calls
//	         code         start-up, sample, one piece a work item, sample, end
//	         rows         exchange rows in phase order
//	0x58000  state        completion word, cycle samples, worker stacks
//	0x80000… identity     weights of sums on the matrix unit, at their item's address
//
// Where the areas lie is the memory map's choice; they are common to all
// tiles. Everything but symbols is real words (reference: device.md §6, §8). A
// work item becomes
//
//	call       setzi m2, …; …; call m10, symbol
//	exchange   with a row                     without
//	           setzi m8, 0; put 0xa4, m8      setzi m8, 0; put 0xa4, m8
//	           put 0xa7, m15                  put 0xa7, m15
//	           call m7, worker_barrier        sans 0
//	           setzi m8, 1; put 0xa6, m8      sync 1
//	           sync 3; call m10, row          call m10, row (one word, br m10)
//	repeat     setzi m11, frame; setzi m8, count; st32 m8, frame[0]; pointers likewise
//	           body, with ld32 m, frame[k] and add where an item is iterated
//	           frame[k] += stride; frame[0] −= 1; brz out; back to the body
//
// # Glossary
//
//   - Symbol: a kernel or runtime routine; its code is not ours, so its place
//     is filled with a word that is no instruction.
//   - Binding: host bytes of a graph value, shard after shard in storage order,
//     padding and replicas included; model.Pack makes them of a tensor.
//   - Step: one work item in the profile.
package image
