package exchange_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// small is a random problem on few tiles in which everything can collide: short
// messages, multicasts, repeats, overlapping and adjacent addresses.
func small(rng *rand.Rand, messages int) *exchange.Problem {
	tiles := 3 + rng.IntN(3)
	among := 40
	if rng.IntN(100) == 0 {
		among = device.NumTiles // checking takes longer then
	}
	pool := rng.Perm(among)[:tiles]
	lengths := [][]int32{{1}, {1, 2}, {2, 3, 4}, {1, 8, 20}, {50, 52, 54, 56, 64}}[rng.IntN(5)]
	words := rng.IntN(2) == 0
	addr := func(base uint32) uint32 {
		if words { // most often in address runs
			return base + uint32(4*rng.IntN(6))
		}
		if rng.IntN(4) == 0 {
			return 0x80000 - 32 + uint32(16*rng.IntN(4))
		}
		return base + uint32(128*rng.IntN(16))
	}
	p := &exchange.Problem{Tiles: slices.Max(pool) + 1}
	for range messages {
		perm := rng.Perm(tiles)
		m := exchange.Message{Source: int32(pool[perm[0]]), SourceAddrs: []uint32{addr(0x60000)}, Words: lengths[rng.IntN(len(lengths))]}
		if rng.IntN(6) == 0 {
			m.SourceAddrs = append(m.SourceAddrs, addr(0x60000))
		}
		fan := 1
		if rng.IntN(2) == 0 {
			fan += rng.IntN(tiles - 1)
		}
		base := uint32(0x90000)
		if rng.IntN(4) == 0 {
			base = 0x60000
		}
		for _, d := range perm[1 : 1+fan] {
			m.Dests = append(m.Dests, exchange.Dest{Tile: int32(pool[d]), Addr: addr(base)})
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// window is what a message does on a tile, relative to its start: it keeps the
// lane busy in [at, at+n) and memory in [memory, memory+n), to which a receive adds
// the guard.
type window struct {
	tile      int32
	send      bool
	at, n     int32
	memory    int32
	lo, hi    []uint32
	elements  device.ElementSet
	completes int32
}

func windowsOf(m *exchange.Message) []window {
	bytes := 4 * uint32(m.Words)
	s := window{tile: m.Source, send: true, n: m.Words, completes: m.Words}
	for _, a := range m.SourceAddrs {
		s.lo, s.hi = append(s.lo, a), append(s.hi, a+bytes)
		s.elements |= device.Elements(a, bytes)
	}
	out := []window{s}
	from := device.Physical(int(m.Source))
	for _, d := range m.Dests {
		to := device.Physical(int(d.Tile))
		at := 1 + int32(device.RouteDelay(from, to))
		memory := at + int32(device.WriteDelay(to))
		out = append(out, window{tile: d.Tile, at: at, n: m.Words, memory: memory, lo: []uint32{d.Addr}, hi: []uint32{d.Addr + bytes},
			elements: device.Elements(d.Addr, bytes), completes: memory + m.Words + 5})
	}
	return out
}

// apart tells whether messages i before j in program order, starting at x and y,
// keep R2, R3, R7 and R9 with each other. Nothing else can change that.
func apart(a, b []window, x, y int32) bool {
	for i := range a {
		for j := range b {
			v, w := &a[i], &b[j]
			if v.tile != w.tile {
				continue
			}
			if v.send == w.send && x+v.at < y+w.at+w.n && y+w.at < x+v.at+v.n {
				return false
			}
			vEnd, wEnd := x+v.memory+v.n, y+w.memory+w.n
			if v.send != w.send {
				busyV, busyW := vEnd, wEnd
				if v.send {
					busyW += 5
				} else {
					busyV += 5
				}
				if v.elements&w.elements != 0 && x+v.memory < busyW && y+w.memory < busyV {
					return false
				}
			}
			if v.send && w.send {
				continue
			}
			for k := range v.lo {
				for l := range w.lo {
					need := vEnd
					if w.send {
						need += 5
					}
					if v.lo[k] < w.hi[l] && w.lo[l] < v.hi[k] && y+w.memory < need {
						return false
					}
				}
			}
		}
	}
	return true
}

// meets tells whether a source control of one message falls on the first event of
// the other's send, or the other way round (R5): the one at σ+n is there, whether
// it is a neutral or the select of the next. Pointers may be omitted.
func meets(a, b []window, x, y int32) bool {
	one := func(send window, receives []window, x, y int32) bool {
		for _, r := range receives {
			if r.tile == send.tile && (y+r.at == x+1 || y+r.at+r.n == x+1) {
				return true
			}
		}
		return false
	}
	return one(a[0], b[1:], x, y) || one(b[0], a[1:], y, x)
}

// enumerate finds the least horizon by trying all integer starts, horizon by
// horizon; the judge of a complete set of starts is the checker, on rows. ok is
// false if that would take more than so many sets of starts.
func enumerate(p *exchange.Problem, from int32, most int) (horizon int32, ok bool) {
	n := len(p.Messages)
	all := make([][]window, n)
	head, length := make([]int32, n), make([]int32, n)
	for i := range all {
		all[i] = windowsOf(&p.Messages[i])
		for _, w := range all[i][1:] {
			head[i] = max(head[i], 1-w.at)
		}
		for _, w := range all[i] {
			length[i] = max(length[i], w.completes)
		}
	}
	order := make([]int, n) // those with little freedom first
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(head[b] + length[b] - head[a] - length[a]) })
	start := make([]int32, n)
	for h := from; ; h++ {
		var place func(k int) bool
		place = func(k int) bool {
			if k == n {
				return legal(p, start, h)
			}
			i := order[k]
			for x := head[i]; x+length[i] <= h; x++ {
				if most--; most < 0 {
					return false
				}
				free := true
				for _, j := range order[:k] {
					free = free && !meets(all[i], all[j], x, start[j])
					if j < i {
						free = free && apart(all[j], all[i], start[j], x)
					} else {
						free = free && apart(all[i], all[j], x, start[j])
					}
				}
				if start[i] = x; free && place(k+1) {
					return true
				}
			}
			return false
		}
		if place(0) {
			return h, true
		}
		if most < 0 {
			return 0, false
		}
	}
}

// legal asks the checker: first the starts, then the decoded rows.
func legal(p *exchange.Problem, start []int32, h int32) bool {
	s := &exchange.Schedule{Start: start, TileHorizon: make([]int32, p.Tiles)}
	for i := range p.Messages {
		for _, w := range windowsOf(&p.Messages[i]) {
			s.TileHorizon[w.tile] = max(s.TileHorizon[w.tile], start[i]+w.completes)
			s.Horizon = max(s.Horizon, start[i]+w.completes)
		}
	}
	if _, err := check.CheckSchedule(p, s); err != nil {
		return false
	}
	rows, err := exchange.EncodePhase(p, s)
	if err != nil {
		return false
	}
	_, err = check.Check(p, rows, nil)
	return err == nil && s.Horizon <= h
}

// TestExactEnumerated holds exact search against trying all starts.
func TestExactEnumerated(t *testing.T) {
	want := 5000
	if testing.Short() {
		want = 300
	}
	rng := rand.New(rand.NewPCG(77, 1))
	solved, tried, above := 0, 0, 0
	for solved < want {
		tried++
		p := small(rng, 1+rng.IntN(5))
		bound := exchange.Best(p).Horizon
		optimum, ok := enumerate(p, bound, 60000)
		if !ok {
			continue
		}
		solved++
		if optimum > bound {
			above++
		}
		starts, proven, err := exchange.Exact(context.Background(), p, 0, 1<<20, 20000)
		if err != nil {
			t.Fatal(err)
		}
		if starts == nil || proven != optimum || !legal(p, starts, proven) {
			t.Fatalf("problem %d: optimum %d, proven %d, starts %v, legal: %v\n%+v", tried, optimum, proven, starts,
				starts != nil && legal(p, starts, 1<<20), p.Messages)
		}
		if starts, proven, err = exchange.Exact(context.Background(), p, bound, optimum, 20000); err != nil || starts != nil || proven != optimum {
			t.Fatalf("problem %d: below the optimum %d: %v, %d, %v", tried, optimum, starts, proven, err)
		}
	}
	t.Logf("%d of %d enumerated, %d optima above the bound", solved, tried, above)
	if above == 0 {
		t.Error("every bound is an optimum: nothing had to be searched")
	}
}
