package check

import (
	"errors"
	"fmt"
	"math"

	"ipusolve/device"
)

// path is bound F: each message of the list waits in memory for the one before.
func (d *deriver) path() (int32, error) {
	x := int32(0)
	for k, j := range d.w.Messages {
		s := spanOf(d.p, j)
		if k > 0 {
			before := d.w.Messages[k-1]
			wait, ok := d.wait(before, j)
			if !ok {
				return 0, fmt.Errorf("message %d does not wait for message %d", j, before)
			}
			x += wait
		}
		x = max(x, s.head)
	}
	last := d.w.Messages[len(d.w.Messages)-1]
	return x + spanOf(d.p, last).length, d.named()
}

// named checks that a witness without a tile of its own names its first sender.
func (d *deriver) named() error {
	if s := d.p.Messages[d.w.Messages[0]].Source; s != d.w.Tile {
		return fmt.Errorf("tile %d, the first sender is %d", d.w.Tile, s)
	}
	return nil
}

// wait gives the least distance of two starts that R9 asks for: message j, later
// in program order than i, touches a byte of it, and one of them writes there.
func (d *deriver) wait(i, j int32) (distance int32, ok bool) {
	touched := map[int32][]access{}
	if d.start == nil {
		d.start = make([]int32, len(d.p.Messages))
	}
	c := checker{p: d.p, start: d.start}
	each := func(k int32, visit func(tile int32, a access)) {
		m := &d.p.Messages[k]
		for _, a := range c.accesses([]role{{k, sender}}) {
			visit(m.Source, a)
		}
		for r := range m.Dests {
			for _, a := range c.accesses([]role{{k, int32(r)}}) {
				visit(m.Dests[r].Tile, a)
			}
		}
	}
	each(i, func(tile int32, a access) { touched[tile] = append(touched[tile], a) })
	each(j, func(tile int32, b access) {
		for _, a := range touched[tile] {
			if a.lo >= b.hi || b.lo >= a.hi || !a.write && !b.write {
				continue
			}
			end := a.end
			if a.write && !b.write {
				end += guard
			}
			if !ok || end-b.begin > distance {
				distance, ok = end-b.begin, true
			}
		}
	})
	return distance, ok
}

// exactClique is how many messages a clique may have for all their orders to
// count; mostClique how many at all.
const exactClique, mostClique = 12, 64

// never is a distance that no order has.
const never = 1 << 28

// clique is bound E: the best order of messages that exclude each other.
func (d *deriver) clique() (int32, error) {
	list := d.w.Messages
	if len(list) > mostClique {
		return 0, fmt.Errorf("a clique of %d messages", len(list))
	}
	var apart [mostClique][mostClique]int32 // how far column comes behind row, if it does
	for a, i := range list {
		for b, j := range list[:a] {
			back, forth, ok := d.exclude(j, i)
			if !ok {
				return 0, fmt.Errorf("messages %d and %d may overlap", j, i)
			}
			apart[b][a], apart[a][b] = forth, back
		}
	}
	if len(list) > exactClique {
		h, err := d.chain(&apart)
		return h, errors.Join(err, d.named())
	}
	// start[set·k + last]: with messages of set passed, the last one no earlier.
	k := len(list)
	start := make([]int32, k<<k)
	for s := range start {
		start[s] = never
	}
	for a, i := range list {
		start[k<<a+a] = spanOf(d.p, i).head
	}
	for set := range 1 << k {
		for last := range k {
			x := start[set*k+last]
			if x == never {
				continue
			}
			for next, j := range list {
				if set>>next&1 == 0 && apart[last][next] < never {
					to := &start[(set|1<<next)*k+next]
					*to = min(*to, max(x+apart[last][next], spanOf(d.p, j).head))
				}
			}
		}
	}
	best := int32(never)
	for last, j := range list {
		if x := start[(1<<k-1)*k+last]; x < never {
			best = min(best, x+spanOf(d.p, j).length)
		}
	}
	if best == never {
		return 0, fmt.Errorf("no order of the %d messages", k)
	}
	return best, d.named()
}

// chain is the relaxation of a large clique: whatever the order, each message but
// the last has another one behind it, on a clock that shifts each message by half of
// how much further the others keep behind than before it, less half its items.
func (d *deriver) chain(apart *[mostClique][mostClique]int32) (int32, error) {
	list := d.w.Messages
	others := len(list) - 1
	shift := make([]int32, len(list))
	for a, i := range list {
		twice := -others * int(items(&d.p.Messages[i]))
		for b := range list {
			if behind, before := apart[a][b], apart[b][a]; a != b && behind < never && before < never {
				twice += int(behind) - int(before)
			}
		}
		shift[a] = int32(math.Floor(float64(twice) / float64(2*others)))
	}
	sum, begin, end := int32(0), int32(never), int32(never)
	for a, i := range list {
		least := int32(never)
		for b := range list {
			if a != b && apart[a][b] < never {
				least = min(least, apart[a][b]+shift[b]-shift[a])
			}
		}
		if least == never {
			return 0, fmt.Errorf("nothing can come behind message %d", i)
		}
		s := spanOf(d.p, i)
		sum, begin, end = sum+least, min(begin, s.head+shift[a]), min(end, s.length-shift[a]-least)
	}
	return begin + sum + end, nil
}

// occupied is a time of a tile that a message needs for itself: events [from, to),
// if it starts at 0, and data it touches then.
type occupied struct {
	from, to int32
	what     byte // 's'end, 'h'ear, 'w'rite, 'l'end
	data     device.ElementSet
}

func (d *deriver) occupied(j int32) map[int32][]occupied {
	m := &d.p.Messages[j]
	out := map[int32][]occupied{}
	var read device.ElementSet
	for _, a := range m.SourceAddrs {
		read |= device.Elements(a, 4*uint32(m.Words))
	}
	out[m.Source] = []occupied{{0, items(m), 's', read}}
	if lends(m, m.Source^1) {
		out[m.Source^1] = []occupied{{0, items(m), 'l', 0}}
	}
	for _, dest := range m.Dests {
		r := receiveOf(d.p, j, dest, 0)
		from, to := selector(m, &r, d.lent[dest.Tile])
		out[dest.Tile] = []occupied{{from, to, 'h', 0}, {r.pointer, r.writeEnd(), 'w', device.Elements(dest.Addr, 4*uint32(m.Words))}}
	}
	return out
}

// exclude finds which distances of two starts are impossible: j may start back or
// more before i, or forth or more behind it, but no time in between. Of several such
// gaps it takes the widest.
func (d *deriver) exclude(i, j int32) (back, forth int32, ok bool) {
	reach := items(&d.p.Messages[i]) + items(&d.p.Messages[j]) + 1024 // beyond, only R9 matters
	count := make([]int32, 2*reach+2)                                 // changes of how many rules forbid distance k − reach
	forbid := func(from, to int32) {                                  // from..to
		if from <= to {
			count[max(from, -reach)+reach]++
			count[min(to, reach)+reach+1]--
		}
	}
	mine := d.occupied(i)
	for tile, theirs := range d.occupied(j) {
		for _, a := range mine[tile] {
			for _, b := range theirs {
				if ga, gb, clash := guards(a, b); clash {
					// Neither b behind a nor a behind b.
					forbid(a.from-b.to-gb+1, a.to+ga-b.from-1)
				}
			}
		}
	}
	if i < j {
		if wait, order := d.wait(i, j); order {
			forbid(-reach, wait-1)
		}
	} else if wait, order := d.wait(j, i); order {
		forbid(1-wait, reach)
	}
	widest, depth, from := int32(0), int32(0), int32(0)
	for k := int32(0); k <= 2*reach+1; k++ {
		was := depth
		depth += count[k]
		if was == 0 && depth > 0 {
			from = k
		}
		if was > 0 && depth == 0 && k-from > widest {
			widest = k - from
			back, forth, ok = reach-from+1, k-reach, true
			if from == 0 {
				back = never
			}
			if k == 2*reach+1 {
				forth = never
			}
		}
	}
	return back, forth, ok
}

// guards tells whether two windows on one tile may not overlap (R2, R3, R7, R10),
// and how many events must pass behind the first before the second, or behind the
// second before the first.
func guards(a, b occupied) (behindA, behindB int32, clash bool) {
	switch {
	case a.what == 'l' || b.what == 'l':
		return 0, 0, a.what != b.what
	case a.what == b.what:
		return 0, 0, true
	case a.what == 's' && b.what == 'w' && a.data&b.data != 0:
		return 0, guard, true
	case a.what == 'w' && b.what == 's' && a.data&b.data != 0:
		return guard, 0, true
	}
	return 0, 0, false
}
