package sat

import (
	"cmp"
	"slices"
)

// learn derives a clause from a conflict: the first at which one literal of the
// last level is left. It goes back to where the clause forces that literal.
func (s *learner) learn(bad reason) {
	var c learntClause
	var below []lit
	if bad.kind == byLearnt {
		c.from = append(c.from, bad.index)
	}
	top := int32(len(s.limits))
	open, at := 0, len(s.trail)
	add := func(lits []lit) {
		for _, l := range lits {
			v := l.v()
			switch {
			case s.level[v] == 0:
				c.from = append(c.from, int32(-v-1))
			case s.mark[v]:
			case s.level[v] == top:
				s.mark[v] = true
				s.bump(v)
				open++
			default:
				s.mark[v] = true
				s.bump(v)
				below = append(below, l)
			}
		}
	}
	add(s.falsified(bad))
	var first lit
	for {
		for at--; !s.mark[s.trail[at].v()]; at-- {
		}
		first = s.trail[at]
		v := first.v()
		s.mark[v] = false
		if open--; open == 0 {
			break
		}
		if r := s.reason[v]; r.kind == byLearnt {
			c.from = append(c.from, r.index)
		}
		add(s.explain(v))
	}
	marked := slices.Clone(below)
	c.lits = append(c.lits, first.not())
	for _, l := range below {
		if !s.spare(l, &c) {
			c.lits = append(c.lits, l)
		}
	}
	for _, l := range marked {
		s.mark[l.v()] = false
	}
	s.increment *= 1 / 0.95
	s.keep(c)
}

// spare tells whether the others of the clause force the literal by one row or
// clause, so that it can be left out.
func (s *learner) spare(l lit, c *learntClause) bool {
	r := s.reason[l.v()]
	if r.kind == decided {
		return false
	}
	why := s.explain(l.v())
	for _, o := range why {
		if s.level[o.v()] > 0 && !s.mark[o.v()] {
			return false
		}
	}
	if r.kind == byLearnt {
		c.from = append(c.from, r.index)
	}
	for _, o := range why {
		if s.level[o.v()] == 0 {
			c.from = append(c.from, int32(-o.v()-1))
		}
	}
	return true
}

// keep adds a clause whose first literal is forced below the last level.
func (s *learner) keep(c learntClause) {
	id := int32(len(s.learnt))
	slices.Sort(c.from)
	c.from = slices.Compact(c.from)
	s.size += len(c.lits) + len(c.from)
	target := 0
	if len(c.lits) > 1 {
		rest := c.lits[1:]
		slices.SortFunc(rest, func(a, b lit) int { return cmp.Compare(s.level[b.v()], s.level[a.v()]) })
		target = int(s.level[rest[0].v()])
		for k, l := range rest {
			if k == 0 || s.level[l.v()] != s.level[rest[k-1].v()] {
				c.levels++
			}
		}
		s.watch[c.lits[0]] = append(s.watch[c.lits[0]], id)
		s.watch[c.lits[1]] = append(s.watch[c.lits[1]], id)
	}
	if len(c.lits) > 2 {
		s.live = append(s.live, id)
	}
	s.learnt = append(s.learnt, c)
	s.back(target)
	s.assign(c.lits[0], reason{byLearnt, id})
}

// forget drops the half of the long learnt clauses that join the most levels. The
// proof keeps them.
func (s *learner) forget() {
	locked := func(id int32) bool {
		l := s.learnt[id].lits[0]
		return s.value[l] > 0 && s.reason[l.v()] == reason{byLearnt, id}
	}
	slices.SortStableFunc(s.live, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.learnt[a].levels, s.learnt[b].levels), cmp.Compare(b, a))
	})
	kept := s.live[:0]
	for k, id := range s.live {
		if k < len(s.live)/2 || s.learnt[id].levels <= 2 || locked(id) {
			kept = append(kept, id)
		} else {
			s.learnt[id].gone = true
		}
	}
	s.live = kept
}

// decide is the open variable with the greatest activity, as it was last.
func (s *learner) decide() (lit, bool) {
	for len(s.heap) > 0 {
		v := int(s.pop())
		if l := mkLit(v, s.phase[v]); s.value[l] == 0 {
			return l, true
		}
	}
	return 0, false
}

// bump raises a variable's activity.
func (s *learner) bump(v int) {
	if s.activity[v] += s.increment; s.activity[v] > 1e100 {
		for j := range s.activity {
			s.activity[j] *= 1e-100
		}
		s.increment *= 1e-100
	}
	if i := s.position[v]; i >= 0 {
		s.rise(int(i))
	}
}

func (s *learner) insert(v int32) {
	if s.position[v] < 0 {
		s.position[v] = int32(len(s.heap))
		s.heap = append(s.heap, v)
		s.rise(len(s.heap) - 1)
	}
}

func (s *learner) pop() int32 {
	v := s.heap[0]
	last := len(s.heap) - 1
	s.swap(0, last)
	s.heap, s.position[v] = s.heap[:last], -1
	s.sink(0)
	return v
}

func (s *learner) swap(i, j int) {
	s.heap[i], s.heap[j] = s.heap[j], s.heap[i]
	s.position[s.heap[i]], s.position[s.heap[j]] = int32(i), int32(j)
}

func (s *learner) rise(i int) {
	for i > 0 && s.activity[s.heap[i]] > s.activity[s.heap[(i-1)/2]] {
		s.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (s *learner) sink(i int) {
	for {
		k := 2*i + 1
		if k >= len(s.heap) {
			return
		}
		if k+1 < len(s.heap) && s.activity[s.heap[k+1]] > s.activity[s.heap[k]] {
			k++
		}
		if s.activity[s.heap[k]] <= s.activity[s.heap[i]] {
			return
		}
		s.swap(i, k)
		i = k
	}
}
