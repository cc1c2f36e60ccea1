package exchange

import (
	"math/rand/v2"
)

// Instances of the shapes that matter, with send and receive data of a tile in
// different elements unless said.

const (
	sourceBase = 0x80000 // interleaved region
	destBase   = 0x60000 // standard region
	tileCount  = 1472
)

func unicast(s, d int, from, to uint32, words int) Message {
	return Message{Source: int32(s), SourceAddrs: []uint32{from}, Dests: []Dest{{int32(d), to}}, Words: int32(words)}
}

// shifts is k rounds of a random cyclic shift of all tiles, w words a message.
func shifts(tiles, k, w int, seed uint64) *Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &Problem{Tiles: tiles}
	for round := range k {
		by := 1 + rng.IntN(tiles-1)
		for t := range tiles {
			at := uint32(4 * w * round)
			p.Messages = append(p.Messages, unicast(t, (t+by)%tiles, sourceBase+at, destBase+at, w))
		}
	}
	return p
}

// regrid is a retile of an f16 matrix in 16-column panels from a grid of blocks
// to row-major linear pieces, as between two GEMMs (reference: lowering.md §6.1
// phase 2): messages of 8 words.
func regrid(rows, cols, rowParts, colParts, tiles int) *Problem {
	p := &Problem{Tiles: tiles}
	const grain = 16
	split := func(total, parts, j int) int { // start of part j
		return j*(total/parts) + min(j, total%parts)
	}
	grains := rows * cols / grain
	owner := make([]int, grains)
	offset := make([]int, grains)
	for t := range tiles {
		a, b := split(grains, tiles, t), split(grains, tiles, t+1)
		for g := a; g < b; g++ {
			owner[g], offset[g] = t, g-a
		}
	}
	for rp := range rowParts {
		r0, r1 := 2*split((rows+1)/2, rowParts, rp), 2*split((rows+1)/2, rowParts, rp+1)
		for cp := range colParts {
			c0, c1 := grain*split(cols/grain, colParts, cp), grain*split(cols/grain, colParts, cp+1)
			s := cp + colParts*rp
			for r := r0; r < min(r1, rows); r++ {
				for c := c0; c < c1; c += grain {
					g := (r*cols + c) / grain
					if owner[g] == s {
						continue
					}
					from := uint32(((c-c0)/grain*(r1-r0) + r - r0) * 2 * grain)
					p.Messages = append(p.Messages, unicast(s, owner[g], sourceBase+from, destBase+uint32(2*grain*offset[g]), 8))
				}
			}
		}
	}
	return p
}

// reduction delivers partial sums to packed buffers (reference: lowering.md
// §4.2): a grid of 2 row parts × 135 column parts × 5 inner parts, results on
// 10 × 135 tiles; messages of 592 words and fewer.
func reduction() *Problem {
	p := &Problem{Tiles: tileCount}
	const cols, inner = 135, 5
	computeRows := []int{0, 366, 730}
	filled := make([]uint32, tileCount)
	for c := range cols {
		panels := 2
		if c == cols-1 {
			panels = 1
		}
		for q := range 10 {
			root := c + cols*q
			r0, r1 := 2*(q*36+min(q, 5)), 2*((q+1)*36+min(q+1, 5))
			for r := range 2 {
				a, b := max(r0, computeRows[r]), min(r1, computeRows[r+1])
				if a >= b {
					continue
				}
				for i := range inner {
					s := c + cols*(i+inner*r)
					if s == root {
						continue
					}
					for panel := range panels {
						words := (b - a) * 8
						from := uint32((panel*(computeRows[r+1]-computeRows[r]) + a - computeRows[r]) * 32)
						p.Messages = append(p.Messages, unicast(s, root, sourceBase+from, destBase+filled[root], words))
						filled[root] += uint32(4 * words)
					}
				}
			}
		}
	}
	return p
}

// allGather lets every tile of a group of consecutive tiles send one message to
// all others of its group.
func allGather(tiles, group, words int) *Problem {
	p := &Problem{Tiles: tiles}
	for g := 0; g < tiles; g += group {
		end := min(g+group, tiles)
		for s := g; s < end; s++ {
			m := Message{Source: int32(s), SourceAddrs: []uint32{destBase}, Words: int32(words)}
			for d := g; d < end; d++ {
				if d != s {
					m.Dests = append(m.Dests, Dest{int32(d), sourceBase + uint32(4*words*(s-g))})
				}
			}
			if len(m.Dests) > 0 {
				p.Messages = append(p.Messages, m)
			}
		}
	}
	return p
}

// groupGather lets every group of consecutive tiles receive messages from
// random senders outside it.
func groupGather(groups, size, messages, words int, seed uint64) *Problem {
	rng := rand.New(rand.NewPCG(seed, 2))
	p := &Problem{Tiles: tileCount}
	for g := range groups {
		for k := range messages {
			s := rng.IntN(tileCount - size)
			if s >= g*size {
				s += size
			}
			m := Message{Source: int32(s), SourceAddrs: []uint32{destBase}, Words: int32(words)}
			for d := range size {
				m.Dests = append(m.Dests, Dest{int32(g*size + d), sourceBase + uint32(4*words*k)})
			}
			p.Messages = append(p.Messages, m)
		}
	}
	return p
}

// replay are the regression problems P1–P6 (reference: exchange.md §10.7).
func replay() []*Problem {
	multi := func(s int, dests ...Dest) Message {
		return Message{Source: int32(s), SourceAddrs: []uint32{0x60000}, Dests: dests, Words: 64}
	}
	p6 := &Problem{Tiles: tileCount}
	for i := range 6 {
		p6.Messages = append(p6.Messages, unicast(10+i, 100, 0x60000, 0x68000+uint32(8*i), 1))
	}
	return []*Problem{
		{Tiles: tileCount, Messages: []Message{unicast(5, 100, 0x60000, 0x68000, 64)}},
		{Tiles: tileCount, Messages: []Message{unicast(5, 100, 0x60000, 0x68000, 64), unicast(6, 100, 0x60000, 0x68100, 64)}},
		{Tiles: tileCount, Messages: []Message{unicast(5, 100, 0x60000, 0x68000, 64), unicast(5, 101, 0x61000, 0x68000, 64)}},
		{Tiles: tileCount, Messages: []Message{
			multi(10, Dest{100, 0x68000}, Dest{200, 0x68000}),
			multi(500, Dest{200, 0x68400}, Dest{300, 0x68000}),
			multi(900, Dest{100, 0x68800}, Dest{300, 0x68400}),
		}},
		{Tiles: tileCount, Messages: []Message{
			unicast(0, 1, 0x60000, 0x68000, 64), unicast(1, 2, 0x60000, 0x68000, 64), unicast(2, 0, 0x60000, 0x68000, 64),
		}},
		p6,
	}
}
