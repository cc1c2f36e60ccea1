package model

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Limits of a graph. They are far beyond what fits a chip and keep every
// product of three extents within 63 bits.
const (
	MaxElements   = 1 << 30 // of one value
	MaxExtent     = 1 << 20 // of one axis, and of all leading axes folded
	maxRank       = 8
	MaxValues     = 1 << 14 // of a graph or plan, and as many operations or steps
	maxNameLength = 255
)

// ReadGraph reads and validates a graph file (docs/formats.md). Errors are
// *PathError, or wrap the reader's.
func ReadGraph(r io.Reader) (*Graph, error) {
	g := new(Graph)
	if err := readStrict(r, g); err != nil {
		return nil, err
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g, nil
}

// Write writes the graph as indented JSON that ReadGraph accepts.
func (g *Graph) Write(w io.Writer) error { return writeJSON(w, g) }

func writeJSON(w io.Writer, record any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(record); err != nil {
		return fmt.Errorf("model: writing: %w", err)
	}
	return nil
}

// Validate checks all rules of reference planspace.md §1 that the records can
// break: SSA in program order, shapes, roles, and size limits. Errors are
// *PathError.
func (g *Graph) Validate() error {
	if g.Schema != GraphSchema {
		return pathErrorf("schema", "want %q, found %q", GraphSchema, g.Schema)
	}
	if len(g.Name) > maxNameLength {
		return pathErrorf("name", "want at most %d bytes", maxNameLength)
	}
	if len(g.Values) > MaxValues || len(g.Ops) > MaxValues {
		return pathErrorf("", "want at most %d values and operations", MaxValues)
	}
	c := graphChecker{g: g, values: map[string]*valueState{}}
	if err := c.checkValues(); err != nil {
		return err
	}
	if err := c.checkOps(); err != nil {
		return err
	}
	return c.checkOutputs()
}

type valueState struct {
	GraphValue
	index   int
	defined bool // available to operations that follow
	used    bool
}

type graphChecker struct {
	g      *Graph
	values map[string]*valueState
}

func checkName(path, name string) error {
	if name == "" || len(name) > maxNameLength {
		return pathErrorf(path, "want a name of 1 to %d bytes, found %d bytes", maxNameLength, len(name))
	}
	return nil
}

func (c *graphChecker) checkValues() error {
	for i, v := range c.g.Values {
		path := fmt.Sprintf("values[%d]", i)
		if err := checkName(path+".name", v.Name); err != nil {
			return err
		}
		if c.values[v.Name] != nil {
			return pathErrorf(path+".name", "name %q is taken by values[%d]", v.Name, c.values[v.Name].index)
		}
		if err := checkShape(path+".shape", v.Shape); err != nil {
			return err
		}
		if v.Type != "f16" {
			return pathErrorf(path+".type", `want "f16", found %q`, v.Type)
		}
		if v.Role != "" && v.Role != RoleInput && v.Role != RoleWeight {
			return pathErrorf(path+".role", `want "input", "weight" or none, found %q`, v.Role)
		}
		c.values[v.Name] = &valueState{GraphValue: v, index: i, defined: v.Role != ""}
	}
	return nil
}

func checkShape(path string, shape []int) error {
	if len(shape) < 2 || len(shape) > maxRank {
		return pathErrorf(path, "want rank 2 to %d, found %d", maxRank, len(shape))
	}
	rows, all := 1, 1
	for i, e := range shape {
		if e < 1 || e > MaxExtent {
			return pathErrorf(fmt.Sprintf("%s[%d]", path, i), "want an extent of 1 to %d, found %d", MaxExtent, e)
		}
		if all *= e; all > MaxElements {
			return pathErrorf(path, "want at most %d elements", MaxElements)
		}
		if i < len(shape)-1 {
			rows *= e
		}
	}
	if rows > MaxExtent {
		return pathErrorf(path, "want at most %d rows with the leading axes folded, found %d", MaxExtent, rows)
	}
	return nil
}

func (c *graphChecker) checkOps() error {
	names := map[string]int{}
	for i, op := range c.g.Ops {
		path := fmt.Sprintf("ops[%d]", i)
		if err := checkName(path+".name", op.Name); err != nil {
			return err
		}
		if j, taken := names[op.Name]; taken {
			return pathErrorf(path+".name", "name %q is taken by ops[%d]", op.Name, j)
		}
		names[op.Name] = i
		want := 0
		switch op.Kind {
		case OpGemm:
			want = 2
		case OpGelu:
			want = 1
		default:
			return pathErrorf(path+".kind", "want %q or %q, found %q", OpGemm, OpGelu, op.Kind)
		}
		if len(op.Inputs) != want {
			return pathErrorf(path+".inputs", "%s wants %d inputs, found %d", op.Kind, want, len(op.Inputs))
		}
		for j, name := range op.Inputs {
			in := c.values[name]
			at := fmt.Sprintf("%s.inputs[%d]", path, j)
			switch {
			case in == nil:
				return pathErrorf(at, "no value is named %q", name)
			case !in.defined:
				return pathErrorf(at, "value %q is used before it is produced", name)
			case in.Role == RoleWeight && (op.Kind != OpGemm || j != 1):
				return pathErrorf(at, "weight %q may only be the second input of a gemm", name)
			}
			in.used = true
		}
		out := c.values[op.Output]
		switch {
		case out == nil:
			return pathErrorf(path+".output", "no value is named %q", op.Output)
		case out.Role != "":
			return pathErrorf(path+".output", "value %q is the graph's %s and cannot be produced", op.Output, out.Role)
		case out.defined:
			return pathErrorf(path+".output", "value %q is produced twice", op.Output)
		}
		want2, err := c.resultShape(path, op)
		if err != nil {
			return err
		}
		if !slices.Equal(out.Shape, want2) {
			return pathErrorf(path+".output", "%s gives shape %v, but value %q has %v", op.Kind, want2, op.Output, out.Shape)
		}
		out.defined = true
	}
	return nil
}

// resultShape is the shape an operation with checked inputs gives.
func (c *graphChecker) resultShape(path string, op Op) ([]int, error) {
	a := c.values[op.Inputs[0]].Shape
	if op.Kind == OpGelu {
		return a, nil
	}
	b := c.values[op.Inputs[1]].Shape
	if len(b) > len(a) {
		return nil, pathErrorf(path+".inputs[1]", "want rank %d or less, as the first input has, found %d", len(a), len(b))
	}
	for _, e := range b[:len(b)-2] {
		if e != 1 {
			return nil, pathErrorf(path+".inputs[1]", "want leading axes of extent 1, found shape %v", b)
		}
	}
	if a[len(a)-1] != b[len(b)-2] {
		return nil, pathErrorf(path, "inner extents differ: %q has shape %v, %q has %v", op.Inputs[0], a, op.Inputs[1], b)
	}
	return append(slices.Clone(a[:len(a)-1]), b[len(b)-1]), nil
}

func (c *graphChecker) checkOutputs() error {
	if len(c.g.Outputs) == 0 {
		return pathErrorf("outputs", "want at least one output")
	}
	seen := map[string]bool{}
	for i, name := range c.g.Outputs {
		path := fmt.Sprintf("outputs[%d]", i)
		v := c.values[name]
		switch {
		case v == nil:
			return pathErrorf(path, "no value is named %q", name)
		case v.Role != "" || !v.defined:
			return pathErrorf(path, "value %q is not the result of an operation", name)
		case seen[name]:
			return pathErrorf(path, "value %q is listed twice", name)
		}
		seen[name], v.used = true, true
	}
	for i, v := range c.g.Values {
		switch s := c.values[v.Name]; {
		case !s.defined:
			return pathErrorf(fmt.Sprintf("values[%d]", i), "value %q has no role and no operation produces it", v.Name)
		case !s.used:
			return pathErrorf(fmt.Sprintf("values[%d]", i), "value %q is never used", v.Name)
		}
	}
	return nil
}
