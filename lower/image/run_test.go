package image_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/space"
)

// simulate runs the package with host data by graph value, twice with one upload
// of the weights, and returns the output and the cycles of the second run.
func simulate(t *testing.T, app *ipuexe.Application, plan *model.Plan, data map[string][]uint16) (out []uint16, cycles int64) {
	t.Helper()
	m, err := sim.New(app, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for run := range 2 {
		for i := range plan.Values {
			if v := &plan.Values[i]; v.Role == model.RoleInput || v.Role == model.RoleWeight && run == 0 {
				b, err := model.Pack(v, data[v.Graph])
				if err != nil {
					t.Fatal(err)
				}
				if err := m.Load(v.Graph, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		result, err := m.Run(context.Background())
		if err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		cycles = result.Cycles
		for i := range plan.Values {
			if v := &plan.Values[i]; v.Role == model.RoleOutput {
				b, err := m.Output(v.Graph)
				if err != nil {
					t.Fatal(err)
				}
				if out, err = model.Unpack(v, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		checkState(t, m, result)
	}
	return out, cycles
}

// checkState compares the runtime's words with what the simulator measured.
func checkState(t *testing.T, m *sim.Machine, result *sim.Result) {
	t.Helper()
	word := func(name string, tile int) int64 {
		b, err := m.Output(name)
		if err != nil {
			t.Fatal(err)
		}
		return int64(binary.LittleEndian.Uint32(b[4*tile:]))
	}
	if got := word("completion", 0); got != 1 {
		t.Errorf("completion word %d", got)
	}
	for i, r := range result.Tiles {
		if got := word("profile.end-cycle", i) - word("profile.start-cycle", i); got != r.Cycles {
			t.Fatalf("tile %d: samples say %d cycles, simulator %d", i, got, r.Cycles)
		}
	}
}

// TestMLPRuns compiles MLPs with random candidates of the family and compares
// the simulated output with exact arithmetic (reference: simulator.md §8.2).
func TestMLPRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct {
		tokens, dim, hidden      int
		inputs, weights, outputs string
		via                      space.Via
	}{
		{7, 48, 80, model.InputsGathered, model.WeightsResident, model.OutputsAny, space.InResult},
		{7, 48, 80, model.InputsGathered, model.WeightsOnce, model.OutputsLinear, space.InResult},
		{1, 48, 80, model.InputsPreplaced, model.WeightsOnce, model.OutputsAny, space.InLinear},
		{64, 128, 256, model.InputsGathered, model.WeightsResident, model.OutputsLinear, space.InLinear},
		{29, 72, 136, model.InputsGathered, model.WeightsOnce, model.OutputsLinear, space.InResult},
	} {
		p := mlpProblem(t, c.tokens, c.dim, c.hidden, 64)
		p.Inputs, p.Weights, p.Outputs = c.inputs, c.weights, c.outputs
		chain, list := candidates(t, p)
		spec := eval.MLP(c.tokens, c.dim, c.hidden, 1)
		d, err := eval.ExactData(spec)
		if err != nil {
			t.Fatal(err)
		}
		want, err := eval.ExactReference(spec, d)
		if err != nil {
			t.Fatal(err)
		}
		data := map[string][]uint16{"x": d.Input.Data, "block0.w1": d.Weights[0].Data, "block0.w2": d.Weights[1].Data}
		for range 3 {
			choice := space.Choice{Gemms: []space.Gemm{list[0][rng.IntN(len(list[0]))], list[1][rng.IntN(len(list[1]))]}, Vias: []space.Via{c.via, space.InResult}}
			t.Run(fmt.Sprintf("%d %d %d %v", c.tokens, c.dim, c.hidden, choice), func(t *testing.T) {
				plan, err := chain.Plan(p, choice)
				if err != nil {
					t.Fatal(err)
				}
				l := lowerPlan(t, plan)
				got, cycles := simulate(t, l.emit(t), plan, data)
				if r := eval.CheckExact(eval.Tensor{Shape: want.Shape, Data: got}, want); !r.Pass {
					t.Fatal(r.Detail)
				}
				if cycles <= 0 || cycles > plan.Total()*3/2+3000 {
					t.Errorf("%d cycles, planned %d", cycles, plan.Total())
				}
			})
		}
	}
}

// A routine's place holds filler: running into it is error 12.
func TestFillerIsNoInstruction(t *testing.T) {
	l := tiny(t)
	app := l.emit(t)
	m, err := sim.New(app, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Load("x", make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	target := l.m.Symbols[1].Addr + 4 // inside the worker barrier
	for i := range app.Tiles[0].Segments {
		if s := &app.Tiles[0].Segments[i]; s.Address == device.EntryStub {
			copy(s.Data, leBytes(mustEncode(t, device.SetZI(device.M0, int(target)))))
		}
	}
	if m, err = sim.New(app, sim.Options{}); err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(context.Background())
	e, ok := err.(*sim.Error)
	if !ok || e.Code != device.ExcInstruction || e.Tile != 0 {
		t.Errorf("entering a symbol's inside: %v, want error 12 on tile 0", err)
	}
}
