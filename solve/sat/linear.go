package sat

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Weighted is a literal that counts Weight when it holds.
type Weighted struct {
	Lit    Lit
	Weight int64
}

// PseudoBoolean is an encoding of Σ weights of true literals ≤ bound.
type PseudoBoolean uint8

const (
	BDD   PseudoBoolean = iota // decision diagram: propagation is complete; may be exponential
	Adder                      // binary sum: n·log clauses; weak propagation
)

// bddNodes is the most nodes of a diagram that LinearAtMost prefers to adders.
const bddNodes = 3000

// maxWeight bounds Σ |Weight| of a constraint.
const maxWeight = 1 << 62

// LinearAtMost demands Σ weights of true literals ≤ bound. Weights may be
// negative, literals may repeat; Σ |Weight| must be at most 2^62. Clauses and
// cardinalities are recognised; else a diagram is built if it is small.
func (f *Formula) LinearAtMost(bound int64, terms ...Weighted) {
	terms, bound, ok := normalise(terms, bound)
	if !ok {
		f.AddClause()
		return
	}
	// What does not fit is false.
	n := 0
	for n < len(terms) && terms[n].Weight > bound {
		f.AddClause(-terms[n].Lit)
		n++
	}
	terms = terms[n:]
	switch {
	case weigh(terms) <= bound:
	case terms[0].Weight == terms[len(terms)-1].Weight:
		f.AtMost(int(bound/terms[0].Weight), literals(terms)...)
	case weigh(terms)-terms[len(terms)-1].Weight <= bound: // only all together are too heavy
		f.AddClause(negate(literals(terms))...)
	default:
		if d, ok := newDiagram(terms, bound, bddNodes); ok {
			d.encode(f)
			return
		}
		f.atMostSum(bound, terms)
	}
}

// LinearAtLeast demands Σ weights of true literals ≥ bound.
func (f *Formula) LinearAtLeast(bound int64, terms ...Weighted) {
	not := make([]Weighted, len(terms))
	for i, t := range terms {
		not[i] = Weighted{t.Lit, -t.Weight}
	}
	f.LinearAtMost(-bound, not...)
}

// LinearAtMostBy is LinearAtMost in a given encoding.
func (f *Formula) LinearAtMostBy(how PseudoBoolean, bound int64, terms ...Weighted) {
	terms, bound, ok := normalise(terms, bound)
	switch {
	case !ok:
		f.AddClause()
	case how == BDD:
		d, _ := newDiagram(terms, bound, 1<<30)
		d.encode(f)
	default:
		f.atMostSum(bound, terms)
	}
}

// normalise makes weights positive and literals distinct, heaviest first; not
// ok when the bound is out of reach.
func normalise(terms []Weighted, bound int64) ([]Weighted, int64, bool) {
	switch {
	case bound < -maxWeight:
		return nil, 0, false
	case bound >= maxWeight:
		return nil, 0, true
	}
	var total uint64
	sum := map[Lit]int64{} // by variable
	for _, t := range terms {
		total += uint64(max(t.Weight, -t.Weight))
		if t.Weight < -maxWeight || total > maxWeight {
			panic(fmt.Sprintf("sat: weights of %d literals sum to more than 2^62", len(terms)))
		}
		w := t.Weight
		if t.Lit < 0 { // w·¬x = w − w·x
			bound, w = bound-w, -w
		}
		sum[max(t.Lit, -t.Lit)] += w
	}
	out := make([]Weighted, 0, len(sum))
	for l, w := range sum {
		switch {
		case w > 0:
			out = append(out, Weighted{l, w})
		case w < 0:
			bound += -w
			out = append(out, Weighted{-l, -w})
		}
	}
	slices.SortFunc(out, func(a, b Weighted) int {
		if c := cmp.Compare(b.Weight, a.Weight); c != 0 {
			return c
		}
		return cmp.Compare(max(a.Lit, -a.Lit), max(b.Lit, -b.Lit))
	})
	return out, bound, bound >= 0
}

func weigh(terms []Weighted) int64 {
	var sum int64
	for _, t := range terms {
		sum += t.Weight
	}
	return sum
}

func literals(terms []Weighted) []Lit {
	lits := make([]Lit, len(terms))
	for i, t := range terms {
		lits[i] = t.Lit
	}
	return lits
}

// diagram is the reduced ordered decision diagram of Σ ≤ bound: nodes of one
// level stand for intervals of what is left of the bound.
type diagram struct {
	terms []Weighted
	rest  []int64      // total weight from a level on
	nodes [][]interval // by level, disjoint
	made  int
	most  int
	root  int32
}

// interval: every remaining bound in [low, high] leads to the same node.
type interval struct {
	low, high int64
	yes, no   int32 // nodes of the next level in nodes, or a constant
	lit       Lit   // holds if the node's function must; set by encode
}

const (
	always int32 = -1 - iota
	never
)

func newDiagram(terms []Weighted, bound int64, most int) (*diagram, bool) {
	d := &diagram{terms: terms, rest: make([]int64, len(terms)+1), nodes: make([][]interval, len(terms)), most: most}
	for i := len(terms) - 1; i >= 0; i-- {
		d.rest[i] = d.rest[i+1] + terms[i].Weight
	}
	root, _, _, ok := d.node(0, bound)
	d.root = root
	return d, ok
}

// node finds or makes the node of a level for a remaining bound, and the
// interval of bounds that share it. The name is an index into nodes[level].
func (d *diagram) node(level int, left int64) (id int32, low, high int64, ok bool) {
	switch {
	case left < 0:
		return never, -maxWeight, -1, true
	case left >= d.rest[level]:
		return always, d.rest[level], maxWeight - 1, true
	}
	for i := range d.nodes[level] {
		if n := &d.nodes[level][i]; n.low <= left && left <= n.high {
			return int32(i), n.low, n.high, true
		}
	}
	w := d.terms[level].Weight
	yes, yesLow, yesHigh, ok := d.node(level+1, left-w)
	if !ok {
		return 0, 0, 0, false
	}
	no, noLow, noHigh, ok := d.node(level+1, left)
	if !ok || d.made >= d.most {
		return 0, 0, 0, false
	}
	d.made++
	n := interval{low: max(noLow, yesLow+w), high: min(noHigh, yesHigh+w), yes: yes, no: no}
	d.nodes[level] = append(d.nodes[level], n)
	return int32(len(d.nodes[level]) - 1), n.low, n.high, true
}

// encode demands the diagram's function. A node's literal implies what its
// branches demand; the function falls in every term, so yes implies no.
func (d *diagram) encode(f *Formula) {
	if d.root < 0 {
		if d.root == never {
			f.AddClause()
		}
		return
	}
	for level := len(d.nodes) - 1; level >= 0; level-- {
		x := d.terms[level].Lit
		for i := range d.nodes[level] {
			n := &d.nodes[level][i]
			n.lit = f.NewVar()
			d.branch(f, level, n.yes, -n.lit, -x)
			d.branch(f, level, n.no, -n.lit)
		}
	}
	f.AddClause(d.nodes[0][d.root].lit)
}

func (d *diagram) branch(f *Formula, level int, to int32, unless ...Lit) {
	switch to {
	case always:
	case never:
		f.AddClause(unless...)
	default:
		f.AddClause(append(unless, d.nodes[level+1][to].lit)...)
	}
}

// atMostSum adds the terms in binary and compares.
func (f *Formula) atMostSum(bound int64, terms []Weighted) {
	f.sumAtMost(f.Sum(terms), bound)
}

// Sum adds weights ≥ 0 in binary: literal i of the result is bit i of the sum.
func (f *Formula) Sum(terms []Weighted) []Lit {
	buckets := make([][]Lit, bits.Len64(uint64(weigh(terms))))
	for _, t := range terms {
		for i := range buckets {
			if t.Weight>>i&1 != 0 {
				buckets[i] = append(buckets[i], t.Lit)
			}
		}
	}
	sum := make([]Lit, len(buckets))
	for i := range buckets {
		b := buckets[i]
		for len(b) > 1 {
			var x, y, c Lit
			x, y, b = b[0], b[1], b[2:]
			s, carry := f.NewVar(), f.NewVar()
			if len(b) > 0 {
				c, b = b[0], b[1:]
			}
			f.fullAdder(x, y, c, s, carry)
			b = append(b, s)
			if i+1 < len(buckets) {
				buckets[i+1] = append(buckets[i+1], carry)
			} else {
				f.AddClause(-carry) // the total fits
			}
		}
		if len(b) == 1 {
			sum[i] = b[0]
		} else {
			sum[i] = -f.True()
		}
	}
	return sum
}

// fullAdder demands 2·carry + s = x + y + c; c = 0 means no third literal.
func (f *Formula) fullAdder(x, y, c, s, carry Lit) {
	if c == 0 {
		f.AddClause(-x, -y, carry)
		f.AddClause(x, -carry)
		f.AddClause(y, -carry)
		f.AddClause(x, -y, s)
		f.AddClause(-x, y, s)
		f.AddClause(-x, -y, -s)
		f.AddClause(x, y, -s)
		return
	}
	f.AddClause(-x, -y, carry)
	f.AddClause(-x, -c, carry)
	f.AddClause(-y, -c, carry)
	f.AddClause(x, y, -carry)
	f.AddClause(x, c, -carry)
	f.AddClause(y, c, -carry)
	for _, signs := range [4][3]Lit{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}} {
		f.AddClause(-x*signs[0], -y*signs[1], -c*signs[2], s)
		f.AddClause(x*signs[0], y*signs[1], c*signs[2], -s)
	}
}

// sumAtMost demands number ≤ bound: where bound has a 0 bit, the number has one
// too unless a higher bit is already less.
func (f *Formula) sumAtMost(number []Lit, bound int64) {
	if bound < 0 {
		f.AddClause()
		return
	}
	if bits.Len64(uint64(bound)) > len(number) {
		return
	}
	var less []Lit // negated higher bits where bound has a 1
	for i := len(number) - 1; i >= 0; i-- {
		if bound>>i&1 != 0 {
			less = append(less, -number[i])
		} else {
			f.AddClause(append(slices.Clone(less), -number[i])...)
		}
	}
}
