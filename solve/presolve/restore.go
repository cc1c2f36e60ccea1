package presolve

import "ipusolve/solve"

// Assignment gives every original variable its value.
func (r *Reduced) Assignment(a *solve.Assignment) *solve.Assignment {
	out := &solve.Assignment{Values: append([]int64(nil), r.value...)}
	for k, j := range r.Vars {
		out.Values[j] = a.Values[k]
	}
	for _, f := range a.Fractions {
		out.Fractions = append(out.Fractions, solve.Fraction{Var: r.Vars[f.Var], Value: f.Value})
	}
	return out
}

// Shrink turns values of the original variables into values of the model's; nil
// if their number is wrong or they contradict the variables that are gone.
func (r *Reduced) Shrink(values []int64) []int64 {
	if len(values) != len(r.at) {
		return nil
	}
	out := make([]int64, 0, len(r.Vars))
	for j, v := range values {
		switch {
		case r.at[j] >= 0:
			out = append(out, v)
		case v != r.value[j]:
			return nil
		}
	}
	return out
}

// ExactlyOne reports whether row i of the model is an exactly-one row of the
// original model too: only those may be branched on.
func (r *Reduced) ExactlyOne(i int) bool {
	return r.Model.ExactlyOne(i) && r.original.ExactlyOne(r.Rows[i])
}

// Certificate turns a certificate of the model into one of the original: its
// root first repeats the tightenings of the log, each with its own vector, and
// all indices become the original's, except that the vectors keep theirs and
// those of the log follow. A certificate without values stays without.
func (r *Reduced) Certificate(c *solve.Certificate) *solve.Certificate {
	out := &solve.Certificate{Status: c.Status, Bound: c.Bound}
	if (c.Status == solve.Optimal || c.Status == solve.Feasible) && len(c.Values) == len(r.Vars) {
		out.Assignment = *r.Assignment(&c.Assignment)
	}
	for _, d := range c.Duals {
		e := solve.Dual{Den: d.Den, Num: d.Num}
		for _, i := range d.Rows {
			if i < len(r.Rows) {
				e.Rows = append(e.Rows, r.Rows[i])
			} else { // a cut
				e.Rows = append(e.Rows, i-len(r.Rows)+len(r.original.Rows))
			}
		}
		out.Duals = append(out.Duals, e)
	}
	root := r.steps(out)
	for k := range c.Nodes {
		n := r.node(&c.Nodes[k])
		if k == 0 {
			n.Fix = append(root, n.Fix...)
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out
}

// InfeasibleCertificate proves that the original has no feasible point, when
// Infeasible is set; after priced steps, none outside of what they cut off.
func (r *Reduced) InfeasibleCertificate() *solve.Certificate {
	c := &solve.Certificate{Status: solve.Infeasible}
	fix := r.steps(c)
	c.Nodes = []solve.ProofNode{{Dual: len(c.Duals), Farkas: true, Fix: fix}}
	c.Duals = append(c.Duals, *r.Contradiction)
	return c
}

// steps adds the vectors of the log to c and returns the tightenings.
func (r *Reduced) steps(c *solve.Certificate) (fix []solve.Tightening) {
	for k := range r.Log {
		if kind := r.Log[k].Kind; kind == Tighten || kind == Priced {
			fix = append(fix, solve.Tightening{Dual: len(c.Duals), Farkas: kind == Tighten, Bounds: r.Log[k].Bounds})
			c.Duals = append(c.Duals, r.Log[k].Dual)
		}
	}
	return fix
}

func (r *Reduced) node(n *solve.ProofNode) solve.ProofNode {
	out := solve.ProofNode{Dual: n.Dual, Farkas: n.Farkas}
	for _, f := range n.Fix {
		g := solve.Tightening{Dual: f.Dual, Farkas: f.Farkas}
		if f.Cut != nil {
			g.Cut = &solve.Cut{Most: f.Cut.Most}
			for _, j := range f.Cut.Vars {
				g.Cut.Vars = append(g.Cut.Vars, r.Vars[j])
			}
		}
		if f.Clause != nil {
			g.Clause = &solve.Clause{Literals: make([]int, 0, len(f.Clause.Literals))}
			for _, l := range f.Clause.Literals {
				if l > 0 {
					g.Clause.Literals = append(g.Clause.Literals, r.Vars[l-1]+1)
				} else {
					g.Clause.Literals = append(g.Clause.Literals, -r.Vars[-l-1]-1)
				}
			}
		}
		for _, b := range f.Bounds {
			b.Var = r.Vars[b.Var]
			g.Bounds = append(g.Bounds, b)
		}
		out.Fix = append(out.Fix, g)
	}
	if b := n.Branch; b != nil {
		c := *b
		if len(b.Zero) == 0 {
			c.Var = r.Vars[b.Var]
		} else {
			c.Row, c.Zero = r.Rows[b.Row], nil
			for _, j := range b.Zero {
				c.Zero = append(c.Zero, r.Vars[j])
			}
		}
		out.Branch = &c
	}
	return out
}
