// Package eval makes test data for a chain of GEMMs and GELUs, evaluates the
// chain on the host and judges a device's output (reference: simulator.md §8,
// kernels.md §13). It knows tensors in logical order only and shares no code
// with the kernels it checks.
//
//	Chain --SeedData, ExactData, ScaledData--> Data --> the device --> got
//	   \                                         |                      |
//	    `----- Reference, ExactReference --------+--> want ---- Check* -+--> Report
//
// Seed test: the reference stack's data and tolerance, meant for the full-size MLP.
// Exact test: small integers on which every order and split of the sums is exact,
// compared bit for bit; it is the test that sees a single lost word. Scaled test:
// weights scaled so that values keep their size over any shape and depth. Data that
// would show nothing is drawn anew.
package eval
