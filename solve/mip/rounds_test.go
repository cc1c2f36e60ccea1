package mip_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// spread is a model whose tree has hundreds of nodes: a generalised assignment
// problem with tight capacities.
func spread(seed uint64, jobs, machines int) *solve.Model {
	r := rand.New(rand.NewPCG(seed, 5))
	return model(func(b *solve.Builder) {
		load := make([][]solve.Term, machines)
		sum := make([]int64, machines)
		for j := range jobs {
			var one []solve.Term
			for k := range machines {
				size := int64(5 + r.IntN(21))
				x := b.Binary(fmt.Sprintf("x%d,%d", j, k), 111-4*size+int64(r.IntN(21))-10)
				one = append(one, solve.Term{Var: x, Coef: 1})
				load[k] = append(load[k], solve.Term{Var: x, Coef: size})
				sum[k] += size
			}
			b.Row(fmt.Sprintf("job%d", j), solve.EQ, 1, one...)
		}
		for k := range machines {
			b.Row(fmt.Sprintf("machine%d", k), solve.LE, sum[k]*8/10/int64(machines), load[k]...)
		}
	})
}

var sameRationals = cmp.Comparer(func(x, y *big.Rat) bool { return (x == nil) == (y == nil) && (x == nil || x.Cmp(y) == 0) })

// The number of threads shows in nothing: solution, bound, certificate and
// statistics are the same, finished or cut off by an effort limit.
func TestThreads(t *testing.T) {
	several := 0
	models := []*solve.Model{spread(1, 24, 4), planning(1, 4, 100, 8), knapsacks(2, 40, 4, false)}
	efforts := []int64{300, 6000}
	if testing.Short() {
		models, efforts = models[:1], []int64{3000}
	}
	for k, m := range models {
		for _, effort := range efforts {
			var want *solve.Result
			for _, threads := range []int{1, 2, 2, 8} {
				got := solved(t, m, solve.Options{Effort: effort, Seed: 7, Threads: threads})
				got.Stats.Duration = 0
				if want == nil {
					want = got
					t.Logf("model %d, effort %d: %v, %d nodes, %d iterations, effort %d", k, effort, got.Status, got.Stats.Nodes, got.Stats.LPIterations, got.Stats.Effort())
					if got.Stats.Nodes > 100 {
						several++
					}
					if got.Stats.LPIterations > effort {
						t.Errorf("model %d, effort %d: %d iterations", k, effort, got.Stats.LPIterations)
					}
				} else if d := cmp.Diff(want, got, sameRationals); d != "" {
					t.Fatalf("model %d, effort %d: %d threads: %s", k, effort, threads, d)
				}
			}
		}
	}
	if several == 0 || !testing.Short() && several < 2 {
		t.Errorf("only %d of the trees were searched by several workers", several)
	}
}

func BenchmarkThreads(b *testing.B) {
	m := spread(3, 40, 5)
	for _, threads := range []int{1, 2, 4} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			nodes, iterations, cpu := 0, int64(0), userSeconds(b)
			for b.Loop() {
				r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{Effort: 100000, Threads: threads})
				if err != nil {
					b.Fatal(err)
				}
				nodes += r.Stats.Nodes
				iterations += r.Stats.LPIterations
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
			b.ReportMetric(float64(iterations)/b.Elapsed().Seconds(), "iterations/s")
			b.ReportMetric(float64(nodes)/(userSeconds(b)-cpu), "nodes/user-s")
		})
	}
}

// userSeconds is the processor time that the process has used.
func userSeconds(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano()).Seconds()
}
