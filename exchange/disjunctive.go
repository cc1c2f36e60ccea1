package exchange

import (
	"fmt"

	"ipusolve/encode"
)

// Groups splits a problem into parts that share no tile, as problems of their
// own: no rule is about two tiles, so they can be scheduled apart.
func (p *Problem) Groups() []*Problem {
	var out []*Problem
	for _, c := range components(p) {
		g := &Problem{Phase: p.Phase, Tiles: p.Tiles}
		for _, i := range c.messages {
			g.Messages = append(g.Messages, p.Messages[i])
		}
		out = append(out, g)
	}
	return out
}

// Disjunctive states a phase as a problem of differences: jobs are the starts of
// messages, named by number, source and words, within a horizon that a schedule is
// known for. It has the rules R1–R3, R5, R7, R9 and R10, and R4 as far as it is about
// two controls that are certain; R12 and the pointers that R8 leaves out depend on
// more than two messages and are not in it. Its optimum is therefore a lower bound
// of the phase; every legal schedule within the horizon is a solution, up to the
// order of messages that can change places. Errors wrap ErrInvalid.
//
// (reference: exchange.md §12)
func (p *Problem) Disjunctive(horizon int32) (*encode.Disjunctive, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := newExactModel(p)
	d := &encode.Disjunctive{Name: fmt.Sprintf("phase%d", p.Phase), Horizon: int64(horizon), Bound: int64(Best(p).Horizon)}
	for i := range p.Messages {
		msg := &p.Messages[i]
		d.Jobs = append(d.Jobs, encode.Job{Name: fmt.Sprintf("m%d.t%d.w%d", i, msg.Source, msg.Words), Head: int64(m.head[i]), Length: int64(m.length[i])})
	}
	for _, l := range m.fixed { // x_u − x_v ≤ c
		d.After = append(d.After, encode.After{First: int(l.u), Then: int(l.v), Lag: -int64(l.c)})
	}
	for _, c := range m.clauses { // x_j − x_i ≤ low, or x_i − x_j ≤ −high
		j, i := c[0].u, c[0].v
		if len(c) != 2 || i == m.zero() || j == m.zero() || c[1].u != i || c[1].v != j {
			return nil, fmt.Errorf("exchange: clause %v is no gap", c)
		}
		d.Apart = append(d.Apart, encode.Gap{A: int(i), B: int(j), Low: int64(c[0].c), High: -int64(c[1].c)})
	}
	return d, nil
}
