package lp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// mirror is a problem by dense rows, changed beside a Simplex.
type mirror struct {
	p *Problem
	a [][]float64 // by row
}

func newMirror(p *Problem) *mirror {
	rows, cols := p.Dims()
	m := &mirror{p: p}
	for range rows {
		m.a = append(m.a, make([]float64, cols))
	}
	for j := range cols {
		for k := p.Start[j]; k < p.Start[j+1]; k++ {
			m.a[p.Index[k]][j] = p.Value[k]
		}
	}
	return m
}

// problem writes the entries back.
func (m *mirror) problem() *Problem {
	p := m.p
	p.Start, p.Index, p.Value = []int32{0}, nil, nil
	for j := range p.ColLower {
		for i := range m.a {
			if v := m.a[i][j]; v != 0 {
				p.Index, p.Value = append(p.Index, int32(i)), append(p.Value, v)
			}
		}
		p.Start = append(p.Start, int32(len(p.Index)))
	}
	return p
}

func sparse(row []float64) (index []int32, value []float64) {
	for j, v := range row {
		if v != 0 {
			index, value = append(index, int32(j)), append(value, v)
		}
	}
	return index, value
}

func randomVector(r *rand.Rand, n int, density float64) []float64 {
	out := make([]float64, n)
	for k := range out {
		if r.Float64() < density {
			out[k] = float64(r.IntN(19) - 9)
		}
	}
	return out
}

func randomRange(r *rand.Rand) (lo, hi float64) {
	b := float64(r.IntN(60) - 20)
	switch r.IntN(4) {
	case 0:
		return math.Inf(-1), b
	case 1:
		return -b, math.Inf(1)
	case 2:
		return b, b
	}
	return b - 30, b
}

// subset is up to most of n indices, in random order.
func subset(r *rand.Rand, n, most int) []int {
	return r.Perm(n)[:min(n, r.IntN(most+1))]
}

func deleteAt[T any](list []T, which []int) []T {
	which = slices.Sorted(slices.Values(which))
	for k := len(which) - 1; k >= 0; k-- {
		list = slices.Delete(list, which[k], which[k]+1)
	}
	return list
}

// change applies one random change to both sides.
func (m *mirror) change(t *testing.T, r *rand.Rand, s *Simplex) {
	t.Helper()
	p := m.p
	var err error
	switch r.IntN(7) {
	case 0:
		var add Rows
		for range 1 + r.IntN(3) {
			row := randomVector(r, len(p.ColLower), 0.4*float64(r.IntN(2))) // half of them empty
			lo, hi := randomRange(r)
			index, value := sparse(row)
			add.Append(lo, hi, index, value)
			p.RowLower, p.RowUpper = append(p.RowLower, lo), append(p.RowUpper, hi)
			m.a = append(m.a, row)
		}
		err = s.AddRows(&add)
	case 1:
		var add Columns
		for range 1 + r.IntN(3) {
			col := randomVector(r, len(m.a), 0.4*float64(r.IntN(2)))
			lo := float64(r.IntN(5) - 2)
			hi := lo + float64(r.IntN(10))
			cost := float64(r.IntN(41) - 20)
			index, value := sparse(col)
			add.Append(lo, hi, cost, index, value)
			p.ColLower, p.ColUpper, p.Cost = append(p.ColLower, lo), append(p.ColUpper, hi), append(p.Cost, cost)
			for i := range m.a {
				m.a[i] = append(m.a[i], col[i])
			}
		}
		err = s.AddColumns(&add)
	case 2:
		which := subset(r, len(m.a), 3)
		m.a, p.RowLower, p.RowUpper = deleteAt(m.a, which), deleteAt(p.RowLower, which), deleteAt(p.RowUpper, which)
		err = s.DeleteRows(which)
	case 3:
		which := subset(r, len(p.Cost), 3)
		p.ColLower, p.ColUpper, p.Cost = deleteAt(p.ColLower, which), deleteAt(p.ColUpper, which), deleteAt(p.Cost, which)
		for i := range m.a {
			m.a[i] = deleteAt(m.a[i], which)
		}
		err = s.DeleteColumns(which)
	case 4:
		for i := range p.RowLower {
			if r.IntN(3) == 0 {
				p.RowLower[i], p.RowUpper[i] = randomRange(r)
			}
		}
		err = s.SetRowBounds(p.RowLower, p.RowUpper)
	case 5:
		for j := range p.Cost {
			if r.IntN(3) == 0 {
				p.Cost[j] = float64(r.IntN(41) - 20)
			}
		}
		err = s.SetCosts(p.Cost)
	default:
		for j := range p.ColLower {
			if r.IntN(3) == 0 {
				p.ColLower[j] = float64(r.IntN(5) - 2)
				p.ColUpper[j] = p.ColLower[j] + float64(r.IntN(6))
			}
		}
		err = s.SetBounds(p.ColLower, p.ColUpper)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever changes, in whatever order, both doors agree.
func TestChangesAgainstCold(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	seen := map[Status]int{}
	for range 400 {
		m := newMirror(random(r, r.IntN(10), r.IntN(12), 0.4))
		s, err := New(m.problem())
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			for range 1 + r.IntN(3) {
				m.change(t, r, s)
			}
			how := []method{warmDual, warmPrimal, presolved}[r.IntN(3)]
			warm := s.run(context.Background(), 0, how)
			p := m.problem()
			cold, err := Cold(p)
			if err != nil {
				t.Fatal(err)
			}
			seen[warm.Status]++
			if warm.Status != cold.Status || (warm.Status == Optimal && !near(warm.Objective, cold.Objective)) {
				t.Fatalf("method %d: warm %v %g, cold %v %g\n%+v", how, warm.Status, warm.Objective, cold.Status, cold.Objective, p)
			}
			if rows, cols := s.Dims(); rows != len(warm.Dual) || cols != len(warm.Primal) || rows != len(m.a) || cols != len(p.Cost) {
				t.Fatalf("%d rows, %d columns", rows, cols)
			}
			if warm.Status == Optimal {
				if b := dualBound(p, warm); !near(b, warm.Objective) {
					t.Fatalf("the dual vector proves %g of %g", b, warm.Objective)
				}
			}
		}
		s.Free()
	}
	if seen[Optimal] < 500 || seen[Infeasible] < 500 {
		t.Errorf("lopsided sample: %v", seen)
	}
}

// What changes little is solved again in few iterations: the basis survives.
func TestBasisSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	warm, first := 0, 0
	for range 20 {
		m := newMirror(random(r, 60, 120, 0.2))
		for j := range m.p.Cost { // a covering problem
			m.p.ColLower[j], m.p.ColUpper[j], m.p.Cost[j] = 0, 10, float64(1+r.IntN(40))
		}
		for i := range m.a {
			for j := range m.a[i] {
				m.a[i][j] = math.Abs(m.a[i][j])
			}
			m.p.RowLower[i], m.p.RowUpper[i] = 50, math.Inf(1)
		}
		s, err := New(m.problem())
		if err != nil {
			t.Fatal(err)
		}
		x := s.Solve(context.Background(), 0)
		if x.Status != Optimal {
			t.Fatal(x.Status)
		}
		first += x.Iterations
		// A row that the optimum satisfies and a column that prices out cost nothing.
		row := randomVector(r, 120, 0.2)
		activity := 0.0
		for j, v := range row {
			activity += v * x.Primal[j]
		}
		var rows Rows
		index, value := sparse(row)
		rows.Append(math.Inf(-1), activity+1, index, value)
		if err := s.AddRows(&rows); err != nil {
			t.Fatal(err)
		}
		if x := s.Solve(context.Background(), 0); x.Iterations > 0 {
			t.Errorf("%d iterations after a satisfied row", x.Iterations)
		}
		var cols Columns
		cols.Append(0, 5, 1e6, []int32{1, 2, 3}, []float64{1, -1, 1})
		if err := s.AddColumns(&cols); err != nil {
			t.Fatal(err)
		}
		if x := s.SolvePrimal(context.Background(), 0); x.Iterations > 0 {
			t.Errorf("%d iterations after a dear column", x.Iterations)
		}
		// Away with both: the old optimum.
		if err := errors.Join(s.DeleteRows([]int{60}), s.DeleteColumns([]int{120})); err != nil {
			t.Fatal(err)
		}
		again := s.Solve(context.Background(), 0)
		if again.Iterations > 0 || !near(again.Objective, x.Objective) {
			t.Errorf("%d iterations to %g, first %g", again.Iterations, again.Objective, x.Objective)
		}
		// A cut through the optimum.
		rows = Rows{}
		rows.Append(math.Inf(-1), activity-1, index, value)
		if err := s.AddRows(&rows); err != nil {
			t.Fatal(err)
		}
		warm += s.Solve(context.Background(), 0).Iterations
		s.Free()
	}
	if 5*warm > first {
		t.Errorf("%d iterations after a cut, %d from scratch", warm, first)
	}
}

func TestRefusedChanges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	s, err := New(random(rand.New(rand.NewPCG(3, 4)), 4, 4, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	one, two := []int32{1}, []float64{2}
	columns := func(lo, hi, cost float64, index []int32, value []float64) error {
		var c Columns
		c.Append(lo, hi, cost, index, value)
		return s.AddColumns(&c)
	}
	rows := func(lo, hi float64, index []int32, value []float64) error {
		var r Rows
		r.Append(lo, hi, index, value)
		return s.AddRows(&r)
	}
	for name, err := range map[string]error{
		"NaN cost":              columns(0, 1, nan, one, two),
		"huge cost":             columns(0, 1, 1e25, one, two),
		"NaN column bound":      columns(nan, 1, 0, one, two),
		"crossed column":        columns(2, 1, 0, one, two),
		"NaN entry":             columns(0, 1, 0, one, []float64{nan}),
		"infinite entry":        columns(0, 1, 0, one, []float64{inf}),
		"row outside":           columns(0, 1, 0, []int32{4}, two),
		"negative row":          columns(0, 1, 0, []int32{-1}, two),
		"row twice":             columns(0, 1, 0, []int32{1, 1}, []float64{1, 1}),
		"more rows than values": columns(0, 1, 0, []int32{1, 2}, two),
		"NaN row bound":         rows(0, nan, one, two),
		"crossed row":           rows(2, 1, one, two),
		"column outside":        rows(0, 1, []int32{4}, two),
		"no starts":             s.AddRows(&Rows{Lower: []float64{0}, Upper: []float64{1}}),
		"no costs":              s.AddColumns(&Columns{Lower: []float64{0}, Upper: []float64{1}, Start: []int32{0, 0}}),
		"delete outside":        s.DeleteRows([]int{4}),
		"delete twice":          s.DeleteColumns([]int{1, 1}),
		"costs of wrong length": s.SetCosts([]float64{1}),
		"huge costs":            s.SetCosts([]float64{1, 1, -1e25, 1}),
		"rows of wrong length":  s.SetRowBounds(nil, nil),
		"rows with NaN":         s.SetRowBounds([]float64{0, 0, nan, 0}, []float64{1, 1, 1, 1}),
	} {
		if !errors.Is(err, ErrProblem) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r, c := s.Dims(); r != 4 || c != 4 {
		t.Errorf("a refused change left %d rows, %d columns", r, c)
	}
	// Nothing is a valid change.
	if err := errors.Join(s.AddRows(&Rows{}), s.AddColumns(&Columns{}), s.DeleteRows(nil), s.DeleteColumns(nil)); err != nil {
		t.Error(err)
	}
}

// From nothing to something and back.
func TestGrowsFromNothing(t *testing.T) {
	s, err := New(&Problem{Start: []int32{0}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	var rows Rows
	rows.Append(2, math.Inf(1), nil, nil)
	rows.Append(math.Inf(-1), 7, nil, nil) // stays empty
	if err := s.AddRows(&rows); err != nil {
		t.Fatal(err)
	}
	if x := s.Solve(context.Background(), 0); x.Status != Infeasible {
		t.Errorf("an empty row ≥ 2 is %v", x.Status)
	}
	var cols Columns
	cols.Append(0, 9, 3, []int32{0}, []float64{1})
	if err := s.AddColumns(&cols); err != nil {
		t.Fatal(err)
	}
	if x := s.SolvePrimal(context.Background(), 0); x.Status != Optimal || x.Objective != 6 {
		t.Errorf("%v %g", x.Status, x.Objective)
	}
	if err := errors.Join(s.DeleteColumns([]int{0}), s.DeleteRows([]int{1, 0})); err != nil {
		t.Fatal(err)
	}
	if x := s.Solve(context.Background(), 0); x.Status != Optimal || x.Objective != 0 {
		t.Errorf("empty: %v %g", x.Status, x.Objective)
	}
}

// 10⁵ re-solves, half with new bounds, half with rows and columns that come and
// go, leave the process as large as the first tenth did.
func TestResolvesKeepNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("10⁵ solves")
	}
	r := rand.New(rand.NewPCG(45, 46))
	p := random(r, 20, 40, 0.3)
	for i := range p.RowLower {
		p.RowLower[i], p.RowUpper[i] = math.Inf(-1), 100
	}
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	index, value := []int32{0, 3, 7, 11}, []float64{1, -2, 3, 1}
	const solves = 100000
	var warmed, iterations int
	for k := range solves {
		if k == solves/10 {
			runtime.GC()
			warmed = residentKiB(t)
		}
		switch k % 4 {
		case 0:
			var rows Rows
			rows.Append(math.Inf(-1), float64(k%9), index, value)
			rows.Append(-5, 300, index[:2], value[:2])
			err = s.AddRows(&rows)
		case 1:
			j := k / 4 % 40
			old := p.ColUpper[j]
			p.ColUpper[j] = p.ColLower[j]
			err = s.SetBounds(p.ColLower, p.ColUpper)
			p.ColUpper[j] = old
		case 2:
			var cols Columns
			cols.Append(0, 4, float64(-k%11), index, value)
			err = errors.Join(s.DeleteRows([]int{20, 21}), s.AddColumns(&cols))
		default:
			err = errors.Join(s.DeleteColumns([]int{40}), s.SetBounds(p.ColLower, p.ColUpper))
		}
		if err != nil {
			t.Fatal(err)
		}
		if k%4 == 2 {
			iterations += s.SolvePrimal(context.Background(), 0).Iterations
		} else {
			iterations += s.Solve(context.Background(), 0).Iterations
		}
		if k%1000 == 999 {
			s.Ray()
		}
	}
	runtime.GC()
	grown := residentKiB(t) - warmed
	t.Logf("%d solves, %d iterations, resident memory %+d KiB", solves, iterations, grown)
	if grown > 4<<10 {
		t.Errorf("resident memory grew by %d KiB in %d solves", grown, solves*9/10)
	}
}
