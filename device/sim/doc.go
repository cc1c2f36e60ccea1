// Package sim executes a package on simulated tiles, cycle by cycle where a
// cycle can matter: supervisor words are decoded and executed one by one,
// exchange rows run on their event clocks, and data moves through the selected
// source and the receive pointer and nothing else. A wrong schedule shows as an
// Error or as wrong data, never as silence.
//
// The package reads only device (instruction table, topology, routes), ipuexe
// (records) and kernels (what a symbol does). It knows no plan, no schedule and
// no emitter.
//
// # A run
//
//	         ┌──────── segment ────────┐ barrier ┌──── rows ────┐┌─ segment ─ …
//	tile 0   ■■■■■■■■■■■■■■■ sync 3 ····|········|▤▤▤▤▤▤▤▤▤▤▤▤|■■■■■
//	tile 1   ■■■■■■■■■■■■■■■■■■■■ sync 3|········|▤▤▤▤▤|■■■■■■■■
//	tile 2   ■■■ sans 0, sync 1 ········|········|■■■■■■■■■
//	                                    ^ latest  ^ release = latest arrival + 600
//
// Between two barriers tiles do not meet, so they run in parallel, each to its
// next barrier. The words at a barrier are then treated for all tiles at once:
//
//	decode   row → streams (what leaves when) and controls (what is listened to)
//	match    per receiver: source windows × the senders' streams, shifted by the
//	         route delay, cut by pointer writes → pieces
//	check    lanes, counts, E1, E2, addresses, row length
//	deliver  copy the pieces
//
// all by intervals of events, never word by word. A tile goes on at release +
// horizon of its row; call and return of the row are part of that.
//
// # Glossary
//
//   - Segment: what tiles do between two barriers.
//   - Phase: a barrier behind which a row is called. Phases count from 0.
//   - Stream: consecutive words one tile sends; message: a stream from the
//     instruction that starts it on.
//   - Window: events during which one source is selected.
//   - Arrival: the event a word passes the receive pointer.
//   - Piece: words of one message that arrive one after another and are stored
//     one after another.
//   - Step: the calls and phases of a tile, counted from 0, as in its profile
//     plan; the worker barrier, samples, start-up and completion are none.
//
// Strict mode and timing: reference simulator.md.
package sim
