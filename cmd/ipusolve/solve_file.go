package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ipusolve/encode"
	"ipusolve/solve/auto"
	"ipusolve/solve/format"
)

// instance is a file to solve, as a model.
type instance struct {
	path, name string
	problem    *format.Problem
	// selection is set for an IOPDDL file, with its model.
	selection *encode.IOPDDL
	full      *encode.FullModel
}

// readInstance reads a file by its ending; ctx stops the writing of a large model.
func readInstance(ctx context.Context, path string) (*instance, error) {
	base := strings.ToLower(filepath.Base(path))
	in := &instance{path: path, name: filepath.Base(path)}
	var err error
	if strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".json.gz") {
		if in.selection, err = readFile(path, encode.ReadIOPDDL); err != nil {
			return nil, err
		}
		if in.full, err = encode.NewFullModel(ctx, in.selection.Selection); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in.problem = &format.Problem{Model: in.full.Model, Scale: 1}
		return in, nil
	}
	read, ok := map[string]func(io.Reader) (*format.Problem, error){".lp": format.ReadLP, ".mps": format.ReadMPS, ".opb": format.ReadOPB,
		".cnf": format.ReadCNF}[filepath.Ext(base)]
	if !ok {
		return nil, usageError("solve: %s: want a name that ends in .lp, .mps, .opb, .cnf, .json, .json.gz or .csv", path)
	}
	if in.problem, err = readFile(path, read); err != nil {
		return nil, err
	}
	return in, nil
}

// writeSolution writes a line NAME VALUE per variable; of an IOPDDL problem the
// list of strategies, as the contest has it.
func (in *instance) writeSolution(w io.Writer, a *auto.Answer) error {
	if in.selection != nil {
		return json.NewEncoder(w).Encode(in.strategies(a))
	}
	if _, err := fmt.Fprintf(w, "# objective %s\n", exactText(a.Objective)); err != nil {
		return err
	}
	for j := range in.problem.Model.Vars {
		if _, err := fmt.Fprintf(w, "%s %s\n", in.problem.Model.Vars[j].Name, exactText(a.Result.Value(j))); err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) strategies(a *auto.Answer) []int {
	return in.selection.Solution(in.full.Choice(a.Result.Values))
}

// solveSchema is the schema name of a result.
const solveSchema = "ipusolve.solve/1"

// solveResult is the JSON form of a result. Objective and bound are exact: an
// integer, a decimal or a fraction as text.
type solveResult struct {
	Schema    string   `json:"schema"`
	File      string   `json:"file"`
	Status    string   `json:"status"`
	Objective string   `json:"objective,omitempty"`
	Bound     string   `json:"bound,omitempty"`
	Gap       *float64 `json:"gap,omitempty"`
	Assumed   []string `json:"assumed,omitempty"` // variables whose missing bounds the answer depends on
	// Uncertified: the status is the word of SAT search, which gives no proof.
	Uncertified bool              `json:"uncertified,omitempty"`
	Rows        int               `json:"rows"`
	Variables   int               `json:"variables"`
	Nodes       int               `json:"nodes"`
	Iterations  int64             `json:"lpIterations"`
	Solution    map[string]string `json:"solution,omitempty"`   // by variable, those that are not 0
	Strategies  []int             `json:"strategies,omitempty"` // by node, of an IOPDDL problem
	Offsets     map[string]int64  `json:"offsets,omitempty"`    // by buffer, of a packing
}

func (in *instance) result(a *auto.Answer) *solveResult {
	m, s := in.problem.Model, &a.Result.Stats
	r := &solveResult{Schema: solveSchema, File: in.name, Status: a.Status, Uncertified: a.Uncertified, Rows: len(m.Rows), Variables: len(m.Vars), Nodes: s.Nodes, Iterations: s.LPIterations}
	if a.Bound != nil {
		r.Bound = exactText(a.Bound)
	}
	if a.Within {
		seen := map[int]bool{}
		for _, x := range in.problem.Assumed {
			if !seen[x.Var] {
				seen[x.Var] = true
				r.Assumed = append(r.Assumed, m.Vars[x.Var].Name)
			}
		}
	}
	if a.Objective == nil {
		return r
	}
	gap := a.Gap()
	r.Objective, r.Gap = exactText(a.Objective), &gap
	if in.selection != nil {
		r.Strategies = in.strategies(a)
		return r
	}
	r.Solution = map[string]string{}
	for j := range m.Vars {
		if x := a.Result.Value(j); x.Sign() != 0 {
			r.Solution[m.Vars[j].Name] = exactText(x)
		}
	}
	return r
}
