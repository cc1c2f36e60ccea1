package exchange

import (
	"cmp"
	"slices"
)

// sideSums sums up the uses of a machine.
type sideSums struct {
	head, work, tail int32 // smallest head, all work, smallest tail
	least, most      int32 // smallest and largest work
	count            int32
}

func sum(list []use) sideSums {
	if len(list) == 0 {
		return sideSums{}
	}
	u := &list[0]
	s := sideSums{u.head, 0, u.tail, u.work, u.work, int32(len(list))}
	for k := range list {
		u := &list[k]
		s.head, s.work, s.tail = min(s.head, u.head), s.work+u.work, min(s.tail, u.tail)
		s.least, s.most = min(s.least, u.work), max(s.most, u.work)
	}
	return s
}

func (s *sideSums) steps() int64 { return int64(s.work) * int64(s.count) }

// base is bound B for all uses of the machine.
func (s *sideSums) base() int32 { return s.head + s.work + s.tail }

// joint is a message on two machines, a and b.
//
// Let A be the work that passes machine a before the message, of W_a in all.
// With r_a and q_a the smallest head and tail there, and the message's window
// beginning f_a after its start x,
//
//	r_a + A ≤ x + f_a ≤ H − q_a − (W_a − A).
//
// Machine b says the same with work B. Both have a solution x only if
//
//	H ≥ base_a − Δ and H ≥ base_b + Δ for Δ = (r_a − f_a) − (r_b − f_b) + A − B
//
// with base = r + W + q. A and B are sums of work of other messages, so Δ takes
// some values only: for messages of equal length n one of every n. The bound is
// the least that any pair of sums allows. It exceeds both machines' own bounds
// where routes make messages miss the other machine's rhythm.
type joint struct {
	message      int32
	side, other  int32 // indices into sides
	apart        int32 // Δ without A − B
	baseA, baseB int32
}

func (j *joint) value(difference int32) int32 {
	d := j.apart + difference
	return max(j.baseA, j.baseB, j.baseA-d, j.baseB+d)
}

// mostSums bounds the work on sums, in words of the bit sets that are made; one
// joint may take so many at most. Pairs of equal messages take none.
const (
	mostSums    = 1 << 22
	mostOfJoint = 1 << 17
)

// cost is how many words the sums of the joint's machines take.
func (b *bounder) cost(j *joint) int {
	s, o := &b.sides[j.side], &b.sides[j.other]
	return int(s.count)*(int(s.work)/64+1) + int(o.count)*(int(o.work)/64+1)
}

// mostSumSteps limits the messages of a machine times their work: what it takes to
// derive the bound again.
const mostSumSteps = 1 << 28

// link is the best bound over messages and two machines of each, above best.
func (b *bounder) link(best int32) Bound {
	var won joint
	var mixed []joint
	visit := func(i, side, fromA, other, fromB int32) {
		s, o := &b.sides[side], &b.sides[other]
		j := joint{i, side, other, s.head - fromA - o.head + fromB, s.base(), o.base()}
		switch {
		case j.value(0) <= best: // the same work before it on both machines is always possible: none
		case max(s.steps(), o.steps()) > mostSumSteps: // of so many messages, some sum nearly always fits
		case s.least == s.most && o.least == s.least && o.most == s.least:
			if h := j.even(s.least, s.count-1, o.count-1); h > best {
				best, won = h, j
			}
		case b.cost(&j) <= mostOfJoint:
			mixed = append(mixed, j)
		}
	}
	for i := range b.p.Messages {
		m := &b.p.Messages[i]
		for k, d := range m.Dests {
			from, _ := b.hearing(int32(i), d.Tile)
			visit(int32(i), 2*m.Source, 0, 2*d.Tile+1, from)
			if k > 0 { // a receiver and the one before it
				e := m.Dests[k-1].Tile
				fromE, _ := b.hearing(int32(i), e)
				visit(int32(i), 2*e+1, fromE, 2*d.Tile+1, from)
			}
		}
	}
	slices.SortStableFunc(mixed, func(x, y joint) int { return cmp.Compare(y.value(0), x.value(0)) })
	var w work
	left := mostSums
	for _, j := range mixed {
		if left -= b.cost(&j); j.value(0) <= best || left < 0 {
			break
		}
		if h := w.mixed(b, &j); h > best {
			best, won = h, j
		}
	}
	if won.baseA == 0 {
		return Bound{}
	}
	a, o := b.messagesOf(won.side), b.messagesOf(won.other)
	return Bound{best, Witness{Kind: BoundLink, Tile: won.side / 2, Side: sideOf(won.side), Messages: a,
		Other: &OtherMachine{won.other / 2, sideOf(won.other), o, won.message}}}
}

// sideOf names the machine with an index into sides.
func sideOf(side int32) Side {
	if side%2 == 0 {
		return SendSide
	}
	return ReceiveSide
}

// messagesOf lists the messages of the machine with an index into sides.
func (b *bounder) messagesOf(side int32) []int32 {
	if r := &b.roles[side/2]; side%2 == 0 {
		return r.sends
	} else {
		return r.receives
	}
}

// even is the joint's bound if all messages have length n, and before and after
// it up to before others pass machine a, up to after machine b.
func (j *joint) even(n, before, after int32) int32 {
	// value falls up to this difference and rises behind it.
	ideal := floorDiv(int64(j.baseA-j.baseB), 2) - int64(j.apart)
	z := int32(floorDiv(ideal, int64(n)))
	at := func(z int32) int32 { return j.value(n * min(max(z, -after), before)) }
	return min(at(z), at(z+1))
}

// work holds the sums of work of messages on two machines as bit sets.
type work struct{ a, b sumSet }

// sumSet has bit w set if some messages have work w in all.
type sumSet []uint64

// add makes the set of all sums of the uses but that of message skip.
func (s *sumSet) add(b *bounder, side, skip int32) {
	sums := &b.sides[side]
	*s = append((*s)[:0], make([]uint64, sums.work/64+1)...)
	set := *s
	set[0] = 1
	for _, i := range b.messagesOf(side) {
		if i == skip {
			continue
		}
		n := b.useWork(i, side)
		words, rest := int(n/64), uint(n%64)
		for k := len(set) - 1; k >= words; k-- {
			x := set[k-words] << rest
			if rest > 0 && k > words {
				x |= set[k-words-1] >> (64 - rest)
			}
			set[k] |= x
		}
	}
}

// useWork is how long message i occupies the machine.
func (b *bounder) useWork(i, side int32) int32 {
	if side%2 == 1 {
		_, n := b.hearing(i, side/2)
		return n
	}
	return b.p.Messages[i].Items()
}

// meet tells whether A − B = d for sums A of s and B of o.
func (s sumSet) meet(o sumSet, d int32) bool {
	if d < 0 {
		return o.meet(s, -d)
	}
	words, rest := int(d/64), uint(d%64)
	for k := words; k < len(s) && k-words < len(o); k++ {
		x := s[k] >> rest
		if rest > 0 && k+1 < len(s) {
			x |= s[k+1] << (64 - rest)
		}
		if x&o[k-words] != 0 {
			return true
		}
	}
	return false
}

// mixed is the joint's bound for messages of any lengths: sums of work whose
// difference is nearest to the ideal one. The difference 0 is always there.
func (w *work) mixed(b *bounder, j *joint) int32 {
	w.a.add(b, j.side, j.message)
	w.b.add(b, j.other, j.message)
	ideal := int32(floorDiv(int64(j.baseA-j.baseB), 2) - int64(j.apart))
	for r := int32(0); ; r++ {
		near, far := ideal-r, ideal+r // both values grow with r, and differ by one at most
		if j.value(far) < j.value(near) {
			near, far = far, near
		}
		switch {
		case j.value(0) <= j.value(near):
			return j.value(0)
		case w.a.meet(w.b, near):
			return j.value(near)
		case w.a.meet(w.b, far):
			return j.value(far)
		}
	}
}
