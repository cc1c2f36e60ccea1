package ipusolve_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
	"ipusolve/lower"
	"ipusolve/lower/image"
	"ipusolve/model"
)

func readRegression(t *testing.T) (*exchange.Snapshot, *ipusolve.ScheduleFile) {
	t.Helper()
	b, err := os.ReadFile("cmd/ipusolve/testdata/regression.json")
	if err != nil {
		t.Fatal(err)
	}
	snap, err := exchange.ReadSnapshot(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ipusolve.ScheduleSnapshot(context.Background(), snap, ipusolve.List{}, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	return snap, f
}

// TestScheduleRoundTrip writes, reads and checks a schedule file.
func TestScheduleRoundTrip(t *testing.T) {
	snap, f := readRegression(t)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ipusolve.ReadSchedule(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*exchange.Snapshot{nil, snap} {
		if err := ipusolve.FirstFailure(ipusolve.VerifySchedule(again, s)); err != nil {
			t.Error(err)
		}
	}
	var empty bytes.Buffer
	if err := (&ipusolve.ScheduleFile{Schema: ipusolve.ScheduleSchema, Tiles: 1}).Write(&empty); err != nil {
		t.Fatal(err)
	}
	if f, err := ipusolve.ReadSchedule(&empty); err != nil || len(f.Phases) != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	for _, text := range []string{"", "{}", `{"schema":"ipusolve.schedule/1","x":1}`, b.String() + "{}", b.String()[:b.Len()/2]} {
		if _, err := ipusolve.ReadSchedule(bytes.NewReader([]byte(text))); err == nil {
			t.Errorf("%.40q is accepted", text)
		}
	}
}

// TestScheduleClaims changes what a schedule file says.
func TestScheduleClaims(t *testing.T) {
	for name, change := range map[string]func(f *ipusolve.ScheduleFile){
		"exchange/1/start":        func(f *ipusolve.ScheduleFile) { f.Phases[0].Start[0]++ },
		"exchange/2/tileHorizon":  func(f *ipusolve.ScheduleFile) { f.Phases[1].TileHorizon[100]-- },
		"exchange/3/rows":         func(f *ipusolve.ScheduleFile) { f.Phases[2].Rows[101][0]++ },
		"exchange/4/bound":        func(f *ipusolve.ScheduleFile) { f.Phases[3].Bound++ },
		"exchange/5/status":       func(f *ipusolve.ScheduleFile) { f.Phases[4].Status = "feasible" },
		"exchange/6/destinations": func(f *ipusolve.ScheduleFile) { f.Phases[5].Destinations = 7 },
		"phases":                  func(f *ipusolve.ScheduleFile) { f.Phases = f.Phases[:5] },
		"snapshot":                func(f *ipusolve.ScheduleFile) { f.Snapshot = "0" },
	} {
		snap, f := readRegression(t)
		change(f)
		failed := ""
		for _, c := range ipusolve.VerifySchedule(f, snap) {
			if c.Failed() {
				failed = c.Name
				break
			}
		}
		if failed != name {
			t.Errorf("claim %q fails, want %q", failed, name)
		}
	}
}

// TestRegressionSimulated runs the schedules of the regression problems on the
// simulator: rows in a package of nothing else, every word counted and every
// destination compared with its source.
func TestRegressionSimulated(t *testing.T) {
	snap, f := readRegression(t)
	for i, p := range snap.Phases {
		app := exchangeOnly(t, p, f.Phases[i].Rows)
		m, err := sim.New(app, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := make([]byte, app.Inputs[0].Bytes())
		for k := range in {
			in[k] = byte(k*7 + k>>8)
		}
		if err := m.Load("in", in); err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(context.Background())
		if err != nil {
			t.Errorf("P%d: %v", p.Phase, err)
			continue
		}
		if got := r.Phases[len(r.Phases)-1].Horizon; got != int64(f.Phases[i].Horizon) {
			t.Errorf("P%d: the simulator takes %d events, the schedule %d", p.Phase, got, f.Phases[i].Horizon)
		}
		out, err := m.Output("out")
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for j := range p.Messages {
			n := 4 * int(p.Messages[j].Words)
			want := in[app.Inputs[0].Slices[j].FileOffset:][:n]
			for range p.Messages[j].Dests {
				if !bytes.Equal(out[at:at+n], want) {
					t.Errorf("P%d: message %d arrives changed", p.Phase, j)
				}
				at += n
			}
		}
	}
}

// exchangeOnly is a package that runs one phase. Input "in" has the words of each
// message in turn, output "out" those of each destination.
func exchangeOnly(t *testing.T, p *exchange.Problem, rows [][]uint32) *ipuexe.Application {
	t.Helper()
	prog := &lower.Program{Plan: &model.Plan{Steps: []model.Step{{Kind: model.StepMove, Op: "phase"}}}, Tiles: make([][]lower.Work, p.Tiles),
		Phases: []lower.Phase{{}}}
	for tile := range prog.Tiles {
		prog.Tiles[tile] = []lower.Work{{Kind: lower.WorkExchange}}
	}
	var in, out ipuexe.Binding
	in.Name, out.Name = "in", "out"
	place := func(b *ipuexe.Binding, tile int32, addr uint32, words int32) lower.Ref {
		b.Slices = append(b.Slices, ipuexe.RegionSlice{Tile: uint32(device.Physical(int(tile))), TileAddress: addr, FileOffset: b.Bytes(), Size: 4 * uint64(words)})
		prog.Items = append(prog.Items, lower.Item{Tile: tile, Bytes: 4 * uint32(words), Addr: addr})
		return lower.Ref{Item: int32(len(prog.Items) - 1)}
	}
	for j := range p.Messages {
		m := &p.Messages[j]
		tr := lower.Transfer{Words: m.Words, Source: place(&in, m.Source, m.SourceAddrs[0], m.Words)}
		for _, d := range m.Dests {
			tr.Dests = append(tr.Dests, place(&out, d.Tile, d.Addr, m.Words))
		}
		prog.Phases[0].Transfers = append(prog.Phases[0].Transfers, tr)
	}
	prog.Plan.Values = []model.PlanValue{{Name: "data"}}
	mm, err := lower.Reserve(prog, lower.ReserveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	app, err := image.Emit(prog, mm, [][][]uint32{rows}, image.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	app.Inputs, app.Outputs = []ipuexe.Binding{in}, append(app.Outputs, out)
	return app
}

// TestFollowedRows: the rows found in a package are those that were emitted.
func TestFollowedRows(t *testing.T) {
	c := compileSmall(t)
	for i := range c.Package.Tiles {
		tile := device.Logical(int(c.Package.Tiles[i].PhysicalTile))
		rows, err := ipusolve.Rows(c.Package, i)
		if err != nil || len(rows) != len(c.Rows) {
			t.Fatalf("tile %d: %d rows, %v", tile, len(rows), err)
		}
		for p := range rows {
			want := c.Rows[p][tile]
			if rows[p].Active != (len(want) > 0) {
				t.Errorf("tile %d phase %d: active %v, %d words", tile, p, rows[p].Active, len(want))
			}
			if rows[p].Active && !bytes.Equal(words(rows[p].Words), words(want)) {
				t.Errorf("tile %d phase %d: %x, want %x", tile, p, rows[p].Words, want)
			}
		}
	}
}

func words(list []uint32) []byte {
	var b []byte
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// TestSharedElement keeps the starts of a full duplex tile and moves what it
// receives into the SRAM element that it sends from: the checker and the simulator
// both say so.
func TestSharedElement(t *testing.T) {
	problem := func(received uint32) *exchange.Problem {
		return &exchange.Problem{Tiles: 64, Messages: []exchange.Message{
			{Source: 0, SourceAddrs: []uint32{0x60000}, Words: 200, Dests: []exchange.Dest{{Tile: 1, Addr: received}}},
			{Source: 1, SourceAddrs: []uint32{0x64000}, Words: 200, Dests: []exchange.Dest{{Tile: 2, Addr: 0x70000}}}}}
	}
	p := problem(0x68000)
	s, _, err := ipusolve.List{}.Schedule(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		received     uint32
		check, rules string
	}{{0x68000, "", ""}, {0x65000, "R7", "E2"}} {
		p := problem(c.received)
		rows, err := exchange.EncodePhase(p, s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = check.Check(p, rows, nil)
		var broken *check.Violation
		if errors.As(err, &broken) != (c.check != "") || broken != nil && string(broken.Rule) != c.check {
			t.Errorf("received at %#x: %v, want rule %q", c.received, err, c.check)
		}
		app := exchangeOnly(t, p, rows)
		m, err := sim.New(app, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Load("in", make([]byte, app.Inputs[0].Bytes())); err != nil {
			t.Fatal(err)
		}
		_, err = m.Run(context.Background())
		var fault *sim.Error
		if errors.As(err, &fault) != (c.rules != "") || fault != nil && fault.Rule != c.rules {
			t.Errorf("received at %#x: %v, want rule %q", c.received, err, c.rules)
		}
	}
}
