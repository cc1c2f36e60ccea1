package workload

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/model"
)

func TestSiglipMLP(t *testing.T) {
	g, err := SiglipMLP(1, 729, 1152, 4304, 2)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	macs := 0
	for _, v := range g.Values {
		names = append(names, v.Name)
	}
	for _, op := range g.Ops {
		if op.Kind == model.OpGemm {
			a, _ := g.Value(op.Inputs[0])
			b, _ := g.Value(op.Inputs[1])
			macs += a.Rows() * a.Cols() * b.Cols()
		}
	}
	want := []string{"x", "block0.w1", "block0.h", "block0.g", "block0.w2", "block0.y", "block1.w1", "block1.h", "block1.g", "block1.w2", "y"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
	if macs != 2*7229067264 { // reference: costmodel.md §13
		t.Errorf("%d multiply-adds", macs)
	}
	chained := false
	for _, op := range g.Ops {
		chained = chained || op.Name == "block1.gemm1" && op.Inputs[0] == "block0.y"
	}
	if !chained {
		t.Error("block 1 does not read block 0")
	}
}

func TestSiglipMLPRejects(t *testing.T) {
	for i := range 5 {
		for _, bad := range []int{0, -1, math.MaxInt} {
			size := [5]int{1, 7, 16, 32, 1}
			size[i] = bad
			if _, err := SiglipMLP(size[0], size[1], size[2], size[3], size[4]); !errors.Is(err, model.ErrUsage) {
				t.Errorf("argument %d = %d: %v", i, bad, err)
			}
		}
	}
	if _, err := SiglipMLP(1, 1<<20, 1<<20, 1, 1); err == nil {
		t.Error("2^40 elements are accepted")
	}
}
