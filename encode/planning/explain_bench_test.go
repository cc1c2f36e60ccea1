package planning

import (
	"context"
	"testing"
)

func BenchmarkRunnerUp(b *testing.B) {
	e := explained(b, problem(b, 729, 1152, 4304, 1, 1472))
	for b.Loop() {
		list, err := e.RunnersUp(context.Background(), e.Chosen()[0].Op, 1, true)
		if err != nil || len(list) != 1 || !list[0].Proven() {
			b.Fatal(list, err)
		}
		b.ReportMetric(float64(list[0].Plan.Total()), "cycles")
	}
}
