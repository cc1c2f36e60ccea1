package lower

import "ipusolve/device"

// Pairing tells which transfers of a phase can move 64 bits an event.
type Pairing struct {
	// Pairable transfers could, at suitable addresses: whole pairs of tiles
	// receive at equal offsets, and length, source and lengths that hardware
	// forbids suit (reference: exchange.md §6). Eligible ones can: each pair
	// receives at equal addresses. Words are those sent.
	Pairable, Eligible           int
	PairableWords, EligibleWords int64
}

// minPaired is the fewest words of a paired message (reference: exchange.md §6).
const minPaired = 128

// pairTargets lists the destinations of a transfer as pairs (even tile, odd
// tile); nil if addresses cannot make the transfer paired. next is scratch.
func (p *Program) pairTargets(t *Transfer, byTile map[int32]Ref, list [][2]Ref) [][2]Ref {
	source := p.Items[t.Source.Item].Tile
	partner := source ^ 1
	if t.Words%2 != 0 || t.Words < minPaired || len(t.Dests)%2 != 0 || t.Source.Offset%8 != 0 || int(partner) >= len(p.Tiles) {
		return nil
	}
	clear(byTile)
	for _, d := range t.Dests {
		tile := p.Items[d.Item].Tile
		if d.Offset%8 != 0 || tile == partner {
			return nil
		}
		byTile[tile] = d
	}
	list = list[:0]
	for _, d := range t.Dests {
		tile := p.Items[d.Item].Tile
		if tile%2 != 0 {
			continue
		}
		o, ok := byTile[tile+1]
		if !ok || o.Offset != d.Offset {
			return nil
		}
		// The format switch must not meet the source select or its end.
		n, y := t.Words/2, int32(device.CoordOf(device.Physical(int(tile))).Y)
		if n == 51+2*y || n == 53+2*y {
			return nil
		}
		list = append(list, [2]Ref{d, o})
	}
	if 2*len(list) != len(t.Dests) {
		return nil
	}
	return list
}

// pairings lists what can move paired, phase by phase, at the addresses the items
// have.
func (p *Program) pairings() []Pairing {
	out := make([]Pairing, len(p.Phases))
	byTile := map[int32]Ref{}
	var list [][2]Ref
	for id := range p.Phases {
		for i := range p.Phases[id].Transfers {
			t := &p.Phases[id].Transfers[i]
			pairs := p.pairTargets(t, byTile, list)
			if pairs == nil {
				continue
			}
			list = pairs
			x := &out[id]
			x.Pairable++
			x.PairableWords += int64(t.Words)
			eligible := p.Address(t.Source)%8 == 0
			for _, d := range pairs {
				eligible = eligible && p.Address(d[0]) == p.Address(d[1]) && p.Address(d[0])%8 == 0
			}
			if eligible {
				x.Eligible++
				x.EligibleWords += int64(t.Words)
			}
		}
	}
	return out
}
