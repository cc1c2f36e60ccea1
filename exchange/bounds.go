package exchange

import (
	"errors"
	"fmt"
	"slices"

	"ipusolve/device"
)

// ErrWitness marks a witness that does not fit the problem it is derived from.
var ErrWitness = errors.New("exchange: bad witness")

// BoundKind names the argument of a lower bound (reference: exchange.md §13).
type BoundKind string

// The bounds of Best, from cheap to strong.
const (
	BoundItems   BoundKind = "items"   // A: items one machine has to pass
	BoundMachine BoundKind = "machine" // B: one machine with heads and tails
	BoundControl BoundKind = "control" // C: control events of one tile
	BoundElement BoundKind = "element" // D: one SRAM element is half duplex
)

// Side is the machine of a tile a bound is about.
type Side string

// Sides of a tile. The control and element bounds concern both.
const (
	SendSide    Side = "send"
	ReceiveSide Side = "receive"
	BothSides   Side = "both"
)

// Witness is all it takes to re-derive a bound from the problem: the tile, the
// machine or element, and the messages whose work is counted there.
type Witness struct {
	Kind     BoundKind
	Tile     int32
	Side     Side
	Element  int     // device.Element number; BoundElement only
	Messages []int32 // indices into Problem.Messages, ascending
}

// Bound is a proven lower bound on the phase horizon, in events.
type Bound struct {
	Horizon int32
	Witness Witness
}

// Best is the largest of the bounds A–D over all tiles. It holds for every
// schedule that keeps R1–R14. The problem must be valid; a problem without
// messages has bound 0.
func Best(p *Problem) Bound {
	best := Bound{}
	keep := func(b Bound) {
		if b.Horizon > best.Horizon {
			best = b
		}
	}
	keep(ItemsBound(p))
	keep(MachineBound(p))
	keep(ControlBound(p))
	keep(ElementBound(p))
	return best
}

// Derive recomputes the bound from the witness alone and says how far it
// reaches. A witness that names messages which do not touch its machine is an
// error that wraps ErrWitness.
func (w *Witness) Derive(p *Problem) (int32, error) {
	bad := func(format string, args ...any) (int32, error) {
		return 0, fmt.Errorf("%w: %s", ErrWitness, fmt.Sprintf(format, args...))
	}
	if w.Tile < 0 || int(w.Tile) >= p.Tiles {
		return bad("tile %d of %d", w.Tile, p.Tiles)
	}
	for k, i := range w.Messages {
		if i < 0 || int(i) >= len(p.Messages) || k > 0 && i <= w.Messages[k-1] {
			return bad("message %d at place %d", i, k)
		}
	}
	roles := tileRoles{tile: w.Tile}
	for _, i := range w.Messages {
		m := &p.Messages[i]
		sends := m.Source == w.Tile && w.Side != ReceiveSide
		receives := w.Side != SendSide && slices.ContainsFunc(m.Dests, func(d Dest) bool { return d.Tile == w.Tile })
		if !sends && !receives {
			return bad("message %d does not use the %s side of tile %d", i, w.Side, w.Tile)
		}
		roles.add(i, sends)
	}
	switch w.Kind {
	case BoundItems:
		return roles.items(p), nil
	case BoundMachine:
		if len(w.Messages) == 0 || w.Side == BothSides {
			return bad("%d messages on side %s", len(w.Messages), w.Side)
		}
		return machineValue(roles.jobs(p, w.Side)), nil
	case BoundControl:
		return roles.control(p), nil
	case BoundElement:
		if w.Element < 0 || w.Element >= device.NumElements {
			return bad("element %d", w.Element)
		}
		return roles.element(p, w.Element), nil
	}
	return bad("kind %q", w.Kind)
}

// EndpointBound is the bound the reference prints (exchange.md §10.6): the most
// items any tile sends or receives; the partner of a paired message's sender
// counts them on both sides.
func EndpointBound(p *Problem) int32 {
	sent, received := make([]int32, p.Tiles), make([]int32, p.Tiles)
	for i := range p.Messages {
		m := &p.Messages[i]
		n := m.Items()
		sent[m.Source] += n
		if m.Paired {
			sent[m.Source^1] += n
			received[m.Source^1] += n
		}
		for _, d := range m.Dests {
			received[d.Tile] += n
		}
	}
	if p.Tiles == 0 {
		return 0
	}
	return max(slices.Max(sent), slices.Max(received))
}

// tileRoles are messages one tile sends and receives, as indices.
type tileRoles struct {
	tile            int32
	sends, receives []int32
}

func (r *tileRoles) add(i int32, send bool) {
	if send {
		r.sends = append(r.sends, i)
	} else {
		r.receives = append(r.receives, i)
	}
}

// roles lists the roles of every tile, messages ascending.
func (p *Problem) roles() []tileRoles {
	sends, receives := make([]int32, p.Tiles), make([]int32, p.Tiles)
	total := 0
	for i := range p.Messages {
		m := &p.Messages[i]
		sends[m.Source]++
		for _, d := range m.Dests {
			receives[d.Tile]++
		}
		total += 1 + len(m.Dests)
	}
	arena := make([]int32, total)
	take := func(n int32) []int32 {
		s := arena[:0:n]
		arena = arena[n:]
		return s
	}
	out := make([]tileRoles, p.Tiles)
	for t := range out {
		out[t] = tileRoles{int32(t), take(sends[t]), take(receives[t])}
	}
	for i := range p.Messages {
		m := &p.Messages[i]
		s := &out[m.Source]
		s.sends = append(s.sends, int32(i))
		for _, d := range m.Dests {
			r := &out[d.Tile]
			r.receives = append(r.receives, int32(i))
		}
	}
	return out
}

func sumItems(p *Problem, list []int32) int32 {
	sum := int32(0)
	for _, i := range list {
		sum += p.Messages[i].Items()
	}
	return sum
}

// merged is the union of two ascending disjoint lists, ascending.
func merged(a, b []int32) []int32 {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return out
}
