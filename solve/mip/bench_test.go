package mip_test

import (
	"context"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

func BenchmarkPlanning(b *testing.B) {
	m := planning(0, 6, 500, 20)
	nodes, iterations := 0, int64(0)
	for b.Loop() {
		r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{})
		if err != nil || r.Status != solve.Optimal {
			b.Fatal(r, err)
		}
		nodes += r.Stats.Nodes
		iterations += r.Stats.LPIterations
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(iterations)/b.Elapsed().Seconds(), "iterations/s")
}

// One technique off at a time.
func BenchmarkAblation(b *testing.B) {
	m := planning(1, 4, 300, 12)
	for _, off := range append([]solve.Technique{"none"}, solve.Techniques()...) {
		b.Run(string(off), func(b *testing.B) {
			nodes := 0
			for b.Loop() {
				r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{Disable: []solve.Technique{off}, Effort: 200000})
				if err != nil {
					b.Fatal(err)
				}
				nodes = r.Stats.Nodes
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}

// The check of a certificate against the solve that made it.
func BenchmarkCheck(b *testing.B) {
	m := planning(0, 6, 500, 20)
	r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := cert.Check(m, r.Certificate); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/r.Stats.Duration.Seconds(), "solves")
}
