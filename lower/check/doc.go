// Package check validates placed programs. It shares no code with the builder
// and the placement of package lower: it reads only their records, the kernel
// catalogue and the memory map, and recomputes every condition from them.
//
// What it proves: items lie in allowed ranges of their class, aligned, tails in
// SRAM, clear of rows and code; items that are alive together share no byte, and
// operands that an instruction accesses at once share no memory element; every
// call, transfer and shard stays inside items that are alive; identity weights,
// part of the image, are there for every run and nobody writes them. What it leaves to
// the simulator: that every byte that is read was written with the right value.
package check
