package space

import (
	"errors"
	"fmt"

	"ipusolve/model"
	"ipusolve/model/cost"
)

// SeedChoice is how family `seed` runs an operation: a GEMM's candidate, or the
// format in which GELU runs.
type SeedChoice struct {
	Gemm   *SeedGemm
	Sliced bool       // the streamed operand is pulled slice by slice
	Format SeedFormat // of the result
}

// SeedPath prices sequences of choices for the operations of a graph. Conversions
// are remembered; a SeedPath is not for concurrent use.
type SeedPath struct {
	graph   *model.Graph
	tiles   int
	values  map[string]int
	lastUse []int
	convert map[string]seedMoved
}

type seedMoved struct {
	cycles, rows int64
	err          error
}

// NewSeedPath prepares a graph on a number of tiles.
func NewSeedPath(g *model.Graph, tiles int) *SeedPath {
	p := &SeedPath{graph: g, tiles: tiles, values: map[string]int{}, lastUse: make([]int, len(g.Values)), convert: map[string]seedMoved{}}
	for i := range g.Values {
		p.values[g.Values[i].Name] = i
	}
	for i, op := range g.Ops {
		for _, in := range op.Inputs {
			p.lastUse[p.values[in]] = i
		}
	}
	for _, out := range g.Outputs {
		p.lastUse[p.values[out]] = len(g.Ops)
	}
	return p
}

// SeedConvert is the cycles and row bytes of bringing a rows×cols value from one
// format into another: a cast where precisions differ, then a rearrangement
// (reference: planspace.md §8.2). Errors wrap cost.ErrImpossible.
func SeedConvert(from, to *SeedFormat, rows, cols, tiles int) (cycles, rowBytes int64, err error) {
	now := *from
	if now.F32 != to.F32 {
		cast := now
		cast.F32 = to.F32
		cycles += cost.SeedCast(now.Bytes(rows, cols), cast.Bytes(rows, cols))
		now = cast
	}
	if now.Key() == to.Key() {
		return cycles, 0, nil
	}
	a, err := cost.NewSeedLayout(&now.Layout, rows, cols)
	if err != nil {
		return 0, 0, err
	}
	b, err := cost.NewSeedLayout(&to.Layout, rows, cols)
	if err != nil {
		return 0, 0, err
	}
	c, err := cost.SeedConvert(a, b, to.ElementBytes(), tiles)
	if err != nil {
		return 0, 0, err
	}
	return cycles + c.Cost.Total(), c.RowBytes(), nil
}

// seedStored is a value in one format and its life in emitted operations.
type seedStored struct {
	format      SeedFormat
	bytes, tail int64
	distinct    bool
	alias       bool
	automatic   bool
	first, last int
}

type seedEmitted struct {
	temporary    cost.SeedBytes
	slices, rows int64
}

// seedRun is a program being priced.
type seedRun struct {
	*SeedPath
	at      []int
	values  []seedStored
	program []seedEmitted
	cycles  int64
}

// Price is the cycles of a complete sequence of choices and the peak memory of a
// tile (reference: planspace.md §9.1, §10.2). Errors wrap cost.ErrImpossible where
// a conversion has no strategy.
func (p *SeedPath) Price(choices []SeedChoice) (int64, cost.SeedState, error) {
	if len(choices) != len(p.graph.Ops) {
		return 0, cost.SeedState{}, fmt.Errorf("space: %d choices for %d operations", len(choices), len(p.graph.Ops))
	}
	r := seedRun{SeedPath: p, at: make([]int, len(p.graph.Values))}
	for i := range p.graph.Values {
		v := &p.graph.Values[i]
		if r.at[i] = -1; v.Role != "" {
			r.at[i] = len(r.values)
			f := SeedProvisional(v.Rows(), p.tiles)
			r.values = append(r.values, seedStored{format: f, bytes: f.Bytes(v.Rows(), v.Cols()), automatic: true, first: -1, last: -1})
		}
	}
	for i := range choices {
		if err := r.apply(i, &choices[i]); err != nil {
			return 0, cost.SeedState{}, err
		}
	}
	return r.cycles, r.state(), nil
}

func (r *seedRun) apply(i int, c *SeedChoice) error {
	op := &r.graph.Ops[i]
	var wants []SeedFormat
	e := seedEmitted{}
	sliced := -1
	var cycles int64
	if c.Gemm == nil {
		wants = []SeedFormat{c.Format}
		v := &r.graph.Values[r.SeedPath.values[op.Output]]
		cycles = cost.SeedGelu(c.Format.Elements(v.Rows(), v.Cols()))
	} else {
		a, b := &r.graph.Values[r.SeedPath.values[op.Inputs[0]]], &r.graph.Values[r.SeedPath.values[op.Inputs[1]]]
		shape := SeedShape{Rows: a.Rows(), Inner: a.Cols(), Cols: b.Cols(), Batch: 1}
		sliced = 0
		if c.Gemm.Swapped {
			shape, sliced = shape.Swapped(), 1
		}
		f := shape.Figures(c.Gemm)
		wants = []SeedFormat{c.Gemm.OperandA(), c.Gemm.OperandB()}
		e = seedEmitted{temporary: f.Temporary, rows: f.RowBytes}
		if c.Sliced {
			e.temporary, e.slices = f.SlicedTemporary, f.Slices.Standard
		}
		cycles = f.Cost.Total()
	}
	for k, name := range op.Inputs {
		if err := r.bring(r.SeedPath.values[name], &wants[k], c.Sliced && k == sliced); err != nil {
			return err
		}
	}
	at := len(r.program)
	r.program = append(r.program, e)
	r.cycles += cycles
	for k, name := range op.Inputs {
		v := &r.values[r.at[r.SeedPath.values[name]]]
		v.last = at
		if k == sliced {
			v.tail, v.distinct = max(v.tail, c.Gemm.LeftTail()), true
		}
	}
	out := r.SeedPath.values[op.Output]
	v := &r.graph.Values[out]
	r.at[out] = len(r.values)
	r.values = append(r.values, seedStored{format: c.Format, bytes: c.Format.Bytes(v.Rows(), v.Cols()), distinct: c.Gemm != nil, first: at, last: at})
	for v := range r.at {
		if r.at[v] >= 0 && r.lastUse[v] > i {
			r.values[r.at[v]].last = at
		}
	}
	return nil
}

// bring makes a value available in a format; what nothing has read yet is in it
// from the start, but for its precision.
func (r *seedRun) bring(value int, want *SeedFormat, sliced bool) error {
	v := &r.values[r.at[value]]
	rows, cols := r.graph.Values[value].Rows(), r.graph.Values[value].Cols()
	if v.automatic {
		v.automatic, v.format = false, *want
		v.format.F32 = false
		v.bytes = v.format.Bytes(rows, cols)
	}
	move := func(to SeedFormat, alias bool) error {
		from := r.values[r.at[value]].format
		key := fmt.Sprint(value, " ", from.Key(), " ", to.Key())
		m, ok := r.convert[key]
		if !ok {
			m.cycles, m.rows, m.err = SeedConvert(&from, &to, rows, cols, r.tiles)
			r.convert[key] = m
		}
		if m.err != nil {
			return m.err
		}
		at := len(r.program)
		r.values[r.at[value]].last = at
		r.cycles += m.cycles
		r.program = append(r.program, seedEmitted{rows: m.rows})
		r.at[value] = len(r.values)
		r.values = append(r.values, seedStored{format: to, bytes: to.Bytes(rows, cols), first: at, last: at, alias: alias})
		return nil
	}
	if v.format.F32 != want.F32 {
		cast := v.format
		cast.F32 = want.F32
		if err := move(cast, false); err != nil {
			return err
		}
	}
	if now := r.values[r.at[value]].format; now.Key() != want.Key() {
		return move(*want, sliced)
	}
	return nil
}

// state is the peak memory of the program.
func (r *seedRun) state() (m cost.SeedState) {
	size := make([]cost.SeedBytes, len(r.values))
	for i := range r.values {
		v := &r.values[i]
		if v.alias {
			continue
		}
		if size[i] = v.format.In(v.bytes + v.tail); v.distinct {
			size[i] = cost.SeedRounded(size[i])
		}
	}
	for i := range r.program {
		op := &r.program[i]
		at := op.temporary
		m.LargestStandard = max(m.LargestStandard, op.slices)
		for j := range r.values {
			if v := &r.values[j]; v.first <= i && i <= v.last {
				at = at.Add(size[j])
				m.LargestStandard = max(m.LargestStandard, size[j].Standard)
			}
		}
		m.Peak = m.Peak.Max(at)
		m.Total = max(m.Total, at.Total())
		m.RowBytes += op.rows
	}
	m.Peak.Standard += m.RowBytes
	m.Total += m.RowBytes
	return m
}

// Best is the way to slice streamed operands with which choices fit a tile, put
// into choices; false if there is none. More than 12 GEMMs are an error.
func (p *SeedPath) Best(choices []SeedChoice) (cycles int64, fits bool, err error) {
	var gemms []int
	for i := range choices {
		if choices[i].Gemm != nil {
			gemms = append(gemms, i)
		}
	}
	if len(gemms) > 12 {
		return 0, false, fmt.Errorf("space: family seed takes at most 12 GEMMs, not %d", len(gemms))
	}
	for mask := range 1 << len(gemms) {
		for k, i := range gemms {
			choices[i].Sliced = mask>>k&1 != 0
		}
		n, state, err := p.Price(choices)
		switch {
		case errors.Is(err, cost.ErrImpossible):
			return 0, false, nil
		case err != nil:
			return 0, false, err
		case state.Accept() == nil:
			return n, true, nil
		}
	}
	return 0, false, nil
}
