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
