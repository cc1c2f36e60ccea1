package solve

import "math/big"

// Certificate proves a lower bound, or infeasibility, of a model by a
// branching tree. Every leaf carries a dual vector that bounds the objective
// (or excludes feasibility) inside the leaf's box. Nodes[0] is the root.
// solve/cert says exactly what makes one valid.
type Certificate struct {
	Status     Status      `json:"status"`
	Bound      *big.Rat    `json:"bound,omitempty"` // claimed; nil when infeasible
	Assignment             // incumbent, if any
	Duals      []Dual      `json:"duals"`
	Nodes      []ProofNode `json:"nodes"`
}

// Dual is a sparse dual vector: y[Rows[k]] = Num[k]/Den with Den > 0 and Rows
// ascending. Signs: ≥ 0 on ≥ rows, ≤ 0 on ≤ rows. Rows from the number of the
// model's rows on are the cuts (≤) and clauses (≥) of Nodes[0].Fix in their order.
// Engines put a vector of the root's relaxation without cuts first.
type Dual struct {
	Den  int64   `json:"den"`
	Rows []int   `json:"rows"`
	Num  []int64 `json:"num"`
}

// ProofNode is a node of the branching tree. Fix tightens its box first, one
// entry after the other.
//
// Leaf (Branch nil): Dual, an index into Duals, bounds the objective inside
// the node's box; with Farkas set it is a vector for the zero objective whose
// bound is positive, so that the box holds no feasible point.
//
// Inner node: Branch splits the box.
type ProofNode struct {
	Dual   int          `json:"dual"` // −1 when the node needs none
	Farkas bool         `json:"farkas,omitempty"`
	Fix    []Tightening `json:"fix,omitempty"`
	Branch *Branch      `json:"branch,omitempty"`
}

// Tightening changes bounds that Duals[Dual] justifies, each on its own in the
// box before the tightening: on the side that the change cuts off, the vector's
// bound is at least Certificate.Bound, or, with Farkas, its bound for the zero
// objective is positive. With Cut or Clause, at the root only, it adds a row
// instead; a clause needs no vector.
type Tightening struct {
	Dual   int           `json:"dual"`
	Farkas bool          `json:"farkas,omitempty"`
	Bounds []BoundChange `json:"bounds,omitempty"`
	Cut    *Cut          `json:"cut,omitempty"`
	Clause *Clause       `json:"clause,omitempty"`
}

// Clause is the row that one of its literals holds: variable v at 1 (written
// v+1) or at 0 (written −v−1), for integral variables that the model keeps in
// 0…1. It is justified by propagation: with the opposite of every literal, and
// whatever rows of the model and clauses before it leave no choice for, again and
// again, some row or clause cannot hold. If a bound is claimed, the row that the
// objective is less takes part: clauses then hold for all that is cheaper.
// Vectors may use a clause from there on. The one without literals is 0 ≥ 1.
type Clause struct {
	Literals []int `json:"literals"`
}

// Cut is the row Σ Vars ≤ Most over integral variables that the box at that
// point keeps in 0…1. It holds because Most+1 of them at 1, whichever they are,
// make the bound of its vector for the zero objective positive. Vectors may use
// it from there on.
type Cut struct {
	Vars []int `json:"vars"`
	Most int64 `json:"most"`
}

// BoundChange sets one bound of an integral variable.
type BoundChange struct {
	Var   int   `json:"var"`
	Upper bool  `json:"upper,omitempty"` // the upper bound, else the lower
	Bound int64 `json:"bound"`
}

// Branch splits a box in two; Down and Up are the indices of the children.
//
// With Zero empty: Var ≤ At in Down, Var ≥ At+1 in Up, for an integral Var.
//
// With Zero: Row is an exactly-one row (Model.ExactlyOne) and Zero some of its
// variables; they are 0 in Down, and the row's other variables are 0 in Up.
type Branch struct {
	Var  int   `json:"var"`
	At   int64 `json:"at"`
	Row  int   `json:"row"`
	Zero []int `json:"zero,omitempty"`
	Down int   `json:"down"`
	Up   int   `json:"up"`
}
