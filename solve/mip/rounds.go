package mip

import (
	"math/big"
	"runtime"
	"sync"
	"sync/atomic"

	"ipusolve/solve"
)

// The search runs in rounds. In a round each of a fixed number of workers gets
// nodes, in the order of the queue, and a copy of the incumbent and of the
// pseudo-costs, and works on its own for a quantum of effort; then what they
// found is collected, worker after worker. Threads run workers; how many
// threads there are, and which one is faster, does not show in anything.
//
// A tree starts with one worker and one node a round, as long as what the next
// node shows may save the work on the others.
const (
	workers       = 4    // of a round
	alone         = 12   // nodes that one worker processes first
	quantum       = 400  // effort of a round, per worker
	givenNodes    = 3    // nodes that a worker gets beside its plunge, at most
	leastTogether = 4000 // effort left from which rounds have several workers
)

// round processes some nodes; false when none is left.
func (s *search) round() bool {
	s.dropClosed()
	if s.waiting() == 0 {
		return false
	}
	if s.opt.Lazy != nil || s.stats.Nodes < alone || s.waiting() == 1 || (s.opt.Effort > 0 && s.opt.Effort-s.stats.Effort() < leastTogether) {
		w := s.workers[0]
		s.gather()
		if w.dive == nil {
			w.given = append(w.given, s.open.pop())
		}
		s.alone(func(w *worker) { w.work(1) })
		return true
	}
	s.together()
	return true
}

// dropClosed takes nodes that the incumbent closes out of the queue's front and
// out of the plunges; they stay leaves.
func (s *search) dropClosed() {
	for _, w := range s.workers {
		if w.dive != nil && s.closes(w.dive.bound) {
			w.dive = nil
		}
	}
	for len(s.open) > 0 && s.closes(s.open[0].bound) {
		s.open.pop()
	}
}

// gather leaves the first worker with a plunge only.
func (s *search) gather() {
	for _, w := range s.workers[1:] {
		if w.dive != nil {
			s.open.push(w.dive)
			w.dive = nil
		}
	}
}

// alone lets the first worker do something; its incumbents count at once.
func (s *search) alone(do func(w *worker)) {
	w := s.workers[0]
	s.begins(w, 1)
	w.alone = func(a *solve.Assignment, obj *big.Rat) {
		s.absorb(w)
		s.adopt(a, obj)
	}
	do(w)
	w.alone = nil
	s.collect(w)
}

// together runs a round of several workers.
func (s *search) together() {
	for len(s.workers) < workers {
		s.workers = append(s.workers, newWorker(&s.shared, nil))
	}
	for k := range givenNodes {
		for _, w := range s.workers {
			if len(s.open) > 0 && (k > 0 || w.dive == nil) {
				w.given = append(w.given, s.open.pop())
			}
		}
	}
	var busy []*worker
	for _, w := range s.workers {
		if w.dive != nil || len(w.given) > 0 {
			busy = append(busy, w)
		}
	}
	for _, w := range busy {
		s.begins(w, int64(len(busy)))
	}
	threads := s.opt.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if threads = min(threads, len(busy)); threads == 1 {
		for _, w := range busy {
			w.work(quantum)
		}
	} else {
		var next atomic.Int32
		var all sync.WaitGroup
		for range threads {
			all.Go(func() {
				for k := next.Add(1) - 1; int(k) < len(busy); k = next.Add(1) - 1 {
					busy[k].work(quantum)
				}
			})
		}
		all.Wait()
	}
	for _, w := range busy {
		s.collect(w)
	}
}

// begins prepares one of n workers for a round.
func (s *search) begins(w *worker, n int64) {
	w.best, w.bestObj = nil, s.bestObj
	w.stats, w.before, w.strong, w.strongFrom = s.stats, s.stats, s.strong, s.strong
	w.learned.reset()
	w.until = 0
	if s.opt.Effort > 0 {
		w.until = s.stats.Effort() + max(1, (s.opt.Effort-s.stats.Effort())/n)
	}
	w.dives = false
	if s.sinceDive >= diveEvery || s.stats.Nodes == 0 {
		w.dives, s.sinceDive = true, 0
	}
}

// absorb counts what a worker did since the last time.
func (s *search) absorb(w *worker) {
	a, b := &w.stats, &w.before
	s.stats.Nodes += a.Nodes - b.Nodes
	s.stats.LPs += a.LPs - b.LPs
	s.stats.LPIterations += a.LPIterations - b.LPIterations
	s.stats.Work += a.Work - b.Work
	s.stats.Fixed += a.Fixed - b.Fixed
	s.stats.ColdSolves += a.ColdSolves - b.ColdSolves
	s.stats.Excluded += a.Excluded - b.Excluded
	s.stats.Pruned += a.Pruned - b.Pruned
	s.stats.SATCalls += a.SATCalls - b.SATCalls
	s.sinceDive += a.Nodes - b.Nodes
	w.before = w.stats
}

// collect takes over what a worker found in a round.
func (s *search) collect(w *worker) {
	s.absorb(w)
	s.strong += w.strong - w.strongFrom
	s.pseudo.add(&w.learned)
	s.remember(w.noGoods)
	w.noGoods = nil
	w.learned.reset()
	for _, n := range w.made {
		s.seq++
		n.seq = s.seq
	}
	w.made = w.made[:0]
	if s.rootFixes == 0 && len(s.root.fix) > 0 {
		s.rootFixes++
	}
	for _, n := range w.solved {
		n.release()
	}
	w.solved = w.solved[:0]
	for _, list := range [...][]*node{w.given, w.open} {
		for _, n := range list {
			s.open.push(n)
		}
	}
	w.given, w.open = nil, w.open[:0]
	s.stuck = append(s.stuck, w.stuck...)
	w.stuck = w.stuck[:0]
	if w.dives { // came to nothing
		s.sinceDive = diveEvery
	}
	for _, f := range w.notes {
		f()
	}
	w.notes = w.notes[:0]
	if w.best != nil {
		s.adopt(w.best, w.bestObj)
	}
}
