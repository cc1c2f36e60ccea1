package sat

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"
)

// Lit is a variable (positive) or its negation (negative); variables are
// numbered from 1. 0 is no literal.
type Lit int32

// Not is the negation.
func (l Lit) Not() Lit { return -l }

// Answer is what a call of Solve found.
type Answer uint8

const (
	Unknown       Answer = iota // the context ended first
	Satisfiable                 // Value gives a model
	Unsatisfiable               // Core gives the assumptions involved
)

var answerNames = [...]string{"unknown", "satisfiable", "unsatisfiable"}

func (a Answer) String() string {
	if int(a) < len(answerNames) {
		return answerNames[a]
	}
	return fmt.Sprintf("Answer(%d)", uint8(a))
}

// Formula is a growing set of clauses that can be solved again and again under
// different assumptions. It is for one goroutine at a time. Methods panic on
// literals that the formula did not make.
type Formula struct {
	gini    *gini.Gini
	vars    Lit
	clauses int
	closed  bool // unsatisfiable without assumptions
	yes     Lit  // constant, made when first needed
	guards  []Lit
	model   []bool // of the last Satisfiable, by variable
	core    []Lit
	busy    chan int // of a search that has not stopped yet
	groups  map[string]Lit
	names   map[Lit]string
	ordered []Lit // guards of groups
}

// New makes a formula without clauses.
func New() *Formula {
	return &Formula{gini: gini.New(), groups: map[string]Lit{}, names: map[Lit]string{}}
}

// NewVar makes a variable.
func (f *Formula) NewVar() Lit {
	f.idle()
	f.vars++
	if l := f.gini.Lit(); l != toGini(f.vars) {
		panic(fmt.Sprintf("sat: gini numbers variable %d as %v", f.vars, l))
	}
	return f.vars
}

// NewVars makes n variables.
func (f *Formula) NewVars(n int) []Lit {
	lits := make([]Lit, n)
	for i := range lits {
		lits[i] = f.NewVar()
	}
	return lits
}

// Vars is the number of variables, Clauses the number of clauses added.
func (f *Formula) Vars() int { return int(f.vars) }

// Clauses is the number of clauses added, those of encodings included.
func (f *Formula) Clauses() int { return f.clauses }

// True is a literal that always holds.
func (f *Formula) True() Lit {
	if f.yes == 0 {
		f.yes = f.NewVar()
		f.add([]Lit{f.yes}, nil)
	}
	return f.yes
}

// AddClause demands that one of the literals holds; without any, that a guard
// in force is false (see Under).
func (f *Formula) AddClause(lits ...Lit) { f.add(lits, f.guards) }

// Under runs add; the constraints that it adds hold whenever guard does.
// Calls nest.
func (f *Formula) Under(guard Lit, add func()) {
	f.known(guard)
	f.guards = append(f.guards, guard)
	defer func() { f.guards = f.guards[:len(f.guards)-1] }()
	add()
}

func (f *Formula) known(l Lit) {
	if l == 0 || l > f.vars || -l > f.vars {
		panic(fmt.Sprintf("sat: literal %d of a formula with %d variables", l, f.vars))
	}
}

func (f *Formula) add(lits, guards []Lit) {
	for _, l := range lits {
		f.known(l)
	}
	f.clauses++
	if len(lits)+len(guards) == 0 {
		f.closed = true
	}
	if f.closed {
		return
	}
	f.idle()
	for _, l := range lits {
		f.gini.Add(toGini(l))
	}
	for _, g := range guards {
		f.gini.Add(toGini(-g))
	}
	f.gini.Add(z.LitNull)
}

func toGini(l Lit) z.Lit {
	if l < 0 {
		return z.Var(-l).Neg()
	}
	return z.Var(l).Pos()
}

// Solve looks for a model in which all assumptions hold. Groups whose guard is
// not assumed are off: else the search could lose itself in them. It returns within a
// second of the end of ctx. The same calls in the same order have the same
// answers, models and cores as long as no context interferes.
func (f *Formula) Solve(ctx context.Context, assume ...Lit) Answer {
	f.model, f.core = nil, nil
	for _, l := range assume {
		f.known(l)
	}
	if f.closed {
		return Unsatisfiable
	}
	if ctx.Err() != nil {
		return Unknown
	}
	f.idle()
	f.rewind()
	on := make(map[Lit]bool, len(assume))
	for _, l := range assume {
		on[l] = true
		f.gini.Assume(toGini(l))
	}
	for _, g := range f.ordered {
		if !on[g] {
			f.gini.Assume(toGini(-g))
		}
	}
	switch f.run(ctx) {
	case 1:
		f.model = make([]bool, f.vars+1)
		for v := Lit(1); v <= f.vars; v++ {
			f.model[v] = f.gini.Value(toGini(v))
		}
		return Satisfiable
	case -1:
		for _, m := range f.gini.Why(nil) {
			f.core = append(f.core, Lit(m.Dimacs()))
		}
		f.closed = len(f.core) == 0
		return Unsatisfiable
	}
	return Unknown
}

// idle waits until a search that was cancelled has stopped.
func (f *Formula) idle() {
	if f.busy != nil {
		<-f.busy
		f.busy = nil
	}
}

// rewind takes back what the last search decided. Left to itself, gini first
// tries to learn from a conflict of the last search, and derives nonsense (and
// ends the process) where that conflict needs no assumption. Adding a clause
// goes back without that; a tautology is not stored.
func (f *Formula) rewind() {
	if f.vars > 0 {
		f.gini.Add(toGini(1))
		f.gini.Add(toGini(-1))
		f.gini.Add(z.LitNull)
	}
}

// run searches. gini looks up from its work every 20 000 propagations only when
// it runs in its own goroutine, and its handle has no channel to select on:
// hence the polling, at growing intervals. With many long clauses those
// propagations take seconds; then run returns while gini is still stopping, and
// the next use of the formula waits for it.
func (f *Formula) run(ctx context.Context) int {
	if ctx.Done() == nil {
		return f.gini.Solve()
	}
	const (
		longest  = 10 * time.Millisecond
		patience = 500 * time.Millisecond
	)
	handle := f.gini.GoSolve()
	for pause := time.Duration(0); ; {
		if answer, done := handle.Test(); done {
			return answer
		}
		if ctx.Err() != nil {
			f.busy = make(chan int, 1)
			go func(stopped chan<- int) { stopped <- handle.Stop() }(f.busy)
			select {
			case answer := <-f.busy:
				f.busy = nil
				return answer
			case <-time.After(patience):
				return 0
			}
		}
		if pause == 0 {
			runtime.Gosched()
			pause = time.Microsecond
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, longest)
	}
}

// Value tells whether l holds in the model of the last Solve, which must have
// answered Satisfiable. Variables made since are false.
func (f *Formula) Value(l Lit) bool {
	f.known(l)
	if f.model == nil {
		panic("sat: Value without a model")
	}
	v := max(l, -l)
	return int(v) < len(f.model) && f.model[v] == (l > 0) || int(v) >= len(f.model) && l < 0
}

// Core is a subset of the assumptions of the last Solve, which answered
// Unsatisfiable, that cannot all hold; it need not be minimal. Empty: the
// formula is unsatisfiable by itself.
func (f *Formula) Core() []Lit { return f.core }
