package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/solve"
	"ipusolve/solve/presolve"
)

// exporters make the model of a decision.
var exporters = []struct {
	decision string
	model    func(*exporting) (*solve.Model, error)
}{
	{"planning", planningModel},
	{"placement", placementModel},
	{"waves", wavesModel},
}

// exporting is one run of the command.
type exporting struct {
	cli     *cli.Context
	planned *ipusolve.Planning // what was planned for it; nil: nothing was
}

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the model of a decision for another solver",
		ArgsUsage: "[GRAPH.json|REPORT.json|OUT.ipuexe|SNAPSHOT.json]",
		Description: "planning: the last model that compile solved: the candidates and transitions that its reductions left. Its optimum is\n" +
			"the objective of the plan, if that is proven optimal.\n" +
			"placement: the addresses of everything on a tile, or on a pair of tiles that share buffers.\n" +
			"waves: starts and order of the messages of an exchange phase, or of a group of messages that share tiles, with the widths\n" +
			"that they have. Its optimum is a lower bound of the phase's horizon.\n\n" +
			"Exit code 4: the model is written, but the plan it belongs to is not proven optimal: a limit came first.\n\n" +
			"Example:\n  ipusolve export mlp.ipuexe --format mps -o planning.mps && cbc planning.mps solve",
		Flags: append(problemFlags(),
			&cli.StringFlag{Name: "model", Usage: "the decision: planning, placement or waves", Value: "planning"},
			&cli.StringFlag{Name: "format", Usage: "lp, mps, opb or cnf; without it as the ending of --output says, else mps"},
			&cli.BoolFlag{Name: "presolved", Usage: "write what presolve leaves of the model; the optimum is the same"},
			&cli.IntFlag{Name: "tile", Usage: "of placement: the tile"},
			&cli.IntFlag{Name: "phase", Usage: "of waves: the phase"},
			&cli.IntFlag{Name: "group", Usage: "of waves: the group of messages, counted from 0; -1: the whole phase", Value: -1},
			&cli.DurationFlag{Name: "time-limit", Usage: "stop planning a graph after `TIME`; 0: never", Value: time.Minute},
			&cli.Int64Flag{Name: "effort", Usage: "stop planning a graph after `N` simplex iterations; 0: never"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of stdout", Value: stdoutName},
		),
		Action: export,
	}
}

func export(c *cli.Context) error {
	out := c.String("output")
	write := writerOf(".mps")
	if c.IsSet("format") {
		write = writerOf("." + c.String("format"))
	} else if w := writerOf(out); w != nil {
		write = w
	}
	chosen := -1
	for i := range exporters {
		if exporters[i].decision == c.String("model") {
			chosen = i
		}
	}
	switch {
	case write == nil:
		return usageError("export: --format: want lp, mps, opb or cnf, found %q", c.String("format"))
	case chosen < 0:
		return usageError("export: --model: want planning, placement or waves, found %q", c.String("model"))
	case c.Duration("time-limit") < 0 || c.Int64("effort") < 0:
		return usageError("export: want no negative limits")
	case c.IsSet("tile") && c.String("model") != "placement":
		return usageError("export: --tile is for --model placement")
	case (c.IsSet("phase") || c.IsSet("group")) && c.String("model") != "waves":
		return usageError("export: --phase and --group are for --model waves")
	}
	if err := checkOutputs("export", []output{{"--output", out, true}}, c.Args().First()); err != nil {
		return err
	}
	e := &exporting{cli: c}
	m, err := exporters[chosen].model(e)
	if err != nil {
		return err
	}
	if c.Bool("presolved") {
		if m, err = presolved(c, m); err != nil {
			return err
		}
	}
	if err := writeResult(out, c.App.Writer, func(w io.Writer) error { return write(w, m) }); err != nil {
		return err
	}
	if p := e.planned; p != nil && p.Gap != nil && *p.Gap > 0 {
		return limitError("export: the search ended at a gap of %s; the model is written, its optimum need not be the plan's", percent(*p.Gap))
	}
	return nil
}

// presolved is what presolve leaves of a model.
func presolved(c *cli.Context, m *solve.Model) (*solve.Model, error) {
	r := presolve.Reduce(c.Context, m)
	if r.Infeasible {
		return nil, &codedError{exitInfeasible, fmt.Errorf("%s: presolve finds the model infeasible", m.Name)}
	}
	return r.Model, nil
}

func planningModel(e *exporting) (*solve.Model, error) {
	r, err := e.report()
	if err != nil {
		return nil, err
	}
	if r.Planning.Certificate == nil || r.Planning.Certificate.Model == nil {
		return nil, fmt.Errorf("export: the plan is %s, no model was solved for it", r.Planning.Status)
	}
	return r.Planning.Certificate.Model, nil
}

// report is that of a file, or that of planning a problem now.
func (e *exporting) report() (*ipusolve.Report, error) {
	kind, path, err := exportInput(e.cli)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "snapshot":
		return nil, usageError("export: %s: a snapshot has no plan; it is for --model waves", path)
	case "report", "package":
		return loadReport(path)
	}
	result, err := e.compile(nil, true)
	if err != nil {
		return nil, err
	}
	return result.Report, nil
}

// exportInput tells what the command line names: a graph (also a workload), or a
// report, package or snapshot and its path, which have a problem of their own.
func exportInput(c *cli.Context) (kind, path string, err error) {
	if !c.Args().Present() {
		return "graph", "", nil
	}
	if path, err = argument(c, "a graph, a report, a package or a snapshot"); err != nil {
		return "", "", err
	}
	if kind, err = inputKind(path); err != nil || kind == "graph" {
		return kind, path, err
	}
	if i := slices.IndexFunc(problemFlags(), func(f cli.Flag) bool { return c.IsSet(f.Names()[0]) }); i >= 0 {
		return "", "", usageError("export: --%s is for graphs; %s has a problem of its own", problemFlags()[i].Names()[0], path)
	}
	return kind, path, nil
}
