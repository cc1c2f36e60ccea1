package solve

import "fmt"

// Builder makes a Model step by step. The first mistake is kept and returned
// by Build (and Err), so that callers need not check every step.
type Builder struct {
	m        Model
	vars     map[string]int
	rows     map[string]int
	seen     []int
	firstErr error
}

// NewBuilder starts an empty model.
func NewBuilder(name string) *Builder {
	return &Builder{m: Model{Name: name}, vars: map[string]int{}, rows: map[string]int{}}
}

// Add adds a variable and returns its index, which is also right for later
// calls when the variable was refused.
func (b *Builder) Add(v Var) int {
	err := validVar(&v)
	if _, twice := b.vars[v.Name]; err == nil && twice {
		err = fmt.Errorf("solve: %w: variable %q appears twice", ErrModel, v.Name)
	}
	b.keep(err)
	j := len(b.m.Vars)
	b.vars[v.Name] = j
	b.m.Vars = append(b.m.Vars, v)
	b.seen = append(b.seen, 0)
	return j
}

// Binary adds a 0-1 variable.
func (b *Builder) Binary(name string, cost int64) int {
	return b.Add(Var{Name: name, Kind: Binary, Upper: 1, Cost: cost})
}

// Integer adds an integer variable.
func (b *Builder) Integer(name string, lower, upper, cost int64) int {
	return b.Add(Var{Name: name, Kind: Integer, Lower: lower, Upper: upper, Cost: cost})
}

// Continuous adds a real variable.
func (b *Builder) Continuous(name string, lower, upper, cost int64) int {
	return b.Add(Var{Name: name, Kind: Continuous, Lower: lower, Upper: upper, Cost: cost})
}

// Row adds a constraint and returns its index. The terms are kept, not copied.
func (b *Builder) Row(name string, sense Sense, rhs int64, terms ...Term) int {
	r := Row{Name: name, Terms: terms, Sense: sense, RHS: rhs}
	i := len(b.m.Rows)
	err := b.m.validRow(&r, b.seen, i+1)
	if _, twice := b.rows[name]; err == nil && twice {
		err = fmt.Errorf("solve: %w: row %q appears twice", ErrModel, name)
	}
	b.keep(err)
	b.rows[name] = i
	b.m.Rows = append(b.m.Rows, r)
	return i
}

// Constant adds c to the objective.
func (b *Builder) Constant(c int64) {
	if magnitude(c) > MaxMagnitude {
		b.keep(fmt.Errorf("solve: %w: constant beyond 2^53: %d", ErrModel, c))
		return
	}
	b.m.Constant += c
	if magnitude(b.m.Constant) > MaxMagnitude {
		b.keep(fmt.Errorf("solve: %w: constant beyond 2^53: %d", ErrModel, b.m.Constant))
		b.m.Constant = 0
	}
}

// Err is the first mistake so far.
func (b *Builder) Err() error { return b.firstErr }

// Build returns the model, or the first mistake made. The builder must not be
// used afterwards.
func (b *Builder) Build() (*Model, error) {
	b.keep(b.m.validObjective())
	if b.firstErr != nil {
		return nil, b.firstErr
	}
	return &b.m, nil
}

func (b *Builder) keep(err error) {
	if b.firstErr == nil {
		b.firstErr = err
	}
}
