package encode

import (
	"fmt"
	"math"
)

// Selection asks for one candidate per node so that the sum of candidate costs
// and of the pair costs of all edges is least and no limit is exceeded.
type Selection struct {
	Name   string
	Nodes  []Node
	Edges  []Edge
	Limits []Limit
}

// Node is one choice.
type Node struct {
	Name       string
	Candidates []Candidate
	// Counts says for every entry of Candidate.Use in which limits it counts
	// (indices into Selection.Limits, no duplicates).
	Counts [][]int
	// Describe names candidate i in models and messages; unique within the node.
	Describe func(i int) string
}

// Candidate is one way to decide a node.
type Candidate struct {
	Cost  int64
	Class int32   // interface class, ≥ 0, what edges see
	Use   []int64 // amounts ≥ 0, one per entry of Node.Counts
}

// Edge couples the candidates of two nodes.
type Edge struct {
	Name     string
	From, To int // nodes, From ≠ To
	Pair     Pair
	// Forbidden tells the pairs that may not be chosen; nil when all may.
	Forbidden func(a, b int32) bool
}

// Pair prices the classes a of Edge.From and b of Edge.To.
//
// For all a, b whose pair is allowed: Left(a)+Right(b) ≤ LowerBound(a,b) ≤ Exact(a,b) ≤
// Left(a)+Right(b)+Spread(a). Values are comparable (pointers, say): edges whose Pair is
// equal have equal costs.
type Pair interface {
	Left(a int32) int64
	Right(b int32) int64
	Spread(a int32) int64
	LowerBound(a, b int32) int64
	Exact(a, b int32) int64 // may be slow
}

// Limit bounds the total use of a resource, e.g. the bytes of a memory class at
// one program step.
type Limit struct {
	Name   string
	Amount int64
}

// Choice is a candidate index per node.
type Choice []int

// Cost is the exact cost of a choice without forbidden pairs.
func (s *Selection) Cost(c Choice) int64 {
	var total int64
	for n, i := range c {
		total += s.Nodes[n].Candidates[i].Cost
	}
	for _, e := range s.Edges {
		total += e.Pair.Exact(s.Nodes[e.From].Candidates[c[e.From]].Class, s.Nodes[e.To].Candidates[c[e.To]].Class)
	}
	return total
}

// Uses is the total use of every limit.
func (s *Selection) Uses(c Choice) []int64 {
	uses := make([]int64, len(s.Limits))
	for n, i := range c {
		s.addUses(uses, n, i)
	}
	return uses
}

func (s *Selection) addUses(uses []int64, node, cand int) {
	for j, amount := range s.Nodes[node].Candidates[cand].Use {
		for _, l := range s.Nodes[node].Counts[j] {
			uses[l] += amount
		}
	}
}

// Fits reports whether the choice respects all limits and uses no forbidden pair.
func (s *Selection) Fits(c Choice) bool {
	for _, e := range s.Edges {
		if e.Forbidden != nil && e.Forbidden(s.Nodes[e.From].Candidates[c[e.From]].Class, s.Nodes[e.To].Candidates[c[e.To]].Class) {
			return false
		}
	}
	for l, u := range s.Uses(c) {
		if u > s.Limits[l].Amount {
			return false
		}
	}
	return true
}

// Validate checks indices and signs; it does not call pair functions.
func (s *Selection) Validate() error {
	for n := range s.Nodes {
		node := &s.Nodes[n]
		for j, counts := range node.Counts {
			for _, l := range counts {
				if l < 0 || l >= len(s.Limits) {
					return fmt.Errorf("encode: node %s: use %d counts in limit %d of %d", node.Name, j, l, len(s.Limits))
				}
			}
		}
		for i, c := range node.Candidates {
			if len(c.Use) != len(node.Counts) || c.Class < 0 || c.Cost > math.MaxInt64/4 || c.Cost < -math.MaxInt64/4 {
				return fmt.Errorf("encode: node %s: candidate %d is malformed", node.Name, i)
			}
			for _, u := range c.Use {
				if u < 0 {
					return fmt.Errorf("encode: node %s: candidate %d uses %d", node.Name, i, u)
				}
			}
		}
	}
	for _, e := range s.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(s.Nodes) || e.To >= len(s.Nodes) || e.From == e.To || e.Pair == nil {
			return fmt.Errorf("encode: edge %s joins nodes %d and %d of %d", e.Name, e.From, e.To, len(s.Nodes))
		}
	}
	return nil
}
