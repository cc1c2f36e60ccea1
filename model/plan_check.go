package model

import (
	"fmt"
	"slices"
	"strings"
)

// maxPlanShards bounds the shards of all values of a plan together.
const maxPlanShards = 1 << 21

// Validate checks everything a plan promises to lowering without building
// anything: the problem, that layouts resolve, that the host can load and read
// what the problem says, that steps compute the graph in order, and that
// operands of a GEMM agree (planValidator's methods, in this order). Errors are
// *PathError.
func (p *Plan) Validate() error {
	v := planValidator{p: p, ops: map[string]int{}}
	for _, check := range []func() error{v.header, v.values, v.roles, v.steps, v.phases} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

type planValidator struct {
	p       *Plan
	ops     map[string]int // graph operation by name
	shards  [][]Shard      // of each value
	made    []int          // producing step of each value, -1 for loaded ones
	lastUse []int          // last step that reads each value, -1 if none
}

func (v *planValidator) header() error {
	if v.p.Schema != PlanSchema {
		return pathErrorf("schema", "want %q, found %q", PlanSchema, v.p.Schema)
	}
	if err := v.p.Problem.Validate(); err != nil {
		return under("problem", err)
	}
	if len(v.p.Values) > MaxValues || len(v.p.Steps) > MaxValues {
		return pathErrorf("", "want at most %d values and steps", MaxValues)
	}
	for i, op := range v.p.Problem.Graph.Ops {
		v.ops[op.Name] = i
	}
	return nil
}

func (v *planValidator) values() error {
	names, total := map[string]int{}, 0
	graph := map[string]GraphValue{}
	for _, g := range v.p.Problem.Graph.Values {
		graph[g.Name] = g
	}
	for i := range v.p.Values {
		value, path := &v.p.Values[i], fmt.Sprintf("values[%d]", i)
		if err := checkName(path+".name", value.Name); err != nil {
			return err
		}
		if j, taken := names[value.Name]; taken {
			return pathErrorf(path+".name", "name %q is taken by values[%d]", value.Name, j)
		}
		names[value.Name] = i
		g, ok := graph[value.Graph]
		if !ok {
			return pathErrorf(path+".graph", "the graph has no value %q", value.Graph)
		}
		if value.Rows != g.Rows() || value.Cols != g.Cols() {
			return pathErrorf(path, "want %d rows and %d columns, as graph value %q has, found %d and %d", g.Rows(), g.Cols(), g.Name, value.Rows, value.Cols)
		}
		shards, err := v.layout(path+".layout", value)
		if err != nil {
			return err
		}
		if total += len(shards); total > maxPlanShards {
			return pathErrorf(path, "want at most %d shards in all values", maxPlanShards)
		}
		v.shards = append(v.shards, shards)
	}
	return nil
}

// layout resolves the layout of a value and checks its tiles.
func (v *planValidator) layout(path string, value *PlanValue) ([]Shard, error) {
	l := &value.Layout
	if l.Tiles > v.p.Problem.Tiles {
		return nil, pathErrorf(path+".tiles", "want at most the problem's %d tiles, found %d shards", v.p.Problem.Tiles, l.Tiles)
	}
	shards, err := l.Shards(value.Rows, value.Cols)
	if err != nil {
		return nil, &PathError{Path: path, Reason: strings.TrimPrefix(err.Error(), "model: "), Err: err}
	}
	if orOne(l.Slices) > orOne(l.Replicas) {
		return nil, pathErrorf(path+".slices", "%d replicas cannot hold %d slices", orOne(l.Replicas), l.Slices)
	}
	holder := make([]int, v.p.Problem.Tiles) // 1 + shard index on the tile
	for _, s := range shards {
		if s.Tile >= v.p.Problem.Tiles {
			return nil, pathErrorf(path+".map", "shard %d lies on tile %d, want less than %d", s.Index, s.Tile, v.p.Problem.Tiles)
		}
		if h := holder[s.Tile]; h != 0 && h != s.Index+1 {
			return nil, pathErrorf(path+".map", "shards %d and %d both lie on tile %d", h-1, s.Index, s.Tile)
		}
		holder[s.Tile] = s.Index + 1
		// Padding must lie behind the value, or the padding of one shard would
		// have the coordinates of another one's elements.
		if s.Rows.Physical > s.Rows.Logical && s.Rows.Logical < value.Rows || s.Cols.Physical > s.Cols.Logical && s.Cols.Logical < value.Cols {
			return nil, pathErrorf(path, "shard %d is padded inside the value (rows %+v, columns %+v)", s.Index, s.Rows, s.Cols)
		}
	}
	return shards, nil
}

// storedOnce tells whether every element of the value lies on one tile only.
func (l *Layout) storedOnce() bool { return orOne(l.Replicas) == orOne(l.Slices) }

// roles checks what the host loads and reads against graph and problem.
func (v *planValidator) roles() error {
	problem := &v.p.Problem
	outputs := map[string]int{}
	for i := range v.p.Values {
		value, path := &v.p.Values[i], fmt.Sprintf("values[%d]", i)
		g, _ := problem.Graph.Value(value.Graph)
		switch value.Role {
		case "":
		case RoleInput, RoleWeight:
			if g.Role != value.Role {
				return pathErrorf(path+".role", "the host cannot load graph value %q as %s: its role is %q", g.Name, value.Role, g.Role)
			}
			if value.Role == RoleInput && problem.Inputs == InputsGathered && !value.Layout.storedOnce() {
				return pathErrorf(path+".layout", "gathered inputs lie on one tile each, found %d replicas in %d slices", orOne(value.Layout.Replicas), orOne(value.Layout.Slices))
			}
			if value.Role == RoleWeight && problem.Weights == WeightsOnce && !value.Layout.storedOnce() {
				return pathErrorf(path+".layout", "weights are stored once, found %d replicas in %d slices", orOne(value.Layout.Replicas), orOne(value.Layout.Slices))
			}
		case RoleOutput:
			if !slices.Contains(problem.Graph.Outputs, value.Graph) {
				return pathErrorf(path+".role", "graph value %q is not an output", value.Graph)
			}
			if j, twice := outputs[value.Graph]; twice {
				return pathErrorf(path+".role", "output %q is already values[%d]", value.Graph, j)
			}
			outputs[value.Graph] = i
			l := &value.Layout
			if problem.Outputs == OutputsLinear && (l.Order.Kind != RowMajor || len(l.Axes) != 1 || l.Axes[0].Axis != Linear) {
				return pathErrorf(path+".layout", "linear outputs are row-major with one linear axis, found %v", l)
			}
		default:
			return pathErrorf(path+".role", `want "input", "weight", "output" or none, found %q`, value.Role)
		}
	}
	for _, name := range problem.Graph.Outputs {
		if _, ok := outputs[name]; !ok {
			return pathErrorf("values", "no value has role output for graph output %q", name)
		}
	}
	return nil
}

// Limits of the costs in a file, so that sums stay within 63 bits.
const (
	maxTerms      = 64
	maxTermCycles = 1 << 40
)

func (v *planValidator) steps() error {
	v.made, v.lastUse = make([]int, len(v.p.Values)), make([]int, len(v.p.Values))
	for i, value := range v.p.Values {
		v.made[i], v.lastUse[i] = -2, -1
		if value.Role == RoleInput || value.Role == RoleWeight {
			v.made[i] = -1
		}
	}
	done := make([]int, len(v.p.Problem.Graph.Ops)) // 1 + computing step
	for i := range v.p.Steps {
		path := fmt.Sprintf("steps[%d]", i)
		if err := v.step(i, path); err != nil {
			return err
		}
		s := &v.p.Steps[i]
		op, ok := v.ops[s.Op]
		if !ok {
			return pathErrorf(path+".op", "the graph has no operation %q", s.Op)
		}
		if s.InPlace && s.Kind != StepMove {
			return pathErrorf(path+".inPlace", "only a move gathers slices in place")
		}
		if s.Kind == StepMove || s.Kind == StepTranspose {
			if err := v.rearranges(s, path); err != nil {
				return err
			}
			continue
		}
		if done[op] != 0 {
			return pathErrorf(path+".op", "operation %q is already computed by steps[%d]", s.Op, done[op]-1)
		}
		done[op] = i + 1
		if err := v.compute(s, &v.p.Problem.Graph.Ops[op], path); err != nil {
			return err
		}
	}
	for i, d := range done {
		if d == 0 {
			return pathErrorf("steps", "no step computes operation %q", v.p.Problem.Graph.Ops[i].Name)
		}
	}
	for i, value := range v.p.Values {
		switch path := fmt.Sprintf("values[%d]", i); {
		case v.made[i] == -2:
			return pathErrorf(path, "no step produces value %q and the host does not load it", value.Name)
		case v.lastUse[i] < 0 && value.Role != RoleOutput:
			return pathErrorf(path, "value %q is never used", value.Name)
		}
	}
	return nil
}

// step checks indices, SSA order and the cost of one step.
func (v *planValidator) step(i int, path string) error {
	s := &v.p.Steps[i]
	want := map[StepKind]int{StepMove: 1, StepGemm: 2, StepGelu: 1, StepTranspose: 1}[s.Kind]
	if want == 0 {
		return pathErrorf(path+".kind", "want %q, %q, %q or %q, found %q", StepMove, StepGemm, StepGelu, StepTranspose, s.Kind)
	}
	if len(s.In) != want {
		return pathErrorf(path+".in", "%s wants %d inputs, found %d", s.Kind, want, len(s.In))
	}
	for j, in := range s.In {
		at := fmt.Sprintf("%s.in[%d]", path, j)
		if in < 0 || in >= len(v.p.Values) {
			return pathErrorf(at, "want an index of values below %d, found %d", len(v.p.Values), in)
		}
		if v.made[in] == -2 {
			return pathErrorf(at, "value %q is used before it is produced", v.p.Values[in].Name)
		}
		v.lastUse[in] = i
	}
	if s.Out < 0 || s.Out >= len(v.p.Values) {
		return pathErrorf(path+".out", "want an index of values below %d, found %d", len(v.p.Values), s.Out)
	}
	if v.made[s.Out] != -2 {
		return pathErrorf(path+".out", "value %q is produced twice", v.p.Values[s.Out].Name)
	}
	v.made[s.Out] = i
	if len(s.Cost) > maxTerms {
		return pathErrorf(path+".cost", "want at most %d terms, found %d", maxTerms, len(s.Cost))
	}
	for j, t := range s.Cost {
		if t.Cycles < 0 || t.Cycles > maxTermCycles {
			return pathErrorf(fmt.Sprintf("%s.cost[%d].cycles", path, j), "want 0 to %d, found %d", int64(maxTermCycles), t.Cycles)
		}
	}
	return nil
}

// rearranges checks a step that keeps the value and changes its layout.
func (v *planValidator) rearranges(s *Step, path string) error {
	in, out := v.p.Values[s.In[0]], v.p.Values[s.Out]
	if in.Graph != out.Graph {
		return pathErrorf(path, "a %s keeps the graph value, found %q to %q", s.Kind, in.Graph, out.Graph)
	}
	if s.Gemm != nil {
		return pathErrorf(path+".gemm", "a %s has no GEMM recipe", s.Kind)
	}
	if s.Kind == StepTranspose {
		return v.transpose(s, path)
	}
	if s.InPlace && (orOne(in.Layout.Slices) == 1 || s.Phase == NoPhase) {
		return pathErrorf(path+".inPlace", "want an exchange of a value in slices, found %d slices in phase %d", orOne(in.Layout.Slices), s.Phase)
	}
	if a, b := in.Layout.Order.Kind, out.Layout.Order.Kind; v.p.Problem.Profile == ProfileC600 && a.DownColumns() != b.DownColumns() {
		return pathErrorf(path, "a move copies neighbours in runs, but %v and %v store neighbours of different axes", a, b)
	}
	return nil
}

// transpose checks that a step turns the panels of whole shards where they lie.
func (v *planValidator) transpose(s *Step, path string) error {
	in, out := &v.p.Values[s.In[0]].Layout, &v.p.Values[s.Out].Layout
	switch {
	case s.Phase != NoPhase:
		return pathErrorf(path+".phase", "a transpose has no exchange, want %d, found %d", NoPhase, s.Phase)
	case v.p.Problem.Profile == ProfileSeed:
		return pathErrorf(path+".kind", "profile %s has no price for a transpose", ProfileSeed)
	case in.Order.Kind != TransposedLeft || out.Order != Order{Kind: TransposedBlockMajor} || out.Class != Interleaved:
		return pathErrorf(path, "a transpose turns %v into %v in %v memory, found %v to %v", TransposedLeft, TransposedBlockMajor, Interleaved, in, out)
	case !slices.Equal(v.shards[s.In[0]], v.shards[s.Out]):
		return pathErrorf(path, "a transpose keeps the shards, found %v to %v", in, out)
	}
	// Both orders fit the shards, so they are 16×16 panels; slices may cut them.
	for _, shard := range v.shards[s.In[0]] {
		if !shard.Whole() {
			return pathErrorf(path, "want whole shards, shard %d is elements %d to %d of %d×%d", shard.Index, shard.First, shard.End, shard.Rows.Stored(), shard.Cols.Stored())
		}
	}
	return nil
}

// compute checks a step that computes a graph operation.
func (v *planValidator) compute(s *Step, op *Op, path string) error {
	kind := map[StepKind]string{StepGemm: OpGemm, StepGelu: OpGelu}[s.Kind]
	if op.Kind != kind {
		return pathErrorf(path+".op", "a %s step cannot compute the %s %q", s.Kind, op.Kind, op.Name)
	}
	for j, in := range s.In {
		if found := v.p.Values[in].Graph; found != op.Inputs[j] {
			return pathErrorf(fmt.Sprintf("%s.in[%d]", path, j), "operation %q reads %q, found %q", op.Name, op.Inputs[j], found)
		}
	}
	if found := v.p.Values[s.Out].Graph; found != op.Output {
		return pathErrorf(path+".out", "operation %q produces %q, found %q", op.Name, op.Output, found)
	}
	if s.Kind == StepGelu {
		in, out := &v.p.Values[s.In[0]].Layout, &v.p.Values[s.Out].Layout
		switch {
		case s.Gemm != nil:
			return pathErrorf(path+".gemm", "a gelu has no GEMM recipe")
		case s.Phase != NoPhase:
			return pathErrorf(path+".phase", "a gelu has no exchange, want %d, found %d", NoPhase, s.Phase)
		case in.Order != out.Order || in.Class != out.Class || !slices.Equal(v.shards[s.In[0]], v.shards[s.Out]):
			return pathErrorf(path, "a gelu keeps the layout, found %v to %v", in, out)
		}
		return nil
	}
	return v.gemm(s, path)
}

// phases checks that phases count up in program order and that only
// neighbouring, independent moves share one.
func (v *planValidator) phases() error {
	next := 0
	for i := range v.p.Steps {
		s, path := &v.p.Steps[i], fmt.Sprintf("steps[%d].phase", i)
		switch {
		case s.Phase == NoPhase:
			continue
		case s.Phase == next:
			next++
			continue
		case s.Phase != next-1 || s.Phase < 0:
			return pathErrorf(path, "want phase %d or none, found %d", next, s.Phase)
		}
		if s.Kind != StepMove || v.p.Steps[i-1].Kind != StepMove || v.p.Steps[i-1].Phase != s.Phase {
			return pathErrorf(path, "only moves that follow each other may share phase %d", s.Phase)
		}
		if m := v.made[s.In[0]]; m >= 0 && v.p.Steps[m].Phase == s.Phase {
			return pathErrorf(path, "the move reads what steps[%d] brings in the same phase", m)
		}
	}
	return nil
}
