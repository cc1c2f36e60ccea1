package format

import (
	"bufio"
	"fmt"
	"io"

	"ipusolve/solve"
)

// WriteMPS writes m in free MPS, and says so on the NAME line: CBC guesses otherwise.
func WriteMPS(w io.Writer, m *solve.Model) error {
	names := NamesOf(m)
	b := bufio.NewWriter(w)
	title := "model"
	if m.Name != "" {
		title = clean(m.Name)
	}
	fmt.Fprintf(b, "NAME %s FREE\nROWS\n N %s\n", title, Objective)
	for i := range m.Rows {
		fmt.Fprintf(b, " %c %s\n", "LEG"[m.Rows[i].Sense], names.Rows[i])
	}
	fmt.Fprintln(b, "COLUMNS")
	columns(b, m, names)
	fmt.Fprintln(b, "RHS")
	for i := range m.Rows {
		if m.Rows[i].RHS != 0 {
			fmt.Fprintf(b, " RHS %s %d\n", names.Rows[i], m.Rows[i].RHS)
		}
	}
	fmt.Fprintln(b, "BOUNDS")
	for j := range m.Vars {
		v := &m.Vars[j]
		switch {
		case v.Lower == v.Upper:
			fmt.Fprintf(b, " FX BND %s %d\n", names.Vars[j], v.Lower)
		case v.Kind == solve.Binary:
			fmt.Fprintf(b, " BV BND %s\n", names.Vars[j])
		default:
			fmt.Fprintf(b, " LO BND %s %d\n UP BND %s %d\n", names.Vars[j], v.Lower, names.Vars[j], v.Upper)
		}
	}
	if m.Constant != 0 {
		fmt.Fprintf(b, " FX BND %s 1\n", Constant)
	}
	fmt.Fprintln(b, "ENDATA")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("format: MPS: %w", err)
	}
	return nil
}

// columns writes the entries by variable, integral ones between markers. A
// variable without entries is named with cost 0.
func columns(b *bufio.Writer, m *solve.Model, names Names) {
	cols := make([][]solve.Term, len(m.Vars)) // Var is the row
	for i := range m.Rows {
		for _, t := range m.Rows[i].Terms {
			if t.Coef != 0 {
				cols[t.Var] = append(cols[t.Var], solve.Term{Var: i, Coef: t.Coef})
			}
		}
	}
	marked, markers := false, 0
	mark := func(on bool) {
		if on != marked {
			fmt.Fprintf(b, " MARKER%d 'MARKER' '%s'\n", markers, map[bool]string{true: "INTORG", false: "INTEND"}[on])
			marked = on
			markers++
		}
	}
	for j := range m.Vars {
		mark(m.Vars[j].Kind.Integral())
		if c := m.Vars[j].Cost; c != 0 || len(cols[j]) == 0 {
			fmt.Fprintf(b, " %s %s %d\n", names.Vars[j], Objective, c)
		}
		for _, t := range cols[j] {
			fmt.Fprintf(b, " %s %s %d\n", names.Vars[j], names.Rows[t.Var], t.Coef)
		}
	}
	mark(false)
	if m.Constant != 0 {
		fmt.Fprintf(b, " %s %s %d\n", Constant, Objective, m.Constant)
	}
}
