package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"ipusolve"
	"ipusolve/encode"
	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// inputKind tells a graph from reports, packages and snapshots.
func inputKind(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if kindOf(content) != jsonFile {
		return "package", nil
	}
	var head struct {
		Schema   string          `json:"schema"`
		Snapshot json.RawMessage `json:"schema_version"`
	}
	if err := json.NewDecoder(bytes.NewReader(content)).Decode(&head); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case head.Schema == ipusolve.ReportSchema:
		return "report", nil
	case head.Snapshot != nil:
		return "snapshot", nil
	}
	return "graph", nil
}

// compile compiles the problem of the command line, or a package's plan
// again.
func (e *exporting) compile(pinned *model.Plan, planOnly bool) (*ipusolve.Compilation, error) {
	c := e.cli
	var p *model.Problem
	opt := ipusolve.Options{
		Planner:   &ipusolve.Optimal{Solver: mip.Solver{}, Options: solve.Options{TimeLimit: c.Duration("time-limit"), Effort: c.Int64("effort")}},
		Scheduler: ipusolve.List{}, PlanOnly: planOnly,
	}
	if pinned != nil {
		p, opt.Planner = &pinned.Problem, &ipusolve.Pinned{Saved: pinned}
	} else {
		var err error
		if p, err = problem(c, nil); err != nil {
			return nil, err
		}
	}
	console := newConsole(c.App.ErrWriter)
	opt.Log, opt.Progress = newLog(c, console), console.progress
	defer console.done()
	r, err := ipusolve.Compile(c.Context, p, opt)
	if err != nil {
		return nil, err
	}
	e.planned = &r.Report.Planning
	return r, nil
}

// program compiles what the command line names, up to the package.
func (e *exporting) program() (*ipusolve.Compilation, error) {
	kind, path, err := exportInput(e.cli)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "package":
		l, err := loadPackage(path)
		if err != nil {
			return nil, err
		}
		return e.compile(l.plan, false)
	case "report":
		return nil, usageError("export: %s: a report has no layouts; give the package or the graph", path)
	case "snapshot":
		return nil, usageError("export: %s: a snapshot has no program; it is for --model waves", path)
	}
	return e.compile(nil, false)
}

// wavesModel is the disjunctive model of a phase or group.
func wavesModel(e *exporting) (*solve.Model, error) {
	c := e.cli
	phases, err := e.phases()
	if err != nil {
		return nil, err
	}
	id := c.Int("phase")
	i := slices.IndexFunc(phases, func(p *exchange.Problem) bool { return p.Phase == id })
	if i < 0 {
		var have []int
		for _, p := range phases {
			have = append(have, p.Phase)
		}
		return nil, usageError("export: --phase: there is no phase %d, only %v", id, have)
	}
	p, name := phases[i], fmt.Sprintf("phase%d", id)
	if g := c.Int("group"); g != -1 {
		groups := p.Groups()
		if g < 0 || g >= len(groups) {
			return nil, usageError("export: --group: phase %d has groups 0 to %d, found %d", id, len(groups)-1, g)
		}
		p, name = groups[g], fmt.Sprintf("%s.group%d", name, g)
	}
	s, _, err := ipusolve.List{}.Schedule(c.Context, p)
	if err != nil {
		return nil, fmt.Errorf("export: phase %d: %w", id, err)
	}
	d, err := p.Disjunctive(s.Horizon)
	if err != nil {
		return nil, fmt.Errorf("export: phase %d: %w", id, err)
	}
	d.Name = name
	m, err := encode.NewDisjunctiveModel(d)
	if err != nil {
		return nil, fmt.Errorf("export: %w; a group is smaller (--group 0 to %d)", err, len(p.Groups())-1)
	}
	return m.Model, nil
}

// phases are those of a snapshot or a program.
func (e *exporting) phases() ([]*exchange.Problem, error) {
	kind, path, err := exportInput(e.cli)
	if err != nil {
		return nil, err
	}
	if kind == "snapshot" {
		snap, err := readFile(path, exchange.ReadSnapshot)
		if err != nil {
			return nil, err
		}
		return snap.Phases, nil
	}
	r, err := e.program()
	if err != nil {
		return nil, err
	}
	return r.Phases, nil
}
