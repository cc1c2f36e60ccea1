package check_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/x448/float16"

	"ipusolve/device"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/lower/image"
	"ipusolve/model"
)

// simulated runs a placed program on the simulator with data of the host.
func simulated(t *testing.T, p *lower.Program, m lower.MemoryMap, data map[string][]uint16) ([]uint16, error) {
	t.Helper()
	rows := make([][][]uint32, len(p.Phases))
	for id := range rows {
		problem := p.Exchange(id)
		s, _, err := exchange.List(context.Background(), problem, exchange.Options{Effort: 1})
		if err != nil {
			return nil, err
		}
		if rows[id], err = exchange.EncodePhase(problem, s); err != nil {
			return nil, err
		}
	}
	app, err := image.Emit(p, m, rows, image.Meta{CompilerVersion: "test"})
	if err != nil {
		return nil, err
	}
	machine, err := sim.New(app, sim.Options{})
	if err != nil {
		return nil, err
	}
	for i := range p.Plan.Values {
		if v := &p.Plan.Values[i]; v.Role == model.RoleInput || v.Role == model.RoleWeight {
			b, err := model.Pack(v, data[v.Name])
			if err != nil {
				t.Fatal(err)
			}
			if err := machine.Load(v.Graph, b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := machine.Run(context.Background()); err != nil {
		return nil, err
	}
	for i := range p.Plan.Values {
		if v := &p.Plan.Values[i]; v.Role == model.RoleOutput {
			b, err := machine.Output(v.Graph)
			if err != nil {
				return nil, err
			}
			return model.Unpack(v, b)
		}
	}
	t.Fatal("no output")
	return nil, nil
}

// An item moved so that 8 bytes of it lie in another: the validator says so, and
// the simulator shows wrong data or an error, for every pair of items whose bytes
// matter to the result.
func TestMovedItemShows(t *testing.T) {
	data := map[string][]uint16{}
	r := rand.New(rand.NewPCG(5, 8))
	reference := placedOn(t, device.TileBatch)
	graph := &reference.Plan.Problem.Graph
	for i := range reference.Plan.Values {
		v := &reference.Plan.Values[i]
		if v.Role == "" {
			continue
		}
		v.Graph = v.Name
		graph.Values = append(graph.Values, model.GraphValue{Name: v.Name, Role: v.Role, Shape: []int{1, v.Rows, v.Cols}})
		if v.Role == model.RoleOutput {
			graph.Outputs = append(graph.Outputs, v.Name)
			graph.Values[len(graph.Values)-1].Role = ""
		}
		for range v.Rows * v.Cols {
			data[v.Name] = append(data[v.Name], float16.Fromfloat32(float32(1+r.IntN(4))/4).Bits())
		}
	}
	m, err := lower.Reserve(reference, lower.ReserveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	place := func() *lower.Program {
		p := *reference
		p.Items = slices.Clone(reference.Items)
		if _, err := lower.Place(&p, m); err != nil {
			t.Fatal(err)
		}
		return &p
	}
	good := place()
	if err := check.Check(good, m); err != nil {
		t.Fatal(err)
	}
	want, err := simulated(t, good, m, data)
	if err != nil {
		t.Fatal(err)
	}
	tried, shown := 0, 0
	for i := range good.Items {
		for j := range good.Items {
			p := place()
			a, b := &p.Items[i], &p.Items[j]
			if i == j || a.Tile != 0 || b.Tile != 0 || a.First > b.Last || b.First > a.Last || a.Bytes < 8 || b.Bytes < 8 {
				continue
			}
			a.Addr = b.Addr + b.Bytes - max(8, a.Align)
			tried++
			if check.Check(p, m) == nil {
				t.Errorf("item %d in item %d: the validator sees nothing", i, j)
			}
			got, err := simulated(t, p, m, data)
			if err != nil || !slices.Equal(got, want) {
				shown++
			}
		}
	}
	t.Logf("%d moves, %d show", tried, shown)
	if tried < 6 || 2*shown < tried {
		t.Errorf("%d of %d moves show", shown, tried)
	}
}
