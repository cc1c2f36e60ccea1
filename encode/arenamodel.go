package encode

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"ipusolve/solve"
)

// ArenaModel is an arena as an integer program, for other solvers. Its objective
// has the levels of the arena, weighed so that no lower one outdoes a higher one:
//
//	minimise EqualFactor·(Equal not kept) + OverlapFactor·(soft Apart broken) + HeightFactor·height
//
//	address = step·k, in one of its ranges             at/ID, in/ID~N
//	items alive together, below or above               before/A,B and behind/A,B
//	parts without a common bank: the border of a bank  apart/N, up/N and down/N
//	between them, or touch/N
//	equal addresses, if the 0-1 variable is 1          equal/N, most/N
//	height ≥ address + Size                            top/ID
//
// Items inside others have the address of the outermost one, moved.
type ArenaModel struct {
	Model *solve.Model
	// HeightFactor is 0 when the objective has no room for the last level.
	EqualFactor, OverlapFactor, HeightFactor int64

	a  *Arena
	at []arenaAddress // by item
}

// arenaAddress is Coef·variable + Offset.
type arenaAddress struct {
	variable     int
	coef, offset int64
	low, high    int64 // least and greatest address
}

// term is factor times the address, without its offset.
func (x *arenaAddress) term(factor int64) solve.Term {
	return solve.Term{Var: x.variable, Coef: factor * x.coef}
}

// arenaModeler builds an ArenaModel.
type arenaModeler struct {
	*ArenaModel
	b *solve.Builder
}

// NewArenaModel writes a as a model; an arena without a placement gives an
// infeasible one. Errors wrap ErrPacking or solve.ErrModel.
func NewArenaModel(a *Arena) (*ArenaModel, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	for i := range a.Items {
		if a.Items[i].Split != nil {
			return nil, fmt.Errorf("encode: %w: %s: item %q may be cut, which the model does not say", ErrPacking, a.Name, a.Items[i].ID)
		}
	}
	m := &arenaModeler{&ArenaModel{a: a, at: make([]arenaAddress, len(a.Items))}, solve.NewBuilder(a.Name)}
	m.factors()
	for i := range a.Items {
		if a.Items[i].Inside == nil {
			m.address(i)
		}
	}
	for i := range a.Items {
		m.part(i)
	}
	if err := m.disjoint(); err != nil {
		return nil, err
	}
	for n := range a.Apart {
		m.apart(n)
	}
	for n := range a.Equal {
		m.equal(n)
	}
	if a.Border != nil {
		m.border()
	}
	m.height()
	var err error
	if m.Model, err = m.b.Build(); err != nil {
		return nil, fmt.Errorf("encode: %s: %w", a.Name, err)
	}
	return m.ArenaModel, nil
}

// top is the end of the highest range.
func (m *arenaModeler) top() int64 {
	var top int64
	for _, c := range m.a.Classes {
		for _, r := range c.Ranges {
			top = max(top, r.End)
		}
	}
	return top
}

// factors weighs the levels; where that is too much for a model, the height is
// left out.
func (m *arenaModeler) factors() {
	var overlap, equal int64
	for _, x := range m.a.Apart {
		overlap += x.Weight
	}
	for _, x := range m.a.Equal {
		equal += x.Weight
	}
	m.HeightFactor, m.OverlapFactor = 1, m.top()+1
	m.EqualFactor = product(m.OverlapFactor, overlap+1)
	if product(m.EqualFactor, equal+1) > solve.MaxMagnitude {
		m.HeightFactor, m.OverlapFactor, m.EqualFactor = 0, 1, overlap+1
	}
}

// product is a·b, or more than any model takes.
func product(a, b int64) int64 {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo <= solve.MaxMagnitude {
		return int64(lo)
	}
	return solve.MaxMagnitude + 1
}

// starts lists the addresses that ranges, forbidden addresses and alignment leave
// to the outermost item i and its parts, as ranges of k = address/step.
func (m *arenaModeler) starts(i int, step int64) []Interval {
	allowed := []Interval{{0, maxPackCapacity}} // of the address, End included
	for j := range m.a.Items {
		if m.a.root(j) != i {
			continue
		}
		it, off := &m.a.Items[j], m.offset(j)
		var own []Interval
		for _, r := range m.a.Classes[it.Class].Ranges {
			own = append(own, Interval{r.Start - off, r.End - it.Size - off})
		}
		allowed = intersect(allowed, own)
		for _, f := range it.Forbidden {
			if f.Start < f.End {
				allowed = intersect(allowed, []Interval{{0, f.Start - it.Size - off}, {f.End - off, maxPackCapacity}})
			}
		}
	}
	var out []Interval
	for _, r := range allowed {
		if k := (Interval{(r.Start + step - 1) / step, r.End / step}); k.Start <= k.End {
			if n := len(out) - 1; n >= 0 && out[n].End+1 >= k.Start {
				out[n].End = max(out[n].End, k.End)
				continue
			}
			out = append(out, k)
		}
	}
	return out
}

// intersect is what two lists of ascending closed ranges have in common.
func intersect(a, b []Interval) []Interval {
	var out []Interval
	for _, x := range a {
		for _, y := range b {
			if r := (Interval{max(x.Start, y.Start), min(x.End, y.End)}); r.Start <= r.End {
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(x, y Interval) int { return cmp.Compare(x.Start, y.Start) })
	return out
}

// offset is where item i lies in its outermost item.
func (m *arenaModeler) offset(i int) int64 {
	var off int64
	for m.a.Items[i].Inside != nil {
		off += m.a.Items[i].Inside.Offset
		i = m.a.Items[i].Inside.Host
	}
	return off
}

// address makes the variable of an outermost item.
func (m *arenaModeler) address(i int) {
	it := &m.a.Items[i]
	step := max(it.Align, 1)
	misplaced := false
	for j := range m.a.Items {
		if m.a.root(j) == i {
			step = max(step, m.a.Items[j].Align)
		}
	}
	for j := range m.a.Items {
		if a := m.a.Items[j].Align; m.a.root(j) == i && a > 1 && m.offset(j)%a != 0 {
			step, misplaced = max(it.Align, 1), true
		}
	}
	ranges := m.starts(i, step)
	if len(ranges) == 0 || misplaced {
		m.b.Row("place/"+it.ID, solve.GE, 1)
		ranges = append(ranges, Interval{})[:1]
	}
	low, high := ranges[0].Start, ranges[len(ranges)-1].End
	k := m.b.Integer("at/"+it.ID, low, high, 0)
	m.at[i] = arenaAddress{k, step, 0, low * step, high * step}
	if len(ranges) == 1 {
		return
	}
	one := make([]solve.Term, 0, len(ranges))
	from, to := []solve.Term{{Var: k, Coef: 1}}, []solve.Term{{Var: k, Coef: 1}}
	for n, r := range ranges {
		in := m.b.Binary(fmt.Sprintf("in/%s~%d", it.ID, n), 0)
		one = append(one, solve.Term{Var: in, Coef: 1})
		from, to = append(from, solve.Term{Var: in, Coef: -r.Start}), append(to, solve.Term{Var: in, Coef: -r.End})
	}
	m.b.Row("in/"+it.ID, solve.EQ, 1, one...)
	m.b.Row("from/"+it.ID, solve.GE, 0, from...)
	m.b.Row("to/"+it.ID, solve.LE, 0, to...)
}

// part gives an item inside others its address.
func (m *arenaModeler) part(i int) {
	if m.a.Items[i].Inside != nil {
		x, off := m.at[m.a.root(i)], m.offset(i)
		x.offset, x.low, x.high = off, x.low+off, x.high+off
		m.at[i] = x
	}
}

// disjoint orders the items that are alive together.
func (m *arenaModeler) disjoint() error {
	var gaps []Gap // of the addresses of outermost items
	for i := range m.a.Items {
		for j := range i {
			if !m.a.alive(i, j) || m.inside(i, j) || m.inside(j, i) {
				continue
			}
			x, y := &m.at[j], &m.at[i]
			g := Gap{m.a.root(j), m.a.root(i), x.offset - y.offset - m.a.Items[i].Size, x.offset - y.offset + m.a.Items[j].Size}
			if g.A == g.B {
				if g.Low < 0 && 0 < g.High {
					m.b.Row(fmt.Sprintf("within/%s,%s", m.a.Items[j].ID, m.a.Items[i].ID), solve.GE, 1)
				}
				continue
			}
			gaps = append(gaps, g)
		}
	}
	gaps, err := joined(gaps)
	if err != nil {
		return fmt.Errorf("%w: %s", err, m.a.Name)
	}
	seen := map[[2]int]int{}
	for _, g := range gaps {
		x, y := &m.at[g.A], &m.at[g.B]
		name := m.a.Items[g.A].ID + "," + m.a.Items[g.B].ID
		pair := [2]int{g.A, g.B}
		if seen[pair]++; seen[pair] > 1 {
			name = fmt.Sprintf("%s~%d", name, seen[pair])
		}
		least, most := y.low-x.high, y.high-x.low
		before := m.b.Binary("before/"+name, 0)
		m.b.Row("before/"+name, solve.GE, min(least, g.High), y.term(1), x.term(-1), solve.Term{Var: before, Coef: min(least-g.High, 0)})
		m.b.Row("behind/"+name, solve.LE, g.Low, y.term(1), x.term(-1), solve.Term{Var: before, Coef: min(g.Low-most, 0)})
	}
	return nil
}

// inside tells whether item i is a part of j, or of a part of it.
func (m *arenaModeler) inside(i, j int) bool {
	for m.a.Items[i].Inside != nil {
		if i = m.a.Items[i].Inside.Host; i == j {
			return true
		}
	}
	return false
}

// apart puts the border of a bank between two parts.
func (m *arenaModeler) apart(n int) {
	x := &m.a.Apart[n]
	if !m.a.alive(x.A.Item, x.B.Item) {
		return
	}
	var one []solve.Term
	between := func(kind string, below, above Part) {
		p, q := &m.at[below.Item], &m.at[above.Item]
		// end of below ≤ Σ border·choice + highest end·(1 − Σ choice), and alike.
		end, start := p.high+below.End, q.low+above.Start
		last, first := []solve.Term{p.term(1)}, []solve.Term{q.term(1)}
		for k, bank := range m.a.Banks {
			if p.low+below.End > bank || q.high+above.Start < bank {
				continue
			}
			choice := m.b.Binary(fmt.Sprintf("%s/%d~%d", kind, n, k), 0)
			one = append(one, solve.Term{Var: choice, Coef: 1})
			last = append(last, solve.Term{Var: choice, Coef: max(end-bank, 0)})
			first = append(first, solve.Term{Var: choice, Coef: min(start-bank, 0)})
		}
		if len(last) > 1 {
			m.b.Row(fmt.Sprintf("%s/%d", kind, n), solve.LE, p.high-p.offset, last...)
			m.b.Row(fmt.Sprintf("%s/%d~from", kind, n), solve.GE, q.low-q.offset, first...)
		}
	}
	between("up", x.A, x.B)
	between("down", x.B, x.A)
	if x.Weight > 0 {
		touch := m.b.Binary(fmt.Sprintf("touch/%d", n), m.OverlapFactor*x.Weight)
		one = append(one, solve.Term{Var: touch, Coef: 1})
	}
	m.b.Row(fmt.Sprintf("apart/%d", n), solve.EQ, 1, one...)
}

// equal couples two addresses by a 0-1 variable.
func (m *arenaModeler) equal(n int) {
	e := &m.a.Equal[n]
	x, y := &m.at[e.A], &m.at[e.B]
	m.b.Constant(m.EqualFactor * e.Weight)
	same := m.b.Binary(fmt.Sprintf("equal/%d", n), -m.EqualFactor*e.Weight)
	shift := x.offset - y.offset // y − x without offsets, if equal
	if x.variable == y.variable {
		if shift != 0 {
			m.b.Row(fmt.Sprintf("equal/%d", n), solve.LE, 0, solve.Term{Var: same, Coef: 1})
		}
		return
	}
	least, most := y.low-y.offset-(x.high-x.offset), y.high-y.offset-(x.low-x.offset)
	least, most = min(least, shift), max(most, shift)
	m.b.Row(fmt.Sprintf("equal/%d", n), solve.GE, least, y.term(1), x.term(-1), solve.Term{Var: same, Coef: least - shift})
	m.b.Row(fmt.Sprintf("most/%d", n), solve.LE, most, y.term(1), x.term(-1), solve.Term{Var: same, Coef: most - shift})
}

// border chooses the address between two classes.
func (m *arenaModeler) border() {
	b := m.a.Border
	last := b.At[len(b.At)-1]
	var one, at []solve.Term
	for k, x := range b.At {
		choice := m.b.Binary(fmt.Sprintf("border~%d", k), 0)
		one = append(one, solve.Term{Var: choice, Coef: 1})
		at = append(at, solve.Term{Var: choice, Coef: -x})
	}
	m.b.Row("border", solve.EQ, 1, one...)
	for i := range m.a.Items {
		it, x := &m.a.Items[i], &m.at[i]
		with := func(terms ...solve.Term) []solve.Term { return append(terms, at...) }
		switch it.Class {
		case b.Below:
			m.b.Row("below/"+it.ID, solve.LE, -it.Size-x.offset, with(x.term(1))...)
		case b.Above:
			// Ends at From, or starts behind the border.
			low := m.b.Binary("low/"+it.ID, 0)
			m.b.Row("above/"+it.ID, solve.GE, -x.offset, with(x.term(1), solve.Term{Var: low, Coef: max(last-x.low, 0)})...)
			m.b.Row("low/"+it.ID, solve.LE, max(x.high, b.From-it.Size)-x.offset, x.term(1), solve.Term{Var: low, Coef: max(x.high-(b.From-it.Size), 0)})
		}
	}
}

func (m *arenaModeler) height() {
	if m.HeightFactor == 0 {
		return
	}
	height := m.b.Integer("height", 0, m.top(), m.HeightFactor)
	for i := range m.a.Items {
		x, it := &m.at[i], &m.a.Items[i]
		m.b.Row("top/"+it.ID, solve.GE, it.Size+x.offset, solve.Term{Var: height, Coef: 1}, x.term(-1))
	}
}

// Placement reads the addresses out of an assignment of the model.
func (m *ArenaModel) Placement(values []int64) Placement {
	at := make(Placement, len(m.at))
	for i, x := range m.at {
		at[i] = x.coef*values[x.variable] + x.offset
	}
	return at
}
