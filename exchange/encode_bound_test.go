package exchange

import (
	"math/rand/v2"
	"testing"

	"ipusolve/device"
)

// placeRandomly schedules the messages in list order, each at the first start
// from a random offset on at which all its rows still encode. Sends read
// standard memory and receives write interleaved memory, so R7 and R9 hold.
func placeRandomly(t testing.TB, rng *rand.Rand, p *Problem, slack int) *Schedule {
	t.Helper()
	s := new(Schedule)
	var stream TileStream
	fits := func(part *Problem, roles *Roles, start []int32) bool {
		m := &part.Messages[len(part.Messages)-1]
		tiles := []int32{m.Source}
		if m.Paired {
			tiles = append(tiles, m.Source^1)
		}
		for _, d := range m.Dests {
			tiles = append(tiles, d.Tile)
		}
		for _, tile := range tiles {
			if roles.Tile(int(tile), start, &stream) != nil {
				return false
			}
			if _, err := EncodeTile(stream.Sends, stream.Controls, stream.Horizon); err != nil {
				return false
			}
		}
		return true
	}
	for j := range p.Messages {
		part := &Problem{Tiles: p.Tiles, Messages: p.Messages[:j+1]}
		roles := NewRoles(part)
		start := append(s.Start, p.Messages[j].Head()+int32(rng.IntN(slack)))
		for !fits(part, roles, start) {
			start[j]++
		}
		s.Start = start
	}
	return planned(t, p, s.Start...)
}

// randomProblem draws messages of the sizes over few tiles; a receiver's data
// sometimes continues where the last one ended.
func randomProblem(rng *rand.Rand, tiles, messages int, sizes []int32, fanout int) *Problem {
	p := &Problem{Tiles: tiles}
	end := make([]uint32, tiles)
	for range messages {
		perm := rng.Perm(tiles)
		m := Message{Source: int32(perm[0]), Words: sizes[rng.IntN(len(sizes))], SourceAddrs: []uint32{0x60000}}
		for _, d := range perm[1 : 2+rng.IntN(fanout)] {
			if end[d] == 0 {
				end[d] = device.InterleaveBase
			}
			if rng.IntN(2) == 0 {
				end[d] += 8
			}
			m.Dests = append(m.Dests, Dest{int32(d), end[d]})
			end[d] += 4 * uint32(m.Words)
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

func TestRowBoundOfRandomSchedules(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	sizeSets := [][]int32{{1}, {2, 3}, {8}, {52, 54, 56}, {1, 64, 65}, {300}, {7, 130, 900}}
	worst, rounds := 0.0, 140
	if testing.Short() {
		rounds = 35
	}
	for i := range rounds {
		sizes := sizeSets[i%len(sizeSets)]
		p := randomProblem(rng, 3+rng.IntN(4), 5+rng.IntN(20), sizes, 1+rng.IntN(2))
		s := placeRandomly(t, rng, p, 1+rng.IntN(600))
		rows, err := EncodePhase(p, s)
		if err != nil {
			t.Fatal(err)
		}
		bounds := RowBounds(p, s.Horizon)
		for tile, row := range rows {
			if len(row) > bounds[tile] {
				t.Errorf("%d messages of %v: tile %d has %d words, bound %d", len(p.Messages), sizes, tile, len(row), bounds[tile])
			}
			if (bounds[tile] == 0) != (row == nil) {
				t.Errorf("tile %d: row of %d words, bound %d", tile, len(row), bounds[tile])
			}
			if row != nil {
				worst = max(worst, float64(len(row))/float64(bounds[tile]))
			}
		}
	}
	// A bound that nothing comes near would reserve memory in vain.
	if worst < 0.8 {
		t.Errorf("no row uses more than %.0f %% of its bound", 100*worst)
	}
}

// Hand-made rows that use what the bound charges for.
func TestRowBound(t *testing.T) {
	for _, c := range []struct {
		name    string
		load    RowLoad
		horizon int32
		want    int
	}{
		{"nothing but a delay", RowLoad{}, 95, 2},
		{"one word", RowLoad{}, 0, 1},
		{"one send", RowLoad{Sends: []int32{64}}, 1000, 4},
		{"one long send", RowLoad{Sends: []int32{65}}, 1000, 5},
		{"a receive", RowLoad{XPIC: 2, PIC: 1}, 1000, 7},
		{"a receive, long waits", RowLoad{XPIC: 2, PIC: 1}, 5000, 8},
		{"events limit the words", RowLoad{XPIC: 20, PIC: 10}, 40, 51},
		{"133 sends and receives of 8 words", RowLoad{Sends: make([]int32, 133), XPIC: 266, PIC: 133}, 1400, 2 + 2*133 + 5*133},
	} {
		if got := RowBound(c.load, c.horizon); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func FuzzRowBound(f *testing.F) {
	f.Add([]byte{3, 64, 8, 1, 0, 9, 9, 9, 2, 4, 1, 5, 2, 7, 7})
	f.Fuzz(func(t *testing.T, data []byte) {
		sends, controls, horizon := randomRow(data, false)
		row, err := EncodeTile(sends, controls, horizon)
		if err != nil {
			return
		}
		var load RowLoad
		for _, s := range sends {
			if s.Items > MaxItems {
				return
			}
			load.Sends = append(load.Sends, s.Items)
		}
		for _, c := range controls {
			if c.Stream == SourceStream {
				load.XPIC++
			} else {
				load.PIC++
			}
		}
		if bound := RowBound(load, horizon); len(row) > bound {
			t.Fatalf("%d words, bound %d\n%s", len(row), bound, device.Disassemble(row, 0))
		}
	})
}
