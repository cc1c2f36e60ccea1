package report

import (
	"ipusolve/bench/suite"
	"ipusolve/bench/trial"
)

// Schema is the schema name of a study's JSON form.
const Schema = "ipusolve.study/1"

// Study is a comparison. docs/formats.md describes its JSON form.
type Study struct {
	Schema string `json:"schema"`
	Family string `json:"family"` // of plans that were solved
	Asked  int    `json:"asked"`  // problems, more than there are rows if the study was interrupted
	Rows   []Row  `json:"rows"`
}

// Row is one workload.
type Row struct {
	suite.Workload
	Floor   int64   `json:"floor"` // cycles that no program on these tiles undercuts
	Entries []Entry `json:"entries"`
}

// Entry is what one entrant made of a workload. Figures are 0 where there are none;
// Error says why. Bytes are of the fullest tile.
type Entry struct {
	Name   string   `json:"name"`
	Status string   `json:"status,omitempty"` // of planning
	Error  string   `json:"error,omitempty"`
	SameAs string   `json:"sameAs,omitempty"` // entry with the same plan, whose run this is
	Plan   []string `json:"plan,omitempty"`   // recipes of the GEMMs

	Planned         int64    `json:"planned,omitempty"`
	PlannedExchange int64    `json:"plannedExchange,omitempty"` // part of Planned in phases
	Bound           *int64   `json:"bound,omitempty"`
	Gap             *float64 `json:"gap,omitempty"`
	Predicted       int64    `json:"predicted,omitempty"`
	Cycles          int64    `json:"cycles,omitempty"`
	// Difference is (Predicted − Cycles) / Cycles.
	Difference float64      `json:"difference,omitempty"`
	Phases     []Phase      `json:"phases,omitempty"`
	Spans      []trial.Span `json:"spans,omitempty"`

	Test     string  `json:"numericalTest,omitempty"`
	MaxError float64 `json:"maximumAbsoluteError,omitempty"`
	Alive    int64   `json:"aliveBytes,omitempty"` // most data alive at a time
	Used     int64   `json:"usedBytes,omitempty"`  // up to the end of the highest item

	PlanSeconds    float64 `json:"planSeconds,omitempty"`
	CompileSeconds float64 `json:"compileSeconds,omitempty"` // behind planning
	RunSeconds     float64 `json:"runSeconds,omitempty"`
}

// Phase is an exchange phase of an entry, in events.
type Phase struct {
	Words   int64 `json:"words"` // charged by planning
	Bound   int64 `json:"bound"`
	Horizon int64 `json:"horizon"`
}

// Solved names the entry of the solver; those of the baseline are B0, B1 and B2,
// those of a log "log " and its name.
const Solved = "solved"

// Entry is the row's entry of that name, nil if there is none.
func (r *Row) Entry(name string) *Entry {
	for i := range r.Entries {
		if r.Entries[i].Name == name {
			return &r.Entries[i]
		}
	}
	return nil
}

// Best is the fewest simulated cycles of the row's entries other than solved ones
// and those of logs, 0 if none ran.
func (r *Row) Best() int64 {
	var best int64
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Name != Solved && !e.ofLog() && e.Cycles > 0 && (best == 0 || e.Cycles < best) {
			best = e.Cycles
		}
	}
	return best
}

// ofLog tells whether the entry is a log's.
func (e *Entry) ofLog() bool { return len(e.Name) > 4 && e.Name[:4] == "log " }

// Verdict counts rows where the solved plan and some baseline ran, and those of them
// where a baseline takes fewer simulated cycles.
func (s *Study) Verdict() (compared, worse int) {
	for i := range s.Rows {
		solved, best := s.Rows[i].Entry(Solved), s.Rows[i].Best()
		if solved == nil || solved.Cycles == 0 || best == 0 {
			continue
		}
		compared++
		if solved.Cycles > best {
			worse++
		}
	}
	return compared, worse
}

// Failed lists entries whose numerical test failed.
func (s *Study) Failed() (list []string) {
	for i := range s.Rows {
		for _, e := range s.Rows[i].Entries {
			if e.Test == Fail && !e.ofLog() {
				list = append(list, s.Rows[i].Name+" "+e.Name)
			}
		}
	}
	return list
}

// Agreement counts how predictions meet runs.
type Agreement struct {
	Programs, ProgramsOff int // totals beyond trial.TotalLimit
	Spans, SpansOff       int // segments and phases, planning's charge against the run
}

// Agreement of the entries that ran, those of one entrant or, if name is empty, of all.
func (s *Study) Agreement(name string) (a Agreement) {
	for i := range s.Rows {
		for _, e := range s.Rows[i].Entries {
			if e.ofLog() || e.Cycles == 0 || e.SameAs != "" || name != "" && e.Name != name {
				continue
			}
			a.Programs++
			if max(e.Difference, -e.Difference) > trial.TotalLimit {
				a.ProgramsOff++
			}
			for _, x := range e.Spans {
				for _, pair := range [][2]int64{{x.PlannedWork, x.Work}, {x.PlannedEvents, x.Horizon}} {
					a.Spans++
					if !trial.Agree(pair[0], pair[1]) {
						a.SpansOff++
					}
				}
			}
		}
	}
	return a
}
