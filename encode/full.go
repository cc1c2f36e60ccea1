package encode

import (
	"context"
	"errors"
	"fmt"

	"ipusolve/solve"
)

// FullModel is a selection as a model in which every candidate and every allowed
// pair is a variable; nothing was reduced.
//
//	Σ_c x[n,c] = 1                      choose/NODE
//	Σ_d y[e,c,d] = Σ x of class c       EDGE/from c, and EDGE/to d likewise
//	Σ use·x ≤ amount                    one row per limit that can be exceeded
//
// Pair variables are binary: they are integral wherever x is, and declaring it
// lets bounds round up.
type FullModel struct {
	Model *solve.Model
	r     *reducer
	v     *variables
}

// NewFullModel writes s as a model. It lists all pairs of all edges, so it is for
// selections with millions of pairs at most; when ctx ends first, the error wraps
// ctx.Err(). A node without candidates makes the
// model infeasible. The error wraps solve.ErrModel when numbers are too large.
func NewFullModel(ctx context.Context, s *Selection) (*FullModel, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	f := &FullModel{r: newReducer(s)}
	tables := make([]pairTable, len(s.Edges))
	for e := range s.Edges {
		edge, t := &s.Edges[e], &tables[e]
		t.cost = map[pairKey]int64{}
		to := f.r.classes(edge.To)
		for _, a := range f.r.classes(edge.From) {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("encode: %s: %w", s.Name, err)
			}
			for _, b := range to {
				if edge.Forbidden == nil || !edge.Forbidden(a, b) {
					k := pairKey{a, b}
					t.keys = append(t.keys, k)
					t.cost[k] = edge.Pair.Exact(a, b)
				}
			}
		}
	}
	var err error
	if f.Model, f.v, err = f.r.build(ctx, tables); errors.Is(err, errStopped) {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("encode: %s: %w", s.Name, err)
	}
	return f, nil
}

// Choice reads the chosen candidates out of an assignment of the model.
func (f *FullModel) Choice(values []int64) Choice { return f.r.choice(f.v, values) }

// Start is the assignment that stands for a choice, for Options.WarmStart; nil if
// the choice uses a forbidden pair.
func (f *FullModel) Start(c Choice) []int64 { return f.r.start(f.Model, f.v, c) }
