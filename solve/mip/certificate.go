package mip

import "ipusolve/solve"

// certificate writes the tree down: leaves and fixings with their vectors,
// every node in front of its children.
func (s *search) certificate(r *solve.Result) *solve.Certificate {
	c := &solve.Certificate{Status: r.Status, Bound: r.Bound, Assignment: r.Assignment}
	index := map[*solve.Dual]int{}
	use := func(d *solve.Dual) int {
		k, ok := index[d]
		if !ok {
			k = len(c.Duals)
			index[d] = k
			c.Duals = append(c.Duals, *d)
		}
		return k
	}
	if s.plain != nil {
		use(s.plain)
	}
	type visit struct {
		n         *node
		inherited *solve.Dual
		link      *int // where the parent wants the index
	}
	root := 0
	stack := []visit{{s.root, nil, &root}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*v.link = len(c.Nodes)
		d := v.n.dual
		if d == nil {
			d = v.inherited
		}
		p := solve.ProofNode{Dual: -1, Farkas: v.n.farkas}
		for _, e := range v.n.excluded {
			p.Fix = append(p.Fix, solve.Tightening{Dual: use(e.dual), Farkas: true, Bounds: []solve.BoundChange{e.bound}})
		}
		if sp := v.n.split; sp != nil {
			if len(v.n.fix) > 0 {
				p.Fix = append(p.Fix, solve.Tightening{Dual: use(v.n.dual), Bounds: v.n.fix})
			}
			p.Branch = &solve.Branch{Var: sp.v, At: sp.at, Row: sp.row, Zero: sp.zero}
			stack = append(stack, visit{v.n.kids[1], d, &p.Branch.Up}, visit{v.n.kids[0], d, &p.Branch.Down})
		} else {
			p.Dual = use(d)
		}
		c.Nodes = append(c.Nodes, p)
	}
	return c
}
