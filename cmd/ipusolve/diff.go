package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/model"
	"ipusolve/model/plandiff"
)

// diffView compares two plans; a and b are always the first and the second.
type diffView struct {
	Files    [2]string  `json:"files"`
	Status   [2]string  `json:"status"`
	Problems []diffText `json:"problems"` // what the problems state differently
	plandiff.Result
	Candidates []diffText        `json:"candidates"` // of GEMMs that run otherwise
	Layouts    []plandiff.Layout `json:"layouts"`    // of plan values that lie otherwise
	Memory     []memoryDiff      `json:"memory"`     // of all limits
	Phases     []phaseDiff       `json:"phases"`     // of all scheduled exchange phases
	Unknown    []string          `json:"unknown,omitempty"`
}

// diffText is something that two plans say in other words.
type diffText struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// memoryDiff are the bytes of a limit; a plan without it has none.
type memoryDiff struct {
	Limit string `json:"limit"`
	A     *int64 `json:"a,omitempty"`
	B     *int64 `json:"b,omitempty"`
}

// phaseDiff are the horizons of an exchange phase, in events.
type phaseDiff struct {
	Phase int    `json:"phase"`
	A     *int64 `json:"a,omitempty"`
	B     *int64 `json:"b,omitempty"`
}

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:        "diff",
		Usage:       "compare two plans term by term",
		ArgsUsage:   "A B",
		Description: "Example:\n  ipusolve diff a.ipuexe b.ipuexe\n\nA and B are packages, plans (plan.json of --dump) or reports. A report has no layouts.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "list equal steps and limits too"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usageError("diff: want two packages, plans or reports, found %d arguments", c.NArg())
			}
			v, err := newDiff(c.Args().Get(0), c.Args().Get(1))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c.App.Writer, v)
			}
			return v.print(c.App.Writer, c.Bool("all"))
		},
	}
}

func newDiff(pathA, pathB string) (*diffView, error) {
	a, err := loadSide(pathA)
	if err != nil {
		return nil, err
	}
	b, err := loadSide(pathB)
	if err != nil {
		return nil, err
	}
	v := &diffView{Files: [2]string{pathA, pathB}, Status: [2]string{a.status(), b.status()}, Problems: problemDiff(a.problem, b.problem),
		Result: *plandiff.Compare(a.steps(), b.steps()), Candidates: []diffText{}, Layouts: []plandiff.Layout{}, Memory: []memoryDiff{}, Phases: []phaseDiff{}}
	ea, ca, err := a.candidates()
	if err != nil {
		return nil, err
	}
	eb, cb, err := b.candidates()
	if err != nil {
		return nil, err
	}
	if ca != nil && cb != nil {
		v.Candidates = textDiff(gemmNames(a.problem, b.problem), ca, cb)
	} else {
		v.Unknown = append(v.Unknown, "candidates")
	}
	if a.plan != nil && b.plan != nil {
		v.Layouts = plandiff.Layouts(a.plan, b.plan)
	} else {
		v.Unknown = append(v.Unknown, "layouts")
	}
	ma, err := a.memory(ea)
	if err != nil {
		return nil, err
	}
	mb, err := b.memory(eb)
	if err != nil {
		return nil, err
	}
	if ma != nil && mb != nil {
		v.Memory = memoryDiffs(ma, mb)
	} else {
		v.Unknown = append(v.Unknown, "memory")
	}
	if a.report != nil && b.report != nil {
		for i := range max(len(a.report.Exchange), len(b.report.Exchange)) {
			d := phaseDiff{Phase: i}
			for _, x := range []struct {
				s  *side
				to **int64
			}{{a, &d.A}, {b, &d.B}} {
				if i < len(x.s.report.Exchange) {
					h := int64(x.s.report.Exchange[i].Horizon)
					*x.to = &h
				}
			}
			v.Phases = append(v.Phases, d)
		}
	}
	return v, nil
}

// problemDiff lists what two problems state differently.
func problemDiff(a, b *model.Problem) []diffText {
	in := func(p *model.Problem) map[string]string {
		return map[string]string{"graph": p.Graph.Name, "tiles": fmt.Sprint(p.Tiles), "profile": p.Profile, "inputs": p.Inputs, "weights": p.Weights,
			"outputs": p.Outputs, "family": p.FamilyText(), "memory limit": fmt.Sprint(p.MemoryLimit)}
	}
	return textDiff([]string{"graph", "tiles", "profile", "inputs", "weights", "outputs", "family", "memory limit"}, in(a), in(b))
}

// gemmNames are the GEMMs of two problems, those of the first in front.
func gemmNames(problems ...*model.Problem) (names []string) {
	for _, p := range problems {
		for i := range p.Graph.Ops {
			if op := &p.Graph.Ops[i]; op.Kind == model.OpGemm && !slices.Contains(names, op.Name) {
				names = append(names, op.Name)
			}
		}
	}
	return names
}

func textDiff(names []string, a, b map[string]string) []diffText {
	list := []diffText{}
	for _, name := range names {
		if a[name] != b[name] {
			list = append(list, diffText{name, a[name], b[name]})
		}
	}
	return list
}

func memoryDiffs(a, b []ipusolve.MemoryUse) []memoryDiff {
	list := []memoryDiff{}
	at := map[string]int{}
	for _, m := range a {
		at[m.Limit] = len(list)
		list = append(list, memoryDiff{Limit: m.Limit, A: &m.Bytes})
	}
	for _, m := range b {
		if i, ok := at[m.Limit]; ok {
			list[i].B = &m.Bytes
		} else {
			list = append(list, memoryDiff{Limit: m.Limit, B: &m.Bytes})
		}
	}
	return list
}

func (v *diffView) print(out io.Writer, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, name := range []string{"a", "b"} {
		fmt.Fprintf(w, "%s: %s: %d cycles, %s\n", name, v.Files[i], [2]int64{v.A, v.B}[i], v.Status[i])
	}
	table := func(title string, list []diffText) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\ta\tb\n", title)
		for _, d := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, dash(d.A), dash(d.B))
		}
	}
	table("problem", v.Problems)
	table("candidate", v.Candidates)
	fmt.Fprint(w, "\nterm\ta\tb\tb − a\n")
	for _, t := range v.Terms {
		fmt.Fprintf(w, "%s\t%d\t%d\t%+d\n", t.Name, t.A, t.B, t.More)
	}
	fmt.Fprintf(w, "total\t%d\t%d\t%+d\n", v.A, v.B, v.More)
	v.printSteps(w, all)
	if len(v.Layouts) > 0 {
		fmt.Fprint(w, "\nvalue\t\tlayout\n")
		for _, l := range v.Layouts {
			fmt.Fprintf(w, "%s\ta\t%s\n\tb\t%s\n", l.Value, dash(l.A), dash(l.B))
		}
	}
	v.printFigures(w, all)
	for _, u := range v.Unknown {
		fmt.Fprintf(w, "\nnot compared: %s, which a file does not say\n", u)
	}
	return w.Flush()
}

func (v *diffView) printSteps(w io.Writer, all bool) {
	title := "\nstep\top\tmakes\ta\tb\tb − a\tby\n"
	for _, s := range v.Steps {
		if !all && s.More == 0 && s.Only == "" && len(s.Terms) == 0 {
			continue
		}
		by := termsText(s.Terms)
		if s.Only != "" {
			by += "; only in " + s.Only
		}
		fmt.Fprintf(w, "%s%s\t%s\t%s\t%d\t%d\t%+d\t%s\n", title, s.Kind, s.Op, s.Value, s.A, s.B, s.More, by)
		title = ""
	}
}

// printFigures prints memory and phases.
func (v *diffView) printFigures(w io.Writer, all bool) {
	figures := func(title, name string, a, b *int64) string {
		if !all && a != nil && b != nil && *a == *b {
			return title
		}
		fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\n", title, name, figureText(a), figureText(b), moreText(a, b))
		return ""
	}
	title := "\nmemory limit, bytes\ta\tb\tb − a\n"
	for _, m := range v.Memory {
		title = figures(title, m.Limit, m.A, m.B)
	}
	title = "\nphase, horizon\ta\tb\tb − a\n"
	for _, p := range v.Phases {
		title = figures(title, fmt.Sprint(p.Phase), p.A, p.B)
	}
}

func figureText(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

func moreText(a, b *int64) string {
	if a == nil || b == nil {
		return "-"
	}
	return fmt.Sprintf("%+d", *b-*a)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
