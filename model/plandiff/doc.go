// Package plandiff compares two plans of a graph: cycles term by term, in all and
// step by step, and the layouts that differ. Steps are the same step if they serve the
// same operation and make a copy of the same graph value for it.
package plandiff
