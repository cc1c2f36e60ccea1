package mip

import (
	"slices"

	"ipusolve/solve"
)

// noGood is bounds that no feasible point meets together, with the Farkas vector
// that shows it in any box inside of them. A clause, in SAT terms: one of the
// bounds fails.
type noGood struct {
	bounds []solve.BoundChange
	dual   *solve.Dual
}

const (
	noGoodBounds = 40  // a longer one is hardly ever met again
	noGoodPool   = 300 // the oldest leave first
)

// exclusion is a bound of a node's box whose other side a Farkas vector excludes.
type exclusion struct {
	dual  *solve.Dual
	bound solve.BoundChange
}

// learnNoGood keeps what the Farkas vector d of box b says of other nodes: the few
// bounds of b that make its value positive, the others being the root's.
func (w *worker) learnNoGood(d *solve.Dual, b box) {
	if !w.on(solve.NoGoods) || len(d.Rows) == 0 {
		return
	}
	root := w.rootFixed()
	num, ok := w.prover.evaluate(d, root, true)
	if !ok || num.sign() > 0 {
		return // the root itself is infeasible: its own node will say so
	}
	type literal struct {
		bound solve.BoundChange
		gain  int128 // what the bound adds to the vector's value
	}
	var list []literal
	for j, r := range w.prover.rc {
		switch {
		case r > 0 && b.lo[j] > root.lo[j]:
			list = append(list, literal{solve.BoundChange{Var: j, Bound: b.lo[j]}, mul128(r, b.lo[j]-root.lo[j])})
		case r < 0 && b.hi[j] < root.hi[j]:
			list = append(list, literal{solve.BoundChange{Var: j, Upper: true, Bound: b.hi[j]}, mul128(r, b.hi[j]-root.hi[j])})
		}
	}
	slices.SortStableFunc(list, func(x, y literal) int { return y.gain.sub(x.gain).sign() })
	k := 0
	for ; k < len(list) && num.sign() <= 0; k++ {
		num = num.add(list[k].gain)
	}
	if num.sign() <= 0 {
		return
	}
	g := &noGood{dual: d}
	for i := k - 1; i >= 0; i-- { // the last taken may make earlier ones needless
		if less := num.sub(list[i].gain); less.sign() > 0 {
			num = less
			continue
		}
		g.bounds = append(g.bounds, list[i].bound)
	}
	if len(g.bounds) <= noGoodBounds {
		w.noGoods = append(w.noGoods, g)
	}
}

// recall applies the no-goods to node n with box b: it is the vector that closes
// the node, or nil; where all bounds but one hold, the opposite of that one does,
// and b is tightened. Each is proven again in the box at hand.
func (w *worker) recall(n *node, b box) *solve.Dual {
	n.excluded = nil
	if !w.on(solve.NoGoods) {
		return nil
	}
	for again := true; again; {
		again = false
		for _, g := range w.pool {
			open, more := -1, false
			for k, c := range g.bounds {
				w.stats.Work++
				lo, hi := b.lo[c.Var], b.hi[c.Var]
				if c.Upper && hi <= c.Bound || !c.Upper && lo >= c.Bound {
					continue // holds
				}
				if more = open >= 0 || c.Upper && lo > c.Bound || !c.Upper && hi < c.Bound; more {
					break // two are open, or one fails
				}
				open = k
			}
			if more {
				continue
			}
			if open < 0 {
				if num, ok := w.prover.evaluate(g.dual, b, true); ok && num.sign() > 0 {
					return g.dual
				}
				continue
			}
			c := g.bounds[open]
			other := solve.BoundChange{Var: c.Var, Bound: c.Bound + 1}
			if !c.Upper {
				other.Upper, other.Bound = true, c.Bound-1
			}
			side := b.clone()
			side.tighten(c)
			if num, ok := w.prover.evaluate(g.dual, side, true); ok && num.sign() > 0 {
				b.tighten(other)
				n.excluded = append(n.excluded, exclusion{g.dual, other})
				w.stats.Excluded++
				again = true
			}
		}
	}
	return nil
}

// remember adds what workers learnt to the pool.
func (s *search) remember(list []*noGood) {
	s.pool = append(s.pool, list...)
	if extra := len(s.pool) - noGoodPool; extra > 0 {
		s.pool = slices.Delete(s.pool, 0, extra)
	}
}
