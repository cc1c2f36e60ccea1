// Package auto answers problems as files state them. It adds to an engine what a
// solve.Model leaves out: the sense and scale of the file's objective, and bounds
// that the file does not have.
//
//	format.Problem ──Model──▶ solve.Solver ──Result, Certificate──▶ Answer
//	       │                                        │
//	       └──────Ray: does the objective fall for ever?
//	                       Leans: does the proof use an assumed bound?
//	                       clear: can anything lie beyond one?
//
// Solver chooses between branch and bound and SAT search. An answer never claims more than
// holds without the assumed bounds.
package auto
