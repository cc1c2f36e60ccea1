package cost

import (
	"testing"

	"ipusolve/model/workload"
)

// TestFloor holds the figures of costmodel.md §13 and §15: 39265 + 40712 for the
// GEMMs and 76736 for the multiply-adds; GELU is 10 · 729 · 4304 / 1472 without
// the page's launch and grain.
func TestFloor(t *testing.T) {
	g, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := Floor(g, 1472); got != 39265+40712+21316 {
		t.Errorf("floor %d", got)
	}
	if got := IssueFloor(g, 1472); got != 76736 {
		t.Errorf("issue floor %d", got)
	}
}
