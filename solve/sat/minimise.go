package sat

import "context"

// unaryClauses is the most clauses for counting equal weights in unary, which
// propagates better than binary.
const unaryClauses = 500_000

// Minimise looks for the model with the least Σ weights of true literals by
// bound tightening: after each model, less is demanded, until that is
// unsatisfiable. improved is called with each better sum while Value gives the
// model. Weights may be negative; Σ |Weight| must be at most 2^62.
//
// proven: nothing less than best exists (or nothing at all, with found false).
// It is gini's word: there is no certificate. most limits the calls of Solve
// (0 = none). The formula keeps its meaning: the demands are under a guard.
func (f *Formula) Minimise(ctx context.Context, terms []Weighted, most int, improved func(sum int64)) (best int64, found, proven bool) {
	positive, offset, _ := normalise(terms, 0) // Σ terms = Σ positive − offset
	guard := f.NewVar()
	var unary, binary []Lit
	for calls := 0; most <= 0 || calls < most; calls++ {
		switch f.Solve(ctx, guard) {
		case Unknown:
			return best, found, false
		case Unsatisfiable:
			return best, found, true
		}
		var sum int64
		for _, t := range positive {
			if f.Value(t.Lit) {
				sum += t.Weight
			}
		}
		best, found = sum-offset, true
		improved(best)
		if sum == 0 {
			return best, true, true
		}
		f.Under(guard, func() {
			w := positive[0].Weight
			equal := w == positive[len(positive)-1].Weight
			switch {
			case unary == nil && binary == nil && equal && totalizerClauses(len(positive), int(sum/w)) <= unaryClauses:
				unary = f.Count(int(sum/w), literals(positive)...)
			case unary == nil && binary == nil:
				binary = f.Sum(positive)
			}
			if unary != nil {
				f.AddClause(-unary[sum/w-1])
			} else {
				f.sumAtMost(binary, sum-1)
			}
		})
	}
	return best, found, false
}
