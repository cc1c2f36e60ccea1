package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/exchange"
)

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name:      "schedule",
		Usage:     "schedule the exchange phases of a snapshot",
		ArgsUsage: "SNAPSHOT.json",
		Description: "Every schedule is encoded, decoded and checked before it is printed.\n\n" +
			"Example:\n  ipusolve schedule phase0.json --effort 64 -o schedule0.json",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "effort", Usage: "work to spend on a phase, in looks at its receives; the same on every machine", Value: exchange.DefaultEffort},
			&cli.Float64Flag{Name: "gap", Usage: "stop improving a phase at this `GAP` to its bound", Value: exchange.DefaultGap},
			&cli.BoolFlag{Name: "optimal", Usage: "stop improving only at the bound or the end of the effort, as --gap 0"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the variations"},
			&cli.DurationFlag{Name: "time-limit", Usage: "stop improving a phase after `TIME`; 0: never"},
			&cli.StringFlag{Name: "json", Usage: "write the figures of all phases to `FILE`; - for stdout instead of text"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write starts and rows to `SCHEDULE.json`"},
		},
		Action: schedule,
	}
}

func schedule(c *cli.Context) error {
	path, err := argument(c, "a snapshot file")
	if err != nil {
		return err
	}
	if c.Int("effort") < 1 {
		return usageError("schedule: --effort: want at least 1, found %d", c.Int("effort"))
	}
	gap := c.Float64("gap")
	if gap < 0 || gap >= 1 {
		return usageError("schedule: --gap: want from 0 to below 1, found %g", gap)
	}
	if gap == 0 || c.Bool("optimal") {
		gap = -1 // only the bound itself ends the search
	}
	if err := checkOutputs("schedule", givenOutputs(c)); err != nil {
		return err
	}
	snap, err := readFile(path, exchange.ReadSnapshot)
	if err != nil {
		return err
	}
	console := newConsole(c.App.ErrWriter)
	scheduler := limited{ipusolve.List{Options: exchange.Options{Effort: c.Int("effort"), Gap: gap, Seed: c.Uint64("seed")}}, c.Duration("time-limit")}
	file, err := ipusolve.ScheduleSnapshot(c.Context, snap, scheduler, func(done, total int) { console.progress("phase", done, total) })
	console.done()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if out := c.String("output"); out != "" {
		if err := writeFile(out, file.Write); err != nil {
			return err
		}
	}
	phases := make([]ipusolve.PhaseReport, len(file.Phases))
	for i := range phases {
		phases[i] = file.Phases[i].PhaseReport
	}
	if out := c.String("json"); out != "" {
		err := writeResult(out, c.App.Writer, func(w io.Writer) error {
			return writeJSON(w, map[string]any{"exchange": phases})
		})
		if err != nil || out == stdoutName {
			return err
		}
	}
	return printSchedule(c.App.Writer, phases)
}

// limited gives a scheduler so much time for each phase; 0: no limit.
type limited struct {
	ipusolve.Scheduler
	limit time.Duration
}

// Schedule implements ipusolve.Scheduler.
func (l limited) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	if l.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.limit)
		defer cancel()
	}
	return l.Scheduler.Schedule(ctx, p)
}

func printSchedule(out io.Writer, phases []ipusolve.PhaseReport) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "phase\tmessages\tdestinations\tendpoint\tbound\tkind\thorizon\tgap\tmethod\tseconds\tmaximumRowWords\n")
	for i := range phases {
		p := &phases[i]
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%s\t%d\t%s\t%s\t%.3f\t%d\n", p.Phase, p.Transfers, p.Destinations, p.Endpoint,
			p.Bound, p.BoundKind, p.Horizon, percent(p.Gap), p.Method, p.Seconds, p.RowWords)
	}
	return w.Flush()
}
