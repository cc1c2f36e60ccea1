package encode

import "slices"

// peel splits a part's demands into rounds whose durations sum to its load. With R
// left to go, a round of duration t must serve every end with more than R − t
// words left, by demands of at least t words; the largest t for which such a
// matching exists is taken. There always is one for some t > 0, so each round uses up
// a demand or makes another end urgent: at most demands + ends rounds.
func (m *Matching) peel(p *Component) []Round {
	s := newPeeler(m, p)
	var rounds []Round
	for togo := p.Load; togo > 0; {
		t := s.longest(togo)
		if !s.cover(togo, t) {
			panic("encode: no matching serves the busiest ends") // Hall's condition holds
		}
		s.extend(t)
		r := Round{Duration: t}
		for _, k := range s.edgeOfL {
			if k == noEdge {
				continue
			}
			r.Pairs = append(r.Pairs, p.Demands[k])
			s.words[k] -= t
			s.load[s.from[k]] -= t
			s.load[int32(s.senders)+s.to[k]] -= t
		}
		slices.Sort(r.Pairs)
		rounds = append(rounds, r)
		togo -= t
	}
	return rounds
}

// peeler holds what is left of a part, and a matching.
type peeler struct {
	*local
	words   []int64   // left, per demand
	load    []int64   // left, per sender, then receiver
	at      [][]int32 // demands per sender, then receiver
	edgeOfL []int32   // matched demand per sender, or noEdge
	edgeOfR []int32
	seen    []int // per end: stamp of the last search that met it
	stamp   int
}

func newPeeler(m *Matching, p *Component) *peeler {
	s := &peeler{local: m.local(p.Demands)}
	ends := s.senders + s.receivers
	s.load, s.at, s.seen = make([]int64, ends), make([][]int32, ends), make([]int, ends)
	s.edgeOfL, s.edgeOfR = make([]int32, s.senders), make([]int32, s.receivers)
	for k, e := range p.Demands {
		words := m.Demands[e].Words
		s.words = append(s.words, words)
		for _, v := range [...]int32{s.from[k], int32(s.senders) + s.to[k]} {
			s.load[v] += words
			s.at[v] = append(s.at[v], int32(k))
		}
	}
	for a := range s.edgeOfL {
		s.edgeOfL[a] = noEdge
	}
	for b := range s.edgeOfR {
		s.edgeOfR[b] = noEdge
	}
	return s
}

// longest is the largest duration for which the urgent ends can be served: the
// words of a demand, or what makes another end urgent.
func (s *peeler) longest(togo int64) int64 {
	times := []int64{togo}
	for _, w := range s.words {
		if w > 0 {
			times = append(times, w)
		}
	}
	for _, l := range s.load {
		if slack := togo - l; slack > 0 {
			times = append(times, slack)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	lo, hi := 0, len(times) // times[lo] works; the longer, the less does
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.cover(togo, times[mid]) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return times[lo]
}

// cover makes a matching of demands of at least t words that serves all urgent
// ends, from the last one; false if there is none.
func (s *peeler) cover(togo, t int64) bool {
	for a, k := range s.edgeOfL {
		if k != noEdge && s.words[k] < t {
			s.edgeOfL[a], s.edgeOfR[s.to[k]] = noEdge, noEdge
		}
	}
	urgent := func(v int32) bool { return s.load[v] > togo-t }
	for a := range int32(s.senders) {
		if s.edgeOfL[a] == noEdge && urgent(a) {
			s.stamp++
			if !s.serve(a, t, urgent) {
				return false
			}
		}
	}
	for b := range int32(s.receivers) {
		if v := int32(s.senders) + b; s.edgeOfR[b] == noEdge && urgent(v) {
			s.stamp++
			if !s.serve(v, t, urgent) {
				return false
			}
		}
	}
	return true
}

// extend serves more ends where no other has to give way.
func (s *peeler) extend(t int64) {
	for a := range int32(s.senders) {
		if s.edgeOfL[a] == noEdge {
			s.stamp++
			s.serve(a, t, func(int32) bool { return true })
		}
	}
}

// serve matches end v along an alternating path to a free end of the other side,
// or to an end of its own side that is not urgent and gives way. The ends of the
// other side stay served.
func (s *peeler) serve(v int32, t int64, urgent func(int32) bool) bool {
	s.seen[v] = s.stamp
	for _, k := range s.at[v] {
		if s.words[k] < t {
			continue
		}
		other := s.other(k, v)
		if s.seen[other] == s.stamp {
			continue
		}
		s.seen[other] = s.stamp
		old := *s.matched(other)
		if old != noEdge {
			next := s.other(old, other)
			if s.seen[next] == s.stamp {
				continue
			}
			if !urgent(next) {
				*s.matched(next) = noEdge
			} else if !s.serve(next, t, urgent) {
				continue
			}
		}
		*s.matched(v), *s.matched(other) = k, k
		return true
	}
	return false
}

func (s *peeler) matched(v int32) *int32 {
	if v < int32(s.senders) {
		return &s.edgeOfL[v]
	}
	return &s.edgeOfR[v-int32(s.senders)]
}

func (s *peeler) other(k, v int32) int32 {
	if v < int32(s.senders) {
		return int32(s.senders) + s.to[k]
	}
	return s.from[k]
}
