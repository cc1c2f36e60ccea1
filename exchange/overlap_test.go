package exchange_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// origin is where a word was when the phase began.
type origin struct {
	tile int32
	addr uint32
}

// payloads gives for every message the origins of its words: each word read is
// the last one written before, as earlier(write, read) says of two messages and
// words on the reader's tile.
func payloads(p *exchange.Problem, order []int, earlier func(write, read, writeWord, readWord int, d exchange.Dest) bool) [][]origin {
	out := make([][]origin, len(p.Messages))
	for _, i := range order {
		m := &p.Messages[i]
		out[i] = make([]origin, m.Words)
		for w := range out[i] {
			out[i][w] = origin{m.Source, m.SourceAddrs[0] + uint32(4*w)}
		}
		for _, j := range order { // writers in order: the last one stays
			if j == i {
				break
			}
			for _, d := range p.Messages[j].Dests {
				if d.Tile != m.Source {
					continue
				}
				for w := range out[i] {
					a := m.SourceAddrs[0] + uint32(4*w)
					if a < d.Addr || a >= d.Addr+uint32(4*p.Messages[j].Words) {
						continue
					}
					if k := int(a-d.Addr) / 4; earlier(j, i, k, w, d) {
						out[i][w] = out[j][k]
					}
				}
			}
		}
	}
	return out
}

// TestOverlappingLongMessages replays schedules of long messages, with several
// source addresses and ranges that overlap: every word sent and every word left
// behind is the one that program order sends and leaves.
func TestOverlappingLongMessages(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 3))
	dependent := 0
	for range 60 {
		tiles := 3 + rng.IntN(6)
		p := &exchange.Problem{Tiles: tiles}
		words := []int32{1, 30, 700, 2100, exchange.MaxItems}
		addr := func(n int32) uint32 {
			const base, size = 0x60000, 0x8000
			return base + uint32(4*rng.IntN(size/4-int(n)))
		}
		for range 2 + rng.IntN(14) {
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
		s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 2})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := exchange.EncodePhase(p, s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := check.Check(p, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := func(j, k int, d exchange.Dest) int32 { // word k is stored
			from, to := device.Physical(int(p.Messages[j].Source)), device.Physical(int(d.Tile))
			return got.Starts[j] + 1 + int32(device.RouteDelay(from, to)) + int32(device.WriteDelay(to)) + int32(k)
		}
		order := make([]int, len(p.Messages))
		for i := range order {
			order[i] = i
		}
		want := payloads(p, order, func(_, _, _, _ int, _ exchange.Dest) bool { return true })
		// In time, a word counts if it was stored before it is read; and a later
		// message in program order must not have stored it by then.
		replayed := payloads(p, order, func(j, i, k, w int, d exchange.Dest) bool {
			dependent++
			return at(j, k, d) < got.Starts[i]+int32(w)
		})
		for i := range want {
			for w := range want[i] {
				if want[i][w] != replayed[i][w] {
					t.Fatalf("message %d sends at word %d what %v held, want %v", i, w, replayed[i][w], want[i][w])
				}
			}
		}
		for i := range p.Messages {
			for _, d := range p.Messages[i].Dests {
				for j := range i {
					m := &p.Messages[j]
					lo, hi := max(d.Addr, m.SourceAddrs[0]), min(d.Addr+uint32(4*p.Messages[i].Words), m.SourceAddrs[0]+uint32(4*m.Words))
					if d.Tile == m.Source && lo < hi && at(i, int(lo-d.Addr)/4, d) < got.Starts[j]+int32(lo-m.SourceAddrs[0])/4 {
						t.Fatalf("message %d stores what message %d still has to send", i, j)
					}
					for _, o := range m.Dests {
						lo, hi := max(d.Addr, o.Addr), min(d.Addr+uint32(4*p.Messages[i].Words), o.Addr+uint32(4*m.Words))
						if d.Tile == o.Tile && lo < hi && at(i, int(lo-d.Addr)/4, d) <= at(j, int(lo-o.Addr)/4, o) {
							t.Fatalf("message %d is stored before message %d", i, j)
						}
					}
				}
			}
		}
	}
	if dependent < 10000 {
		t.Errorf("only %d words depend on others", dependent)
	}
}
