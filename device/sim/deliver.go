package sim

import (
	"cmp"
	"fmt"
	"slices"

	"ipusolve/device"
)

// deliver moves the data of a phase whose pieces are settled.
//
// Where no tile sends bytes it also receives, the order of the copies does not
// matter and receivers are served in parallel. Otherwise reads and writes are
// done in order of event. One order of the local event numbers is right for all
// tiles: a word arrives at least 18 events later on the receiver's clock than it
// left on the sender's (19 ≤ Λ, exchange.md §3.3), so along a chain of
// forwarded words the numbers grow.
func (x *matcher) deliver() {
	mixed := false
	for _, t := range x.m.tiles {
		mixed = mixed || t.in.mixed
	}
	if mixed {
		x.deliverInOrder()
		return
	}
	x.m.parallel(len(x.m.tiles), func(i int) {
		t := x.m.tiles[i]
		for k := range t.row.streams {
			x.checkSent(t, &t.row.streams[k])
		}
	})
	x.m.parallel(len(x.m.tiles), func(i int) {
		d := x.m.tiles[i]
		for k := range d.in.pieces {
			p := &d.in.pieces[k]
			copy(d.bytes(p.to, p.n), x.m.tiles[p.sender].bytes(p.from, p.n))
			d.written.set(p.to, p.n)
		}
	})
}

// checkSent reads a stream's bytes for the rule unwritten.
func (x *matcher) checkSent(t *tile, s *stream) {
	n := uint32(s.n) * s.item()
	if k, at := t.written.missing(s.from, n); k > 0 {
		t.soft(x.lenient, softUnwritten, int64(k), func() Error {
			return Error{Phase: x.phase, Event: int64(s.x + 1 + int32((at-s.from)/s.item())), Address: at,
				Detail: fmt.Sprintf("send of %d bytes at %#x reads %d unwritten bytes", n, s.from, k)}
		})
	}
}

// transfer is one read or write of an ordered delivery.
type transfer struct {
	event  int32
	tile   int32 // the reader's or writer's index
	stream *stream
	piece  *piece
	data   *[]byte // a piece's bytes between read and write
}

func (x *matcher) deliverInOrder() {
	var list []transfer
	for i, t := range x.m.tiles {
		for k := range t.row.streams {
			s := &t.row.streams[k]
			list = append(list, transfer{event: s.x + 1, tile: int32(i), stream: s})
		}
		for k := range t.in.pieces {
			p := &t.in.pieces[k]
			write := transfer{event: p.arrival, tile: int32(i), piece: p}
			if s := x.m.tiles[p.sender]; s.in.mixed {
				write.data = new([]byte)
				late := int32(device.RouteDelay(s.physical, t.physical) + device.WriteDelay(t.physical))
				if p.item == 8 {
					late = int32(device.PairDelay(s.physical, t.physical) + device.WriteDelay(t.physical))
				}
				list = append(list, transfer{event: p.arrival - late, tile: p.sender, piece: p, data: write.data})
			}
			list = append(list, write)
		}
	}
	slices.SortStableFunc(list, func(a, b transfer) int { return cmp.Compare(a.event, b.event) })
	for _, o := range list {
		t := x.m.tiles[o.tile]
		switch {
		case o.stream != nil:
			x.checkSent(t, o.stream)
		case o.data != nil && *o.data == nil:
			*o.data = slices.Clone(t.bytes(o.piece.from, o.piece.n))
		case o.data != nil:
			copy(t.bytes(o.piece.to, o.piece.n), *o.data)
			t.written.set(o.piece.to, o.piece.n)
			*o.data = []byte{}
		default:
			copy(t.bytes(o.piece.to, o.piece.n), x.m.tiles[o.piece.sender].bytes(o.piece.from, o.piece.n))
			t.written.set(o.piece.to, o.piece.n)
		}
	}
}
