package encode

import (
	"fmt"
	"slices"
	"strings"
)

// kinds groups what looks alike in a selection: nodes that share their candidates
// and the pair costs on both sides, and limits in which such nodes count alike.
// Sums over a kind take the place of its members where a bound is concerned: the
// multipliers of limits that are alike may be taken equal.
type kinds struct {
	of     []int   // kind of each node
	nodes  [][]int // members, ascending
	limits [][]int // limits alike
	// counts[k][L] are, per entry of Candidate.Use, how often the nodes of kind k
	// count in the limits of group L.
	counts [][][]int64
}

// findKinds groups the nodes; alike groups the limits.
func findKinds(s *Selection) *kinds {
	g := &kinds{of: make([]int, len(s.Nodes))}
	ids := map[any]int{}
	id := func(v any) int {
		if v == nil {
			return -1
		}
		n, ok := ids[v]
		if !ok {
			n = len(ids)
			ids[v] = n
		}
		return n
	}
	names := make([]string, len(s.Nodes))
	for n := range s.Nodes {
		if c := s.Nodes[n].Candidates; len(c) > 0 {
			names[n] = fmt.Sprint(id(&c[0]), len(c), len(s.Nodes[n].Counts))
		} else {
			names[n] = fmt.Sprint("empty", n)
		}
	}
	for _, e := range s.Edges {
		p := id(e.Pair)
		names[e.From] += fmt.Sprint(">", p)
		names[e.To] += fmt.Sprint("<", p)
	}
	known := map[string]int{}
	for n, name := range names {
		k, ok := known[name]
		if !ok {
			k = len(g.nodes)
			known[name] = k
			g.nodes = append(g.nodes, nil)
		}
		g.of[n] = k
		g.nodes[k] = append(g.nodes[k], n)
	}
	return g
}

// alike groups the limits by their amount and the kinds and entries that count.
func (g *kinds) alike(s *Selection) {
	parts := make([][]string, len(s.Limits))
	for n := range s.Nodes {
		entries := make([][]int, len(s.Limits))
		for j, limits := range s.Nodes[n].Counts {
			for _, l := range limits {
				entries[l] = append(entries[l], j)
			}
		}
		for l, list := range entries {
			if len(list) > 0 {
				parts[l] = append(parts[l], fmt.Sprint(g.of[n], list))
			}
		}
	}
	group := make([]int, len(s.Limits))
	known := map[string]int{}
	for l := range s.Limits {
		slices.Sort(parts[l])
		name := fmt.Sprint(s.Limits[l].Amount, strings.Join(parts[l], ""))
		k, ok := known[name]
		if !ok {
			k = len(g.limits)
			known[name] = k
			g.limits = append(g.limits, nil)
		}
		group[l] = k
		g.limits[k] = append(g.limits[k], l)
	}
	g.counts = make([][][]int64, len(g.nodes))
	for k, members := range g.nodes {
		entries := len(s.Nodes[members[0]].Counts)
		g.counts[k] = make([][]int64, len(g.limits))
		for l := range g.limits {
			g.counts[k][l] = make([]int64, entries)
		}
		for _, n := range members {
			for j, limits := range s.Nodes[n].Counts {
				for _, l := range limits {
					g.counts[k][group[l]][j]++
				}
			}
		}
	}
}
