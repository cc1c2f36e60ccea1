package mip_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// selectionModel draws a selection with some forbidden pairs and a limit row per
// window of nodes; loose scales the limits.
func selectionModel(seed uint64, nodes, candidates, edges int, loose float64) *solve.Model {
	r := rand.New(rand.NewPCG(seed, 5))
	b := solve.NewBuilder("selection")
	x := make([][]solve.Term, nodes)
	uses := make([][]int64, nodes)
	for n := range x {
		size := 1 + r.IntN(candidates)
		if nodes > 100 {
			size = candidates
		}
		for c := range size {
			x[n] = append(x[n], solve.Term{Var: b.Binary(fmt.Sprintf("x%d,%d", n, c), int64(r.IntN(100))-10), Coef: 1})
			uses[n] = append(uses[n], int64(r.IntN(20)))
		}
		b.Row(fmt.Sprintf("choose%d", n), solve.EQ, 1, x[n]...)
	}
	for e := range edges {
		from, to := r.IntN(nodes), r.IntN(nodes)
		if e > 0 && nodes > 100 { // long graphs are local
			to = min(from+1+r.IntN(5), nodes-1)
		}
		if from == to {
			continue
		}
		left, right := make([][]solve.Term, len(x[from])), make([][]solve.Term, len(x[to]))
		for c := range left {
			for d := range right {
				if r.IntN(8) > 0 {
					y := solve.Term{Var: b.Binary(fmt.Sprintf("y%d,%d,%d", e, c, d), int64(r.IntN(100))), Coef: 1}
					left[c], right[d] = append(left[c], y), append(right[d], y)
				}
			}
		}
		for side, rows := range [][][]solve.Term{left, right} {
			for c, terms := range rows {
				j := x[[]int{from, to}[side]][c].Var
				b.Row(fmt.Sprintf("m%d,%d,%d", e, side, c), solve.EQ, 0, append(terms, solve.Term{Var: j, Coef: -1})...)
			}
		}
	}
	const window = 12
	for k := 0; k < nodes; k += window / 2 {
		var terms []solve.Term
		n := k
		for ; n < min(k+window, nodes); n++ {
			for c := range x[n] {
				terms = append(terms, solve.Term{Var: x[n][c].Var, Coef: uses[n][c]})
			}
		}
		b.Row(fmt.Sprintf("limit%d", k), solve.LE, int64(float64(n-k)*loose), terms...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// With and without the techniques in front of the search, the answer is the same
// and its certificate holds.
func TestAscentAgrees(t *testing.T) {
	count := map[solve.Status]int{}
	for seed := range uint64(150) {
		m := selectionModel(seed, 2+int(seed%7), 4, 2+int(seed%9), 4+float64(seed%5)*2)
		plain := solved(t, m, solve.Options{Disable: []solve.Technique{solve.Presolve, solve.DualAscent}})
		for _, off := range [][]solve.Technique{nil, {solve.Presolve}, {solve.DualAscent}, {solve.ReducedCostFixing}} {
			r := solved(t, m, solve.Options{Disable: off})
			if r.Status != plain.Status || (r.Objective != nil && r.Objective.Cmp(plain.Objective) != 0) {
				t.Errorf("seed %d without %v: %v %v, plain %v %v", seed, off, r.Status, r.Objective, plain.Status, plain.Objective)
			}
		}
		count[plain.Status]++
	}
	t.Log(count)
	if count[solve.Optimal] < 50 || count[solve.Infeasible] < 10 {
		t.Errorf("lopsided sample: %v", count)
	}
}

// A loose graph of 1500 nodes with 140 000 pairs, some forbidden, ends at the time
// limit with a certified gap; its relaxation alone takes longer.
func TestAscentAtSize(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := selectionModel(1, 1500, 9, 2000, 8)
	limit := 5 * time.Second
	r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{TimeLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	v, err := cert.Check(m, r.Certificate)
	t.Logf("%d rows, %d variables: %v, gap %.4f, %v; check %v", len(m.Rows), len(m.Vars), r.Status, r.Gap(), r.Stats.Duration, time.Since(begin))
	if err != nil || v.Objective == nil || r.Gap() > 0.4 {
		t.Errorf("%v, %v, gap %g", v, err, r.Gap())
	}
	if r.Stats.Duration > limit+time.Second {
		t.Errorf("%v at a limit of %v", r.Stats.Duration, limit)
	}
}

// Prices of the limits bring the bound near the relaxation's before any simplex
// iteration; without them it knows nothing of the limits.
func TestAscentPrices(t *testing.T) {
	for seed := range uint64(3) {
		m := planning(seed, 6, 500, 20)
		ctx, cancel := context.WithCancel(context.Background())
		rounds := 0
		log := slog.New(onMessage{"ascent", func() {
			if rounds++; rounds == 2 {
				cancel()
			}
		}})
		r, err := mip.Solver{}.Solve(ctx, m, solve.Options{Log: log})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := cert.Check(m, r.Certificate); err != nil || v.Bound.Cmp(r.Bound) != 0 {
			t.Errorf("seed %d: %v, %v", seed, v, err)
		}
		t.Logf("seed %d: gap %.3f after %d iterations", seed, r.Gap(), r.Stats.LPIterations)
		if r.Gap() > 0.12 || r.Stats.LPIterations > 0 {
			t.Errorf("seed %d: gap %.3f, %d iterations", seed, r.Gap(), r.Stats.LPIterations)
		}
	}
}
