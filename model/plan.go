package model

// Plan is a complete operator-level program: where every value lies and by
// which recipe every operation runs. It is what planning decides and lowering
// expands; nothing later chooses a layout. Text form: Plan.String.
type Plan struct {
	Schema  string      `json:"schema"` // PlanSchema
	Problem Problem     `json:"problem"`
	Values  []PlanValue `json:"values"`
	Steps   []Step      `json:"steps"` // program order
}

// PlanSchema is the schema name of a plan file.
const PlanSchema = "ipusolve.plan/1"

// PlanValue is a value in one layout. A graph value that changes layout is
// several plan values, one per layout, joined by moves.
type PlanValue struct {
	Name  string `json:"name"`  // unique, e.g. "h", "h@gemm1.a"
	Graph string `json:"graph"` // graph value it holds
	Rows  int    `json:"rows"`  // folded
	Cols  int    `json:"cols"`
	// Role: RoleInput or RoleWeight for what the host loads, "output" for graph
	// outputs as left for the host, else empty.
	Role   string `json:"role,omitempty"`
	Layout Layout `json:"layout"`
}

// RoleOutput marks plan values that the host reads after a run.
const RoleOutput = "output"

// StepKind is the kind of a step.
type StepKind string

// Kinds of steps.
const (
	// StepMove brings In[0] into the layout of Out: local copies, then one
	// exchange phase. Moves with equal Phase share that phase.
	StepMove StepKind = "move"
	// StepGemm multiplies In[0] (streamed operand, whole shards) by In[1] (loaded
	// operand): every tile that holds a shard of both runs one kernel call on
	// them; partials of one box are then exchanged in phase Phase and summed into
	// the shards of Out. With one inner part the kernel writes Out itself and
	// Phase is -1.
	StepGemm StepKind = "gemm"
	// StepGelu applies GELU to every shard of In[0]; Out has the same layout.
	StepGelu StepKind = "gelu"
	// StepTranspose turns every 16×16 panel of In[0], which lies in order
	// TransposedLeft, by a GEMM call that streams an identity block through the panels
	// as weights: Out has the same shards in order TransposedBlockMajor with one row
	// block, whose panels follow each other likewise (reference: planspace.md §3,
	// optima.md).
	StepTranspose StepKind = "transpose"
)

// NoPhase is the Phase of a step without an exchange.
const NoPhase = -1

// Step is one operation of the program.
type Step struct {
	Kind  StepKind `json:"kind"`
	Op    string   `json:"op"` // graph operation it serves
	In    []int    `json:"in"` // indices in Plan.Values
	Out   int      `json:"out"`
	Phase int      `json:"phase"` // exchange phases are numbered 0, 1, … in program order
	// InPlace, of a move that gathers slices: a tile's own slice is not copied but
	// lies inside the shard that it gathers, for as long as that lives.
	InPlace bool  `json:"inPlace,omitempty"`
	Gemm    *Gemm `json:"gemm,omitempty"`
	Cost    Cost  `json:"cost"` // under the problem's profile
}

// Grid counts parts.
type Grid struct {
	Rows  int `json:"rows"`
	Cols  int `json:"cols"`
	Inner int `json:"inner,omitempty"`
}

// Gemm is the recipe of a blocked GEMM (reference: planspace.md §6.1). Rows of its
// grids are those of the streamed operand, columns those of the loaded one: rows and
// columns of the result in the normal orientation, columns and rows in the swapped one.
type Gemm struct {
	Orientation string `json:"orientation"` // OrientationNormal or OrientationSwapped
	Compute     Grid   `json:"compute"`     // r, q, k
	Result      Grid   `json:"result"`      // R, Q
	// BlockInner and BlockCols are the largest kernel call: K_b and C.
	BlockInner int `json:"blockInner"`
	BlockCols  int `json:"blockCols"`
	// Sum is the unit that adds the partials of several inner parts: SumMatrix, or
	// empty for the reduction kernel.
	Sum string `json:"sum,omitempty"`
}

// turned exchanges rows and columns of a grid of values where the orientation does.
func (g *Gemm) turned(values Grid) Grid {
	if g.Orientation == OrientationSwapped {
		values.Rows, values.Cols = values.Cols, values.Rows
	}
	return values
}

// SumMatrix adds partials by an accumulating GEMM call whose weights are identity
// blocks, in place of the tile's own partial where the result is one run of it,
// else onto a copy (reference: optima.md).
const SumMatrix = "matrix"

// Orientations of a GEMM (reference: planspace.md §6.1). In both In[0] is A and In[1]
// is B of Y = A·B.
const (
	// OrientationNormal computes Y = A·B with A streamed and B loaded.
	OrientationNormal = "normal"
	// OrientationSwapped computes Yᵀ = Bᵀ·Aᵀ with B streamed and A loaded.
	OrientationSwapped = "swapped"
)

// Cost is a sum of named terms in cycles; never a bare number (DESIGN §3).
type Cost []Term

// Term is one named part of a cost.
type Term struct {
	Name     string `json:"name"`
	Cycles   int64  `json:"cycles"`
	Exchange bool   `json:"exchange,omitempty"` // spent in an exchange phase
}

// Total is the sum of all terms.
func (c Cost) Total() int64 {
	var n int64
	for _, t := range c {
		n += t.Cycles
	}
	return n
}

// Exchange is the part of Total spent in exchange phases.
func (c Cost) Exchange() int64 {
	var n int64
	for _, t := range c {
		if t.Exchange {
			n += t.Cycles
		}
	}
	return n
}

// Total is the planning objective: the cost of all steps.
func (p *Plan) Total() int64 {
	var n int64
	for i := range p.Steps {
		n += p.Steps[i].Cost.Total()
	}
	return n
}
