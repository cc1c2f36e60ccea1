package sim_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"ipusolve/device"
	"ipusolve/device/sim"
)

// randomRow draws a row of legal instructions: sends from 0x70000 on, pointers
// from 0x68000 on, sources among the tiles. It starts with a pointer and ends
// on neutral with time for the last words.
func randomRow(tb testing.TB, r *rand.Rand, tiles []int) []uint32 {
	var w []uint32
	add := func(in device.Instr) { w = append(w, words(tb, in)...) }
	pointer := func() int { return (dataBase + 4*r.IntN(2048)) / 4 }
	source := func() int {
		if r.IntN(4) == 0 {
			return device.NeutralSource
		}
		return device.Physical(tiles[r.IntN(len(tiles))])
	}
	address := func() int { return (sendBase + 4*r.IntN(2048)) / 4 }
	next, ctl := 0, 0 // item address behind the running send; 0: none
	add(device.DelayPIC(1, 0, pointer()))
	for range 3 + r.IntN(12) {
		n := 1 + r.IntN(60)
		switch k := r.IntN(9); {
		case k == 0:
			add(device.Delay(n))
			next = 0
		case k == 1:
			add(device.DelayPIC(n, 0, pointer()))
			next = 0
		case k <= 3:
			add(device.DelayXPIC(n, 0, source()))
			next = 0
		case k == 4 && next > 0:
			delta := r.IntN(3)
			add(device.SendOff(n, delta, ctl))
			next += n + delta
		case k == 5 && next > 0:
			if r.IntN(2) == 0 {
				add(device.SendPIC(n, 0, source()))
			} else {
				add(device.SendPIC(n, device.SendSelPIC, pointer()))
			}
			next += n
		case k == 6 && len(w)%2 == 0:
			if r.IntN(2) == 0 {
				add(device.SendPICP(n, 0, 0, 0, source(), 0, pointer()))
				next = 0
				break
			}
			if next == 0 || ctl == 0 || r.IntN(2) == 0 {
				next, ctl = address(), 1+r.IntN(3)
			}
			add(device.SendPICP(n, next, ctl, 0, source(), 0, pointer()))
			next += n
		default:
			next, ctl = address(), r.IntN(4)
			add(device.Send(n, next, ctl))
			next += n
		}
	}
	add(device.DelayXPIC(1, 0, device.NeutralSource))
	add(device.Delay(120))
	add(device.Return())
	return w
}

// sentWord is what leaves a tile at one event.
type sentWord struct {
	value, ctl uint32
	there      bool
}

// naive executes rows event by event and gives the receive areas and the number
// of lane violations.
func naive(tb testing.TB, tiles []int, rows [][]uint32, memory func(tile int, addr uint32) uint32) (areas []map[uint32]uint32, lanes int64) {
	type lane struct {
		sent    []sentWord
		source  []int
		pointer map[int]uint32
		heard   []bool
	}
	fabric := make([]lane, len(tiles))
	for i, w := range rows {
		l := &fabric[i]
		l.sent, l.source = make([]sentWord, 1), []int{device.NeutralSource}
		l.pointer = map[int]uint32{}
		var addr, ctl int32
		selects := map[int]int{}
		for k := 0; k < len(w); {
			in, used, err := device.Decode(w[k:])
			if err != nil {
				tb.Fatal(err)
			}
			k += used
			if !in.IsExchange() {
				break
			}
			controls, n := in.Controls()
			for _, c := range controls[:n] {
				e := len(l.sent) - 1 + int(c.Event)
				if c.PIC {
					l.pointer[e] = 4 * uint32(c.Value)
				} else {
					selects[e] = int(c.Value)
				}
			}
			sends := true
			switch in.Op {
			case device.OpSend:
				addr, ctl = in.Addr, in.Ctl
			case device.OpSendOff:
				addr, ctl = addr+in.Delta, in.Ctl
			case device.OpSendPIC:
			case device.OpSendPICP:
				if in.Ctl == 0 {
					sends = false
					break
				}
				addr, ctl = in.Addr, in.Ctl
			default:
				sends = false
			}
			for range in.N {
				s := sentWord{}
				if sends && ctl != 0 {
					s = sentWord{memory(tiles[i], uint32(4*addr)), uint32(ctl), true}
				}
				addr++
				l.sent = append(l.sent, s)
				now := l.source[len(l.source)-1]
				if v, ok := selects[len(l.source)]; ok {
					now = v
				}
				l.source = append(l.source, now)
			}
		}
		l.heard = make([]bool, len(l.sent))
	}
	areas = make([]map[uint32]uint32, len(tiles))
	for i := range tiles {
		d := device.Physical(tiles[i])
		l := &fabric[i]
		areas[i] = map[uint32]uint32{}
		arrive := map[int]uint32{}
		for v := 1; v < len(l.source); v++ {
			if l.source[v] == device.NeutralSource {
				continue
			}
			j := 0
			for device.Physical(tiles[j]) != l.source[v] {
				j++
			}
			e := v - device.RouteDelay(l.source[v], d)
			from := fabric[j].sent
			if e < 1 || e >= len(from) || !from[e].there || from[e].ctl&uint32(device.Direction(l.source[v], d)) == 0 {
				lanes++
				continue
			}
			fabric[j].heard[e] = true
			arrive[v+device.WriteDelay(d)] = from[e].value
		}
		pointer := uint32(0)
		for a := 1; a < len(l.source); a++ {
			if p, ok := l.pointer[a]; ok {
				pointer = p
			}
			if v, ok := arrive[a]; ok {
				areas[i][pointer] = v
				pointer += 4
			}
		}
	}
	for i := range fabric {
		for e, s := range fabric[i].sent {
			if s.there && !fabric[i].heard[e] {
				lanes++
			}
		}
	}
	return areas, lanes
}

// TestAgainstNaive compares phases of random rows with an execution event by
// event: every received byte and the number of lane violations.
func TestAgainstNaive(t *testing.T) {
	tiles := []int{0, 1, 5, 46, 100, 736}
	received := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := newBuilder(t, tiles...)
		var rows [][]uint32
		for i, l := range tiles {
			p := b.tiles[l]
			p.rowAt = 0x7c000
			rows = append(rows, randomRow(t, r, tiles))
			p.exchange(0, rows[i], 0, 0)
			p.halt()
			p.block(sendBase, 4096, uint32(l))
			b.output(string(rune('a'+i)), l, dataBase, 4096)
		}
		memory := func(tile int, addr uint32) uint32 { return uint32(tile)<<16 | (addr-sendBase)/4 }
		areas, lanes := naive(t, tiles, rows, memory)
		m := b.machine(sim.Options{Lenient: true})
		res, err := m.Run(context.Background())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, area := range areas {
			got, err := m.Output(string(rune('a' + i)))
			if err != nil {
				t.Fatal(err)
			}
			for k := range 4096 {
				if g, w := binary.LittleEndian.Uint32(got[4*k:]), area[dataBase+uint32(4*k)]; g != w {
					t.Fatalf("seed %d: tile %d word %d: %#x, want %#x", seed, tiles[i], k, g, w)
				}
			}
			received += len(area)
		}
		got := int64(0)
		for _, w := range res.Warnings {
			if w.Rule == sim.RuleLanes {
				got = w.Count
			}
		}
		if got != lanes {
			t.Fatalf("seed %d: %d lane violations, want %d", seed, got, lanes)
		}
		// Strict mode refuses exactly what lenient mode counts.
		if _, err := b.machine(sim.Options{}).Run(context.Background()); lanes > 0 && err == nil {
			t.Fatalf("seed %d: strict mode accepts %d lane violations", seed, lanes)
		}
	}
	if received < 10000 {
		t.Fatalf("only %d words were received; the test is void", received)
	}
}

// asError is the *Error in err.
func asError(tb testing.TB, err error) *sim.Error {
	tb.Helper()
	var e *sim.Error
	if !errors.As(err, &e) {
		tb.Fatalf("error %v, want a *sim.Error", err)
	}
	return e
}
