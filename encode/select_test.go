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

// table is a pair cost given in full; its cheap bound is the exact cost less a
// slack that differs from pair to pair.
type table struct{ exact, slack [][]int64 }

func (t *table) Exact(a, b int32) int64      { return t.exact[a][b] }
func (t *table) LowerBound(a, b int32) int64 { return t.exact[a][b] - t.slack[a][b] }

func (t *table) Left(a int32) int64 {
	least := int64(math.MaxInt64)
	for b := range t.exact[a] {
		least = min(least, t.LowerBound(a, int32(b)))
	}
	return least
}

func (t *table) Right(b int32) int64 {
	least := int64(math.MaxInt64)
	for a := range t.exact {
		least = min(least, t.LowerBound(int32(a), b)-t.Left(int32(a)))
	}
	return least
}

func (t *table) Spread(a int32) int64 {
	var most int64
	for b := range t.exact[a] {
		most = max(most, t.exact[a][b]-t.Left(a)-t.Right(int32(b)))
	}
	return most
}

// random makes a selection of a few nodes with any graph of edges and limits that
// are sometimes tight and sometimes impossible.
func random(rng *rand.Rand) *Selection {
	s := &Selection{Name: "random"}
	nodes, limits := 1+rng.IntN(4), rng.IntN(3)
	classes := make([]int, nodes)
	for n := range nodes {
		classes[n] = 1 + rng.IntN(4)
		node := Node{Name: fmt.Sprintf("n%d", n), Describe: func(i int) string { return fmt.Sprintf("c%d", i) }}
		parts := rng.IntN(3)
		for range parts {
			var counts []int
			for l := range limits {
				if rng.IntN(2) == 0 {
					counts = append(counts, l)
				}
			}
			node.Counts = append(node.Counts, counts)
		}
		for range 1 + rng.IntN(7) {
			c := Candidate{Cost: int64(rng.IntN(60)), Class: int32(rng.IntN(classes[n])), Use: make([]int64, parts)}
			for j := range c.Use {
				c.Use[j] = int64(rng.IntN(10))
			}
			node.Candidates = append(node.Candidates, c)
		}
		s.Nodes = append(s.Nodes, node)
	}
	for l := range limits {
		s.Limits = append(s.Limits, Limit{fmt.Sprintf("limit%d", l), int64(rng.IntN(8 * nodes))})
	}
	for a := range nodes {
		for b := range nodes {
			if a == b || rng.IntN(3) > 0 {
				continue
			}
			t := &table{make([][]int64, classes[a]), make([][]int64, classes[a])}
			for i := range t.exact {
				t.exact[i], t.slack[i] = make([]int64, classes[b]), make([]int64, classes[b])
				for j := range t.exact[i] {
					t.exact[i][j], t.slack[i][j] = int64(rng.IntN(50)-10), int64(rng.IntN(12))
				}
			}
			s.Edges = append(s.Edges, Edge{Name: fmt.Sprintf("e%d-%d", a, b), From: a, To: b, Pair: t})
		}
	}
	return s
}

// brute tries every choice.
func brute(s *Selection, visit func(Choice)) {
	c := make(Choice, len(s.Nodes))
	var rec func(n int)
	rec = func(n int) {
		if n == len(c) {
			visit(c)
			return
		}
		for c[n] = range s.Nodes[n].Candidates {
			rec(n + 1)
		}
	}
	rec(0)
}

func TestSelectAgainstBruteForce(t *testing.T) {
	infeasible := 0
	for seed := range uint64(1500) {
		s := random(rand.New(rand.NewPCG(seed, 7)))
		best := int64(math.MaxInt64)
		brute(s, func(c Choice) {
			if s.Fits(c) {
				best = min(best, s.Cost(c))
			}
		})
		out, err := Select(context.Background(), s, mip.Solver{}, solve.Options{})
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
		if out.Status != solve.Optimal || out.Objective != best || out.Bound != best || !s.Fits(out.Choice) || s.Cost(out.Choice) != best {
			t.Fatalf("seed %d: %v objective %d bound %d, brute force %d", seed, out.Status, out.Objective, out.Bound, best)
		}
		v, err := cert.Check(out.Model, out.Result.Certificate)
		if err != nil || ratCeil(v.Bound) != best {
			t.Fatalf("seed %d: certificate proves %v: %v", seed, v.Bound, err)
		}
	}
	if infeasible < 100 {
		t.Errorf("only %d infeasible instances", infeasible)
	}
}

func TestLeastBudgetAgainstBruteForce(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 11))
		s := random(rng)
		offsets := make([]int64, len(s.Limits))
		for l := range offsets {
			offsets[l] = int64(rng.IntN(9) - 6)
		}
		granule := int64(1 + rng.IntN(4))
		if l := len(s.Limits) - 1; l > 0 && seed%2 == 0 { // as tight as it may be
			offsets[l] = Fixed
			c, err := descend(context.Background(), s, offsets, func(int, int64) int64 { return 0 })
			if err != nil {
				t.Fatal(err)
			}
			s.Limits[l].Amount = s.Uses(c)[l]
		}
		best := int64(math.MaxInt64)
		brute(s, func(c Choice) {
			var need int64
			for l, u := range s.Uses(c) {
				if offsets[l] == Fixed {
					if u > s.Limits[l].Amount {
						return
					}
					continue
				}
				need = max(need, ceilDiv(u-offsets[l], granule)*granule)
			}
			best = min(best, need)
		})
		got, err := LeastBudget(context.Background(), s, offsets, granule, mip.Solver{}, solve.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Amount != best || !got.Proven {
			t.Fatalf("seed %d: budget %d (proven %v), brute force %d", seed, got.Amount, got.Proven, best)
		}
	}
}

// TestSelectCancelled keeps the incumbent of the greedy pass.
func TestSelectCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for seed := range uint64(50) {
		s := random(rand.New(rand.NewPCG(seed, 13)))
		s.Limits = nil
		for n := range s.Nodes {
			for j := range s.Nodes[n].Counts {
				s.Nodes[n].Counts[j] = nil
			}
		}
		out, err := Select(ctx, s, mip.Solver{}, solve.Options{})
		if err != nil || out.Choice == nil || out.Bound > out.Objective || out.Objective != s.Cost(out.Choice) {
			t.Fatalf("seed %d: %+v, %v", seed, out, err)
		}
	}
}
