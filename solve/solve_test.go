package solve

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuilderRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		build      func(b *Builder)
	}{
		{"unnamed variable", "without a name", func(b *Builder) { b.Binary("", 1) }},
		{"variable twice", `"x" appears twice`, func(b *Builder) { b.Binary("x", 1); b.Binary("x", 2) }},
		{"crossed bounds", "above upper", func(b *Builder) { b.Integer("x", 2, 1, 0) }},
		{"binary bounds", "binary variable", func(b *Builder) { b.Add(Var{Name: "x", Upper: 2}) }},
		{"kind", "unknown kind", func(b *Builder) { b.Add(Var{Name: "x", Kind: 9}) }},
		{"large bound", "beyond 2^53", func(b *Builder) { b.Integer("x", 0, MaxMagnitude+1, 0) }},
		{"smallest int64", "beyond 2^53", func(b *Builder) { b.Integer("x", math.MinInt64, 0, 0) }},
		{"large cost", "beyond 2^53", func(b *Builder) { b.Binary("x", math.MinInt64) }},
		{"unnamed row", "without a name", func(b *Builder) { b.Row("", LE, 0) }},
		{"row twice", `"r" appears twice`, func(b *Builder) { b.Row("r", LE, 0); b.Row("r", GE, 0) }},
		{"entry twice", `has variable "x" twice`, func(b *Builder) {
			x := b.Binary("x", 0)
			b.Row("r", LE, 0, Term{x, 1}, Term{x, 1})
		}},
		{"no such variable", "uses variable 3 of 1", func(b *Builder) {
			b.Binary("x", 0)
			b.Row("r", LE, 0, Term{3, 1})
		}},
		{"sense", "unknown sense", func(b *Builder) { b.Row("r", 7, 0) }},
		{"right-hand side", "beyond 2^53", func(b *Builder) { b.Row("r", LE, math.MaxInt64) }},
		{"coefficient", "beyond 2^53", func(b *Builder) { b.Row("r", LE, 0, Term{b.Binary("x", 0), math.MinInt64}) }},
		{"row activity", "may exceed 2^62", func(b *Builder) {
			b.Row("r", LE, 0, Term{b.Integer("x", 0, 1<<40, 0), 1 << 40})
		}},
		{"objective", "objective may exceed", func(b *Builder) { b.Integer("x", -1<<40, 0, 1<<40) }},
		{"constant", "constant beyond", func(b *Builder) { b.Constant(MaxMagnitude); b.Constant(1) }},
	} {
		b := NewBuilder("")
		c.build(b)
		_, err := b.Build()
		if err == nil || !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if verr := b.m.Validate(); verr == nil && c.name != "constant" {
			t.Errorf("%s: Validate accepts what the builder refused", c.name)
		}
	}
}

func small(t *testing.T) *Model {
	b := NewBuilder("small")
	x := b.Binary("x", 4)
	y := b.Integer("y", -3, 5, 6)
	z := b.Continuous("z", 0, 10, 0)
	b.Row("pick", LE, 7, Term{x, 2}, Term{y, 3}, Term{z, 1})
	b.Row("link", GE, 1, Term{y, 1}, Term{z, 2})
	b.Constant(-10)
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCheckAndEvaluate(t *testing.T) {
	m := small(t)
	half := []Fraction{{2, big.NewRat(1, 2)}}
	for _, c := range []struct {
		a    Assignment
		want string // part of the error; empty = feasible
		obj  string
	}{
		{Assignment{[]int64{0, 1, 0}, nil}, "", "-4"},
		{Assignment{[]int64{1, 0, 0}, half}, "", "-6"},
		{Assignment{[]int64{0, 0, 0}, nil}, `row "link"`, ""},
		{Assignment{[]int64{1, 2, 0}, nil}, `row "pick"`, ""},
		{Assignment{[]int64{2, 0, 1}, nil}, `"x" = 2 outside`, ""},
		{Assignment{[]int64{0, 1}, nil}, "2 values", ""},
		{Assignment{[]int64{0, 1, 0}, []Fraction{{1, big.NewRat(3, 2)}}}, "no integer", ""},
		{Assignment{[]int64{0, 1, 1}, half}, "malformed fraction", ""},
		{Assignment{[]int64{0, -3, 10}, []Fraction{{2, big.NewRat(21, 2)}}}, "outside", ""},
	} {
		err := m.Check(&c.a)
		if (err == nil) != (c.want == "") || (err != nil && (!errors.Is(err, ErrViolated) || !strings.Contains(err.Error(), c.want))) {
			t.Errorf("%v: error %v, want %q", c.a, err, c.want)
		}
		if c.want != "" {
			continue
		}
		if obj, err := m.Evaluate(&c.a); err != nil || obj.RatString() != c.obj {
			t.Errorf("%v: objective %v %v, want %s", c.a, obj, err, c.obj)
		}
	}
}

func TestGranularity(t *testing.T) {
	m := small(t)
	if g := m.Granularity(); g != 2 {
		t.Errorf("granularity %d, want 2", g)
	}
	m.Vars[2].Cost = 2
	if g := m.Granularity(); g != 0 {
		t.Errorf("with a continuous cost: %d, want 0", g)
	}
	if g := (&Model{}).Granularity(); g != 1 {
		t.Errorf("without costs: %d, want 1", g)
	}
}

func TestExactlyOne(t *testing.T) {
	b := NewBuilder("")
	x, y, n, c := b.Binary("x", 0), b.Binary("y", 0), b.Integer("n", -1, 1, 0), b.Continuous("c", 0, 1, 0)
	want := []bool{true, false, false, false, false, false}
	b.Row("yes", EQ, 1, Term{x, 1}, Term{y, 1})
	b.Row("at most", LE, 1, Term{x, 1}, Term{y, 1})
	b.Row("two", EQ, 2, Term{x, 1}, Term{y, 1})
	b.Row("coefficient", EQ, 1, Term{x, 1}, Term{y, 2})
	b.Row("negative", EQ, 1, Term{x, 1}, Term{n, 1})
	b.Row("continuous", EQ, 1, Term{x, 1}, Term{c, 1})
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if m.ExactlyOne(i) != w {
			t.Errorf("row %s: %v, want %v", m.Rows[i].Name, !w, w)
		}
	}
}

func TestModelJSON(t *testing.T) {
	m := small(t)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Model
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m, &back); d != "" {
		t.Error(d)
	}
	if err := json.Unmarshal([]byte(`{"vars":[{"name":"x","kind":"odd"}]}`), &back); !errors.Is(err, ErrModel) {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestGap(t *testing.T) {
	r := func(a, b int64) *big.Rat { return big.NewRat(a, b) }
	for _, c := range []struct {
		best, bound *big.Rat
		want        float64
	}{
		{r(100, 1), r(99, 1), 0.01},
		{r(100, 1), r(100, 1), 0},
		{r(-4, 1), r(-5, 1), 0.25},
		{r(0, 1), r(0, 1), 0},
		{r(0, 1), r(-3, 1), 1},
		{nil, r(1, 1), 1},
		{r(1, 1), nil, 1},
	} {
		if g := Gap(c.best, c.bound); g != c.want {
			t.Errorf("Gap(%v, %v) = %v, want %v", c.best, c.bound, g, c.want)
		}
	}
}
