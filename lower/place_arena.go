package lower

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"ipusolve/device"
	"ipusolve/encode"
	"ipusolve/model"
)

// tileClass is a placement problem and the tiles that state it: single tiles, or
// the even tiles of pairs.
type tileClass struct {
	arena  *encode.Arena
	tiles  []int32
	paired bool
}

// items lists the program items of the class's arena on one of its tiles.
func (c *tileClass) items(p *Program, byTile tileLists, tile int32) []int32 {
	var list []int32
	for t := tile; t <= tile+1 && (t == tile || c.paired); t++ {
		for _, id := range byTile.on(int(t)) {
			if p.Items[id].Bytes > 0 {
				list = append(list, id)
			}
		}
	}
	return list
}

// arenas states the placement of every tile, or pair of tiles where some receive
// buffers want equal addresses, and merges equal ones.
//
//	program                          arena
//	tile of a pair                   space
//	memory class                     class
//	SRAM element                     bank
//	Item.Apart                       Apart that must hold, in bytes
//	sent from and received into      Apart with the words that would wait
//	paired message's two receivers   Equal with the message's words
//	rows, code, symbols              not in a range
func arenas(p *Program, m MemoryMap) []*tileClass {
	byTile := itemsByTile(p)
	local := make([]int32, len(p.Items)) // number among the non-empty items of a tile
	for t := range p.Tiles {
		n := int32(0)
		for _, id := range byTile.on(t) {
			local[id] = n
			if p.Items[id].Bytes > 0 {
				n++
			}
		}
	}
	b := &arenaBuilder{p: p, byTile: byTile, local: local, uses: accesses(p, local), equal: p.equals(), m: m}
	var classes []*tileClass
	known := map[string]*tileClass{}
	add := func(tile int, paired bool) {
		a, key := b.build(tile, paired)
		c := known[string(key)]
		if c == nil {
			c = &tileClass{arena: a, paired: paired}
			known[string(key)] = c
			classes = append(classes, c)
		}
		c.tiles = append(c.tiles, int32(tile))
	}
	for t := 0; t < len(p.Tiles); t += 2 {
		if len(b.equal[t/2]) > 0 {
			add(t, true)
			continue
		}
		add(t, false)
		if t+1 < len(p.Tiles) {
			add(t+1, false)
		}
	}
	return classes
}

// equalWish is two items of a pair and the words that would move paired.
type equalWish struct {
	even, odd int32
	words     int64
}

// equals lists, per pair of tiles, which receive buffers want equal addresses, by
// item.
func (p *Program) equals() [][]equalWish {
	out := make([][]equalWish, (len(p.Tiles)+1)/2)
	at := map[[2]int32]int{}
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
			for _, d := range pairs {
				key := [2]int32{d[0].Item, d[1].Item}
				w := &out[p.Items[d[0].Item].Tile/2]
				k, ok := at[key]
				if !ok {
					k = len(*w)
					at[key] = k
					*w = append(*w, equalWish{even: key[0], odd: key[1]})
				}
				(*w)[k].words += int64(t.Words)
			}
		}
	}
	for _, w := range out {
		slices.SortFunc(w, func(a, b equalWish) int { return cmp.Or(cmp.Compare(a.even, b.even), cmp.Compare(a.odd, b.odd)) })
	}
	return out
}

type arenaBuilder struct {
	p      *Program
	byTile tileLists
	local  []int32
	uses   [][]access
	equal  [][]equalWish // per pair
	m      MemoryMap
	key    []byte
}

// build states the problem of a tile or a pair; equal problems have equal keys.
func (b *arenaBuilder) build(tile int, paired bool) (*encode.Arena, []byte) {
	a := newArena(b.m)
	b.key = binary.AppendVarint(b.key[:0], int64(len(b.byTile.on(tile))))
	b.space(a, tile, 0, 0)
	if paired {
		first := len(a.Items)
		b.space(a, tile+1, 1, first)
		for _, e := range b.equal[tile/2] {
			b.wish(a, int(b.local[e.even]), first+int(b.local[e.odd]), e.words)
		}
	}
	return a, b.key
}

// newArena is the memory of a tile.
func newArena(m MemoryMap) *encode.Arena {
	high := encode.Interval{Start: device.InterleaveBase, End: max(int64(m.InterleavedEnd), device.InterleaveBase)}
	a := &encode.Arena{Name: "tile", Classes: []encode.ArenaClass{model.Standard: {Name: model.Standard.String()},
		model.Interleaved: {Name: model.Interleaved.String(), Ranges: []encode.Interval{high}}}}
	std := &a.Classes[model.Standard]
	for _, r := range m.Standard {
		std.Ranges = append(std.Ranges, encode.Interval{Start: int64(r.Start), End: int64(r.End)})
	}
	// Addresses go on across 0x80000: only interleaved items have to lie behind it.
	if n := len(std.Ranges); n > 0 && std.Ranges[n-1].End == high.Start {
		std.Ranges[n-1].End = high.End
	} else {
		std.Ranges = append(std.Ranges, high)
	}
	for x := int64(device.SRAMBase); x < device.InterleaveBase; x += device.StandardElement {
		a.Banks = append(a.Banks, x)
	}
	for x := int64(device.InterleaveBase); x < max(device.SRAMEnd, high.End); x += device.InterleaveElement {
		a.Banks = append(a.Banks, x)
	}
	return a
}

func (b *arenaBuilder) number(list ...int64) {
	for _, x := range list {
		b.key = binary.AppendVarint(b.key, x)
	}
}

// space adds the items of a tile; the first of them is number first.
func (b *arenaBuilder) space(a *encode.Arena, tile, space, first int) {
	var ids []int32 // by local number
	for _, id := range b.byTile.on(tile) {
		it := &b.p.Items[id]
		if it.Bytes == 0 {
			continue
		}
		ids = append(ids, id)
		x := encode.ArenaItem{ID: strconv.Itoa(len(a.Items)), Space: space, Class: int(it.Class), Lower: int64(it.First), Upper: int64(it.Last) + 1,
			Size: int64(it.Bytes), Align: int64(it.Align)}
		// The tail only has to exist.
		if end := int64(device.SRAMEnd) - int64(it.Tail); it.Tail > 0 && int64(b.m.InterleavedEnd) > end && b.m.InterleavedEnd <= device.SRAMEnd {
			x.Forbidden = []encode.Interval{{Start: end, End: device.SRAMEnd}}
		}
		if in := it.Inside; in != nil {
			x.Inside = &encode.Inside{Host: first + int(b.local[in.Item]), Offset: int64(in.Offset)}
			b.number(-4, int64(x.Inside.Host), x.Inside.Offset)
		}
		a.Items = append(a.Items, x)
		b.number(-1, int64(space), int64(x.Class), x.Lower, x.Upper, x.Size, x.Align, int64(it.Tail))
	}
	part := func(id int32) encode.Part {
		it := &b.p.Items[id]
		return encode.Part{Item: first + int(b.local[id]), End: int64(it.Bytes) + int64(it.Tail)}
	}
	for _, id := range ids {
		for _, o := range b.p.Items[id].Apart {
			if id < o && b.p.Items[o].Bytes > 0 {
				b.keep(a, encode.Apart{A: part(id), B: part(o)})
			}
		}
	}
	uses := b.uses[tile]
	for i := range uses {
		for j := range uses {
			s, r := &uses[i], &uses[j]
			// An item that does both cannot be kept apart from itself, nor from a part of it.
			if s.phase == r.phase && !s.receives && r.receives && s.item != r.item && !b.p.inside(ids[s.item], ids[r.item]) {
				b.keep(a, encode.Apart{A: encode.Part{Item: first + int(s.item), Start: int64(s.lo), End: int64(s.hi)},
					B: encode.Part{Item: first + int(r.item), Start: int64(r.lo), End: int64(r.hi)}, Weight: min(s.words, r.words)})
			}
		}
	}
}

func (b *arenaBuilder) keep(a *encode.Arena, x encode.Apart) {
	a.Apart = append(a.Apart, x)
	b.number(-2, int64(x.A.Item), x.A.Start, x.A.End, int64(x.B.Item), x.B.Start, x.B.End, x.Weight)
}

func (b *arenaBuilder) wish(a *encode.Arena, i, j int, words int64) {
	a.Equal = append(a.Equal, encode.Equal{A: i, B: j, Weight: words})
	b.number(-3, int64(i), int64(j), words)
}

// access is the byte range of an item that a tile sends from or receives into
// in one phase, and how many words.
type access struct {
	phase, item int32
	receives    bool
	lo, hi      uint32
	words       int64
}

// accesses lists, per tile, what its items do in the phases: by phase, item
// number, sends first. Items are numbered within the tile.
func accesses(p *Program, local []int32) [][]access {
	list := make([][]access, len(p.Tiles))
	type key struct {
		item     int32
		receives bool
	}
	for id := range p.Phases {
		span := map[key]access{}
		add := func(r Ref, receives bool, bytes uint32) {
			k := key{r.Item, receives}
			s, ok := span[k]
			if !ok {
				s = access{int32(id), local[k.item], k.receives, r.Offset, r.Offset + bytes, 0}
			}
			s.lo, s.hi, s.words = min(s.lo, r.Offset), max(s.hi, r.Offset+bytes), s.words+int64(bytes/4)
			span[k] = s
		}
		for i := range p.Phases[id].Transfers {
			t := &p.Phases[id].Transfers[i]
			add(t.Source, false, uint32(t.Words)*4)
			for _, d := range t.Dests {
				add(d, true, uint32(t.Words)*4)
			}
		}
		for k, s := range span {
			tile := p.Items[k.item].Tile
			list[tile] = append(list[tile], s)
		}
	}
	for t := range list {
		slices.SortFunc(list[t], func(a, b access) int {
			recv := func(x access) int {
				if x.receives {
					return 1
				}
				return 0
			}
			return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.item, b.item), recv(a)-recv(b))
		})
	}
	return list
}
