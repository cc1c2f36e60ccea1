package exchange

import "slices"

// Pairable tells which messages can move 64 bits an event, at the addresses that
// they have (reference: exchange.md §6): an even number of words, at least 128,
// whole pairs of receivers at equal addresses, all addresses multiples of 8 bytes,
// the sender's partner free for it, and no length that R11 forbids. Those that are
// paired already are among them.
func (p *Problem) Pairable() []bool {
	out := make([]bool, len(p.Messages))
	seen := make([]int, p.Tiles)
	for i := range p.Messages {
		m := p.Messages[i]
		if m.Paired = true; m.Words%2 == 0 && m.Words >= MinPairedWords {
			path, _, _ := m.fault(i+1, seen)
			out[i] = path == ""
		}
	}
	return out
}

// Opened is the problem with the width of every pairable message open, and none of
// these paired; p itself if there is none. It does not depend on which of them are
// paired in p.
func (p *Problem) Opened() *Problem {
	pairable := p.Pairable()
	if !slices.Contains(pairable, true) {
		return p
	}
	q := p.copied()
	for i, yes := range pairable {
		if yes {
			q.Messages[i].Open, q.Messages[i].Paired = true, false
		}
	}
	return q
}

// WithWidths is the problem with widths decided; with nil it is p.
func (p *Problem) WithWidths(paired []bool) *Problem {
	if paired == nil {
		return p
	}
	q := p.copied()
	for i, yes := range paired {
		q.Messages[i].Open, q.Messages[i].Paired = false, yes
	}
	return q
}

func (p *Problem) copied() *Problem {
	q := *p
	q.Messages = slices.Clone(p.Messages)
	return &q
}

// open tells whether a width is.
func (p *Problem) open() bool {
	return slices.ContainsFunc(p.Messages, func(m Message) bool { return m.Open })
}

// narrowest is the problem with open messages paired: they are on every machine
// within the window of either width, but for the lane that is not lent and the
// selector (see Best).
func (p *Problem) narrowest() *Problem {
	if !p.open() {
		return p
	}
	q := p.copied()
	for i := range q.Messages {
		q.Messages[i].Paired = q.Messages[i].Paired || q.Messages[i].Open
	}
	return q
}
