package encode

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ipusolve/solve"
)

// pairKey is a pair of classes on one edge.
type pairKey struct{ a, b int32 }

// pairTable holds the surviving pairs of one edge.
type pairTable struct {
	keys  []pairKey // ascending by a, then b
	cost  map[pairKey]int64
	exact map[pairKey]bool
}

// variables says what the variables of a model stand for.
type variables struct {
	x     [][]int // variable of alive[n][k]
	pairs []map[pairKey]int
}

// build writes the selection over the surviving candidates as a model. Without
// pairs the objective holds separable values, which makes it a relaxation with
// the same feasible choices. The error is errStopped when ctx ends first.
func (r *reducer) build(ctx context.Context, pairs []pairTable) (*solve.Model, *variables, error) {
	b := solve.NewBuilder(r.sel.Name)
	v := &variables{x: make([][]int, len(r.sel.Nodes))}
	for n := range r.sel.Nodes {
		node := &r.sel.Nodes[n]
		terms := make([]solve.Term, 0, len(r.alive[n]))
		for _, i := range r.alive[n] {
			cost := node.Candidates[i].Cost
			if pairs == nil {
				cost = r.value[n][i]
			}
			x := b.Binary(node.Name+"="+node.Describe(i), cost)
			v.x[n] = append(v.x[n], x)
			terms = append(terms, solve.Term{Var: x, Coef: 1})
		}
		b.Row("choose/"+node.Name, solve.EQ, 1, terms...)
	}
	if err := r.limitRows(b, v); err != nil {
		return nil, nil, err
	}
	for e := range pairs {
		if ctx.Err() != nil {
			return nil, nil, errStopped
		}
		v.pairs = append(v.pairs, r.pairRows(b, v, e, &pairs[e]))
	}
	m, err := b.Build()
	if err != nil {
		return nil, nil, fmt.Errorf("encode: %w", err)
	}
	return m, v, nil
}

// limitRows adds one row per limit that the surviving candidates can exceed.
func (r *reducer) limitRows(b *solve.Builder, v *variables) error {
	most := make([]uint64, len(r.sel.Limits))
	largest := make([]int64, len(r.sel.Limits))
	terms := make([][]solve.Term, len(r.sel.Limits))
	use := make([]int64, len(r.sel.Limits))
	for n := range r.sel.Nodes {
		node := &r.sel.Nodes[n]
		touched := slices.Concat(node.Counts...)
		slices.Sort(touched)
		touched = slices.Compact(touched)
		for k, i := range r.alive[n] {
			r.sel.addUses(use, n, i)
			for _, l := range touched {
				largest[l] = max(largest[l], use[l])
				if use[l] > 0 {
					terms[l] = append(terms[l], solve.Term{Var: v.x[n][k], Coef: use[l]})
				}
				use[l] = 0
			}
		}
		for _, l := range touched {
			most[l] = min(most[l]+uint64(largest[l]), math.MaxInt64)
			largest[l] = 0
		}
	}
	for l := range terms {
		if amount := r.sel.Limits[l].Amount; amount < 0 || most[l] > uint64(amount) {
			b.Row(r.sel.Limits[l].Name, solve.LE, amount, terms[l]...)
		}
	}
	return b.Err()
}

// pairRows adds a variable per surviving pair of an edge and ties its marginals
// to the candidates of each class.
func (r *reducer) pairRows(b *solve.Builder, v *variables, e int, t *pairTable) map[pairKey]int {
	edge := &r.sel.Edges[e]
	vars := map[pairKey]int{}
	var left, right = map[int32][]solve.Term{}, map[int32][]solve.Term{}
	for _, k := range t.keys {
		y := b.Binary(fmt.Sprintf("%s/%d-%d", edge.Name, k.a, k.b), t.cost[k])
		vars[k] = y
		left[k.a] = append(left[k.a], solve.Term{Var: y, Coef: 1})
		right[k.b] = append(right[k.b], solve.Term{Var: y, Coef: 1})
	}
	tie := func(side string, n int, terms map[int32][]solve.Term) {
		for k, i := range r.alive[n] {
			class := r.sel.Nodes[n].Candidates[i].Class
			terms[class] = append(terms[class], solve.Term{Var: v.x[n][k], Coef: -1})
		}
		for _, class := range r.classes(n) {
			b.Row(fmt.Sprintf("%s/%s%d", edge.Name, side, class), solve.EQ, 0, terms[class]...)
		}
	}
	tie("from", edge.From, left)
	tie("to", edge.To, right)
	return vars
}

// classes lists the classes of a node's surviving candidates, ascending.
func (r *reducer) classes(n int) []int32 {
	var list []int32
	for _, i := range r.alive[n] {
		list = append(list, r.sel.Nodes[n].Candidates[i].Class)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// choice reads the candidates out of a solution.
func (r *reducer) choice(v *variables, values []int64) Choice {
	c := make(Choice, len(r.sel.Nodes))
	for n := range c {
		for k, x := range v.x[n] {
			if values[x] == 1 {
				c[n] = r.alive[n][k]
			}
		}
	}
	return c
}

// start turns a choice of surviving candidates into values of the variables.
func (r *reducer) start(m *solve.Model, v *variables, c Choice) []int64 {
	values := make([]int64, len(m.Vars))
	for n := range c {
		k, ok := slices.BinarySearch(r.alive[n], c[n])
		if !ok {
			return nil
		}
		values[v.x[n][k]] = 1
	}
	for e, vars := range v.pairs {
		edge := &r.sel.Edges[e]
		y, ok := vars[pairKey{r.class(edge.From, c), r.class(edge.To, c)}]
		if !ok {
			return nil
		}
		values[y] = 1
	}
	return values
}

func (r *reducer) class(n int, c Choice) int32 { return r.sel.Nodes[n].Candidates[c[n]].Class }
