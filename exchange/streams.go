package exchange

import (
	"cmp"
	"fmt"
	"slices"

	"ipusolve/device"
)

// TileStream is what one tile's row does: its sends by start and its controls
// by event (source before pointer), over Horizon events. A tile with Horizon 0
// takes no part in the phase. Pointers are absolute word addresses, for
// INCOMING_BASE 0.
type TileStream struct {
	Sends    []RowSend
	Controls []RowControl
	Horizon  int32
	Begun    int // sends that a pair of controls begins (FirstEvent)
}

// Roles lists the messages that each tile sends, receives, or lends its lane to.
// Building it once makes the streams of single tiles cheap.
type Roles struct {
	p     *Problem
	first []int32 // roles of tile t: list[first[t]:first[t+1]]
	list  []role
}

// role is the part a tile plays in a message: an index into Dests, or one of
// the two below.
type role struct {
	message int32
	dest    int32
}

const (
	roleSender  = -1
	rolePartner = -2
)

// NewRoles indexes the problem, which must be valid.
func NewRoles(p *Problem) *Roles {
	r := &Roles{p: p, first: make([]int32, p.Tiles+1)}
	each := func(visit func(tile int32, r role)) {
		for j := range p.Messages {
			m := &p.Messages[j]
			visit(m.Source, role{int32(j), roleSender})
			if m.Paired {
				visit(m.Source^1, role{int32(j), rolePartner})
			}
			for k, d := range m.Dests {
				visit(d.Tile, role{int32(j), int32(k)})
			}
		}
	}
	each(func(t int32, _ role) { r.first[t+1]++ })
	for t := range p.Tiles {
		r.first[t+1] += r.first[t]
	}
	r.list = make([]role, r.first[p.Tiles])
	fill := slices.Clone(r.first)
	each(func(t int32, x role) {
		r.list[fill[t]] = x
		fill[t]++
	})
	return r
}

// receive is one message at one receiver, in the receiver's events.
type receive struct {
	sigma, n int32 // source select and items; of a paired message S = x + P and n
	pi       int32 // pointer event
	busy     int32 // first event of the exclusion window, sigma unless a late member
	end      int32 // end of the exclusion window
	addr     uint32
	words    uint32
	source   uint32 // physical
	paired   bool
	early    bool // of a paired message: the member that selects the lane
	format   uint32
}

// Tile derives the streams of tile t from the starts of all messages (only those
// of its own messages are read) into dst, whose slices are reused. Selects,
// neutrals and cutover follow R6, pointers R8, paired messages exchange.md §4.2; under
// FirstEvent, controls at first events of sends are made pairs.
// It fails with a *RowError if two receives overlap (R3); the other rules are
// EncodeTile's and the checker's.
func (r *Roles) Tile(t int, start []int32, dst *TileStream) error {
	dst.Sends, dst.Controls, dst.Horizon, dst.Begun = dst.Sends[:0], dst.Controls[:0], 0, 0
	list := r.list[r.first[t]:r.first[t+1]]
	receives := make([]receive, 0, len(list))
	for _, ro := range list {
		m := &r.p.Messages[ro.message]
		x, n := start[ro.message], m.Items()
		horizon := x + n
		switch ro.dest {
		case roleSender:
			item := uint32(4)
			if m.Paired {
				item = 8
			}
			dst.Sends = append(dst.Sends, RowSend{x, n, m.SourceAddrs[0] / item, m.Control()})
		case rolePartner:
		default:
			in := r.receive(m, m.Dests[ro.dest], x)
			receives = append(receives, in)
			horizon = in.pi + n + guard
		}
		dst.Horizon = max(dst.Horizon, horizon)
	}
	slices.SortFunc(dst.Sends, func(a, b RowSend) int { return cmp.Compare(a.Start, b.Start) })
	receives = byWindow(receives)
	if err := dst.control(receives); err != nil {
		return err
	}
	if r.p.Freedom == FirstEvent {
		dst.pairFirst(receives)
	}
	return nil
}

// byWindow sorts receives by their windows. Numbers sort faster than structs.
func byWindow(receives []receive) []receive {
	keys := make([]int64, len(receives))
	for k := range receives {
		keys[k] = int64(receives[k].busy)<<32 | int64(k)
	}
	if slices.IsSorted(keys) {
		return receives
	}
	slices.Sort(keys)
	out := make([]receive, len(receives))
	for k, key := range keys {
		out[k] = receives[uint32(key)]
	}
	return out
}

func (r *Roles) receive(m *Message, d Dest, x int32) receive {
	tables := routes()
	n, l := m.Items(), tables.writeDelay(d.Tile)
	in := receive{n: n, addr: d.Addr, words: uint32(m.Words), source: uint32(tables.physical[m.Source])}
	in.sigma = x + 1 + m.Lag(d.Tile)
	in.pi = in.sigma + l + m.format()
	in.busy, in.end = in.sigma, in.sigma+n
	if m.Paired {
		physical := uint32(tables.physical[d.Tile])
		in.paired = true
		in.early = tables.lag(m.Source, d.Tile, false) < tables.lag(m.Source, d.Tile^1, false)
		in.source ^= physical & 2
		in.format = uint32(tables.dir[tables.physical[m.Source]&63][physical&63])
		formatOn := in.pi - 2
		in.end = formatOn + n
		in.busy = in.sigma
		if !in.early {
			in.busy = formatOn
		}
	}
	return in
}

// control fills in the controls of the receives, sorted by time.
func (dst *TileStream) control(receives []receive) error {
	sources, pointers := make([]RowControl, 0, 2*len(receives)), make([]RowControl, 0, len(receives))
	source := func(event int32, sel uint8, v uint32) {
		sources = append(sources, RowControl{event, SourceStream, sel, v})
	}
	pointer := func(event int32, sel uint8, v uint32) {
		pointers = append(pointers, RowControl{event, PointerStream, sel, v})
	}
	for i, in := range receives {
		if i > 0 && in.busy < receives[i-1].end {
			return &RowError{"R3", in.busy, fmt.Sprintf("a receive starts before the end %d of the one before it", receives[i-1].end)}
		}
		if in.paired {
			if in.early {
				source(in.sigma, device.SelPairSource, in.source)
				source(in.sigma+in.n, device.SelPairSource, device.NeutralSource)
			}
			pointer(in.pi-2, device.SelFormat, in.format)
			pointer(in.pi, device.SelPointer, in.addr/4)
			pointer(in.pi-2+in.n, device.SelFormat, 0)
			continue
		}
		source(in.sigma, device.SelSource, in.source)
		cutover := i+1 < len(receives) && !receives[i+1].paired && receives[i+1].sigma == in.sigma+in.n
		if !cutover {
			source(in.sigma+in.n, device.SelSource, device.NeutralSource)
		}
		continues := i > 0 && !receives[i-1].paired && receives[i-1].addr+4*receives[i-1].words == in.addr
		if !continues {
			pointer(in.pi, device.SelPointer, in.addr/4)
		}
	}
	byEvent := func(a, b RowControl) int { return cmp.Compare(a.Event, b.Event) }
	for _, list := range [][]RowControl{sources, pointers} {
		if !slices.IsSortedFunc(list, byEvent) { // paired messages mix with others
			slices.SortStableFunc(list, byEvent)
		}
	}
	dst.Controls = slices.Grow(dst.Controls, len(sources)+len(pointers))
	for len(sources) > 0 && len(pointers) > 0 {
		next := &sources
		if pointers[0].Event < sources[0].Event {
			next = &pointers
		}
		dst.Controls = append(dst.Controls, (*next)[0])
		*next = (*next)[1:]
	}
	dst.Controls = append(append(dst.Controls, sources...), pointers...)
	return nil
}

// TileStreams derives the streams of all tiles of a valid problem (reference:
// exchange.md §4–§7); the result is indexed by logical tile. The error names the
// phase and the tile.
func TileStreams(p *Problem, s *Schedule) ([]TileStream, error) {
	if err := checkStarts(p, s); err != nil {
		return nil, err
	}
	roles := NewRoles(p)
	all := make([]TileStream, p.Tiles)
	for t := range all {
		if err := roles.Tile(t, s.Start, &all[t]); err != nil {
			return nil, fmt.Errorf("exchange: phase %d, tile %d: %w", p.Phase, t, err)
		}
	}
	return all, nil
}

// maxStart keeps all event arithmetic inside 32 bits.
const maxStart = 1 << 30

func checkStarts(p *Problem, s *Schedule) error {
	if len(s.Start) != len(p.Messages) {
		return fmt.Errorf("exchange: phase %d: %d starts for %d messages", p.Phase, len(s.Start), len(p.Messages))
	}
	for j, x := range s.Start {
		if x < 0 || x > maxStart {
			return fmt.Errorf("exchange: phase %d, message %d: start %d not in 0..%d", p.Phase, j, x, maxStart)
		}
	}
	return nil
}
