package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// missing stands for a figure that there is not.
const missing = "-"

func number(n int64) string {
	if n == 0 {
		return missing
	}
	return strconv.FormatInt(n, 10)
}

// bound and gap of planning, for people.
func (e *Entry) bound() (bound, gap string) {
	if e.Bound == nil || e.Gap == nil {
		return missing, missing
	}
	return strconv.FormatInt(*e.Bound, 10), fmt.Sprintf("%.2f %%", 100**e.Gap)
}

func (e *Entry) difference() string {
	if e.Predicted == 0 || e.Cycles == 0 {
		return missing
	}
	return fmt.Sprintf("%+.2f %%", 100*e.Difference)
}

// ratio is an entry's cycles over those of the row's solved plan.
func (r *Row) ratio(e *Entry) string {
	s := r.Entry(Solved)
	if s == nil || s.Cycles == 0 || e.Cycles == 0 {
		return missing
	}
	return fmt.Sprintf("%.3f", float64(e.Cycles)/float64(s.Cycles))
}

// horizons adds up bounds and horizons of the phases.
func (e *Entry) horizons() (bound, horizon int64) {
	for _, p := range e.Phases {
		bound += p.Bound
		horizon += p.Horizon
	}
	return bound, horizon
}

func (e *Entry) seconds() string {
	return fmt.Sprintf("%.1f", e.PlanSeconds+e.CompileSeconds+e.RunSeconds)
}

func orMissing(s string) string {
	if s == "" {
		return missing
	}
	return s
}

// Text writes the study as a table with a line per entry, what went wrong below it,
// and the verdict.
func (s *Study) Text(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "problem\tplanner\tplanning\tplanned\tbound\tgap\thorizons\tbounds\tpredicted\tsimulated\tdifference\tto solved\tbytes\ttest\tseconds")
	for i := range s.Rows {
		r := &s.Rows[i]
		for k := range r.Entries {
			e := &r.Entries[k]
			bound, gap := e.bound()
			low, horizon := e.horizons()
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, e.Name, orMissing(e.Status), number(e.Planned), bound, gap,
				number(horizon), number(low), number(e.Predicted), number(e.Cycles), e.difference(), r.ratio(e), number(e.Alive), orMissing(e.Test), e.seconds())
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, line := range s.remarks() {
		fmt.Fprintln(out, line)
	}
	for _, line := range s.Summary() {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// remarks say what the figures do not.
func (s *Study) remarks() (lines []string) {
	for i := range s.Rows {
		r := &s.Rows[i]
		for k := range r.Entries {
			e := &r.Entries[k]
			switch {
			case e.Error != "":
				lines = append(lines, fmt.Sprintf("%s %s: %s", r.Name, e.Name, e.Error))
			case e.SameAs != "":
				lines = append(lines, fmt.Sprintf("%s %s: the plan of %s", r.Name, e.Name, e.SameAs))
			}
		}
	}
	return lines
}

// Summary is the verdict and how predictions meet runs, a sentence each.
func (s *Study) Summary() []string {
	compared, worse := s.Verdict()
	var parts []string
	if len(s.Rows) < s.Asked {
		parts = append(parts, fmt.Sprintf("interrupted after %d of %d problems", len(s.Rows), s.Asked))
	}
	if compared > 0 {
		parts = append(parts, fmt.Sprintf("the solved plan takes no more simulated cycles than the best baseline on %d of %d problems", compared-worse, compared))
	}
	for _, who := range []struct{ name, text string }{{Solved, "solved"}, {"", "all"}} {
		if a := s.Agreement(who.name); a.Programs > 0 {
			parts = append(parts, fmt.Sprintf("of %s programs %d of %d are predicted within 2 %%, %d of %d segments and phases planned within 5 %% or 50 cycles",
				who.text, a.Programs-a.ProgramsOff, a.Programs, a.Spans-a.SpansOff, a.Spans))
		}
	}
	if s.Agreement("").Programs == 0 {
		parts = append(parts, "no program ran")
	}
	return parts
}

// list joins one figure of every phase.
func (e *Entry) list(figure func(*Phase) int64) string {
	var out []string
	for i := range e.Phases {
		out = append(out, strconv.FormatInt(figure(&e.Phases[i]), 10))
	}
	return strings.Join(out, " ")
}

func words(p *Phase) int64   { return p.Words }
func bound(p *Phase) int64   { return p.Bound }
func horizon(p *Phase) int64 { return p.Horizon }

// CSV writes one record per entry; words, bounds and horizons of the phases are lists
// with spaces between.
func (s *Study) CSV(out io.Writer) error {
	w := csv.NewWriter(out)
	w.Write([]string{"problem", "tokens", "dim", "hidden", "blocks", "tiles", "inputs", "weights", "outputs", "floor", "planner", "status", "error", "sameAs", "plan",
		"planned", "plannedExchange", "bound", "gap", "predicted", "cycles", "difference", "words", "bounds", "horizons", "numericalTest", "maximumAbsoluteError",
		"aliveBytes", "usedBytes", "planSeconds", "compileSeconds", "runSeconds"})
	real := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	whole := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		for k := range r.Entries {
			e := &r.Entries[k]
			low, gap := "", ""
			if e.Bound != nil && e.Gap != nil {
				low, gap = strconv.FormatInt(*e.Bound, 10), real(*e.Gap)
			}
			w.Write([]string{r.Name, strconv.Itoa(r.Tokens), strconv.Itoa(r.Dim), strconv.Itoa(r.Hidden), strconv.Itoa(r.Blocks), strconv.Itoa(r.Tiles), r.Inputs, r.Weights, r.Outputs,
				whole(r.Floor), e.Name, e.Status, e.Error, e.SameAs, strings.Join(e.Plan, " "), whole(e.Planned), whole(e.PlannedExchange), low, gap, whole(e.Predicted), whole(e.Cycles),
				real(e.Difference), e.list(words), e.list(bound), e.list(horizon), e.Test, real(e.MaxError), whole(e.Alive), whole(e.Used),
				real(e.PlanSeconds), real(e.CompileSeconds), real(e.RunSeconds)})
		}
	}
	w.Flush()
	return w.Error()
}
