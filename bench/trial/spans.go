package trial

import (
	"ipusolve"
	"ipusolve/device/sim"
	"ipusolve/model"
	"ipusolve/model/cost"
)

// Span is a segment of compute and the exchange phase behind it, in cycles: what
// planning charges, what is predicted once the phase is scheduled, and what the run
// takes.
type Span struct {
	// Phase is the number of the phase, model.NoPhase for the segment behind the last.
	Phase int `json:"phase"`
	// PlannedWork is the work of the segment by prices of its steps, Work that of the
	// run, both of the tile with the most of it.
	PlannedWork int64 `json:"plannedWork"`
	Work        int64 `json:"work"`
	// PlannedEvents are planning's words and route tail; Scheduled is the horizon of
	// the schedule, Horizon that of the rows as executed.
	PlannedEvents int64 `json:"plannedEvents,omitempty"`
	Scheduled     int64 `json:"scheduled,omitempty"`
	Horizon       int64 `json:"horizon,omitempty"`
}

// Spans lays prediction and run of a package side by side. Its last span is the
// tail, so there is one more than phases; a run with other phases than the plan has
// leaves the figures of those missing at zero.
func Spans(plan *model.Plan, report *ipusolve.Report, run *sim.Result) ([]Span, error) {
	planned, err := cost.SpansC600(plan)
	if err != nil {
		return nil, err
	}
	list := make([]Span, len(planned))
	for i, p := range planned {
		s := Span{Phase: p.Phase, PlannedWork: p.Work, PlannedEvents: p.Words + p.Tail}
		switch {
		case p.Phase == model.NoPhase:
			s.Work = run.Tail
		case p.Phase < len(run.Phases):
			s.Work, s.Horizon = run.Phases[p.Phase].Work, run.Phases[p.Phase].Horizon
		}
		if p.Phase >= 0 && p.Phase < len(report.Exchange) {
			s.Scheduled = int64(report.Exchange[p.Phase].Horizon)
		}
		list[i] = s
	}
	return list, nil
}

// The limits within which prediction and run must agree.
const (
	TotalLimit = 0.02 // of a whole program
	SpanLimit  = 0.05 // of a segment or phase
	Short      = 1000 // cycles; below, a difference of ShortLimit counts
	ShortLimit = 50
)

// Agree tells whether the prediction of a segment or phase is within the limits.
func Agree(predicted, simulated int64) bool {
	d := predicted - simulated
	d = max(d, -d)
	if simulated < Short {
		return d <= ShortLimit
	}
	return float64(d) <= SpanLimit*float64(simulated)
}
