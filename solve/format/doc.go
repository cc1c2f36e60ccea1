// Package format writes models in the file formats of other solvers: free MPS
// and CPLEX LP, in the dialects that CBC and GLPK read without a warning.
//
// Names in those formats may not hold blanks and some other characters. A name
// that cannot be written as it is gets its bad characters replaced ('/' by '.',
// brackets by parentheses, the rest by '_') and, if that is taken, a suffix;
// Names tells which name became which.
package format
