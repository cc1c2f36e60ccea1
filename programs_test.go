package ipusolve_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/kernels"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/lower/image"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/space"
	"ipusolve/model/workload"
)

// randomProgram is a program of the family with every choice drawn: shape, tiles,
// where inputs, weights and outputs lie, grids, memory classes, slices copied or in
// place, where GELU runs.
type randomProgram struct {
	name  string
	chain eval.Chain
	plan  *model.Plan
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

func drawProgram(t *testing.T, rng *rand.Rand) randomProgram {
	t.Helper()
	blocks := pick(rng, 1, 1, 1, 1, 2)
	tokens := pick(rng, 1, 2, 5, 7, 16, 29, 33, 64)
	dim, hidden := 8*(1+rng.IntN(10)), 8*(1+rng.IntN(16))
	g, err := workload.SiglipMLP(1, tokens, dim, hidden, blocks)
	if err != nil {
		t.Fatal(err)
	}
	p := &model.Problem{Graph: *g, Tiles: device.TileBatch * pick(rng, 1, 1, 1, 2, 3), Profile: model.ProfileC600, Inputs: pick(rng, model.InputsGathered, model.InputsPreplaced),
		Weights: pick(rng, model.WeightsResident, model.WeightsOnce), Outputs: pick(rng, model.OutputsAny, model.OutputsLinear),
		Repeat: model.RepeatUnbounded, Family: model.FamilyFull, MemoryLimit: 512 << 10, Timing: model.TimingVersion}
	chain, err := space.NewChain(p)
	if err != nil {
		t.Fatal(err)
	}
	var choice space.Choice
	for i := range chain.Stages {
		s := &chain.Stages[i]
		swapped, gathered := pick(rng, true, false), pick(rng, true, false)
		var list, rest []space.Gemm
		o := space.Options{WeightsOnce: p.Weights == model.WeightsOnce, InPlace: true, MatrixSums: true, Swapped: true, Replicas: true, Fine: i+1 == len(chain.Stages) && p.Outputs == model.OutputsAny}
		s.Each(o, func(c space.Gemm) {
			if c.Swapped == swapped && c.Gathered == gathered {
				list = append(list, c)
			} else {
				rest = append(rest, c)
			}
		})
		if len(list) == 0 {
			list = rest
		}
		via := pick(rng, space.InResult, space.InLinear)
		if len(s.Gelus) == 0 || s.LinearElements() == 0 {
			via = space.InResult
		}
		c := pick(rng, list...)
		if c.Swapped { // its results are turned where they lie
			via = space.InResult
		}
		choice.Gemms, choice.Vias = append(choice.Gemms, c), append(choice.Vias, via)
	}
	plan, err := chain.Plan(p, choice)
	if err != nil {
		t.Fatal(err)
	}
	return randomProgram{fmt.Sprintf("%d tokens %d %d, %d blocks, %d tiles, %s %s %s %v", tokens, dim, hidden, blocks, p.Tiles, p.Inputs, p.Weights, p.Outputs, choice),
		eval.MLP(tokens, dim, hidden, blocks), plan}
}

// compile compiles the plan with the verifiers of all passes.
func (r *randomProgram) compile() (*ipusolve.Compilation, error) {
	return ipusolve.Compile(context.Background(), &r.plan.Problem, ipusolve.Options{Planner: &ipusolve.Pinned{Saved: r.plan},
		Scheduler: ipusolve.List{Options: exchange.Options{Effort: 1}}, Verify: true})
}

// exactly runs a package twice under the strict rules, with one upload of the
// weights and the data of the exact test; the error says what is wrong with it.
func (r *randomProgram) exactly(app *ipuexe.Application) error {
	data, err := eval.ExactData(r.chain)
	if err != nil {
		return err
	}
	want, err := eval.ExactReference(r.chain, data)
	if err != nil {
		return err
	}
	m, err := sim.New(app, sim.Options{})
	if err != nil {
		return err
	}
	for run := range 2 {
		weights := 0
		for i := range r.plan.Values {
			v, tensor := &r.plan.Values[i], data.Input
			if v.Role == model.RoleWeight {
				tensor = data.Weights[weights]
				weights++
			}
			if v.Role != model.RoleInput && (v.Role != model.RoleWeight || run > 0) {
				continue
			}
			b, err := model.Pack(v, tensor.Data)
			if err != nil {
				return err
			}
			if err := m.Load(v.Graph, b); err != nil {
				return err
			}
		}
		if _, err := m.Run(context.Background()); err != nil {
			return err
		}
		for i := range r.plan.Values {
			v := &r.plan.Values[i]
			if v.Role != model.RoleOutput {
				continue
			}
			b, err := m.Output(v.Graph)
			if err != nil {
				return err
			}
			got, err := model.Unpack(v, b)
			if err != nil {
				return err
			}
			if report := eval.CheckExact(eval.Tensor{Shape: want.Shape, Data: got}, want); !report.Pass {
				return fmt.Errorf("run %d: %s", run, report.Detail)
			}
		}
	}
	return nil
}

// Random programs go through all passes and their verifiers and run exactly; in
// some, one item moved by 8 bytes into another shows in the validator and in
// the simulator.
func TestRandomPrograms(t *testing.T) {
	programs := 200
	if testing.Short() {
		programs = 25
	}
	rng := rand.New(rand.NewPCG(200, 5))
	seen := map[string]int{}
	for range programs {
		r := drawProgram(t, rng)
		c, err := r.compile()
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if err := check.Check(c.Program, c.Map); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if err := r.exactly(c.Package); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		for i := range c.Program.Items {
			if c.Program.Items[i].Inside != nil {
				seen["in place"]++
				break
			}
		}
		orientations := ""
		for i := range r.plan.Steps {
			if g := r.plan.Steps[i].Gemm; g != nil {
				orientations += " " + g.Orientation
			}
		}
		seen[orientations]++
		seen[c.Problem.Inputs]++
		seen[c.Problem.Weights]++
		seen[c.Problem.Outputs]++
		seen[fmt.Sprintf("%d phases", len(c.Program.Phases))]++
		if moved := moveWeight(c.Program); moved != nil {
			seen["moved"]++
			if err := check.Check(moved, c.Map); !errors.Is(err, check.ErrOverlap) {
				t.Errorf("%s: the validator says %v of a moved item", r.name, err)
			}
			app, err := image.Emit(moved, c.Map, c.Rows, image.Meta{CompilerVersion: "test"})
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			if r.exactly(app) == nil {
				t.Errorf("%s: the simulator does not see a moved item", r.name)
			}
		}
	}
	t.Log(seen)
	for _, what := range []string{"in place", model.InputsGathered, model.InputsPreplaced, model.WeightsOnce, model.WeightsResident, model.OutputsAny, model.OutputsLinear, "moved",
		" normal normal", " normal swapped", " swapped normal", " swapped swapped"} {
		if seen[what] < programs/25 {
			t.Errorf("%s: %d of %d programs", what, seen[what], programs)
		}
	}
}

// moveWeight moves a weight that takes no part in an exchange, so that the rows
// stay right, onto the last 8 bytes of another item that the host loads, or these
// onto the weight's; nil where no tile holds two such items. The bytes must matter
// to the result: no padding.
func moveWeight(p *lower.Program) *lower.Program {
	exchanged := make([]bool, len(p.Items))
	for id := range p.Phases {
		for i := range p.Phases[id].Transfers {
			tr := &p.Phases[id].Transfers[i]
			exchanged[tr.Source.Item] = true
			for _, d := range tr.Dests {
				exchanged[d.Item] = true
			}
		}
	}
	// Items of weights whose tile multiplies by them.
	used := make([]bool, len(p.Items))
	for t := range p.Tiles {
		for i := range p.Tiles[t] {
			w := &p.Tiles[t][i]
			if w.Kind == lower.WorkCall && w.Spec.Kind == kernels.GemmF16 {
				used[w.Args[1].Item], used[w.Args[2].Item] = true, true
			}
		}
	}
	full := func(i int) bool { // of a value without padding
		v := &p.Plan.Values[p.Items[i].Value]
		return v.Role == model.RoleWeight && v.Rows%model.PanelWidth == 0 && v.Cols%model.PanelWidth == 0 && used[i]
	}
	for i := range p.Items {
		for j := range p.Items {
			a, b := &p.Items[i], &p.Items[j]
			if i == j || a.Tile != b.Tile || a.Class != b.Class || exchanged[i] || !full(i) || !full(j) {
				continue
			}
			moved := *p
			moved.Items = slices.Clone(p.Items)
			moved.Items[i].Addr = b.Addr + b.Bytes - 8
			moved.Items[i].Align = 8
			return &moved
		}
	}
	return nil
}
