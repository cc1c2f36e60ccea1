package lower_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/model"
)

// matrix draws rows×cols values from choices.
func matrix(r *rand.Rand, rows, cols int, choices ...float32) []float32 {
	m := make([]float32, rows*cols)
	for i := range m {
		m[i] = choices[r.IntN(len(choices))]
	}
	return m
}

// multiply is a naive product; with the small integers of these tests every
// order of summation is exact in F16.
func multiply(a, b []float32, m, k, n int) []float32 {
	c := make([]float32, m*n)
	for i := range m {
		for l := range k {
			for j := range n {
				c[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	return c
}

func compare(t testing.TB, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", name, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

// checkMLP runs an MLP plan on data for which all sums are exact and GELU is
// max(x, 0) (reference: simulator.md §8).
func checkMLP(t testing.TB, plan *model.Plan, rows, dim, hidden int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	x := matrix(r, rows, dim, 0, 4, -4)
	w1 := matrix(r, dim, hidden, 0, 1, -1)
	w2 := matrix(r, hidden, dim, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1)
	data := map[string][]float32{"x": x, "x@home": x, "w1": w1, "w1@home": w1, "w2": w2, "w2@home": w2}
	h := multiply(x, w1, rows, dim, hidden)
	for i, f := range h {
		h[i] = max(f, 0)
	}
	want := multiply(h, w2, rows, hidden, dim)
	out := runPlan(t, plan, data)
	if len(out) != 1 {
		t.Fatalf("%d outputs", len(out))
	}
	for name, got := range out {
		compare(t, name, got, want)
	}
}

func TestMLPGrids(t *testing.T) {
	for _, c := range []struct {
		tiles, rows, dim, hidden int
		g1, g2                   grid
		o                        mlpOptions
	}{
		{8, 7, 48, 80, grid{2, 2, 2, 4, 2}, grid{2, 2, 2, 4, 2}, mlpOptions{rowBlock: 1}},
		{8, 7, 48, 80, grid{2, 2, 2, 4, 2}, grid{1, 3, 2, 2, 3}, mlpOptions{sliced: true, rowBlock: 1}},
		{8, 7, 48, 80, grid{2, 2, 2, 4, 2}, grid{2, 1, 4, 4, 2}, mlpOptions{sliced: true, once: true, rowBlock: 1}},
		{8, 9, 48, 80, grid{2, 2, 2, 2, 4}, grid{2, 1, 4, 2, 3}, mlpOptions{sliced: true, once: true, linear: 8, rowBlock: 1}},
		{8, 1, 48, 80, grid{1, 5, 1, 1, 5}, grid{1, 3, 2, 1, 3}, mlpOptions{sliced: true, once: true, linear: 4, rowBlock: 1}},
		{8, 11, 48, 80, grid{2, 3, 1, 2, 3}, grid{4, 2, 1, 4, 2}, mlpOptions{once: true, linear: 7, rowBlock: 1}},
		{8, 11, 48, 80, grid{2, 2, 2, 4, 2}, grid{2, 2, 2, 2, 2}, mlpOptions{sliced: true, once: true, rowBlock: 2}},
		{8, 11, 40, 72, grid{2, 2, 2, 4, 2}, grid{2, 2, 2, 4, 2}, mlpOptions{sliced: true, once: true, linear: 8, rowBlock: 2}},
	} {
		for _, c.o.matrix = range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/%v/%+v", c.g1, c.g2, c.o), func(t *testing.T) {
				checkMLP(t, mlpPlan(c.tiles, c.rows, c.dim, c.hidden, c.g1, c.g2, c.o), c.rows, c.dim, c.hidden)
			})
		}
	}
}
