package encode

import (
	"context"
	"encoding/binary"
)

// packSearch is the exact search for a placement within the capacity. Its
// state is the set of open (not yet placed) variables and, for each, low: no
// placement that the search still has to consider puts the variable below it.
// What is placed acts on the open ones through low alone (in a loose core also
// through fit).
//
// Only settled placements are searched: no variable can be lowered. Lowering
// variables while any can be lowered turns every placement into a settled one,
// so nothing is lost. No open neighbour fits below the open variable i with the
// least low, so branching is binary: i at low_i for good, or something that is
// open now keeps it from there. Then i lies above that neighbour, by address and
// by bank, and low_i is at least the lowest such address of an open neighbour.
// In a loose core the neighbour may lie above its low, and i anywhere above low_i.
//
// A subproblem is the open variables and their lows, whatever way led to it;
// failed ones are remembered, through restarts too.
type packSearch struct {
	ctx context.Context
	*packCore
	capacity int64
	use      packInferences
	next     []int32 // the next variable equal to one, which goes above it; −1 if none

	low    []int64
	open   []bool
	left   []int64 // total size of the open items of a section
	opens  []int32 // number of open items of a section
	firsts []int32 // items that may be the lowest open one of a section, when last looked at
	weight []int64 // failures that a section caused
	dirty  []bool  // sections in queue
	queue  []int32
	trail  []packUndo
	stack  []int32 // scratch of section

	memo      map[string]struct{}
	memoBytes int
	nodes     int64
	hits      int64
	limit     int64 // stop when nodes reaches it
	stopped   bool
}

// packUndo restores one item: its low, or that it was open.
type packUndo struct {
	item    int32
	settled bool
	low     int64
}

// packMemoBytes bounds the memory of remembered failures.
const packMemoBytes = 128 << 20

func newPackSearch(ctx context.Context, c *packCore, capacity int64, use packInferences) *packSearch {
	n := len(c.vars)
	s := &packSearch{ctx: ctx, packCore: c, capacity: capacity, use: use, next: make([]int32, n),
		low: make([]int64, n), open: make([]bool, n), memo: map[string]struct{}{}}
	s.use.split = use.split && len(c.rects) == n
	s.use.memo = use.memo && !c.loose // settled groups act on open ones by more than low
	sections := len(c.sec.members)
	s.left, s.opens, s.firsts = make([]int64, sections), make([]int32, sections), make([]int32, sections)
	s.weight, s.dirty = make([]int64, sections), make([]bool, sections)
	for k, members := range c.sec.members {
		s.opens[k] = int32(len(members))
		for _, r := range members {
			s.left[k] += c.rects[r].size
		}
	}
	type twin struct{ shape, first, last int32 }
	latest := map[twin]int32{}
	for i := range int32(n) {
		s.open[i], s.next[i] = true, -1
		s.low[i] = c.vars[i].place(0)
		if v := &c.vars[i]; v.shape >= 0 && use.equal {
			it := twin{v.shape, c.sec.first[v.rects[0]], c.sec.last[v.rects[0]]}
			if j, ok := latest[it]; ok {
				s.next[j] = i
			}
			latest[it] = i
		}
	}
	return s
}

// run searches until nodes reaches limit. True: all items are placed at low.
// False: it is impossible, or stopped is set.
func (s *packSearch) run(limit int64) bool {
	s.undo(0)
	s.limit, s.stopped = limit, false
	for k := range s.sec.members {
		s.touch(int32(k))
	}
	for i := range int32(len(s.vars)) {
		if s.top(i) > s.capacity || s.next[i] >= 0 && !s.raise(s.next[i], s.top(i)) {
			return false
		}
	}
	return s.solve(0, int32(len(s.sec.members))-1)
}

// solve places the open items of sections from … to. The caller undoes a failure.
func (s *packSearch) solve(from, to int32) bool {
	var failing []string // subproblems that fail if this call does
	for {
		if s.nodes++; s.nodes >= s.limit || s.ctx.Err() != nil {
			s.stopped = true
			return false
		}
		if !s.propagate() || !s.settleFree(from, to) {
			return s.remember(failing)
		}
		for from <= to && s.opens[from] == 0 {
			from++
		}
		for from <= to && s.opens[to] == 0 {
			to--
		}
		if from > to {
			return true
		}
		if end := s.split(from, to); end < to {
			return s.solve(from, end) && s.solve(end+1, to) || s.remember(failing)
		}
		if s.use.memo {
			key := s.key(from, to)
			if _, failed := s.memo[key]; failed {
				s.hits++
				return s.remember(failing)
			}
			failing = append(failing, key)
		}
		i := s.pick(from, to)
		mark := len(s.trail)
		if s.settle(i) && s.solve(from, to) {
			return true
		}
		s.undo(mark)
		if s.stopped {
			return false
		}
		rest := s.capacity // on which i would not fit
		for k := range s.near[i] {
			if e := &s.near[i][k]; s.open[e.other] {
				rest = min(rest, s.below(e, s.low[e.other]))
			}
		}
		if s.loose {
			rest = max(rest, s.low[i]+s.grain)
		}
		if !s.raise(i, rest) {
			return s.remember(failing)
		}
	}
}

// pick chooses the item to branch on: the lowest; among those, one of the
// section that fails most for the choices it has.
func (s *packSearch) pick(from, to int32) int32 {
	best, bestScore := int32(-1), 0.0
	for i := range s.each(from, to) {
		if best >= 0 && s.low[i] > s.low[best] {
			continue
		}
		score := 0.0
		for _, r := range s.vars[i].rects {
			for k := s.sec.first[r]; k <= s.sec.last[r]; k++ {
				score = max(score, float64(1+s.weight[k])/float64(s.firsts[k]))
			}
		}
		if best < 0 || s.low[i] < s.low[best] || score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

// each yields the open variables of sections from … to, once for each of their
// rectangles.
func (s *packSearch) each(from, to int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for k := from; k <= to; k++ {
			for _, r := range s.sec.members[k] {
				if i := s.rects[r].variable; s.open[i] && (k == from || s.sec.first[r] == k) && !yield(i) {
					return
				}
			}
		}
	}
}

// split is the last section of the part of from … to that begins at from and
// shares no open item with the rest.
func (s *packSearch) split(from, to int32) int32 {
	if !s.use.split {
		return to
	}
	end := from
	for k := from; k <= end && k < to; k++ {
		for _, r := range s.sec.members[k] {
			if s.open[s.rects[r].variable] {
				end = max(end, s.sec.last[r])
			}
		}
	}
	return end
}

// key names the subproblem of sections from … to.
func (s *packSearch) key(from, to int32) string {
	var b []byte
	for i := range s.each(from, to) {
		b = binary.AppendUvarint(b, uint64(i))
		b = binary.AppendUvarint(b, uint64(s.low[i]))
	}
	return string(b)
}

// remember marks subproblems as failed, unless a limit was the reason; it
// returns false for the convenience of solve.
func (s *packSearch) remember(keys []string) bool {
	if s.stopped {
		return false
	}
	for _, k := range keys {
		if s.memoBytes += len(k) + 64; s.memoBytes > packMemoBytes {
			clear(s.memo)
			s.memoBytes = len(k) + 64
		}
		s.memo[k] = struct{}{}
	}
	return false
}

func (s *packSearch) top(i int32) int64 { return s.low[i] + s.vars[i].extent }

func (s *packSearch) rectLow(r int32) int64 { return s.low[s.rects[r].variable] + s.rects[r].off }
func (s *packSearch) rectTop(r int32) int64 { return s.rectLow(r) + s.rects[r].size }

// raise lifts low_i; false when the variable no longer fits.
func (s *packSearch) raise(i int32, to int64) bool {
	for i >= 0 && to > s.low[i] {
		s.trail = append(s.trail, packUndo{item: i, low: s.low[i]})
		if s.loose {
			s.low[i] = s.fit(i, to, s.low, s.open)
		} else {
			s.low[i] = s.vars[i].place(to)
		}
		s.touchAll(i)
		if to = s.top(i); to > s.capacity {
			return false
		}
		i = s.next[i]
	}
	return true
}

// touchAll has propagate look at the sections of a variable again.
func (s *packSearch) touchAll(i int32) {
	for _, r := range s.vars[i].rects {
		for k := s.sec.first[r]; k <= s.sec.last[r]; k++ {
			s.touch(k)
		}
	}
}

// settle places i at low_i; open neighbours go above, or in a loose core where
// they do not clash.
func (s *packSearch) settle(i int32) bool {
	s.trail = append(s.trail, packUndo{item: i, settled: true})
	s.open[i] = false
	for _, r := range s.vars[i].rects {
		for k := s.sec.first[r]; k <= s.sec.last[r]; k++ {
			s.left[k] -= s.rects[r].size
			s.opens[k]--
		}
	}
	s.touchAll(i)
	for k := range s.near[i] {
		e := &s.near[i][k]
		if !s.open[e.other] {
			continue
		}
		to := s.low[e.other]
		if s.loose {
			to = s.fit(e.other, to, s.low, s.open)
		} else {
			to = s.above(e, s.low[i])
		}
		if !s.raise(e.other, to) {
			return false
		}
	}
	return true
}

// undo takes back everything after the first mark entries of the trail.
func (s *packSearch) undo(mark int) {
	for len(s.trail) > mark {
		u := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		if !u.settled {
			s.low[u.item] = u.low
			continue
		}
		s.open[u.item] = true
		for _, r := range s.vars[u.item].rects {
			for k := s.sec.first[r]; k <= s.sec.last[r]; k++ {
				s.left[k] += s.rects[r].size
				s.opens[k]++
			}
		}
	}
	s.forget(0)
}

// touch has propagate look at a section again.
func (s *packSearch) touch(k int32) {
	if !s.dirty[k] {
		s.dirty[k] = true
		s.queue = append(s.queue, k)
	}
}

// forget drops the sections waiting in the queue from head on.
func (s *packSearch) forget(head int) {
	for _, k := range s.queue[head:] {
		s.dirty[k] = false
	}
	s.queue = s.queue[:0]
}
