// Package suite holds the benchmarks of the compiler's stages on the full-size
// SigLIP MLP, each on the record that the stage before it makes:
//
//	Planning        problem → plan, proof included
//	Lowering        plan → placed program
//	SchedulePhase2  the first seed's retile, 195 361 messages → schedule
//	Encoding        that schedule → rows
//	SimulatorRun    package → outputs
//
// make bench runs them. Packages have benchmarks of their parts beside their
// tests.
package suite
