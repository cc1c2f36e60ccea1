package exchange

import "slices"

// slots bounds what short messages cost a tile in control events, if all of them
// are 32-bit and at least two words long. It is stronger than bound C: a row
// cannot set source and pointer together as often as the other rules allow.
//
// Call an event of the tile X if it selects a source for a receive or is the
// neutral behind the last one, P if it writes a pointer, F if it is the first of
// a send. By the lengths, R2 and R3, two X are at least 2 events apart, two P and
// two F too. F excludes X and P (R5). An event with X and P is a pair.
//
// Claim: in T successive events 2X + 2P + F ≤ 2T + 2. Proof: let a be the pairs
// and o the events that are neither X, P nor F. The others are X + P + F − a, so
// 2X + 2P + F = 2T − 2o − F + 2a. It is enough that between each two successive
// pairs there is an event of the kind o, or two F. Suppose there is no o. The event
// behind the first pair is neither X nor P, which keep 2 events apart, so it is F;
// the event before the second pair is F likewise. If both are the same event, then
// one instruction of one word, the send, lies between the two pairs. But a pair
// takes a sendpicp, two words that begin on an even one (R12): a contradiction.
//
// X events lie in 1..H−L−5, P events in L+1..H−5−n, F events in h+1..H+1−t,
// with n the shortest receive, h the smallest head and t the least that follows
// a send's start. So before event L+1 there is no P, and behind H−L−5 no X; there
// at most every second event is X, P or F. Adding up the three parts,
//
//	2X + 2P + F ≤ 2⌈L/2⌉ + ⌈(L−h)/2⌉ + 2T + 2 + 2⌈(L−n)/2⌉ + ⌈(L+6−t)/2⌉
//
// for T = H − 2L − 5 ≥ 1. A tile with k receives has X = k + 1, P = k but for
// those receives that may continue the address run of another (R8), F = sends.
//
// FirstEvent drops R5 and with it the bound.
func (w *tileBounds) slots(b *bounder, r *tileRoles, best *Bound) {
	const unbounded = 1 << 20
	if len(r.receives) == 0 || b.lends(r.tile) || b.p.Freedom == FirstEvent {
		return
	}
	shortest, head, least := int32(unbounded), int32(unbounded), int32(unbounded)
	for _, i := range r.sends {
		if m := &b.p.Messages[i]; m.Paired || m.Words < 2 {
			return
		}
		head, least = min(head, b.head[i]), min(least, b.end[i])
	}
	w.ends = w.ends[:0]
	for _, i := range r.receives {
		m := &b.p.Messages[i]
		if m.Paired || m.Words < 2 {
			return
		}
		shortest = min(shortest, m.Words)
		w.ends = append(w.ends, m.dest(r.tile).Addr+4*uint32(m.Words))
	}
	// Half of what every message of two words costs beyond its machine.
	delay, k := routes().writeDelay(r.tile), int32(len(r.receives))
	need := 2*(k+1) + 2*k + int32(len(r.sends))
	outside := 2*half(delay) + half(delay-head) + 2*half(delay-shortest) + half(delay+6-least)
	horizon := func(need int32) int32 {
		middle := (need-outside+1)/2 - 1
		if middle < 1 {
			return 0
		}
		return middle + 2*delay + guard
	}
	if horizon(need) <= best.Horizon {
		return
	}
	slices.Sort(w.ends)
	for _, i := range r.receives {
		if _, ok := slices.BinarySearch(w.ends, b.p.Messages[i].dest(r.tile).Addr); ok {
			need -= 2
		}
	}
	if h := horizon(need); h > best.Horizon {
		messages := append(slices.Clone(r.sends), r.receives...)
		slices.Sort(messages)
		*best = Bound{h, Witness{Kind: BoundSlots, Tile: r.tile, Side: BothSides, Messages: messages}}
	}
}

// half is how many of n successive events can be two apart; of none if n ≤ 0.
func half(n int32) int32 { return max(n+1, 0) / 2 }
