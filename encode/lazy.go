package encode

import "ipusolve/solve"

// exactly answers what choices really cost while a model is being searched: the
// exact costs of the pairs that a solution uses, computed when first asked. nil
// when all costs are exact, so that the search need not ask.
//
// On three chained blocks of the first log's shapes, without any exact cost from
// the start, one such search takes the place of 37 rounds of search and prune, for
// the same 171 exact costs. The usual problems have few pairs left by then, whose
// costs are all computed before (eager).
func (r *reducer) exactly(v *variables, tables []pairTable, out *Outcome) solve.Lazy {
	open := false
	for e := range tables {
		for _, k := range tables[e].keys {
			open = open || !tables[e].exact[k]
		}
	}
	if !open {
		return nil
	}
	return func(values []int64) []solve.VarCost {
		c := r.choice(v, values)
		var costs []solve.VarCost
		for e := range tables {
			edge, t := &r.sel.Edges[e], &tables[e]
			k := pairKey{r.class(edge.From, c), r.class(edge.To, c)}
			if !t.exact[k] {
				r.setExact(t, k, edge.Pair.Exact(k.a, k.b), out)
			}
			costs = append(costs, solve.VarCost{Var: v.pairs[e][k], Cost: t.cost[k]})
		}
		return costs
	}
}
