package suite

import (
	"fmt"
	"sync"

	"ipusolve/bench/seedlog"
	"ipusolve/device"
	"ipusolve/exchange"
	"ipusolve/lower"
	"ipusolve/model"
)

// place lowers a plan and gives addresses.
func place(plan *model.Plan) (*lower.Program, error) {
	prog, err := lower.Build(plan)
	if err != nil {
		return nil, err
	}
	m, err := lower.Reserve(prog, lower.ReserveOptions{MemoryLimit: plan.Problem.MemoryLimit})
	if err != nil {
		return nil, err
	}
	_, err = lower.Place(prog, m)
	return prog, err
}

// seedProgram is the plan of the first seed log, lowered and placed.
var seedProgram = sync.OnceValues(func() (*lower.Program, error) {
	plan, err := seedlog.FirstPlan()
	if err != nil {
		return nil, err
	}
	return place(plan)
})

// SeedPhase is an exchange phase of the first seed log's plan (reference:
// lowering.md §6.1), with the addresses that this compiler gives it.
func SeedPhase(phase int) (*exchange.Problem, error) {
	prog, err := seedProgram()
	if err != nil {
		return nil, fmt.Errorf("suite: first seed: %w", err)
	}
	return prog.Exchange(phase), nil
}

// HalfDuplex moves the data of a problem whose tiles each send and receive little
// into one memory element a tile, so that no tile can do both at once.
func HalfDuplex(p *exchange.Problem) (*exchange.Problem, error) {
	const element, base = 0x4000, 0x60000
	type span struct{ first, end uint32 }
	grow := func(s *span, at uint32, words int32) {
		if s.end == 0 || at < s.first {
			s.first = at
		}
		s.end = max(s.end, at+4*uint32(words))
	}
	sent, received := make([]span, p.Tiles), make([]span, p.Tiles)
	for i := range p.Messages {
		m := &p.Messages[i]
		grow(&sent[m.Source], m.SourceAddrs[0], m.Words)
		for _, d := range m.Dests {
			grow(&received[d.Tile], d.Addr, m.Words)
		}
	}
	for t := range sent {
		if bytes := sent[t].end - sent[t].first + received[t].end - received[t].first; bytes > element || device.Elements(base, element) != 1<<device.Element(base) {
			return nil, fmt.Errorf("suite: tile %d: %d bytes are more than a memory element", t, bytes)
		}
	}
	out := &exchange.Problem{Phase: p.Phase, Tiles: p.Tiles, Messages: make([]exchange.Message, len(p.Messages))}
	for i := range p.Messages {
		m := &p.Messages[i]
		s := &sent[m.Source]
		c := exchange.Message{Source: m.Source, Words: m.Words, SourceAddrs: []uint32{base + m.SourceAddrs[0] - s.first}}
		for _, d := range m.Dests {
			s, r := &sent[d.Tile], &received[d.Tile]
			c.Dests = append(c.Dests, exchange.Dest{Tile: d.Tile, Addr: base + s.end - s.first + d.Addr - r.first})
		}
		out.Messages[i] = c
	}
	return out, nil
}

func seedFamilies() []Family {
	targets := []Family{
		{Title: "weights to their replicas", Target: 1.04},
		{Title: "partial sums of mixed sizes in 135 groups", Target: 1.03, Seconds: 20},
		{Title: "retile, 8 words a message", Target: 1.12, Seconds: 15, Bytes: 2 << 30},
		{Title: "gather of left operands and weights", Target: 1.04},
		{Title: "partial sums", Target: 1.04},
	}
	for k := range targets {
		f := &targets[k]
		f.Name, f.Title = fmt.Sprintf("seed-%d", k), "first seed, phase "+fmt.Sprint(k)+": "+f.Title
		f.Problems = func() ([]*exchange.Problem, error) {
			p, err := SeedPhase(k)
			return []*exchange.Problem{p}, err
		}
	}
	return append(targets, Family{Name: "seed-2-half", Title: "first seed, phase 2, all data of a tile in one memory element", Target: 1.15,
		Problems: func() ([]*exchange.Problem, error) {
			p, err := SeedPhase(2)
			if err != nil {
				return nil, err
			}
			p, err = HalfDuplex(p)
			return []*exchange.Problem{p}, err
		}})
}
