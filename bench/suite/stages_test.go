package suite

import (
	"context"
	"os"
	"sync"
	"testing"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/lower"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/workload"
	"ipusolve/solve/mip"
)

// size of the full workload: tokens, dimension, hidden dimension.
const tokens, dim, hidden = 729, 1152, 4304

var optimal = &ipusolve.Optimal{Solver: mip.Solver{}}

func defaultProblem(tb testing.TB) *model.Problem {
	tb.Helper()
	g, err := workload.SiglipMLP(1, tokens, dim, hidden, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return &model.Problem{Graph: *g, Tiles: device.NumTiles, Profile: model.ProfileC600, Inputs: model.InputsGathered,
		Weights: model.WeightsResident, Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal,
		MemoryLimit: (model.MaxPhysicalBytes - model.DefaultReserve) / model.MemoryGranule * model.MemoryGranule, Timing: model.TimingVersion}
}

func BenchmarkPlanning(b *testing.B) {
	p := defaultProblem(b)
	for b.Loop() {
		r, err := optimal.Plan(context.Background(), p, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Report.Objective), "cycles")
	}
}

// place lowers a plan and gives addresses.
func place(plan *model.Plan) (*lower.Program, error) {
	prog, err := lower.Build(plan)
	if err != nil {
		return nil, err
	}
	m, err := lower.Reserve(prog, lower.ReserveOptions{MemoryLimit: plan.Problem.MemoryLimit})
	if err != nil {
		return nil, err
	}
	_, err = lower.Place(prog, m)
	return prog, err
}

func BenchmarkLowering(b *testing.B) {
	planned, err := optimal.Plan(context.Background(), defaultProblem(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := place(planned.Plan); err != nil {
			b.Fatal(err)
		}
	}
}

// retile is phase 2 of the first seed's plan.
var retile = sync.OnceValues(func() (*exchange.Problem, error) {
	f, err := os.Open("../seedlog/testdata/seed1.plan.json")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plan, err := model.ReadPlan(f)
	if err != nil {
		return nil, err
	}
	prog, err := place(plan)
	if err != nil {
		return nil, err
	}
	return prog.Exchange(2), nil
})

func scheduled(b *testing.B) (*exchange.Problem, *exchange.Schedule, exchange.Stats) {
	p, err := retile()
	if err != nil {
		b.Fatal(err)
	}
	s, stats, err := exchange.List(context.Background(), p, exchange.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return p, s, stats
}

func BenchmarkSchedulePhase2(b *testing.B) {
	if _, err := retile(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, s, stats := scheduled(b)
		b.ReportMetric(float64(len(p.Messages)), "messages")
		b.ReportMetric(float64(stats.Bound.Horizon), "bound")
		b.ReportMetric(float64(s.Horizon), "horizon")
	}
}

func BenchmarkEncoding(b *testing.B) {
	p, s, _ := scheduled(b)
	for b.Loop() {
		if _, err := exchange.EncodePhase(p, s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSimulatorRun(b *testing.B) {
	p := defaultProblem(b)
	c, err := ipusolve.Compile(context.Background(), p, ipusolve.Options{Planner: optimal, Scheduler: ipusolve.List{}})
	if err != nil {
		b.Fatal(err)
	}
	m, err := sim.New(c.Package, sim.Options{})
	if err != nil {
		b.Fatal(err)
	}
	data, err := eval.SeedData(eval.MLP(tokens, dim, hidden, 1))
	if err != nil {
		b.Fatal(err)
	}
	tensors := map[string][]uint16{"x": data.Input.Data, "block0.w1": data.Weights[0].Data, "block0.w2": data.Weights[1].Data}
	load := func(role string) {
		for i := range c.Plan.Values {
			v := &c.Plan.Values[i]
			if v.Role != role {
				continue
			}
			bytes, err := model.Pack(v, tensors[v.Graph])
			if err != nil {
				b.Fatal(err)
			}
			if err := m.Load(v.Graph, bytes); err != nil {
				b.Fatal(err)
			}
		}
	}
	load(model.RoleWeight)
	for b.Loop() {
		load(model.RoleInput)
		r, err := m.Run(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Cycles), "cycles")
	}
}
