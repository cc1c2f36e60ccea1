package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"ipusolve"
	"ipusolve/encode/planning"
	"ipusolve/model"
	"ipusolve/model/plandiff"
	"ipusolve/solve/mip"
)

// side is what a file says of a plan: a package all, a plan file the plan, a report
// prices and claims.
type side struct {
	path    string
	problem *model.Problem
	plan    *model.Plan      // nil: a report alone
	report  *ipusolve.Report // nil: a plan alone
}

func loadSide(path string) (*side, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if kindOf(content) == packageFile {
		l, err := loadPackage(path)
		if err != nil {
			return nil, err
		}
		return &side{path, &l.plan.Problem, l.plan, l.report}, nil
	}
	var head struct {
		Schema string `json:"schema"`
	}
	// A file that is no JSON is refused by the reader below.
	if err := json.Unmarshal(content, &head); err == nil && head.Schema == model.PlanSchema {
		plan, err := model.ReadPlan(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return &side{path, &plan.Problem, plan, nil}, nil
	}
	r, err := loadReport(path)
	if err != nil {
		return nil, err
	}
	return &side{path, &r.Problem, nil, r}, nil
}

// steps are those of the plan, with their prices under the problem's profile.
func (s *side) steps() []plandiff.Step {
	if s.plan != nil {
		return plandiff.Steps(s.plan)
	}
	var list []plandiff.Step
	for _, r := range s.report.Planning.Steps {
		list = append(list, plandiff.Step{Kind: r.Kind, Op: r.Op, Value: r.Value, Cost: r.Terms})
	}
	return list
}

// status is what is claimed of the plan.
func (s *side) status() string {
	if s.report == nil {
		return "claims nothing"
	}
	p := &s.report.Planning
	if p.Bound == nil {
		return p.Status
	}
	return fmt.Sprintf("%s, bound %d, gap %s", p.Status, *p.Bound, percent(*p.Gap))
}

// candidates are the choices of a plan that planning can make, by GEMM; nil of others.
func (s *side) candidates() (*planning.Explainer, map[string]string, error) {
	if s.plan == nil {
		return nil, nil, nil
	}
	e, err := planning.NewExplainer(s.plan, mip.Solver{}, planning.Options{})
	if errors.Is(err, planning.ErrForeign) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.path, err)
	}
	list := map[string]string{}
	for _, c := range e.Chosen() {
		list[c.Op] = c.Candidate
	}
	return e, list, nil
}

// memory is the use of planning's memory limits, nil where nothing says it.
func (s *side) memory(e *planning.Explainer) ([]ipusolve.MemoryUse, error) {
	if e != nil {
		uses, err := e.Uses()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		return memoryUses(uses), nil
	}
	if s.report == nil {
		return nil, nil
	}
	return s.report.Planning.Memory, nil
}
