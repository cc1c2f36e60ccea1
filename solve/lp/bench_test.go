package lp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// benchProblem is a 300×3000 covering problem.
func benchProblem() *Problem {
	r := rand.New(rand.NewPCG(11, 12))
	p := random(r, 300, 3000, 0.02)
	for j := range p.Cost {
		p.Cost[j] = float64(1 + r.IntN(100))
		p.ColLower[j], p.ColUpper[j] = 0, 1
	}
	for k := range p.Value {
		p.Value[k] = math.Abs(p.Value[k])
	}
	for i := range p.RowLower {
		p.RowLower[i], p.RowUpper[i] = 40, math.Inf(1)
	}
	return p
}

// Each iteration closes or opens one column and solves again.
func BenchmarkWarm(b *testing.B) {
	p := benchProblem()
	s, err := New(p)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Free()
	s.Solve(context.Background(), 0)
	iterations := 0
	for k := 0; b.Loop(); k++ {
		j := k * 7 % len(p.Cost)
		p.ColUpper[j] = 1 - p.ColUpper[j]
		if err := s.SetBounds(p.ColLower, p.ColUpper); err != nil {
			b.Fatal(err)
		}
		iterations += s.Solve(context.Background(), 0).Iterations
	}
	b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
}

func BenchmarkCold(b *testing.B) {
	p := benchProblem()
	for k := 0; b.Loop(); k++ {
		j := k * 7 % len(p.Cost)
		p.ColUpper[j] = 1 - p.ColUpper[j]
		if _, err := Cold(p); err != nil {
			b.Fatal(err)
		}
	}
}

// Each iteration adds a column that pays, as a round of column generation does,
// and solves again; then it goes, and the old basis comes back.
func BenchmarkWarmColumn(b *testing.B) {
	p := benchProblem()
	s, err := New(p)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Free()
	s.Solve(context.Background(), 0)
	basis := s.Basis()
	iterations := 0
	for k := 0; b.Loop(); k++ {
		var c Columns
		c.Append(0, 1, 1, benchEntries(k), []float64{9, 9, 9, 9, 9})
		if err := s.AddColumns(&c); err != nil {
			b.Fatal(err)
		}
		iterations += s.SolvePrimal(context.Background(), 0).Iterations
		if err := s.DeleteColumns([]int{len(p.Cost)}); err != nil {
			b.Fatal(err)
		}
		s.SetBasis(basis)
	}
	b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
}

func BenchmarkColdColumn(b *testing.B) {
	for k := 0; b.Loop(); k++ {
		p := benchProblem()
		p.ColLower, p.ColUpper, p.Cost = append(p.ColLower, 0), append(p.ColUpper, 1), append(p.Cost, 1)
		p.Index, p.Value = append(p.Index, benchEntries(k)...), append(p.Value, 9, 9, 9, 9, 9)
		p.Start = append(p.Start, int32(len(p.Index)))
		if _, err := Cold(p); err != nil {
			b.Fatal(err)
		}
	}
}

func benchEntries(k int) []int32 {
	i := int32(k % 59)
	return []int32{i, i + 60, i + 120, i + 180, i + 240}
}

// Each iteration adds a row that cuts the optimum off; then it goes, and the old basis comes
// back.
func BenchmarkWarmRow(b *testing.B) {
	p := benchProblem()
	s, err := New(p)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Free()
	x := s.Solve(context.Background(), 0)
	basis := s.Basis()
	iterations := 0
	for k := 0; b.Loop(); k++ {
		var r Rows
		index, value, activity := benchRow(x, k)
		r.Append(activity+1, math.Inf(1), index, value)
		if err := s.AddRows(&r); err != nil {
			b.Fatal(err)
		}
		iterations += s.Solve(context.Background(), 0).Iterations
		if err := s.DeleteRows([]int{len(p.RowLower)}); err != nil {
			b.Fatal(err)
		}
		s.SetBasis(basis)
	}
	b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
}

// benchRow is a row over 20 columns, with its activity at x.
func benchRow(x *Solution, k int) (index []int32, value []float64, activity float64) {
	for e := range 20 {
		j := (k*131 + e*149) % len(x.Primal)
		index, value = append(index, int32(j)), append(value, 1)
		activity += x.Primal[j]
	}
	return index, value, activity
}
