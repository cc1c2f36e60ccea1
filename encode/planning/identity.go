package planning

import (
	"fmt"

	"ipusolve/encode"
	"ipusolve/kernels"
)

// Sums on the matrix unit need identity blocks in memory, one per remote partial.
// All sums of a tile share one stack, so its size is a choice of its own: a node
// with a candidate per size that some sum needs, which costs nothing but memory at
// every event. One limit per stage keeps the stage's need within the stack:
//
//	need(candidate) + (most − size(stack)) ≤ most
//
// in bytes, most being the largest size. The largest comes first, so that searches
// that start from the first candidate leave sums free where memory is plenty.

// identityNode adds the node and its limits to a selection whose stages are its
// first nodes; none if no candidate sums on the matrix unit.
func (b *builder) identityNode() {
	sizes := map[int64]bool{0: true}
	var most int64
	for i := range b.gemms {
		for _, c := range b.sel.Nodes[i].Candidates {
			n := c.Use[identityNeed]
			sizes[n], most = true, max(most, n)
		}
	}
	if most == 0 {
		return
	}
	var memory, needs []int
	for l := range b.sel.Limits {
		memory = append(memory, l)
	}
	for i := range b.gemms {
		l := len(b.sel.Limits)
		b.sel.Limits = append(b.sel.Limits, encode.Limit{Name: "identity/" + b.chain.Stages[i].Gemm.Name, Amount: most})
		b.offsets = append(b.offsets, encode.Fixed)
		needs = append(needs, l)
		b.sel.Nodes[i].Counts[identityNeed] = []int{l}
	}
	node := encode.Node{Name: "identity", Counts: [][]int{memory, needs}}
	var listed []int64
	for n := most; n >= 0; n -= kernels.IdentityBlock {
		if sizes[n] {
			listed = append(listed, n)
			node.Candidates = append(node.Candidates, encode.Candidate{Use: []int64{n, most - n}})
		}
	}
	node.Describe = func(c int) string { return fmt.Sprint(listed[c]) }
	b.identity = len(b.sel.Nodes)
	b.sel.Nodes = append(b.sel.Nodes, node)
}

// trim makes the stack of a choice as small as its sums allow, which no limit
// minds and costs nothing.
func (b *builder) trim(c encode.Choice) {
	if b.identity == 0 {
		return
	}
	var need int64
	for i := range b.gemms {
		need = max(need, b.sel.Nodes[i].Candidates[c[i]].Use[identityNeed])
	}
	for s, cand := range b.sel.Nodes[b.identity].Candidates {
		if cand.Use[0] >= need {
			c[b.identity] = s // sizes fall
		}
	}
}
