package ipusolve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// messages names the messages of a phase without their addresses.
type messages [sha256.Size]byte

// alike is what is known of phases with the same messages. Placement may give these
// other addresses: equal blocks send the same, and a program that is placed again
// sends the same as before.
type alike struct {
	phases []int // of the program
	found  []scheduled
}

type scheduled struct {
	*exchange.Schedule
	method string
}

// alike groups the phases of the program, in order of their first.
func (c *Compilation) alike() []*alike {
	if c.known == nil {
		c.known = map[messages]*alike{}
	}
	for _, a := range c.known {
		a.phases = nil
	}
	keys := make([]messages, len(c.Program.Phases))
	_ = forEach(len(keys), func(i int) error {
		keys[i] = messagesOf(c.Program.Exchange(i), len(c.memory.SharedElementTiles[i]))
		return nil
	})
	var list []*alike
	for i, key := range keys {
		a := c.known[key]
		if a == nil {
			a = &alike{}
			c.known[key] = a
		}
		if len(a.phases) == 0 {
			list = append(list, a)
		}
		a.phases = append(a.phases, i)
	}
	return list
}

// messagesOf names the messages of p. The number of tiles that read and write one
// element of memory is part of the name, since that makes schedules longer.
func messagesOf(p *exchange.Problem, sharedElements int) messages {
	h := sha256.New()
	var b []byte
	flush := func() {
		h.Write(b)
		b = b[:0]
	}
	number := func(v int) { b = binary.LittleEndian.AppendUint64(b, uint64(v)) }
	number(p.Tiles)
	number(len(p.Messages))
	number(sharedElements)
	b = append(b, p.Freedom...)
	for i := range p.Messages {
		m := &p.Messages[i]
		width := 0
		if m.Paired {
			width |= 1
		}
		if m.Open {
			width |= 2
		}
		number(int(m.Source))
		number(int(m.Words))
		number(width)
		number(len(m.Dests))
		for _, d := range m.Dests {
			number(int(d.Tile))
		}
		flush()
	}
	return messages(h.Sum(nil))
}

// schedule takes a known schedule if it is one for p, too, and asks the scheduler
// otherwise.
func (a *alike) schedule(ctx context.Context, p *exchange.Problem, scheduler Scheduler) (scheduled, error) {
	for _, s := range a.found {
		if s.holds(p) {
			// What a search has shown it has shown for other addresses.
			s.method = strings.TrimSuffix(s.method, BySearch)
			return s, nil
		}
	}
	s, method, err := scheduler.Schedule(ctx, p)
	if err != nil {
		return scheduled{}, err
	}
	a.found = append(a.found, scheduled{s, method})
	return a.found[len(a.found)-1], nil
}

// holds tells whether s is a schedule of p with rows that can be written.
func (s scheduled) holds(p *exchange.Problem) bool {
	chosen := p.Chosen(s.Schedule)
	if _, err := check.CheckSchedule(chosen, s.Schedule); err != nil {
		return false
	}
	_, err := exchange.EncodePhase(chosen, s.Schedule)
	return err == nil
}
