package exchange

import (
	"cmp"
	"slices"
)

// precedence is an R9 dependency: the later message on this tile must keep a
// distance to the earlier one. With both ends as times of the same tile,
// (start of the later access) ≥ (start of the earlier access) + gap.
type precedence struct {
	earlier, later int32 // messages
	lag            int32 // x_later ≥ x_earlier + lag
}

// access is one read or write of a byte range of a tile by a message.
type access struct {
	message    int32
	begin, end uint32
	write      bool
}

// precedences lists the R9 dependencies (reference: exchange.md §5) that imply
// all others, ordered by the later message: a read follows the last write of
// its bytes, a write follows the last write and all reads since. What these
// chains leave out follows by adding their lags, which are all on one clock.
func precedences(p *Problem, roles []tileRoles) []precedence {
	found := make([][]precedence, len(roles))
	parallel(len(roles), func(from, to int) {
		for t := from; t < to; t++ {
			r := &roles[t]
			if len(r.receives) == 0 {
				continue // without a write there is no order to keep
			}
			accesses := r.accesses(p)
			if conflicting(accesses) {
				found[t] = appendHazards(nil, p, r.tile, accesses)
			}
		}
	})
	out := slices.Concat(found...)
	slices.SortFunc(out, func(a, b precedence) int {
		return cmp.Or(cmp.Compare(a.later, b.later), cmp.Compare(a.earlier, b.earlier), cmp.Compare(b.lag, a.lag))
	})
	return slices.CompactFunc(out, func(a, b precedence) bool { return a.earlier == b.earlier && a.later == b.later })
}

// accesses are those of the tile in program order.
func (r *tileRoles) accesses(p *Problem) []access {
	out := make([]access, 0, len(r.sends)+len(r.receives))
	for _, i := range r.sends {
		m := &p.Messages[i]
		for _, a := range m.SourceAddrs {
			out = append(out, access{i, a, a + 4*uint32(m.Words), false})
		}
	}
	for _, i := range r.receives {
		m := &p.Messages[i]
		a := m.dest(r.tile).Addr
		out = append(out, access{i, a, a + 4*uint32(m.Words), true})
	}
	slices.SortStableFunc(out, func(a, b access) int { return cmp.Compare(a.message, b.message) })
	return out
}

func (m *Message) dest(tile int32) Dest {
	return m.Dests[slices.IndexFunc(m.Dests, func(d Dest) bool { return d.Tile == tile })]
}

// conflicting tells whether two accesses of different messages share a byte
// that at least one of them writes.
func conflicting(accesses []access) bool {
	order := make([]uint64, len(accesses)) // by first byte; numbers sort faster than structs
	for k := range accesses {
		order[k] = uint64(accesses[k].begin)<<32 | uint64(k)
	}
	slices.Sort(order)
	anyEnd, writeEnd := uint32(0), uint32(0) // furthest end so far, of all and of writes
	for _, key := range order {
		a := &accesses[uint32(key)]
		if a.begin < writeEnd || a.write && a.begin < anyEnd {
			return true
		}
		anyEnd = max(anyEnd, a.end)
		if a.write {
			writeEnd = max(writeEnd, a.end)
		}
	}
	return false
}

// appendHazards walks the accesses in program order over the pieces that all
// their ends cut the address range into.
func appendHazards(out []precedence, p *Problem, tile int32, accesses []access) []precedence {
	cuts := make([]uint32, 0, 2*len(accesses))
	for _, a := range accesses {
		cuts = append(cuts, a.begin, a.end)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	type piece struct {
		writer  int32 // last writer + 1, 0 for none
		readers []int32
	}
	pieces := make([]piece, len(cuts))
	rt := routes()
	// lead is how long after its own start the access of a message begins.
	lead := func(i int32, write bool) int32 {
		if !write {
			return 0
		}
		m := &p.Messages[i]
		return 1 + rt.lag(m.Source, tile, m.Paired) + rt.writeDelay(tile) + m.format()
	}
	order := func(i int32, iWrites bool, j int32, jWrites bool) {
		if i == j {
			return
		}
		gap := p.Messages[i].Items()
		if iWrites && !jWrites {
			gap += guard
		}
		out = append(out, precedence{i, j, lead(i, iWrites) + gap - lead(j, jWrites)})
	}
	for _, a := range accesses {
		first, _ := slices.BinarySearch(cuts, a.begin)
		last, _ := slices.BinarySearch(cuts, a.end)
		for k := first; k < last; k++ {
			c := &pieces[k]
			if c.writer > 0 {
				order(c.writer-1, true, a.message, a.write)
			}
			if !a.write {
				c.readers = append(c.readers, a.message)
				continue
			}
			for _, i := range c.readers {
				order(i, false, a.message, true)
			}
			c.writer, c.readers = a.message+1, c.readers[:0]
		}
	}
	return out
}
