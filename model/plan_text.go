package model

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String is the plan as two tables: values with their layouts, and steps in
// program order with grids, phases and costs.
func (p *Plan) String() string {
	var b strings.Builder
	q := &p.Problem
	fmt.Fprintf(&b, "plan of %s: %d tiles, profile %s, inputs %s, weights %s, outputs %s, repeat %s, family %s, memory %d B, timing %d\n",
		q.Graph.Name, q.Tiles, q.Profile, q.Inputs, q.Weights, q.Outputs, q.Repeat, q.FamilyText(), q.MemoryLimit, q.Timing)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nvalue\tgraph\tshape\trole\tlayout\n")
	for i := range p.Values {
		v := &p.Values[i]
		fmt.Fprintf(w, "%s\t%s\t%d×%d\t%s\t%v\n", v.Name, v.Graph, v.Rows, v.Cols, dash(v.Role), &v.Layout)
	}
	fmt.Fprint(w, "\nstep\tphase\tcycles\texchange\tcost\n")
	for i := range p.Steps {
		s := &p.Steps[i]
		phase := "-"
		if s.Phase != NoPhase {
			phase = fmt.Sprint(s.Phase)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%v\n", p.stepText(s), phase, s.Cost.Total(), s.Cost.Exchange(), s.Cost)
	}
	total := p.cost()
	fmt.Fprintf(w, "total\t\t%d\t%d\t\n", total.Total(), total.Exchange())
	w.Flush() // writes to a strings.Builder do not fail
	return b.String()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (p *Plan) stepText(s *Step) string {
	name := func(i int) string {
		if i < 0 || i >= len(p.Values) {
			return fmt.Sprintf("values[%d]", i)
		}
		return p.Values[i].Name
	}
	in := make([]string, len(s.In))
	for i, v := range s.In {
		in[i] = name(v)
	}
	text := fmt.Sprintf("%s %s → %s", s.Kind, strings.Join(in, " · "), name(s.Out))
	if s.InPlace {
		text += ", own slices in place"
	}
	if g := s.Gemm; g != nil {
		if g.Orientation != OrientationNormal {
			text += " " + g.Orientation
		}
		text += fmt.Sprintf(" (%d,%d,%d) K %d C %d, result %d×%d", g.Compute.Rows, g.Compute.Cols, g.Compute.Inner, g.BlockInner, g.BlockCols, g.Result.Rows, g.Result.Cols)
		if g.Sum != "" {
			text += ", sum " + g.Sum
		}
	}
	return text
}

// cost is the concatenated cost of all steps.
func (p *Plan) cost() Cost {
	var c Cost
	for i := range p.Steps {
		c = append(c, p.Steps[i].Cost...)
	}
	return c
}

// String is the cost as "name cycles" terms; terms of exchange phases are
// marked with x.
func (c Cost) String() string {
	terms := make([]string, len(c))
	for i, t := range c {
		mark := ""
		if t.Exchange {
			mark = "x"
		}
		terms[i] = fmt.Sprintf("%s %d%s", t.Name, t.Cycles, mark)
	}
	return dash(strings.Join(terms, " + "))
}
