package mip

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// stock is a cutting-stock problem: bars of one length, pieces by size and
// demand. A column is a way to cut a bar; its pricer is a knapsack.
type stock struct {
	length int
	size   []int
	demand []int64
	asked  int
}

func (s *stock) problem(start bool) *solve.ColumnProblem {
	m := &solve.Model{Name: "stock"}
	var total int64
	for i := range s.size {
		m.Rows = append(m.Rows, solve.Row{Name: fmt.Sprintf("size%d", s.size[i]), Sense: solve.GE, RHS: s.demand[i]})
		total += s.demand[i]
	}
	p := &solve.ColumnProblem{Master: m, Pricer: s, Groups: []solve.ColumnGroup{{Name: "bar", Kind: solve.Integer, Most: total, Cheapest: 1}}}
	if start {
		for i := range s.size {
			p.Start = append(p.Start, solve.Column{Name: fmt.Sprintf("only%d", i), Cost: 1, Terms: []solve.ColumnTerm{{Row: i, Coef: int64(s.length / s.size[i])}}})
		}
	}
	return p
}

// Price fills a bar with pieces of the greatest total value.
func (s *stock) Price(_ context.Context, q *solve.Pricing) (*solve.Priced, error) {
	s.asked++
	value, count := s.fill(q.Y, nil)
	out := &solve.Priced{Least: []int64{q.Scaled(1) - value}}
	if q.Need != nil {
		value, count = s.fill(q.Y, q.Need)
	}
	if value <= q.Scaled(1) {
		return out, nil
	}
	c := solve.Column{Name: fmt.Sprint("cut", count), Cost: 1}
	for i, n := range count {
		if n > 0 {
			c.Terms = append(c.Terms, solve.ColumnTerm{Row: i, Coef: n})
		}
	}
	out.Columns = []solve.Column{c}
	return out, nil
}

// fill is the best filling by dynamic programming over sizes and lengths, with at
// most need pieces of each size.
func (s *stock) fill(y, need []int64) (int64, []int64) {
	value := make([]int64, s.length+1)
	used := make([][]int64, len(s.size)) // pieces of size i in the best filling of a length by sizes 0…i
	for i, size := range s.size {
		most := int64(s.length / size)
		if need != nil {
			most = min(most, need[i])
		}
		used[i] = make([]int64, s.length+1)
		for l := s.length; l >= 0; l-- {
			for n := int64(1); n <= most && int(n)*size <= l; n++ {
				if v := value[l-int(n)*size] + n*y[i]; v > value[l] {
					value[l], used[i][l] = v, n
				}
			}
		}
	}
	count := make([]int64, len(s.size))
	for i, l := len(s.size)-1, s.length; i >= 0; i-- {
		count[i] = used[i][l]
		l -= int(count[i]) * s.size[i]
	}
	return value[s.length], count
}

// patterns lists all maximal ways to cut a bar.
func (s *stock) patterns() (out [][]int64) {
	count := make([]int64, len(s.size))
	var fill func(i, left int)
	fill = func(i, left int) {
		if i == len(s.size) {
			out = append(out, slices.Clone(count))
			return
		}
		for n := left / s.size[i]; n >= 0; n-- {
			count[i] = int64(n)
			fill(i+1, left-n*s.size[i])
		}
		count[i] = 0
	}
	fill(0, s.length)
	return out
}

// full is the model with all columns written down.
func (s *stock) full() *solve.Model {
	p := s.problem(false)
	var columns []solve.Column
	for k, count := range s.patterns() {
		c := solve.Column{Name: fmt.Sprint("p", k), Cost: 1}
		for i, n := range count {
			if n > 0 {
				c.Terms = append(c.Terms, solve.ColumnTerm{Row: i, Coef: n})
			}
		}
		columns = append(columns, c)
	}
	m, err := p.Model(columns)
	if err != nil {
		panic(err)
	}
	return m
}

func columnsSolved(t *testing.T, p *solve.ColumnProblem, opt solve.Options) *solve.ColumnResult {
	t.Helper()
	r, err := Solver{}.SolveColumns(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCuttingStock(t *testing.T) {
	for _, c := range []struct {
		name        string
		s           stock
		bound, best int64
	}{
		// Chvátal, Linear Programming, chapter 13: 452¼ and 453.
		{name: "Chvatal", s: stock{length: 100, size: []int{45, 36, 31, 14}, demand: []int64{97, 610, 395, 211}}, bound: 453, best: 453},
		// The smallest well-known instance whose optimum is not the relaxation rounded up: 259/132 and 3.
		{name: "Fieldhouse", s: stock{length: 132, size: []int{44, 33, 12}, demand: []int64{2, 3, 6}}, bound: 2, best: 3},
		{name: "halves", s: stock{length: 10, size: []int{5}, demand: []int64{7}}, bound: 4, best: 4},
		{name: "nothing", s: stock{length: 10, size: []int{5}, demand: []int64{0}}, bound: 0, best: 0},
	} {
		for _, start := range []bool{false, true} {
			p := c.s.problem(start)
			r := columnsSolved(t, p, solve.Options{})
			if !r.Converged || r.Bound.Cmp(big.NewRat(c.bound, 1)) != 0 || r.Objective == nil || r.Objective.Cmp(big.NewRat(c.best, 1)) != 0 {
				t.Errorf("%s: best %v, bound %v, converged %v", c.name, r.Objective, r.Bound, r.Converged)
			}
			if want := c.bound == c.best; (r.Status == solve.Optimal) != want {
				t.Errorf("%s: %v", c.name, r.Status)
			}
		}
	}
}

// Against the relaxation and the integer program with all columns.
func TestColumnsAgainstAll(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 51))
		s := stock{length: 20 + r.IntN(30)}
		for size := range map[int]bool{5 + r.IntN(6): true, 12 + r.IntN(4): true, 16 + r.IntN(4): true} {
			s.size = append(s.size, size)
		}
		slices.Sort(s.size)
		for range s.size {
			s.demand = append(s.demand, int64(r.IntN(30)))
		}
		all := s.full()
		cold, err := lp.Cold(lp.Relaxation(all))
		if err != nil {
			t.Fatal(err)
		}
		res := columnsSolved(t, s.problem(seed%2 == 0), solve.Options{})
		if want := (&solve.ColumnProblem{Master: all, Groups: nil}).RoundUp(ratOf(cold.Objective - 1e-7)); !res.Converged || res.Bound.Cmp(want) != 0 {
			t.Errorf("seed %d: bound %v, the relaxation of all columns gives %g", seed, res.Bound, cold.Objective)
		}
		exact, err := Solver{}.Solve(context.Background(), all, solve.Options{})
		if err != nil || exact.Status != solve.Optimal {
			t.Fatal(err, exact.Status)
		}
		switch d := new(big.Rat).Sub(res.Objective, exact.Objective); {
		case d.Sign() < 0 || res.Bound.Cmp(exact.Objective) > 0:
			t.Errorf("seed %d: best %v, bound %v, optimum %v", seed, res.Objective, res.Bound, exact.Objective)
		case res.Status == solve.Optimal && d.Sign() > 0:
			t.Errorf("seed %d: %v is not optimal, %v is", seed, res.Objective, exact.Objective)
		case d.Sign() > 0:
			t.Errorf("seed %d: %v, optimum %v", seed, res.Objective, exact.Objective)
		}
	}
}

// triplets is a bin packing whose bins hold three items without waste: the
// optimum is known, and hard to meet.
func triplets(bins int, seed uint64) *stock {
	r := rand.New(rand.NewPCG(seed, 52))
	s := &stock{length: 1000}
	count := map[int]int64{}
	for range bins {
		a := 380 + r.IntN(110)
		b := 250 + r.IntN((1000-a)/2-250+1)
		count[a]++
		count[b]++
		count[1000-a-b]++
	}
	for size := range count {
		s.size = append(s.size, size)
	}
	slices.SortFunc(s.size, func(a, b int) int { return cmp.Compare(b, a) })
	for _, size := range s.size {
		s.demand = append(s.demand, count[size])
	}
	return s
}

func TestTriplets(t *testing.T) {
	for seed := range uint64(3) {
		s := triplets(20, seed)
		r := columnsSolved(t, s.problem(true), solve.Options{})
		t.Logf("seed %d: %d sizes, best %v, bound %v, %+v", seed, len(s.size), r.Objective, r.Bound, r.Stats)
		if r.Bound.Cmp(big.NewRat(20, 1)) != 0 {
			t.Errorf("seed %d: bound %v", seed, r.Bound)
		}
		if r.Objective.Cmp(big.NewRat(21, 1)) > 0 {
			t.Errorf("seed %d: best %v of 20", seed, r.Objective)
		}
	}
}

// Rows that no column fills, and pieces longer than the bar.
func TestColumnsInfeasible(t *testing.T) {
	s := &stock{length: 10, size: []int{3, 11}, demand: []int64{2, 1}}
	p := s.problem(false)
	r := columnsSolved(t, p, solve.Options{})
	if r.Status != solve.Infeasible || r.Proof == nil || !r.Proof.Farkas || r.Bound != nil {
		t.Errorf("%v, proof %+v", r.Status, r.Proof)
	}
	r.Proof.Dual.Num[0] *= -1
	if p.Check(context.Background(), r) == nil {
		t.Error("a proof with a wrong sign is accepted")
	}
}

// Master variables: buying a piece instead of cutting it.
func TestColumnsWithVariables(t *testing.T) {
	s := &stock{length: 10, size: []int{6, 4}, demand: []int64{9, 5}}
	p := s.problem(false)
	p.Master.Vars = []solve.Var{{Name: "buy6", Kind: solve.Integer, Upper: 3, Cost: 0}, {Name: "tax", Kind: solve.Integer, Lower: 2, Upper: 5, Cost: 7}}
	p.Master.Rows[0].Terms = []solve.Term{{Var: 0, Coef: 1}}
	p.Master.Constant = -3
	r := columnsSolved(t, p, solve.Options{})
	if want := big.NewRat(6+14-3, 1); r.Status != solve.Optimal || r.Objective.Cmp(want) != 0 || r.Values[0] != 3 {
		t.Errorf("%v %v, values %v", r.Status, r.Objective, r.Values)
	}
}

// Every claim that is changed is refused.
func TestColumnClaims(t *testing.T) {
	s := &stock{length: 100, size: []int{45, 36, 31, 14}, demand: []int64{97, 610, 395, 211}}
	p := s.problem(false)
	for name, change := range map[string]func(r *solve.ColumnResult){
		"higher bound":      func(r *solve.ColumnResult) { r.Bound = big.NewRat(454, 1) },
		"larger multiplier": func(r *solve.ColumnResult) { r.Proof.Dual.Num[0] *= 3 },
		"other denominator": func(r *solve.ColumnResult) { r.Proof.Dual.Den *= 2 },
		"no proof":          func(r *solve.ColumnResult) { r.Proof = nil },
		"better objective":  func(r *solve.ColumnResult) { r.Objective = big.NewRat(452, 1) },
		"one bar less": func(r *solve.ColumnResult) {
			for j, v := range r.Values {
				if v > 0 {
					r.Values[j]--
					r.Objective.Sub(r.Objective, big.NewRat(1, 1))
					return
				}
			}
		},
		"richer column":  func(r *solve.ColumnResult) { r.Columns[0].Cost = 0 },
		"row outside":    func(r *solve.ColumnResult) { r.Proof.Dual.Rows[0] = 99 },
		"optimal anyway": func(r *solve.ColumnResult) { r.Objective, r.Bound = big.NewRat(454, 1), big.NewRat(453, 1) },
	} {
		r := columnsSolved(t, p, solve.Options{})
		change(r)
		if p.Check(context.Background(), r) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// broken is a pricer that fails or contradicts the problem.
type brokenPricer struct{ answer func() (*solve.Priced, error) }

func (b brokenPricer) Price(context.Context, *solve.Pricing) (*solve.Priced, error) {
	return b.answer()
}

func TestColumnErrors(t *testing.T) {
	s := &stock{length: 10, size: []int{3}, demand: []int64{2}}
	fail := errors.New("no answer")
	for name, answer := range map[string]func() (*solve.Priced, error){
		"error":      func() (*solve.Priced, error) { return nil, fail },
		"statements": func() (*solve.Priced, error) { return &solve.Priced{}, nil },
		"row outside": func() (*solve.Priced, error) {
			return &solve.Priced{Least: []int64{-1}, Columns: []solve.Column{{Name: "x", Cost: 1, Terms: []solve.ColumnTerm{{Row: 4, Coef: 1}}}}}, nil
		},
		"too dear": func() (*solve.Priced, error) {
			return &solve.Priced{Least: []int64{-1}, Columns: []solve.Column{{Name: "x", Cost: solve.MaxColumnCost + 1, Terms: []solve.ColumnTerm{{Row: 0, Coef: 1}}}}}, nil
		},
		"too cheap": func() (*solve.Priced, error) {
			return &solve.Priced{Least: []int64{-1}, Columns: []solve.Column{{Name: "x", Terms: []solve.ColumnTerm{{Row: 0, Coef: 1}}}}}, nil
		},
	} {
		p := s.problem(true)
		p.Pricer = brokenPricer{answer}
		if _, err := (Solver{}).SolveColumns(context.Background(), p, solve.Options{}); err == nil || name == "error" && !errors.Is(err, fail) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Limits end with what is known; the same effort gives the same answer.
func TestColumnLimits(t *testing.T) {
	s := triplets(20, 1)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Solver{}.SolveColumns(done, s.problem(true), solve.Options{})
	if err != nil || r.Status != solve.Unknown && r.Status != solve.Feasible {
		t.Errorf("cancelled: %v %v", r, err)
	}
	var first *solve.ColumnResult
	for range 2 {
		r := columnsSolved(t, s.problem(true), solve.Options{Effort: 150})
		if r.Stats.LPIterations > 151 { // CLP's primal simplex may take one more
			t.Errorf("%d iterations", r.Stats.LPIterations)
		}
		if first != nil && (!slices.Equal(first.Values, r.Values) || first.Bound.Cmp(r.Bound) != 0 || first.Stats != r.Stats) {
			t.Errorf("the same effort gives %+v and %+v", first.Stats, r.Stats)
		}
		first = r
	}
}

// Each technique on its own, by rounds and iterations.
func BenchmarkColumns(b *testing.B) {
	for _, off := range append([]solve.Technique{"nothing"}, solve.ColumnTechniques()...) {
		b.Run("without-"+string(off), func(b *testing.B) {
			var rounds, iterations, columns, gap float64
			for range b.N {
				for seed := range uint64(4) {
					p := triplets(40, seed).problem(true)
					r, err := Solver{}.SolveColumns(context.Background(), p, solve.Options{Disable: []solve.Technique{off}})
					if err != nil {
						b.Fatal(err)
					}
					rounds, iterations, columns = rounds+float64(r.Stats.Rounds), iterations+float64(r.Stats.LPIterations), columns+float64(r.Stats.Columns)
					gap += r.Gap() / 4
				}
			}
			n := float64(b.N)
			b.ReportMetric(rounds/n, "rounds/op")
			b.ReportMetric(iterations/n, "iterations/op")
			b.ReportMetric(columns/n, "columns/op")
			b.ReportMetric(gap/n, "gap/op")
		})
	}
}
