package suite

import (
	"context"
	"testing"

	"ipusolve"
	"ipusolve/bench/heuristic"
	"ipusolve/device"
	"ipusolve/device/sim"
	"ipusolve/exchange"
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
		Weights: model.WeightsResident, Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyFull,
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

func scheduled(b *testing.B, phase int) (*exchange.Problem, *exchange.Schedule, exchange.Stats) {
	p, err := SeedPhase(phase)
	if err != nil {
		b.Fatal(err)
	}
	s, stats, err := exchange.List(context.Background(), p, exchange.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return p, s, stats
}

func benchmarkSchedule(b *testing.B, phase int) {
	if _, err := SeedPhase(phase); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p, s, stats := scheduled(b, phase)
		b.ReportMetric(float64(len(p.Messages)), "messages")
		b.ReportMetric(float64(stats.Bound.Horizon), "bound")
		b.ReportMetric(float64(s.Horizon), "horizon")
	}
}

func BenchmarkSchedulePhase1(b *testing.B) { benchmarkSchedule(b, 1) }

func BenchmarkSchedulePhase2(b *testing.B) { benchmarkSchedule(b, 2) }

func BenchmarkSchedulePhase2Baseline(b *testing.B) {
	p, err := SeedPhase(2)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, _, err := heuristic.Schedule(context.Background(), p, heuristic.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Horizon), "horizon")
	}
}

func BenchmarkEncoding(b *testing.B) {
	p, s, _ := scheduled(b, 2)
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
