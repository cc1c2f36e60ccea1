package solve

import (
	"errors"
	"fmt"
	"math/bits"
)

// MaxMagnitude bounds the absolute value of every coefficient, cost, bound,
// right-hand side and constant: integers up to here are exact in a float64.
const MaxMagnitude = 1 << 53

// MaxActivity bounds Σ |a_j|·max(|lower_j|, |upper_j|) of every row and of the
// objective (with its constant), so that exact evaluation cannot overflow.
const MaxActivity = 1 << 62

// ErrModel is wrapped by every error about a malformed model.
var ErrModel = errors.New("malformed model")

// Kind says which values a variable may take inside its bounds.
type Kind uint8

const (
	Binary     Kind = iota // 0 or 1
	Integer                // any integer
	Continuous             // any real number
)

var kindNames = [...]string{"binary", "integer", "continuous"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Integral reports whether values of the kind are integers.
func (k Kind) Integral() bool { return k != Continuous }

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kindNames) {
		return nil, fmt.Errorf("solve: %w: unknown kind %d", ErrModel, uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(b []byte) error {
	for i, n := range kindNames {
		if n == string(b) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("solve: %w: unknown kind %q", ErrModel, b)
}

// Sense is the relation of a row.
type Sense uint8

const (
	LE Sense = iota // Σ a·x ≤ b
	EQ              // Σ a·x = b
	GE              // Σ a·x ≥ b
)

var senseNames = [...]string{"<=", "=", ">="}

func (s Sense) String() string {
	if int(s) < len(senseNames) {
		return senseNames[s]
	}
	return fmt.Sprintf("Sense(%d)", uint8(s))
}

// MarshalText writes <=, = or >=.
func (s Sense) MarshalText() ([]byte, error) {
	if int(s) >= len(senseNames) {
		return nil, fmt.Errorf("solve: %w: unknown sense %d", ErrModel, uint8(s))
	}
	return []byte(senseNames[s]), nil
}

// UnmarshalText reads <=, = or >=.
func (s *Sense) UnmarshalText(b []byte) error {
	for i, n := range senseNames {
		if n == string(b) {
			*s = Sense(i)
			return nil
		}
	}
	return fmt.Errorf("solve: %w: unknown sense %q", ErrModel, b)
}

// Var is a variable: its values, and its cost in the objective.
type Var struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"kind"`
	Lower int64  `json:"lower"`
	Upper int64  `json:"upper"`
	Cost  int64  `json:"cost,omitempty"`
}

// Term is one entry of a row.
type Term struct {
	Var  int   `json:"var"` // index into Model.Vars
	Coef int64 `json:"coef"`
}

// Row is a linear constraint Σ Coef·x[Var] Sense RHS.
type Row struct {
	Name  string `json:"name"`
	Terms []Term `json:"terms"`
	Sense Sense  `json:"sense"`
	RHS   int64  `json:"rhs"`
}

// Model is: minimise Σ Cost·x + Constant over the rows and bounds. Models come
// from a Builder, or from a file followed by Validate; engines do not change
// them. Variables with a cost that are integral in every solution anyway (the
// pair variables of a selection) are best declared so: bounds then round up.
type Model struct {
	Name     string `json:"name,omitempty"`
	Vars     []Var  `json:"vars"`
	Rows     []Row  `json:"rows"`
	Constant int64  `json:"constant,omitempty"`
}

// Validate reports the first thing wrong with the model: empty or repeated
// names, a variable twice in one row, an index outside the model, crossed
// bounds, or numbers beyond MaxMagnitude or MaxActivity. The error wraps
// ErrModel.
func (m *Model) Validate() error {
	names := make(map[string]bool, len(m.Vars))
	for i := range m.Vars {
		v := &m.Vars[i]
		if err := validVar(v); err != nil {
			return err
		}
		if names[v.Name] {
			return fmt.Errorf("solve: %w: variable %q appears twice", ErrModel, v.Name)
		}
		names[v.Name] = true
	}
	clear(names)
	seen := make([]int, len(m.Vars))
	for i := range m.Rows {
		r := &m.Rows[i]
		if err := m.validRow(r, seen, i+1); err != nil {
			return err
		}
		if names[r.Name] {
			return fmt.Errorf("solve: %w: row %q appears twice", ErrModel, r.Name)
		}
		names[r.Name] = true
	}
	return m.validObjective()
}

func validVar(v *Var) error {
	switch {
	case v.Name == "":
		return fmt.Errorf("solve: %w: variable without a name", ErrModel)
	case int(v.Kind) >= len(kindNames):
		return fmt.Errorf("solve: %w: variable %q has unknown kind %d", ErrModel, v.Name, v.Kind)
	case v.Lower > v.Upper:
		return fmt.Errorf("solve: %w: variable %q has lower bound %d above upper bound %d", ErrModel, v.Name, v.Lower, v.Upper)
	case v.Kind == Binary && (v.Lower < 0 || v.Upper > 1):
		return fmt.Errorf("solve: %w: binary variable %q has bounds [%d, %d]", ErrModel, v.Name, v.Lower, v.Upper)
	}
	for _, x := range [...]int64{v.Lower, v.Upper, v.Cost} {
		if magnitude(x) > MaxMagnitude {
			return fmt.Errorf("solve: %w: variable %q has a number beyond 2^53: %d", ErrModel, v.Name, x)
		}
	}
	return nil
}

// validRow checks one row; seen[j] = stamp marks the variables met in it.
func (m *Model) validRow(r *Row, seen []int, stamp int) error {
	switch {
	case r.Name == "":
		return fmt.Errorf("solve: %w: row without a name", ErrModel)
	case int(r.Sense) >= len(senseNames):
		return fmt.Errorf("solve: %w: row %q has unknown sense %d", ErrModel, r.Name, r.Sense)
	case magnitude(r.RHS) > MaxMagnitude:
		return fmt.Errorf("solve: %w: row %q has a right-hand side beyond 2^53: %d", ErrModel, r.Name, r.RHS)
	}
	var act uint64
	for _, t := range r.Terms {
		if t.Var < 0 || t.Var >= len(m.Vars) {
			return fmt.Errorf("solve: %w: row %q uses variable %d of %d", ErrModel, r.Name, t.Var, len(m.Vars))
		}
		v := &m.Vars[t.Var]
		if seen[t.Var] == stamp {
			return fmt.Errorf("solve: %w: row %q has variable %q twice", ErrModel, r.Name, v.Name)
		}
		seen[t.Var] = stamp
		if magnitude(t.Coef) > MaxMagnitude {
			return fmt.Errorf("solve: %w: row %q has a coefficient beyond 2^53: %d", ErrModel, r.Name, t.Coef)
		}
		var ok bool
		if act, ok = addActivity(act, t.Coef, v); !ok {
			return fmt.Errorf("solve: %w: row %q may exceed 2^62", ErrModel, r.Name)
		}
	}
	return nil
}

func (m *Model) validObjective() error {
	if magnitude(m.Constant) > MaxMagnitude {
		return fmt.Errorf("solve: %w: constant beyond 2^53: %d", ErrModel, m.Constant)
	}
	act := magnitude(m.Constant)
	for i := range m.Vars {
		var ok bool
		if act, ok = addActivity(act, m.Vars[i].Cost, &m.Vars[i]); !ok {
			return fmt.Errorf("solve: %w: the objective may exceed 2^62", ErrModel)
		}
	}
	return nil
}

// addActivity adds |coef|·max(|lower|, |upper|); false when it exceeds MaxActivity.
func addActivity(act uint64, coef int64, v *Var) (uint64, bool) {
	hi, lo := bits.Mul64(magnitude(coef), max(magnitude(v.Lower), magnitude(v.Upper)))
	sum, carry := bits.Add64(act, lo, 0)
	return sum, hi == 0 && carry == 0 && sum <= MaxActivity
}

// magnitude is |x|, also for the smallest int64.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// ExactlyOne reports whether row i reads "exactly one of these integral,
// non-negative variables is 1": Σ x = 1 with all coefficients 1.
func (m *Model) ExactlyOne(i int) bool {
	r := &m.Rows[i]
	if r.Sense != EQ || r.RHS != 1 || len(r.Terms) == 0 {
		return false
	}
	for _, t := range r.Terms {
		v := &m.Vars[t.Var]
		if t.Coef != 1 || !v.Kind.Integral() || v.Lower < 0 {
			return false
		}
	}
	return true
}
