package exchange

import (
	"fmt"
	"math/rand/v2"

	"ipusolve/device"
)

// illegal is a direct reading of R1–R9 and R14 for 32-bit messages: all pairs,
// no shared code with the scheduler. It returns the first violation.
func illegal(p *Problem, s *Schedule) error {
	horizon, err := broken(p, s.Start)
	if err != nil {
		return err
	}
	phase := int32(0)
	for t, h := range s.TileHorizon {
		if h != horizon[int32(t)] {
			return fmt.Errorf("R14: tile %d has horizon %d, want %d", t, h, horizon[int32(t)])
		}
		phase = max(phase, h)
	}
	if s.Horizon != phase {
		return fmt.Errorf("R14: phase horizon %d, want %d", s.Horizon, phase)
	}
	return nil
}

// broken checks R1–R9 and gives the horizons of the tiles that take part.
func broken(p *Problem, start []int32) (map[int32]int32, error) {
	horizon := map[int32]int32{}
	for _, m := range p.Messages {
		horizon[m.Source] = 0
		for _, d := range m.Dests {
			horizon[d.Tile] = 0
		}
	}
	for tile := range horizon {
		t := int(tile)
		var sends, receives []int
		x := func(i int) int { return int(start[i]) }
		n := func(i int) int { return int(p.Messages[i].Words) }
		addr := map[int]uint32{}
		for i, m := range p.Messages {
			if int(m.Source) == t {
				sends = append(sends, i)
			}
			for _, d := range m.Dests {
				if int(d.Tile) == t {
					receives = append(receives, i)
					addr[i] = d.Addr
				}
			}
		}
		phys := device.Physical(t)
		l := device.WriteDelay(phys)
		sel := func(i int) int {
			return x(i) + 1 + device.RouteDelay(device.Physical(int(p.Messages[i].Source)), phys)
		}
		ptr := func(i int) int { return sel(i) + l }
		h := 0
		for a, i := range sends {
			h = max(h, x(i)+n(i))
			if x(i) < 0 {
				return nil, fmt.Errorf("R1: message %d starts at %d", i, x(i))
			}
			for _, j := range sends[:a] {
				if x(i) < x(j)+n(j) && x(j) < x(i)+n(i) {
					return nil, fmt.Errorf("R2: sends %d, %d on tile %d", i, j, t)
				}
			}
		}
		source, pointer := map[int]int{}, map[int]int{}
		for a, i := range receives {
			h = max(h, ptr(i)+n(i)+5)
			for _, j := range receives[:a] {
				if sel(i) < sel(j)+n(j) && sel(j) < sel(i)+n(i) {
					return nil, fmt.Errorf("R3: receives %d, %d on tile %d", i, j, t)
				}
			}
			source[sel(i)]++
			cut, run := false, false
			prev := -1
			for _, j := range receives {
				cut = cut || sel(j) == sel(i)+n(i)
				if sel(j) < sel(i) && (prev < 0 || sel(j) > sel(prev)) {
					prev = j
				}
			}
			run = prev >= 0 && addr[prev]+uint32(4*n(prev)) == addr[i]
			if !cut {
				source[sel(i)+n(i)]++
			}
			if !run {
				pointer[ptr(i)]++
			}
		}
		for _, events := range []map[int]int{source, pointer} {
			for e, k := range events {
				if e < 1 {
					return nil, fmt.Errorf("R1: control at %d on tile %d", e, t)
				}
				if k > 1 {
					return nil, fmt.Errorf("R4: %d controls of a kind at event %d on tile %d", k, e, t)
				}
				for _, i := range sends {
					if e == x(i)+1 {
						return nil, fmt.Errorf("R5: control at event %d on tile %d, first of send %d", e, t, i)
					}
				}
			}
		}
		for _, i := range sends {
			for _, j := range receives {
				apart := x(i)+n(i) <= ptr(j) || ptr(j)+n(j)+5 <= x(i)
				var read device.ElementSet
				for _, a := range p.Messages[i].SourceAddrs {
					read |= device.Elements(a, uint32(4*n(i)))
				}
				if !apart && read&device.Elements(addr[j], uint32(4*n(j))) != 0 {
					return nil, fmt.Errorf("R7: send %d, receive %d on tile %d", i, j, t)
				}
				for _, a := range p.Messages[i].SourceAddrs {
					if a >= addr[j]+uint32(4*n(j)) || addr[j] >= a+uint32(4*n(i)) {
						continue
					}
					if j < i && x(i) < ptr(j)+n(j)+5 || i < j && ptr(j) < x(i)+n(i) {
						return nil, fmt.Errorf("R9: send %d, receive %d on tile %d", i, j, t)
					}
				}
			}
		}
		for a, j := range receives {
			for _, i := range receives[:a] {
				if addr[i] < addr[j]+uint32(4*n(j)) && addr[j] < addr[i]+uint32(4*n(i)) && ptr(j) < ptr(i)+n(i) {
					return nil, fmt.Errorf("R9: receives %d, %d on tile %d", i, j, t)
				}
			}
		}
		horizon[tile] = int32(h)
	}
	return horizon, nil
}

// tangled is a small random problem with everything that can collide: few
// tiles, multicasts, repeats, and addresses from a small pool.
func tangled(rng *rand.Rand, messages, tiles int, lengths []int32) *Problem {
	p := &Problem{Tiles: tileCount}
	pool := rng.Perm(tileCount)[:tiles]
	addr := func() uint32 {
		if rng.IntN(2) == 0 {
			return 0x60000 + uint32(16*rng.IntN(8))
		}
		return 0x80000 - 32 + uint32(32*rng.IntN(8))
	}
	for range messages {
		perm := rng.Perm(tiles)
		m := Message{Source: int32(pool[perm[0]]), SourceAddrs: []uint32{addr()}, Words: lengths[rng.IntN(len(lengths))]}
		if rng.IntN(4) == 0 {
			m.SourceAddrs = append(m.SourceAddrs, addr())
		}
		fan := 1
		if rng.IntN(3) == 0 {
			fan += rng.IntN(tiles - 1)
		}
		for _, d := range perm[1 : 1+fan] {
			m.Dests = append(m.Dests, Dest{int32(pool[d]), addr()})
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}
