package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/exchange"
)

// gapLevel is one line of a gap report. Bound and Gap are missing where no bound
// is claimed.
type gapLevel struct {
	Level      string   `json:"level"`
	Unit       string   `json:"unit"`
	Status     string   `json:"status"`
	Best       int64    `json:"best"`
	Bound      *int64   `json:"bound,omitempty"`
	Gap        *float64 `json:"gap,omitempty"`
	Difference *int64   `json:"difference,omitempty"`
	Argument   string   `json:"argument"` // what proves the bound
}

func gapCommand() *cli.Command {
	return &cli.Command{
		Name:        "gap",
		Usage:       "print how far from the lower bounds a compile is, level by level",
		ArgsUsage:   "OUT.ipuexe|REPORT.json",
		Description: "Example:\n  ipusolve gap mlp.ipuexe",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			path, err := argument(c, "a package or a report")
			if err != nil {
				return err
			}
			r, err := loadReport(path)
			if err != nil {
				return err
			}
			levels := gapLevels(r)
			if c.Bool("json") {
				return writeJSON(c.App.Writer, map[string]any{"workload": r.Problem.Graph.Name, "levels": levels})
			}
			return printGap(c.App.Writer, r, levels)
		},
	}
}

func gapLevels(r *ipusolve.Report) []gapLevel {
	p := &r.Planning
	planning := gapLevel{Level: "planning", Unit: "cycles", Status: p.Status, Best: p.Objective, Bound: p.Bound, Gap: p.Gap, Difference: p.Difference,
		Argument: "no bound claimed"}
	if p.Bound != nil {
		planning.Argument = fmt.Sprintf("dual certificate, family %s, profile %s", r.Problem.FamilyText(), r.Problem.Profile)
	}
	levels := []gapLevel{planning}
	add := func(level, unit, status string, best, bound int64, argument string) {
		difference, g := best-bound, 0.0
		if best > bound {
			g = float64(difference) / float64(best)
		}
		levels = append(levels, gapLevel{level, unit, status, best, &bound, &g, &difference, argument})
	}
	if pl := r.Placement; pl != nil {
		levels = append(levels, placementLevels(pl)...)
	}
	for i := range r.Exchange {
		x := &r.Exchange[i]
		add(fmt.Sprintf("exchange %d", x.Phase), "events", x.Status, int64(x.Horizon), int64(x.Bound),
			forcedBy(&x.Witness))
	}
	if cy := r.Cycles; cy != nil {
		status := "feasible"
		if cy.Total == cy.Floor {
			status = "optimal"
		}
		add("program", "cycles", status, cy.Total, cy.Floor, "no program takes less than the kernels of this graph, whatever its plan")
	}
	return levels
}

// forcedBy says where the bound of an exchange phase comes from.
func forcedBy(w *exchange.Witness) string {
	switch {
	case w.Kind == exchange.BoundPath || w.Kind == exchange.BoundClique:
		return fmt.Sprintf("%s of %d messages", w.Kind, len(w.Messages))
	case w.Other != nil:
		return fmt.Sprintf("%s of tiles %d and %d, %d messages", w.Kind, w.Tile, w.Other.Tile, len(w.Messages)+len(w.Other.Messages)-1)
	}
	return fmt.Sprintf("%s of tile %d, %d messages", w.Kind, w.Tile, len(w.Messages))
}

func printGap(out io.Writer, r *ipusolve.Report, levels []gapLevel) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	q := &r.Problem
	fmt.Fprintf(w, "%s: %d tiles, profile %s, inputs %s, weights %s, outputs %s, family %s\n\n", q.Graph.Name, q.Tiles, q.Profile, q.Inputs, q.Weights, q.Outputs, q.FamilyText())
	fmt.Fprint(w, "level\tstatus\tbest\tbound\tgap\tdifference\tunit\tbound by\n")
	for _, l := range levels {
		bound, g, difference := "-", "-", "-"
		if l.Bound != nil && l.Gap != nil && l.Difference != nil {
			bound, g, difference = fmt.Sprint(*l.Bound), percent(*l.Gap), fmt.Sprint(*l.Difference)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", l.Level, l.Status, l.Best, bound, g, difference, l.Unit, l.Argument)
	}
	return w.Flush()
}
