// Command ipusolve compiles tensor graphs for the Graphcore C600 with solved
// decisions, runs the packages on a simulated device and checks every claim.
//
//	compile   graph or workload ─▶ package, report, dumps
//	run       package ─▶ outputs, cycles, numerical test
//	gap       package or report ─▶ distance to the lower bounds, level by level
//	inspect   package ─▶ what is in it
//	explain   package, plan or report ─▶ runners-up, and why not another candidate
//	diff      two of these ─▶ what differs, term by term
//	grid      sizes of a GEMM ─▶ the best ways to run it
//	schedule  snapshot ─▶ timed exchange phases
//	solve     model or instance in a format of other tools ─▶ optimum, proof
//	export    package, report or graph ─▶ its planning model for another solver
//	verify    package, report, schedule or certificate ─▶ its claims, re-derived
//	bench     families of exchange phases ─▶ horizons against bounds, targets and the baseline
//	version
//
// Results go to standard output, logs and progress to standard error. Exit codes:
// 0 done; 1 error; 2 usage; 3 infeasible; 4 a limit was reached before the
// demanded proof (a result that was found is written); 5 a check failed.
package main
