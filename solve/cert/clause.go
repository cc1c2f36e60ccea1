package cert

import (
	"math/big"

	"ipusolve/solve"
)

// clause checks a clause and keeps it as a row.
func (k *checker) clause(at int, f *solve.Tightening) error {
	if at != 0 {
		return invalid("node %d: a clause below the root", at)
	}
	row := solve.Row{Sense: solve.GE, RHS: 1}
	var lits []literal
	seen := map[int]bool{}
	for _, l := range f.Clause.Literals {
		j, value := l-1, int8(1)
		if l < 0 {
			j, value = -l-1, 0
		}
		if !k.integral(j) || seen[j] || k.m.Vars[j].Lower < 0 || k.m.Vars[j].Upper > 1 {
			return invalid("clause %d: literal %d", len(k.cuts), l)
		}
		seen[j] = true
		lits = append(lits, literal{int32(j), value})
		t := solve.Term{Var: j, Coef: 1}
		if value == 0 {
			t.Coef = -1
			row.RHS--
		}
		row.Terms = append(row.Terms, t)
	}
	if k.clauses == nil {
		k.clauses = newPropagation(k.m, k.lo, k.hi, k.c.Bound)
		if k.c.Bound != nil && (k.least == nil || k.c.Bound.Cmp(k.least) < 0) {
			k.least = k.c.Bound // what clauses exclude may cost that
		}
	}
	if !k.clauses.implies(lits) {
		return invalid("clause %d does not follow by propagation", len(k.cuts))
	}
	k.clauses.add(lits)
	k.cuts = append(k.cuts, row)
	return nil
}

// literal says that a 0-1 variable has a value.
type literal struct {
	v     int32
	value int8
}

// free marks a 0-1 variable without a value; other marks other variables, which
// propagation leaves alone.
const (
	free  int8 = -1
	other int8 = -2
)

// maxPropagated bounds what a row that takes part in propagation may sum to.
var maxPropagated = new(big.Int).Lsh(big.NewInt(1), 62)

// halfRow is one side of a row, Σ a·x ≤ b: room is b less the least sum that the
// values so far leave possible.
type halfRow struct {
	terms   []solve.Term // of 0-1 variables
	room    int64
	largest int64 // |a|
}

// occurrence is a variable's entry in a half row.
type occurrence struct {
	row  int32
	coef int64
}

// propagation gives values to 0-1 variables for which a row or a clause leaves
// no choice. What is found without assumptions stays.
type propagation struct {
	value []int8
	rows  []halfRow
	at    [][]occurrence
	sets  [][]literal         // clauses; the first two are watched
	watch map[literal][]int32 // clauses that watch for a literal to become false
	trail []literal
	done  int // trail entries that rows and clauses have seen
	dead  bool
}

// newPropagation starts in a box. With a bound, points that cost as much do not
// count: that they cost less is a row as well.
func newPropagation(m *solve.Model, lo, hi []int64, bound *big.Rat) *propagation {
	p := &propagation{value: make([]int8, len(m.Vars)), at: make([][]occurrence, len(m.Vars)), watch: map[literal][]int32{}}
	var fixed []literal
	for j := range m.Vars {
		p.value[j] = other
		if m.Vars[j].Kind != solve.Continuous && m.Vars[j].Lower >= 0 && m.Vars[j].Upper <= 1 {
			p.value[j] = free
			switch {
			case lo[j] > hi[j]:
				p.dead = true
			case lo[j] == hi[j]:
				fixed = append(fixed, literal{int32(j), int8(lo[j])})
			}
		}
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		if r.Sense != solve.GE {
			p.half(r.Terms, 1, big.NewInt(r.RHS), lo, hi)
		}
		if r.Sense != solve.LE {
			p.half(r.Terms, -1, big.NewInt(-r.RHS), lo, hi)
		}
	}
	if bound != nil {
		costs, room := cheaper(m, bound)
		p.half(costs, 1, room, lo, hi)
	}
	for _, l := range fixed {
		p.set(l)
	}
	p.dead = p.dead || !p.run()
	for i := range p.rows { // also those that no value has touched
		p.dead = p.dead || !p.force(int32(i)) || !p.run()
	}
	return p
}

// cheaper is the row Σ cost·x ≤ room that holds where the objective is below a
// bound.
func cheaper(m *solve.Model, bound *big.Rat) (costs []solve.Term, room *big.Int) {
	integral := true
	for j := range m.Vars {
		if c := m.Vars[j].Cost; c != 0 {
			costs = append(costs, solve.Term{Var: j, Coef: c})
			integral = integral && m.Vars[j].Kind != solve.Continuous
		}
	}
	x := new(big.Rat).Sub(bound, new(big.Rat).SetInt64(m.Constant))
	room, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int)) // rounded down
	switch {
	case rest.Sign() == 0 && integral:
		room.Sub(room, big.NewInt(1))
	case rest.Sign() != 0 && !integral:
		room.Add(room, big.NewInt(1))
	}
	return costs, room
}

// half adds Σ sign·a·x ≤ room; a row whose numbers are too large stays out.
func (p *propagation) half(terms []solve.Term, sign int64, room *big.Int, lo, hi []int64) {
	size := new(big.Int).Abs(room)
	var h halfRow
	for _, t := range terms {
		a := big.NewInt(t.Coef)
		a.Mul(a, big.NewInt(sign))
		low, high := big.NewInt(lo[t.Var]), big.NewInt(hi[t.Var])
		if p.value[t.Var] == free {
			low, high = big.NewInt(0), big.NewInt(1) // values come through set
			if a.IsInt64() {
				h.terms = append(h.terms, solve.Term{Var: t.Var, Coef: a.Int64()})
			}
		}
		low.Mul(low, a)
		high.Mul(high, a)
		if low.Cmp(high) > 0 {
			low, high = high, low
		}
		room = new(big.Int).Sub(room, low)
		size.Add(size, new(big.Int).Abs(low))
		size.Add(size, new(big.Int).Abs(high))
	}
	if size.Cmp(maxPropagated) > 0 {
		return
	}
	h.room = room.Int64()
	for _, t := range h.terms {
		h.largest = max(h.largest, t.Coef, -t.Coef)
		p.at[t.Var] = append(p.at[t.Var], occurrence{int32(len(p.rows)), t.Coef})
	}
	p.rows = append(p.rows, h)
}

// implies tells whether the opposite of all literals leads to a contradiction.
func (p *propagation) implies(lits []literal) bool {
	if p.dead {
		return true
	}
	base := len(p.trail)
	holds := false
	for _, l := range lits {
		holds = holds || !p.set(literal{l.v, 1 - l.value})
	}
	holds = holds || !p.run()
	p.undo(base)
	return holds
}

// add keeps a clause.
func (p *propagation) add(lits []literal) {
	if p.dead {
		return
	}
	lits = append([]literal(nil), lits...)
	open := 0 // literals that are not false, moved to the front
	for i, l := range lits {
		switch p.value[l.v] {
		case l.value:
			return // true for good
		case free:
			lits[open], lits[i] = l, lits[open]
			open++
		}
	}
	switch open {
	case 0:
		p.dead = true
	case 1:
		p.dead = !p.set(lits[0]) || !p.run()
	default:
		p.watch[lits[0]] = append(p.watch[lits[0]], int32(len(p.sets)))
		p.watch[lits[1]] = append(p.watch[lits[1]], int32(len(p.sets)))
		p.sets = append(p.sets, lits)
	}
}

// set gives a value; false when the variable has the other one.
func (p *propagation) set(l literal) bool {
	switch p.value[l.v] {
	case free:
		p.value[l.v] = l.value
		p.trail = append(p.trail, l)
		return true
	case l.value:
		return true
	}
	return false
}

// run follows all values that are new; false when a row or clause cannot hold.
func (p *propagation) run() bool {
	for p.done < len(p.trail) {
		l := p.trail[p.done]
		p.done++
		for _, o := range p.at[l.v] {
			p.rows[o.row].room -= rise(o.coef, l.value)
		}
		for _, o := range p.at[l.v] {
			if rise(o.coef, l.value) != 0 && !p.force(o.row) {
				return false
			}
		}
		if !p.visit(literal{l.v, 1 - l.value}) {
			return false
		}
	}
	return true
}

// rise is what a value adds to the least sum of a row with that coefficient.
func rise(coef int64, value int8) int64 { return coef*int64(value) - min(coef, 0) }

// force sets the variables for which a row has no room.
func (p *propagation) force(i int32) bool {
	r := &p.rows[i]
	if r.room < 0 {
		return false
	}
	if r.largest <= r.room {
		return true
	}
	for _, t := range r.terms {
		if p.value[t.Var] != free {
			continue
		}
		if t.Coef > r.room {
			p.set(literal{int32(t.Var), 0})
		} else if -t.Coef > r.room {
			p.set(literal{int32(t.Var), 1})
		}
	}
	return true
}

// visit looks at the clauses that watch a literal which has become false.
func (p *propagation) visit(gone literal) bool {
	list := p.watch[gone]
	kept := list[:0]
	for n, i := range list {
		c := p.sets[i]
		if c[0] == gone {
			c[0], c[1] = c[1], c[0]
		}
		moved := false
		for k := 2; k < len(c) && p.value[c[0].v] != c[0].value; k++ {
			if p.value[c[k].v] == free || p.value[c[k].v] == c[k].value {
				c[1], c[k] = c[k], c[1]
				p.watch[c[1]] = append(p.watch[c[1]], i)
				moved = true
				break
			}
		}
		if moved {
			continue
		}
		kept = append(kept, i)
		if !p.set(c[0]) {
			kept = append(kept, list[n+1:]...)
			p.watch[gone] = kept
			return false
		}
	}
	p.watch[gone] = kept
	return true
}

// undo takes back the trail from n on.
func (p *propagation) undo(n int) {
	for k := len(p.trail) - 1; k >= n; k-- {
		l := p.trail[k]
		p.value[l.v] = free
		if k < p.done {
			for _, o := range p.at[l.v] {
				p.rows[o.row].room += rise(o.coef, l.value)
			}
		}
	}
	p.trail, p.done = p.trail[:n], min(p.done, n)
}
