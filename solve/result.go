package solve

import (
	"fmt"
	"math/big"
	"time"
)

// Status is what is known at the end of a solve.
type Status uint8

const (
	Unknown    Status = iota // nothing found, nothing proven infeasible
	Optimal                  // gap 0, and the bound verified
	Feasible                 // an incumbent and a bound below it
	Infeasible               // proven that no assignment exists
)

var statusNames = [...]string{"unknown", "optimal", "feasible", "infeasible"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// MarshalText writes the status word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status word.
func (s *Status) UnmarshalText(b []byte) error {
	for i, n := range statusNames {
		if n == string(b) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("solve: unknown status %q", b)
}

// Fraction is the value of a variable that is no integer.
type Fraction struct {
	Var   int      `json:"var"`
	Value *big.Rat `json:"value"`
}

// Assignment gives every variable an exact value: Values[j], except for the
// continuous variables listed in Fractions (ascending by Var), whose entry in
// Values is the value rounded down.
type Assignment struct {
	Values    []int64    `json:"values,omitempty"`
	Fractions []Fraction `json:"fractions,omitempty"`
}

// Result is the answer to a model.
type Result struct {
	Status Status
	// Assignment is the incumbent; empty unless Status is Optimal or Feasible.
	Assignment
	// Objective is the incumbent's exact objective; nil without an incumbent.
	Objective *big.Rat
	// Bound is the proven lower bound, rounded up as far as the objective's
	// granularity allows (see Model.Granularity); nil when Status is
	// Infeasible. It is what Certificate proves, no more.
	Bound *big.Rat
	Stats Stats
	// Raised lists the costs that Options.Lazy raised, ascending by variable.
	Raised []VarCost
	// Certificate proves Bound (or the infeasibility); solve/cert checks it.
	Certificate *Certificate
}

// Gap is Gap(r.Objective, r.Bound), and 1 without an incumbent.
func (r *Result) Gap() float64 { return Gap(r.Objective, r.Bound) }

// WorkPerEffort is how much of Stats.Work counts as one unit of effort: about
// as much as is done in the time of a simplex iteration on a model of a few
// thousand rows.
const WorkPerEffort = 5000

// Stats says what a solve cost. All but Duration are deterministic.
type Stats struct {
	Vars, Rows   int
	VarsLeft     int   // after presolve
	RowsLeft     int   // after presolve
	Cuts         int   // rows added at the root
	Nodes        int   // nodes of the tree whose relaxation was solved
	OpenNodes    int   // nodes left when the solve ended
	LPs          int   // relaxations solved, probing and heuristics included
	LPIterations int64 // simplex iterations
	Work         int64 // row entries touched by propagation, dual ascent and its local search
	Fixed        int   // bounds tightened by reduced costs
	Excluded     int   // bounds tightened by no-goods
	Pruned       int   // nodes closed by no-goods, without a relaxation
	SATCalls     int   // calls of SAT search for a first incumbent
	Incumbents   int   // improvements of the best assignment
	ColdSolves   int   // relaxations solved again from scratch for numerical reasons
	Duration     time.Duration
}

// Effort is what Options.Effort limits: simplex iterations, and the other work in
// the same unit.
func (s *Stats) Effort() int64 { return s.LPIterations + s.Work/WorkPerEffort }

// Gap is (best − bound) / |best|: 0 when equal, 1 when either is missing or
// best is 0 above a smaller bound.
func Gap(best, bound *big.Rat) float64 {
	if best == nil || bound == nil {
		return 1
	}
	if best.Cmp(bound) <= 0 {
		return 0
	}
	if best.Sign() == 0 {
		return 1
	}
	d := new(big.Rat).Sub(best, bound)
	d.Quo(d, new(big.Rat).Abs(best))
	f, _ := d.Float64()
	return f
}
