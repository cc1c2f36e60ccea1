package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/bench/heuristic"
	"ipusolve/bench/suite"
	"ipusolve/exchange"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "compare the exchange scheduler with its bounds, targets and the baseline",
		ArgsUsage: "exchange",
		Description: "Schedules families of exchange phases with fixed generators. Every schedule is encoded, decoded and checked,\n" +
			"and its bound derived anew, before it is printed. The families are:\n\n" + familyList() + "\n" +
			"Example:\n  ipusolve bench exchange --family seed-1 --family seed-2 --csv figures.csv",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "family", Usage: "run only `FAMILY`; may be given several times"},
			&cli.IntFlag{Name: "effort", Usage: "work to spend on a phase, in looks at its receives; the same on every machine", Value: exchange.DefaultEffort},
			&cli.Float64Flag{Name: "gap", Usage: "stop improving a phase at this `GAP` to its bound", Value: exchange.DefaultGap},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the variations"},
			&cli.DurationFlag{Name: "time-limit", Usage: "stop improving a phase after `TIME`; 0: never"},
			&cli.DurationFlag{Name: "baseline", Usage: "give the baseline `TIME` for each phase; 0: leave it out", Value: time.Minute},
			&cli.StringFlag{Name: "json", Usage: "write the figures to `FILE`; - for stdout instead of text"},
			&cli.StringFlag{Name: "csv", Usage: "write the figures to `FILE.csv`"},
			&cli.StringFlag{Name: "svg", Usage: "draw the ratios of horizon and bound to `FILE.svg`"},
		},
		Action: bench,
	}
}

func familyList() string {
	var b strings.Builder
	for _, f := range suite.Exchange() {
		fmt.Fprintf(&b, "  %-13s %s\n", f.Name, f.Title)
	}
	return b.String()
}

// benchLine is a family's figures. Baseline is missing if it was left out or did
// not finish in time.
type benchLine struct {
	suite.Result
	Baseline *suite.Result `json:"baseline,omitempty"`
}

func bench(c *cli.Context) error {
	what, err := argument(c, "what to compare: exchange")
	if err != nil {
		return err
	}
	families, err := chosenFamilies(c.StringSlice("family"))
	gap := c.Float64("gap")
	switch {
	case what != "exchange":
		return usageError("bench: want exchange, found %q", what)
	case err != nil:
		return err
	case c.Int("effort") < 1:
		return usageError("bench: --effort: want at least 1, found %d", c.Int("effort"))
	case !(gap >= 0 && gap < 1):
		return usageError("bench: --gap: want from 0 to below 1, found %v", gap)
	case c.Duration("time-limit") < 0 || c.Duration("baseline") < 0:
		return usageError("bench: want no negative times")
	case gap == 0:
		gap = -1 // only the bound itself ends the search
	}
	outputs := givenOutputs(c)
	for _, name := range []string{"csv", "svg"} {
		if c.IsSet(name) {
			outputs = append(outputs, output{flag: "--" + name, path: c.String(name)})
		}
	}
	if err := checkOutputs("bench", outputs); err != nil {
		return err
	}
	console := newConsole(c.App.ErrWriter)
	defer console.done()
	scheduler := limited{ipusolve.List{Options: exchange.Options{Effort: c.Int("effort"), Gap: gap, Seed: c.Uint64("seed")}}, c.Duration("time-limit")}
	var lines []benchLine
	for i := range families {
		f := &families[i]
		if c.Context.Err() != nil {
			break
		}
		step := func(who string) func(int, int) {
			return func(done, total int) {
				text := f.Name + who
				if total > 1 {
					text = fmt.Sprintf("%s, problem %d of %d", text, done+1, total)
				}
				console.progress(text+", family", i+1, len(families))
			}
		}
		r, err := suite.Run(c.Context, f, scheduler, step(""))
		if err != nil {
			return err
		}
		line := benchLine{Result: *r}
		if limit := c.Duration("baseline"); limit > 0 {
			line.Baseline, err = suite.Run(c.Context, f, limited{baseline{}, limit}, step(" by the baseline"))
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
				return err
			}
		}
		lines = append(lines, line)
	}
	console.done()
	if err := writeBench(c, lines); err != nil {
		return err
	}
	if c.Context.Err() != nil {
		return limitError("bench: stopped after %d of %d families", len(lines), len(families))
	}
	return nil
}

// baseline is the reference's list scheduler; unlike heuristic.Scheduler it fails
// if its time does not do for any schedule.
type baseline struct{}

// Schedule implements ipusolve.Scheduler.
func (baseline) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	s, stats, err := heuristic.Schedule(ctx, p, heuristic.Options{})
	return s, stats.Method, err
}

// chosenFamilies are those named, in the suite's order, or all.
func chosenFamilies(names []string) ([]suite.Family, error) {
	all := suite.Exchange()
	if len(names) == 0 {
		return all, nil
	}
	for _, n := range names {
		if !slices.ContainsFunc(all, func(f suite.Family) bool { return f.Name == n }) {
			return nil, usageError("bench: --family: unknown family %q; ipusolve bench --help lists them", n)
		}
	}
	return slices.DeleteFunc(all, func(f suite.Family) bool { return !slices.Contains(names, f.Name) }), nil
}

func writeBench(c *cli.Context, lines []benchLine) error {
	if path := c.String("csv"); path != "" {
		if err := writeFile(path, func(w io.Writer) error { return benchCSV(w, lines) }); err != nil {
			return err
		}
	}
	if path := c.String("svg"); path != "" {
		if err := writeFile(path, func(w io.Writer) error { return benchSVG(w, lines) }); err != nil {
			return err
		}
	}
	if path := c.String("json"); path != "" {
		err := writeResult(path, c.App.Writer, func(w io.Writer) error {
			return writeJSON(w, map[string]any{"families": lines})
		})
		if err != nil || path == stdoutName {
			return err
		}
	}
	return printBench(c.App.Writer, lines, c.Duration("baseline") > 0)
}

// verdict says whether a family's target is reached.
func (l *benchLine) verdict() string {
	switch {
	case l.Target == 0 && l.Optimum == 0:
		return "-"
	case l.Met:
		return "ok"
	}
	return "missed"
}

func (l *benchLine) target() string {
	switch {
	case l.Optimum > 0:
		return fmt.Sprintf("= %d", l.Optimum)
	case l.Target > 0:
		return fmt.Sprintf("%.2f", l.Target)
	}
	return "-"
}

// printBench prints the table; baseline says that it was asked for.
func printBench(out io.Writer, lines []benchLine, baseline bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "family\tmessages\tbound\tkind\thorizon\tratio\ttarget\treached\tseconds\tMiB")
	if baseline {
		fmt.Fprint(w, "\tbaseline\tratio\tseconds")
	}
	fmt.Fprintln(w)
	missed, targets := 0, 0
	for i := range lines {
		l := &lines[i]
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d\t%.3f\t%s\t%s\t%.2f\t%d", l.Family, l.Messages, l.Bound, l.BoundKind, l.Horizon, l.Ratio,
			l.target(), l.verdict(), l.Seconds, l.PeakBytes>>20)
		if b := l.Baseline; b != nil {
			fmt.Fprintf(w, "\t%d\t%.3f\t%.2f", b.Horizon, b.Ratio, b.Seconds)
		} else if baseline {
			fmt.Fprint(w, "\t-\t-\t-")
		}
		fmt.Fprintln(w)
		switch l.verdict() {
		case "missed":
			missed++
			targets++
		case "ok":
			targets++
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d of %d targets reached\n", targets-missed, targets)
	return err
}

func benchCSV(out io.Writer, lines []benchLine) error {
	w := csv.NewWriter(out)
	w.Write([]string{"family", "messages", "receives", "endpoint", "bound", "boundKind", "horizon", "ratio", "target", "optimum", "reached", "method",
		"seconds", "peakBytes", "baselineHorizon", "baselineMethod", "baselineSeconds"})
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	for i := range lines {
		l := &lines[i]
		record := []string{l.Family, strconv.Itoa(l.Messages), strconv.Itoa(l.Receives), strconv.FormatInt(l.Endpoint, 10), strconv.FormatInt(l.Bound, 10),
			l.BoundKind, strconv.FormatInt(l.Horizon, 10), number(l.Ratio), number(l.Target), strconv.FormatInt(l.Optimum, 10), l.verdict(), l.Method,
			number(l.Seconds), strconv.FormatInt(l.PeakBytes, 10), "", "", ""}
		if b := l.Baseline; b != nil {
			copy(record[14:], []string{strconv.FormatInt(b.Horizon, 10), b.Method, number(b.Seconds)})
		}
		w.Write(record)
	}
	w.Flush()
	return w.Error()
}
