package mip

import "ipusolve/solve"

// instance is a model by columns, in exact integers.
type instance struct {
	m     *solve.Model
	start []int   // entries of column j: [start[j], start[j+1])
	row   []int32 // row of an entry
	coef  []int64 // coefficient of an entry
	cost  []int64
	rhs   []int64
	sense []solve.Sense

	integral   []bool
	continuous int    // number of continuous variables
	sets       []int  // exactly-one rows
	inSet      []bool // variables of exactly-one rows
	gran       int64  // Model.Granularity of the original model
}

// newInstance takes the model to search, the granularity of the original model
// and which rows are exactly-one rows there: bounds may be rounded and rows split
// only as a check against the original allows.
func newInstance(m *solve.Model, gran int64, exactlyOne func(int) bool) *instance {
	n := len(m.Vars)
	in := &instance{m: m, start: make([]int, n+1), gran: gran, inSet: make([]bool, n)}
	for j := range m.Vars {
		in.cost = append(in.cost, m.Vars[j].Cost)
		in.integral = append(in.integral, m.Vars[j].Kind.Integral())
		if !in.integral[j] {
			in.continuous++
		}
	}
	for i := range m.Rows {
		in.rhs = append(in.rhs, m.Rows[i].RHS)
		in.sense = append(in.sense, m.Rows[i].Sense)
		for _, t := range m.Rows[i].Terms {
			in.start[t.Var+1]++
		}
		if exactlyOne(i) {
			in.sets = append(in.sets, i)
			for _, t := range m.Rows[i].Terms {
				in.inSet[t.Var] = true
			}
		}
	}
	for j := range n {
		in.start[j+1] += in.start[j]
	}
	in.row, in.coef = make([]int32, in.start[n]), make([]int64, in.start[n])
	at := append([]int(nil), in.start[:n]...)
	for i := range m.Rows {
		for _, t := range m.Rows[i].Terms {
			in.row[at[t.Var]], in.coef[at[t.Var]] = int32(i), t.Coef
			at[t.Var]++
		}
	}
	return in
}

// box is a lower and an upper bound per variable.
type box struct{ lo, hi []int64 }

func (in *instance) rootBox() box {
	b := box{make([]int64, len(in.cost)), make([]int64, len(in.cost))}
	for j := range in.m.Vars {
		b.lo[j], b.hi[j] = in.m.Vars[j].Lower, in.m.Vars[j].Upper
	}
	return b
}

// tighten applies a bound; a weaker one than the box has changes nothing.
func (b box) tighten(c solve.BoundChange) {
	if c.Upper {
		b.hi[c.Var] = min(b.hi[c.Var], c.Bound)
	} else {
		b.lo[c.Var] = max(b.lo[c.Var], c.Bound)
	}
}

func (b box) clone() box {
	return box{append([]int64(nil), b.lo...), append([]int64(nil), b.hi...)}
}

func (b box) empty() bool {
	for j := range b.lo {
		if b.lo[j] > b.hi[j] {
			return true
		}
	}
	return false
}
