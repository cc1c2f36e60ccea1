package lower

import (
	"cmp"
	"slices"

	"ipusolve/device"
	"ipusolve/model"
)

// MeasurePlacement measures the addresses that the items have; it knows of no
// classes and bounds.
func MeasurePlacement(p *Program, m MemoryMap) PlaceStats { return placeStats(p, m, itemsByTile(p)) }

// placeStats measures a placement.
func placeStats(p *Program, m MemoryMap, byTile tileLists) PlaceStats {
	s := PlaceStats{Pairing: p.pairings()}
	for t := range p.Tiles {
		ids := byTile.on(t)
		var used []Range
		for _, id := range ids {
			it := &p.Items[id]
			used = append(used, Range{it.Addr, it.Addr + it.Bytes})
			if it.Bytes > 0 {
				s.Top = max(s.Top, it.Addr+it.Bytes)
			}
			if it.Class == model.Interleaved {
				s.InterleavedEnd = max(s.InterleavedEnd, it.Addr+it.Bytes)
			}
			// The most live bytes occur where some item begins.
			var live [2]uint32
			for _, o := range ids {
				if p.holds(o, it.First) {
					live[p.Items[o].Class] += p.Items[o].Bytes
				}
			}
			s.MaxLive[0], s.MaxLive[1] = max(s.MaxLive[0], live[0]), max(s.MaxLive[1], live[1])
			s.MaxLiveTotal = max(s.MaxLiveTotal, live[0]+live[1])
		}
		s.MaxUsed = max(s.MaxUsed, unionBytes(used))
	}
	s.Budget = m.DataBytes(s.Top)
	s.Overlaps = overlaps(p, byTile)
	for id := range p.Phases {
		sends := make([]device.ElementSet, len(p.Tiles))
		receives := make([]device.ElementSet, len(p.Tiles))
		for i := range p.Phases[id].Transfers {
			t := &p.Phases[id].Transfers[i]
			sends[p.Items[t.Source.Item].Tile] |= device.Elements(p.Address(t.Source), uint32(t.Words)*4)
			for _, d := range t.Dests {
				receives[p.Items[d.Item].Tile] |= device.Elements(p.Address(d), uint32(t.Words)*4)
			}
		}
		var shared []int32
		for t := range p.Tiles {
			if sends[t]&receives[t] != 0 {
				shared = append(shared, int32(t))
			}
		}
		s.SharedElementTiles = append(s.SharedElementTiles, shared)
	}
	return s
}

// unionBytes is the number of bytes that some range covers.
func unionBytes(list []Range) uint32 {
	slices.SortFunc(list, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	var n, end uint32
	for _, r := range list {
		if r.End > end {
			n += r.End - max(r.Start, end)
			end = r.End
		}
	}
	return n
}

// overlaps sums, per phase, the words of buffers that a tile sends from and of
// others that it receives into with an element in common: of two, the fewer. A
// part of a buffer is not another one.
func overlaps(p *Program, byTile tileLists) []int64 {
	local := make([]int32, len(p.Items))
	for t := range p.Tiles {
		for k, id := range byTile.on(t) {
			local[id] = int32(k)
		}
	}
	out := make([]int64, len(p.Phases))
	for t, uses := range accesses(p, local) {
		ids := byTile.on(t)
		set := func(u *access) device.ElementSet { return device.Elements(p.Items[ids[u.item]].Addr+u.lo, u.hi-u.lo) }
		for i := range uses {
			for j := range uses {
				s, r := &uses[i], &uses[j]
				if s.phase == r.phase && !s.receives && r.receives && s.item != r.item && !p.inside(ids[s.item], ids[r.item]) && set(s)&set(r) != 0 {
					out[s.phase] += min(s.words, r.words)
				}
			}
		}
	}
	return out
}
