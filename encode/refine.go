package encode

import (
	"context"
	"fmt"
	"slices"

	"ipusolve/solve"
)

// Sizes of refine: rounds, and candidates per node that its paths choose from.
const (
	refineRounds     = 60
	refineCandidates = 100
)

// path is a choice of one chain at exact costs, seen by the limits.
type path struct {
	cost int64
	uses []int64 // per group of limits, their uses added up
}

// refine looks for better prices of the limits than those that know no pairs, by
// column generation over whole choices: the best path at given prices becomes a
// column, and the duals of the mix of columns that fits best are the next prices.
// Paths are over the candidates that look best; the bounds at the prices found are
// over all. It returns the better bounds, and sets the prices to theirs.
func (r *reducer) refine(ctx context.Context, b *chainBounds, solver solve.Solver, out *Outcome) *chainBounds {
	few := *r
	few.alive, few.price, few.sweeps = r.shortlist(b, refineCandidates), slices.Clone(r.price), nil
	for n := range few.alive {
		slices.Sort(few.alive[n])
	}
	most := r.highestPrice()
	columns := []path{r.pathOf(r.best)}
	known := map[string]bool{}
	var best []int64
	var bound int64
	for range refineRounds {
		few.sweeps = nil
		at := few.bounds(ctx, true)
		if at == nil {
			break
		}
		if best == nil || at.total > bound {
			best, bound = slices.Clone(few.price), at.total
		}
		c := few.follow(at)
		r.offer(c)
		name := fmt.Sprint(c)
		if known[name] {
			break
		}
		known[name] = true
		columns = append(columns, r.pathOf(c))
		price := r.mix(ctx, columns, most, solver, out)
		if price == nil {
			break
		}
		few.price = price
	}
	old := r.price
	if best == nil || slices.Equal(best, old) {
		return b
	}
	r.price, r.sweeps = best, nil
	if better := r.bounds(ctx, true); better != nil && better.total > b.total {
		return better
	}
	r.price = old
	r.priceEntries()
	return b
}

// pathOf is a choice as a column.
func (r *reducer) pathOf(c Choice) path {
	p := path{uses: make([]int64, len(r.kinds.limits))}
	for n, i := range c {
		p.cost += r.sel.Nodes[n].Candidates[i].Cost
	}
	for _, e := range r.sel.Edges {
		p.cost += r.exactCost(e.Pair, r.class(e.From, c), r.class(e.To, c))
	}
	uses := r.sel.Uses(c)
	for g, limits := range r.kinds.limits {
		for _, l := range limits {
			p.uses[g] += uses[l]
		}
	}
	return p
}

// follow is the choice whose bound is that of all.
func (r *reducer) follow(b *chainBounds) Choice {
	c := make(Choice, len(r.sel.Nodes))
	before := -1
	for _, n := range r.chain.order {
		e := r.chain.in[n]
		var least int64
		c[n] = -1
		for _, i := range r.alive[n] {
			class := r.sel.Nodes[n].Candidates[i].Class
			v := r.own(n, i) + b.after[n][class]
			if e >= 0 {
				pair, a := r.sel.Edges[e].Pair, r.class(before, c)
				if c[n] >= 0 && v+(pair.Left(a)+pair.Right(class))*priceUnit >= least {
					continue
				}
				v += r.exactCost(pair, a, class) * priceUnit
			}
			if c[n] < 0 || v < least {
				c[n], least = i, v
			}
		}
		before = n
	}
	return c
}

// mix is the prices at which the best mix of columns that fits on average is
// best; nil if a limit of the search comes first.
func (r *reducer) mix(ctx context.Context, columns []path, most int64, solver solve.Solver, out *Outcome) []int64 {
	b := solve.NewBuilder(r.sel.Name + "/paths")
	terms := make([][]solve.Term, len(r.kinds.limits))
	var one []solve.Term
	for k, p := range columns {
		x := b.Continuous(fmt.Sprint("path", k), 0, 1, p.cost)
		one = append(one, solve.Term{Var: x, Coef: 1})
		for g, u := range p.uses {
			if u > 0 {
				terms[g] = append(terms[g], solve.Term{Var: x, Coef: u})
			}
		}
	}
	b.Row("choose", solve.EQ, 1, one...)
	return r.limitPrices(ctx, b, terms, most, solver, out)
}
