package sat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func randomClause(r *rand.Rand, vars, size int) []Lit {
	c := make([]Lit, size)
	for i := range c {
		c[i] = Lit(1+r.IntN(vars)) * Lit(1-2*r.IntN(2))
	}
	return c
}

// satisfies reports whether assignment bits (variable v is bit v−1) satisfy all clauses.
func satisfies(bits uint, clauses [][]Lit) bool {
	for _, c := range clauses {
		if !slices.ContainsFunc(c, func(l Lit) bool { return bits>>(max(l, -l)-1)&1 != 0 == (l > 0) }) {
			return false
		}
	}
	return true
}

func satisfiable(vars int, clauses [][]Lit, assume []Lit) bool {
	all := slices.Clone(clauses)
	for _, l := range assume {
		all = append(all, []Lit{l})
	}
	for bits := range uint(1) << vars {
		if satisfies(bits, all) {
			return true
		}
	}
	return false
}

// TestIncremental mixes clauses, variables, assumptions and cancelled calls, and
// compares every answer with all assignments.
func TestIncremental(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	count := map[Answer]int{}
	for round := range 300 {
		f := New()
		f.NewVars(1 + r.IntN(8))
		var clauses [][]Lit
		for range 25 {
			if r.IntN(4) == 0 && f.Vars() < 10 {
				f.NewVar()
			}
			for range r.IntN(5) {
				c := randomClause(r, f.Vars(), 1+r.IntN(4)+r.IntN(2))
				clauses = append(clauses, c)
				f.AddClause(c...)
			}
			var assume []Lit
			for range r.IntN(5) {
				assume = append(assume, randomClause(r, f.Vars(), 1)...)
			}
			ctx, cancel := context.Background(), context.CancelFunc(func() {})
			switch r.IntN(4) {
			case 0:
				ctx, cancel = context.WithCancel(ctx)
			case 1:
				ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(20))*time.Microsecond)
			}
			answer := f.Solve(ctx, assume...)
			cancel()
			count[answer]++
			want := satisfiable(f.Vars(), clauses, assume)
			switch answer {
			case Satisfiable:
				var bits uint
				for v := range f.Vars() {
					if f.Value(Lit(v + 1)) {
						bits |= 1 << v
					}
					if f.Value(Lit(v+1)) == f.Value(-Lit(v+1)) {
						t.Fatalf("round %d: both signs alike", round)
					}
				}
				if !want || !satisfies(bits, clauses) {
					t.Fatalf("round %d: model %b of %v, satisfiable %v", round, bits, clauses, want)
				}
				for _, l := range assume {
					if !f.Value(l) {
						t.Fatalf("round %d: assumption %d is false", round, l)
					}
				}
			case Unsatisfiable:
				if want {
					t.Fatalf("round %d: unsatisfiable: %v under %v", round, clauses, assume)
				}
				core := slices.Clone(f.Core())
				for _, l := range core {
					if !slices.Contains(assume, l) {
						t.Fatalf("round %d: %d in the core of %v", round, l, assume)
					}
				}
				if satisfiable(f.Vars(), clauses, core) {
					t.Fatalf("round %d: core %v of %v is none", round, core, assume)
				}
				least, minimal, answer := f.MinimalCore(context.Background(), assume)
				if answer != Unsatisfiable || !minimal || satisfiable(f.Vars(), clauses, least) {
					t.Fatalf("round %d: %v is no core of %v (%v)", round, least, assume, answer)
				}
				for i := range least {
					if !satisfiable(f.Vars(), clauses, slices.Delete(slices.Clone(least), i, i+1)) {
						t.Fatalf("round %d: core %v is not minimal", round, least)
					}
				}
			}
		}
	}
	if count[Satisfiable] < 500 || count[Unsatisfiable] < 500 || count[Unknown] < 20 {
		t.Errorf("one-sided: %v", count)
	}
}

// TestCaDiCaL compares random formulas at the threshold, where half are satisfiable.
func TestCaDiCaL(t *testing.T) {
	cadical, err := exec.LookPath("cadical")
	if err != nil {
		t.Skip("no cadical here")
	}
	r := rand.New(rand.NewPCG(4, 4))
	dir := t.TempDir()
	satisfiable := 0
	for round := range 200 {
		vars := 20 + r.IntN(80)
		f := New()
		f.NewVars(vars)
		var text bytes.Buffer
		clauses := int(4.26*float64(vars)) + 1
		fmt.Fprintf(&text, "p cnf %d %d\n", vars, clauses)
		for range clauses {
			c := randomClause(r, vars, 3)
			f.AddClause(c...)
			fmt.Fprintln(&text, c[0], c[1], c[2], 0)
		}
		file := filepath.Join(dir, "formula.cnf")
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := exec.Command(cadical, "-q", "-n", file).Run(); !errors.As(err, &exit) {
			t.Fatalf("cadical: %v", err)
		}
		want := map[int]Answer{10: Satisfiable, 20: Unsatisfiable}[exit.ExitCode()]
		if got := f.Solve(context.Background()); got != want {
			t.Fatalf("round %d: %v, cadical exits with %d", round, got, exit.ExitCode())
		}
		if want == Satisfiable {
			satisfiable++
		}
	}
	if satisfiable < 40 || satisfiable > 160 {
		t.Errorf("%d of 200 satisfiable", satisfiable)
	}
}

// pigeons puts n pigeons into n−1 holes: hard for resolution.
func pigeons(f *Formula, n int) {
	in := make([][]Lit, n)
	for i := range in {
		in[i] = f.NewVars(n - 1)
		f.AddClause(in[i]...)
	}
	for h := range n - 1 {
		for i := range in {
			for j := range i {
				f.AddClause(-in[i][h], -in[j][h])
			}
		}
	}
}

// A cancelled search returns soon, and leaves a formula that still answers.
func TestCancel(t *testing.T) {
	f := New()
	easy := f.NewVars(3)
	f.AddClause(easy...)
	f.Under(f.Group("pigeons"), func() { pigeons(f, 13) })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	returned := make(chan Answer, 1)
	go func() { returned <- f.Solve(ctx, f.Group("pigeons")) }()
	select {
	case a := <-returned:
		if a != Unknown {
			t.Fatalf("%v within 50 ms", a)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("not cancelled")
	}
	if a := f.Solve(ctx); a != Unknown {
		t.Errorf("%v after the deadline", a)
	}
	if a := f.Solve(context.Background(), -easy[0], -easy[1]); a != Satisfiable || !f.Value(easy[2]) {
		t.Errorf("%v afterwards", a)
	}
	if a := f.Solve(context.Background(), -easy[0], -easy[1], -easy[2]); a != Unsatisfiable || len(f.Core()) != 3 {
		t.Errorf("%v with core %v", a, f.Core())
	}
}

func TestGroups(t *testing.T) {
	f := New()
	x := f.NewVars(4)
	var all []Lit
	for name, lits := range map[string][]Lit{"ab": {x[0], x[1]}, "notA": {-x[0]}, "notB": {-x[1]}, "c": {x[2]}} {
		f.Under(f.Group(name), func() { f.AddClause(lits...) })
	}
	for _, name := range []string{"c", "ab", "notA", "notB"} {
		all = append(all, f.Group(name))
	}
	core, minimal, answer := f.MinimalCore(context.Background(), all)
	if got := f.Names(core); answer != Unsatisfiable || !minimal || !slices.Equal(got, []string{"ab", "notA", "notB"}) {
		t.Errorf("core %v, %v", got, answer)
	}
	if core, _, answer := f.MinimalCore(context.Background(), all[:3]); answer != Satisfiable || core != nil {
		t.Errorf("core %v of a satisfiable set", core)
	}
	// Guards nest, and an empty clause forbids its guard.
	f.Under(all[0], func() { f.Under(x[3], func() { f.AddClause() }) })
	if a := f.Solve(context.Background(), all[0], x[3]); a != Unsatisfiable {
		t.Errorf("both guards: %v", a)
	}
	if a := f.Solve(context.Background(), all[0]); a != Satisfiable || f.Value(x[3]) {
		t.Errorf("one guard: %v", a)
	}
	f.AddClause()
	if a := f.Solve(context.Background()); a != Unsatisfiable || len(f.Core()) != 0 {
		t.Errorf("empty clause: %v", a)
	}
	f.AddClause(x[0]) // a closed formula takes clauses and stays closed
	if a := f.Solve(context.Background(), x[0]); a != Unsatisfiable {
		t.Errorf("closed: %v", a)
	}
}

func TestMisuse(t *testing.T) {
	for name, misuse := range map[string]func(f *Formula){
		"literal 0":       func(f *Formula) { f.AddClause(0) },
		"foreign literal": func(f *Formula) { f.AddClause(2) },
		"assumption":      func(f *Formula) { f.Solve(context.Background(), -2) },
		"no model":        func(f *Formula) { f.Value(1) },
		"empty integer":   func(f *Formula) { f.NewInt(1, 0) },
		"huge integer":    func(f *Formula) { f.NewInt(-1<<63, 1<<63-1) },
		"cardinality":     func(f *Formula) { f.AtMostBy(Totalizer, 1, 1) },
		"weights":         func(f *Formula) { f.LinearAtMost(1, Weighted{1, -1 << 63}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f := New()
			f.NewVar()
			misuse(f)
		})
	}
}

// Same calls, same models.
func TestDeterministic(t *testing.T) {
	var first []bool
	for run := range 2 {
		r := rand.New(rand.NewPCG(9, 9))
		f := New()
		f.NewVars(150)
		for range 500 {
			f.AddClause(randomClause(r, 150, 3)...)
		}
		f.LinearAtMost(400, Weighted{1, 100}, Weighted{-2, 200}, Weighted{3, 150}, Weighted{4, 75})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		if f.Solve(ctx) != Satisfiable {
			t.Fatal("no model")
		}
		cancel()
		if run == 0 {
			first = f.model
		} else if !slices.Equal(first, f.model) {
			t.Error("two models")
		}
	}
}

// Long clauses keep gini from looking up; Solve returns all the same, and the
// formula waits for gini when it is used again.
func TestCancelBusy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	f := New()
	f.NewVars(400)
	off := f.NewVar()
	for range 40_000 {
		f.AddClause(append(randomClause(r, 400, 7), off)...)
	}
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		if a := f.Solve(ctx, -off); a != Unknown {
			t.Fatalf("%v in 300 ms", a)
		}
		cancel()
	}
	f.AddClause(-f.NewVar(), off)
	if a := f.Solve(context.Background(), off); a != Satisfiable {
		t.Errorf("%v without the clauses", a)
	}
}

// FuzzFormula reads clauses and calls of Solve over six variables: the answers
// must be those of all assignments.
func FuzzFormula(f *testing.F) {
	f.Add([]byte{1, 2, 0, 129, 0, 255, 3, 0, 130, 131, 0, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		const vars = 6
		s := New()
		s.NewVars(vars)
		var clauses [][]Lit
		var clause []Lit
		for _, b := range data[:min(len(data), 300)] {
			l := Lit(b&127)%vars + 1
			switch {
			case b == 255: // the clause at hand is assumed
				want := satisfiable(vars, clauses, clause)
				if got := s.Solve(context.Background(), clause...); (got == Satisfiable) != want {
					t.Fatalf("%v: %v under %v", got, clauses, clause)
				}
				clause = nil
			case b == 0:
				clauses = append(clauses, clause)
				s.AddClause(clause...)
				clause = nil
			case b < 128:
				clause = append(clause, l)
			default:
				clause = append(clause, -l)
			}
		}
	})
}
