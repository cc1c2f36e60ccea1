package report

import (
	"ipusolve/bench/seedlog"
)

// AddLog adds a log's figures to the rows of its workload: same sizes, and tiles where
// the log has them. The rules that the reference kept are those of its own, so a log's
// entry stands beside a row whatever the row's are. It returns how many rows it fits.
func (s *Study) AddLog(name string, l *seedlog.Log) int {
	n := 0
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Tokens != l.Tokens*max(l.Batch, 1) || r.Dim != l.Dim || r.Hidden != l.Hidden || r.Blocks != max(l.Blocks, 1) || l.Tiles != 0 && r.Tiles != l.Tiles {
			continue
		}
		e := Entry{Name: "log " + name, Planned: l.Planned, PlannedExchange: l.PlannedWords, Predicted: l.Final, Cycles: l.Cycles, Test: l.Test,
			MaxError: l.MaximumAbsoluteError, Alive: l.TotalBytes, PlanSeconds: l.Planning, CompileSeconds: max(0, l.Seconds-l.Planning)}
		if l.Final > 0 && l.Cycles > 0 {
			e.Difference = float64(l.Final-l.Cycles) / float64(l.Cycles)
		}
		for _, p := range l.Phases {
			e.Phases = append(e.Phases, Phase{Bound: p.Bound, Horizon: p.Horizon})
		}
		r.Entries = append(r.Entries, e)
		n++
	}
	return n
}
