package main

import (
	"fmt"
	"strings"

	"ipusolve"
	"ipusolve/encode/planning"
	"ipusolve/model"
	"ipusolve/model/plandiff"
)

func memoryUses(uses []planning.Use) []ipusolve.MemoryUse {
	list := []ipusolve.MemoryUse{}
	for _, u := range uses {
		list = append(list, ipusolve.MemoryUse{Limit: u.Name, Bytes: u.Bytes, Of: u.Limit})
	}
	return list
}

// planTerms sums up the terms of a plan by name.
func planTerms(p *model.Plan) model.Cost {
	var all model.Cost
	for i := range p.Steps {
		all = append(all, p.Steps[i].Cost...)
	}
	var c model.Cost
	for _, d := range plandiff.Terms(all, nil) {
		c = append(c, model.Term{Name: d.Name, Cycles: d.A, Exchange: d.Exchange})
	}
	return c
}

// differing are the terms that differ.
func differing(terms []plandiff.Difference) []plandiff.Difference {
	list := []plandiff.Difference{}
	for _, t := range terms {
		if t.More != 0 {
			list = append(list, t)
		}
	}
	return list
}

// termsText lists differences for people.
func termsText(terms []plandiff.Difference) string {
	var texts []string
	for _, t := range differing(terms) {
		texts = append(texts, fmt.Sprintf("%s %+d", t.Name, t.More))
	}
	if len(texts) == 0 {
		return "-"
	}
	return strings.Join(texts, ", ")
}
