package heuristic

import (
	"errors"
	"fmt"
	"slices"

	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
)

// BeamWidth is the number of states that survive an operation.
const BeamWidth = 64

// Line is what the beam reports of one operation (reference: planspace.md §9.3).
type Line struct {
	Op         string `json:"op"`
	Evaluated  int    `json:"evaluated"`
	Expanded   int    `json:"expanded"`
	Dominated  int    `json:"dominated"`
	Equivalent int    `json:"equivalent"`
	Diversity  int    `json:"diversity"`
	Retained   int    `json:"retained"`
	Best       int64  `json:"best"`
	Sets       int    `json:"sets"`
	Hits       int    `json:"hits"`
	Rejected   int    `json:"rejected"`   // for memory
	Impossible int    `json:"impossible"` // of them, by a conversion that no strategy does
}

// beam is a search in progress.
type beam struct {
	problem  *model.Problem
	graph    *model.Graph
	tiles    int
	counts   []int
	values   map[string]int
	rows     []int // of graph values
	cols     []int
	lastUse  []int // operation that last reads a graph value; len(Ops) for outputs
	uses     []int
	deadEnds bool // B0: generate plans whose results nothing can read
	lowered  bool // generate only plans that can be lowered

	formats []prepared
	ids     map[string]int32
	convert map[[3]int32]*conversion
	lists   map[string][]plan
	lines   []Line
	scratch state
}

// prepared is an interned format.
type prepared struct {
	space.SeedFormat
	layouts map[int]*cost.SeedLayout // by graph value
}

type conversion struct {
	cycles, rows int64
	possible     bool
	cost         model.Cost
}

// plan is one way to run an operation.
type plan struct {
	gemm    *space.SeedGemm
	figures space.SeedGemmFigures
	cycles  int64
	in      []int32 // formats of the operands
	out     int32
	sliced  int // operand that may be sliced, or -1
}

func (b *beam) intern(f space.SeedFormat) int32 {
	key := f.Key()
	id, ok := b.ids[key]
	if !ok {
		id = int32(len(b.formats))
		b.ids[key] = id
		b.formats = append(b.formats, prepared{SeedFormat: f, layouts: map[int]*cost.SeedLayout{}})
	}
	return id
}

func newBeam(p *model.Problem, deadEnds, lowered bool) *beam {
	g := &p.Graph
	b := &beam{problem: p, graph: g, tiles: p.Tiles, counts: space.SeedCounts(g, p.Tiles), values: map[string]int{}, deadEnds: deadEnds, lowered: lowered,
		ids: map[string]int32{}, convert: map[[3]int32]*conversion{}, lists: map[string][]plan{}}
	for i, v := range g.Values {
		b.values[v.Name] = i
		b.rows, b.cols = append(b.rows, v.Rows()), append(b.cols, v.Cols())
	}
	b.lastUse, b.uses = make([]int, len(g.Values)), make([]int, len(g.Values))
	for i, op := range g.Ops {
		for _, in := range op.Inputs {
			b.lastUse[b.values[in]] = i
			b.uses[b.values[in]]++
		}
	}
	for _, out := range g.Outputs {
		b.lastUse[b.values[out]] = len(g.Ops)
	}
	return b
}

// start is the state before the first operation: graph inputs in a provisional
// layout, which their first reader replaces.
func (b *beam) start() *state {
	s := &state{at: make([]int16, len(b.graph.Values)), automatic: make([]bool, len(b.graph.Values))}
	for i, v := range b.graph.Values {
		s.at[i] = -1
		if v.Role == "" {
			continue
		}
		f := space.SeedProvisional(b.rows[i], b.tiles)
		s.at[i], s.automatic[i] = int16(len(s.values)), true
		s.values = append(s.values, stored{format: b.intern(f), bytes: f.Bytes(b.rows[i], b.cols[i]), first: -1, last: -1})
	}
	return s
}

// distributed tells whether a result cut into more parts than computed is useful.
func (b *beam) distributed(value int) bool {
	if b.lastUse[value] == len(b.graph.Ops) {
		return true
	}
	if b.uses[value] != 1 {
		return false
	}
	return b.graph.Ops[b.lastUse[value]].Kind == model.OpGelu
}

// plans lists the plans of an operation for a state.
func (b *beam) plans(i int, s *state, line *Line) ([]plan, error) {
	op := &b.graph.Ops[i]
	in := b.values[op.Inputs[0]]
	key := fmt.Sprint(op.Kind, b.rows[in], b.cols[in])
	if op.Kind == model.OpGemm {
		w := b.values[op.Inputs[1]]
		key += fmt.Sprint(b.cols[w], b.graph.Values[in].Role, b.graph.Values[w].Role, b.distributed(b.values[op.Output]))
	} else {
		key += fmt.Sprint(s.values[s.at[in]].format)
	}
	list, ok := b.lists[key]
	if ok {
		line.Hits++
		return list, nil
	}
	line.Sets++
	if op.Kind == model.OpGemm {
		list = b.gemmPlans(op)
	} else {
		f := &b.formats[s.values[s.at[in]].format].SeedFormat
		for _, f := range space.SeedPointwise(f, b.rows[in], b.cols[in], b.counts) {
			id := b.intern(f)
			list = append(list, plan{cycles: cost.SeedGelu(f.Elements(b.rows[in], b.cols[in])), in: []int32{id}, out: id, sliced: -1})
		}
	}
	b.lists[key] = list
	return list, nil
}

func (b *beam) gemmPlans(op *model.Op) (list []plan) {
	a, w := b.values[op.Inputs[0]], b.values[op.Inputs[1]]
	y := b.values[op.Output]
	shape := space.SeedShape{Rows: b.rows[a], Inner: b.cols[a], Cols: b.cols[w], Batch: 1}
	swapped := shape.Swapped()
	for _, g := range shape.Candidates(b.counts, b.tiles, b.graph.Values[w].Role == model.RoleWeight, b.distributed(y)).List {
		if b.lowered && !g.Writable() {
			continue
		}
		side, slice := shape, 0
		if g.Swapped {
			side, slice = swapped, 1
			if !b.deadEnds && b.lastUse[y] < len(b.graph.Ops) {
				continue
			}
		}
		f := side.Figures(&g)
		list = append(list, plan{gemm: &g, figures: f, cycles: f.Cost.Total(), in: []int32{b.intern(g.OperandA()), b.intern(g.OperandB())},
			out: b.intern(g.ResultFormat()), sliced: slice})
	}
	return list
}

// conversion prices a change of layout of a graph value; formats have the same
// precision.
func (b *beam) conversion(value int, from, to int32) (*conversion, error) {
	key := [3]int32{int32(value), from, to}
	if c, ok := b.convert[key]; ok {
		return c, nil
	}
	var sides [2]*cost.SeedLayout
	for i, id := range []int32{from, to} {
		f := &b.formats[id]
		l, ok := f.layouts[value]
		if !ok {
			var err error
			if l, err = cost.NewSeedLayout(&f.Layout, b.rows[value], b.cols[value]); err != nil {
				return nil, err
			}
			f.layouts[value] = l
		}
		sides[i] = l
	}
	c := &conversion{}
	priced, err := cost.SeedConvert(sides[0], sides[1], b.formats[from].ElementBytes(), b.tiles)
	switch {
	case errors.Is(err, cost.ErrImpossible):
	case err != nil:
		return nil, err
	default:
		*c = conversion{priced.Cost.Total(), priced.RowBytes(), true, priced.Cost}
	}
	b.convert[key] = c
	return c, nil
}

// errImpossible is a branch with a conversion that no strategy does.
var errImpossible = errors.New("impossible")

// apply extends a state by an operation. The result is scratch space of the
// beam until keep copies it.
func (b *beam) apply(i int, s *state, p *plan, index int, sliced bool) (*state, error) {
	op := &b.graph.Ops[i]
	next := &b.scratch
	*next = state{parent: s, choice: choice{plan: index, gemm: p.gemm, sliced: sliced, format: p.out}, score: s.score,
		at: append(next.at[:0], s.at...), automatic: append(next.automatic[:0], s.automatic...),
		values: append(next.values[:0], s.values...), program: append(next.program[:0], s.program...)}
	var moved int64 // cycles of conversions that run slice by slice
	for k, name := range op.Inputs {
		value := b.values[name]
		if err := b.bring(next, value, p.in[k], sliced && p.sliced == k, &moved); err != nil {
			return nil, err
		}
	}
	at := int16(len(next.program))
	e := emitted{rows: p.figures.RowBytes, temporary: p.figures.Temporary}
	if sliced {
		e.temporary, e.slices = p.figures.SlicedTemporary, p.figures.Slices.Standard
	}
	next.program = append(next.program, e)
	next.score += p.cycles + moved
	for k, name := range op.Inputs {
		v := &next.values[next.at[b.values[name]]]
		v.last = at
		if p.gemm != nil && k == p.sliced {
			v.tail, v.distinct = max(v.tail, p.gemm.LeftTail()), true
		}
	}
	out := b.values[op.Output]
	f := &b.formats[p.out]
	next.at[out] = int16(len(next.values))
	next.values = append(next.values, stored{format: p.out, bytes: f.Bytes(b.rows[out], b.cols[out]), distinct: p.gemm != nil, first: at, last: at})
	// What later operations read stays.
	for v := range next.at {
		if next.at[v] >= 0 && b.lastUse[v] > i {
			next.values[next.at[v]].last = at
		}
	}
	b.measure(next)
	return next, nil
}

// keep copies a state out of scratch space.
func (s *state) keep() *state {
	kept := *s
	kept.at, kept.automatic = slices.Clone(s.at), slices.Clone(s.automatic)
	kept.values, kept.program = slices.Clone(s.values), slices.Clone(s.program)
	return &kept
}

// bring makes a graph value available in a format.
func (b *beam) bring(s *state, value int, want int32, sliced bool, moved *int64) error {
	v := &s.values[s.at[value]]
	target := &b.formats[want].SeedFormat
	if s.automatic[value] {
		s.automatic[value] = false
		f := *target
		f.F32 = false
		v.format, v.bytes = b.intern(f), f.Bytes(b.rows[value], b.cols[value])
	}
	add := func(format int32, cycles, rows int64, sliced bool) {
		at := int16(len(s.program))
		s.values[s.at[value]].last = at
		if sliced {
			*moved += cycles
		} else {
			s.score += cycles
		}
		s.program = append(s.program, emitted{rows: rows})
		f := &b.formats[format]
		s.at[value] = int16(len(s.values))
		s.values = append(s.values, stored{format: format, bytes: f.Bytes(b.rows[value], b.cols[value]), first: at, last: at, alias: sliced})
	}
	if from := b.formats[v.format].SeedFormat; from.F32 != target.F32 {
		cast := from
		cast.F32 = target.F32
		r, c := b.rows[value], b.cols[value]
		add(b.intern(cast), cost.SeedCast(from.Bytes(r, c), cast.Bytes(r, c)), 0, false)
	}
	if now := s.values[s.at[value]].format; now != want {
		c, err := b.conversion(value, now, want)
		if err != nil {
			return err
		}
		if !c.possible {
			return errImpossible
		}
		add(want, c.cycles, c.rows, sliced)
	}
	return nil
}
