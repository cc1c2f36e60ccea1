package exchange

// MemoryOrder lists which messages must wait for which because they touch a
// common byte of a tile that one of them writes (R9): pairs of an earlier and a
// later message by index, ordered by the later one. Pairs that follow from others
// are left out. The problem must be valid.
func MemoryOrder(p *Problem) [][2]int32 {
	list := precedences(p, p.roles())
	out := make([][2]int32, len(list))
	for i, o := range list {
		out[i] = [2]int32{o.earlier, o.later}
	}
	return out
}
