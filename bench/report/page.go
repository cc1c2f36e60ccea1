package report

import (
	"fmt"
	"io"
	"strings"

	"ipusolve/bench/trial"
	"ipusolve/model"
)

// Page writes the study as a page of documentation in Markdown. command is the
// command line that makes it, chart the name of the study's chart beside the page, empty
// for none. Seconds are left out: they are of one machine.
func (s *Study) Page(out io.Writer, command, chart string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Planning study

    %s

makes this page. Every problem is planned with a proven bound in the family %q (solved) and by the three variants of the
baseline (B0: the beam of the reference heuristic stack; B1: without its dead ends; B2: with its finalists ranked by the words of their
busiest tiles). All plans of a problem keep the same rules, go through the same lowering, placement and scheduler, and run on the
simulator with the same data; a cycle figure stands here only if the numerical tests passed. Columns are explained in
[studies.md](studies.md).

`, command, s.Family)
	for _, line := range s.Summary() {
		fmt.Fprintf(&b, "* %s\n", line)
	}
	b.WriteString("\n## Simulated cycles\n\n")
	if chart != "" {
		fmt.Fprintf(&b, "![cycles of the baselines over those of the solved plans](%s)\n\n", chart)
	}
	s.pageCycles(&b)
	b.WriteString("\n## Planning\n\n")
	s.pagePlans(&b)
	b.WriteString("\n## Exchange phases\n\nPer phase: words that planning charges / horizon of the schedule / proven bound.\n\n")
	s.pagePhases(&b)
	b.WriteString("\n## Prediction\n\n")
	s.pagePrediction(&b)
	if lines := s.remarks(); len(lines) > 0 {
		b.WriteString("\n## Remarks\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "* %s\n", line)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// names lists all entries' names in order of first appearance.
func (s *Study) names() (list []string) {
	seen := map[string]bool{}
	for i := range s.Rows {
		for _, e := range s.Rows[i].Entries {
			if !seen[e.Name] {
				seen[e.Name] = true
				list = append(list, e.Name)
			}
		}
	}
	return list
}

func cells(b *strings.Builder, list ...string) {
	b.WriteString("| " + strings.Join(list, " | ") + " |\n")
}

func header(b *strings.Builder, list ...string) {
	cells(b, list...)
	b.WriteString(strings.Repeat("|---", len(list)) + "|\n")
}

// pageCycles has a line per problem.
func (s *Study) pageCycles(b *strings.Builder) {
	names := s.names()
	header(b, append([]string{"problem", "tokens × dim × hidden", "blocks", "tiles", "inputs, weights, outputs", "floor"}, names...)...)
	for i := range s.Rows {
		r := &s.Rows[i]
		line := []string{r.Name, fmt.Sprintf("%d × %d × %d", r.Tokens, r.Dim, r.Hidden), fmt.Sprint(r.Blocks), fmt.Sprint(r.Tiles),
			strings.Join([]string{r.Inputs, r.Weights, r.Outputs}, ", "), fmt.Sprint(r.Floor)}
		for _, name := range names {
			e := r.Entry(name)
			switch {
			case e == nil:
				line = append(line, "")
			case e.Test == Fail:
				line = append(line, "wrong")
			case e.Cycles == 0:
				line = append(line, missing)
			case name == Solved, r.ratio(e) == missing:
				line = append(line, fmt.Sprint(e.Cycles))
			default:
				line = append(line, fmt.Sprintf("%d (%s)", e.Cycles, r.ratio(e)))
			}
		}
		cells(b, line...)
	}
}

// pagePlans has a line per entry.
func (s *Study) pagePlans(b *strings.Builder) {
	header(b, "problem", "planner", "status", "planned", "of it exchange", "bound", "gap", "most bytes alive", "GEMMs")
	for i := range s.Rows {
		r := &s.Rows[i]
		for k := range r.Entries {
			e := &r.Entries[k]
			low, gap := e.bound()
			cells(b, r.Name, e.Name, orMissing(e.Status), number(e.Planned), number(e.PlannedExchange), low, gap, number(e.Alive), orMissing(short(e.Plan)))
		}
	}
}

// short leaves out the middle of a long list.
func short(list []string) string {
	if len(list) > 4 {
		list = append(append(append([]string(nil), list[:2]...), "…"), list[len(list)-1])
	}
	return strings.Join(list, " ")
}

func (s *Study) pagePhases(b *strings.Builder) {
	header(b, "problem", "planner", "phases")
	for i := range s.Rows {
		r := &s.Rows[i]
		for k := range r.Entries {
			e := &r.Entries[k]
			if len(e.Phases) == 0 || e.SameAs != "" {
				continue
			}
			var list []string
			for _, p := range e.Phases {
				list = append(list, fmt.Sprintf("%s/%d/%d", number(p.Words), p.Horizon, p.Bound))
			}
			cells(b, r.Name, e.Name, short(list))
		}
	}
}

// pagePrediction has a line per program, and lists the segments and phases that
// planning does not charge within the limits.
func (s *Study) pagePrediction(b *strings.Builder) {
	header(b, "problem", "planner", "predicted", "simulated", "difference", "segments and phases beyond 5 % or 50 cycles: planned → simulated")
	for i := range s.Rows {
		r := &s.Rows[i]
		for k := range r.Entries {
			e := &r.Entries[k]
			if e.Predicted == 0 || e.Cycles == 0 || e.SameAs != "" {
				continue
			}
			var off []string
			for _, x := range e.Spans {
				where := fmt.Sprintf("before phase %d", x.Phase)
				if x.Phase == model.NoPhase {
					where = "behind the last phase"
				}
				if !trial.Agree(x.PlannedWork, x.Work) {
					off = append(off, fmt.Sprintf("%s %d → %d", where, x.PlannedWork, x.Work))
				}
				if !trial.Agree(x.PlannedEvents, x.Horizon) {
					off = append(off, fmt.Sprintf("phase %d %d → %d", x.Phase, x.PlannedEvents, x.Horizon))
				}
			}
			if len(off) > 4 {
				off = append(off[:3], fmt.Sprintf("and %d more", len(off)-3))
			}
			cells(b, r.Name, e.Name, fmt.Sprint(e.Predicted), fmt.Sprint(e.Cycles), e.difference(), strings.Join(off, "; "))
		}
	}
}
