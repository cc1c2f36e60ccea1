package ipusolve_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/lower/image"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/workload"
	"ipusolve/solve/mip"
)

// small is the MLP of the mutation tests.
var small = struct{ tokens, dim, hidden int }{7, 48, 80}

func compileSmall(t testing.TB) *ipusolve.Compilation {
	t.Helper()
	g, err := workload.SiglipMLP(1, small.tokens, small.dim, small.hidden, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &model.Problem{Graph: *g, Tiles: 64, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, Timing: model.TimingVersion,
		MemoryLimit: (model.MaxPhysicalBytes - model.DefaultReserve) / model.MemoryGranule * model.MemoryGranule}
	c, err := ipusolve.Compile(context.Background(), p, ipusolve.Options{Planner: &ipusolve.Optimal{Solver: mip.Solver{}}, Scheduler: ipusolve.List{}, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exactTest runs a package of the small MLP on the exact test's data, twice on one
// machine, the second time with another input, so that nothing left over from the
// first run passes for a result.
func exactTest(app *ipuexe.Application, plan *model.Plan) error {
	m, err := sim.New(app, sim.Options{MaxCycles: 1 << 20})
	if err != nil {
		return err
	}
	chain := eval.MLP(small.tokens, small.dim, small.hidden, 1)
	d, err := eval.ExactData(chain)
	if err != nil {
		return err
	}
	for range 2 {
		if err := exactRun(m, plan, chain, d); err != nil {
			return err
		}
		d.Input.Data = slices.Clone(d.Input.Data)
		slices.Reverse(d.Input.Data)
	}
	return nil
}

func exactRun(m *sim.Machine, plan *model.Plan, chain eval.Chain, d eval.Data) error {
	want, err := eval.ExactReference(chain, d)
	if err != nil {
		return err
	}
	data := map[string][]uint16{"x": d.Input.Data, "block0.w1": d.Weights[0].Data, "block0.w2": d.Weights[1].Data}
	for i := range plan.Values {
		if t, ok := data[plan.Values[i].Graph]; ok && (plan.Values[i].Role == model.RoleInput || plan.Values[i].Role == model.RoleWeight) {
			b, err := model.Pack(&plan.Values[i], t)
			if err != nil {
				return err
			}
			if err := m.Load(plan.Values[i].Graph, b); err != nil {
				return err
			}
		}
	}
	if _, err := m.Run(context.Background()); err != nil {
		return err
	}
	for i := range plan.Values {
		if plan.Values[i].Role != model.RoleOutput {
			continue
		}
		b, err := m.Output(plan.Values[i].Graph)
		if err != nil {
			return err
		}
		got, err := model.Unpack(&plan.Values[i], b)
		if err != nil {
			return err
		}
		if r := eval.CheckExact(eval.Tensor{Shape: want.Shape, Data: got}, want); !r.Pass {
			return errors.New(r.Detail)
		}
	}
	return nil
}

// caught says which check sees a mutated package; empty if none does.
func caught(app *ipuexe.Application, plan *model.Plan) string {
	if err := ipusolve.FirstFailure(ipusolve.VerifyPackage(app)); err != nil {
		return "verify: " + err.Error()
	}
	if err := exactTest(app, plan); err != nil {
		return "run: " + err.Error()
	}
	return ""
}

// file is a package's bytes, read anew for every mutation.
func file(t testing.TB, app *ipuexe.Application) []byte {
	t.Helper()
	b, err := app.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t testing.TB, b []byte) *ipuexe.Application {
	t.Helper()
	app, err := ipuexe.Read(bytes.Clone(b))
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// setWord changes an instruction word of a tile image.
func setWord(t testing.TB, app *ipuexe.Application, tile int, at, word uint32) {
	t.Helper()
	for i := range app.Tiles[tile].Segments {
		s := &app.Tiles[tile].Segments[i]
		if at >= s.Address && at-s.Address+4 <= uint32(len(s.Data)) {
			s.Data = slices.Clone(s.Data)
			binary.LittleEndian.PutUint32(s.Data[at-s.Address:], word)
			return
		}
	}
	t.Fatalf("tile %d has no word at %#x", tile, at)
}

// mutation is one changed instruction.
type mutation struct {
	name string
	at   uint32
	word []uint32
}

// rowMutations are the faults a scheduler or an encoder could make in a row.
func rowMutations(t testing.TB, r *ipusolve.Row) []mutation {
	t.Helper()
	var list []mutation
	add := func(name string, at int, in device.Instr) {
		words, err := in.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, mutation{name, r.Address + 4*uint32(at), words})
	}
	for at := 0; at < len(r.Words); {
		in, used, err := device.Decode(r.Words[at:])
		if err != nil {
			t.Fatal(err)
		}
		next, _, _ := device.Decode(r.Words[at+used:])
		m := in
		switch in.Op {
		case device.OpDelay:
			if m.N++; next.Op == device.OpSend {
				add("send one event later", at, m)
			} else {
				add("row one event longer", at, m)
			}
		case device.OpDelayPIC:
			m.Value++
			add("pointer changed", at, m)
			add("pointer dropped", at, device.Delay(int(in.N)))
		case device.OpDelayXPIC:
			if in.Value == device.NeutralSource {
				add("neutral dropped", at, device.Delay(int(in.N)))
				break
			}
			m.Value ^= 1
			add("source changed", at, m)
			m.Value, m.N = in.Value, in.N+1
			add("source one event later", at, m)
		case device.OpSend:
			m.Addr++
			add("send of other words", at, m)
			m = in
			m.Ctl ^= 3
			add("other direction", at, m)
		}
		at += used
	}
	return list
}

// TestMutatedRows changes every instruction of the rows of some tiles, one at a
// time. Each change must be seen.
func TestMutatedRows(t *testing.T) {
	c := compileSmall(t)
	if by := caught(c.Package, c.Plan); by != "" {
		t.Fatalf("unchanged package: %s", by)
	}
	b := file(t, c.Package)
	seen := map[string]int{}
	for tile := 0; tile < 64; tile += 9 {
		rows, err := ipusolve.Rows(c.Package, tile)
		if err != nil {
			t.Fatal(err)
		}
		for phase := range rows {
			for _, m := range rowMutations(t, &rows[phase]) {
				app := read(t, b)
				for k, w := range m.word {
					setWord(t, app, tile, m.at+4*uint32(k), w)
				}
				by := caught(app, c.Plan)
				if by == "" {
					t.Errorf("tile %d phase %d: %s at %#x: nothing sees it", tile, phase, m.name, m.at)
				}
				seen[m.name]++
			}
		}
	}
	for _, name := range []string{"send one event later", "pointer changed", "neutral dropped", "source changed"} {
		if seen[name] == 0 {
			t.Errorf("no mutation %q among %v", name, seen)
		}
	}
	t.Log(seen)
}

// TestMutatedCode changes the arguments of every call and the targets of rows
// on some tiles: other operands, results that are cut short or lie elsewhere.
func TestMutatedCode(t *testing.T) {
	c := compileSmall(t)
	b := file(t, c.Package)
	checked := 0
	for _, tile := range []int{0, 11, 20} {
		for i := range c.Package.Tiles[tile].Segments {
			s := &c.Package.Tiles[tile].Segments[i]
			if s.Address != c.Map.Code.Start {
				continue
			}
			inputs := false // between the samples: arguments of kernels
			for at := 0; at < len(s.Data); at += 4 {
				w := binary.LittleEndian.Uint32(s.Data[at:])
				in, _, err := device.Decode([]uint32{w})
				if err != nil {
					t.Fatal(err)
				}
				if in.Op == device.OpSetZI && in.Imm == device.StartCycleWord {
					inputs = true
					continue
				}
				if in.Op == device.OpSetZI && in.Imm == device.EndCycleWord {
					break
				}
				if !inputs || in.Op != device.OpSetZI || in.Reg < device.M2 || in.Reg == device.RegScratch {
					continue
				}
				in.Imm += 8
				words, err := in.Encode()
				if err != nil {
					t.Fatal(err)
				}
				app := read(t, b)
				setWord(t, app, tile, s.Address+uint32(at), words[0])
				if by := caught(app, c.Plan); by == "" {
					t.Errorf("tile %d: %v at %#x: nothing sees it", tile, in, s.Address+uint32(at))
				}
				checked++
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d arguments changed", checked)
	}
}

// TestMutatedClaims changes what a package says about itself.
func TestMutatedClaims(t *testing.T) {
	c := compileSmall(t)
	b := file(t, c.Package)
	bump := func(key string, value any) func(*ipuexe.Application) {
		return replace("ReportJSON", fmt.Sprintf("%q:%v", key, value), fmt.Sprintf("%q:1%v", key, value))
	}
	planning, phase := &c.Report.Planning, &c.Report.Exchange[1]
	for _, x := range []struct {
		name, want string
		change     func(app *ipuexe.Application)
	}{
		{"bound", "planning/certificate", bump("bound", *planning.Bound)},
		{"status", "planning/status", replace("ReportJSON", `"status":"optimal"`, `"status":"feasible"`)},
		{"objective", "planning/objective", bump("objective", planning.Objective)},
		{"horizon", "cycles/exchange", bump("horizon", phase.Horizon)},
		{"bound of a phase", "exchange/1/bound", bump("bound", phase.Bound)},
		{"transfers", "exchange/1/transfers", bump("transfers", phase.Transfers)},
		{"floor", "cycles/floor", bump("floor", c.Report.Cycles.Floor)},
		{"problem", "problem", replace("ReportJSON", `"tiles":64`, `"tiles":128`)},
		{"graph", "graph", replace("GraphJSON", `"name":"siglip-mlp"`, `"name":"other"`)},
		{"price", "plan/price", replace("PlanJSON", `"cycles":`, `"cycles":1`)},
		{"no plan", "plan", func(a *ipuexe.Application) { a.PlanJSON = "{}" }},
		{"no report", "report", func(a *ipuexe.Application) { a.ReportJSON = "" }},
		{"sent words", "exchange/0/profile", func(a *ipuexe.Application) {
			for i := range a.ProfileTiles[0].Steps {
				if m := a.ProfileTiles[0].Steps[i].Metadata; len(m) > 0 {
					m[0].Value++
					return
				}
			}
		}},
		{"binding on another tile", "bindings", func(a *ipuexe.Application) {
			s := a.Weights[0].Slices
			s[0].Tile, s[1].Tile = s[1].Tile, s[0].Tile
			s[0].Tile = s[2].Tile
		}},
		{"input in a weight", "memory", func(a *ipuexe.Application) {
			for _, w := range a.Weights[0].Slices {
				for i := range a.Inputs[0].Slices {
					if s := &a.Inputs[0].Slices[i]; s.Tile == w.Tile {
						s.TileAddress = w.TileAddress
						return
					}
				}
			}
			panic("no tile has both")
		}},
		{"data beside code", "memory", func(a *ipuexe.Application) { a.Inputs[0].Slices[0].TileAddress = 0x4f000 }},
	} {
		app := read(t, b)
		x.change(app)
		claims := ipusolve.VerifyPackage(app)
		at := slices.IndexFunc(claims, func(c ipusolve.Claim) bool { return c.Failed() && strings.HasPrefix(c.Name, x.want) })
		if at < 0 {
			t.Errorf("%s: want a failed claim %s, found %v", x.name, x.want, ipusolve.FirstFailure(claims))
		}
	}
}

// replace changes text in one of the records of a package.
func replace(field, old, new string) func(*ipuexe.Application) {
	return func(a *ipuexe.Application) {
		text := map[string]*string{"ReportJSON": &a.ReportJSON, "PlanJSON": &a.PlanJSON, "GraphJSON": &a.GraphJSON}[field]
		changed := strings.Replace(*text, old, new, 1)
		if changed == *text {
			panic(fmt.Sprintf("%s does not contain %s", field, old))
		}
		*text = changed
	}
}

// TestPerturbedDual changes every number of every dual vector: what the
// certificate proves then must never be more than the optimum, and if the planning
// bound depends on the number, the report is refused.
func TestPerturbedDual(t *testing.T) {
	c := compileSmall(t)
	proof := c.Report.Planning.Certificate.Proof
	refused := 0
	for i := range proof.Duals {
		d := &proof.Duals[i]
		for k := range d.Num {
			for _, delta := range []int64{-d.Den, d.Den, -1000 * d.Den, 1000 * d.Den} {
				d.Num[k] += delta
				if err := ipusolve.FirstFailure(ipusolve.VerifyReport(c.Report)); err != nil {
					refused++
				}
				d.Num[k] -= delta
			}
		}
	}
	if refused == 0 {
		t.Error("no change of a dual vector is refused")
	}
	t.Logf("%d changes refused", refused)
	if err := ipusolve.FirstFailure(ipusolve.VerifyReport(c.Report)); err != nil {
		t.Error(err)
	}
}

// TestDamagedFile cuts a package at many places and flips one bit of many bytes:
// every reading fails by name, none panics.
func TestDamagedFile(t *testing.T) {
	b := file(t, compileSmall(t).Package)
	known := func(err error) bool {
		return errors.Is(err, ipuexe.ErrFormat) || errors.Is(err, ipuexe.ErrDigest) || errors.Is(err, ipuexe.ErrInvalid)
	}
	for n := 0; n < len(b); n += 1 + len(b)/97 {
		if _, err := ipuexe.Read(bytes.Clone(b[:n])); !known(err) {
			t.Errorf("%d of %d bytes: %v", n, len(b), err)
		}
		flipped := bytes.Clone(b)
		flipped[n] ^= 1 << (n % 8)
		if _, err := ipuexe.Read(flipped); !known(err) {
			t.Errorf("byte %d changed: %v", n, err)
		}
	}
}

// TestSharedBytes puts a live item into another one and builds the package anew,
// with schedules that suit the new addresses.
func TestSharedBytes(t *testing.T) {
	c := compileSmall(t)
	items := c.Program.Items
	tried := 0
	for i := range items {
		for j := range items {
			a, b := &items[i], &items[j]
			if i == j || a.Tile != b.Tile || a.Tile%7 != 0 || a.First > b.Last || b.First > a.Last || a.Addr == 0 || b.Bytes < 32 || a.Bytes < 32 {
				continue
			}
			tried++
			old := a.Addr
			a.Addr = b.Addr + b.Bytes - 32
			app, err := rebuild(c)
			if err == nil && caught(app, c.Plan) == "" {
				t.Errorf("tile %d: items %d and %d share 32 bytes: nothing sees it", a.Tile, i, j)
			}
			a.Addr = old
		}
	}
	if tried == 0 {
		t.Error("no two items are alive together")
	}
	t.Logf("%d pairs", tried)
}

// rebuild schedules, encodes and emits a compilation's program again.
func rebuild(c *ipusolve.Compilation) (*ipuexe.Application, error) {
	rows := make([][][]uint32, len(c.Program.Phases))
	for i := range rows {
		p := c.Program.Exchange(i)
		s, _, err := ipusolve.List{Options: exchange.Options{Effort: 1}}.Schedule(context.Background(), p)
		if err != nil {
			return nil, err
		}
		if rows[i], err = exchange.EncodePhase(p, s); err != nil {
			return nil, err
		}
	}
	return image.Emit(c.Program, c.Map, rows, image.Meta{GraphJSON: c.Package.GraphJSON, PlanJSON: c.Package.PlanJSON, ReportJSON: c.Package.ReportJSON})
}
