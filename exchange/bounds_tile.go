package exchange

import (
	"slices"

	"ipusolve/device"
)

// tileBounds holds the buffers for the bounds of one tile after another.
type tileBounds struct {
	jackson
	uses []use
	ends []uint32
}

// tile raises best by the bounds of tile t: A, B, C, D, G, H, slots and, of a pair's
// first tile that sends, lanes.
func (w *tileBounds) tile(b *bounder, t int32, best *Bound) {
	r := &b.roles[t]
	if len(r.sends)+len(r.receives) == 0 {
		return
	}
	w.items(b, r, best)
	for k, side := range []Side{SendSide, ReceiveSide} {
		if side == SendSide {
			w.uses = b.appendSends(w.uses[:0], r)
		} else {
			w.uses = b.appendReceives(w.uses[:0], r)
		}
		b.sides[2*int(t)+k] = sum(w.uses)
		if len(w.uses) > 0 {
			w.machine(b.appendLent(w.uses, t), t, side, 0, best)
		}
	}
	// Beside 32-bit receives alone, the pointer waits just as the selector does.
	if b.lends(t) || slices.ContainsFunc(r.receives, func(i int32) bool { return b.p.Messages[i].Paired }) {
		w.uses = b.appendWrites(w.uses[:0], r)
		w.machine(b.appendLent(w.uses, t), t, WriteSide, 0, best)
	}
	w.control(b, r, best)
	w.elements(b, r, best)
	w.slots(b, r, best)
	w.lanes(b, t, best)
}

// items is bound A: by R2 and R3 the items of one side pass one after the other.
func (w *tileBounds) items(b *bounder, r *tileRoles, best *Bound) {
	for _, side := range []Side{SendSide, ReceiveSide} {
		list := r.sends
		if side == ReceiveSide {
			list = r.receives
		}
		sum := int32(0)
		for _, i := range list {
			sum += b.p.Messages[i].Items()
		}
		if sum > best.Horizon {
			*best = Bound{sum, Witness{Kind: BoundItems, Tile: r.tile, Side: side, Messages: list}}
		}
	}
}

// machine is bound B on a machine, called pair (G) if messages that the partner
// sends count, element (D) for an element's machine, and spread (H) if it is that
// of one multicast alone.
func (w *tileBounds) machine(list []use, tile int32, side Side, element int, best *Bound) {
	c, ok := w.jackson.best(list, best.Horizon+1)
	if !ok {
		return
	}
	kind := BoundMachine
	var messages []int32
	for k := range list {
		if u := &list[k]; c.has(u) {
			messages = append(messages, u.message)
			if u.lent {
				kind = BoundPair
			}
		}
	}
	if kind == BoundMachine && side == BothSides {
		kind = BoundElement
	}
	slices.Sort(messages)
	*best = Bound{c.horizon, Witness{Kind: kind, Tile: tile, Side: side, Element: element, Messages: messages}}
}

// named calls the bound of one multicast by its name.
func (b *Bound) named(p *Problem) {
	w := &b.Witness
	if w.Kind == BoundMachine && w.Side == SendSide && len(w.Messages) == 1 && len(p.Messages[w.Messages[0]].Dests) > 1 {
		w.Kind = BoundSpread
	}
}

// control is bound C: a tile with k 32-bit receives and m sends needs
// max(k + 58 + 2y, k + 1 + m) events. k selects and a neutral are k+1 distinct
// source events, all at or before H − L − 5; the m first events of its sends
// are distinct from each other (R2) and from all controls (R5), which FirstEvent
// drops.
func (w *tileBounds) control(b *bounder, r *tileRoles, best *Bound) {
	k, m := int32(0), int32(len(r.sends))
	for _, i := range r.receives {
		if !b.p.Messages[i].Paired {
			k++
		}
	}
	h := max(k+routes().writeDelay(r.tile)+guard+1, k+1+m)
	if b.p.Freedom == FirstEvent {
		return // the other term is below that of the selector's machine
	}
	if k == 0 || h <= best.Horizon {
		return
	}
	messages := slices.Clone(r.sends)
	for _, i := range r.receives {
		if !b.p.Messages[i].Paired {
			messages = append(messages, i)
		}
	}
	slices.Sort(messages)
	*best = Bound{h, Witness{Kind: BoundControl, Tile: r.tile, Side: BothSides, Messages: messages}}
}

// elements is bound D: sends and receives of a tile that touch one SRAM element
// exclude each other (R7), so the element is a machine. Elements that the tile
// only sends from or only receives into are covered by its other machines.
func (w *tileBounds) elements(b *bounder, r *tileRoles, best *Bound) {
	var sent, received device.ElementSet
	for _, i := range r.sends {
		sent |= b.p.Messages[i].readElements()
	}
	for _, i := range r.receives {
		received |= b.p.Messages[i].writeElements(r.tile)
	}
	for e, both := 0, sent&received; both != 0; e, both = e+1, both>>1 {
		if both&1 != 0 {
			w.uses = b.appendElement(w.uses[:0], r, e)
			w.machine(b.appendLent(w.uses, r.tile), r.tile, BothSides, e, best)
		}
	}
}

// appendElement adds the sends and the writes of the tile that touch element e.
func (b *bounder) appendElement(list []use, r *tileRoles, e int) []use {
	touching := tileRoles{tile: r.tile}
	for _, i := range r.sends {
		if b.p.Messages[i].readElements()>>e&1 != 0 {
			touching.sends = append(touching.sends, i)
		}
	}
	for _, i := range r.receives {
		if b.p.Messages[i].writeElements(r.tile)>>e&1 != 0 {
			touching.receives = append(touching.receives, i)
		}
	}
	return b.appendWrites(b.appendSends(list, &touching), &touching)
}

// lanes is a bound on what a pair of tiles sends. A message of w words takes w
// events of one send lane, or w/2 of both: an area of w at either width. Both lanes
// are free for this from the smallest head h on and up to the smallest tail q before
// the end, so H ≥ h + ⌈Σ w / 2⌉ + q. An open message's tail is the smaller of both
// widths'.
func (w *tileBounds) lanes(b *bounder, t int32, best *Bound) {
	if t^1 < t && len(b.roles[t^1].sends) > 0 || int(t^1) >= len(b.roles) {
		return
	}
	sends := slices.Concat(b.roles[t].sends, b.roles[t^1].sends)
	slices.Sort(sends)
	head, tail, area, wide := int32(1<<20), int32(1<<20), int32(0), false
	for _, i := range sends {
		m := &b.p.Messages[i]
		head, tail, area, wide = min(head, b.head[i]), min(tail, b.end[i]-m.Items()), area+m.Words, wide || m.Paired
	}
	if h := head + (area+1)/2 + tail; wide && h > best.Horizon {
		*best = Bound{h, Witness{Kind: BoundLanes, Tile: t, Side: SendSide, Messages: sends}}
	}
}

// readElements is the union of the elements of all source addresses (R7).
func (m *Message) readElements() device.ElementSet {
	var set device.ElementSet
	for _, a := range m.SourceAddrs {
		set |= device.Elements(a, 4*uint32(m.Words))
	}
	return set
}

// writeElements is what the message writes at tile d.
func (m *Message) writeElements(d int32) device.ElementSet {
	for _, dest := range m.Dests {
		if dest.Tile == d {
			return device.Elements(dest.Addr, 4*uint32(m.Words))
		}
	}
	return 0
}
