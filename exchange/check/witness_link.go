package check

import (
	"errors"
	"fmt"
	"slices"

	"ipusolve/exchange"
)

// mostSteps limits the messages of a machine times their work.
const mostSteps = 1 << 28

// link is the bound of two machines that share a message: whatever messages come
// before it on either, the phase is too short below the horizon found.
func (d *deriver) link() (int32, error) {
	w, o := d.w, d.w.Other
	if o == nil {
		return 0, errors.New("no second machine")
	}
	if o.Side != exchange.SendSide && o.Side != exchange.ReceiveSide {
		return 0, fmt.Errorf("side %q of the second machine", o.Side)
	}
	if o.Tile < 0 || int(o.Tile) >= d.p.Tiles || o.Tile == w.Tile && o.Side == w.Side {
		return 0, fmt.Errorf("no second machine on tile %d", o.Tile)
	}
	if err := d.listed(o.Messages); err != nil {
		return 0, err
	}
	a, err := d.place(w.Messages, w.Tile, w.Side, o.Joint)
	if err != nil {
		return 0, err
	}
	b, err := d.place(o.Messages, o.Tile, o.Side, o.Joint)
	if err != nil {
		return 0, err
	}
	// With work u before the message on a and v on b, its start is within
	// [a.first+u, a.first+u+H−a.base] and [b.first+v, b.first+v+H−b.base].
	best := int32(1 << 30)
	for u := range a.before {
		if !a.before[u] {
			continue
		}
		start := a.first + int32(u)
		// The v that puts both intervals' ends level, and its neighbours.
		level := start - b.first + (b.base-a.base)/2
		for _, v := range b.nearest(level) {
			other := b.first + v
			best = min(best, max(a.base, b.base, a.base+other-start, b.base+start-other))
		}
	}
	return best, nil
}

// position is a message on a machine with others.
type position struct {
	first  int32  // its start if it passes first
	base   int32  // bound B of all
	before []bool // which sums of work can come before it
	below  []int32
}

func (d *deriver) place(list []int32, tile int32, side exchange.Side, joint int32) (*position, error) {
	at, ok := slices.BinarySearch(list, joint)
	if !ok {
		return nil, fmt.Errorf("message %d is not on side %q of tile %d", joint, side, tile)
	}
	windows, _, err := d.windows(list, tile, side, 0)
	if err != nil {
		return nil, err
	}
	head, sum, tail := total(windows)
	if int64(sum)*int64(len(list)) > mostSteps {
		return nil, fmt.Errorf("%d messages with %d events of work", len(list), sum)
	}
	from, _, _, _ := onMachine(d.p, d.lent, joint, tile, side, 0)
	pl := &position{first: head - from, base: head + sum + tail, before: make([]bool, sum-windows[at].n+1)}
	pl.before[0] = true
	for k, l := range windows {
		if k == at {
			continue
		}
		for u := len(pl.before) - 1; u >= int(l.n); u-- {
			pl.before[u] = pl.before[u] || pl.before[u-int(l.n)]
		}
	}
	pl.below = make([]int32, len(pl.before))
	for u := range pl.below {
		pl.below[u] = int32(u)
		if !pl.before[u] {
			pl.below[u] = pl.below[u-1]
		}
	}
	return pl, nil
}

// nearest gives the sum at or below level, and the two sums behind it: the best
// one is among them, as what a sum costs rises on both sides of level.
func (pl *position) nearest(level int32) []int32 {
	last := int32(len(pl.before)) - 1
	out := make([]int32, 0, 3)
	next := int32(0)
	if level >= 0 {
		below := pl.below[min(level, last)]
		out = append(out, below)
		next = below + 1
	}
	for ; next <= last && len(out) < 3; next++ {
		if pl.before[next] {
			out = append(out, next)
		}
	}
	return out
}
