package sim_test

import (
	"slices"
	"testing"

	"ipusolve/device"
)

// side is what one tile executes and moves in a worked phase.
type side struct {
	tile           int
	row            []uint32
	horizon        int64
	sent, received int
	base           int // INCOMING_BASE
}

// runRows runs one phase of the given rows and compares the data received and
// the event at which every tile goes on.
func runRows(t *testing.T, blocks map[int][]block, wantAt map[int][]expect, sides []side) {
	t.Helper()
	var tiles []int
	for _, s := range sides {
		tiles = append(tiles, s.tile)
	}
	slices.Sort(tiles)
	b := newBuilder(t, tiles...)
	longest := int64(0)
	for _, s := range sides {
		p := b.tiles[s.tile]
		// The rows of exchange.md §8.4 send from 0x60000, so they lie elsewhere.
		p.rowAt = 0x7c000
		p.exchange(s.base, s.row, s.sent, s.received)
		p.halt()
		for _, k := range blocks[s.tile] {
			p.block(k.addr, k.words, k.seed)
		}
		for _, e := range wantAt[s.tile] {
			b.output(e.name, s.tile, e.addr, len(e.words))
		}
		longest = max(longest, s.horizon)
	}
	m, r := b.mustRun()
	for _, list := range wantAt {
		for _, e := range list {
			wants(t, m, e.name, e.words)
		}
	}
	if got := r.Phases[0].Horizon; got != longest {
		t.Errorf("horizon %d, want %d", got, longest)
	}
	for _, s := range sides {
		i := slices.Index(tiles, s.tile)
		// Behind the row only the jump to completion is left.
		if got := r.Tiles[i].Total - r.Phases[0].Release - 2; got != s.horizon {
			t.Errorf("tile %d leaves at %d, want %d", s.tile, got, s.horizon)
		}
	}
}

type block struct {
	addr  uint32
	words int
	seed  uint32
}

type expect struct {
	name  string
	addr  uint32
	words []uint32
}

// part is words [from, from+n) of a block with this seed.
func part(seed uint32, from, n int) []uint32 {
	var w []uint32
	for i := range n {
		w = append(w, seed<<16|uint32(from+i))
	}
	return w
}

// TestWorkedRows executes the rows of exchange.md §8.4 and §2.3.
func TestWorkedRows(t *testing.T) {
	idle := []uint32(nil)
	for _, c := range []struct {
		name   string
		blocks map[int][]block
		want   map[int][]expect
		sides  []side
	}{{
		name:   "5 to 100, 64 words",
		blocks: map[int][]block{5: {{0x60000, 64, 5}}},
		want:   map[int][]expect{100: {{"y", 0x68000, part(5, 0, 64)}}},
		sides: []side{
			{5, []uint32{0x40a0001f, 0x7fec0001, 0x43a00000}, 96, 64, 0, 0},
			{7, idle, 0, 0, 0, 0},
			{100, []uint32{0x64000082, 0x61d9a000, 0x6400c640, 0x40a00040, 0x43a00000}, 130, 0, 64, 0},
		},
	}, {
		name:   "5 and 6 to 100, contiguous",
		blocks: map[int][]block{5: {{0x60000, 64, 5}}, 6: {{0x60000, 64, 6}}},
		want:   map[int][]expect{100: {{"y", 0x68000, append(part(5, 0, 64), part(6, 0, 64)...)}}},
		sides: []side{
			{5, []uint32{0x40a0001f, 0x7fec0001, 0x43a00000}, 96, 64, 0, 0},
			{6, []uint32{0x40a0005d, 0x7fec0001, 0x43a00000}, 158, 64, 0, 0},
			{100, []uint32{0x64000082, 0x61d9a000, 0x6400c0c0, 0x640fc640, 0x40a00040, 0x43a00000}, 194, 0, 128, 0},
		},
	}, {
		name:   "5 and 6 to 100, second to 0x69000",
		blocks: map[int][]block{5: {{0x60000, 64, 5}}, 6: {{0x60000, 64, 6}}},
		want:   map[int][]expect{100: {{"y", 0x68000, part(5, 0, 64)}, {"z", 0x69000, part(6, 0, 64)}}},
		sides: []side{
			{5, []uint32{0x40a0001f, 0x7fec0001, 0x43a00000}, 96, 64, 0, 0},
			{6, []uint32{0x40a0005d, 0x7fec0001, 0x43a00000}, 158, 64, 0, 0},
			{100, []uint32{0x64000082, 0x61d9a000, 0x6400c0c0, 0x61d9a400, 0x6400c640, 0x40a00040, 0x43a00000}, 194, 0, 128, 0},
		},
	}, {
		name:   "5 to 100, 60 words: neutral and pointer coincide",
		blocks: map[int][]block{5: {{0x60000, 60, 5}}},
		want:   map[int][]expect{100: {{"y", 0x68000, part(5, 0, 60)}}},
		sides: []side{
			{5, words(t, device.Delay(32), device.Send(60, 0x60000/4, 1), device.Return()), 92, 60, 0, 0},
			{100, []uint32{0x64000082, 0x40a0003a, 0xf7e00000, 0x1901a000, 0x40a00001, 0x43a00000}, 126, 0, 60, 0},
		},
	}, {
		name:   "same, and 100 to 200, 100 words: sendpicp inside a send",
		blocks: map[int][]block{5: {{0x60000, 60, 5}}, 100: {{0x60000, 100, 100}}},
		want:   map[int][]expect{100: {{"y", 0x68000, part(5, 0, 60)}}, 200: {{"z", 0x68000, part(100, 0, 100)}}},
		sides: []side{
			{5, words(t, device.Delay(32), device.Send(60, 0x60000/4, 1), device.Return()), 92, 60, 0, 0},
			{100, []uint32{0x64000082, 0x40a00022, 0x780c0001, 0x72c00001, 0xf7ec00c1, 0x1901a000, 0x71600001, 0x43a00000}, 136, 100, 60, 0},
			{200, receiveRow(t, 100, 200, 36, 100, 0x68000), 0, 0, 100, 0},
		},
	}, {
		name:   "paired 0 to 2 and 3, 64 items",
		blocks: map[int][]block{0: {{0x60000, 128, 7}}},
		want:   map[int][]expect{2: {{"y", 0x68000, part(7, 0, 128)}}, 3: {{"z", 0x68000, part(7, 0, 128)}}},
		sides: []side{
			{0, []uint32{0x40a0001e, 0x7fe60005, 0x43a00000}, 95, 128, 0, 0},
			{1, []uint32{0x40a0005e, 0x43a00000}, 95, 0, 0, 0},
			{2, []uint32{0x64002000, 0x61a40001, 0x6009a000, 0x64022640, 0x61a40000, 0x40a00006, 0x43a00000}, 125, 0, 128, 0},
			{3, []uint32{0x61ac0001, 0x6009a000, 0x61ec0000, 0x40a00006, 0x43a00000}, 125, 0, 128, 0},
		},
	}, {
		name: "SDK receive row: four back-to-back 52-word messages",
		blocks: map[int][]block{
			device.Logical(130): {{0x60000, 52, 1}}, device.Logical(192): {{0x60000, 52, 2}},
			device.Logical(194): {{0x60000, 52, 3}}, device.Logical(256): {{0x60000, 52, 4}}},
		want: map[int][]expect{0: {
			{"a", 0x18000 + 4*0x14048, part(1, 0, 52)}, {"b", 0x18000 + 4*0x15000, part(2, 0, 52)},
			{"c", 0x18000 + 4*0x16000, part(3, 0, 52)}, {"d", 0x18000 + 4*0x17000, part(4, 0, 52)}}},
		sides: []side{
			{0, []uint32{0x64000082, 0x40a00032, 0xf6600000, 0x03014048, 0xf6600000, 0x03095000, 0xf6600000, 0x04016000, 0xf7200000, 0x19017000, 0x43a00000}, 266, 0, 208, 0x18000},
			{device.Logical(130), sendRow(t, 130, 0, 1, 52), 0, 52, 0, 0},
			{device.Logical(192), sendRow(t, 192, 0, 53, 52), 0, 52, 0, 0},
			{device.Logical(194), sendRow(t, 194, 0, 105, 52), 0, 52, 0, 0},
			{device.Logical(256), sendRow(t, 256, 0, 157, 52), 0, 52, 0, 0},
		},
	}} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.sides {
				s := &c.sides[i]
				if s.horizon == 0 && s.row != nil {
					s.horizon = clockOf(t, s.row)
				}
			}
			runRows(t, c.blocks, c.want, c.sides)
		})
	}
}

// sendRow sends n words at 0x60000 of a physical tile so that they pass the
// selector of d from event σ on.
func sendRow(t testing.TB, s, d, sigma, n int) []uint32 {
	x := sigma - 1 - device.RouteDelay(s, d)
	return words(t, device.Delay(x), device.Send(n, 0x60000/4, device.Direction(s, d)), device.Return())
}

// receiveRow receives a message by the timing of exchange.md §4.1; tiles are
// logical.
func receiveRow(t testing.TB, s, d, x, n, addr int) []uint32 {
	sp, dp := device.Physical(s), device.Physical(d)
	sigma := x + 1 + device.RouteDelay(sp, dp)
	pi := sigma + device.WriteDelay(dp)
	list := []device.Instr{device.DelayXPIC(sigma, 0, sp)}
	switch {
	case pi < sigma+n:
		list = append(list, device.DelayPIC(pi-sigma, 0, addr/4), device.DelayXPIC(sigma+n-pi, 0, device.NeutralSource), device.Delay(pi+5-sigma))
	case pi > sigma+n:
		list = append(list, device.DelayXPIC(n, 0, device.NeutralSource), device.DelayPIC(pi-sigma-n, 0, addr/4), device.Delay(n+5))
	default:
		t.Fatal("controls coincide")
	}
	return words(t, append(list, device.Return())...)
}

// clockOf is the horizon of a row.
func clockOf(t testing.TB, row []uint32) int64 {
	n := int64(0)
	for i := 0; i < len(row); {
		in, used, err := device.Decode(row[i:])
		if err != nil {
			t.Fatal(err)
		}
		n += int64(in.N)
		i += used
	}
	return n
}
