package exchange

import (
	"slices"

	"ipusolve/device"
)

// ItemsBound is bound A: the most items one tile sends or receives. By R2 and
// R3 they pass one after the other.
func ItemsBound(p *Problem) Bound {
	best := Bound{}
	for _, r := range p.roles() {
		for _, side := range []Side{SendSide, ReceiveSide} {
			list := r.side(side)
			if sum := sumItems(p, list); sum > best.Horizon {
				best = Bound{sum, Witness{Kind: BoundItems, Tile: r.tile, Side: side, Messages: list}}
			}
		}
	}
	return best
}

func (r *tileRoles) side(s Side) []int32 {
	if s == SendSide {
		return r.sends
	}
	return r.receives
}

func (r *tileRoles) items(p *Problem) int32 {
	return max(sumItems(p, r.sends), sumItems(p, r.receives))
}

// ControlBound is bound C: a tile with k 32-bit receives and m sends needs
// max(k + 58 + 2y, k + 1 + m) events. k selects and a neutral are k+1 distinct
// source events, all at or before H − L − 5; the m first events of its sends
// are distinct from each other (R2) and from all controls (R5).
func ControlBound(p *Problem) Bound {
	best := Bound{}
	for _, r := range p.roles() {
		words := r.receives
		if slices.ContainsFunc(words, func(i int32) bool { return p.Messages[i].Paired }) {
			words = slices.DeleteFunc(slices.Clone(words), func(i int32) bool { return p.Messages[i].Paired })
		}
		c := tileRoles{r.tile, r.sends, words}
		if h := c.control(p); h > best.Horizon {
			best = Bound{h, Witness{Kind: BoundControl, Tile: r.tile, Side: BothSides, Messages: merged(c.sends, c.receives)}}
		}
	}
	return best
}

func (r *tileRoles) control(p *Problem) int32 {
	k, m := int32(0), int32(len(r.sends))
	for _, i := range r.receives {
		if !p.Messages[i].Paired {
			k++
		}
	}
	if k == 0 {
		return 0
	}
	return max(k+routes().writeDelay(r.tile)+guard+1, k+1+m)
}

// ElementBound is bound D: sends and receives of a tile that touch one SRAM
// element exclude each other (R7), so the element's windows are disjoint. Tiles
// that only send from it or only receive into it are covered by bound B.
func ElementBound(p *Problem) Bound {
	best := Bound{}
	for _, r := range p.roles() {
		var sent, received device.ElementSet
		for _, i := range r.sends {
			sent |= p.Messages[i].readElements()
		}
		for _, i := range r.receives {
			received |= p.Messages[i].writeElements(r.tile)
		}
		for e, both := 0, sent&received; both != 0; e, both = e+1, both>>1 {
			if both&1 == 0 {
				continue
			}
			if h := r.element(p, e); h > best.Horizon {
				c := r.touching(p, e)
				best = Bound{h, Witness{Kind: BoundElement, Tile: r.tile, Side: BothSides, Element: e, Messages: merged(c.sends, c.receives)}}
			}
		}
	}
	return best
}

// touching restricts the roles to those that touch element e.
func (r *tileRoles) touching(p *Problem, e int) tileRoles {
	c := tileRoles{tile: r.tile}
	for _, i := range r.sends {
		if p.Messages[i].readElements()>>e&1 != 0 {
			c.sends = append(c.sends, i)
		}
	}
	for _, i := range r.receives {
		if p.Messages[i].writeElements(r.tile)>>e&1 != 0 {
			c.receives = append(c.receives, i)
		}
	}
	return c
}

// element is the sum of all windows on the element, after the earliest possible
// start of one and before the least that must follow the last: the tail of a
// send, or the guard of a receive.
func (r *tileRoles) element(p *Problem, e int) int32 {
	c := r.touching(p, e)
	if len(c.sends) == 0 || len(c.receives) == 0 {
		return 0
	}
	sends, receives := c.jobs(p, SendSide), c.jobs(p, ReceiveSide)
	head, tail, work := sends[0].head, int32(guard), int32(0)
	for _, j := range sends {
		head, tail, work = min(head, j.head), min(tail, j.tail), work+j.work
	}
	delay := routes().writeDelay(r.tile)
	for k, j := range receives {
		head, work = min(head, j.head+delay+p.Messages[c.receives[k]].format()), work+j.work
	}
	return head + work + tail
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
