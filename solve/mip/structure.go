package mip

import (
	"context"

	"ipusolve/solve"
)

// pollEvery is the number of rows or nodes between two looks at the context.
const pollEvery = 256

// selection is a model's local polytope, if it has one: nodes, each with an
// exactly-one row over its members, and pair variables y, each in one marginal
// row on either side:
//
//	Σ y of the row = Σ of the members that the row stands for
//
// An end whose node is fixed shows as Σ y = 1; it has no node. Other rows and
// variables may be there.
type selection struct {
	nodes []choiceNode
	node  []int32 // of a variable: its node, −1 for others
	rows  []marginal
	at    [][]int32  // of a variable: rows it is a member of
	pair  []pairEnds // of a variable: its two rows, if it is a pair variable
	side  []sideRow  // ≤ rows over members, coefficients ≥ 0
	uses  [][]use    // of a variable: its entries in side rows
}

// choiceNode is a node: its exactly-one row and that row's variables.
type choiceNode struct {
	row     int
	members []int32
	back    []int32 // marginal rows to earlier nodes, in selection.rows
	fwd     []int32 // marginal rows to later nodes
	fixed   []int32 // marginal rows to fixed ends
}

// marginal is a marginal row.
type marginal struct {
	row     int
	node    int32   // −1 for a fixed end
	members []int32 // variables of the node that the row stands for
	pairs   []int32 // pair variables
	share   int64   // rows of one direction that a member divides its cost over
}

// pairEnds are the two marginal rows of a pair variable; −1 for other variables.
type pairEnds struct{ a, b int32 }

func (p pairEnds) other(r int32) int32 {
	if p.a == r {
		return p.b
	}
	return p.a
}

// sideRow is a row of the model and its right-hand side.
type sideRow struct {
	row int
	rhs int64
}

// use is an entry of a side row.
type use struct {
	side   int32
	amount int64
}

// newSelection finds the structure; nil when there is no pair variable, or ctx
// ends.
func newSelection(ctx context.Context, in *instance) *selection {
	n := len(in.cost)
	s := &selection{node: make([]int32, n), at: make([][]int32, n), pair: make([]pairEnds, n), uses: make([][]use, n)}
	for j := range n {
		s.node[j], s.pair[j] = -1, pairEnds{-1, -1}
	}
	isNode := make([]bool, len(in.rhs))
	for _, i := range in.sets {
		terms := in.m.Rows[i].Terms
		if in.fixedEnd(i) || taken(terms, s.node) {
			continue
		}
		isNode[i] = true
		c := choiceNode{row: i}
		for _, t := range terms {
			s.node[t.Var] = int32(len(s.nodes))
			c.members = append(c.members, int32(t.Var))
		}
		s.nodes = append(s.nodes, c)
	}
	for i := range in.rhs {
		if i%pollEvery == 0 && ctx.Err() != nil {
			return nil
		}
		if !isNode[i] {
			s.addRow(in, i)
		}
	}
	if len(s.rows) == 0 || !s.link(ctx, in) {
		return nil
	}
	return s
}

func taken(terms []solve.Term, node []int32) bool {
	for _, t := range terms {
		if node[t.Var] >= 0 {
			return true
		}
	}
	return false
}

// fixedEnd reports whether exactly-one row i looks like the marginal of a fixed
// node: each of its variables has one other entry, in a row that sets sums equal.
func (in *instance) fixedEnd(i int) bool {
	for _, t := range in.m.Rows[i].Terms {
		if in.start[t.Var+1]-in.start[t.Var] != 2 {
			return false
		}
		for k := in.start[t.Var]; k < in.start[t.Var+1]; k++ {
			r := int(in.row[k])
			if r != i && (in.coef[k] != 1 || in.sense[r] != solve.EQ || in.rhs[r] != 0) {
				return false
			}
		}
	}
	return true
}

// addRow takes row i as a marginal or a side row if it has the form of one.
func (s *selection) addRow(in *instance, i int) {
	terms := in.m.Rows[i].Terms
	if in.sense[i] == solve.LE {
		for _, t := range terms {
			if s.node[t.Var] < 0 || t.Coef < 0 {
				return
			}
		}
		for _, t := range terms {
			s.uses[t.Var] = append(s.uses[t.Var], use{int32(len(s.side)), t.Coef})
		}
		s.side = append(s.side, sideRow{i, in.rhs[i]})
		return
	}
	r := marginal{row: i, node: -1}
	for _, t := range terms {
		node := s.node[t.Var]
		switch {
		case t.Coef == -1 && node >= 0 && (r.node < 0 || r.node == node):
			r.node = node
			r.members = append(r.members, int32(t.Var))
		case t.Coef == 1 && node < 0 && in.m.Vars[t.Var].Lower == 0:
			r.pairs = append(r.pairs, int32(t.Var))
		default:
			return
		}
	}
	if in.sense[i] != solve.EQ || len(r.pairs) == 0 || (r.node < 0) != (in.rhs[i] == 1) || (r.node >= 0 && in.rhs[i] != 0) {
		return
	}
	s.rows = append(s.rows, r)
}

// link ties pair variables and nodes to the marginal rows. Rows with a variable
// that is not in exactly two marginal rows are dropped. False if none is left.
func (s *selection) link(ctx context.Context, in *instance) bool {
	keep := s.rows
	for ctx.Err() == nil {
		count := make([]int, len(in.cost))
		for _, r := range keep {
			for _, j := range r.pairs {
				count[j]++
			}
		}
		var next []marginal
		for _, r := range keep {
			good := true
			for _, j := range r.pairs {
				good = good && count[j] == 2 && in.start[j+1]-in.start[j] == 2
			}
			if good {
				next = append(next, r)
			}
		}
		if len(next) == len(keep) {
			break
		}
		keep = next
	}
	s.rows = keep
	for k := range s.rows {
		for _, j := range s.rows[k].pairs {
			if p := &s.pair[j]; p.a < 0 {
				p.a = int32(k)
			} else {
				p.b = int32(k)
			}
		}
		for _, j := range s.rows[k].members {
			s.at[j] = append(s.at[j], int32(k))
		}
	}
	if ctx.Err() != nil {
		return false
	}
	s.direct()
	return len(s.rows) > 0
}

// direct sorts the rows of a node by where they lead, and counts shares.
func (s *selection) direct() {
	back, fwd := make([]int64, len(s.node)), make([]int64, len(s.node))
	for k := range s.rows {
		r := &s.rows[k]
		if r.node < 0 {
			continue
		}
		n := &s.nodes[r.node]
		count := back
		switch to := s.rows[s.pair[r.pairs[0]].other(int32(k))].node; {
		case to < 0:
			n.fixed = append(n.fixed, int32(k))
			continue
		case to < r.node:
			n.back = append(n.back, int32(k))
		default:
			n.fwd = append(n.fwd, int32(k))
			count = fwd
		}
		for _, j := range r.members {
			count[j]++
		}
	}
	for k := range s.rows {
		for _, j := range s.rows[k].members {
			s.rows[k].share = max(s.rows[k].share, back[j], fwd[j])
		}
	}
}
