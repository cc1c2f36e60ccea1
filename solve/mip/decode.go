package mip

import (
	"context"
	"math"
	"math/bits"
)

// decoder turns the multipliers of an ascent into choices.
type decoder struct {
	ctx    context.Context // ends local search early
	a      *ascent
	shift  int     // reduced costs are taken by 2^shift, so that their sums stay below broken
	choice []int32 // per node: the chosen member; −1 before
	active []bool  // per marginal row: it is a fixed end, or its node's choice is a member
	known  []bool  // per marginal row: fixed end, or node decided
	room   []int64 // per side row: what is left when open nodes use their least
	floor  [][]use // per node: what any choice uses
	work   int64   // pairs looked at
}

// broken is what a forbidden pair or an exceeded row costs a choice.
const broken = 1 << 50

const (
	sweeps       = 20  // of local search, at most
	repairRounds = 100 // at most
)

func newDecoder(ctx context.Context, a *ascent) *decoder {
	d := &decoder{ctx: ctx, a: a, choice: make([]int32, len(a.s.nodes)), active: make([]bool, len(a.s.rows)), known: make([]bool, len(a.s.rows)),
		room: make([]int64, len(a.s.side)), floor: make([][]use, len(a.s.nodes))}
	for i := range a.s.nodes {
		d.floor[i] = a.s.leastUses(&a.s.nodes[i])
	}
	return d
}

// leastUses is the least that a choice of n uses of every side row, where not 0.
func (s *selection) leastUses(n *choiceNode) (out []use) {
	for _, u := range s.uses[n.members[0]] {
		for _, j := range n.members[1:] {
			amount := int64(0)
			for _, v := range s.uses[j] {
				if v.side == u.side {
					amount = v.amount
				}
			}
			u.amount = min(u.amount, amount)
		}
		if u.amount > 0 {
			out = append(out, u)
		}
	}
	return out
}

// decode chooses node after node: the member whose reduced cost, with the pairs
// to the nodes chosen before and the best pairs to the others, is least among
// those that leave room for the others. False when ctx ends before all are chosen.
func (d *decoder) decode(forward bool) bool {
	s := d.a.s
	var largest uint64
	for _, r := range d.a.rc {
		largest = max(largest, abs64(r))
	}
	d.shift = max(0, bits.Len64(largest)-bits.Len64(broken)+10)
	for l := range d.room {
		d.room[l] = s.side[l].rhs
	}
	for i := range d.floor {
		d.choice[i] = -1
		for _, u := range d.floor[i] {
			d.room[u.side] -= u.amount
		}
	}
	for k := range s.rows {
		d.active[k] = s.rows[k].node < 0
		d.known[k] = d.active[k]
	}
	for k := range s.nodes {
		if k%pollEvery == 0 && d.ctx.Err() != nil {
			return false
		}
		i := k
		if !forward {
			i = len(s.nodes) - 1 - i
		}
		for _, u := range d.floor[i] {
			d.room[u.side] += u.amount
		}
		best, value := int32(-1), int64(math.MaxInt64)
		for _, j := range s.nodes[i].members {
			v := d.a.rc[j] >> d.shift
			for _, k := range s.at[j] {
				v = add(v, d.pairCost(k, d.a.rc, d.shift))
			}
			if v = add(v, d.excess(j)); v < value {
				best, value = j, v
			}
		}
		d.choose(i, best)
	}
	return true
}

// pairCost is the value of the pair that row k must use: the one with an active
// other row if that end is decided, else the least.
func (d *decoder) pairCost(k int32, value []int64, shift int) int64 {
	least := int64(broken)
	d.work += int64(len(d.a.s.rows[k].pairs))
	for _, j := range d.a.s.rows[k].pairs {
		o := d.a.s.pair[j].other(k)
		if !d.known[o] || d.active[o] {
			least = min(least, value[j]>>shift)
		}
	}
	return least
}

// excess is the penalty for side rows that member j would exceed.
func (d *decoder) excess(j int32) (sum int64) {
	for _, u := range d.a.s.uses[j] {
		if u.amount > d.room[u.side] {
			sum = add(sum, broken+(u.amount-max(d.room[u.side], 0))&(broken-1))
		}
	}
	return sum
}

// add caps sums far from overflow.
func add(a, b int64) int64 { return min(a+b, broken<<10) }

func (d *decoder) choose(i int, j int32) {
	n := &d.a.s.nodes[i]
	d.choice[i] = j
	for _, rows := range [...][]int32{n.fixed, n.back, n.fwd} {
		for _, k := range rows {
			d.known[k] = true
		}
	}
	d.set(j, true)
}

func (d *decoder) set(j int32, on bool) {
	for _, k := range d.a.s.at[j] {
		d.active[k] = on
	}
	for _, u := range d.a.s.uses[j] {
		if on {
			d.room[u.side] -= u.amount
		} else {
			d.room[u.side] += u.amount
		}
	}
}

// price is what member j adds to the cost when its node has no choice.
func (d *decoder) price(j int32) int64 {
	v := d.a.in.cost[j]
	for _, k := range d.a.s.at[j] {
		v = add(v, d.pairCost(k, d.a.in.cost, 0))
	}
	return add(v, d.excess(j))
}

// improve changes one node at a time while that lowers the cost.
func (d *decoder) improve() {
	for sweep, changed := 0, true; changed && sweep < sweeps && d.ctx.Err() == nil; sweep++ {
		changed = false
		for i := range d.choice {
			if i%pollEvery == 0 && d.ctx.Err() != nil {
				return
			}
			old := d.choice[i]
			d.set(old, false)
			best, value := old, d.price(old)
			for _, j := range d.a.s.nodes[i].members {
				if v := d.price(j); v < value {
					best, value = j, v
				}
			}
			d.set(best, true)
			d.choice[i] = best
			changed = changed || best != old
		}
	}
}

// repair moves nodes with a forbidden pair or in an exceeded row to their best
// other member, which may be worse, and bars the old one for a while. It reports
// whether the choice became feasible.
func (d *decoder) repair() bool {
	until := make([]int, len(d.a.rc)) // per member: barred up to that round
	for round := range repairRounds {
		if d.ctx.Err() != nil {
			break
		}
		moved := false
		for i, old := range d.choice {
			if i%pollEvery == 0 && d.ctx.Err() != nil {
				return false
			}
			d.set(old, false)
			if d.price(old) >= broken/2 {
				moved = true
				best, value := old, int64(math.MaxInt64)
				for _, j := range d.a.s.nodes[i].members {
					if j == old || until[j] > round {
						continue
					}
					if v := d.price(j); v < value {
						best, value = j, v
					}
				}
				until[old] = round + 2 + (i+round)%8 // not all alike, so that no cycle repeats
				d.choice[i] = best
			}
			d.set(d.choice[i], true)
		}
		if !moved {
			return true
		}
	}
	return false
}

// finish is the assignment after local search.
func (d *decoder) finish() []int64 {
	d.improve()
	if d.repair() {
		d.improve()
	}
	return d.values()
}

// values is the assignment of the choice; variables outside the selection are at
// their lower bounds.
func (d *decoder) values() []int64 {
	s := d.a.s
	out := make([]int64, len(s.node))
	for j := range out {
		out[j] = d.a.in.m.Vars[j].Lower
	}
	for _, j := range d.choice {
		out[j] = 1
	}
	for k := range s.rows {
		if !d.active[k] {
			continue
		}
		best := int32(-1)
		for _, j := range s.rows[k].pairs {
			if o := s.pair[j].other(int32(k)); d.active[o] && (best < 0 || d.a.in.cost[j] < d.a.in.cost[best]) {
				best = j
			}
		}
		if best >= 0 {
			out[best] = 1
		}
	}
	return out
}
