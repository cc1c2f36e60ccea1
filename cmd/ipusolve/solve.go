package main

import (
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve/encode"
	"ipusolve/solve"
	"ipusolve/solve/auto"
	"ipusolve/solve/cert"
	"ipusolve/solve/format"
)

func solveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "solve a model or an instance of another tool, with a proof",
		ArgsUsage: "MODEL.{lp,mps,opb,cnf}|IOPDDL.json[.gz]|BUFFERS.csv",
		Description: "Prints status, best, bound and gap. Exit code 3: no optimum exists, because the problem is infeasible or unbounded;\n" +
			"4: a limit came before the demanded gap.\n\n" +
			"Example:\n  ipusolve solve model.mps --solution model.sol --cert model.cert && ipusolve verify model.cert",
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "time-limit", Usage: "stop after `TIME`; 0: never", Value: time.Minute},
			&cli.Int64Flag{Name: "effort", Usage: "stop after `N` simplex iterations or as much other work (of a packing: nodes); the same on every machine; 0: never"},
			&cli.Float64Flag{Name: "gap", Usage: "stop at this proven `GAP` (best − bound) / best"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the search"},
			&cli.IntFlag{Name: "threads", Usage: "most threads to use; 0: as many as help"},
			&cli.StringSliceFlag{Name: "disable", Usage: "do without `TECHNIQUE`: " + techniqueList(solve.Techniques()) +
				"; for buffers " + techniqueList(encode.PackTechniques())},
			&cli.BoolFlag{Name: "ablate", Usage: "solve once more without each technique, and compare"},
			&cli.Int64Flag{Name: "capacity", Usage: "addresses that buffers may take; default: the number in the name, as in A.1048576.csv"},
			&cli.StringFlag{Name: "export", Usage: "write the model to `FILE`.{lp,mps,opb,cnf}"},
			&cli.StringFlag{Name: "solution", Usage: "write the solution to `FILE`"},
			&cli.StringFlag{Name: "cert", Usage: "write the certificate to `FILE`"},
			&cli.StringFlag{Name: "json", Usage: "write the result to `FILE`; - for stdout instead of text"},
		},
		Action: solveFile,
	}
}

func techniqueList(list []solve.Technique) string {
	var names []string
	for _, t := range list {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

func solveFile(c *cli.Context) error {
	path, err := argument(c, "a model or an instance")
	if err != nil {
		return err
	}
	techniques := solve.Techniques()
	if isPacking(path) {
		techniques = encode.PackTechniques()
	}
	opt, err := solveOptions(c, techniques)
	if err != nil {
		return err
	}
	if err := checkOutputs("solve", givenOutputs(c), path); err != nil {
		return err
	}
	if isPacking(path) {
		return solveBuffers(c, path, opt)
	}
	in, err := readInstance(c.Context, path)
	if err != nil {
		return err
	}
	if out := c.String("export"); out != "" {
		if err := exportTo(out, in.problem.Model); err != nil {
			return err
		}
	}
	console := newConsole(c.App.ErrWriter)
	opt.Log = newSolveLog(c, console, in.problem.Objective)
	a, err := auto.Solve(c.Context, in.problem, auto.Solver{}, opt)
	console.done()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := writeAnswer(c, in, a); err != nil {
		return err
	}
	if c.Bool("ablate") {
		if err := ablate(c, in, opt, a); err != nil {
			return err
		}
	}
	switch {
	case a.Status == solve.Infeasible.String() || a.Status == auto.Unbounded:
		return &codedError{exitInfeasible, fmt.Errorf("%s: %s", path, a.Status)}
	case a.Gap() > opt.Gap:
		return unproven(path, in.problem, a, opt.Gap)
	}
	return nil
}

// unproven says why the demanded gap is open.
func unproven(path string, p *format.Problem, a *auto.Answer, demanded float64) error {
	switch {
	case a.Within:
		return limitError("%s: nothing is proven: %s", path, assumed(p))
	case a.Objective == nil:
		return limitError("%s: a limit was reached before a solution was found", path)
	}
	return limitError("%s: a limit was reached at a gap of %s, %s was demanded; the best so far is kept", path, percent(a.Gap()), percent(demanded))
}

// solveOptions are the search options of a command line, for an engine that has
// these techniques.
func solveOptions(c *cli.Context, techniques []solve.Technique) (solve.Options, error) {
	opt := solve.Options{TimeLimit: c.Duration("time-limit"), Effort: c.Int64("effort"), Gap: c.Float64("gap"), Seed: c.Uint64("seed"), Threads: c.Int("threads")}
	switch {
	case !(opt.Gap >= 0 && opt.Gap < 1):
		return opt, usageError("solve: --gap: want a number from 0 to below 1, found %v", opt.Gap)
	case opt.TimeLimit < 0:
		return opt, usageError("solve: --time-limit: want no negative time, found %v", opt.TimeLimit)
	case opt.Effort < 0:
		return opt, usageError("solve: --effort: want no negative number, found %d", opt.Effort)
	case opt.Threads < 0:
		return opt, usageError("solve: --threads: want no negative number, found %d", opt.Threads)
	}
	for _, name := range c.StringSlice("disable") {
		if !slices.Contains(techniques, solve.Technique(name)) {
			return opt, usageError("solve: --disable: unknown technique %q, want one of %s", name, techniqueList(techniques))
		}
		opt.Disable = append(opt.Disable, solve.Technique(name))
	}
	if out := c.String("export"); out != "" && writerOf(out) == nil {
		return opt, usageError("solve: --export: want a name that ends in .lp, .mps, .opb or .cnf, found %s", out)
	}
	return opt, nil
}

// writerOf chooses the format by the name's ending; nil for others.
func writerOf(name string) func(io.Writer, *solve.Model) error {
	return map[string]func(io.Writer, *solve.Model) error{".lp": format.WriteLP, ".mps": format.WriteMPS, ".opb": format.WriteOPB,
		".cnf": format.WriteCNF}[strings.ToLower(filepath.Ext(name))]
}

func exportTo(path string, m *solve.Model) error {
	return writeFile(path, func(w io.Writer) error { return writerOf(path)(w, m) })
}

// writeAnswer prints the result and writes the files that were asked for.
func writeAnswer(c *cli.Context, in *instance, a *auto.Answer) error {
	found := a.Objective != nil
	if path := c.String("solution"); path != "" && found {
		if err := writeFile(path, func(w io.Writer) error { return in.writeSolution(w, a) }); err != nil {
			return err
		}
	}
	proof := a.Result.Certificate
	if a.Uncertified || a.Within || a.Status == auto.Unbounded {
		proof = nil // it would be a proof about the assumed bounds
	}
	if path := c.String("cert"); path != "" && proof != nil {
		if err := writeFile(path, func(w io.Writer) error { return cert.Write(w, in.problem.Model, proof) }); err != nil {
			return err
		}
	}
	if path := c.String("json"); path != "" {
		r := in.result(a)
		if err := writeResult(path, c.App.Writer, func(w io.Writer) error { return writeJSON(w, r) }); err != nil {
			return err
		}
		if path == stdoutName {
			return nil
		}
	}
	w := c.App.Writer
	m, s := in.problem.Model, &a.Result.Stats
	fmt.Fprintf(w, "model     %s: %d rows, %d variables\n", in.name, len(m.Rows), len(m.Vars))
	fmt.Fprintf(w, "status    %s\nbest      %s\nbound     %s\n", a.Status, exactText(a.Objective), exactText(a.Bound))
	gap := "-"
	if found {
		gap = percent(a.Gap())
	}
	fmt.Fprintf(w, "gap       %s\nsearch    %d nodes, %d iterations\n", gap, s.Nodes, s.LPIterations)
	if a.Uncertified {
		fmt.Fprintln(w, "note      found by SAT search; there is no certificate")
	}
	if a.Within {
		fmt.Fprintf(w, "note      %s; better may lie beyond\n", assumed(in.problem))
	}
	for _, f := range []struct {
		name string
		done bool
	}{{"solution", found}, {"cert", proof != nil}, {"export", true}} {
		switch path := c.String(f.name); {
		case path == "":
		case f.done:
			fmt.Fprintf(w, "%-9s written to %s\n", f.name, path)
		default:
			fmt.Fprintf(w, "%-9s not written: there is none\n", f.name)
		}
	}
	return nil
}

// assumed names the first variables whose bounds were assumed.
func assumed(p *format.Problem) string {
	const most = 5
	var names []string
	for _, a := range p.Assumed {
		if name := p.Model.Vars[a.Var].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	more := ""
	if len(names) > most {
		names, more = names[:most], ", …"
	}
	return fmt.Sprintf("missing bounds of %s%s were taken as %d", strings.Join(names, ", "), more, format.AssumedBound)
}

// exactText writes an exact value: an integer, a decimal that ends, or a fraction.
func exactText(x *big.Rat) string {
	if x == nil {
		return "-"
	}
	if x.IsInt() {
		return x.Num().String()
	}
	const most = 12 // decimals
	if digits, exact := x.FloatPrec(); exact && digits <= most {
		return x.FloatString(digits)
	}
	return x.RatString()
}

// ablate solves again without each technique and prints what that costs.
func ablate(c *cli.Context, in *instance, opt solve.Options, whole *auto.Answer) error {
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nwithout\tstatus\tbest\tbound\tnodes\titerations\tseconds\n")
	line := func(name string, a *auto.Answer) {
		s := &a.Result.Stats
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%.2f\n", name, a.Status, exactText(a.Objective), exactText(a.Bound), s.Nodes, s.LPIterations, s.Duration.Seconds())
	}
	line("nothing", whole)
	opt.Log = nil
	for _, t := range solve.Techniques() {
		if slices.Contains(opt.Disable, t) {
			continue
		}
		less := opt
		less.Disable = append(slices.Clone(opt.Disable), t)
		a, err := auto.Solve(c.Context, in.problem, auto.Solver{}, less)
		if err != nil {
			return err
		}
		line(string(t), a)
	}
	return w.Flush()
}
