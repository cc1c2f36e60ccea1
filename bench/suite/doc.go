// Package suite holds what the compiler is measured on.
//
// Exchange lists families of exchange phases with fixed generators, seeds and
// addresses; Run schedules one and checks the outcome. `ipusolve bench exchange`
// prints them all (docs/studies.md).
//
//	family ──Problems──▶ phases ──scheduler──▶ rows ──verify──▶ Result
//
// The benchmarks are those of the compiler's stages on the full-size SigLIP MLP,
// each on the record that the stage before it makes:
//
//	Planning                problem → plan, proof included
//	Lowering                plan → placed program
//	SchedulePhase1          the first seed's partial sums, 12 105 messages → schedule
//	SchedulePhase2          its retile, 195 361 messages → schedule
//	SchedulePhase2Baseline  the same by the reference's list scheduler
//	Encoding                the schedule of phase 2 → rows
//	SimulatorRun            package → outputs
//
// make bench runs them. Packages have benchmarks of their parts beside their
// tests.
package suite
