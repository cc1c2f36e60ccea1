package mip_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// solved answers m, and insists that the checker proves the same result.
func solved(t *testing.T, m *solve.Model, opt solve.Options) *solve.Result {
	t.Helper()
	r, err := mip.Solver{}.Solve(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	v, err := cert.Check(m, r.Certificate)
	if err != nil {
		t.Fatalf("%v\nmodel %+v\nresult %+v", err, m, r)
	}
	if v.Status != r.Status || (v.Bound == nil) != (r.Bound == nil) || (v.Bound != nil && v.Bound.Cmp(r.Bound) != 0) ||
		(v.Objective == nil) != (r.Objective == nil) || (v.Objective != nil && v.Objective.Cmp(r.Objective) != 0) {
		t.Fatalf("checker: %v %v %v, solver: %v %v %v\nmodel %+v", v.Status, v.Objective, v.Bound, r.Status, r.Objective, r.Bound, m)
	}
	return r
}

// 2000 models of mixed kinds, each with all techniques or one switched off.
func TestAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(2026, 3))
	seen := map[solve.Status]int{}
	nodes := 0
	for k := range 2000 {
		m := randomModel(r)
		opt := solve.Options{Threads: 1 + k%2}
		if off := k % (2 * len(solve.Techniques())); off < len(solve.Techniques()) {
			opt.Disable = solve.Techniques()[off : off+1]
		}
		res := solved(t, m, opt)
		seen[res.Status]++
		nodes += res.Stats.Nodes
		best, feasible := bruteForce(t, m)
		if !feasible {
			if res.Status != solve.Infeasible {
				t.Fatalf("model %d: %v, but no assignment exists: %+v", k, res.Status, m)
			}
			continue
		}
		if res.Status != solve.Optimal || math.Abs(float(res.Objective)-best) > 1e-6*(1+math.Abs(best)) {
			t.Fatalf("model %d: %v %v, brute force %g: %+v\n%+v", k, res.Status, res.Objective, best, m, res.Stats)
		}
	}
	t.Logf("%v, %d nodes", seen, nodes)
	if seen[solve.Optimal] < 200 || seen[solve.Infeasible] < 100 {
		t.Errorf("lopsided sample: %v", seen)
	}
}

// model builds one in a test table.
func model(build func(b *solve.Builder)) *solve.Model {
	b := solve.NewBuilder("case")
	build(b)
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

func TestSpecialModels(t *testing.T) {
	term := func(v int, c int64) solve.Term { return solve.Term{Var: v, Coef: c} }
	for _, c := range []struct {
		name   string
		status solve.Status
		obj    string
		build  func(b *solve.Builder)
	}{
		{"empty", solve.Optimal, "7", func(b *solve.Builder) { b.Constant(7) }},
		{"no rows", solve.Optimal, "-9", func(b *solve.Builder) {
			b.Integer("x", -3, 4, 3)
			b.Binary("y", 5)
			b.Continuous("z", 0, 1, 0)
		}},
		{"empty row, true", solve.Optimal, "0", func(b *solve.Builder) { b.Row("r", solve.LE, 0) }},
		{"empty row, false", solve.Infeasible, "", func(b *solve.Builder) {
			b.Binary("x", 1)
			b.Row("r", solve.GE, 1)
		}},
		{"zero coefficients", solve.Infeasible, "", func(b *solve.Builder) { b.Row("r", solve.EQ, 1, term(b.Binary("x", 1), 0)) }},
		{"all fixed", solve.Optimal, "8", func(b *solve.Builder) {
			x := b.Integer("x", 2, 2, 4)
			b.Row("r", solve.EQ, 6, term(x, 3))
		}},
		{"all fixed, infeasible", solve.Infeasible, "", func(b *solve.Builder) {
			x := b.Integer("x", 2, 2, 4)
			b.Row("r", solve.EQ, 7, term(x, 3))
		}},
		{"parity", solve.Infeasible, "", func(b *solve.Builder) { // the relaxation is feasible
			x, y := b.Integer("x", -50, 50, 1), b.Integer("y", -50, 50, 1)
			b.Row("r", solve.EQ, 7, term(x, 2), term(y, 4))
		}},
		{"continuous only", solve.Optimal, "7/3", func(b *solve.Builder) {
			x, y := b.Continuous("x", 0, 10, 1), b.Continuous("y", 0, 10, 1)
			b.Row("a", solve.GE, 4, term(x, 1), term(y, 2))
			b.Row("b", solve.GE, 3, term(x, 2), term(y, 1))
		}},
		{"thirds", solve.Optimal, "1/3", func(b *solve.Builder) {
			x, y := b.Continuous("x", 0, 1, 1), b.Binary("y", 1)
			b.Row("a", solve.GE, 1, term(x, 3), term(y, 1))
		}},
		{"infeasible continuous", solve.Infeasible, "", func(b *solve.Builder) {
			x, y := b.Continuous("x", 0, 10, 1), b.Continuous("y", 0, 10, 1)
			b.Row("a", solve.LE, 3, term(x, 1), term(y, 1))
			b.Row("b", solve.GE, 7, term(x, 1), term(y, 2))
			b.Row("c", solve.GE, 1, term(x, 1), term(y, -1))
		}},
		{"degenerate assignment", solve.Optimal, "6", func(b *solve.Builder) {
			for i := range 6 {
				for j := range 6 {
					b.Binary(string(rune('a'+i))+string(rune('a'+j)), 1)
				}
			}
			for i := range 6 {
				var row, col []solve.Term
				for j := range 6 {
					row, col = append(row, term(6*i+j, 1)), append(col, term(6*j+i, 1))
				}
				b.Row("row"+string(rune('a'+i)), solve.EQ, 1, row...)
				b.Row("col"+string(rune('a'+i)), solve.EQ, 1, col...)
			}
		}},
		{"large costs", solve.Optimal, "4503599627370497", func(b *solve.Builder) {
			x, y := b.Binary("x", 1<<52), b.Binary("y", 1<<52+1)
			b.Row("r", solve.GE, 1, term(x, 1), term(y, 2))
			b.Row("s", solve.LE, 1, term(x, 2), term(y, 1))
		}},
		{"large coefficients", solve.Optimal, "2", func(b *solve.Builder) { // the relaxation cannot tell 2^52 from 2^52−1
			x, y := b.Binary("x", 1), b.Binary("y", 1)
			b.Row("r", solve.GE, 1<<52+2, term(x, 1<<52), term(y, 1<<52+1))
		}},
		{"large equality", solve.Infeasible, "", func(b *solve.Builder) {
			x, y, z := b.Binary("x", 1), b.Binary("y", -1), b.Integer("z", 0, 3, 1)
			b.Row("r", solve.EQ, 1<<51+5, term(x, 1<<51), term(y, 1<<51+1), term(z, 1))
		}},
		{"small slope", solve.Optimal, "1", func(b *solve.Builder) {
			x, y := b.Continuous("x", 0, 1, 0), b.Binary("y", 1)
			b.Row("r", solve.LE, 0, term(x, 1), term(y, -(1<<30)))
			b.Row("s", solve.GE, 1, term(x, 1<<20))
		}},
	} {
		m := model(c.build)
		r := solved(t, m, solve.Options{})
		if r.Status != c.status || (r.Objective != nil) != (c.obj != "") || (c.obj != "" && r.Objective.RatString() != c.obj) {
			t.Errorf("%s: %v %v, want %v %s (%+v)", c.name, r.Status, r.Objective, c.status, c.obj, r.Stats)
		}
	}
}

func TestMalformedModel(t *testing.T) {
	_, err := mip.Solver{}.Solve(context.Background(), &solve.Model{Vars: []solve.Var{{Name: "x", Lower: 2, Upper: 1}}}, solve.Options{})
	if !errors.Is(err, solve.ErrModel) {
		t.Error(err)
	}
}

// Under an effort limit the same answer comes twice, it is valid, and its
// certificate proves the bound of the unfinished tree.
func TestEffort(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := planning(1, 4, 300, 12)
	last := -1.0
	for _, effort := range []int64{1, 200, 2000, 6000, 0} {
		opt := solve.Options{Effort: effort, Seed: 5}
		a, b := solved(t, m, opt), solved(t, m, opt)
		a.Stats.Duration, b.Stats.Duration = 0, 0
		if d := cmp.Diff(a, b, cmp.Comparer(func(x, y *big.Rat) bool { return (x == nil) == (y == nil) && (x == nil || x.Cmp(y) == 0) })); d != "" {
			t.Errorf("effort %d: two answers: %s", effort, d)
		}
		if effort > 0 && a.Stats.LPIterations > effort {
			t.Errorf("effort %d: %d iterations", effort, a.Stats.LPIterations)
		}
		if f := float(a.Bound); f < last {
			t.Errorf("effort %d: bound %g after %g", effort, f, last)
		} else {
			last = f
		}
		t.Logf("effort %d: %v, gap %g", effort, a.Status, a.Gap())
		if (effort == 0) != (a.Status == solve.Optimal) {
			t.Errorf("effort %d: %v", effort, a.Status)
		}
	}
}

func TestGapLimit(t *testing.T) {
	m := planning(0, 4, 100, 8)
	r := solved(t, m, solve.Options{Gap: 0.05})
	if r.Gap() > 0.05 || (r.Status != solve.Feasible && r.Status != solve.Optimal) {
		t.Errorf("%v, gap %g", r.Status, r.Gap())
	}
	if full := solved(t, m, solve.Options{}); r.Stats.Nodes >= full.Stats.Nodes || r.Objective.Cmp(full.Objective) < 0 {
		t.Errorf("%d nodes at 5 %%, %d to the end", r.Stats.Nodes, full.Stats.Nodes)
	}
}

// Cancelled before or during the search, the best so far is returned at once.
func TestCancellation(t *testing.T) {
	m := planning(3, 6, 500, 20)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := mip.Solver{}.Solve(done, m, solve.Options{})
	if err != nil || r.Status != solve.Unknown || r.Bound == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if v, err := cert.Check(m, r.Certificate); err != nil || v.Bound.Cmp(r.Bound) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	// Cancel at the first incumbent.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	log := slog.New(onMessage{"incumbent", cancel})
	r, err = mip.Solver{}.Solve(ctx, m, solve.Options{Log: log})
	if err != nil || r.Status != solve.Feasible {
		t.Fatalf("%v, %v", r, err)
	}
	if v, err := cert.Check(m, r.Certificate); err != nil || v.Bound.Cmp(r.Bound) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	// A time limit ends it as well.
	r = solved(t, m, solve.Options{TimeLimit: time.Nanosecond})
	if r.Status != solve.Unknown {
		t.Errorf("after a nanosecond: %v", r.Status)
	}
}

// onMessage is a log that calls f at a message.
type onMessage struct {
	message string
	f       func()
}

func (h onMessage) Enabled(context.Context, slog.Level) bool { return true }
func (h onMessage) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h onMessage) WithGroup(string) slog.Handler            { return h }
func (h onMessage) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.message {
		h.f()
	}
	return nil
}

// Warm starts are used when right, completed when only the continuous part is
// missing, and refused when wrong.
func TestWarmStart(t *testing.T) {
	m := planning(0, 4, 100, 8)
	full := solved(t, m, solve.Options{})
	r := solved(t, m, solve.Options{WarmStart: full.Values})
	if r.Stats.Incumbents != 1 || r.Objective.Cmp(full.Objective) != 0 {
		t.Errorf("%d incumbents to %v", r.Stats.Incumbents, r.Objective)
	}
	for _, wrong := range [][]int64{{1, 2}, make([]int64, len(m.Vars))} {
		if r := solved(t, m, solve.Options{WarmStart: wrong}); r.Status != solve.Optimal {
			t.Errorf("wrong warm start: %v", r.Status)
		}
	}
	mixed := model(func(b *solve.Builder) {
		x, z := b.Binary("x", 5), b.Continuous("z", 0, 9, 1)
		b.Row("r", solve.GE, 7, solve.Term{Var: x, Coef: 3}, solve.Term{Var: z, Coef: 2})
	})
	r, err := mip.Solver{}.Solve(context.Background(), mixed, solve.Options{WarmStart: []int64{1, 0}, Effort: 3})
	if err != nil || r.Objective == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if r := solved(t, mixed, solve.Options{WarmStart: []int64{1, 0}}); r.Objective.RatString() != "7/2" {
		t.Errorf("objective %v", r.Objective)
	}
}

// The log names what a reader of a solver's log looks for.
func TestLog(t *testing.T) {
	var text strings.Builder
	h := slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "seconds" || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}})
	solved(t, planning(0, 3, 60, 6), solve.Options{Log: slog.New(h)})
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if want := "msg=model rows=29 variables=252"; lines[0] != want {
		t.Errorf("first line %q, want %q", lines[0], want)
	}
	if end := lines[len(lines)-1]; !strings.HasPrefix(end, "msg=end status=optimal nodes=") || !strings.Contains(end, " best=96102 bound=96102 gap=0 ") {
		t.Errorf("last line %q", end)
	}
	if !strings.Contains(text.String(), "msg=incumbent nodes=") {
		t.Errorf("no incumbent in\n%s", text.String())
	}
}

// One Solver serves several goroutines; each gets the answer it would get alone.
func TestConcurrentUse(t *testing.T) {
	m := planning(0, 3, 60, 6)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{})
			if err != nil || r.Status != solve.Optimal || r.Objective.RatString() != "96102" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wg.Wait()
}

// hard draws a model whose relaxation says little: knapsack rows with numbers
// of one size, some equalities, and exactly-one rows of several members.
func hard(r *rand.Rand) *solve.Model {
	return model(func(b *solve.Builder) {
		n := 9 + r.IntN(4)
		for j := range n {
			b.Binary(fmt.Sprintf("x%d", j), -int64(50+r.IntN(50)))
		}
		for i := range 2 + r.IntN(2) {
			var terms []solve.Term
			sum := int64(0)
			for j := range n {
				c := int64(20 + r.IntN(60))
				terms = append(terms, solve.Term{Var: j, Coef: c})
				sum += c
			}
			b.Row(fmt.Sprintf("knapsack%d", i), solve.LE, sum/2-int64(r.IntN(30)), terms...)
		}
		if r.IntN(2) == 0 {
			b.Row("choose", solve.EQ, 1, solve.Term{Var: 0, Coef: 1}, solve.Term{Var: 1, Coef: 1}, solve.Term{Var: 2, Coef: 1}, solve.Term{Var: 3, Coef: 1})
		}
		if r.IntN(3) == 0 {
			b.Row("split", solve.EQ, int64(90+r.IntN(40)), solve.Term{Var: 4, Coef: int64(31 + r.IntN(9))}, solve.Term{Var: 5, Coef: int64(41 + r.IntN(9))},
				solve.Term{Var: 6, Coef: int64(51 + r.IntN(9))}, solve.Term{Var: 7, Coef: int64(23 + r.IntN(9))})
		}
	})
}

// 200 models that need real trees, in every setting.
func TestTreesAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	nodes, infeasible := 0, 0
	for k := range 200 {
		m := hard(r)
		opt := solve.Options{Seed: uint64(k), Threads: 1 + k%2}
		for i, tech := range solve.Techniques() {
			if k>>(i%5)&1 == 1 {
				opt.Disable = append(opt.Disable, tech)
			}
		}
		res := solved(t, m, opt)
		nodes += res.Stats.Nodes
		best, feasible := bruteForce(t, m)
		if feasible != (res.Status == solve.Optimal) || feasible == (res.Status == solve.Infeasible) || (feasible && float(res.Objective) != best) {
			t.Fatalf("model %d: %v %v, brute force %v %g", k, res.Status, res.Objective, feasible, best)
		}
		if !feasible {
			infeasible++
		}
	}
	t.Logf("%d nodes, %d infeasible", nodes, infeasible)
	if nodes < 2000 {
		t.Errorf("only %d nodes", nodes)
	}
}
