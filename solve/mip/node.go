package mip

import (
	"container/heap"
	"math/big"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

// node is a box of the branching tree: its parent's box after the parent's
// fixings, with changes applied.
type node struct {
	parent  *node
	changes []solve.BoundChange
	basis   lp.Basis // to start from; shared with the sibling; nil once solved
	bound   *big.Rat // rounded up; at first the parent's
	depth   int
	seq     int

	dual     *solve.Dual         // own vector; nil = the nearest ancestor's
	farkas   bool                // dual excludes the box
	fix      []solve.BoundChange // by reduced costs of dual
	excluded []exclusion         // by no-goods, in front of fix
	split    *split              // nil for a leaf
	kids     [2]*node            // down, up

	// For the pseudo-cost of the parent's split: the relaxation's value there
	// and how far this side moves it.
	parentObj, dist float64
}

// split says how a node was branched: on a variable, or with zero on a row.
type split struct {
	v    int
	at   int64
	row  int
	zero []int // down: these are 0
	rest []int // up: these are 0
}

// children makes the two changes lists of a split.
func (s *split) changes() (down, up []solve.BoundChange) {
	if s.zero == nil {
		return []solve.BoundChange{{Var: s.v, Upper: true, Bound: s.at}}, []solve.BoundChange{{Var: s.v, Bound: s.at + 1}}
	}
	for _, j := range s.zero {
		down = append(down, solve.BoundChange{Var: j, Upper: true})
	}
	for _, j := range s.rest {
		up = append(up, solve.BoundChange{Var: j, Upper: true})
	}
	return down, up
}

// box is the node's box, after the fixings of its ancestors but not its own.
func (n *node) box(root box) box {
	var path []*node
	for p := n; p != nil; p = p.parent {
		path = append(path, p)
	}
	b := root.clone()
	for k := len(path) - 1; k >= 0; k-- {
		for _, c := range path[k].changes {
			b.tighten(c)
		}
		if k > 0 {
			for _, e := range path[k].excluded {
				b.tighten(e.bound)
			}
			for _, c := range path[k].fix {
				b.tighten(c)
			}
		}
	}
	return b
}

// release forgets the dual vector when no leaf can need it any more.
func (n *node) release() {
	if n == nil || n.split == nil || n.fix != nil || n.parent == nil {
		return
	}
	if n.kids[0].dual != nil && n.kids[1].dual != nil {
		n.dual = nil
	}
}

// queue holds open nodes, least bound first, then deepest, then oldest.
type queue []*node

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if c := q[i].bound.Cmp(q[j].bound); c != 0 {
		return c < 0
	}
	if q[i].depth != q[j].depth {
		return q[i].depth > q[j].depth
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*node)) }
func (q *queue) Pop() any {
	old := *q
	n := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return n
}

func (q *queue) push(n *node) { heap.Push(q, n) }
func (q *queue) pop() *node   { return heap.Pop(q).(*node) }
