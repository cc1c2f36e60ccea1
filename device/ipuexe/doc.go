// Package ipuexe reads and writes .ipuexe application packages: everything one
// C600 and its host need to run a compiled program, in one Cap'n Proto file.
//
//	segment table │ Application
//	              │  ├─ digest            SHA-256 of the file
//	              │  ├─ tiles[]           image: segments of one tile's SRAM
//	              │  ├─ inputs[] outputs[] weights[]
//	              │  │                    binding: host bytes → tile slices
//	              │  ├─ hostExchange      pages and calls of the host protocol
//	              │  ├─ profileTiles[]    what each step of a tile does
//	              │  ├─ debugSymbols[]    addresses of kernels and routines
//	              │  └─ graph, plan, report as JSON text
//
// The records of this package are plain Go values with the field names of the
// schema (reference: kernels.md §10, simulator.md §6). Write and Read are
// inverse, equal records give equal bytes, and both refuse a package that
// breaks a rule of the reference, naming the field. Read accepts any bytes: a
// file that was cut, extended or changed anywhere fails its digest, and one
// made up to have a right digest fails validation or is a valid package.
//
// The schema and the generated code are in internal/wire; `go generate ./...`
// there rebuilds the code after a change of the schema (it needs Debian's
// capnproto package).
//
// Glossary.
//
//   - Image: the bytes a tile is loaded with, as segments.
//   - Binding: where the elements of an input, output or weight lie.
//   - Slice: one contiguous piece of a binding on one tile.
//   - Frame, segment table: Cap'n Proto's list of segment sizes before the
//     message; its segments are unrelated to those of an image.
package ipuexe
