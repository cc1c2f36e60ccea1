package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the model of a decision for another solver",
		ArgsUsage: "[GRAPH.json|REPORT.json|OUT.ipuexe]",
		Description: "The planning model is the last one that compile solved: the candidates and transitions that its reductions left.\n" +
			"Its optimum is the objective of the plan.\n\n" +
			"Example:\n  ipusolve export mlp.ipuexe --format mps -o planning.mps && cbc planning.mps solve",
		Flags: append(problemFlags(),
			&cli.StringFlag{Name: "model", Usage: "the decision: planning", Value: "planning"},
			&cli.StringFlag{Name: "format", Usage: "lp, mps, opb or cnf", Value: "mps"},
			&cli.DurationFlag{Name: "time-limit", Usage: "stop planning a graph after `TIME`; 0: never", Value: time.Minute},
			&cli.Int64Flag{Name: "effort", Usage: "stop planning a graph after `N` simplex iterations; 0: never"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of stdout", Value: stdoutName},
		),
		Action: export,
	}
}

func export(c *cli.Context) error {
	write := writerOf("." + c.String("format"))
	switch {
	case write == nil:
		return usageError("export: --format: want lp, mps, opb or cnf, found %q", c.String("format"))
	case c.String("model") != "planning":
		return usageError("export: --model: want planning, found %q", c.String("model"))
	case c.Duration("time-limit") < 0 || c.Int64("effort") < 0:
		return usageError("export: want no negative limits")
	}
	r, err := exportedReport(c)
	if err != nil {
		return err
	}
	if r.Planning.Certificate == nil || r.Planning.Certificate.Model == nil {
		return fmt.Errorf("export: the plan is %s, no model was solved for it", r.Planning.Status)
	}
	return writeResult(c.String("output"), c.App.Writer, func(w io.Writer) error { return write(w, r.Planning.Certificate.Model) })
}

// exportedReport is the report of a file, or that of planning a problem now.
func exportedReport(c *cli.Context) (*ipusolve.Report, error) {
	if c.Args().Present() {
		path, err := argument(c, "a graph, a report or a package")
		if err != nil {
			return nil, err
		}
		graph, err := isGraph(path)
		if err != nil {
			return nil, err
		}
		if !graph {
			if i := slices.IndexFunc(problemFlags(), func(f cli.Flag) bool { return c.IsSet(f.Names()[0]) }); i >= 0 {
				return nil, usageError("export: --%s is for graphs; %s has a problem of its own", problemFlags()[i].Names()[0], path)
			}
			return loadReport(path)
		}
	}
	p, err := problem(c, nil)
	if err != nil {
		return nil, err
	}
	console := newConsole(c.App.ErrWriter)
	result, err := ipusolve.Compile(c.Context, p, ipusolve.Options{
		Planner:  &ipusolve.Optimal{Solver: mip.Solver{}, Options: solve.Options{TimeLimit: c.Duration("time-limit"), Effort: c.Int64("effort")}},
		PlanOnly: true, Log: newLog(c, console), Progress: console.progress,
	})
	console.done()
	if err != nil {
		return nil, err
	}
	return result.Report, nil
}

// isGraph tells a graph from reports and packages.
func isGraph(path string) (bool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	if kindOf(content) != jsonFile {
		return false, nil
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.NewDecoder(bytes.NewReader(content)).Decode(&head); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return head.Schema != ipusolve.ReportSchema, nil
}
