package encode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// alikeChain is a chain of alike blocks: two kinds of nodes by turns that share
// candidates and pair costs, something that stays in every limit, something that
// counts at the node alone, and a node on its own that all limits see.
func alikeChain(rng *rand.Rand, nodes int) *Selection {
	s := &Selection{Name: "chain"}
	const classes = 3
	var cands [2][]Candidate
	var pairs [2]*table
	for k := range 2 {
		for range 2 + rng.IntN(3) {
			cands[k] = append(cands[k], Candidate{Cost: int64(rng.IntN(40)), Class: int32(rng.IntN(classes)),
				Use: []int64{int64(rng.IntN(8)), int64(rng.IntN(8))}})
		}
		t := &table{make([][]int64, classes), make([][]int64, classes)}
		for i := range classes {
			t.exact[i], t.slack[i] = make([]int64, classes), make([]int64, classes)
			for j := range classes {
				t.exact[i][j], t.slack[i][j] = int64(rng.IntN(30)), int64(rng.IntN(8))
			}
		}
		pairs[k] = t
	}
	var all []int
	for n := range nodes {
		s.Limits = append(s.Limits, Limit{fmt.Sprint("limit", n), int64(2*nodes + rng.IntN(2)*4)})
		all = append(all, n)
	}
	for n := range nodes {
		s.Nodes = append(s.Nodes, Node{Name: fmt.Sprint("n", n), Candidates: cands[n%2], Counts: [][]int{all, {n}},
			Describe: func(i int) string { return fmt.Sprint(i) }})
		if n > 0 {
			s.Edges = append(s.Edges, Edge{Name: fmt.Sprint("e", n), From: n - 1, To: n, Pair: pairs[n%2]})
		}
	}
	if rng.IntN(2) == 0 {
		s.Nodes = append(s.Nodes, Node{Name: "alone", Counts: [][]int{all}, Describe: func(i int) string { return fmt.Sprint(i) },
			Candidates: []Candidate{{Cost: 0, Use: []int64{3}}, {Cost: int64(rng.IntN(20)), Use: []int64{0}}}})
	}
	return s
}

// TestAlikeChains compares chains with brute force: the optimum, and bounds within
// a gap.
func TestAlikeChains(t *testing.T) {
	infeasible, models := 0, 0
	for seed := range uint64(400) {
		s := alikeChain(rand.New(rand.NewPCG(seed, 3)), 3+int(seed%4))
		best := int64(math.MaxInt64)
		brute(s, func(c Choice) {
			if s.Fits(c) {
				best = min(best, s.Cost(c))
			}
		})
		for _, gap := range []float64{0, 0.2} {
			out, err := Select(context.Background(), s, mip.Solver{}, solve.Options{Gap: gap})
			if best == math.MaxInt64 {
				infeasible++
				if !errors.Is(err, ErrInfeasible) {
					t.Fatalf("seed %d: want infeasible, got %v", seed, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !s.Fits(out.Choice) || out.Bound > best || out.Objective < best || float64(out.Objective-out.Bound) > gap*float64(out.Objective) {
				t.Fatalf("seed %d, gap %v: objective %d bound %d, brute force %d", seed, gap, out.Objective, out.Bound, best)
			}
			if v, err := cert.Check(out.Model, out.Result.Certificate); err != nil || ratCeil(v.Bound) < out.Bound {
				t.Fatalf("seed %d: certificate proves %v of %d: %v", seed, v.Bound, out.Bound, err)
			}
			models += out.Stats.Rounds
		}
	}
	if infeasible < 20 || models < 20 {
		t.Errorf("%d infeasible, %d models", infeasible, models)
	}
}

// TestChainBounds compares the bound on choices with each candidate with the least
// Lagrangian cost over all choices with it.
func TestChainBounds(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := alikeChain(rng, 4)
		r := newReducer(s)
		for l := range r.price {
			r.price[l] = int64(rng.IntN(3 * priceUnit))
		}
		b := r.bounds(context.Background(), true)
		least := make([]map[int]int64, len(s.Nodes))
		for n := range least {
			least[n] = map[int]int64{}
		}
		brute(s, func(c Choice) {
			v := s.Cost(c) * priceUnit
			for l, u := range s.Uses(c) {
				v += r.price[l] * (u - s.Limits[l].Amount)
			}
			for n, i := range c {
				if old, ok := least[n][i]; !ok || v < old {
					least[n][i] = v
				}
			}
		})
		cheap := r.bounds(context.Background(), false)
		for n := range least {
			for i, want := range least[n] {
				if got := b.with(r, n, i); got != want {
					t.Fatalf("seed %d: node %d candidate %d: bound %d, brute force %d", seed, n, i, got, want)
				}
				if got := cheap.with(r, n, i); got > want {
					t.Fatalf("seed %d: node %d candidate %d: cheap bound %d above %d", seed, n, i, got, want)
				}
			}
		}
	}
}

// TestRisingTargets solves models of hardly any pairs first, from any incumbent.
func TestRisingTargets(t *testing.T) {
	for seed := range uint64(60) {
		s := alikeChain(rand.New(rand.NewPCG(seed, 5)), 5)
		best := int64(math.MaxInt64)
		brute(s, func(c Choice) {
			if s.Fits(c) {
				best = min(best, s.Cost(c))
			}
		})
		if best == math.MaxInt64 {
			continue
		}
		r := newReducer(s)
		if r.oversized(context.Background()) >= 0 {
			t.Fatalf("seed %d: infeasible", seed)
		}
		brute(s, func(c Choice) {
			if r.best == nil {
				r.offer(c)
			}
		})
		out := &Outcome{Bound: math.MinInt64}
		b := r.bounds(context.Background(), true)
		r.boundedByChain(b)
		if err := r.witness(mip.Solver{}, out); err != nil {
			t.Fatal(err)
		}
		if err := r.models(context.Background(), b, mip.Solver{}, solve.Options{}, 1, out); err != nil {
			t.Fatal(err)
		}
		if out.Objective != best || out.Bound != best {
			t.Errorf("seed %d: objective %d bound %d, brute force %d", seed, out.Objective, out.Bound, best)
		}
	}
}
