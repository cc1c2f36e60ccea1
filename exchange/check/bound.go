package check

import (
	"cmp"
	"slices"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Bound re-derives the best of the lower bounds A–D of a phase's horizon
// (reference: exchange.md §13), directly from their statements: every message's
// window, head and tail from the events it causes when it starts at 0, and every
// subset of a machine's messages that a pair of thresholds on head and tail
// selects. kind is "items", "machine", "control" or "element", the first of
// them that reaches the bound; a phase without messages has bound 0.
//
// The problem must be one that Check accepts.
func Bound(p *exchange.Problem) (horizon int32, kind string) {
	spans := make([]span, len(p.Messages))
	for j := range spans {
		spans[j] = spanOf(p, int32(j))
	}
	var best [4]int32
	all := rolesOf(p)
	for t := range p.Tiles {
		b := tileBounds(p, spans, t, all.of(t))
		for i := range best {
			best[i] = max(best[i], b[i])
		}
	}
	for i, name := range []string{"items", "machine", "control", "element"} {
		if best[i] > horizon {
			horizon, kind = best[i], name
		}
	}
	return horizon, kind
}

// span is a message that starts as early as R1 lets it: at head; its last row
// ends at least length events after its start.
type span struct{ n, head, length int32 }

func spanOf(p *exchange.Problem, j int32) span {
	m := &p.Messages[j]
	s := span{n: items(m), length: items(m)}
	for _, d := range m.Dests {
		r := receiveOf(p, j, d, 0)
		s.head = max(s.head, 1-r.source)
		s.length = max(s.length, r.writeEnd()+guard)
	}
	return s
}

// window is one use on a machine: not before head, n events long, and tail
// events later some row still runs.
type window struct{ head, n, tail int32 }

// tileBounds gives the bounds A, B, C and D of one tile.
func tileBounds(p *exchange.Problem, spans []span, t int, list []role) [4]int32 {
	var sends, receives []window
	var sent, received int32
	var words, first int32 // 32-bit receives, sends
	var touched [device.NumElements][]window
	var reads, writes device.ElementSet
	touch := func(set device.ElementSet, l window) {
		for e := 0; set>>e != 0; e++ {
			if set>>e&1 != 0 {
				touched[e] = append(touched[e], l)
			}
		}
	}
	for _, x := range list {
		m, s := &p.Messages[x.message], spans[x.message]
		switch x.dest {
		case partner:
		case sender:
			l := window{s.head, s.n, s.length - s.n}
			sends, sent, first = append(sends, l), sent+s.n, first+1
			var set device.ElementSet
			for _, a := range m.SourceAddrs {
				set |= device.Elements(a, 4*uint32(m.Words))
			}
			reads |= set
			touch(set, l)
		default:
			d := m.Dests[x.dest]
			r := receiveOf(p, x.message, d, 0)
			receives = append(receives, window{s.head + r.source, s.n, s.length - r.source - s.n})
			received += s.n
			if !m.Paired {
				words++
			}
			set := device.Elements(d.Addr, 4*uint32(m.Words))
			writes |= set
			// The write window ends before the guard.
			touch(set, window{s.head + r.pointer, s.n, guard})
		}
	}
	var b [4]int32
	b[0] = max(sent, received)
	b[1] = max(machine(sends), machine(receives))
	if words > 0 {
		b[2] = max(words+58+2*int32(device.CoordOf(device.Physical(t)).Y), words+1+first)
	}
	for e, both := 0, reads&writes; both>>e != 0; e++ {
		if both>>e&1 == 0 {
			continue
		}
		head, work, tail := touched[e][0].head, int32(0), int32(guard)
		for _, l := range touched[e] {
			head, work, tail = min(head, l.head), work+l.n, min(tail, l.tail)
		}
		b[3] = max(b[3], head+work+tail)
	}
	return b
}

// machine is the best min head + Σ n + min tail over all subsets: for every
// tail as the smallest, windows in order of falling head join one by one.
func machine(list []window) int32 {
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(b.head, a.head) })
	tails := make([]int32, len(list))
	for i, l := range list {
		tails[i] = l.tail
	}
	slices.Sort(tails)
	best := int32(0)
	for _, tail := range slices.Compact(tails) {
		work := int32(0)
		for _, l := range list {
			if l.tail >= tail {
				work += l.n
				best = max(best, l.head+work+tail)
			}
		}
	}
	return best
}
