package mip_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// pollCount is a context that ends at a given look at it. It counts the looks.
type pollCount struct {
	context.Context
	polls, end int
}

func (c *pollCount) Err() error {
	c.polls++
	if c.polls >= c.end {
		return context.Canceled
	}
	return nil
}

// Wherever the context ends, the best so far comes back with a valid certificate,
// after few more looks at the context; and between two looks lies no more work
// than a few passes over the model, so that even a million variables stop at once.
func TestStopsAnywhere(t *testing.T) {
	m := planning(1, 5, 100, 12)
	entries := int64(0)
	for i := range m.Rows {
		entries += int64(len(m.Rows[i].Terms))
	}
	run := func(end int) (*solve.Result, int) {
		ctx := &pollCount{Context: context.Background(), end: end}
		r, err := mip.Solver{}.Solve(ctx, m, solve.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		v, err := cert.Check(m, r.Certificate)
		if err != nil || v.Status != r.Status || r.Bound != nil && v.Bound.Cmp(r.Bound) != 0 {
			t.Fatalf("stopped at look %d: %+v, %v, %v", end, v, r.Status, err)
		}
		return r, ctx.polls
	}
	whole, polls := run(1 << 60)
	t.Logf("%v, %d nodes, %d looks, work %d; %d entries", whole.Status, whole.Stats.Nodes, polls, whole.Stats.Work, entries)
	if whole.Status != solve.Optimal || whole.Stats.Nodes == 0 {
		t.Fatalf("%v after %d nodes", whole.Status, whole.Stats.Nodes)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	longest, late := int64(0), 0
	for k := range 48 {
		at := 1 + k
		if k >= 24 {
			at = 1 + rng.IntN(polls-2)
		}
		a, looks := run(at)
		b, _ := run(at + 1)
		longest = max(longest, b.Stats.Work-a.Stats.Work)
		late = max(late, looks-at)
	}
	t.Logf("work between two looks at most %d, looks after the end at most %d", longest, late)
	if longest > 4*entries || late > 40 {
		t.Errorf("work between two looks %d of %d entries, %d looks after the end", longest, entries, late)
	}
}
