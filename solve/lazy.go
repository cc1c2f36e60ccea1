package solve

import (
	"fmt"
	"slices"
)

// Lazy says what a solution really costs, for models whose costs are lower bounds
// because exact ones are slow to compute: of an assignment (values of the model's
// variables, integral ones), it lists the variables at a positive value whose exact
// cost is above the model's. It answers the same question always the same way, and
// what it has said of a variable it never changes.
//
// Only integral variables that are never negative may be raised: then every bound
// proven before holds for the raised costs as well.
type Lazy func(values []int64) []VarCost

// VarCost is the cost of a variable.
type VarCost struct {
	Var  int   `json:"var"`
	Cost int64 `json:"cost"`
}

// WithCosts is the model with other costs; the rows are shared.
func (m *Model) WithCosts(costs []VarCost) *Model {
	out := *m
	out.Vars = slices.Clone(m.Vars)
	for _, c := range costs {
		out.Vars[c.Var].Cost = c.Cost
	}
	return &out
}

// CheckRise reports why a variable cannot get a new cost: it is outside the model, may
// be negative or fractional, or the cost is lower than before or too large. The
// error wraps ErrModel.
func (m *Model) CheckRise(c VarCost) error {
	if c.Var < 0 || c.Var >= len(m.Vars) {
		return fmt.Errorf("solve: %w: cost of variable %d of %d", ErrModel, c.Var, len(m.Vars))
	}
	v := &m.Vars[c.Var]
	if !v.Kind.Integral() || v.Lower < 0 || c.Cost < v.Cost || c.Cost > MaxMagnitude {
		return fmt.Errorf("solve: %w: cost of %s variable %q, at least %d, cannot rise from %d to %d", ErrModel, v.Kind, v.Name, v.Lower, v.Cost, c.Cost)
	}
	return nil
}
