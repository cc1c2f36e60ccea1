// Package seedlog holds what the logs of the reference heuristic stack
// (`ipu-stack`) say.
//
// A log is a sequence of entries, each headed by a time and a level, one a line or all
// in one line, at level DEBUG or INFO. Read looks for the entries it knows and leaves
// out the rest, so a log may end anywhere.
//
// Glossary: mid cycles are those of the planner's model, low cycles those of the
// program lowered from a plan, final cycles those of the placed program; cycles
// without more are the device's. All are the reference's own figures.
package seedlog
