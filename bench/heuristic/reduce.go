package heuristic

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ipusolve/model"
)

// objectives of a state, all minimised (reference: planspace.md §9.3).
type objectives [7]int64

func (s *state) objectives() objectives {
	m := &s.memory
	return objectives{s.score, m.Peak.Standard, m.Peak.Interleaved, m.Total, m.LargestStandard, m.Overflow(), m.RowBytes}
}

func (o *objectives) within(p *objectives) bool {
	for i := range o {
		if o[i] > p[i] {
			return false
		}
	}
	return true
}

// needed lists the graph values that operations after the i-th read, or outputs.
func (b *beam) needed(i int) (list []int) {
	for v := range b.lastUse {
		if b.lastUse[v] > i {
			list = append(list, v)
		}
	}
	return list
}

// reduce keeps BeamWidth states (reference: planspace.md §9.3).
func (b *beam) reduce(i int, states []*state, line *Line) []*state {
	needed := b.needed(i)
	type member struct {
		s *state
		o objectives
		i int
	}
	groups := map[string][]member{}
	var order []string
	for n, s := range states {
		key := make([]int32, 0, 2*len(needed))
		for _, v := range needed {
			f, automatic := int32(-1), int32(0)
			if s.at[v] >= 0 {
				f = s.values[s.at[v]].format
			}
			if s.automatic[v] {
				automatic = 1
			}
			key = append(key, f, automatic)
		}
		signature := fmt.Sprint(key)
		frontier, ok := groups[signature]
		if !ok {
			order = append(order, signature)
		}
		m := member{s, s.objectives(), n}
		drop := false
		for k := range frontier {
			if frontier[k].o == m.o {
				line.Equivalent++
				drop = true
				break
			}
			if frontier[k].o.within(&m.o) {
				line.Dominated++
				drop = true
				break
			}
		}
		if drop {
			continue
		}
		before := len(frontier)
		frontier = slices.DeleteFunc(frontier, func(f member) bool { return m.o.within(&f.o) })
		line.Dominated += before - len(frontier)
		groups[signature] = append(frontier, m)
	}
	var all []member
	for _, key := range order {
		all = append(all, groups[key]...)
	}
	slices.SortFunc(all, func(a, b member) int { return cmp.Or(cmp.Compare(a.s.score, b.s.score), cmp.Compare(a.i, b.i)) })
	if len(all) > BeamWidth {
		taken := make([]bool, len(all))
		count := 0
		take := func(k int, diverse bool) {
			if taken[k] || count == BeamWidth {
				return
			}
			taken[k] = true
			count++
			if diverse {
				line.Diversity++
			}
		}
		seen := map[string]bool{}
		for k, m := range all {
			if family := b.family(m.s, needed); !seen[family] {
				seen[family] = true
				take(k, true)
			}
		}
		take(0, false)
		for c := 1; c < len(objectives{}); c++ {
			best := 0
			for k := range all {
				if all[k].o[c] < all[best].o[c] {
					best = k
				}
			}
			take(best, true)
		}
		for k := range all {
			take(k, false)
		}
		kept := all[:0]
		for k, m := range all {
			if taken[k] {
				kept = append(kept, m)
			}
		}
		all = kept
	}
	out := make([]*state, len(all))
	for k, m := range all {
		out[k] = m.s
	}
	return out
}

// family is what diversity spares: formats without the sizes of their blocks.
func (b *beam) family(s *state, needed []int) string {
	var key []int
	for _, v := range needed {
		if s.at[v] < 0 {
			key = append(key, -1)
			continue
		}
		f := &b.formats[s.values[s.at[v]].format]
		key = append(key, int(f.ElementBytes()), int(f.Order.Kind), int(f.Class), -2)
		for _, a := range f.Axes {
			key = append(key, a.Axis)
		}
	}
	return fmt.Sprint(key)
}

// run searches all operations and returns the surviving states, best first.
func (b *beam) run(ctx context.Context) ([]*state, error) {
	states := []*state{b.start()}
	for i := range b.graph.Ops {
		line := Line{Op: b.graph.Ops[i].Name}
		var next []*state
		for _, s := range states {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			plans, err := b.plans(i, s, &line)
			if err != nil {
				return nil, err
			}
			for k := range plans {
				p := &plans[k]
				if b.unreachable(i, s, p) {
					continue
				}
				for _, sliced := range []bool{false, true} {
					if sliced && p.sliced < 0 {
						continue
					}
					line.Evaluated++
					n, err := b.apply(i, s, p, k, sliced)
					if err == errImpossible {
						line.Impossible++
						line.Rejected++
						continue
					}
					if err != nil {
						return nil, err
					}
					if n.memory.Accept() != nil {
						line.Rejected++
						continue
					}
					next = append(next, n.keep())
				}
			}
		}
		line.Expanded = len(next)
		states = b.reduce(i, next, &line)
		line.Retained = len(states)
		if len(states) > 0 {
			line.Best = states[0].score
		}
		b.lines = append(b.lines, line)
	}
	return states, nil
}

// unreachable tells whether a plan reads a materialised value in an order that
// nothing else can be converted to.
func (b *beam) unreachable(i int, s *state, p *plan) bool {
	for k, name := range b.graph.Ops[i].Inputs {
		v := b.values[name]
		if kind := b.formats[p.in[k]].Order.Kind; !s.automatic[v] && kind == model.TransposedBlockMajor && s.values[s.at[v]].format != p.in[k] {
			return true
		}
	}
	return false
}
