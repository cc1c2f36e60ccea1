package exchange

import (
	"slices"

	"ipusolve/device"
)

// Freedom names what a schedule may do beyond the rules R1–R14 as List keeps them.
type Freedom string

const (
	// Standard keeps the rules.
	Standard Freedom = ""
	// FirstEvent lets controls fall on the first event of a tile's own send, x+1, where
	// R5 forbids them: a sendpicp begins the message (reference: exchange.md §14, freedom 4;
	// never tried on hardware). It sets source and pointer, so a control that is
	// missing there is set to the value it has; a pointer before the first one to the
	// value that is first. R5 stays
	//
	//   - on tiles that receive paired messages, and for paired messages;
	//   - where a message leaves right behind another of the tile and continues
	//     its address with the same ctl: then the words do not show where it begins.
	FirstEvent Freedom = "firstEvent"
)

// Freedoms lists what there is besides Standard.
var Freedoms = []Freedom{FirstEvent}

// WithFreedom is the problem under a freedom.
func (p *Problem) WithFreedom(f Freedom) *Problem {
	if p.Freedom == f {
		return p
	}
	q := *p
	q.Freedom = f
	return &q
}

// Chosen is the problem with what the schedule decided: widths, and the freedom that
// it uses. The schedule is one of this problem.
func (p *Problem) Chosen(s *Schedule) *Problem { return p.WithWidths(s.Paired).WithFreedom(s.Freedom) }

// joins tells whether a send continues the one before it, which ends at its start, so
// that a sendpicp would not show where it begins.
func (s RowSend) joins(before RowSend) bool {
	return before.End() == s.Start && before.Ctl == s.Ctl && before.ItemAddr+uint32(before.Items) == s.ItemAddr
}

// mayBegin tells whether FirstEvent lets send k begin with a pair of controls.
func mayBegin(sends []RowSend, k int) bool {
	return sends[k].Ctl&device.CtlPaired == 0 && (k == 0 || !sends[k].joins(sends[k-1]))
}

// pairFirst makes pairs of the controls at first events of sends (FirstEvent); the
// receives are sorted by window.
func (st *TileStream) pairFirst(receives []receive) {
	if slices.ContainsFunc(receives, func(r receive) bool { return r.paired }) {
		return
	}
	missing := false // a control of some pair
	c, sends := 0, st.Sends
	for k := range sends {
		s := &sends[k]
		for c < len(st.Controls) && st.Controls[c].Event <= s.Start {
			c++
		}
		if c == len(st.Controls) || st.Controls[c].Event > s.Start+1 || !mayBegin(sends, k) {
			continue
		}
		st.Begun++
		missing = missing || group(st.Controls[c:]) == 1
	}
	if !missing {
		return
	}
	out := make([]RowControl, 0, len(st.Controls)+len(sends))
	source, heard := uint32(device.NeutralSource), 0
	c = 0
	until := func(event int32) { // copies controls before the event
		for c < len(st.Controls) && st.Controls[c].Event < event {
			if st.Controls[c].Stream == SourceStream {
				source = st.Controls[c].Value
			}
			out = append(out, st.Controls[c])
			c++
		}
	}
	for k := range sends {
		event := sends[k].Start + 1
		until(event)
		if c == len(st.Controls) || st.Controls[c].Event > event || group(st.Controls[c:]) == 2 || !mayBegin(sends, k) {
			continue
		}
		lone := st.Controls[c]
		if lone.Stream == PointerStream {
			out = append(out, RowControl{event, SourceStream, device.SelSource, source})
			continue
		}
		// Receives are stored in their order: the last one begun says where.
		for heard < len(receives) && receives[heard].pi < event {
			heard++
		}
		value := receives[0].addr / 4
		if heard > 0 {
			r := &receives[heard-1]
			value = r.addr/4 + uint32(min(r.n, event-r.pi))
		}
		out = append(out, lone, RowControl{event, PointerStream, device.SelPointer, value})
		source = lone.Value
		c++
	}
	st.Controls = append(st.Controls[:0], append(out, st.Controls[c:]...)...)
}

// relax lists the components of short messages of a schedule that keeps the rules
// under the freedom, and gives that schedule back if nothing is shorter.
func (l *lister) relax(s *Schedule) (*Schedule, Stats, error) {
	f := newLister(l.ctx, l.p.WithFreedom(l.opt.Freedom), l.opt)
	if s.Horizon <= f.goal {
		return s, l.stats, nil
	}
	for k := range f.components {
		c := &f.components[k]
		c.method, c.exact, c.encodes = l.components[k].method, true, true
		for _, i := range c.messages {
			c.start = append(c.start, s.Start[i])
			c.horizon = max(c.horizon, f.completion(i, s.Start[i]))
		}
	}
	for k := range f.components {
		c := &f.components[k]
		f.limit = f.looked + int64(f.allowance*float64(f.receives(&c.component)))
		f.denseList(c)
	}
	shorter, err := f.finish()
	if err != nil {
		return nil, Stats{}, err
	}
	if shorter.Freedom, err = f.roleIndex.freedom(shorter); err != nil {
		return nil, Stats{}, err
	}
	f.stats.Tries, f.stats.Trials, f.stats.Repairs = f.stats.Tries+l.stats.Tries, l.stats.Trials, l.stats.Repairs
	f.stats.Looks += l.stats.Looks
	l.stats.Looks, s.Looks = f.stats.Looks, f.stats.Looks
	shorter.Looks, shorter.Repairs = s.Looks, s.Repairs
	if shorter.Horizon >= s.Horizon || shorter.Freedom == Standard {
		return s, l.stats, nil
	}
	return shorter, f.stats, nil
}

// freedom is what of the problem's freedom the schedule uses.
func (r *Roles) freedom(s *Schedule) (Freedom, error) {
	if r.p.Freedom == Standard {
		return Standard, nil
	}
	var stream TileStream
	for t := range r.p.Tiles {
		if err := r.Tile(t, s.Start, &stream); err != nil {
			return Standard, err
		}
		if stream.Begun > 0 {
			return r.p.Freedom, nil
		}
	}
	return Standard, nil
}
