package encode

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ipusolve/solve"
)

// Columns states the matching as column problems, one per part in the order of
// SolveMatching. Row k is the part's k-th demand; a column is a round.
//
// Split: the variable is the round's duration, the cost of a word 1, and pricing is
// a matching of greatest weight.
//
// Whole: the variable says that the round is held, its cost is its longest demand,
// and pricing takes a matching of greatest weight for every length that the longest
// may have. Rounds of one length form a group, so that bounds know their costs.
func (m *Matching) Columns() ([]*solve.ColumnProblem, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	var out []*solve.ColumnProblem
	parts := m.parts()
	for k := range parts {
		out = append(out, m.columns(&parts[k]))
	}
	return out, nil
}

func (m *Matching) columns(p *Component) *solve.ColumnProblem {
	master := &solve.Model{Name: m.Name}
	w := &roundPricer{words: make([]int64, len(p.Demands)), matcher: newMatcher(m.local(p.Demands)), whole: m.Whole}
	for k, e := range p.Demands {
		d := &m.Demands[e]
		w.words[k] = d.Words
		rhs := d.Words
		if m.Whole {
			rhs = 1
		}
		master.Rows = append(master.Rows, solve.Row{Name: fmt.Sprintf("demand%d/%d-%d", e, d.From, d.To), Sense: solve.GE, RHS: rhs})
	}
	c := &solve.ColumnProblem{Master: master, Pricer: w}
	if !m.Whole {
		var sum int64
		for _, words := range w.words {
			sum += words
		}
		c.Groups = []solve.ColumnGroup{{Name: "round", Kind: solve.Integer, Most: sum, Cheapest: 1}}
	}
	w.lengths = slices.Compact(slices.Sorted(slices.Values(w.words)))
	w.weight = make([]int64, len(w.words))
	if m.Whole {
		for _, length := range w.lengths {
			var count int64
			for _, words := range w.words {
				if words == length {
					count++
				}
			}
			c.Groups = append(c.Groups, solve.ColumnGroup{Name: fmt.Sprintf("round%d", length), Kind: solve.Integer, Most: count, Cheapest: length})
		}
	}
	at := map[int]int{}
	for k, e := range p.Demands {
		at[e] = k
	}
	for _, r := range m.longestFirst(p.Demands) {
		var rows []int
		for _, e := range r.Pairs {
			rows = append(rows, at[e])
		}
		c.Start = append(c.Start, w.column(rows))
	}
	return c
}

// roundsOf reads rounds out of a whole part's assignment: every demand stays in
// the shortest round that has it, the longest of the rest decides the duration.
func (m *Matching) roundsOf(p *Component, r *solve.ColumnResult) []Round {
	var held []int
	for k := range r.Columns {
		if r.Values[len(r.Values)-len(r.Columns)+k] > 0 {
			held = append(held, k)
		}
	}
	slices.SortStableFunc(held, func(a, b int) int { return cmp.Compare(r.Columns[a].Cost, r.Columns[b].Cost) })
	done := make([]bool, len(p.Demands))
	var out []Round
	for _, k := range held {
		var round Round
		for _, t := range r.Columns[k].Terms {
			if !done[t.Row] {
				done[t.Row] = true
				e := p.Demands[t.Row]
				round.Pairs = append(round.Pairs, e)
				round.Duration = max(round.Duration, m.Demands[e].Words)
			}
		}
		if len(round.Pairs) > 0 {
			out = append(out, round)
		}
	}
	slices.Reverse(out)
	return out
}

// roundPricer finds rounds of a part.
type roundPricer struct {
	words   []int64
	lengths []int64 // distinct words, ascending
	whole   bool
	matcher *matcher
	weight  []int64
}

// Price implements solve.Pricer.
func (w *roundPricer) Price(ctx context.Context, q *solve.Pricing) (*solve.Priced, error) {
	out := &solve.Priced{}
	if !w.whole {
		best := w.price(q, w.lengths[len(w.lengths)-1])
		out.Least = []int64{q.Scaled(1) - best}
		if out.Least[0] < 0 {
			out.Columns = append(out.Columns, w.column(w.matched()))
		}
		return out, nil
	}
	out.Least = make([]int64, len(w.lengths))
	top := len(w.lengths) - 1
	return out, w.search(ctx, q, out, 0, top, w.take(q, out, top))
}

// search prices the lengths lo … hi−1, given that no matching of theirs weighs
// more than most. Where even that pays for none of them, 0 says enough.
func (w *roundPricer) search(ctx context.Context, q *solve.Pricing, out *solve.Priced, lo, hi int, most int64) error {
	if lo >= hi || most <= q.Scaled(w.lengths[lo]) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	mid := (lo + hi - 1) / 2
	v := w.take(q, out, mid)
	if err := w.search(ctx, q, out, lo, mid, v); err != nil {
		return err
	}
	return w.search(ctx, q, out, mid+1, hi, most)
}

// take prices length k: the statement, and a column if one pays.
func (w *roundPricer) take(q *solve.Pricing, out *solve.Priced, k int) int64 {
	v := w.price(q, w.lengths[k])
	out.Least[k] = q.Scaled(w.lengths[k]) - v
	if rows := w.matched(); len(rows) > 0 {
		if c := w.column(rows); v > q.Scaled(c.Cost) {
			out.Columns = append(out.Columns, c)
		}
	}
	return v
}

// price is the greatest weight of a matching of demands up to a length.
func (w *roundPricer) price(q *solve.Pricing, length int64) int64 {
	for k := range w.weight {
		w.weight[k] = 0
		if w.words[k] <= length {
			w.weight[k] = q.Y[k]
		}
	}
	return w.matcher.heaviest(w.weight)
}

// matched lists the demands of the last matching, ascending.
func (w *roundPricer) matched() (rows []int) {
	for _, e := range w.matcher.edgeOfL {
		if e != noEdge {
			rows = append(rows, int(e))
		}
	}
	slices.Sort(rows)
	return rows
}

// column is the round of these demands.
func (w *roundPricer) column(rows []int) solve.Column {
	c := solve.Column{Cost: 1}
	var longest int64
	for _, k := range rows {
		c.Terms = append(c.Terms, solve.ColumnTerm{Row: k, Coef: 1})
		longest = max(longest, w.words[k])
	}
	if w.whole {
		c.Group, _ = slices.BinarySearch(w.lengths, longest)
		c.Cost = longest
	}
	return c
}
