package cost

import (
	"testing"

	"ipusolve/model/workload"
)

// TestFloor holds the swapped GEMMs of costmodel.md §15, 39265 and 40712 a tile,
// and 10 · 729 · 4304 for GELU, without the page's launch and grain. Only the sum
// is rounded up.
func TestFloor(t *testing.T) {
	g, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	const (
		first  = 72 * 46 * (4*4304 + 235)
		second = 269 * 46 * (4*1152 + 235)
		gelu   = 10 * 729 * 4304
	)
	if (first+1471)/1472 != 39265 || (second+1471)/1472 != 40712 {
		t.Error("the GEMMs are not those of the page")
	}
	if got, want := Floor(g, 1472), int64((first+second+gelu+1471)/1472); got != want {
		t.Errorf("floor %d, want %d", got, want)
	}
}
