package format

import (
	"bufio"
	"fmt"
	"io"

	"ipusolve/solve"
)

// lineTerms is the number of terms on a line of an LP file; readers limit the
// length of lines.
const lineTerms = 8

// WriteLP writes m in CPLEX LP format.
func WriteLP(w io.Writer, m *solve.Model) error {
	names := NamesOf(m)
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "\\ %d variables, %d rows\nMinimize\n %s:", len(m.Vars), len(m.Rows), Objective)
	// Zero costs are written: every variable must appear before its bounds.
	cost := make([]solve.Term, len(m.Vars))
	for j := range m.Vars {
		cost[j] = solve.Term{Var: j, Coef: m.Vars[j].Cost}
	}
	if m.Constant != 0 || len(cost) == 0 {
		names.Vars = append(names.Vars, Constant)
		cost = append(cost, solve.Term{Var: len(m.Vars), Coef: m.Constant})
	}
	terms(b, cost, names)
	fmt.Fprintln(b, "\nSubject To")
	for i := range m.Rows {
		r := &m.Rows[i]
		fmt.Fprintf(b, " %s:", names.Rows[i])
		if len(r.Terms) == 0 {
			fmt.Fprintf(b, " 0 %s", names.Vars[0])
		}
		terms(b, r.Terms, names)
		fmt.Fprintf(b, " %s %d\n", r.Sense, r.RHS)
	}
	if len(m.Rows) == 0 { // GLPK insists on one
		fmt.Fprintf(b, " none: 0 %s <= 0\n", names.Vars[0])
	}
	fmt.Fprintln(b, "Bounds")
	for j := range m.Vars {
		v := &m.Vars[j]
		if v.Lower == v.Upper {
			fmt.Fprintf(b, " %s = %d\n", names.Vars[j], v.Lower)
		} else {
			fmt.Fprintf(b, " %d <= %s <= %d\n", v.Lower, names.Vars[j], v.Upper)
		}
	}
	if len(names.Vars) > len(m.Vars) {
		fmt.Fprintf(b, " %s = 1\n", Constant)
	}
	first := true
	for j := range m.Vars {
		if m.Vars[j].Kind.Integral() {
			if first {
				fmt.Fprintln(b, "Generals")
				first = false
			}
			fmt.Fprintf(b, " %s\n", names.Vars[j])
		}
	}
	fmt.Fprintln(b, "End")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("format: LP: %w", err)
	}
	return nil
}

// terms writes the terms with their coefficients.
func terms(b *bufio.Writer, ts []solve.Term, names Names) {
	for n, t := range ts {
		if n > 0 && n%lineTerms == 0 {
			fmt.Fprint(b, "\n ")
		}
		fmt.Fprintf(b, " %+d %s", t.Coef, names.Vars[t.Var])
	}
}
