package check

import (
	"ipusolve/device"
	"ipusolve/lower"
)

// Figures are what a placement reaches.
type Figures struct {
	Top    uint32 // end of the highest item of any tile
	Phases []PhaseFigures
}

// PhaseFigures are those of one exchange phase.
type PhaseFigures struct {
	// Pairable messages could move 64 bits an event at suitable addresses;
	// Eligible ones can: both tiles of every receiving pair have one address
	// (reference: exchange.md §6). Words are those sent.
	Pairable, Eligible           int
	PairableWords, EligibleWords int64
	// EqualWords are delivered by pairable messages to pairs at one address.
	EqualWords int64
	// OverlapWords counts, for a buffer that a tile sends from and another that it
	// receives into with an SRAM element in common, the fewer words of the two.
	OverlapWords int64
	// SharedTiles send from and receive into a common element.
	SharedTiles int
}

// Measure takes the figures of a placed program that Check accepts.
func Measure(p *lower.Program) Figures {
	var f Figures
	for i := range p.Items {
		if it := &p.Items[i]; it.Bytes > 0 {
			f.Top = max(f.Top, it.Addr+it.Bytes)
		}
	}
	for id := range p.Phases {
		x := PhaseFigures{}
		for i := range p.Phases[id].Transfers {
			x.pairing(p, &p.Phases[id].Transfers[i])
		}
		x.overlaps(p, &p.Phases[id])
		f.Phases = append(f.Phases, x)
	}
	return f
}

// pairing counts a message.
func (x *PhaseFigures) pairing(p *lower.Program, t *lower.Transfer) {
	type end struct {
		addr, offset uint32
		seen         bool
	}
	const least = 128 // words of a paired message
	n := int(t.Words) / 2
	from := int(p.Items[t.Source.Item].Tile)
	if int(t.Words) < least || int(t.Words) != 2*n || t.Source.Offset%8 != 0 || device.Partner(from) >= len(p.Tiles) {
		return
	}
	ends := map[int]end{}
	for _, d := range t.Dests {
		ends[int(p.Items[d.Item].Tile)] = end{p.Items[d.Item].Addr + d.Offset, d.Offset, true}
	}
	if ends[device.Partner(from)].seen {
		return
	}
	equal, eligible := int64(0), (p.Items[t.Source.Item].Addr+t.Source.Offset)%8 == 0
	for _, d := range t.Dests {
		tile := int(p.Items[d.Item].Tile)
		mine, other := ends[tile], ends[device.Partner(tile)]
		y := device.CoordOf(device.Physical(tile)).Y
		if !other.seen || other.offset != mine.offset || mine.offset%8 != 0 || n == 51+2*y || n == 53+2*y {
			return
		}
		same := mine.addr == other.addr && mine.addr%8 == 0
		eligible = eligible && same
		if same && tile < device.Partner(tile) {
			equal += int64(t.Words)
		}
	}
	x.Pairable++
	x.PairableWords += int64(t.Words)
	x.EqualWords += equal
	if eligible {
		x.Eligible++
		x.EligibleWords += int64(t.Words)
	}
}

// overlaps compares what each tile sends from with what it receives into.
func (x *PhaseFigures) overlaps(p *lower.Program, phase *lower.Phase) {
	type use struct {
		item   int32
		lo, hi uint32 // bytes of the item
		words  int64
	}
	sends, receives := make([][]use, len(p.Tiles)), make([][]use, len(p.Tiles))
	exact := [2][]device.ElementSet{make([]device.ElementSet, len(p.Tiles)), make([]device.ElementSet, len(p.Tiles))}
	at := map[lower.Ref]int{} // item and direction → place in the list
	note := func(lists [][]use, direction int, r lower.Ref, words int32) {
		tile := p.Items[r.Item].Tile
		exact[direction][tile] |= device.Elements(p.Items[r.Item].Addr+r.Offset, 4*uint32(words))
		key := lower.Ref{Item: r.Item, Offset: uint32(direction)}
		k, ok := at[key]
		if !ok {
			k = len(lists[tile])
			at[key] = k
			lists[tile] = append(lists[tile], use{item: r.Item, lo: r.Offset, hi: r.Offset})
		}
		u := &lists[tile][k]
		u.lo, u.hi, u.words = min(u.lo, r.Offset), max(u.hi, r.Offset+4*uint32(words)), u.words+int64(words)
	}
	for i := range phase.Transfers {
		t := &phase.Transfers[i]
		note(sends, 0, t.Source, t.Words)
		for _, d := range t.Dests {
			note(receives, 1, d, t.Words)
		}
	}
	for tile := range sends {
		if exact[0][tile]&exact[1][tile] != 0 {
			x.SharedTiles++
		}
		for _, s := range sends[tile] {
			for _, r := range receives[tile] {
				a, b := p.Items[s.item].Addr, p.Items[r.item].Addr
				if in := p.Items[s.item].Inside; in != nil && in.Item == r.item {
					continue // a part of it
				}
				if s.item != r.item && device.Elements(a+s.lo, s.hi-s.lo)&device.Elements(b+r.lo, r.hi-r.lo) != 0 {
					x.OverlapWords += min(s.words, r.words)
				}
			}
		}
	}
}
