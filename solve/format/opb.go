package format

import (
	"bufio"
	"fmt"
	"io"

	"ipusolve/solve"
)

// WriteOPB writes a model of 0-1 variables as a pseudo-Boolean problem. Variables
// are called x1, x2, … as the format wants it; comments give their names. A
// constant of the objective is the cost of one more variable that a row fixes at
// 1. The error wraps ErrUnsupported when a variable is not 0-1.
func WriteOPB(w io.Writer, m *solve.Model) error {
	if err := zeroOne(m); err != nil {
		return fmt.Errorf("format: OPB: %w", err)
	}
	rows, vars := len(m.Rows), len(m.Vars)
	for j := range m.Vars {
		if m.Vars[j].Lower == m.Vars[j].Upper {
			rows++
		}
	}
	extra := m.Constant != 0 || vars == 0
	if extra {
		rows, vars = rows+1, vars+1
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "* #variable= %d #constraint= %d\n", vars, rows)
	for j := range m.Vars {
		fmt.Fprintf(b, "* x%d %s\n", j+1, clean(m.Vars[j].Name))
	}
	fmt.Fprint(b, "min:")
	for j := range m.Vars {
		if c := m.Vars[j].Cost; c != 0 {
			fmt.Fprintf(b, " %+d x%d", c, j+1)
		}
	}
	if extra && m.Constant != 0 {
		fmt.Fprintf(b, " %+d x%d", m.Constant, vars)
	}
	fmt.Fprintln(b, " ;")
	for i := range m.Rows {
		r := &m.Rows[i]
		sign, sense := int64(1), ">="
		switch r.Sense {
		case solve.LE:
			sign = -1
		case solve.EQ:
			sense = "="
		}
		for _, t := range r.Terms {
			fmt.Fprintf(b, "%+d x%d ", sign*t.Coef, t.Var+1)
		}
		if len(r.Terms) == 0 {
			fmt.Fprint(b, "+0 x1 ")
		}
		fmt.Fprintf(b, "%s %d ;\n", sense, sign*r.RHS)
	}
	for j := range m.Vars {
		if v := &m.Vars[j]; v.Lower == v.Upper {
			fmt.Fprintf(b, "+1 x%d = %d ;\n", j+1, v.Lower)
		}
	}
	if extra {
		fmt.Fprintf(b, "+1 x%d = 1 ;\n", vars)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("format: OPB: %w", err)
	}
	return nil
}

// zeroOne reports the first variable that is not 0-1.
func zeroOne(m *solve.Model) error {
	for j := range m.Vars {
		if v := &m.Vars[j]; !v.Kind.Integral() || v.Lower < 0 || v.Upper > 1 {
			return fmt.Errorf("%w: variable %s is %s in [%d, %d], not 0-1", ErrUnsupported, clip(v.Name), v.Kind, v.Lower, v.Upper)
		}
	}
	return nil
}
