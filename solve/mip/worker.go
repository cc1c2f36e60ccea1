package mip

import (
	"math/big"

	"ipusolve/solve"
)

// worker processes nodes with a relaxation of its own. What it finds stays with
// it until the search collects it, so that what a worker does depends on the
// nodes that it was given alone, and not on how fast the others are.
type worker struct {
	*shared
	leads   bool     // the first worker
	relax   *relaxer // nil before its first node
	elastic *elastic // made when first needed
	prover  *prover

	// Of the round: copies to work on.
	best       *solve.Assignment // nil unless found in this round
	bestObj    *big.Rat
	stats      solve.Stats
	strong     int64
	strongFrom int64 // strong at the start
	learned    gains
	until      int64 // effort at which to stop; 0 = none
	dives      bool  // the next node gets dives
	alone      func(a *solve.Assignment, obj *big.Rat)

	before  solve.Stats // stats that the search has counted
	given   []*node     // to process, in this order
	now     *node       // in process
	dive    *node       // next node of the current plunge
	made    []*node     // children, in the order of their making
	open    []*node     // nodes for the queue
	stuck   []*node
	solved  []*node // parents whose vector may be spared
	notes   []func()
	noGoods []*noGood // learnt
	point   []float64 // of the last relaxation that was branched on

	rootSeen int // rootFixes when the relaxation was last compacted
	err      error
}

func newWorker(s *shared, relax *relaxer) *worker {
	return &worker{shared: s, relax: relax, prover: newProver(s.in)}
}

func (w *worker) free() {
	if w.relax != nil {
		w.relax.free()
	}
	if w.elastic != nil {
		w.elastic.clp.free()
	}
}

// ready makes the relaxation when there is none.
func (w *worker) ready() bool {
	if w.relax == nil {
		p := *w.problem // its bounds are those of the first worker's last solve
		p.ColLower, p.ColUpper = make([]float64, len(w.rootBox.lo)), make([]float64, len(w.rootBox.lo))
		for j := range p.ColLower {
			p.ColLower[j], p.ColUpper[j] = float64(w.rootBox.lo[j]), float64(w.rootBox.hi[j])
		}
		w.relax, w.err = newRelaxer(&p)
	}
	return w.err == nil
}

// stopped reports whether a limit is reached.
func (w *worker) stopped() bool {
	return w.ctx.Err() != nil || (w.until > 0 && w.stats.Effort() >= w.until)
}

// closes reports whether nothing below bound can beat the incumbent.
func (w *worker) closes(bound *big.Rat) bool {
	return w.bestObj != nil && bound.Cmp(w.bestObj) >= 0
}

// work processes nodes, plunges first, until the effort spent passes quantum, an
// incumbent is found or nothing is left.
func (w *worker) work(quantum int64) {
	if !w.ready() {
		return
	}
	from := w.stats
	spent := func() int64 { return w.stats.Effort() - from.Effort() + nodeEffort*int64(w.stats.Nodes-from.Nodes) }
	for first := true; first || (spent() < quantum && w.best == nil); first = false {
		n := w.next()
		if n == nil || w.stopped() {
			if n != nil {
				w.open = append(w.open, n)
			}
			return
		}
		w.now = n
		w.process(n)
		w.now = nil
	}
}

// nodeEffort is what a node counts towards the quantum beside its iterations.
const nodeEffort = 25

// next takes the plunge's node, else the next one given. Nodes that the
// incumbent closes are left behind as leaves.
func (w *worker) next() *node {
	if n := w.dive; n != nil {
		w.dive = nil
		if !w.closes(n.bound) {
			return n
		}
	}
	for len(w.given) > 0 {
		n := w.given[0]
		w.given = w.given[1:]
		if !w.closes(n.bound) {
			return n
		}
	}
	return nil
}

// improve makes a feasible assignment the worker's incumbent if it is better.
func (w *worker) improve(a *solve.Assignment) bool {
	obj, err := w.in.m.Evaluate(a)
	if err != nil || (w.bestObj != nil && obj.Cmp(w.bestObj) >= 0) {
		return false
	}
	if obj = w.exact(a, obj); obj == nil {
		return false
	}
	w.best, w.bestObj = a, obj
	if w.alone != nil {
		w.alone(a, obj)
	}
	return true
}

// note logs something once the search collects, in the order of workers.
func (w *worker) note(f func()) { w.notes = append(w.notes, f) }

// spare says that the vector of n's parent may not be needed any more.
func (w *worker) spare(n *node) {
	if n.parent != nil {
		w.solved = append(w.solved, n.parent)
	}
}
