package ipusolve_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/workload"
	"ipusolve/solve/mip"
)

// TestMutatedConstants changes the identity weights of a package that sums on the
// matrix unit. Verification sees every change; the simulator, which takes them from
// the image like everything else, computes other values.
func TestMutatedConstants(t *testing.T) {
	const tokens, dim, hidden = 64, 512, 1024
	p := compileSmall(t).Problem
	g, err := workload.SiglipMLP(1, tokens, dim, hidden, 1)
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	q.Graph = *g
	c, err := ipusolve.Compile(context.Background(), &q, ipusolve.Options{Planner: &ipusolve.Optimal{Solver: mip.Solver{}}, Scheduler: ipusolve.List{}, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	constant := func(app *ipuexe.Application, tile int) *ipuexe.Segment {
		image := &app.Tiles[tile]
		for i := range image.Segments {
			if s := &image.Segments[i]; s.Flags == ipuexe.FlagRead {
				return s
			}
		}
		t.Fatalf("tile %d has no constants:\n%v", tile, c.Plan)
		return nil
	}
	chain := eval.MLP(tokens, dim, hidden, 1)
	d, err := eval.ExactData(chain)
	if err != nil {
		t.Fatal(err)
	}
	run := func(app *ipuexe.Application) error {
		m, err := sim.New(app, sim.Options{MaxCycles: 1 << 20})
		if err != nil {
			return err
		}
		return exactRun(m, c.Plan, chain, d)
	}
	b := file(t, c.Package)
	if err := run(read(t, b)); err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		name   string
		wrong  bool // the result is too
		change func(app *ipuexe.Application)
	}{
		{"a one is lost", true, func(app *ipuexe.Application) {
			s := constant(app, 0)
			s.Data = slices.Clone(s.Data)
			s.Data[1] = 0
		}},
		{"a one too many", true, func(app *ipuexe.Application) {
			s := constant(app, 3)
			s.Data = slices.Clone(s.Data)
			s.Data[3] = 0x3c
		}},
		{"no constants", true, func(app *ipuexe.Application) {
			image := &app.Tiles[0]
			image.Segments = slices.DeleteFunc(slices.Clone(image.Segments), func(s ipuexe.Segment) bool { return s.Flags == ipuexe.FlagRead })
		}},
		{"constants that nobody needs", false, func(app *ipuexe.Application) {
			image := &app.Tiles[5]
			end := uint32(device.LoaderEnd)&^31 - 32
			image.Segments = append(slices.Clone(image.Segments), ipuexe.Segment{Address: end, MemorySize: 16, Data: make([]byte, 16), Flags: ipuexe.FlagRead})
		}},
	} {
		app := read(t, b)
		m.change(app)
		err := ipusolve.FirstFailure(ipusolve.VerifyPackage(app))
		if err == nil || !strings.Contains(err.Error(), "constants") {
			t.Errorf("%s: verification says %v", m.name, err)
		}
		if err := run(app); m.wrong && err == nil {
			t.Errorf("%s: the result is right", m.name)
		}
	}
	if !slices.ContainsFunc(c.Plan.Steps, func(s model.Step) bool { return s.Gemm != nil && s.Gemm.Sum == model.SumMatrix }) {
		t.Error("the plan does not sum on the matrix unit")
	}
}
