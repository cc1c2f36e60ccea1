package check

import (
	"errors"
	"fmt"
	"slices"

	"ipusolve/device"
	"ipusolve/exchange"
)

// ErrWitness marks a witness that proves nothing about the problem.
var ErrWitness = errors.New("check: bad witness")

// Witness derives from the problem alone the horizon that the messages of a
// witness force (reference: exchange.md §13, and what the bounds of package
// exchange add to it). The problem must be one that Check accepts; the witness may
// be anything: one that names messages, machines or orders the problem does not
// have, or more than its kind needs, is an error that wraps ErrWitness. A phase
// without messages has the zero witness and horizon 0.
//
// A message of open width counts with what it does at either width: the events that
// its windows have in common, the end that comes first.
func Witness(p *exchange.Problem, w *exchange.Witness) (int32, error) {
	q, lent := narrow(p)
	d := deriver{p: q, lent: lent, w: w}
	h, err := d.derive()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrWitness, err)
	}
	return h, nil
}

type deriver struct {
	p     *exchange.Problem
	lent  []bool // per tile: it lends its lane
	w     *exchange.Witness
	start []int32 // zeros, made when needed
}

func (d *deriver) derive() (int32, error) {
	w := d.w
	if w.Kind == "" {
		return 0, d.nothing()
	}
	if w.Tile < 0 || int(w.Tile) >= d.p.Tiles {
		return 0, fmt.Errorf("no tile %d", w.Tile)
	}
	if err := d.listed(w.Messages); err != nil {
		return 0, err
	}
	if w.Other != nil && w.Kind != exchange.BoundLink {
		return 0, fmt.Errorf("a second machine for a bound of kind %q", w.Kind)
	}
	onElement := w.Side == exchange.BothSides && (w.Kind == exchange.BoundElement || w.Kind == exchange.BoundPair)
	if w.Element != 0 && !onElement || w.Element < 0 || w.Element >= device.NumElements {
		return 0, fmt.Errorf("element %d for a bound of kind %q", w.Element, w.Kind)
	}
	one := []exchange.Side{exchange.SendSide, exchange.ReceiveSide}
	three := append(one, exchange.WriteSide)
	both := []exchange.Side{exchange.BothSides}
	for _, k := range []struct {
		kind   exchange.BoundKind
		sides  []exchange.Side
		derive func() (int32, error)
	}{
		{exchange.BoundItems, one, d.items},
		{exchange.BoundMachine, three, func() (int32, error) { return d.machine(false) }},
		{exchange.BoundElement, both, func() (int32, error) { return d.machine(false) }},
		{exchange.BoundPair, append(three, exchange.BothSides), func() (int32, error) { return d.machine(true) }},
		{exchange.BoundSpread, one[:1], d.spread},
		{exchange.BoundControl, both, d.control},
		{exchange.BoundSlots, both, d.slots},
		{exchange.BoundPath, both, d.path},
		{exchange.BoundClique, both, d.clique},
		{exchange.BoundLink, one, d.link},
		{exchange.BoundLanes, one[:1], d.lanes},
	} {
		if k.kind == w.Kind {
			if !slices.Contains(k.sides, w.Side) {
				return 0, fmt.Errorf("side %q for a bound of kind %q", w.Side, w.Kind)
			}
			return k.derive()
		}
	}
	return 0, fmt.Errorf("kind %q", w.Kind)
}

// nothing accepts the zero witness for a phase without messages.
func (d *deriver) nothing() error {
	w := d.w
	if w.Tile != 0 || w.Side != "" || w.Element != 0 || len(w.Messages) > 0 || w.Other != nil {
		return errors.New("no kind")
	}
	return nil
}

// listed checks a list of messages: some, ascending, of the problem.
func (d *deriver) listed(list []int32) error {
	for k, j := range list {
		if j < 0 || int(j) >= len(d.p.Messages) || k > 0 && j <= list[k-1] {
			return fmt.Errorf("message %d at place %d", j, k)
		}
	}
	if len(list) == 0 {
		return errors.New("no messages")
	}
	return nil
}

// windows gives the messages' windows on a machine, which they must use.
func (d *deriver) windows(list []int32, tile int32, side exchange.Side, element int) (out []window, lent int, err error) {
	for _, j := range list {
		from, n, borrowed, ok := onMachine(d.p, d.lent, j, tile, side, element)
		if !ok {
			return nil, 0, fmt.Errorf("message %d does not use side %q of tile %d", j, side, tile)
		}
		if borrowed {
			lent++
		}
		out = append(out, spanOf(d.p, j).on(from, n))
	}
	return out, lent, nil
}

// items is bound A.
func (d *deriver) items() (int32, error) {
	_, lent, err := d.windows(d.w.Messages, d.w.Tile, d.w.Side, 0)
	if err != nil || lent > 0 {
		return 0, errors.Join(err, errorIf(lent > 0, "a message of the partner"))
	}
	sum := int32(0)
	for _, j := range d.w.Messages {
		sum += items(&d.p.Messages[j])
	}
	return sum, nil
}

func errorIf(bad bool, what string) error {
	if bad {
		return errors.New(what)
	}
	return nil
}

// machine is bound B, D or G for exactly the messages listed.
func (d *deriver) machine(pair bool) (int32, error) {
	list, lent, err := d.windows(d.w.Messages, d.w.Tile, d.w.Side, d.w.Element)
	if err != nil {
		return 0, err
	}
	if pair != (lent > 0) {
		return 0, fmt.Errorf("%d messages of the partner", lent)
	}
	head, sum, tail := total(list)
	return head + sum + tail, nil
}

// total is the smallest head, all n and the smallest tail of some windows.
func total(list []window) (head, sum, tail int32) {
	head, tail = list[0].head, list[0].tail
	for _, l := range list {
		head, sum, tail = min(head, l.head), sum+l.n, min(tail, l.tail)
	}
	return head, sum, tail
}

// spread is bound H: a multicast alone.
func (d *deriver) spread() (int32, error) {
	j := d.w.Messages[0]
	if m := &d.p.Messages[j]; len(d.w.Messages) != 1 || len(m.Dests) < 2 || m.Source != d.w.Tile {
		return 0, fmt.Errorf("%d messages, no multicast of tile %d", len(d.w.Messages), d.w.Tile)
	}
	s := spanOf(d.p, j)
	return s.head + s.length, nil
}

// counts sorts the messages into sends and receives of the tile.
func (d *deriver) counts() (sends, receives []int32, err error) {
	t := d.w.Tile
	for _, j := range d.w.Messages {
		m := &d.p.Messages[j]
		switch {
		case m.Source == t:
			sends = append(sends, j)
		case slices.ContainsFunc(m.Dests, func(d exchange.Dest) bool { return d.Tile == t }):
			if m.Paired {
				return nil, nil, fmt.Errorf("message %d is paired", j)
			}
			receives = append(receives, j)
		default:
			return nil, nil, fmt.Errorf("message %d does not use tile %d", j, t)
		}
	}
	if len(receives) == 0 {
		return nil, nil, errors.New("no receives")
	}
	return sends, receives, nil
}

// lanes is the bound of what a pair of tiles sends on its two lanes.
func (d *deriver) lanes() (int32, error) {
	var list []window
	words, wide := int32(0), false
	for _, j := range d.w.Messages {
		m := &d.p.Messages[j]
		if m.Source != d.w.Tile && m.Source^1 != d.w.Tile {
			return 0, fmt.Errorf("message %d is sent by tile %d", j, m.Source)
		}
		words, wide = words+m.Words, wide || m.Paired
		list = append(list, spanOf(d.p, j).on(0, items(m)))
	}
	head, _, tail := total(list)
	return head + (words+1)/2 + tail, errorIf(!wide, "no message can be paired")
}

// control is bound C: selects and a neutral, and the first events of sends.
func (d *deriver) control() (int32, error) {
	sends, receives, err := d.counts()
	if err != nil {
		return 0, err
	}
	if d.p.Freedom != exchange.Standard {
		return 0, fmt.Errorf("freedom %q lets controls fall on first events of sends", d.p.Freedom)
	}
	k := int32(len(receives))
	last := k + 1 + int32(device.WriteDelay(device.Physical(int(d.w.Tile)))) + guard
	return max(last, k+1+int32(len(sends))), nil
}

// slots counts the places for controls in rows of growing length, event by event,
// until they are enough for all messages of the tile; its argument is that of
// exchange.BoundSlots. It must list every message of the tile.
func (d *deriver) slots() (int32, error) {
	sends, receives, err := d.counts()
	if err != nil {
		return 0, err
	}
	if d.p.Freedom != exchange.Standard {
		return 0, fmt.Errorf("freedom %q lets controls fall on first events of sends", d.p.Freedom)
	}
	t, all := d.w.Tile, 0
	for j := range d.p.Messages {
		m := &d.p.Messages[j]
		if lends(m, t) {
			return 0, fmt.Errorf("message %d is paired and of the partner", j)
		}
		if m.Source == t || slices.ContainsFunc(m.Dests, func(d exchange.Dest) bool { return d.Tile == t }) {
			all++
		}
	}
	if all != len(d.w.Messages) {
		return 0, fmt.Errorf("%d of the %d messages of tile %d", len(d.w.Messages), all, t)
	}
	const never = 1 << 20
	earliest, least, shortest := int32(never), int32(never), int32(never)
	for _, j := range d.w.Messages {
		if m := &d.p.Messages[j]; m.Paired || m.Words < 2 {
			return 0, fmt.Errorf("message %d is paired or one word", j)
		}
	}
	for _, j := range sends {
		s := spanOf(d.p, j)
		earliest, least = min(earliest, s.head), min(least, s.length)
	}
	addr := func(j int32) uint32 {
		dests := d.p.Messages[j].Dests
		return dests[slices.IndexFunc(dests, func(d exchange.Dest) bool { return d.Tile == t })].Addr
	}
	behind := map[uint32]bool{} // bytes behind some receive's
	for _, j := range receives {
		shortest = min(shortest, d.p.Messages[j].Words)
		behind[addr(j)+4*uint32(d.p.Messages[j].Words)] = true
	}
	pointers := int32(0)
	for _, j := range receives {
		if !behind[addr(j)] {
			pointers++
		}
	}
	need := 2*(int32(len(receives))+1) + 2*pointers + int32(len(sends))
	delay := int32(device.WriteDelay(device.Physical(int(t))))
	// every counts every second event of from..to.
	every := func(from, to int32) int32 { return max(to-from+2, 0) / 2 }
	for horizon := 2*delay + guard + 1; ; horizon++ {
		first, last := delay+1, horizon-delay-guard // both kinds of controls
		room := 2*every(1, first-1) + every(earliest+1, first-1) +
			2*(last-first+1) + 2 +
			2*every(last+1, horizon-guard-shortest) + every(last+1, horizon+1-least)
		if room >= need {
			if horizon == 2*delay+guard+1 {
				return 0, errors.New("too few messages for a bound of this kind")
			}
			return horizon, nil
		}
	}
}
