package image_test

import (
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/lower"
	"ipusolve/lower/image"
	"ipusolve/model/space"
)

// fullSize is the SigLIP MLP on all tiles with rows of n words in every phase.
func fullSize(t testing.TB, n int) lowered {
	t.Helper()
	p := mlpProblem(t, 729, 1152, 4304, device.NumTiles)
	chain, err := space.NewChain(p)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := chain.Plan(p, space.Choice{Vias: []space.Via{space.InResult, space.InResult}, Gemms: []space.Gemm{
		{R: 4, Q: 90, K: 4, Rho: 4, Kappa: 1, Interleaved: true}, {R: 4, Q: 24, K: 15, Rho: 15, Kappa: 1, Interleaved: true}}})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	l := lowered{prog: prog}
	row := append(slices.Repeat(mustEncode(t, device.Delay(1)), n-1), mustEncode(t, device.Return())...)
	for range prog.Phases {
		l.rows = append(l.rows, slices.Repeat([][]uint32{row}, len(prog.Tiles)))
	}
	if l.m, err = lower.Reserve(prog, lower.ReserveOptions{RowBytes: 4 * (n + 1) * len(prog.Phases)}); err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Place(prog, l.m); err != nil {
		t.Fatal(err)
	}
	return l
}

// A package whose rows are as long as the longest the reference reports
// (device.md §9) stays within 60 MB.
func TestPackageSize(t *testing.T) {
	l := fullSize(t, 700)
	app, err := image.Emit(l.prog, l.m, l.rows, image.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := app.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d phases, %d bytes", len(l.rows), len(file))
	if len(file) > 60e6 {
		t.Errorf("package of %d bytes", len(file))
	}
}

func BenchmarkEmit(b *testing.B) {
	l := fullSize(b, 700)
	for b.Loop() {
		if _, err := image.Emit(l.prog, l.m, l.rows, image.Meta{}); err != nil {
			b.Fatal(err)
		}
	}
}
