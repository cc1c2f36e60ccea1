package encode

import (
	"fmt"

	"ipusolve/solve"
)

// maxDisjoint bounds the pairs of items alive together that a model may have.
const maxDisjoint = 1 << 20

// PackingModel is a packing as an integer program, for other solvers: minimise
// the height.
//
//	height ≥ Align·k + Size                           end/ID
//	height ≥ sizes alive at one time                  live
//	i below j, or j below i, by a 0-1 variable        below/I,J and above/I,J
//
// The address of an item is Align·k (k alone without an alignment).
type PackingModel struct {
	Model *solve.Model
	p     *Packing
	at    []int // variable of every item's k
}

// NewPackingModel writes p as a model; a packing that cannot fit its capacity
// gives an infeasible one. Errors wrap ErrPacking or solve.ErrModel.
func NewPackingModel(p *Packing) (*PackingModel, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	b := solve.NewBuilder(p.Name)
	m := &PackingModel{p: p, at: make([]int, len(p.Items))}
	step := func(i int) int64 { return max(p.Items[i].Align, 1) }
	height := b.Integer("height", 0, p.Capacity, 1)
	b.Row("live", solve.GE, p.Bound(), solve.Term{Var: height, Coef: 1})
	for i := range p.Items {
		it := &p.Items[i]
		m.at[i] = b.Integer("at/"+it.ID, 0, max(0, p.Capacity-it.Size)/step(i), 0)
		b.Row("end/"+it.ID, solve.GE, it.Size, solve.Term{Var: height, Coef: 1}, solve.Term{Var: m.at[i], Coef: -step(i)})
	}
	pairs := 0
	for i := range p.Items {
		for j := range i {
			x, y := &p.Items[j], &p.Items[i]
			if x.Lower >= y.Upper || y.Lower >= x.Upper {
				continue
			}
			if pairs++; pairs > maxDisjoint {
				return nil, fmt.Errorf("encode: %w: more than %d pairs of items alive together", ErrPacking, maxDisjoint)
			}
			name := x.ID + "," + y.ID
			first := b.Binary("below/"+name, 0)
			low, high := solve.Term{Var: m.at[j], Coef: step(j)}, solve.Term{Var: m.at[i], Coef: step(i)}
			b.Row("below/"+name, solve.LE, p.Capacity-x.Size, low, solve.Term{Var: high.Var, Coef: -high.Coef}, solve.Term{Var: first, Coef: p.Capacity})
			b.Row("above/"+name, solve.LE, -y.Size, high, solve.Term{Var: low.Var, Coef: -low.Coef}, solve.Term{Var: first, Coef: -p.Capacity})
		}
	}
	var err error
	if m.Model, err = b.Build(); err != nil {
		return nil, fmt.Errorf("encode: %s: %w", p.Name, err)
	}
	return m, nil
}

// Placement reads the addresses out of an assignment of the model.
func (m *PackingModel) Placement(values []int64) Placement {
	at := make(Placement, len(m.at))
	for i, j := range m.at {
		at[i] = values[j] * max(m.p.Items[i].Align, 1)
	}
	return at
}
