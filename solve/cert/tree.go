package cert

import (
	"math/big"
	"slices"

	"ipusolve/solve"
)

// checker walks the tree of one certificate.
type checker struct {
	m        *solve.Model
	c        *solve.Certificate
	lo       []int64 // the current box
	hi       []int64
	trail    []undo
	cuts     []solve.Row   // cuts and clauses so far
	promised []solve.Sense // of all cuts and clauses that the root will have
	clauses  *propagation  // nil before the first clause
	least    *big.Rat      // least bound of leaves and cut-off sides so far

	// The vector last priced, and whether for the zero objective.
	dual    int
	farkas  bool
	base    big.Int   // den·y·b (+ den·constant)
	rc      []big.Int // den·reduced costs
	touched []int     // the only columns with rc ≠ 0
	inside  []bool    // whether a column is in touched
}

// undo is a bound before a change.
type undo struct {
	v     int
	upper bool
	old   int64
}

func newChecker(m *solve.Model, c *solve.Certificate) (*checker, error) {
	n := len(m.Vars)
	k := &checker{m: m, c: c, dual: -1, rc: make([]big.Int, n), inside: make([]bool, n)}
	for j := range m.Vars {
		k.lo, k.hi = append(k.lo, m.Vars[j].Lower), append(k.hi, m.Vars[j].Upper)
	}
	for i := range m.Rows {
		for _, t := range m.Rows[i].Terms {
			if t.Var < 0 || t.Var >= n {
				return nil, invalid("model: row %q uses variable %d of %d", m.Rows[i].Name, t.Var, n)
			}
		}
	}
	if len(c.Nodes) > 0 {
		for _, f := range c.Nodes[0].Fix {
			switch {
			case f.Clause != nil:
				k.promised = append(k.promised, solve.GE)
			case f.Cut != nil:
				k.promised = append(k.promised, solve.LE)
			}
		}
	}
	for d := range c.Duals {
		if err := k.signs(d); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// signs checks the form of dual vector d.
func (k *checker) signs(d int) error {
	v := &k.c.Duals[d]
	if v.Den <= 0 || len(v.Rows) != len(v.Num) {
		return invalid("dual %d is malformed", d)
	}
	last := -1
	for e, i := range v.Rows {
		if i <= last || i >= len(k.m.Rows)+len(k.promised) {
			return invalid("dual %d: row %d out of order or range", d, i)
		}
		last = i
		if i >= len(k.m.Rows) {
			if up := v.Num[e] > 0; v.Num[e] != 0 && up != (k.promised[i-len(k.m.Rows)] == solve.GE) {
				return invalid("dual %d: sign of the multiplier of row %d", d, i)
			}
			continue
		}
		switch s := k.m.Rows[i].Sense; {
		case s == solve.LE && v.Num[e] > 0, s == solve.GE && v.Num[e] < 0:
			return invalid("dual %d: sign of the multiplier of row %q", d, k.m.Rows[i].Name)
		}
	}
	return nil
}

// tree visits every node once, down before up.
func (k *checker) tree() error {
	type visit struct {
		node  int
		trail int // length to return to
		set   []solve.BoundChange
	}
	if len(k.c.Nodes) == 0 {
		return invalid("no nodes")
	}
	seen := make([]bool, len(k.c.Nodes))
	reached := 0
	stack := []visit{{}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		k.rewind(v.trail)
		for _, c := range v.set {
			k.tighten(c)
		}
		if seen[v.node] {
			return invalid("node %d is reached twice", v.node)
		}
		seen[v.node] = true
		reached++
		n := &k.c.Nodes[v.node]
		for f := range n.Fix {
			step := k.fixings
			switch {
			case n.Fix[f].Clause != nil:
				step = k.clause
			case n.Fix[f].Cut != nil:
				step = k.cut
			}
			if err := step(v.node, &n.Fix[f]); err != nil {
				return err
			}
		}
		if n.Branch == nil {
			if err := k.leaf(v.node, n); err != nil {
				return err
			}
			continue
		}
		down, up, err := k.split(v.node, n.Branch)
		if err != nil {
			return err
		}
		t := len(k.trail)
		stack = append(stack, visit{n.Branch.Up, t, up}, visit{n.Branch.Down, t, down})
	}
	if reached != len(k.c.Nodes) {
		return invalid("%d of %d nodes are reached", reached, len(k.c.Nodes))
	}
	return nil
}

func (k *checker) tighten(c solve.BoundChange) {
	if c.Upper && c.Bound < k.hi[c.Var] {
		k.trail = append(k.trail, undo{c.Var, true, k.hi[c.Var]})
		k.hi[c.Var] = c.Bound
	}
	if !c.Upper && c.Bound > k.lo[c.Var] {
		k.trail = append(k.trail, undo{c.Var, false, k.lo[c.Var]})
		k.lo[c.Var] = c.Bound
	}
}

func (k *checker) rewind(n int) {
	for len(k.trail) > n {
		u := k.trail[len(k.trail)-1]
		k.trail = k.trail[:len(k.trail)-1]
		if u.upper {
			k.hi[u.v] = u.old
		} else {
			k.lo[u.v] = u.old
		}
	}
}

// split returns the changes of the two children.
func (k *checker) split(at int, b *solve.Branch) (down, up []solve.BoundChange, err error) {
	for _, child := range [...]int{b.Down, b.Up} {
		if child <= at || child >= len(k.c.Nodes) {
			return nil, nil, invalid("node %d: child %d out of range", at, child)
		}
	}
	if len(b.Zero) == 0 {
		if !k.integral(b.Var) {
			return nil, nil, invalid("node %d: variable %d cannot be split", at, b.Var)
		}
		if b.At+1 < b.At {
			return nil, nil, invalid("node %d: split beyond the integers", at)
		}
		return []solve.BoundChange{{Var: b.Var, Upper: true, Bound: b.At}}, []solve.BoundChange{{Var: b.Var, Bound: b.At + 1}}, nil
	}
	if b.Row < 0 || b.Row >= len(k.m.Rows) {
		return nil, nil, invalid("node %d: no row %d", at, b.Row)
	}
	r := &k.m.Rows[b.Row]
	members := map[int]bool{}
	for _, t := range r.Terms {
		if t.Coef != 1 || !k.integral(t.Var) || k.m.Vars[t.Var].Lower < 0 {
			return nil, nil, invalid("node %d: row %q is no exactly-one row", at, r.Name)
		}
		members[t.Var] = true
	}
	if r.Sense != solve.EQ || r.RHS != 1 {
		return nil, nil, invalid("node %d: row %q is no exactly-one row", at, r.Name)
	}
	for _, j := range b.Zero {
		if !members[j] {
			return nil, nil, invalid("node %d: variable %d is not in row %q", at, j, r.Name)
		}
		members[j] = false
		down = append(down, solve.BoundChange{Var: j, Upper: true})
	}
	for _, t := range r.Terms {
		if members[t.Var] {
			up = append(up, solve.BoundChange{Var: t.Var, Upper: true})
		}
	}
	return down, up, nil
}

func (k *checker) integral(j int) bool {
	return j >= 0 && j < len(k.m.Vars) && (k.m.Vars[j].Kind == solve.Binary || k.m.Vars[j].Kind == solve.Integer)
}

// price computes the reduced costs of dual d, unless they are at hand. It works
// by rows, so that a vector for the zero objective costs no more than its rows.
func (k *checker) price(at, d int, farkas bool) error {
	if d < 0 || d >= len(k.c.Duals) {
		return invalid("node %d: no dual %d", at, d)
	}
	if k.dual == d && k.farkas == farkas {
		return nil
	}
	v := &k.c.Duals[d]
	for _, i := range v.Rows {
		if i >= len(k.m.Rows)+len(k.cuts) {
			return invalid("dual %d: row %d is used before its cut", d, i)
		}
	}
	for _, j := range k.touched {
		k.rc[j].SetInt64(0)
		k.inside[j] = false
	}
	k.dual, k.farkas, k.touched = d, farkas, k.touched[:0]
	den := big.NewInt(v.Den)
	var p, q big.Int
	k.base.SetInt64(0)
	if !farkas {
		k.base.Mul(den, p.SetInt64(k.m.Constant))
		for j := range k.m.Vars {
			if c := k.m.Vars[j].Cost; c != 0 {
				k.touch(j)
				k.rc[j].Mul(den, p.SetInt64(c))
			}
		}
	}
	for e, i := range v.Rows {
		r := k.row(i)
		q.SetInt64(v.Num[e])
		k.base.Add(&k.base, p.Mul(&q, p.SetInt64(r.RHS)))
		for _, t := range r.Terms {
			k.touch(t.Var)
			k.rc[t.Var].Sub(&k.rc[t.Var], p.Mul(&q, p.SetInt64(t.Coef)))
		}
	}
	return nil
}

// row is a row of the model, a cut or a clause.
func (k *checker) row(i int) *solve.Row {
	if i < len(k.m.Rows) {
		return &k.m.Rows[i]
	}
	return &k.cuts[i-len(k.m.Rows)]
}

func (k *checker) touch(j int) {
	if !k.inside[j] {
		k.inside[j] = true
		k.touched = append(k.touched, j)
	}
}

// least of r_j·x over lo ≤ x ≤ hi.
func (k *checker) clip(j int, lo, hi int64) *big.Int {
	x := lo
	if k.rc[j].Sign() < 0 {
		x = hi
	}
	p := big.NewInt(x)
	return p.Mul(p, &k.rc[j])
}

// total is den times the bound of the priced vector in the current box.
func (k *checker) total() *big.Int {
	sum := new(big.Int).Set(&k.base)
	for _, j := range k.touched {
		if k.rc[j].Sign() != 0 {
			sum.Add(sum, k.clip(j, k.lo[j], k.hi[j]))
		}
	}
	return sum
}

func (k *checker) record(num *big.Int) {
	b := new(big.Rat).SetFrac(num, big.NewInt(k.c.Duals[k.dual].Den))
	if k.least == nil || b.Cmp(k.least) < 0 {
		k.least = b
	}
}

func (k *checker) leaf(at int, n *solve.ProofNode) error {
	for j := range k.lo {
		if k.lo[j] > k.hi[j] {
			return nil
		}
	}
	if err := k.price(at, n.Dual, n.Farkas); err != nil {
		return err
	}
	sum := k.total()
	if !n.Farkas {
		k.record(sum)
	} else if sum.Sign() <= 0 {
		return invalid("node %d: dual %d does not exclude the box", at, n.Dual)
	}
	return nil
}

// fixings bounds or excludes the side that each change of a tightening cuts
// off, then applies all.
func (k *checker) fixings(at int, f *solve.Tightening) error {
	if err := k.price(at, f.Dual, f.Farkas); err != nil {
		return err
	}
	sum := k.total()
	for _, c := range f.Bounds {
		if !k.integral(c.Var) {
			return invalid("node %d: variable %d cannot be tightened", at, c.Var)
		}
		lo, hi := k.lo[c.Var], k.hi[c.Var]
		switch {
		case c.Upper && c.Bound >= hi, !c.Upper && c.Bound <= lo:
			continue
		case c.Upper:
			lo = max(lo, c.Bound+1)
		default:
			hi = min(hi, c.Bound-1)
		}
		side := new(big.Int).Sub(sum, k.clip(c.Var, k.lo[c.Var], k.hi[c.Var]))
		side.Add(side, k.clip(c.Var, lo, hi))
		if !f.Farkas {
			k.record(side)
		} else if side.Sign() <= 0 {
			return invalid("node %d: dual %d does not exclude variable %d from [%d, %d]", at, f.Dual, c.Var, lo, hi)
		}
	}
	for _, c := range f.Bounds {
		k.tighten(c)
	}
	return nil
}

// cut checks a new row and keeps it.
func (k *checker) cut(at int, f *solve.Tightening) error {
	if at != 0 || f.Cut.Most < 0 {
		return invalid("node %d: a cut below the root, or of no variables", at)
	}
	if err := k.price(at, f.Dual, true); err != nil {
		return err
	}
	row := solve.Row{Sense: solve.LE, RHS: f.Cut.Most}
	seen := map[int]bool{}
	var rise []*big.Int // what a variable at 1 adds to the least total
	for _, j := range f.Cut.Vars {
		if !k.integral(j) || seen[j] || k.lo[j] < 0 || k.hi[j] > 1 {
			return invalid("node %d: cut %d: variable %d", at, len(k.cuts), j)
		}
		seen[j] = true
		row.Terms = append(row.Terms, solve.Term{Var: j, Coef: 1})
		if k.hi[j] == 1 {
			rise = append(rise, new(big.Int).Sub(&k.rc[j], k.clip(j, k.lo[j], 1)))
		}
	}
	if int64(len(rise)) > f.Cut.Most {
		slices.SortFunc(rise, (*big.Int).Cmp)
		sum := k.total()
		for _, x := range rise[:f.Cut.Most+1] {
			sum.Add(sum, x)
		}
		if sum.Sign() <= 0 {
			return invalid("node %d: cut %d is not implied by dual %d", at, len(k.cuts), f.Dual)
		}
	}
	k.cuts = append(k.cuts, row)
	return nil
}
