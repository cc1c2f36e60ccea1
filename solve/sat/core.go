package sat

import (
	"context"
	"slices"
)

// Group is the guard of a named group of constraints, made when first asked
// for. Add the constraints with Under, and assume the guard to have them hold;
// it must occur nowhere else.
func (f *Formula) Group(name string) Lit {
	g, ok := f.groups[name]
	if !ok {
		g = f.NewVar()
		f.groups[name], f.names[g] = g, name
		f.ordered = append(f.ordered, g)
	}
	return g
}

// Names are the names of the groups among the literals, e.g. of a core.
func (f *Formula) Names(lits []Lit) []string {
	var names []string
	for _, l := range lits {
		if n, ok := f.names[l]; ok {
			names = append(names, n)
		}
	}
	return names
}

// MinimalCore looks for a core of the assumptions none of whose elements can
// be spared, by deleting one after the other. Unsatisfiable with minimal false:
// ctx ended before every element was tried. Satisfiable: there is no core.
func (f *Formula) MinimalCore(ctx context.Context, assume []Lit) (core []Lit, minimal bool, answer Answer) {
	if answer = f.Solve(ctx, assume...); answer != Unsatisfiable {
		return nil, false, answer
	}
	core = f.inOrder(assume)
	for i := 0; i < len(core); {
		rest := slices.Delete(slices.Clone(core), i, i+1)
		switch f.Solve(ctx, rest...) {
		case Satisfiable:
			i++ // needed
		case Unsatisfiable:
			// The elements before i are needed for any core within core.
			core = f.inOrder(rest)
		default:
			return core, false, Unsatisfiable
		}
	}
	return core, true, Unsatisfiable
}

// inOrder is the last core in the order of the assumptions.
func (f *Formula) inOrder(assume []Lit) []Lit {
	in := make(map[Lit]bool, len(f.core))
	for _, l := range f.core {
		in[l] = true
	}
	var core []Lit
	for _, l := range assume {
		if in[l] {
			core = append(core, l)
			delete(in, l)
		}
	}
	return core
}
