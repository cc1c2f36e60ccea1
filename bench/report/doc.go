// Package report compares planners: for every workload of a suite it plans, compiles
// and runs the solved plan and the baselines under the same rules, and lays the figures
// out as text, CSV, JSON, a page of documentation and a chart.
//
//	workload ──Entrant──▶ plan ──Compile──▶ package ──trial──▶ Entry ┐
//	log of the reference ──seedlog──────────────────────────▶ Entry ┴▶ Row ▶ Study
//
// Glossary: an entrant is a way to get a plan (solved, or a variant of the baseline);
// planned cycles are the plan's price under profile c600, predicted ones those with the
// horizons of its schedules, simulated ones those of the run. A row's entries share
// problem, lowering, scheduler and test data, so they differ by the plan alone. What goes
// wrong with an entry is a figure of it, not the end of the study.
package report
