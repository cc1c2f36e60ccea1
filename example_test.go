package ipusolve_test

import (
	"context"
	"fmt"
	"time"

	"ipusolve"
	"ipusolve/model"
	"ipusolve/model/workload"
	"ipusolve/solve/mip"
)

// smallProblem is a small MLP on 64 tiles with the default choices.
func smallProblem() *model.Problem {
	graph, err := workload.SiglipMLP(1, 64, 128, 256, 1)
	if err != nil {
		panic(err)
	}
	return &model.Problem{Graph: *graph, Tiles: 64, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, MemoryLimit: 512 << 10, Timing: model.TimingVersion}
}

// Compile proves that the plan is the best of its family, or says how far from
// it the plan may be. A deadline ends the search, not the compile.
func ExampleCompile() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := ipusolve.Compile(ctx, smallProblem(), ipusolve.Options{
		Planner:   &ipusolve.Optimal{Solver: mip.Solver{}},
		Scheduler: ipusolve.List{},
		Verify:    true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := c.Report.Planning
	fmt.Println("plan:", plan.Status, "gap", *plan.Gap)
	fmt.Println("exchange phases:", len(c.Schedules))
	fmt.Println("tiles in the package:", len(c.Package.Tiles))
	// Output:
	// plan: optimal gap 0
	// exchange phases: 3
	// tiles in the package: 64
}

// A search that is cancelled keeps the best plan it has, with the bound proven
// so far, and the passes behind it still make a program.
func ExampleCompile_cancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := ipusolve.Compile(ctx, smallProblem(), ipusolve.Options{
		Planner:   &ipusolve.Optimal{Solver: mip.Solver{}},
		Scheduler: ipusolve.List{},
		Verify:    true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := c.Report.Planning
	fmt.Println("plan:", plan.Status)
	fmt.Println("gap is positive:", *plan.Gap > 0)
	fmt.Println("tiles in the package:", len(c.Package.Tiles))
	// Output:
	// plan: feasible
	// gap is positive: true
	// tiles in the package: 64
}
