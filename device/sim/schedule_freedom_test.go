package sim_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ipusolve/device/sim"
	"ipusolve/exchange"
)

// TestFirstEventRows executes rows in which a sendpicp begins messages: strict mode
// refuses them, lenient mode delivers every word and has nothing else to warn of.
func TestFirstEventRows(t *testing.T) {
	used := 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 4))
		tiles := 20 + rng.IntN(20)
		p := &exchange.Problem{Tiles: tiles}
		from, to := make([]uint32, tiles), make([]uint32, tiles)
		for s := range tiles {
			for range 24 {
				words := 1 + rng.IntN(2)
				m := message(s, 0x60000+from[s], words)
				from[s] += uint32(4 * (words + rng.IntN(2)))
				for _, d := range rng.Perm(tiles)[:1+rng.IntN(2)] {
					if d == s {
						continue
					}
					to[d] += uint32(4 * rng.IntN(2))
					m.Dests = append(m.Dests, exchange.Dest{Tile: int32(d), Addr: 0x90000 + to[d]})
					to[d] += uint32(4 * words)
				}
				if len(m.Dests) > 0 {
					p.Messages = append(p.Messages, m)
				}
			}
		}
		s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1, Freedom: exchange.FirstEvent})
		if err != nil {
			t.Fatal(err)
		}
		if s.Freedom == exchange.Standard {
			continue
		}
		used++
		rows, err := exchange.EncodePhase(p.Chosen(s), s)
		if err != nil {
			t.Fatal(err)
		}
		program := func() *builder {
			sent, received := make([]int, tiles), make([]int, tiles)
			order := make([]int, tiles)
			for l := range order {
				order[l] = l
			}
			order = slices.DeleteFunc(order, func(l int) bool { return rows[l] == nil })
			b := newBuilder(t, order...)
			for j, m := range p.Messages {
				sent[m.Source] += int(m.Words)
				b.tiles[int(m.Source)].block(m.SourceAddrs[0], int(m.Words), uint32(j+1))
				for k, d := range m.Dests {
					received[d.Tile] += int(m.Words)
					b.output(strconv.Itoa(j)+"."+strconv.Itoa(k), int(d.Tile), d.Addr, int(m.Words))
				}
			}
			for _, l := range order {
				q := b.tiles[l]
				q.rowAt = 0x7c000
				q.exchange(0, rows[l], sent[l], received[l])
				q.halt()
			}
			return b
		}
		if _, err := program().machine(sim.Options{}).Run(context.Background()); err == nil || !strings.Contains(err.Error(), "R5") {
			t.Fatalf("strict mode: %v", err)
		}
		m := program().machine(sim.Options{Lenient: true})
		r, err := m.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Phases[0].Horizon; got != int64(s.Horizon) {
			t.Errorf("horizon %d, scheduled %d", got, s.Horizon)
		}
		if len(r.Warnings) > 0 {
			t.Errorf("warnings: %v", r.Warnings)
		}
		for j, msg := range p.Messages {
			for k := range msg.Dests {
				got, err := m.Output(strconv.Itoa(j) + "." + strconv.Itoa(k))
				if err != nil {
					t.Fatal(err)
				}
				for i := range int(msg.Words) {
					if g, w := binary.LittleEndian.Uint32(got[4*i:]), uint32(j+1)<<16|uint32(i); g != w {
						t.Fatalf("message %d, destination %d, word %d: %#x, want %#x", j, k, i, g, w)
					}
				}
			}
		}
	}
	if used < 4 {
		t.Errorf("%d phases use the freedom", used)
	}
}
