// Package format reads and writes models in the file formats of other solvers:
//
//	           read                           written
//	CPLEX LP   objective to end, ranges       in the dialect of CBC and GLPK
//	MPS        free and fixed                 free
//	OPB        linear, hard constraints       0-1 models
//	DIMACS     clauses                        0-1 models without costs, of clauses
//	                                          and at-most-one rows
//
// Readers take what people write and keep it exact. Decimal numbers are scaled to
// integers row by row; numbers beyond 2^53 after that are an error, never
// rounded. Integral bounds round inwards; a fractional bound of a continuous
// variable becomes a row, and so do bounds that cross, for a file may state an
// infeasible problem. A problem that maximises is negated (Problem.Objective
// turns values back). Errors give line and column, what was expected and what
// was found.
//
// A Model has finite bounds, a file need not. A missing bound is taken from the
// rows if they imply one; what then still misses is assumed at a distance of 2^31
// and listed in Problem.Assumed. Ray and Leans tell whether the problem is
// unbounded, and whether a proof depends on what was assumed: without them an
// answer to an assumed model must not be called optimal or infeasible.
//
// Names in LP and MPS files may not hold blanks and some other characters. A name
// that cannot be written as it is gets its bad characters replaced ('/' by '.',
// brackets by parentheses, the rest by '_') and, if that is taken, a suffix;
// Names tells which name became which.
package format
