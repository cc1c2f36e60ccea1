package planning

import (
	"fmt"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/cost"
)

// Memory limits of family seed as sums over the options of a plan (reference:
// planspace.md §10). At every step of the program the classes' bytes are sums; a
// plan's peaks are taken class by class, so any two steps' standard and interleaved
// bytes have to fit together. What is not a sum is left out: rows of exchanges that
// depend on two options, and rounding the boundary of the classes up to an element.
// The limits hold for every plan that fits, but may hold for one that does not.
const (
	seedMostInterleaved = model.MaxPhysicalBytes - seedStandardBytes
	seedMostTotal       = model.MaxPhysicalBytes - model.DefaultReserve
	seedMostLowest      = seedStandardBytes - model.DefaultReserve // for one allocation beside the reserve
	seedStandardBytes   = model.StandardShare + model.DefaultReserve
)

// seedSteps are the steps of a stage that can be its peak: the GEMM, the conversion
// into GELU's format (GELU itself where it runs in place), and GELU behind it.
const seedSteps = 3

// seedBytes is what an option takes of a tile.
type seedBytes struct {
	steps  [seedSteps]cost.SeedBytes // at its own steps
	before cost.SeedBytes            // weights: at all steps of earlier stages
	rows   int64                     // exchange rows, at all steps
	single int64                     // largest standard allocation
}

// operands are the bytes of an option's A and B where its GEMM reads them.
func (b *seedBuilder) operands(i int, o *seedOption) (left, right cost.SeedBytes) {
	s, g := b.stages[i].Stage, &o.gemm.Gemm
	a, w := g.OperandA(), g.OperandB()
	left, right = a.In(a.Bytes(s.M, s.K)), w.In(w.Bytes(s.K, s.N))
	if g.Swapped {
		return left, cost.SeedRounded(w.In(w.Bytes(s.K, s.N) + g.LeftTail()))
	}
	return cost.SeedRounded(a.In(a.Bytes(s.M, s.K) + g.LeftTail())), right
}

// result is the bytes of an option's product.
func (b *seedBuilder) result(i int, o *seedOption) cost.SeedBytes {
	y := o.gemm.Gemm.ResultFormat()
	return cost.SeedRounded(y.In(y.Bytes(b.stages[i].M, b.stages[i].N)))
}

// bytes is the memory of an option of stage i, with its streamed operand pulled
// slice by slice where that takes less.
func (b *seedBuilder) bytes(i int, o *seedOption) (m seedBytes) {
	s, f := &b.stages[i], &o.gemm.Figures
	left, right := b.operands(i, o)
	result := b.result(i, o)
	if m.before = right; o.gemm.Gemm.F32 { // weights come in half precision
		m.before = cost.SeedBytes{Standard: right.Standard / 2, Interleaved: right.Interleaved / 2}
	}
	own, single := left.Add(f.Temporary), left.Standard
	if i > 0 { // what the first stage reads is there as a whole
		own.Standard = min(own.Standard, f.SlicedTemporary.Standard)
		own.Interleaved = min(own.Interleaved, f.SlicedTemporary.Interleaved)
		single = min(single, f.Slices.Standard)
	}
	m.steps[0] = own.Add(right).Add(result)
	m.single = max(single, right.Standard, result.Standard)
	m.rows = f.RowBytes
	if len(s.Gelus) > 0 {
		handed := b.formats[o.out]
		out := handed.In(handed.Bytes(s.M, s.N))
		m.steps[1] = result.Add(out)
		if o.via > 0 {
			m.steps[2] = out.Add(out)
		}
		m.single = max(m.single, out.Standard)
	}
	return m
}

// limit adds the memory limits to the selection; unless all is set, only those that
// some options exceed together.
func (b *seedBuilder) limit(all bool) {
	n := len(b.stages)
	bytes := make([][]seedBytes, n)
	for i := range b.stages {
		bytes[i] = make([]seedBytes, len(b.stages[i].options))
		for k := range b.stages[i].options {
			bytes[i][k] = b.bytes(i, &b.stages[i].options[k])
		}
	}
	type point struct{ stage, step int }
	var points []point
	for i := range b.stages {
		for step := range seedSteps {
			if step == 0 || len(b.stages[i].Gelus) > 0 {
				points = append(points, point{i, step})
			}
		}
	}
	name := func(p point) string {
		return b.stages[p.stage].Gemm.Name + [seedSteps]string{"", ".move", ".gelu"}[p.step]
	}
	// at is what an option of a stage takes at a step of the program.
	at := func(i int, m *seedBytes, p point) cost.SeedBytes {
		switch {
		case i == p.stage:
			return m.steps[p.step]
		case i > p.stage:
			return m.before
		}
		return cost.SeedBytes{}
	}
	// add states that the sum of use over the stages is at most most.
	add := func(name string, most int64, use func(i int, m *seedBytes) int64) {
		var sum int64
		for i := range bytes {
			var largest int64
			for k := range bytes[i] {
				largest = max(largest, use(i, &bytes[i][k]))
			}
			sum += largest
		}
		if sum <= most && !all {
			return
		}
		limit := len(b.sel.Limits)
		b.sel.Limits = append(b.sel.Limits, encode.Limit{Name: name, Amount: most})
		for i := range bytes {
			node := &b.sel.Nodes[i]
			node.Counts = append(node.Counts, []int{limit})
			for k := range node.Candidates {
				node.Candidates[k].Use = append(node.Candidates[k].Use, use(i, &bytes[i][k]))
			}
		}
	}
	for _, q := range points {
		add("interleaved/"+name(q), seedMostInterleaved, func(i int, m *seedBytes) int64 { return at(i, m, q).Interleaved })
		for _, p := range points {
			add(fmt.Sprintf("total/%s+%s", name(p), name(q)), seedMostTotal, func(i int, m *seedBytes) int64 {
				return at(i, m, p).Standard + m.rows + at(i, m, q).Interleaved
			})
		}
		for j := range b.stages {
			add(fmt.Sprintf("single/%s+%s", b.stages[j].Gemm.Name, name(q)), seedMostInterleaved, func(i int, m *seedBytes) int64 {
				use := at(i, m, q).Interleaved
				if i == j && m.single > seedMostLowest {
					use += m.single
				}
				return use
			})
		}
	}
}

// covers tells that option d of stage i takes no less of a tile than o in any plan:
// where o does not fit, d does not either.
func (b *seedBuilder) covers(i int, d, o *seedOption) bool {
	// Rows of conversions depend on the formats at both ends.
	same := d.gemm.Gemm.F32 == o.gemm.Gemm.F32 && d.via == o.via && (i == 0 || d.in == o.in) &&
		(i+1 == len(b.stages) && d.via == 0 || d.out == o.out)
	if same && d.via > 0 {
		x, y := d.gemm.Gemm.ResultFormat(), o.gemm.Gemm.ResultFormat()
		same = x.Key() == y.Key()
	}
	if !same {
		return false
	}
	no := func(less, more cost.SeedBytes) bool {
		return less.Standard > more.Standard || less.Interleaved > more.Interleaved
	}
	f, g := &o.gemm.Figures, &d.gemm.Figures
	left, right := b.operands(i, o)
	moreLeft, moreRight := b.operands(i, d)
	return !no(left, moreLeft) && !no(right, moreRight) && !no(b.result(i, o), b.result(i, d)) && !no(f.Result, g.Result) &&
		!no(f.Temporary, g.Temporary) && !no(f.SlicedTemporary, g.SlicedTemporary) && f.Slices.Standard <= g.Slices.Standard && f.RowBytes <= g.RowBytes
}
