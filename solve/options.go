package solve

import (
	"context"
	"log/slog"
	"time"
)

// Technique names a part of the search that can be switched off. Switching one
// off never changes what is true of the answer, only how fast it comes.
type Technique string

const (
	Presolve            Technique = "presolve"
	DualAscent          Technique = "dual-ascent"
	Cuts                Technique = "cuts" // cover and clique cuts at the root
	ReducedCostFixing   Technique = "reduced-cost-fixing"
	Rounding            Technique = "rounding"
	Diving              Technique = "diving"
	PseudoCosts         Technique = "pseudo-costs" // else most fractional
	StrongBranching     Technique = "strong-branching"
	ExactlyOneBranching Technique = "exactly-one-branching"
	Plunging            Technique = "plunging" // else best bound only
	NoGoods             Technique = "no-goods" // infeasible nodes close others
	SAT                 Technique = "sat"      // SAT search for a first incumbent of 0-1 models
)

// Techniques lists every technique, in the order an ablation prints them.
func Techniques() []Technique {
	return []Technique{Presolve, DualAscent, Cuts, ReducedCostFixing, Rounding, Diving, PseudoCosts, StrongBranching, ExactlyOneBranching, Plunging, NoGoods, SAT}
}

// Options steers a solve. The zero value has no limits and asks for a proof.
// Same model, options and effort limit give the same answer; a solve that
// TimeLimit or its context cut off may differ.
type Options struct {
	TimeLimit time.Duration // wall clock; 0 = none
	Effort    int64         // in units of Stats.Effort; 0 = no limit; deterministic
	Gap       float64       // stop when Result.Gap() is at most this
	Seed      uint64        // breaks ties in branching
	Threads   int           // most threads an engine may use; 0 = as many as help. Never changes the answer
	Log       *slog.Logger  // nil = silent
	// WarmStart proposes a value per variable. It is checked; if only the
	// continuous part is wrong it is completed.
	WarmStart []int64
	// Lazy, if set, gives exact costs where the model has lower bounds; see there.
	// The result's objective, bound and certificate are for the costs in
	// Result.Raised, and an optimal assignment is one at exact costs.
	Lazy Lazy
	// Disable lists the techniques not to use.
	Disable []Technique
}

// Solver answers models. The error is about the call (a malformed model, an
// engine that failed); limits and cancellation are not errors: the best so far
// is returned with Status Feasible or Unknown.
type Solver interface {
	Solve(ctx context.Context, m *Model, opt Options) (*Result, error)
}
