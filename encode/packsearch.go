package encode

import (
	"context"
	"encoding/binary"
)

// packSearch is the exact search for a placement within the capacity. Its
// state is the set of open (not yet placed) items and, for each, low: no
// placement that the search still has to consider puts the item below it.
// What is placed acts on the open items through low alone.
//
// Only settled placements are searched: every item lies at its low, or directly
// on an item that is open now. Lowering items while any can be lowered turns
// every placement into a settled one and keeps the order of items, so nothing
// is lost. No open neighbour fits below the open item i with the least low, so
// branching is binary: i at low_i for good, or low_i at least the lowest top of
// an open neighbour.
//
// A subproblem is the open items and their lows, whatever way led to it; failed
// ones are remembered, through restarts too.
type packSearch struct {
	ctx      context.Context
	capacity int64
	items    []PackItem
	use      packInferences
	sec      *packSections
	near     [][]int32 // items alive together with an item
	above    []int32   // the next item equal to an item, which goes above it; −1 if none

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

func newPackSearch(ctx context.Context, p *Packing, capacity int64, use packInferences) *packSearch {
	n := len(p.Items)
	s := &packSearch{
		ctx: ctx, capacity: capacity, items: p.Items, use: use, sec: newPackSections(p.Items),
		near: make([][]int32, n), above: make([]int32, n),
		low: make([]int64, n), open: make([]bool, n), memo: map[string]struct{}{},
	}
	sections := len(s.sec.members)
	s.left, s.opens, s.firsts = make([]int64, sections), make([]int32, sections), make([]int32, sections)
	s.weight, s.dirty = make([]int64, sections), make([]bool, sections)
	for k, members := range s.sec.members {
		s.opens[k] = int32(len(members))
		for _, i := range members {
			s.left[k] += p.Items[i].Size
		}
	}
	type shape struct {
		size, align int64
		first, last int32
	}
	latest := map[shape]int32{}
	for i := range int32(n) {
		s.open[i], s.above[i] = true, -1
		for k := s.sec.first[i]; k <= s.sec.last[i]; k++ {
			for _, j := range s.sec.members[k] {
				if i != j && (k == s.sec.first[i] || k == s.sec.first[j]) {
					s.near[i] = append(s.near[i], j)
				}
			}
		}
		it := shape{p.Items[i].Size, max(p.Items[i].Align, 1), s.sec.first[i], s.sec.last[i]}
		if j, ok := latest[it]; ok && use.equal {
			s.above[j] = i
		}
		latest[it] = i
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
	for i := range int32(len(s.items)) {
		if s.top(i) > s.capacity || s.above[i] >= 0 && !s.raise(s.above[i], s.top(i)) {
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
		for _, j := range s.near[i] {
			if s.open[j] {
				rest = min(rest, s.top(j))
			}
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
		for k := s.sec.first[i]; k <= s.sec.last[i]; k++ {
			score = max(score, float64(1+s.weight[k])/float64(s.firsts[k]))
		}
		if best < 0 || s.low[i] < s.low[best] || score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

// each yields the open items of sections from … to, once each.
func (s *packSearch) each(from, to int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for k := from; k <= to; k++ {
			for _, i := range s.sec.members[k] {
				if s.open[i] && (k == from || s.sec.first[i] == k) && !yield(i) {
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
		for _, i := range s.sec.members[k] {
			if s.open[i] {
				end = max(end, s.sec.last[i])
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

func (s *packSearch) top(i int32) int64 { return s.low[i] + s.items[i].Size }

// raise lifts low_i; false when the item no longer fits.
func (s *packSearch) raise(i int32, to int64) bool {
	for i >= 0 && to > s.low[i] {
		s.trail = append(s.trail, packUndo{item: i, low: s.low[i]})
		s.low[i] = s.items[i].place(to)
		for k := s.sec.first[i]; k <= s.sec.last[i]; k++ {
			s.touch(k)
		}
		if to = s.top(i); to > s.capacity {
			return false
		}
		i = s.above[i]
	}
	return true
}

// settle places i at low_i; open neighbours go above.
func (s *packSearch) settle(i int32) bool {
	s.trail = append(s.trail, packUndo{item: i, settled: true})
	s.open[i] = false
	for k := s.sec.first[i]; k <= s.sec.last[i]; k++ {
		s.left[k] -= s.items[i].Size
		s.opens[k]--
		s.touch(k)
	}
	top := s.top(i)
	for _, j := range s.near[i] {
		if s.open[j] && !s.raise(j, top) {
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
		for k := s.sec.first[u.item]; k <= s.sec.last[u.item]; k++ {
			s.left[k] += s.items[u.item].Size
			s.opens[k]++
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
