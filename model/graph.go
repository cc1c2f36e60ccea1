package model

// Graph is an ordered list of operations over SSA values with static shapes
// (reference: planspace.md §1). JSON schema: docs/formats.md.
type Graph struct {
	Schema  string       `json:"schema"` // "ipusolve.graph/1"
	Name    string       `json:"name"`
	Values  []GraphValue `json:"values"`
	Ops     []Op         `json:"ops"`
	Outputs []string     `json:"outputs"`
}

// GraphSchema is the schema name of a graph file.
const GraphSchema = "ipusolve.graph/1"

// GraphValue is one tensor. Role is empty for the result of an operation.
type GraphValue struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"` // rank ≥ 2; leading axes fold into rows
	Type  string `json:"type"`  // "f16"
	Role  string `json:"role,omitempty"`
}

// Roles of graph values that no operation produces.
const (
	RoleInput  = "input"  // delivered before each run
	RoleWeight = "weight" // loaded once
)

// Rows is the product of all extents but the last, Cols the last.
func (v GraphValue) Rows() int {
	n := 1
	for _, e := range v.Shape[:len(v.Shape)-1] {
		n *= e
	}
	return n
}
func (v GraphValue) Cols() int { return v.Shape[len(v.Shape)-1] }

// Op is one operation: "gemm" (inputs A […,M,K] and B [1,…,K,N]) or "gelu".
type Op struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Inputs []string `json:"inputs"`
	Output string   `json:"output"`
}

// Kinds of operations.
const (
	OpGemm = "gemm"
	OpGelu = "gelu"
)

// Value finds a value by name.
func (g *Graph) Value(name string) (GraphValue, bool) {
	for _, v := range g.Values {
		if v.Name == name {
			return v, true
		}
	}
	return GraphValue{}, false
}
