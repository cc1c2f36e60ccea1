package main

import (
	"fmt"
	"runtime"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/device/ipuexe"
	"ipusolve/exchange"
	"ipusolve/lower"
	"ipusolve/model"
)

// versions names everything whose change changes results.
type versions struct {
	Compiler string   `json:"compiler"`
	Go       string   `json:"go"`
	Timing   int      `json:"timing"`   // of the simulated machine
	Package  int      `json:"package"`  // schema of .ipuexe
	Snapshot int      `json:"snapshot"` // schema of exchange snapshots
	Schemas  []string `json:"schemas"`  // of JSON files
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "print the versions of compiler, machine timing and file schemas",
		Description: "Example:\n  ipusolve version --json",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usageError("version: want no argument, found %d", c.NArg())
			}
			v := versions{ipusolve.Version, runtime.Version(), model.TimingVersion, ipuexe.SchemaVersion, exchange.SchemaVersion,
				[]string{model.GraphSchema, model.PlanSchema, lower.ProgramSchema, ipusolve.ReportSchema, ipusolve.ScheduleSchema}}
			if c.Bool("json") {
				return writeJSON(c.App.Writer, v)
			}
			_, err := fmt.Fprintf(c.App.Writer, "%s (%s), machine timing %d, package schema %d, snapshot schema %d, files %v\n",
				v.Compiler, v.Go, v.Timing, v.Package, v.Snapshot, v.Schemas)
			return err
		},
	}
}
