package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
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
			"Exit code 4: the schedules are written, but --optimal or --gap, if given, is not proven of every phase.\n\n" +
			"Techniques that --without and --ablate switch off: " + strings.Join(exchange.Techniques, ", ") + ".\n\n" +
			"Example:\n  ipusolve schedule phase0.json --effort 64 -o schedule0.json",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "effort", Usage: "work to spend on a phase, in looks at its receives; the same on every machine", Value: exchange.DefaultEffort},
			&cli.Float64Flag{Name: "gap", Usage: "stop improving a phase at this `GAP` to its bound", Value: exchange.DefaultGap},
			&cli.BoolFlag{Name: "optimal", Usage: "stop improving only at the bound or the end of the effort, as --gap 0"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the variations"},
			&cli.DurationFlag{Name: "time-limit", Usage: "stop improving a phase after `TIME`; 0: never"},
			&cli.StringFlag{Name: "width", Usage: "given: of the snapshot; auto: 32 or 64 bits an event for every transfer that can be paired; 64: pair all that can be, to measure what that gives", Value: "given"},
			freedomFlag(),
			&cli.StringSliceFlag{Name: "without", Usage: "switch off a `TECHNIQUE`; may be given again"},
			&cli.BoolFlag{Name: "ablate", Usage: "schedule again without each of the techniques, and compare"},
			&cli.StringFlag{Name: "json", Usage: "write the figures of all phases to `FILE`; - for stdout instead of text"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write starts and rows to `SCHEDULE.json`"},
		},
		Action: schedule,
	}
}

// scheduleRun is a snapshot scheduled once.
type scheduleRun struct {
	Without []string         `json:"without,omitempty"`
	Phases  []scheduleFigure `json:"exchange"`
}

// scheduleFigure is a phase with what its search took.
type scheduleFigure struct {
	ipusolve.PhaseReport
	Searched int32 `json:"searched,omitempty"` // no schedule is shorter, as exhaustive search found
	Looks    int64 `json:"looks"`              // receives looked at
	Repairs  int   `json:"repairs"`            // messages moved for the parity of control pairs
}

// scheduleResult is what schedule --json writes.
type scheduleResult struct {
	scheduleRun
	Ablation []scheduleRun `json:"ablation,omitempty"`
}

func schedule(c *cli.Context) error {
	path, err := argument(c, "a snapshot file")
	if err != nil {
		return err
	}
	opt, err := scheduleOptions(c)
	if err != nil {
		return err
	}
	if err := checkOutputs("schedule", givenOutputs(c), path); err != nil {
		return err
	}
	snap, err := readFile(path, exchange.ReadSnapshot)
	if err != nil {
		return err
	}
	console := newConsole(c.App.ErrWriter)
	defer console.done()
	run := func(off []string) (scheduleRun, *ipusolve.ScheduleFile, error) {
		s := recorded{opt: opt, widths: c.String("width") != "given", limit: c.Duration("time-limit"), console: console, phases: len(snap.Phases)}
		s.opt.Off = map[string]bool{}
		for _, t := range off {
			s.opt.Off[t] = true
		}
		file, err := ipusolve.ScheduleSnapshot(c.Context, snap, &s, func(int, int) {})
		if err != nil {
			return scheduleRun{}, nil, fmt.Errorf("%s: %w", path, err)
		}
		r := scheduleRun{Without: off}
		for i := range file.Phases {
			r.Phases = append(r.Phases, scheduleFigure{file.Phases[i].PhaseReport, s.searched[i], s.looks[i], s.repairs[i]})
		}
		return r, file, nil
	}
	without := c.StringSlice("without")
	first, file, err := run(without)
	if err != nil {
		return err
	}
	if out := c.String("output"); out != "" {
		if err := writeFile(out, file.Write); err != nil {
			return err
		}
	}
	result := scheduleResult{scheduleRun: first}
	if c.Bool("ablate") {
		for _, t := range exchange.Techniques {
			if c.Context.Err() != nil {
				break // what there is stays comparable: every run is complete
			}
			r, _, err := run(append(without[:len(without):len(without)], t))
			if err != nil {
				return err
			}
			result.Ablation = append(result.Ablation, r)
		}
	}
	console.done()
	if err := writeSchedule(c, &result); err != nil {
		return err
	}
	if !c.Bool("optimal") && !c.IsSet("gap") {
		return nil
	}
	return gapMet(first.Phases, max(opt.Gap, 0), c.Context.Err() != nil)
}

// gapMet is nil if a gap is proven of all phases, and else an error that names the
// phase furthest from it.
func gapMet(phases []scheduleFigure, demanded float64, stopped bool) error {
	if len(phases) == 0 {
		return nil
	}
	worst := slices.MaxFunc(phases, func(a, b scheduleFigure) int { return cmp.Compare(a.Gap, b.Gap) })
	if worst.Gap <= demanded {
		return nil
	}
	cause := "the search ended without the proof"
	if stopped {
		cause = "the search was stopped"
	}
	return limitError("schedule: phase %d: %s; gap %s, %s was demanded; the best schedule so far is kept",
		worst.Phase, cause, percent(worst.Gap), percent(demanded))
}

// writeSchedule writes the figures where the command line wants them.
func writeSchedule(c *cli.Context, r *scheduleResult) error {
	if out := c.String("json"); out != "" {
		err := writeResult(out, c.App.Writer, func(w io.Writer) error { return writeJSON(w, r) })
		if err != nil || out == stdoutName {
			return err
		}
	}
	if err := printSchedule(c.App.Writer, r.Phases); err != nil || !c.Bool("ablate") {
		return err
	}
	return printAblation(c.App.Writer, r)
}

func scheduleOptions(c *cli.Context) (opt exchange.Options, err error) {
	if c.Int("effort") < 1 {
		return opt, usageError("schedule: --effort: want at least 1, found %d", c.Int("effort"))
	}
	gap := c.Float64("gap")
	switch {
	case c.Bool("optimal") && c.IsSet("gap"):
		return opt, usageError("schedule: --optimal demands gap 0; leave out --gap")
	case !(gap >= 0 && gap < 1):
		return opt, usageError("schedule: --gap: want from 0 to below 1, found %g", gap)
	case c.Duration("time-limit") < 0:
		return opt, usageError("schedule: --time-limit: want no negative time, found %v", c.Duration("time-limit"))
	}
	if gap == 0 || c.Bool("optimal") {
		gap = -1 // only the bound itself ends the search
	}
	width := c.String("width")
	if width != "given" && width != "auto" && width != "64" {
		return opt, usageError("schedule: --width: want given, auto or 64, found %q", width)
	}
	for _, t := range c.StringSlice("without") {
		if !isTechnique(t) {
			return opt, usageError("schedule: --without: want one of %s, found %q", strings.Join(exchange.Techniques, ", "), t)
		}
	}
	freedom, err := freedomOf(c, "schedule")
	return exchange.Options{Effort: c.Int("effort"), Gap: gap, Seed: c.Uint64("seed"), Freedom: freedom, Pair: width == "64"}, err
}

func freedomFlag() cli.Flag {
	return &cli.StringFlag{Name: "exchange-freedom", Usage: "standard: keep all rules; experimental: rows may also set controls at the first event of a message of their own, which was never tried on hardware; run needs --lenient then", Value: "standard"}
}

func freedomOf(c *cli.Context, command string) (exchange.Freedom, error) {
	switch f := c.String("exchange-freedom"); f {
	case "standard":
		return exchange.Standard, nil
	case "experimental":
		return exchange.FirstEvent, nil
	default:
		return "", usageError("%s: --exchange-freedom: want standard or experimental, found %q", command, f)
	}
}

func isTechnique(name string) bool {
	for _, t := range exchange.Techniques {
		if t == name {
			return true
		}
	}
	return false
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

// recorded schedules like ipusolve.List, within a time for each phase, shows how
// far it is and keeps what the search took.
type recorded struct {
	opt      exchange.Options
	widths   bool // are a decision
	limit    time.Duration
	console  *console
	phases   int
	searched []int32
	looks    []int64
	repairs  []int
}

// Schedule implements ipusolve.Scheduler.
func (r *recorded) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	where := fmt.Sprintf("phase %d/%d", len(r.looks)+1, r.phases)
	if off := len(r.opt.Off); off > 0 {
		where += fmt.Sprintf(" (%d techniques off)", off)
	}
	r.console.say("%s: %d messages", where, len(p.Messages))
	opt := r.opt
	opt.Progress = func(horizon int32) { r.console.say("%s: %d messages in %d events", where, len(p.Messages), horizon) }
	s, method, err := limited{ipusolve.List{Options: opt, Widths: r.widths}, r.limit}.Schedule(ctx, p)
	if err != nil {
		return nil, "", err
	}
	searched := int32(0)
	if strings.HasSuffix(method, ipusolve.BySearch) {
		searched = s.Searched
	}
	r.searched, r.looks = append(r.searched, searched), append(r.looks, s.Looks)
	r.repairs = append(r.repairs, s.Repairs)
	return s, method, nil
}

func printSchedule(out io.Writer, phases []scheduleFigure) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "phase\tmessages\tdestinations\tendpoint\tbound\tkind\thorizon\tgap\tstatus\tmethod\tlooks\trepairs\tseconds\tmaximumRowWords\n")
	for i := range phases {
		p := &phases[i]
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%s\t%d\t%s\t%s\t%s\t%d\t%d\t%.3f\t%d\n", p.Phase, p.Transfers, p.Destinations, p.Endpoint,
			p.Bound, p.BoundKind, p.Horizon, percent(p.Gap), p.Status, p.Method, p.Looks, p.Repairs, p.Seconds, p.RowWords)
	}
	return w.Flush()
}

// printAblation compares the runs without one technique each with the first.
func printAblation(out io.Writer, r *scheduleResult) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nwithout\tphase\tbound\thorizon\tchange\tgap\tmethod\tlooks\tseconds\n")
	for _, a := range r.Ablation {
		for i := range a.Phases {
			p, full := &a.Phases[i], &r.Phases[i]
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%+d\t%s\t%s\t%d\t%.3f\n", strings.Join(a.Without, " "), p.Phase, p.Bound, p.Horizon, p.Horizon-full.Horizon,
				percent(p.Gap), p.Method, p.Looks, p.Seconds)
		}
	}
	return w.Flush()
}
