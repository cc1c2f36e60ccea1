package solve

import (
	"context"
	"fmt"
	"math/big"
)

// ColumnProblem is a model most of whose variables are not written down, because
// there are too many: the ways to cut a bar, the matchings of a graph. Their
// owner, the pricer, finds the ones that matter.
//
//	minimise  Master's objective + Σ Cost·x          over the Master's variables and all columns x ≥ 0,
//	subject to the Master's rows, Terms·x added on their left side
//
// The sum of the columns of a group is at most Most in some best solution.
type ColumnProblem struct {
	Master *Model // at least the rows; variables if some are known from the start
	Groups []ColumnGroup
	Start  []Column // known from the start
	Pricer Pricer
}

// ColumnGroup is what columns have in common.
type ColumnGroup struct {
	Name string
	Kind Kind  // of all its variables
	Most int64 // ≥ the sum of its variables, in some best solution at least
	// Cheapest is at most the cost of each of its columns; negative if some cost
	// is. Positive, it gives stronger bounds while columns are still missing.
	Cheapest int64
}

// Column is a variable with its entries in the master's rows.
type Column struct {
	Name  string // optional; unlike all others
	Group int
	Cost  int64
	Terms []ColumnTerm // ascending by Row
}

// MaxColumnCost bounds the absolute value of a column's cost, so that Den times it
// fits an int64 with room for sums.
const MaxColumnCost = 1 << 38

// ColumnTerm is one entry of a column.
type ColumnTerm struct {
	Row  int
	Coef int64
}

// Pricing is the question to a pricer: row i has the multiplier Y[i]/Den. The
// reduced cost of a column is Cost − Σ Y[Row]/Den·Coef; with Farkas its cost
// counts as 0. |Y[i]| < 2^40 and Den ≤ 2^24, so that sums over up to 2^22 unit
// entries fit an int64.
type Pricing struct {
	Y      []int64
	Den    int64
	Farkas bool
	// Need, if not nil, is what rounding has left of every right-hand side: columns
	// with entries above it would be wasted. It is a hint for Columns; Least is
	// about all columns all the same.
	Need []int64
}

// Scaled is Den times a cost: 0 with Farkas.
func (p *Pricing) Scaled(cost int64) int64 {
	if p.Farkas {
		return 0
	}
	return cost * p.Den
}

// Priced is the answer. Columns are some of negative reduced cost; none when
// there is none. Least is, per group, an exact lower bound on Den times the
// reduced cost of every column of the group, known or not; bounds rest on it, so
// it must come from an exact search in integers. An answer above 0 says the same
// as 0.
type Priced struct {
	Columns []Column
	Least   []int64
}

// Pricer owns columns. It answers the same question always the same way.
type Pricer interface {
	Price(ctx context.Context, p *Pricing) (*Priced, error)
}

// ColumnSolver answers column problems: the linear relaxation by column
// generation, then whole numbers over the columns found.
type ColumnSolver interface {
	SolveColumns(ctx context.Context, p *ColumnProblem, opt Options) (*ColumnResult, error)
}

// ColumnProof is a dual vector of the master's rows with the pricer's statement
// about it. ColumnProblem.Bound says what follows.
type ColumnProof struct {
	Dual   Dual
	Farkas bool // for the zero objective: a positive bound proves infeasibility
	Least  []int64
}

// ColumnResult is the answer to a column problem.
type ColumnResult struct {
	Status Status
	// Model is the master with Columns as variables behind its own; the
	// assignment, if any, is one of it.
	Model   *Model
	Columns []Column
	Assignment
	Objective *big.Rat // exact; nil without an assignment
	// Bound holds for all columns, known or not: what Proof gives, rounded up if
	// all costs are on integral variables; nil when there is none.
	Bound *big.Rat
	Proof *ColumnProof
	// Relaxation is the value of the last linear program. Once no column is
	// missing it is the relaxation's optimum, up to rounding.
	Relaxation float64
	Converged  bool // no column is missing, or the bound says that none would help
	Stats      ColumnStats
}

// Gap is Gap(r.Objective, r.Bound), and 1 without an incumbent.
func (r *ColumnResult) Gap() float64 { return Gap(r.Objective, r.Bound) }

// ColumnStats says what a column problem cost.
type ColumnStats struct {
	Rounds       int   // questions to the pricer in front of rounding
	Misprices    int   // of them, smoothed ones that gave no column
	DiveRounds   int   // questions while rounding
	Columns      int   // found, in all
	LPIterations int64 // simplex iterations, rounding included
	Nodes        int   // of the integer master
}

// Techniques of column generation, for Options.Disable.
const (
	DualSmoothing Technique = "dual-smoothing" // price between the last and the best dual vector
	ColumnDiving  Technique = "column-diving"  // round up step by step and price again
)

// ColumnTechniques lists them.
func ColumnTechniques() []Technique { return []Technique{DualSmoothing, ColumnDiving} }

// Validate reports the first thing wrong with what is written down; its error
// wraps ErrModel.
func (p *ColumnProblem) Validate() error {
	if err := p.Master.Validate(); err != nil {
		return err
	}
	if p.Pricer == nil {
		return fmt.Errorf("solve: %w: no pricer", ErrModel)
	}
	for _, g := range p.Groups {
		if int(g.Kind) >= len(kindNames) || g.Most < 0 || g.Most > MaxMagnitude || magnitude(g.Cheapest) > MaxColumnCost {
			return fmt.Errorf("solve: %w: group %q has kind %v, most %d and cheapest %d", ErrModel, g.Name, g.Kind, g.Most, g.Cheapest)
		}
	}
	for k := range p.Start {
		if err := p.ValidColumn(&p.Start[k]); err != nil {
			return err
		}
	}
	return nil
}

// ValidColumn reports what is wrong with a column; its error wraps ErrModel.
func (p *ColumnProblem) ValidColumn(c *Column) error {
	switch {
	case c.Group < 0 || c.Group >= len(p.Groups):
		return fmt.Errorf("solve: %w: column %q is of group %d of %d", ErrModel, c.Name, c.Group, len(p.Groups))
	case magnitude(c.Cost) > MaxColumnCost:
		return fmt.Errorf("solve: %w: column %q costs %d, beyond 2^38", ErrModel, c.Name, c.Cost)
	case c.Cost < p.Groups[c.Group].Cheapest:
		return fmt.Errorf("solve: %w: column %q costs %d, less than the cheapest of group %q", ErrModel, c.Name, c.Cost, p.Groups[c.Group].Name)
	}
	for k, t := range c.Terms {
		if t.Row < 0 || t.Row >= len(p.Master.Rows) || k > 0 && t.Row <= c.Terms[k-1].Row || magnitude(t.Coef) > MaxMagnitude {
			return fmt.Errorf("solve: %w: column %q has entry %d in row %d", ErrModel, c.Name, t.Coef, t.Row)
		}
	}
	return nil
}

// Upper is the bound of a group's variables.
func (g *ColumnGroup) Upper() int64 {
	if g.Kind == Binary {
		return min(1, g.Most)
	}
	return g.Most
}

// Model is the master with columns as variables behind its own.
func (p *ColumnProblem) Model(columns []Column) (*Model, error) {
	m := &Model{Name: p.Master.Name, Constant: p.Master.Constant, Vars: append([]Var(nil), p.Master.Vars...), Rows: make([]Row, len(p.Master.Rows))}
	for i, r := range p.Master.Rows {
		r.Terms = append([]Term(nil), r.Terms...)
		m.Rows[i] = r
	}
	for k := range columns {
		c := &columns[k]
		if err := p.ValidColumn(c); err != nil {
			return nil, err
		}
		for _, t := range c.Terms {
			m.Rows[t.Row].Terms = append(m.Rows[t.Row].Terms, Term{Var: len(m.Vars), Coef: t.Coef})
		}
		g := &p.Groups[c.Group]
		name := c.Name
		if name == "" {
			name = fmt.Sprintf("%s/%d", g.Name, k)
		}
		m.Vars = append(m.Vars, Var{Name: name, Kind: g.Kind, Upper: g.Upper(), Cost: c.Cost})
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// Granular reports whether every objective is an integer: all variables that
// may cost something are integral.
func (p *ColumnProblem) Granular() bool {
	for i := range p.Master.Vars {
		if v := &p.Master.Vars[i]; v.Cost != 0 && !v.Kind.Integral() {
			return false
		}
	}
	for i := range p.Groups {
		if !p.Groups[i].Kind.Integral() {
			return false
		}
	}
	return true
}
