package main

import (
	"fmt"

	"ipusolve/bench/trial"
	"ipusolve/device"
	"ipusolve/device/sim"
	"ipusolve/model"
	"ipusolve/model/eval"
)

// runFigures are what a run reports. Times are in cycles of the tile clock.
type runFigures struct {
	Workload             string         `json:"workload"`
	Cycles               int64          `json:"cycles"`
	MinimumTileCycles    int64          `json:"minimumTileCycles"`
	DeviceMicroseconds   float64        `json:"deviceMicroseconds"`
	EffectiveGemmTflops  float64        `json:"effectiveGemmTflops"`
	PeakTflops           float64        `json:"peakTflops"`
	EfficiencyPercent    float64        `json:"efficiencyPercent"`
	MaximumAbsoluteError *float64       `json:"maximumAbsoluteError,omitempty"`
	NumericalTest        string         `json:"numericalTest"` // PASS, FAIL, SKIP
	Predicted            int64          `json:"predicted"`
	Difference           float64        `json:"difference"` // (predicted − cycles) / cycles
	Phases               []phaseFigures `json:"phases"`
	Spans                []trial.Span   `json:"spans,omitempty"`
	Tests                []testFigures  `json:"tests"`
	NotApplicable        []string       `json:"notApplicable,omitempty"` // tests without data for this graph
	Warnings             []string       `json:"warnings,omitempty"`
}

// phaseFigures are an executed exchange phase beside its schedule.
type phaseFigures struct {
	Active    int   `json:"activeTiles"`
	Sent      int64 `json:"sentWords"`
	Received  int64 `json:"receivedWords"`
	Bound     int64 `json:"mostWordsOfATile"`
	Horizon   int64 `json:"horizon"`
	Scheduled int32 `json:"scheduledHorizon"`
	Work      int64 `json:"workBefore"`
	Release   int64 `json:"release"`
}

// testFigures are the verdict of a numerical test.
type testFigures struct {
	Test        string  `json:"test"`
	Pass        bool    `json:"pass"`
	MaxAbsError float64 `json:"maximumAbsoluteError"`
	Detail      string  `json:"detail,omitempty"`
}

const (
	clockMHz      = 1500
	flopsPerCycle = 2 * device.MACsPerCycle // of a tile
)

// figures sums up the last run and all tests.
func (r *runner) figures() (*runFigures, error) {
	f := newFigures(&r.plan.Problem, r.result, r.tests)
	var err error
	if f.Spans, err = trial.Spans(r.plan, r.report, r.result); err != nil {
		return nil, err
	}
	f.NotApplicable = r.skipped
	if cy := r.report.Cycles; cy != nil {
		f.Predicted = cy.Total
		f.Difference = float64(cy.Total-f.Cycles) / float64(max(f.Cycles, 1))
	}
	for i := range r.result.Phases {
		p := &r.result.Phases[i]
		x := phaseFigures{Active: p.Active, Sent: p.Sent, Received: p.Received, Bound: p.Bound, Horizon: p.Horizon, Work: p.Work, Release: p.Release}
		if i < len(r.report.Exchange) {
			x.Scheduled = r.report.Exchange[i].Horizon
		}
		f.Phases = append(f.Phases, x)
	}
	for _, w := range r.result.Warnings {
		f.Warnings = append(f.Warnings, w.String())
	}
	return f, nil
}

// newFigures are the figures of the seed logs' closing line (reference:
// kernels.md §12).
func newFigures(p *model.Problem, result *sim.Result, tests []eval.Report) *runFigures {
	f := &runFigures{Workload: trial.Label(&p.Graph), Cycles: result.Cycles, MinimumTileCycles: result.MinCycles,
		Phases: []phaseFigures{}, Tests: []testFigures{}, NumericalTest: "SKIP"}
	var flops float64
	for i := range p.Graph.Ops {
		if op := &p.Graph.Ops[i]; op.Kind == model.OpGemm {
			a, _ := p.Graph.Value(op.Inputs[0])
			b, _ := p.Graph.Value(op.Inputs[1])
			flops += 2 * float64(a.Rows()) * float64(a.Cols()) * float64(b.Cols())
		}
	}
	f.DeviceMicroseconds = float64(f.Cycles) / clockMHz
	f.PeakTflops = float64(p.Tiles) * flopsPerCycle * clockMHz / 1e6
	if f.Cycles > 0 {
		f.EffectiveGemmTflops = flops / f.DeviceMicroseconds / 1e6
		f.EfficiencyPercent = 100 * f.EffectiveGemmTflops / f.PeakTflops
	}
	for _, t := range tests {
		f.Tests = append(f.Tests, testFigures(t))
		if f.MaximumAbsoluteError == nil {
			f.MaximumAbsoluteError, f.NumericalTest = new(float64), passWord(true)
		}
		*f.MaximumAbsoluteError = max(*f.MaximumAbsoluteError, t.MaxAbsError)
		if !t.Pass {
			f.NumericalTest = passWord(false)
		}
	}
	return f
}

// line is the closing line, one key=value pair after the other.
func (f *runFigures) line() string {
	worst := "-"
	if f.MaximumAbsoluteError != nil {
		worst = fmt.Sprintf("%.6f", *f.MaximumAbsoluteError)
	}
	return fmt.Sprintf("workload=%s cycles=%d minimumTileCycles=%d deviceMicroseconds=%.3f effectiveGemmTflops=%.3f peakTflops=%.3f efficiencyPercent=%.2f maximumAbsoluteError=%s numericalTest=%s",
		f.Workload, f.Cycles, f.MinimumTileCycles, f.DeviceMicroseconds, f.EffectiveGemmTflops, f.PeakTflops, f.EfficiencyPercent, worst, f.NumericalTest)
}

func passWord(pass bool) string {
	if pass {
		return "PASS"
	}
	return "FAIL"
}

// signedPercent writes a difference for people.
func signedPercent(x float64) string { return fmt.Sprintf("%+.2f %%", 100*x) }
