package presolve

import (
	"context"
	"math"
	"slices"

	"ipusolve/solve"
)

// looks bounds how often a row is looked at, on average: general integers can
// creep towards each other one by one.
const looks = 50

// propagator tightens a box until no row implies more.
type propagator struct {
	m      *solve.Model
	lo, hi []int64
	rowsOf [][]int32 // rows of a variable
	setsOf [][]int32 // exactly-one rows of a variable

	queue  []int // rows to look at, first in first out
	queued []bool
	passes int
	work   int64 // row entries touched
	limit  int64 // of work; 0 = none
	log    []Reduction

	empty         bool // the box, or what the rows leave of it
	contradiction *solve.Dual

	// Of the row in hand: the residual coefficients and the multiples of
	// exactly-one rows that were subtracted.
	residual []int64
	touched  []int
	inside   []bool
	rows     []int
	num      []int64
	seen     []bool  // exactly-one rows already used
	moved    float64 // see maxMoved
}

func newPropagator(m *solve.Model) *propagator {
	n, k := len(m.Vars), len(m.Rows)
	p := &propagator{m: m, lo: make([]int64, n), hi: make([]int64, n), rowsOf: make([][]int32, n), setsOf: make([][]int32, n),
		queued: make([]bool, k), seen: make([]bool, k), residual: make([]int64, n), inside: make([]bool, n)}
	for j := range m.Vars {
		p.lo[j], p.hi[j] = m.Vars[j].Lower, m.Vars[j].Upper
	}
	for i := range m.Rows {
		one := m.ExactlyOne(i)
		for _, t := range m.Rows[i].Terms {
			p.rowsOf[t.Var] = append(p.rowsOf[t.Var], int32(i))
			if one {
				p.setsOf[t.Var] = append(p.setsOf[t.Var], int32(i))
			}
		}
		p.push(i)
	}
	return p
}

func (p *propagator) push(i int) {
	if !p.queued[i] {
		p.queued[i] = true
		p.queue = append(p.queue, i)
	}
}

// pollRows is the number of rows between two looks at the context.
const pollRows = 256

// spent reports that the limit of work is reached.
func (p *propagator) spent() bool { return p.limit > 0 && p.work >= p.limit }

func (p *propagator) run(ctx context.Context) {
	limit := looks * (len(p.m.Rows) + 1)
	for head := 0; head < len(p.queue) && !p.empty && p.passes < limit && !p.spent(); head++ {
		if head%pollRows == 0 && ctx.Err() != nil {
			return
		}
		i := p.queue[head]
		p.queued[i] = false
		p.passes++
		if p.m.Rows[i].Sense != solve.GE {
			p.row(i, 1)
		}
		if p.m.Rows[i].Sense != solve.LE && !p.empty {
			p.row(i, -1)
		}
	}
}

// least computes the residual of sign·row i after exactly-one rows, and returns
// base = what those rows and the residual contribute at least. The sign turns ≥
// into ≤.
func (p *propagator) least(i int, sign int64) (base int64) {
	for _, j := range p.touched {
		p.residual[j], p.inside[j] = 0, false
	}
	for _, s := range p.rows {
		p.seen[s] = false
	}
	p.touched, p.rows, p.num, p.moved = p.touched[:0], p.rows[:0], p.num[:0], 0
	row := &p.m.Rows[i]
	for _, t := range row.Terms {
		p.touch(t.Var)
		p.residual[t.Var] = sign * t.Coef
	}
	if !p.m.ExactlyOne(i) {
		for _, t := range row.Terms {
			for _, s := range p.setsOf[t.Var] {
				base += p.subtract(int(s))
			}
		}
	}
	p.work += int64(len(p.touched))
	for _, j := range p.touched {
		base += min(p.residual[j]*p.lo[j], p.residual[j]*p.hi[j])
	}
	return base
}

// maxMoved bounds Σ |multiple|·(members + 1) over the subtracted rows, so that
// activities, at most solve.MaxActivity before, still fit.
const maxMoved = 1 << 61

// subtract takes the least residual among the members still possible of set s
// out of all its members: exactly one of them is 1.
func (p *propagator) subtract(s int) int64 {
	if p.seen[s] {
		return 0
	}
	terms := p.m.Rows[s].Terms
	least, any := int64(0), false
	for _, t := range terms {
		if p.hi[t.Var] > 1 {
			return 0 // before its own row was looked at
		}
		if p.hi[t.Var] > 0 && (!any || p.residual[t.Var] < least) {
			least, any = p.residual[t.Var], true
		}
	}
	move := math.Abs(float64(least)) * float64(len(terms)+1)
	p.work += int64(len(terms))
	if least == 0 || p.moved+move > maxMoved {
		return 0
	}
	p.moved += move
	p.seen[s] = true
	p.rows, p.num = append(p.rows, s), append(p.num, least)
	for _, t := range terms {
		p.touch(t.Var)
		p.residual[t.Var] -= least
	}
	return least
}

func (p *propagator) touch(j int) {
	if !p.inside[j] {
		p.inside[j] = true
		p.touched = append(p.touched, j)
	}
}

// row tightens by sign·row ≤ sign·RHS.
func (p *propagator) row(i int, sign int64) {
	slack := sign*p.m.Rows[i].RHS - p.least(i, sign)
	if slack < 0 {
		d := p.dual(i, sign)
		p.empty, p.contradiction = true, &d
		return
	}
	var changes []solve.BoundChange
	for _, j := range p.touched {
		r := p.residual[j]
		if r == 0 || p.lo[j] == p.hi[j] || !p.m.Vars[j].Kind.Integral() {
			continue
		}
		steps := slack / max(r, -r)
		if steps >= p.hi[j]-p.lo[j] {
			continue
		}
		if r > 0 {
			changes = append(changes, solve.BoundChange{Var: j, Upper: true, Bound: p.lo[j] + steps})
		} else {
			changes = append(changes, solve.BoundChange{Var: j, Bound: p.hi[j] - steps})
		}
	}
	if len(changes) == 0 {
		return
	}
	p.apply(Reduction{Kind: Tighten, Row: i, Dual: p.dual(i, sign), Bounds: changes})
}

// apply takes a step into the log and the box.
func (p *propagator) apply(step Reduction) {
	p.log = append(p.log, step)
	for _, c := range step.Bounds {
		if c.Upper {
			p.hi[c.Var] = min(p.hi[c.Var], c.Bound)
		} else {
			p.lo[c.Var] = max(p.lo[c.Var], c.Bound)
		}
		for _, k := range p.rowsOf[c.Var] {
			p.push(int(k))
		}
	}
}

// dual is the vector of the computation in hand: −sign on row i, and the
// subtracted multiples on the exactly-one rows. Its bound for the zero objective
// is the least activity minus the right-hand side.
func (p *propagator) dual(i int, sign int64) solve.Dual {
	type entry struct {
		row int
		num int64
	}
	list := []entry{{i, -sign}}
	for k, s := range p.rows {
		list = append(list, entry{s, p.num[k]})
	}
	slices.SortFunc(list, func(a, b entry) int { return a.row - b.row })
	d := solve.Dual{Den: 1}
	for _, e := range list {
		d.Rows, d.Num = append(d.Rows, e.row), append(d.Num, e.num)
	}
	return d
}

// beyond reports whether sign·row i can exceed sign·RHS in the box.
func (p *propagator) beyond(i int, sign int64) bool {
	return -p.least(i, -sign) > sign*p.m.Rows[i].RHS
}
