package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ipusolve/encode/planning"
	"ipusolve/model"
	"ipusolve/model/plandiff"
	"ipusolve/model/space"
	"ipusolve/solve/mip"
)

// explainView is the answer of explain.
type explainView struct {
	File   string          `json:"file"`
	Family string          `json:"family"`
	Cycles int64           `json:"cycles"`
	Ops    []explainedGemm `json:"ops"`
	Gelus  []explainedGelu `json:"gelus"`
	WhyNot *whyNot         `json:"whyNot,omitempty"`
}

// explainedGemm is how a GEMM runs, and the best plans in which it runs otherwise.
type explainedGemm struct {
	Op        string        `json:"op"`
	Candidate string        `json:"candidate"`
	Pinned    string        `json:"pinned,omitempty"`
	RunnersUp []alternative `json:"runnersUp"`
}

// alternative is a plan beside the one explained.
type alternative struct {
	Candidate string                `json:"candidate"`
	Cycles    int64                 `json:"cycles"`
	More      int64                 `json:"more"`  // than the plan explained
	Bound     int64                 `json:"bound"` // no plan with this candidate costs less
	Terms     []plandiff.Difference `json:"terms"` // that differ
	Others    []diffText            `json:"others"`
}

// explainedGelu is where a GELU runs, and what the plan would cost otherwise.
type explainedGelu struct {
	Op        string       `json:"op"`
	Where     string       `json:"where"`
	Elsewhere *alternative `json:"elsewhere,omitempty"`
}

// whyNot is why a candidate is not the one of the plan.
type whyNot struct {
	Op        string `json:"op"`
	Candidate string `json:"candidate"`
	// Verdict: chosen, rule, memory or cost.
	Verdict  string       `json:"verdict"`
	Rule     string       `json:"rule,omitempty"`
	Limit    string       `json:"limit,omitempty"`
	Required int64        `json:"required,omitempty"` // bytes a tile
	Allowed  int64        `json:"allowed,omitempty"`
	Smallest int64        `json:"smallest,omitempty"` // memory limit that would do
	Best     *alternative `json:"best,omitempty"`
}

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say why a plan is as it is: what else was near, and what a candidate would cost",
		ArgsUsage: "OUT.ipuexe|PLAN.json|REPORT.json",
		Description: "Example:\n  ipusolve explain mlp.ipuexe --op block0.gemm1 --why-not 'N(4,32,8)'\n\n" +
			"Every answer is solved: the operation runs as said, all else is chosen anew. Of a report the plan is solved again.\n\n" +
			"Exit code 4: a limit came before the answer was proven; what was found is printed.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "op", Usage: "explain only operation `N`, a name or its number in the graph"},
			&cli.IntFlag{Name: "top", Usage: "show the best `N` runners-up of every GEMM", Value: 3},
			&cli.BoolFlag{Name: "variants", Usage: "show runners-up that share the compute grid of the plan"},
			&cli.StringFlag{Name: "why-not", Usage: "say why the GEMM of --op does not run like this `CANDIDATE`, such as N(4,32,8)"},
			&cli.DurationFlag{Name: "time-limit", Usage: "stop solving for the runners-up of a GEMM, or for --why-not, after `TIME`; 0: never", Value: time.Minute},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: explain,
	}
}

func explain(c *cli.Context) error {
	path, err := argument(c, "a package, a plan or a report")
	if err != nil {
		return err
	}
	var pattern space.Pattern
	if c.IsSet("why-not") {
		if pattern, err = space.ParsePattern(c.String("why-not")); err != nil {
			return err
		}
	}
	if c.Int("top") < 0 {
		return usageError("explain: --top: want no negative number, found %d", c.Int("top"))
	}
	if c.Duration("time-limit") < 0 {
		return usageError("explain: --time-limit: want no negative time, found %v", c.Duration("time-limit"))
	}
	s, err := loadSide(path)
	if err != nil {
		return err
	}
	op, err := opOf(c, s.problem)
	if err != nil {
		return err
	}
	x := &explaining{Context: c, limit: c.Duration("time-limit"), console: newConsole(c.App.ErrWriter)}
	defer x.console.done()
	if err := x.load(s); err != nil {
		return err
	}
	v := &explainView{File: path, Family: s.problem.FamilyText(), Cycles: x.Plan().Total(), Ops: []explainedGemm{}, Gelus: []explainedGelu{}}
	if c.IsSet("why-not") {
		v.WhyNot, err = x.whyNot(op, c.String("why-not"), pattern)
	} else {
		err = x.ops(v, op)
	}
	if err != nil {
		return err
	}
	x.console.done()
	if c.Bool("json") {
		err = writeJSON(c.App.Writer, v)
	} else {
		err = v.print(c.App.Writer)
	}
	if err == nil && x.short != "" {
		return limitError("explain: a limit was reached before the answer about %s was proven; what was found is printed", x.short)
	}
	return err
}

// opOf is the operation of --op; empty: all.
func opOf(c *cli.Context, p *model.Problem) (string, error) {
	text := c.String("op")
	if !c.IsSet("op") {
		if names := gemmNames(p); c.IsSet("why-not") && len(names) == 1 {
			return names[0], nil
		}
		if c.IsSet("why-not") {
			return "", usageError("explain: --why-not is about one GEMM; give --op")
		}
		return "", nil
	}
	for i := range p.Graph.Ops {
		op := &p.Graph.Ops[i]
		if op.Name != text && strconv.Itoa(i) != text {
			continue
		}
		if c.IsSet("why-not") && op.Kind != model.OpGemm {
			return "", usageError("explain: --why-not: %s is no GEMM", op.Name)
		}
		return op.Name, nil
	}
	return "", usageError("explain: --op: no operation %q", text)
}

// explaining answers the questions of a command line.
type explaining struct {
	*cli.Context
	*planning.Explainer
	limit   time.Duration
	console *console
	short   string // a GEMM of which a limit left something out or unproven
}

// load reads the plan, or solves that of a report again.
func (x *explaining) load(s *side) error {
	plan, opt := s.plan, planning.Options{}
	if s.report != nil && len(s.report.Planning.Tightened) > 0 {
		// What placement ruled out is ruled out for alternatives too.
		opt.Tighten = map[string]int64{}
		for _, t := range s.report.Planning.Tightened {
			opt.Tighten[t.Limit] = t.Bytes
		}
	}
	if plan == nil {
		if s.problem.Profile != model.ProfileC600 {
			return usageError("explain: %s: the plan of a report under profile %s is not known; give the package", s.path, s.problem.Profile)
		}
		ctx, cancel := x.within()
		defer cancel()
		res, err := planning.Solve(ctx, s.problem, mip.Solver{}, opt)
		if err != nil {
			return err
		}
		if res.Plan == nil {
			return limitError("explain: %s: the plan was not found again within the time limit", s.path)
		}
		if d := plandiff.Compare(s.steps(), plandiff.Steps(res.Plan)); !samePrices(d) {
			return usageError("explain: %s: solved again, the plan is another one (%+d cycles); give the package or the plan", s.path, d.More)
		}
		plan = res.Plan
	}
	e, err := planning.NewExplainer(plan, mip.Solver{}, opt)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	x.Explainer = e
	return nil
}

// samePrices tells that two plans have the same steps at the same prices.
func samePrices(d *plandiff.Result) bool {
	for _, s := range d.Steps {
		if s.Only != "" || len(s.Terms) > 0 {
			return false
		}
	}
	return true
}

func (x *explaining) within() (context.Context, context.CancelFunc) {
	if x.limit == 0 {
		return context.WithCancel(x.Context.Context)
	}
	return context.WithTimeout(x.Context.Context, x.limit)
}

// ops explains an operation, or all.
func (x *explaining) ops(v *explainView, op string) error {
	pins := map[string]string{}
	for _, p := range x.Plan().Problem.Pins {
		pins[p.Op] = p.Candidate
	}
	for _, c := range x.Chosen() {
		if op == "" || op == c.Op {
			g := explainedGemm{Op: c.Op, Candidate: c.Candidate, Pinned: pins[c.Op], RunnersUp: []alternative{}}
			x.console.say("runners-up of %s", c.Op)
			ctx, cancel := x.within()
			list, err := x.RunnersUp(ctx, c.Op, x.Int("top"), !x.Bool("variants"))
			cancel()
			if err != nil && !stopped(err) {
				return err
			}
			if err != nil || slices.ContainsFunc(list, func(a *planning.Alternative) bool { return !a.Proven() }) {
				x.short = c.Op
			}
			for _, a := range list {
				g.RunnersUp = append(g.RunnersUp, x.alternative(a.Candidate, a.Plan, a.Bound, c.Op))
			}
			v.Ops = append(v.Ops, g)
		}
		for _, name := range c.Gelus {
			if op != "" && op != name {
				continue
			}
			g := explainedGelu{Op: name, Where: where(c.Runs)}
			if p := x.Elsewhere(c.Op); p != nil {
				a := x.alternative(where(!c.Runs), p, p.Total(), "")
				g.Elsewhere = &a
			}
			v.Gelus = append(v.Gelus, g)
		}
	}
	return nil
}

func stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func where(runs bool) string {
	if runs {
		return "on row-major runs"
	}
	return "in the result's layout"
}

// alternative compares a plan with the one explained; op is the restricted GEMM.
func (x *explaining) alternative(candidate string, p *model.Plan, bound int64, op string) alternative {
	d := plandiff.Compare(plandiff.Steps(x.Plan()), plandiff.Steps(p))
	a := alternative{Candidate: candidate, Cycles: d.B, More: d.More, Bound: bound, Terms: differing(d.Terms), Others: []diffText{}}
	e, err := planning.NewExplainer(p, mip.Solver{}, planning.Options{})
	if err != nil {
		panic(fmt.Sprintf("explain: a plan of the family is not read: %v", err))
	}
	mine, others := x.Chosen(), e.Chosen()
	for i := range mine {
		if mine[i].Op != op && mine[i].Candidate != others[i].Candidate {
			a.Others = append(a.Others, diffText{mine[i].Op, mine[i].Candidate, others[i].Candidate})
		}
		if op != "" && len(mine[i].Gelus) > 0 && mine[i].Runs != others[i].Runs {
			a.Others = append(a.Others, diffText{mine[i].Gelus[0], where(mine[i].Runs), where(others[i].Runs)})
		}
	}
	return a
}

func (x *explaining) whyNot(op, text string, pattern space.Pattern) (*whyNot, error) {
	ctx, cancel := x.within()
	defer cancel()
	r, err := x.WhyNot(ctx, op, pattern)
	if err != nil {
		return nil, err
	}
	w := &whyNot{Op: op, Candidate: text}
	var none *planning.InfeasibleError
	switch {
	case r.Chosen:
		w.Verdict = "chosen"
	case r.Rule != "":
		w.Verdict, w.Rule = "rule", r.Rule
	case errors.As(r.Limit, &none):
		w.Verdict, w.Limit, w.Required, w.Allowed, w.Smallest = "memory", none.Limit, none.Required, none.Allowed, none.Smallest
	default:
		a := x.alternative(r.Best.Candidate, r.Best.Plan, r.Best.Bound, op)
		w.Verdict, w.Best = "cost", &a
		if !r.Best.Proven() {
			x.short = op
		}
	}
	return w, nil
}

func (v *explainView) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s: %d cycles, family %s\n", v.File, v.Cycles, v.Family)
	for _, g := range v.Ops {
		fmt.Fprintf(w, "\n%s\t%s\t", g.Op, g.Candidate)
		if g.Pinned != "" {
			fmt.Fprintf(w, "pinned to %s", g.Pinned)
		}
		fmt.Fprintln(w)
		for i, a := range g.RunnersUp {
			fmt.Fprintf(w, "  %d\t%s\t%s\n", i+1, a.Candidate, a.text())
		}
	}
	for _, g := range v.Gelus {
		fmt.Fprintf(w, "\n%s\t%s\t\n", g.Op, g.Where)
		if g.Elsewhere != nil {
			fmt.Fprintf(w, "  else\t%s\t%s\n", g.Elsewhere.Candidate, g.Elsewhere.text())
		}
	}
	if v.WhyNot != nil {
		fmt.Fprintf(w, "%s=%s: %s\n", v.WhyNot.Op, v.WhyNot.Candidate, v.WhyNot.text())
	}
	return w.Flush()
}

// text says what an alternative costs.
func (a *alternative) text() string {
	text := fmt.Sprintf("%+d cycles: %s", a.More, termsText(a.Terms))
	if a.Bound < a.Cycles {
		text += fmt.Sprintf("; not proven, at least %+d", a.More-(a.Cycles-a.Bound))
	}
	for _, o := range a.Others {
		text += fmt.Sprintf("; %s %s", o.Name, o.B)
	}
	return text
}

func (w *whyNot) text() string {
	switch w.Verdict {
	case "chosen":
		return "it is the one of the plan"
	case "rule":
		return "illegal: " + w.Rule
	case "memory":
		return fmt.Sprintf("illegal: %s needs %d bytes a tile, %d more than the %d the limit leaves; smallest memory limit that would do: %d",
			w.Limit, w.Required, w.Required-w.Allowed, w.Allowed, w.Smallest)
	}
	return w.Best.Candidate + ": " + w.Best.text()
}
