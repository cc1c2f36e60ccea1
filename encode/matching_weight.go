package encode

import "slices"

// matcher finds matchings of greatest weight in one sparse bipartite graph, in
// integers, by the Hungarian method: shortest augmenting paths from one sender
// after the other. The potentials prove the answer: u_a + v_b ≥ weight of every
// edge, u, v ≥ 0, and their sum is the matching's weight.
type matcher struct {
	left, right int
	start       []int32 // edges of sender a: list[start[a]:start[a+1]]
	list        []int32
	from, to    []int32

	u, v    []int64
	edgeOfL []int32 // matched edge, or noEdge
	edgeOfR []int32
	distL   []int64 // distance from the search's root, valid where seen
	distR   []int64
	via     []int32 // edge by which a receiver was reached
	seenL   []int32 // senders reached, in order
	seenR   []int32 // receivers settled or queued
	stateR  []uint8
	heap    []heapItem
}

type heapItem struct {
	key int64
	end int32
}

const (
	unseen uint8 = iota
	queued
	settled
)

func newMatcher(l *local) *matcher {
	w := &matcher{left: l.senders, right: l.receivers, start: make([]int32, l.senders+1), from: l.from, to: l.to}
	for _, a := range l.from {
		w.start[a+1]++
	}
	for a := range l.senders {
		w.start[a+1] += w.start[a]
	}
	w.list = make([]int32, len(l.from))
	at := slices.Clone(w.start)
	for e, a := range l.from {
		w.list[at[a]] = int32(e)
		at[a]++
	}
	w.u, w.v = make([]int64, w.left), make([]int64, w.right)
	w.edgeOfL, w.edgeOfR = make([]int32, w.left), make([]int32, w.right)
	w.distL, w.distR = make([]int64, w.left), make([]int64, w.right)
	w.via, w.stateR = make([]int32, w.right), make([]uint8, w.right)
	return w
}

// heaviest returns the weight of a heaviest matching; edges of weight ≤ 0 take no
// part. edgeOfL then holds the matching.
func (w *matcher) heaviest(weight []int64) int64 {
	clear(w.v)
	for a := range w.edgeOfL {
		w.edgeOfL[a] = noEdge
	}
	for b := range w.edgeOfR {
		w.edgeOfR[b] = noEdge
	}
	for a := range int32(w.left) {
		w.u[a] = 0
		for _, e := range w.list[w.start[a]:w.start[a+1]] {
			w.u[a] = max(w.u[a], weight[e]-w.v[w.to[e]])
		}
		if w.u[a] > 0 {
			w.augment(a, weight)
		}
	}
	var total int64
	for _, e := range w.edgeOfL {
		if e != noEdge {
			total += weight[e]
		}
	}
	return total
}

// augment enters sender a: along the shortest path it ends at a free receiver, or
// at a sender that gives way.
func (w *matcher) augment(a int32, weight []int64) {
	w.seenL, w.seenR, w.heap = w.seenL[:0], w.seenR[:0], w.heap[:0]
	best := w.u[a] // a itself stays out
	endL, endR := a, int32(-1)
	w.distL[a] = 0
	for at := a; ; {
		w.seenL = append(w.seenL, at)
		if d := w.distL[at] + w.u[at]; d < best {
			best, endL, endR = d, at, -1
		}
		for _, e := range w.list[w.start[at]:w.start[at+1]] {
			if weight[e] <= 0 {
				continue
			}
			b := w.to[e]
			if w.stateR[b] == settled {
				continue
			}
			d := w.distL[at] + w.u[at] + w.v[b] - weight[e]
			if d >= best || w.stateR[b] == queued && d >= w.distR[b] {
				continue
			}
			if w.stateR[b] == unseen {
				w.stateR[b] = queued
				w.seenR = append(w.seenR, b)
			}
			w.distR[b], w.via[b] = d, e
			w.push(heapItem{d, b})
		}
		next := int32(-1)
		for len(w.heap) > 0 {
			top := w.pop()
			if top.key < best && w.stateR[top.end] == queued && top.key == w.distR[top.end] {
				next = top.end
				break
			}
		}
		if next < 0 {
			break
		}
		w.stateR[next] = settled
		if w.edgeOfR[next] == noEdge { // its potential is 0
			best, endL, endR = w.distR[next], -1, next
			break
		}
		at = w.from[w.edgeOfR[next]]
		w.distL[at] = w.distR[next]
	}
	for _, s := range w.seenL {
		if d := best - w.distL[s]; d > 0 {
			w.u[s] -= d
		}
	}
	for _, b := range w.seenR {
		if d := best - w.distR[b]; w.stateR[b] == settled && d > 0 {
			w.v[b] += d
		}
		w.stateR[b] = unseen
	}
	if endR < 0 { // endL leaves: its receiver takes the edge that reached it
		if endL == a {
			return
		}
		endR = w.to[w.edgeOfL[endL]]
		w.edgeOfL[endL] = noEdge
	}
	for {
		e := w.via[endR]
		s := w.from[e]
		old := w.edgeOfL[s]
		w.edgeOfL[s], w.edgeOfR[endR] = e, e
		if s == a {
			return
		}
		endR = w.to[old]
	}
}

// push and pop keep a binary heap by key, then receiver.
func (w *matcher) push(x heapItem) {
	h := append(w.heap, x)
	for k := len(h) - 1; k > 0; {
		up := (k - 1) / 2
		if !lessItem(h[k], h[up]) {
			break
		}
		h[k], h[up] = h[up], h[k]
		k = up
	}
	w.heap = h
}

func (w *matcher) pop() heapItem {
	h := w.heap
	top := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for k := 0; ; {
		c := 2*k + 1
		if c >= n {
			break
		}
		if c+1 < n && lessItem(h[c+1], h[c]) {
			c++
		}
		if !lessItem(h[c], h[k]) {
			break
		}
		h[k], h[c] = h[c], h[k]
		k = c
	}
	w.heap = h
	return top
}

func lessItem(a, b heapItem) bool { return a.key < b.key || a.key == b.key && a.end < b.end }
