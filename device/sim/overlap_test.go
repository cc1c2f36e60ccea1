package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ipusolve/exchange"
)

// Memory of a tile in the tests of overlapping ranges: four standard elements.
const (
	overlapBase  = dataBase
	overlapWords = 0x10000 / 4
)

// overlapping is a phase whose messages meet in memory: a few tiles that send and
// receive anywhere in four elements, some to several receivers, some with further
// source addresses for further iterations, up to the longest there are.
func overlapping(rng *rand.Rand) *exchange.Problem {
	tiles := 3 + rng.IntN(6)
	p := &exchange.Problem{Tiles: tiles}
	words := [][]int32{{1, 2, 3, 9}, {1, 30, 130}, {40, 700, 2100, exchange.MaxItems}}[rng.IntN(3)]
	reach := 8 * int(words[len(words)-1]) // ranges overlap often at any length
	addr := func(n int32) uint32 {
		return overlapBase + 4*uint32(rng.IntN(min(reach, overlapWords)-int(n)))
	}
	for range 2 + rng.IntN(24) {
		perm := rng.Perm(tiles)
		n := words[rng.IntN(len(words))]
		m := exchange.Message{Source: int32(perm[0]), Words: n, SourceAddrs: []uint32{addr(n)}}
		for range rng.IntN(3) {
			m.SourceAddrs = append(m.SourceAddrs, addr(n))
		}
		for _, d := range perm[1 : 2+rng.IntN(2)] {
			m.Dests = append(m.Dests, exchange.Dest{Tile: int32(d), Addr: addr(n)})
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// iteration is the problem as iteration k executes it: each message with its one
// source address of that iteration.
func iteration(p *exchange.Problem, k int) *exchange.Problem {
	q := &exchange.Problem{Tiles: p.Tiles, Messages: append([]exchange.Message(nil), p.Messages...)}
	for j := range q.Messages {
		list := q.Messages[j].SourceAddrs
		q.Messages[j].SourceAddrs = []uint32{list[min(k, len(list)-1)]}
	}
	return q
}

// inProgramOrder executes messages one by one on memories of all tiles.
func inProgramOrder(p *exchange.Problem, memory [][]uint32) {
	at := func(addr uint32) uint32 { return (addr - overlapBase) / 4 }
	for _, m := range p.Messages {
		from := at(m.SourceAddrs[0])
		data := append([]uint32(nil), memory[m.Source][from:from+uint32(m.Words)]...)
		for _, d := range m.Dests {
			copy(memory[d.Tile][at(d.Addr):], data)
		}
	}
}

// TestOverlapsLeaveProgramOrder executes schedules of phases whose ranges overlap,
// for every iteration of a repeat by the same starts: afterwards every word of
// every tile is what program order leaves there. It counts the words that would
// differ if all messages read before any wrote, so that the test cannot pass
// for lack of dependencies.
func TestOverlapsLeaveProgramOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 4))
	rounds := 60
	if testing.Short() {
		rounds = 12
	}
	dependent := 0
	for round := range rounds {
		p := overlapping(rng)
		s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			q := iteration(p, k)
			rows, err := exchange.EncodePhase(q, s)
			if err != nil {
				t.Fatal(err)
			}
			sent, received := make([]int, p.Tiles), make([]int, p.Tiles)
			for _, m := range q.Messages {
				sent[m.Source] += int(m.Words)
				for _, d := range m.Dests {
					received[d.Tile] += int(m.Words)
				}
			}
			var order []int
			for l, row := range rows {
				if row != nil {
					order = append(order, l)
				}
			}
			b := newBuilder(t, order...)
			memory := make([][]uint32, p.Tiles)
			for _, l := range order {
				memory[l] = b.tiles[l].block(overlapBase, overlapWords, uint32(l+1))
				b.output(fmt.Sprint(l), l, overlapBase, overlapWords)
				b.tiles[l].exchange(0, rows[l], sent[l], received[l])
				b.tiles[l].halt()
			}
			m, r := b.mustRun()
			if got := r.Phases[0].Horizon; got != int64(s.Horizon) {
				t.Errorf("round %d, iteration %d: horizon %d, scheduled %d", round, k, got, s.Horizon)
			}
			initial := make([][]uint32, p.Tiles)
			for l := range memory {
				initial[l] = append([]uint32(nil), memory[l]...)
			}
			inProgramOrder(q, memory)
			dependent += relayed(q, initial, memory)
			for _, l := range order {
				wants(t, m, fmt.Sprint(l), memory[l])
			}
		}
	}
	t.Logf("%d words depend on the order", dependent)
	if dependent < 100*rounds {
		t.Errorf("only %d words depend on the order", dependent)
	}
}

// relayed counts the words that end up different from what messages carry that
// all read the initial memory.
func relayed(p *exchange.Problem, initial, final [][]uint32) int {
	memory := make([][]uint32, len(initial))
	for l := range initial {
		memory[l] = append([]uint32(nil), initial[l]...)
	}
	at := func(addr uint32) uint32 { return (addr - overlapBase) / 4 }
	for _, m := range p.Messages {
		from := at(m.SourceAddrs[0])
		for _, d := range m.Dests {
			copy(memory[d.Tile][at(d.Addr):], initial[m.Source][from:from+uint32(m.Words)])
		}
	}
	count := 0
	for l := range memory {
		for i := range memory[l] {
			if memory[l][i] != final[l][i] {
				count++
			}
		}
	}
	return count
}
