// Package device describes one Graphcore C600: which tiles it has and where
// they lie, how long a word travels between two of them, what a tile's memory
// looks like, and which instruction words its supervisor executes. It decides
// nothing and simulates nothing; every number in it is from the reference pages
// device.md and exchange.md.
//
// A tile seen from this package:
//
//	     incoming lane (source select)          outgoing lane
//	              │                                   ▲
//	              ▼ pointer                           │ address, ctl
//	┌──────────────────────────────────────────────────────────────┐
//	│ 0x4c000  standard elements, 16 KiB   0x80000  interleaved    │ 0xe8000
//	│          code, rows, data                     pairs, 32 KiB  │
//	└──────────────────────────────────────────────────────────────┘
//	   supervisor: setzi put br call ld32 … sync, exchange rows
//	   workers 0..5: kernels (known by symbol, not by word)
//
// Glossary.
//
//   - Logical tile: number a program uses, 0..1471. Physical tile: number the
//     chip uses. Pair: two tiles that differ in physical bit 1; they share
//     lanes in 64-bit mode.
//   - Row: straight-line exchange instructions of a tile for one phase. Its
//     event clock counts cycles from the barrier; its horizon is the last event.
//   - Item: what one event of a send moves, a word or, paired, 8 bytes.
//   - XPIC: control of the source stream, which lane a tile listens to.
//     PIC: control of the pointer stream, where the next word is stored.
//   - Neutral: the source that carries nothing.
//   - Element: SRAM unit within which simultaneous accesses conflict.
//   - CSR: special register.
//
// Instructions are one table (formats): Decode, Instr.Encode, Instr.String and
// Disassemble are all read from it.
package device
