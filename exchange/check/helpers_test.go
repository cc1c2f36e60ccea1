package check

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
)

func msg(source, words int32, addr uint32, dests ...exchange.Dest) exchange.Message {
	return exchange.Message{Source: source, SourceAddrs: []uint32{addr}, Dests: dests, Words: words}
}

func to(tile int32, addr uint32) exchange.Dest { return exchange.Dest{Tile: tile, Addr: addr} }

func pair(tile int32, addr uint32) []exchange.Dest {
	return []exchange.Dest{to(tile, addr), to(tile^1, addr)}
}

func paired(m exchange.Message) exchange.Message {
	m.Paired = true
	return m
}

func chip(messages ...exchange.Message) *exchange.Problem {
	return &exchange.Problem{Phase: 3, Tiles: device.NumTiles, Messages: messages}
}

// schedule completes starts with the horizons they imply.
func schedule(p *exchange.Problem, starts ...int32) *exchange.Schedule {
	c := checker{p: p, start: starts}
	roles := rolesOf(p)
	s := &exchange.Schedule{Start: starts, TileHorizon: make([]int32, p.Tiles)}
	for t := range p.Tiles {
		s.TileHorizon[t] = c.view(t, roles.of(t)).horizon
		s.Horizon = max(s.Horizon, s.TileHorizon[t])
	}
	return s
}

func encode(t testing.TB, p *exchange.Problem, s *exchange.Schedule) [][]uint32 {
	t.Helper()
	rows, err := exchange.EncodePhase(p, s)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// wantRule fails unless err is a violation of the rule.
func wantRule(t *testing.T, err error, rule Rule) *Violation {
	t.Helper()
	var v *Violation
	if !errors.As(err, &v) {
		t.Fatalf("error %v, want a violation of %s", err, rule)
	}
	if v.Rule != rule {
		t.Fatalf("%v; want rule %s", err, rule)
	}
	return v
}

// randomProblem draws messages over few tiles whose data often overlaps: reads
// of what was written, writes over what was read.
func randomProblem(rng *rand.Rand, tiles, messages int) *exchange.Problem {
	p := &exchange.Problem{Tiles: tiles}
	block := func() uint32 { return 0x60000 + uint32(rng.IntN(4))*0x4000 + 8*uint32(rng.IntN(20)) }
	for range messages {
		perm := rng.Perm(tiles)
		m := exchange.Message{Source: int32(perm[0]), Words: 1 + int32(rng.IntN(90)), SourceAddrs: []uint32{block()}}
		if rng.IntN(8) == 0 {
			m.SourceAddrs = append(m.SourceAddrs, block())
		}
		if rng.IntN(6) == 0 && tiles >= 4 {
			m.Paired, m.Words = true, 128+2*int32(rng.IntN(10))
			d := int32(perm[1])
			if d^1 == m.Source {
				d = int32(perm[2])
			}
			m.Dests = pair(d&^1, block())
		} else {
			for _, d := range perm[1 : 2+rng.IntN(2)] {
				m.Dests = append(m.Dests, to(int32(d), block()))
			}
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// place schedules the messages in list order, each at the first start from a
// random one on that is legal and encodable.
func place(t testing.TB, rng *rand.Rand, p *exchange.Problem) *exchange.Schedule {
	t.Helper()
	var start []int32
	for j := range p.Messages {
		part := &exchange.Problem{Tiles: p.Tiles, Messages: p.Messages[:j+1]}
		roles := rolesOf(part)
		start = append(start, int32(rng.IntN(200)))
		for {
			c := checker{p: part, start: start}
			if _, v := c.run(roles); v == nil {
				if _, err := exchange.EncodePhase(part, schedule(part, start...)); err == nil {
					break
				}
			}
			if start[j]++; start[j] > 1e6 {
				t.Fatal("no legal start")
			}
		}
	}
	return schedule(p, start...)
}

// word is the place of one 32-bit word.
type word struct {
	tile int32
	addr uint32
}

// inProgramOrder executes the messages one after another. Words that were never
// written hold their own place.
func inProgramOrder(p *exchange.Problem) map[word]word {
	memory := make(map[word]word)
	for _, m := range p.Messages {
		data := make([]word, m.Words)
		for k := range data {
			data[k] = load(memory, word{m.Source, m.SourceAddrs[0] + 4*uint32(k)})
		}
		for _, d := range m.Dests {
			for k, v := range data {
				memory[word{d.Tile, d.Addr + 4*uint32(k)}] = v
			}
		}
	}
	return memory
}

func load(memory map[word]word, w word) word {
	if v, ok := memory[w]; ok {
		return v
	}
	return w
}

// replay executes rows of 32-bit messages word by word. All tiles run on one
// clock, their own shifted by 4F+8h+2y: on it every word is stored after it was
// read, so that time order is an order of execution.
func replay(t testing.TB, rows [][]uint32) map[word]word {
	t.Helper()
	type step struct {
		at    int32
		write bool
		from  word
		to    word
		data  *word
	}
	var steps []step
	decoded := make([]tileRow, len(rows))
	for tile, row := range rows {
		r, v := decode(row, false)
		if v != nil {
			t.Fatal(v)
		}
		decoded[tile] = r
	}
	clock := func(tile int) int32 {
		c := device.CoordOf(device.Physical(tile))
		return int32(4*c.Fold() + 8*c.Half() + 2*c.Y)
	}
	sentAt := func(tile int, event int32) (addr uint32, ok bool) {
		for _, s := range decoded[tile].sends {
			if event > s.start && event <= s.end() {
				return 4 * uint32(s.addr+event-1-s.start), true
			}
		}
		return 0, false
	}
	for d := range decoded {
		delay := int32(device.WriteDelay(device.Physical(d)))
		pointer, set, next := uint32(0), false, 0
		source, control := int32(device.NeutralSource), 0
		pic := decoded[d].pic
		for event := int32(1); event <= decoded[d].events; event++ {
			if control < len(decoded[d].source) && decoded[d].source[control].event == event {
				source = decoded[d].source[control].value
				control++
			}
			if source == device.NeutralSource {
				continue
			}
			s := device.Logical(int(source))
			left := event - int32(device.RouteDelay(int(source), device.Physical(d)))
			from, ok := sentAt(s, left)
			if !ok {
				t.Fatalf("tile %d hears nothing from %d at event %d", d, s, event)
			}
			for next < len(pic) && pic[next].event <= event+delay {
				pointer, set = 4*uint32(pic[next].value), true
				next++
			}
			if !set {
				t.Fatalf("tile %d has no pointer at event %d", d, event+delay)
			}
			data := new(word)
			at := word{int32(d), pointer}
			steps = append(steps,
				step{left + clock(s), false, word{int32(s), from}, at, data},
				step{event + delay + clock(d), true, word{int32(s), from}, at, data})
			pointer += 4
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	memory := make(map[word]word)
	for _, s := range steps {
		if s.write {
			memory[s.to] = *s.data
		} else {
			*s.data = load(memory, s.from)
		}
	}
	return memory
}
