package sim_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
)

// runProblem schedules a phase, encodes its rows and executes them in strict
// mode; every destination must hold the words of its source afterwards.
func runProblem(t *testing.T, p *exchange.Problem) {
	t.Helper()
	s, _, err := exchange.List(context.Background(), p, exchange.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := exchange.EncodePhase(p, s)
	if err != nil {
		t.Fatal(err)
	}
	sent, received := map[int32]int{}, map[int32]int{}
	var order []int
	for l := range p.Tiles {
		if rows[l] != nil {
			order = append(order, l)
		}
	}
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
		q.exchange(0, rows[l], sent[int32(l)], received[int32(l)])
		q.halt()
	}
	m, r := b.mustRun()
	if got := r.Phases[0].Horizon; got != int64(s.Horizon) {
		t.Errorf("horizon %d, scheduled %d", got, s.Horizon)
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

// message is one of P1–P6: a source and destinations at their addresses.
func message(s int, from uint32, words int, dests ...exchange.Dest) exchange.Message {
	return exchange.Message{Source: int32(s), SourceAddrs: []uint32{from}, Words: int32(words), Dests: dests}
}

// TestRegressionProblems executes schedules of P1–P6 of exchange.md §10.7.
func TestRegressionProblems(t *testing.T) {
	type to = exchange.Dest
	const a, x = 0x68000, 0x60000
	var six []exchange.Message
	for i := range 6 {
		six = append(six, message(10+i, x, 1, to{Tile: 100, Addr: a + uint32(8*i)}))
	}
	for name, list := range map[string][]exchange.Message{
		"P1": {message(5, x, 64, to{Tile: 100, Addr: a})},
		"P2": {message(5, x, 64, to{Tile: 100, Addr: a}), message(6, x, 64, to{Tile: 100, Addr: a + 0x100})},
		"P3": {message(5, x, 64, to{Tile: 100, Addr: a}), message(5, x+0x1000, 64, to{Tile: 101, Addr: a})},
		"P4": {message(10, x, 64, to{Tile: 100, Addr: a}, to{Tile: 200, Addr: a}),
			message(500, x, 64, to{Tile: 200, Addr: a + 0x400}, to{Tile: 300, Addr: a}),
			message(900, x, 64, to{Tile: 100, Addr: a + 0x800}, to{Tile: 300, Addr: a + 0x400})},
		"P5": {message(0, x, 64, to{Tile: 1, Addr: a}), message(1, x, 64, to{Tile: 2, Addr: a}), message(2, x, 64, to{Tile: 0, Addr: a})},
		"P6": six,
	} {
		t.Run(name, func(t *testing.T) {
			runProblem(t, &exchange.Problem{Tiles: device.NumTiles, Messages: list})
		})
	}
}

// TestScheduledPhases executes random multicast phases of a few dozen tiles,
// some with sends and receives in one element.
func TestScheduledPhases(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 24 + r.IntN(24)
		p := &exchange.Problem{Tiles: device.NumTiles}
		tile := r.Perm(device.NumTiles)[:n]
		next := make([]uint32, n) // receive address
		from := make([]uint32, n)
		for i := range next {
			from[i], next[i] = 0x60000, 0x68000
			if r.IntN(4) == 0 {
				next[i] = 0x62000 // shares an element with the sends
			}
		}
		for range 4 * n {
			s := r.IntN(n)
			words := uint32(1 + r.IntN(40))
			m := message(tile[s], from[s], int(words))
			from[s] += 4 * words
			for _, d := range r.Perm(n)[:1+r.IntN(4)] {
				if d != s {
					m.Dests = append(m.Dests, exchange.Dest{Tile: int32(tile[d]), Addr: next[d]})
					next[d] += 4 * (words + uint32(r.IntN(2)))
				}
			}
			if len(m.Dests) > 0 {
				p.Messages = append(p.Messages, m)
			}
		}
		runProblem(t, p)
	}
}
