// Package trial runs compiled packages on the simulated device and judges what
// they compute.
//
//	package ──New──▶ Rig ──Run(Job)──▶ cycles, outputs ──Job.Check──▶ verdict
//
// A Job is test data with a way to judge the output: exact test, seed test, scaled
// test (reference: simulator.md §8). Data of a job serve any package of the graph, so
// plans of one problem are judged by one reference.
//
// Glossary: a chain is a graph of GEMMs and GELUs one after the other, which test
// data can be made for; tensors are in logical order, by graph value.
package trial
