package plandiff

import (
	"strings"

	"ipusolve/model"
)

// Step is one step of a plan, as a report lists it too.
type Step struct {
	Kind  model.StepKind
	Op    string
	Value string // plan value that it makes
	Cost  model.Cost
}

// Steps lists the steps of a plan.
func Steps(p *model.Plan) []Step {
	list := make([]Step, len(p.Steps))
	for i := range p.Steps {
		s := &p.Steps[i]
		list[i] = Step{s.Kind, s.Op, p.Values[s.Out].Name, s.Cost}
	}
	return list
}

// Difference is what two plans cost by name, in cycles; a plan without the named thing
// spends 0 on it. Exchange tells that the term is spent in exchange phases.
type Difference struct {
	Name     string `json:"name"`
	A        int64  `json:"a"`
	B        int64  `json:"b"`
	More     int64  `json:"more"` // b − a
	Exchange bool   `json:"exchange,omitempty"`
}

// StepDifference compares a step.
type StepDifference struct {
	Kind  model.StepKind `json:"kind"`
	Op    string         `json:"op"`
	Value string         `json:"value"`
	// Only is "a" or "b" if one plan alone has the step.
	Only  string       `json:"only,omitempty"`
	A     int64        `json:"a"`
	B     int64        `json:"b"`
	More  int64        `json:"more"`
	Terms []Difference `json:"terms"` // that differ
}

// Layout is a plan value that lies otherwise; empty where a plan lacks it.
type Layout struct {
	Value string `json:"value"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// Result compares two plans. More is B − A.
type Result struct {
	A     int64            `json:"a"`
	B     int64            `json:"b"`
	More  int64            `json:"more"`
	Terms []Difference     `json:"terms"` // of the whole plans, also equal ones
	Steps []StepDifference `json:"steps"` // all, in program order
}

// Compare compares the steps of two plans.
func Compare(a, b []Step) *Result {
	r := &Result{A: total(a), B: total(b), Terms: Terms(whole(a), whole(b)), Steps: []StepDifference{}}
	r.More = r.B - r.A
	align(a, b, func(x, y *Step) {
		var d StepDifference
		var none Step
		switch {
		case x == nil:
			x, d.Only = &none, "b"
			d.Kind, d.Op, d.Value = y.Kind, y.Op, y.Value
		case y == nil:
			y, d.Only = &none, "a"
			fallthrough
		default:
			d.Kind, d.Op, d.Value = x.Kind, x.Op, x.Value
		}
		d.A, d.B = x.Cost.Total(), y.Cost.Total()
		d.More, d.Terms = d.B-d.A, []Difference{}
		for _, t := range Terms(x.Cost, y.Cost) {
			if t.More != 0 {
				d.Terms = append(d.Terms, t)
			}
		}
		r.Steps = append(r.Steps, d)
	})
	return r
}

// Terms sums up and compares the terms of two costs by name, in order of appearance.
func Terms(a, b model.Cost) []Difference {
	list := []Difference{}
	at := map[string]int{}
	entry := func(t model.Term) *Difference {
		i, ok := at[t.Name]
		if !ok {
			i = len(list)
			at[t.Name] = i
			list = append(list, Difference{Name: t.Name, Exchange: t.Exchange})
		}
		return &list[i]
	}
	for _, t := range a {
		entry(t).A += t.Cycles
	}
	for _, t := range b {
		entry(t).B += t.Cycles
	}
	for i := range list {
		list[i].More = list[i].B - list[i].A
	}
	return list
}

// Layouts lists the plan values that two plans store differently, those of a first.
func Layouts(a, b *model.Plan) []Layout {
	in := func(p *model.Plan) map[string]string {
		m := map[string]string{}
		for i := range p.Values {
			m[p.Values[i].Name] = p.Values[i].Layout.String()
		}
		return m
	}
	of, other := in(a), in(b)
	list := []Layout{}
	for i := range a.Values {
		if name := a.Values[i].Name; of[name] != other[name] {
			list = append(list, Layout{name, of[name], other[name]})
		}
	}
	for i := range b.Values {
		if name := b.Values[i].Name; of[name] == "" {
			list = append(list, Layout{name, "", other[name]})
		}
	}
	return list
}

func total(steps []Step) (n int64) { return whole(steps).Total() }

func whole(steps []Step) (c model.Cost) {
	for i := range steps {
		c = append(c, steps[i].Cost...)
	}
	return c
}

// key is what makes two steps one: the operation that they serve, and of which graph
// value they make the how many-th copy for it. What follows the last @ in the name of a
// plan value tells copies of a graph value apart and is up to the planner.
type key struct {
	kind      model.StepKind
	op, value string
	count     int
}

func keys(steps []Step) []key {
	list := make([]key, len(steps))
	seen := map[key]int{}
	for i := range steps {
		value := steps[i].Value
		if at := strings.LastIndexByte(value, '@'); at > 0 {
			value = value[:at]
		}
		k := key{kind: steps[i].Kind, op: steps[i].Op, value: value}
		n := seen[k]
		seen[k]++
		k.count = n
		list[i] = k
	}
	return list
}

// align calls f for every step of two lists in an order that is that of both where they
// have the same steps in the same order; nil stands for a step that a list lacks.
func align(a, b []Step, f func(x, y *Step)) {
	keysA, keysB := keys(a), keys(b)
	inA, inB := map[key]bool{}, map[key]int{}
	for _, k := range keysA {
		inA[k] = true
	}
	for j, k := range keysB {
		inB[k] = j
	}
	next := 0 // of b; those before are done if a lacks them
	skip := func(until int) {
		for ; next < until; next++ {
			if !inA[keysB[next]] {
				f(nil, &b[next])
			}
		}
	}
	for i := range a {
		j, ok := inB[keysA[i]]
		if !ok {
			f(&a[i], nil)
			continue
		}
		skip(j)
		f(&a[i], &b[j])
	}
	skip(len(b))
}
