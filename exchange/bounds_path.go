package exchange

import "slices"

// path is bound F: the longest chain of memory dependencies (R9), with the head
// of its first and the end of its last message. Every dependency is a smallest
// distance of two starts, so a chain of them adds up (reference: exchange.md §13).
func (b *bounder) path() Bound {
	before := precedences(b.p, b.roles)
	if len(before) == 0 {
		return Bound{}
	}
	earliest, from := slices.Clone(b.head), make([]int32, len(b.head))
	for i := range from {
		from[i] = -1
	}
	for _, o := range before { // ordered by the later message, behind the earlier one
		if x := earliest[o.earlier] + o.lag; x > earliest[o.later] {
			earliest[o.later], from[o.later] = x, o.earlier
		}
	}
	best, last := int32(0), int32(-1)
	for i, x := range earliest {
		if h := x + b.end[i]; h > best {
			best, last = h, int32(i)
		}
	}
	var chain []int32
	for i := last; i >= 0; i = from[i] {
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	return Bound{best, Witness{Kind: BoundPath, Tile: b.p.Messages[chain[0]].Source, Side: BothSides, Messages: chain}}
}
