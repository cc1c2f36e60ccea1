package device

// Routes of the exchange fabric (reference: exchange.md §3). All ids here are
// physical.

// distance is D(s,d) of exchange.md §3.1: the signed column distance.
func distance(s, d Coord) int {
	var delta int
	same := d.Half() == d.U
	switch {
	case d.W == 1 && same:
		delta = 2
	case d.W == 1:
		delta = 4
	case same:
		delta = 1
	default:
		delta = 5
	}
	return 6*(d.Fold()-s.Fold()-(s.Half()^s.U)) + delta
}

// Direction is the fabric direction of a send from s to d as a ctl bit mask:
// 1 or 2 (exchange.md §3.1).
func Direction(s, d int) int {
	if distance(CoordOf(s), CoordOf(d)) >= 1 {
		return 1
	}
	return 2
}

// RouteDelay is T(s,d) in events: word k of a send that starts at event x of s
// passes the source selector of d at event x+1+k+T of d. It may be negative,
// since it contains the skew of the two tile clocks (exchange.md §1, §3.1).
func RouteDelay(s, d int) int {
	a, b := CoordOf(s), CoordOf(d)
	low := a.C & 7
	turn := low + 1
	if a.Half() != b.Half() {
		turn = 16 - low
	}
	dist := distance(a, b)
	if dist < 0 {
		dist = -dist
	}
	return 8*a.Half() + 4*a.Fold() - b.C - 4*b.Fold() + turn + 2*(a.Y-b.Y) + dist - 31
}

// PairDelay is P(s,d), the delay of a paired 64-bit transfer to the pair of d.
func PairDelay(s, d int) int {
	return max(RouteDelay(s, d), RouteDelay(s, d^2))
}

// WriteDelay is L_d: the events from a tile's source selector to its receive
// pointer (exchange.md §4).
func WriteDelay(d int) int { return 52 + 2*CoordOf(d).Y }
