package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/bench/heuristic"
	"ipusolve/bench/report"
	"ipusolve/bench/seedlog"
	"ipusolve/bench/suite"
	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// entrants are the names of the planners that compare knows.
var entrants = []string{report.Solved, "B0", "B1", "B2"}

func compareCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringSliceFlag{Name: "problem", Usage: "compare problems of the suite whose names match `PATTERN`, as vit-*; may be given again"},
		&cli.StringSliceFlag{Name: "workload", Usage: "compare an MLP, `TOKENSxDIMxHIDDEN[xBLOCKS][@TILES]`; may be given again"},
		&cli.IntFlag{Name: "max-tiles", Usage: "leave out problems on more than `N` tiles; 0: none"},
		&cli.StringSliceFlag{Name: "planner", Usage: "only this `PLANNER`, " + strings.Join(entrants, ", ") + "; may be given again"},
		&cli.StringSliceFlag{Name: "log", Usage: "add the figures of an ipu-stack log in `FILE` beside problems of its sizes; may be given again"},
		&cli.BoolFlag{Name: "list", Usage: "print the problems instead"},
		&cli.DurationFlag{Name: "time-limit", Usage: "stop planning, and scheduling each phase, after `TIME`; 0: never", Value: 20 * time.Second},
		&cli.Uint64Flag{Name: "seed", Usage: "seed of the searches"},
		&cli.BoolFlag{Name: "verify", Usage: "check the record of every pass"},
		&cli.StringFlag{Name: "json", Usage: "write the figures to `FILE`; - for stdout instead of text"},
		&cli.StringFlag{Name: "csv", Usage: "write the figures to `FILE.csv`"},
		&cli.StringFlag{Name: "svg", Usage: "draw the cycles of the baselines over those of the solved plans to `FILE.svg`"},
		&cli.StringFlag{Name: "page", Usage: "write the study as a page of documentation to `FILE.md`"},
	}
	rules := []string{"inputs", "weights", "outputs", "family", "without", "memory-limit"}
	for _, f := range problemFlags() {
		if slices.Contains(rules, f.Names()[0]) {
			flags = append(flags, f)
		}
	}
	return &cli.Command{
		Name:  "compare",
		Usage: "compare solved plans with the baselines, and with logs of ipu-stack, on many workloads",
		Description: "Plans, compiles and runs every problem with every planner under the same rules. Without --problem and --workload it takes the whole suite.\n" +
			"What goes wrong with one plan is told beside it. An interrupted study writes the problems it has finished.\n\n" +
			"Examples:\n  ipusolve compare --max-tiles 64\n  ipusolve compare --problem 'siglip-729*' --log run.txt --csv figures.csv\n" +
			"  ipusolve compare --page docs/study.md --svg docs/study.svg",
		Flags:  flags,
		Action: compare,
	}
}

func compare(c *cli.Context) error {
	workloads, err := chosenWorkloads(c)
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return listWorkloads(c.App.Writer, workloads)
	}
	config, err := comparison(c)
	if err != nil {
		return err
	}
	outputs := givenOutputs(c)
	for _, name := range []string{"csv", "svg", "page"} {
		if c.IsSet(name) {
			outputs = append(outputs, output{flag: "--" + name, path: c.String(name)})
		}
	}
	if err := checkOutputs("compare", outputs, c.StringSlice("log")...); err != nil {
		return err
	}
	logs, err := readLogs(c.StringSlice("log"))
	if err != nil {
		return err
	}
	console := newConsole(c.App.ErrWriter)
	defer console.done()
	log := newLog(c, console)
	study := &report.Study{Schema: report.Schema, Family: config.Like.FamilyText(), Asked: len(workloads), Rows: []report.Row{}}
	for i, w := range workloads {
		config.Progress = func(what string) { console.progress(what+", problem", i+1, len(workloads)) }
		row, err := report.Compare(c.Context, w, config)
		if c.Context.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		study.Rows = append(study.Rows, *row)
		figures := []any{"problem", row.Name}
		for k := range row.Entries {
			figures = append(figures, row.Entries[k].Name, row.Entries[k].Cycles)
		}
		log.Info("problem done", figures...)
	}
	console.done()
	for _, l := range logs {
		if study.AddLog(l.name, l.Log) == 0 {
			log.Warn("no problem has the sizes of the log", "log", l.name, "tokens", l.Tokens, "dim", l.Dim, "hidden", l.Hidden, "blocks", l.Blocks, "tiles", l.Tiles)
		}
	}
	if err := writeStudy(c, study); err != nil {
		return err
	}
	if failed := study.Failed(); len(failed) > 0 {
		return checkError("compare: numerical tests failed: %s", strings.Join(failed, ", "))
	}
	if len(study.Rows) < len(workloads) {
		return limitError("compare: stopped after %d of %d problems", len(study.Rows), len(workloads))
	}
	return nil
}

// chosenWorkloads are those of the suite that the flags name, then those given by
// size, all with rules.
func chosenWorkloads(c *cli.Context) ([]suite.Workload, error) {
	if c.Args().Present() {
		return nil, usageError("compare: want no arguments, found %q", c.Args().First())
	}
	if n := c.Int("max-tiles"); n < 0 {
		return nil, usageError("compare: --max-tiles: want no negative number, found %d", n)
	}
	var list []suite.Workload
	if c.IsSet("problem") || !c.IsSet("workload") {
		var err error
		if list, err = suite.Matching(suite.Workloads(), c.StringSlice("problem")); err != nil {
			return nil, usageError("compare: --problem: %w; ipusolve compare --list lists them", err)
		}
	}
	for _, text := range c.StringSlice("workload") {
		w, err := suite.ParseWorkload(text)
		if err != nil {
			return nil, usageError("compare: --workload: %w", err)
		}
		list = append(list, w)
	}
	if n := c.Int("max-tiles"); n > 0 {
		list = slices.DeleteFunc(list, func(w suite.Workload) bool { return w.Tiles > n })
	}
	if len(list) == 0 {
		return nil, usageError("compare: --max-tiles: no problem is left")
	}
	for i := range list {
		list[i] = list[i].With(suite.Rules{Inputs: c.String("inputs"), Weights: c.String("weights"), Outputs: c.String("outputs")})
	}
	return list, nil
}

// comparison is what the flags say of planners and limits.
func comparison(c *cli.Context) (*report.Config, error) {
	limit := c.Duration("time-limit")
	if limit < 0 {
		return nil, usageError("compare: --time-limit: want no negative time, found %v", limit)
	}
	like := suite.DefaultProblem
	like.Family, like.MemoryLimit = c.String("family"), c.Int("memory-limit")
	if like.Family == model.FamilySeed {
		return nil, usageError("compare: --family %s is planned under profile %s, studies are not", model.FamilySeed, model.ProfileSeed)
	}
	if c.IsSet("without") {
		like.Without = slices.Compact(slices.Sorted(slices.Values(c.StringSlice("without"))))
	}
	if like.MemoryLimit > model.MaxPhysicalBytes {
		return nil, usageError("compare: --memory-limit: want a multiple of %d up to the %d bytes of a tile, found %d", model.MemoryGranule, model.MaxPhysicalBytes, like.MemoryLimit)
	}
	seed := c.Uint64("seed")
	config := &report.Config{Like: like, PlanLimit: limit, Verify: c.Bool("verify"),
		Scheduler: limited{ipusolve.List{Options: exchange.Options{Seed: seed}, Widths: true}, limit}}
	chosen := c.StringSlice("planner")
	for _, name := range chosen {
		if !slices.Contains(entrants, name) {
			return nil, usageError("compare: --planner: want %s, found %q", strings.Join(entrants, ", "), name)
		}
	}
	for _, name := range entrants {
		if len(chosen) > 0 && !slices.Contains(chosen, name) {
			continue
		}
		var planner ipusolve.Planner = &ipusolve.Optimal{Solver: mip.Solver{}, Options: solve.Options{TimeLimit: limit, Seed: seed}}
		if name != report.Solved {
			planner = &ipusolve.Baseline{Variant: map[string]heuristic.Variant{"B0": heuristic.B0, "B1": heuristic.B1, "B2": heuristic.B2}[name]}
		}
		config.Entrants = append(config.Entrants, report.Entrant{Name: name, Planner: planner})
	}
	return config, nil
}

// namedLog is a log with the name of its file.
type namedLog struct {
	*seedlog.Log
	name string
}

func readLogs(paths []string) (logs []namedLog, err error) {
	for _, path := range paths {
		l, err := readFile(path, seedlog.Read)
		if errors.Is(err, seedlog.ErrNoLog) {
			return nil, fmt.Errorf("%s: want a log of ipu-stack, found no entry of one", path)
		}
		if err != nil {
			return nil, err
		}
		logs = append(logs, namedLog{l, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))})
	}
	return logs, nil
}

func listWorkloads(out io.Writer, list []suite.Workload) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "problem\ttokens\tdim\thidden\tblocks\ttiles\tinputs\tweights\toutputs\twhat")
	for i := range list {
		x := &list[i]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", x.Name, x.Tokens, x.Dim, x.Hidden, x.Blocks, x.Tiles, x.Inputs, x.Weights, x.Outputs, x.Title)
	}
	return w.Flush()
}

func writeStudy(c *cli.Context, s *report.Study) error {
	for _, o := range []struct {
		flag  string
		write func(io.Writer) error
	}{
		{"csv", s.CSV},
		{"svg", func(w io.Writer) error { return writeSVG(w, studyFigure(s)) }},
		{"page", func(w io.Writer) error {
			return s.Page(w, studyCommand(c), chartBeside(c.String("page"), c.String("svg")))
		}},
	} {
		if path := c.String(o.flag); path != "" {
			if err := writeFile(path, o.write); err != nil {
				return err
			}
		}
	}
	if path := c.String("json"); path != "" {
		if err := writeResult(path, c.App.Writer, func(w io.Writer) error { return writeJSON(w, s) }); err != nil || path == stdoutName {
			return err
		}
	}
	return s.Text(c.App.Writer)
}

// chartBeside is how a page names a chart in its folder; empty if it lies elsewhere.
func chartBeside(page, chart string) string {
	if chart == "" || filepath.Dir(page) != filepath.Dir(chart) {
		return ""
	}
	return filepath.Base(chart)
}

// studyCommand is the command line that makes the page again, in the order of the
// command's flags.
func studyCommand(c *cli.Context) string {
	text := "ipusolve compare"
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if !c.IsSet(name) {
			continue
		}
		switch f.(type) {
		case *cli.StringSliceFlag:
			for _, v := range c.StringSlice(name) {
				text += fmt.Sprintf(" --%s '%s'", name, v)
			}
		case *cli.BoolFlag:
			text += " --" + name
		default:
			text += fmt.Sprintf(" --%s %v", name, c.Value(name))
		}
	}
	return text
}
