package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/device/ipuexe"
	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// defaultGap is the gap a compile must prove unless it is told otherwise.
const defaultGap = 0.01

func compileCommand() *cli.Command {
	return &cli.Command{
		Name:      "compile",
		Usage:     "solve the plan of a graph and write the package",
		ArgsUsage: "[GRAPH.json]",
		Description: "Example:\n  ipusolve compile --workload siglip-mlp --mlp-tokens 64 --mlp-dim 128 --mlp-hidden-dim 256 --tiles 64 --optimal -o mlp.ipuexe\n\n" +
			"Exit code 4: the plan is written, but --gap is not proven: a limit came first, or cheaper plans could not be placed.",
		Flags: append(problemFlags(),
			&cli.BoolFlag{Name: "optimal", Usage: "search until the plan is proven optimal"},
			&cli.BoolFlag{Name: "heuristic", Usage: "plan with the beam of the reference heuristic stack; no bound is claimed"},
			&cli.Float64Flag{Name: "gap", Usage: "stop at this proven `GAP` (best − bound) / best", Value: defaultGap},
			&cli.DurationFlag{Name: "time-limit", Usage: "stop planning, and scheduling each phase, after `TIME`; 0: never", Value: time.Minute},
			&cli.Int64Flag{Name: "effort", Usage: "stop planning after `N` simplex iterations, the same on every machine; 0: never"},
			&cli.StringFlag{Name: "exchange-width", Usage: "auto: send 64 bits an event where that makes a phase no longer; 32: never; 64: wherever a transfer can be paired", Value: "auto"},
			freedomFlag(),
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the searches"},
			&cli.BoolFlag{Name: "plan-only", Usage: "stop after planning"},
			&cli.StringFlag{Name: "pin", Usage: "use the plan in `PLAN.json`, and its problem where flags do not say otherwise"},
			pinOpFlag(),
			&cli.StringFlag{Name: "dump", Usage: "write the record of every pass to `DIR`"},
			&cli.StringFlag{Name: "json", Usage: "write the report to `FILE`; - for stdout instead of text"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the package to `OUT.ipuexe`"},
			&cli.BoolFlag{Name: "verify", Usage: "check the record of every pass"},
		),
		Action: compile,
	}
}

func compile(c *cli.Context) error {
	if err := checkCompileFlags(c); err != nil {
		return err
	}
	freedom, err := freedomOf(c, "compile")
	if err != nil {
		return err
	}
	var pinned *model.Plan
	if path := c.String("pin"); path != "" {
		var err error
		if pinned, err = readFile(path, model.ReadPlan); err != nil {
			return err
		}
	}
	p, err := problem(c, pinned)
	if err != nil {
		return err
	}
	demanded := c.Float64("gap")
	if c.Bool("optimal") {
		demanded = 0
	}
	console := newConsole(c.App.ErrWriter)
	log := newLog(c, console)
	opt := ipusolve.Options{
		Planner: &ipusolve.Optimal{Solver: mip.Solver{}, Options: solve.Options{TimeLimit: c.Duration("time-limit"),
			Effort: c.Int64("effort"), Gap: demanded, Seed: c.Uint64("seed")}},
		Scheduler: limited{ipusolve.List{Options: exchange.Options{Seed: c.Uint64("seed"), Freedom: freedom, Pair: c.String("exchange-width") == "64"}, Widths: c.String("exchange-width") != "32"}, c.Duration("time-limit")},
		PlanOnly:  c.Bool("plan-only"),
		Verify:    c.Bool("verify"),
		Log:       log,
		Progress:  console.progress,
	}
	if c.Bool("heuristic") {
		opt.Planner = &ipusolve.Baseline{}
	}
	if pinned != nil {
		opt.Planner = &ipusolve.Pinned{Saved: pinned}
	}
	if dir := c.String("dump"); dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		opt.Dump = func(name string, write func(io.Writer) error) error {
			return writeFile(filepath.Join(dir, name), write)
		}
	}
	// Behind the folder of dumps, which may be theirs.
	if err := checkOutputs("compile", givenOutputs(c), c.Args().First(), c.String("pin")); err != nil {
		return err
	}
	result, err := ipusolve.Compile(c.Context, p, opt)
	console.done()
	if err != nil {
		return ofFile(c, err)
	}
	return writeCompilation(c, result, demanded)
}

// ofFile puts the file that states the problem before an error that is about it.
func ofFile(c *cli.Context, err error) error {
	path := c.String("pin")
	if c.Args().Present() {
		path = c.Args().First()
	}
	if path == "" || exitCode(err) != exitError {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func checkCompileFlags(c *cli.Context) error {
	switch gap := c.Float64("gap"); {
	case c.IsSet("pin-op") && (c.IsSet("pin") || c.Bool("heuristic")):
		return usageError("compile: --pin-op fixes a part of a solved plan; leave out --pin and --heuristic")
	case c.Bool("heuristic") && (c.Bool("optimal") || c.IsSet("gap") || c.IsSet("effort") || c.IsSet("pin")):
		return usageError("compile: --heuristic claims no bound; leave out --optimal, --gap, --effort and --pin")
	case c.Bool("optimal") && c.IsSet("gap"):
		return usageError("compile: --optimal demands gap 0; leave out --gap")
	case c.Bool("optimal") && c.IsSet("pin"):
		return usageError("compile: a pinned plan claims no bound; leave out --optimal")
	case !(gap >= 0 && gap < 1):
		return usageError("compile: --gap: want a number from 0 to below 1, found %v", gap)
	case c.Duration("time-limit") < 0:
		return usageError("compile: --time-limit: want no negative time, found %v", c.Duration("time-limit"))
	case c.Int64("effort") < 0:
		return usageError("compile: --effort: want no negative number, found %d", c.Int64("effort"))
	case !slices.Contains([]string{"auto", "32", "64"}, c.String("exchange-width")):
		return usageError("compile: --exchange-width: want auto, 32 or 64, found %q", c.String("exchange-width"))
	case c.Bool("plan-only") && c.IsSet("output"):
		return usageError("compile: --plan-only makes no package; leave out -o")
	case c.IsSet("dump") && c.String("dump") == "":
		return usageError("compile: --dump: want a folder, found none")
	}
	return nil
}

// writeCompilation writes what was asked for. Its error says if the demanded gap
// was not proven.
func writeCompilation(c *cli.Context, r *ipusolve.Compilation, demanded float64) error {
	out := c.String("output")
	if out != "" {
		if err := writeFile(out, func(w io.Writer) error { return ipuexe.Write(w, r.Package) }); err != nil {
			return err
		}
	}
	report := c.String("json")
	if report != "" {
		if err := writeResult(report, c.App.Writer, r.Report.Write); err != nil {
			return err
		}
	}
	if report != stdoutName {
		if err := printCompilation(c.App.Writer, r); err != nil {
			return err
		}
		if out != "" {
			fmt.Fprintf(c.App.Writer, "package     written to %s\n", out)
		}
	}
	limited := c.Duration("time-limit") > 0 || c.Int64("effort") > 0
	return demandMet(&r.Report.Planning, demanded, limited, c.Context.Err() != nil)
}

// demandMet is nil if a plan claims no bound or the demanded gap is proven, and
// else an error that says why not.
func demandMet(p *ipusolve.Planning, demanded float64, limited, stopped bool) error {
	if p.Gap == nil || *p.Gap <= demanded {
		return nil
	}
	cause := "the search ended without the proof"
	switch {
	case stopped:
		cause = "the search was stopped"
	case len(p.Tightened) > 0:
		cause = "placement ruled out cheaper plans"
	case limited:
		cause = "a limit was reached"
	}
	return limitError("compile: %s; gap %s, %s was demanded; the best plan so far is kept", cause, percent(*p.Gap), percent(demanded))
}

// printCompilation prints plan, phases and prediction for people.
func printCompilation(out io.Writer, r *ipusolve.Compilation) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, r.Plan.String(), "\n")
	p := &r.Report.Planning
	fmt.Fprintf(w, "planning    %s: objective %d cycles", p.Status, p.Objective)
	if p.Bound != nil {
		fmt.Fprintf(w, ", bound %d, gap %s (%d cycles); %d candidates, %d considered, %d nodes",
			*p.Bound, percent(*p.Gap), *p.Difference, p.Candidates, p.Considered, p.Nodes)
	}
	fmt.Fprintln(w)
	for _, t := range p.Tightened {
		fmt.Fprintf(w, "planning    again with %s ≤ %d bytes: %s\n", t.Limit, t.Bytes, t.Reason)
	}
	if r.Report.Cycles == nil {
		return w.Flush()
	}
	phaseTable(w, r.Report.Exchange)
	pl, cy := r.Report.Placement, r.Report.Cycles
	printPlacement(w, pl)
	fmt.Fprintf(w, "program     %d cycles predicted: compute %d, exchange %d, synchronisation %d; no program takes less than %d\n",
		cy.Total, cy.Compute, cy.Exchange, cy.Sync, cy.Floor)
	return w.Flush()
}
