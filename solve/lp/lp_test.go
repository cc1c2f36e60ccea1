package lp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"ipusolve/solve"
)

// random is a feasible or infeasible program with boxed columns.
func random(r *rand.Rand, rows, cols int, density float64) *Problem {
	p := &Problem{Start: []int32{0}}
	for range cols {
		lo := float64(r.IntN(5) - 2)
		p.ColLower = append(p.ColLower, lo)
		p.ColUpper = append(p.ColUpper, lo+float64(r.IntN(10)))
		p.Cost = append(p.Cost, float64(r.IntN(41)-20))
		for i := range rows {
			if r.Float64() < density {
				p.Index = append(p.Index, int32(i))
				p.Value = append(p.Value, float64(r.IntN(19)-9))
			}
		}
		p.Start = append(p.Start, int32(len(p.Index)))
	}
	for range rows {
		b := float64(r.IntN(60) - 20)
		switch r.IntN(3) {
		case 0:
			p.RowLower, p.RowUpper = append(p.RowLower, math.Inf(-1)), append(p.RowUpper, b)
		case 1:
			p.RowLower, p.RowUpper = append(p.RowLower, -b), append(p.RowUpper, math.Inf(1))
		default:
			p.RowLower, p.RowUpper = append(p.RowLower, b-30), append(p.RowUpper, b)
		}
	}
	return p
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)+math.Abs(b)) }

// dualBound is the objective that the dual vector proves by clipping.
func dualBound(p *Problem, s *Solution) float64 {
	var b float64
	for i, y := range s.Dual {
		if math.Abs(y) < 1e-9 {
			continue
		} else if y > 0 {
			b += y * p.RowLower[i]
		} else {
			b += y * p.RowUpper[i]
		}
	}
	for j := range p.Cost {
		r := p.Cost[j]
		for k := p.Start[j]; k < p.Start[j+1]; k++ {
			r -= s.Dual[p.Index[k]] * p.Value[k]
		}
		b += min(r*p.ColLower[j], r*p.ColUpper[j])
	}
	return b
}

// The layer of our own and lanl/clp agree, cold and after changes of bounds.
func TestWarmAgainstCold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[Status]int{}
	for range 1000 {
		p := random(r, r.IntN(12), r.IntN(15), 0.4)
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			warm := s.Solve(context.Background(), 0)
			cold, err := Cold(p)
			if err != nil {
				t.Fatal(err)
			}
			seen[warm.Status]++
			if warm.Status != cold.Status || (warm.Status == Optimal && !near(warm.Objective, cold.Objective)) {
				t.Fatalf("warm %v %g, cold %v %g\n%+v", warm.Status, warm.Objective, cold.Status, cold.Objective, p)
			}
			if warm.Status == Optimal {
				for _, x := range []*Solution{warm, cold} {
					if b := dualBound(p, x); !near(b, x.Objective) {
						t.Fatalf("the dual vector proves %g of %g", b, x.Objective)
					}
				}
			}
			for j := range p.Cost {
				if r.IntN(3) == 0 {
					p.ColLower[j] = float64(r.IntN(5) - 2)
					p.ColUpper[j] = p.ColLower[j] + float64(r.IntN(6))
				}
			}
			if err := s.SetBounds(p.ColLower, p.ColUpper); err != nil {
				t.Fatal(err)
			}
		}
		s.Free()
	}
	if seen[Optimal] < 100 || seen[Infeasible] < 100 {
		t.Errorf("lopsided sample: %v", seen)
	}
}

func TestRefusedNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, change := range map[string]func(p *Problem){
		"NaN cost":        func(p *Problem) { p.Cost[0] = nan },
		"huge cost":       func(p *Problem) { p.Cost[0] = 1e25 },
		"NaN bound":       func(p *Problem) { p.ColLower[0] = nan },
		"crossed bounds":  func(p *Problem) { p.ColLower[0] = p.ColUpper[0] + 1 },
		"lower at +inf":   func(p *Problem) { p.ColLower[0], p.ColUpper[0] = inf, inf },
		"NaN entry":       func(p *Problem) { p.Value[0] = nan },
		"infinite entry":  func(p *Problem) { p.Value[0] = inf },
		"row outside":     func(p *Problem) { p.Index[0] = 99 },
		"row twice":       func(p *Problem) { p.Index[1] = p.Index[0] },
		"crossed rows":    func(p *Problem) { p.RowLower[0], p.RowUpper[0] = 1, 0 },
		"NaN row":         func(p *Problem) { p.RowUpper[0] = nan },
		"short cost":      func(p *Problem) { p.Cost = p.Cost[1:] },
		"starts backward": func(p *Problem) { p.Start[1] = 99 },
		"starts short":    func(p *Problem) { p.Start[len(p.Start)-1]-- },
	} {
		p := random(rand.New(rand.NewPCG(3, 4)), 4, 4, 1)
		change(p)
		if _, err := New(p); !errors.Is(err, ErrProblem) {
			t.Errorf("%s: New gives %v", name, err)
		}
		if _, err := Cold(p); !errors.Is(err, ErrProblem) {
			t.Errorf("%s: Cold gives %v", name, err)
		}
	}
	s, err := New(random(rand.New(rand.NewPCG(3, 4)), 4, 4, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	if err := s.SetBounds([]float64{0, 0, nan, 0}, []float64{1, 1, 1, 1}); !errors.Is(err, ErrProblem) {
		t.Errorf("SetBounds with NaN: %v", err)
	}
	if err := s.SetBounds([]float64{0}, []float64{1}); !errors.Is(err, ErrProblem) {
		t.Errorf("SetBounds of wrong length: %v", err)
	}
}

// Empty rows at the end, no rows, no columns, nothing at all.
func TestEmptyParts(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		p    Problem
		want Status
		obj  float64
	}{
		{"nothing", Problem{Start: []int32{0}}, Optimal, 0},
		{"no rows", Problem{ColLower: []float64{-1, 0}, ColUpper: []float64{2, 3}, Cost: []float64{1, -1}, Start: []int32{0, 0, 0}}, Optimal, -4},
		{"no columns", Problem{RowLower: []float64{-inf}, RowUpper: []float64{0}, Start: []int32{0}}, Optimal, 0},
		{"no columns, infeasible", Problem{RowLower: []float64{1}, RowUpper: []float64{inf}, Start: []int32{0}}, Infeasible, 0},
		{"trailing empty row", Problem{ColLower: []float64{0}, ColUpper: []float64{9}, Cost: []float64{1}, RowLower: []float64{2, -inf},
			RowUpper: []float64{inf, 0}, Start: []int32{0, 1}, Index: []int32{0}, Value: []float64{1}}, Optimal, 2},
		{"trailing empty row, infeasible", Problem{ColLower: []float64{0}, ColUpper: []float64{9}, Cost: []float64{1}, RowLower: []float64{2, 1},
			RowUpper: []float64{inf, 5}, Start: []int32{0, 1}, Index: []int32{0}, Value: []float64{1}}, Infeasible, 0},
		{"unbounded", Problem{ColLower: []float64{0}, ColUpper: []float64{inf}, Cost: []float64{-1}, RowLower: []float64{2},
			RowUpper: []float64{inf}, Start: []int32{0, 1}, Index: []int32{0}, Value: []float64{1}}, Unbounded, 0},
	} {
		s, err := New(&c.p)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		warm := s.Solve(context.Background(), 0)
		s.Free()
		cold, err := Cold(&c.p)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, x := range []*Solution{warm, cold} {
			if x.Status != c.want || (c.want == Optimal && x.Objective != c.obj) {
				t.Errorf("%s: %v %g, want %v %g", c.name, x.Status, x.Objective, c.want, c.obj)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	p := random(rand.New(rand.NewPCG(5, 6)), 40, 60, 0.5)
	for i := range p.RowLower { // x = lower is feasible
		p.RowLower[i] = math.Inf(-1)
		p.RowUpper[i] = 1e3
	}
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	full := s.Solve(context.Background(), 0)
	if full.Status != Optimal {
		t.Fatalf("status %v", full.Status)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if x := s.Solve(done, 0); x.Status != Limit || x.Iterations != 0 {
		t.Errorf("cancelled: %v after %d iterations", x.Status, x.Iterations)
	}
	// In steps of three iterations it ends at the same objective.
	s2, err := New(random(rand.New(rand.NewPCG(7, 8)), 20, 40, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	defer s2.Free()
	steps := 0
	x := s2.Solve(context.Background(), 3)
	for ; x.Status == Limit && steps < 1000; steps++ {
		if x.Iterations > 3 {
			t.Fatalf("%d iterations, limit 3", x.Iterations)
		}
		x = s2.Solve(context.Background(), 3)
	}
	cold, err := Cold(random(rand.New(rand.NewPCG(7, 8)), 20, 40, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	if steps < 2 || x.Status != cold.Status || !near(x.Objective, cold.Objective) {
		t.Errorf("in %d steps %v %g, cold %v %g", steps, x.Status, x.Objective, cold.Status, cold.Objective)
	}
}

// A basis saved and put back gives the same vertex without iterations.
func TestBasis(t *testing.T) {
	p := random(rand.New(rand.NewPCG(7, 8)), 20, 40, 0.5)
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	first := s.Solve(context.Background(), 0)
	b := s.Basis()
	if first.Status != Optimal || first.Iterations == 0 {
		t.Fatalf("%v after %d iterations", first.Status, first.Iterations)
	}
	free := 0
	for j := range p.Cost {
		if b.ColumnBasic(j) {
			free++
		} else if want := p.ColLower[j]; !b.ColumnAtUpper(j) && first.Primal[j] != want && p.ColUpper[j] != first.Primal[j] {
			t.Errorf("column %d is nonbasic at %g", j, first.Primal[j])
		}
	}
	for i := range p.RowLower {
		if b.RowBasic(i, len(p.Cost)) {
			free++
		}
	}
	if free != len(p.RowLower) {
		t.Errorf("%d basic of %d", free, len(p.RowLower))
	}
	lo, hi := append([]float64(nil), p.ColLower...), append([]float64(nil), p.ColUpper...)
	for j := range lo {
		hi[j] = lo[j] + (hi[j]-lo[j])/2
	}
	if err := s.SetBounds(lo, hi); err != nil {
		t.Fatal(err)
	}
	s.Solve(context.Background(), 0)
	if err := s.SetBounds(p.ColLower, p.ColUpper); err != nil {
		t.Fatal(err)
	}
	s.SetBasis(b)
	if again := s.Solve(context.Background(), 0); again.Iterations != 0 || !near(again.Objective, first.Objective) {
		t.Errorf("%d iterations to %g, first %g", again.Iterations, again.Objective, first.Objective)
	}
}

// Scaled, the second row of this program looks satisfied at x = 0.
func TestScaling(t *testing.T) {
	b := solve.NewBuilder("")
	x, y := b.Continuous("x", 0, 1, 0), b.Binary("y", 1)
	b.Row("r", solve.LE, 0, solve.Term{Var: x, Coef: 1}, solve.Term{Var: y, Coef: -(1 << 30)})
	b.Row("s", solve.GE, 1, solve.Term{Var: x, Coef: 1 << 20})
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Relaxation(m))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	if sol := s.Solve(context.Background(), 0); sol.Status != Optimal || sol.Primal[x]*(1<<20) < 1-1e-6 {
		t.Errorf("%v, x = %g", sol.Status, sol.Primal[x])
	}
}

func TestRay(t *testing.T) {
	b := solve.NewBuilder("")
	x, y := b.Binary("x", 1), b.Binary("y", 1)
	b.Row("sum", solve.GE, 3, solve.Term{Var: x, Coef: 1}, solve.Term{Var: y, Coef: 1})
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Relaxation(m))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	if sol := s.Solve(context.Background(), 0); sol.Status != Infeasible {
		t.Fatalf("status %v", sol.Status)
	}
	if r := s.Ray(); len(r) != 1 || r[0] == 0 {
		t.Errorf("ray %v", r)
	}
}

// Simplexes that nobody freed are freed by the collector; re-solves keep none.
func TestNoLeak(t *testing.T) {
	p := random(rand.New(rand.NewPCG(9, 9)), 30, 60, 0.5)
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	before := residentKiB(t)
	for range 20000 {
		s.Solve(context.Background(), 0)
	}
	for k := range 2000 {
		if _, err := New(p); err != nil {
			t.Fatal(err)
		}
		if k%100 == 99 {
			runtime.GC()
		}
	}
	if grown := residentKiB(t) - before; grown > 64<<10 {
		t.Errorf("resident memory grew by %d KiB", grown)
	}
}
