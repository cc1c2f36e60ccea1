package exchange

// parityFault finds a pair of controls of the tile that no row can hold (R12)
// without encoding anything. It gives the event of the first one and the event
// from of the pair before it (0: the begin of the row).
//
// Proof. Words of a row can be added one by one by splitting an instruction of
// two or more events, so a parity is out of reach only if every event since the
// last aligned word is an instruction of its own: every cycle in between must be
// a boundary that no instruction can span. The sendpicp of the pair at from
// takes two words and one event from an even word on, each further event one
// word, so the one at event starts on word (event−1−from) modulo 2, which is odd
// if event − from is even. The same holds with from = 0 for the begin of the row,
// which is even. Which cycles are boundaries follows from what instructions can
// do (reference: exchange.md §2.2): see tight.
//
// ok is false when there is no such pair. The stream's controls and sends must
// keep R1–R5.
func (st *TileStream) parityFault() (from, event int32, ok bool) {
	run := true // every cycle since from is a boundary
	at := int32(0)
	s := 0
	c := st.Controls
	for k := 0; k < len(c); {
		t := c[k].Event
		size := group(c[k:])
		next := k + size
		for u := max(at, 1); run && u < t; u++ {
			for s < len(st.Sends) && st.Sends[s].End() < u {
				s++
			}
			before := 0 // controls at event u: those of the group before, if it is there
			if u == at {
				before = group(c[k-groupBefore(c, k):])
			}
			after := 0
			if u+1 == t {
				after = size
			}
			run = st.tight(u, s, before, after)
		}
		if size == 2 {
			if run && (t-from)%2 == 0 {
				return from, t, true
			}
			from, run = t, true
		}
		at, k = t, next
	}
	return 0, 0, false
}

// groupBefore is the number of controls of the group that ends before index k,
// 0 if there is none.
func groupBefore(c []RowControl, k int) int {
	switch {
	case k == 0:
		return 0
	case k > 1 && c[k-2].Event == c[k-1].Event:
		return 2
	}
	return 1
}

// tight tells whether no instruction can span events u and u+1, which have so
// many controls. s is the first send that does not end before cycle u.
//
//   - A send starts or ends there.
//   - Inside a send a control comes first in its instruction, so one at u+1 is a
//     boundary.
//   - Idle, a single control comes last in its instruction and a pair first.
func (st *TileStream) tight(u int32, s, before, after int) bool {
	if s < len(st.Sends) {
		switch l := st.Sends[s]; {
		case l.Start == u || l.End() == u:
			return true
		case l.Start < u:
			return after > 0
		}
	}
	switch before {
	case 1:
		return true
	case 2:
		return after > 0
	}
	return after == 2
}
