package plandiff

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/model"
)

func step(op, value string, terms ...model.Term) Step {
	return Step{Kind: model.StepMove, Op: op, Value: value, Cost: terms}
}

func term(name string, n int64) model.Term { return model.Term{Name: name, Cycles: n} }

func TestCompare(t *testing.T) {
	a := []Step{step("f", "x", term("copy", 5), term("words", 10)), step("f", "y", term("kernel", 100)), step("g", "z")}
	b := []Step{step("e", "w", term("words", 3)), step("f", "x", term("words", 12), term("sync", 1)), step("g", "z"), step("h", "v", term("kernel", 70))}
	got := Compare(a, b)
	want := &Result{A: 115, B: 86, More: -29,
		Terms: []Difference{{Name: "copy", A: 5, More: -5}, {Name: "words", A: 10, B: 15, More: 5}, {Name: "kernel", A: 100, B: 70, More: -30}, {Name: "sync", B: 1, More: 1}},
		Steps: []StepDifference{
			{Kind: model.StepMove, Op: "e", Value: "w", Only: "b", B: 3, More: 3, Terms: []Difference{{Name: "words", B: 3, More: 3}}},
			{Kind: model.StepMove, Op: "f", Value: "x", A: 15, B: 13, More: -2, Terms: []Difference{{Name: "copy", A: 5, More: -5}, {Name: "words", A: 10, B: 12, More: 2}, {Name: "sync", B: 1, More: 1}}},
			{Kind: model.StepMove, Op: "f", Value: "y", Only: "a", A: 100, More: -100, Terms: []Difference{{Name: "kernel", A: 100, More: -100}}},
			{Kind: model.StepMove, Op: "g", Value: "z", Terms: []Difference{}},
			{Kind: model.StepMove, Op: "h", Value: "v", Only: "b", B: 70, More: 70, Terms: []Difference{{Name: "kernel", B: 70, More: 70}}},
		}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestNames: planners name their copies of a value as they like.
func TestNames(t *testing.T) {
	r := Compare([]Step{step("f", "x@f.a", term("copy", 5)), step("f", "x@b"), step("f", "y")}, []Step{step("f", "x@1", term("copy", 7)), step("f", "x@2", term("copy", 1)), step("f", "y")})
	var more []int64
	for _, s := range r.Steps {
		if s.Only != "" {
			t.Errorf("%s is only in %s", s.Value, s.Only)
		}
		more = append(more, s.More)
	}
	if d := cmp.Diff([]int64{2, 1, 0}, more); d != "" {
		t.Error(d)
	}
}

// TestSums: whatever the order of steps, each is compared once, and differences by term
// and by step add up to that of the plans.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		random := func() (list []Step) {
			for _, i := range rng.Perm(8)[:rng.IntN(9)] {
				list = append(list, step("f", fmt.Sprint(i), term(fmt.Sprint(rng.IntN(3)), rng.Int64N(9)), term("k", rng.Int64N(9))))
			}
			return list
		}
		a, b := random(), random()
		r := Compare(a, b)
		var byTerm, bySteps, byStepTerms int64
		for _, d := range r.Terms {
			byTerm += d.More
		}
		seen := map[string]bool{}
		for _, s := range r.Steps {
			bySteps += s.More
			for _, d := range s.Terms {
				byStepTerms += d.More
			}
			if seen[s.Value] {
				t.Fatalf("step %s twice", s.Value)
			}
			seen[s.Value] = true
		}
		union := map[string]bool{}
		for _, s := range append(a, b...) {
			union[s.Value] = true
		}
		if r.More != r.B-r.A || byTerm != r.More || bySteps != r.More || byStepTerms != r.More || len(seen) != len(union) {
			t.Fatalf("%v against %v: %+v", a, b, r)
		}
	}
}

func TestLayouts(t *testing.T) {
	plan := func(tiles int, names ...string) *model.Plan {
		p := &model.Plan{}
		for _, n := range names {
			p.Values = append(p.Values, model.PlanValue{Name: n, Layout: model.Layout{Tiles: tiles}})
		}
		p.Values = append(p.Values, model.PlanValue{Name: "same", Layout: model.Layout{Tiles: 7}})
		return p
	}
	got := Layouts(plan(1, "x", "y"), plan(2, "x", "z"))
	if len(got) != 3 || got[0].Value != "x" || got[0].A == got[0].B || got[1].Value != "y" || got[1].B != "" || got[2].Value != "z" || got[2].A != "" {
		t.Errorf("%+v", got)
	}
}
