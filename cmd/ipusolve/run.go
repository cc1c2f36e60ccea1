package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/bench/trial"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/model/eval"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a package on the simulated device",
		ArgsUsage: "OUT.ipuexe",
		Description: "Without files, inputs and weights are those of the seed test. Tensors in .npy files have the graph's shapes, C order, <f2 or (inputs) <f4.\n\n" +
			"Example:\n  ipusolve run mlp.ipuexe --check",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "run the numerical tests, each with its own data"},
			&cli.IntFlag{Name: "repeat", Usage: "run `N` times and demand equal outputs", Value: 1},
			&cli.StringSliceFlag{Name: "input", Usage: "read an input, `NAME=X.npy`"},
			&cli.StringSliceFlag{Name: "weights", Usage: "read a weight, `NAME=W.npy`"},
			&cli.StringSliceFlag{Name: "output", Usage: "write an output, `NAME=Y.npy`"},
			&cli.StringFlag{Name: "trace", Usage: "write one line per step of every tile to `FILE`"},
			&cli.BoolFlag{Name: "lenient", Usage: "count breaches of the strict rules lanes, counts and unwritten instead of stopping"},
			&cli.StringFlag{Name: "json", Usage: "write the figures to `FILE`; - for stdout instead of text"},
		},
		Action: runPackage,
	}
}

func runPackage(c *cli.Context) (err error) {
	path, err := argument(c, "a package")
	if err != nil {
		return err
	}
	if c.Int("repeat") < 1 {
		return usageError("run: --repeat: want at least 1, found %d", c.Int("repeat"))
	}
	l, err := loadPackage(path)
	if err != nil {
		return err
	}
	outputs, err := namedFiles(c, "output", model.RoleOutput, l.plan)
	if err != nil {
		return err
	}
	files := givenOutputs(c)
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		files = append(files, output{flag: "--output " + name, path: outputs[name]})
	}
	inputs := []string{path}
	for _, flag := range []string{"input", "weights"} {
		for _, value := range c.StringSlice(flag) {
			_, name, _ := strings.Cut(value, "=")
			inputs = append(inputs, name)
		}
	}
	if err := checkOutputs("run", files, inputs...); err != nil {
		return err
	}
	console := newConsole(c.App.ErrWriter)
	defer console.done()
	options := sim.Options{Lenient: c.Bool("lenient")}
	if err := strictEnough(l.report, options.Lenient); err != nil {
		return err
	}
	if name := c.String("trace"); name != "" {
		trace, err2 := newFile(name)
		if err2 != nil {
			return err2
		}
		defer func() { err = errors.Join(err, trace.Close()) }() // also of a run that failed
		options.Trace = trace
	}
	r := &runner{loaded: l, console: console, log: newLog(c, console), repeat: c.Int("repeat")}
	jobs, err := r.jobs(c)
	if err != nil {
		return err
	}
	if r.rig, err = trial.New(l.app, l.plan, options); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var last trial.Tensors
	for i := range jobs {
		job, err := jobs[i]()
		if errors.Is(err, eval.ErrDegenerate) {
			r.skipped = append(r.skipped, err.Error())
			continue
		}
		if err != nil {
			return err
		}
		if last, err = r.run(c, job); err != nil {
			return err
		}
	}
	if r.result == nil {
		return fmt.Errorf("%s: no numerical test applies: %s", path, strings.Join(r.skipped, "; "))
	}
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		v, _ := l.plan.Problem.Graph.Value(name)
		if err := writeTensor(outputs[name], v, last[name]); err != nil {
			return err
		}
	}
	console.done()
	figures, err := r.figures()
	if err != nil {
		return err
	}
	if out := c.String("json"); out != "" {
		if err := writeResult(out, c.App.Writer, func(w io.Writer) error { return writeJSON(w, figures) }); err != nil {
			return err
		}
	}
	if c.String("json") != stdoutName {
		if err := figures.print(c.App.Writer); err != nil {
			return err
		}
	}
	for i := range r.tests {
		if t := &r.tests[i]; !t.Pass {
			return checkError("run: %s test: %s", t.Test, t.Detail)
		}
	}
	return nil
}

// strictEnough refuses a package whose rows use freedoms that only a lenient machine
// executes (reference: simulator.md §4).
func strictEnough(r *ipusolve.Report, lenient bool) error {
	for i := range r.Exchange {
		if f := r.Exchange[i].Freedom; f != exchange.Standard && !lenient {
			return usageError("run: phase %d uses the freedom %s, which strict mode refuses: give --lenient", i, f)
		}
	}
	return nil
}

// runner runs jobs on one machine.
type runner struct {
	*loaded
	rig     *trial.Rig
	console *console
	log     *slog.Logger
	repeat  int
	result  *sim.Result // of the last run
	tests   []eval.Report
	skipped []string // tests for which this graph has no data, and why
}

// jobs are what the command line asks for. Data are made when a job's turn
// comes.
func (r *runner) jobs(c *cli.Context) ([]func() (*trial.Job, error), error) {
	graph := &r.plan.Problem.Graph
	given := trial.Tensors{}
	for _, f := range []struct{ flag, role string }{{"input", model.RoleInput}, {"weights", model.RoleWeight}} {
		files, err := namedFiles(c, f.flag, f.role, r.plan)
		if err != nil {
			return nil, err
		}
		for name, path := range files {
			v, _ := graph.Value(name)
			if given[name], err = readTensor(path, v); err != nil {
				return nil, err
			}
		}
	}
	if c.Bool("check") && len(given) > 0 {
		return nil, usageError("run: --check uses data of its own; leave out --input and --weights")
	}
	chain, err := trial.ChainOf(graph)
	if err != nil {
		if c.Bool("check") || len(given) == 0 {
			return nil, fmt.Errorf("%s: no test data for this graph: %w", r.path, err)
		}
		return []func() (*trial.Job, error){func() (*trial.Job, error) { return &trial.Job{Name: "files", Data: given}, nil }}, nil
	}
	if c.Bool("check") {
		return chain.Tests(), nil
	}
	return []func() (*trial.Job, error){func() (*trial.Job, error) {
		d, err := eval.SeedData(chain.Chain)
		if err != nil {
			return nil, err
		}
		data := chain.Named(d)
		for name, t := range given {
			data[name] = t
		}
		return &trial.Job{Name: "run", Data: data}, nil
	}}, nil
}

// run runs a job as often as demanded and returns its outputs.
func (r *runner) run(c *cli.Context, j *trial.Job) (trial.Tensors, error) {
	if err := r.rig.Load(model.RoleWeight, j.Data); err != nil {
		return nil, r.failure(err)
	}
	var first trial.Tensors
	for i := range r.repeat {
		r.console.progress(j.Name+" run", i, r.repeat)
		if err := r.rig.Load(model.RoleInput, j.Data); err != nil {
			return nil, r.failure(err)
		}
		result, err := r.rig.Machine.Run(c.Context)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.path, err)
		}
		for _, w := range result.Warnings {
			r.log.Warn("strict rule broken", "rule", w.Rule, "count", w.Count, "first", w.First)
		}
		outputs, err := r.rig.Outputs()
		if err != nil {
			return nil, r.failure(err)
		}
		if first == nil {
			first = outputs
		}
		for name, t := range outputs {
			if !slices.Equal(t, first[name]) {
				return nil, checkError("run: output %s of run %d differs from the first", name, i+1)
			}
		}
		if i > 0 && result.Cycles != r.result.Cycles {
			return nil, checkError("run: run %d takes %d cycles, the one before %d", i+1, result.Cycles, r.result.Cycles)
		}
		r.result = result
	}
	if j.Check != nil {
		r.tests = append(r.tests, r.rig.Judge(j, first))
	}
	return first, nil
}

// failure puts the package's name before an error of the rig; data that are missing
// are bad usage, copies that differ a failed check.
func (r *runner) failure(err error) error {
	switch {
	case errors.Is(err, model.ErrUsage):
		return usageError("run: %w", err)
	case errors.Is(err, model.ErrCopies):
		return checkError("run: %w", err)
	}
	return fmt.Errorf("%s: %w", r.path, err)
}

// printSpans writes prediction and run side by side, segment by segment.
func (f *runFigures) printSpans(w io.Writer) {
	if len(f.Spans) == 0 {
		return
	}
	fmt.Fprint(w, "\nphase\twork before: planned\tsimulated\tdifference\texchange: planned\tscheduled\tsimulated\tdifference\n")
	for i := range f.Spans {
		s := &f.Spans[i]
		if s.Phase == model.NoPhase {
			fmt.Fprintf(w, "rest\t%d\t%d\t%s\n", s.PlannedWork, s.Work, difference(s.PlannedWork, s.Work))
			continue
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%d\t%d\t%d\t%s\n", s.Phase, s.PlannedWork, s.Work, difference(s.PlannedWork, s.Work),
			s.PlannedEvents, s.Scheduled, s.Horizon, difference(s.PlannedEvents, s.Horizon))
	}
	fmt.Fprintln(w)
}

// difference of a prediction, for people.
func difference(predicted, simulated int64) string {
	return signedPercent(float64(predicted-simulated) / float64(max(simulated, 1)))
}

// print writes the figures for people; the last line is that of the seed logs.
func (f *runFigures) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(f.Phases) > 0 {
		fmt.Fprint(w, "phase\ttiles\twords sent\treceived\tmost of a tile\thorizon\tscheduled\n")
	}
	for i := range f.Phases {
		p := &f.Phases[i]
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\n", i, p.Active, p.Sent, p.Received, p.Bound, p.Horizon, p.Scheduled)
	}
	f.printSpans(w)
	fmt.Fprintf(w, "predicted %d cycles, simulated %d, difference %s\n", f.Predicted, f.Cycles, signedPercent(f.Difference))
	for i := range f.Tests {
		t := &f.Tests[i]
		fmt.Fprintf(w, "test %s: %s, maximum error %g\n", t.Test, passWord(t.Pass), t.MaxAbsError)
	}
	for _, why := range f.NotApplicable {
		fmt.Fprintf(w, "test not applicable: %s\n", why)
	}
	fmt.Fprintln(w, f.line())
	return w.Flush()
}
