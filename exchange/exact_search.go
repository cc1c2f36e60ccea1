package exchange

import (
	"context"
	"slices"
)

// exactSearch decides whether a model has a schedule within a horizon. A node
// keeps the closure of the differences decided so far; its earliest starts are the
// least solution of these. If they break a clause, the node branches over the
// clause's literals; if they break nothing, they are a schedule. Clauses with one
// literal left are decided at once, which is immediate selection, and a machine
// whose windows do not fit ends a node.
type exactSearch struct {
	*exactModel
	ctx    context.Context
	nodes  int // left
	levels []*exactNode
	x      []int32 // earliest starts of the present node
	err    error
}

// exactNode is a node of the search.
type exactNode struct {
	dist   []int32 // dist[u·(n+1)+v]: x_u − x_v ≤ it
	active []int32 // clauses not decided
	seen   int     // clauses that active was drawn from
}

const unbounded = 1 << 28 // of a difference; sums of two fit 32 bits

// verdict is an answer of a search.
type verdict uint8

const (
	gaveUp verdict = iota
	none
	found
)

// within looks for starts that meet horizon h.
func (e *exactSearch) within(h int32) verdict {
	root := e.level(0)
	w := e.n + 1
	for k := range root.dist {
		root.dist[k] = unbounded
	}
	for k := range w {
		root.dist[k*w+k] = 0
	}
	root.active, root.seen = root.active[:0], 0
	for i := range e.n {
		if !e.require(root, diff{e.zero(), i, -e.head[i]}) || !e.require(root, diff{i, e.zero(), h - e.length[i]}) {
			return none
		}
	}
	for _, l := range e.fixed {
		if !e.require(root, l) {
			return none
		}
	}
	return e.search(0)
}

func (e *exactSearch) level(depth int) *exactNode {
	for len(e.levels) <= depth {
		e.levels = append(e.levels, &exactNode{dist: make([]int32, (e.n+1)*(e.n+1))})
	}
	return e.levels[depth]
}

// require adds a literal to the node's closure; false: it contradicts it.
func (e *exactSearch) require(d *exactNode, l diff) bool {
	w := e.n + 1
	if d.dist[l.u*w+l.v] <= l.c {
		return true
	}
	if l.c+d.dist[l.v*w+l.u] < 0 {
		return false
	}
	to := d.dist[l.v*w : l.v*w+w]
	for a := range w {
		via := d.dist[a*w+l.u] + l.c
		if via >= unbounded/2 {
			continue
		}
		row := d.dist[a*w : a*w+w]
		for b, q := range to {
			if via+q < row[b] {
				row[b] = via + q
			}
		}
	}
	return true
}

func (e *exactSearch) holds(d *exactNode, l diff) bool { return d.dist[l.u*(e.n+1)+l.v] <= l.c }

// room is by how much the closure could still be tighter before the literal
// cannot hold any more; below 0 it cannot.
func (e *exactSearch) room(d *exactNode, l diff) int32 { return l.c + d.dist[l.v*(e.n+1)+l.u] }

// propagate decides what follows; false: the node has no schedule.
func (e *exactSearch) propagate(d *exactNode) bool {
	for changed := true; changed; {
		changed = false
		for ; d.seen < len(e.clauses); d.seen++ {
			d.active = append(d.active, int32(d.seen))
		}
		rest := d.active[:0]
	clauses:
		for _, k := range d.active {
			var open diff
			count := 0
			for _, l := range e.clauses[k] {
				if e.holds(d, l) {
					continue clauses
				}
				if e.room(d, l) >= 0 {
					open = l
					count++
				}
			}
			switch count {
			case 0:
				return false
			case 1:
				if !e.require(d, open) {
					return false
				}
				changed = true
			default:
				rest = append(rest, k)
			}
		}
		d.active = rest
	}
	for _, m := range e.machines {
		if e.overloaded(d, m) {
			return false
		}
	}
	return true
}

// overloaded tells whether some windows of a machine do not fit between the
// earliest begin and the latest end among them.
func (e *exactSearch) overloaded(d *exactNode, m exactMachine) bool {
	w := e.n + 1
	type span struct{ begin, end, items int32 }
	spans := make([]span, len(m))
	for k, q := range m {
		spans[k] = span{q.at - d.dist[e.zero()*w+q.message], q.at + q.items + d.dist[q.message*w+e.zero()], q.items}
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.end - b.end) })
	for k := range spans {
		begin, work := spans[k].begin, int32(0)
		for _, s := range spans {
			if s.begin >= begin {
				if work += s.items; begin+work > s.end {
					return true
				}
			}
		}
	}
	return false
}

// search decides the node at a depth.
func (e *exactSearch) search(depth int) verdict {
	d := e.level(depth)
	w := e.n + 1
	for {
		if e.nodes--; e.nodes < 0 || e.nodes%64 == 0 && e.ctx.Err() != nil {
			e.nodes = -1
			return gaveUp
		}
		if !e.propagate(d) {
			return none
		}
		for i := range e.n {
			e.x[i] = -d.dist[e.zero()*w+i]
		}
		if c := e.broken(d); c != nil {
			return e.branch(depth, c)
		}
		c, err := e.lemma(e.x)
		if err != nil {
			e.err = err
			return gaveUp
		}
		if c == nil {
			return found
		}
		e.clauses = append(e.clauses, c)
	}
}

// broken is the clause that the earliest starts break with the least room to
// satisfy it.
func (e *exactSearch) broken(d *exactNode) clause {
	var best clause
	least := int32(unbounded)
clauses:
	for _, k := range d.active {
		sum := int32(0)
		for _, l := range e.clauses[k] {
			if e.at(l.u)-e.at(l.v) <= l.c {
				continue clauses
			}
			if r := e.room(d, l); r >= 0 {
				sum = min(sum+r, unbounded-1)
			}
		}
		if sum < least {
			best, least = e.clauses[k], sum
		}
	}
	return best
}

func (e *exactSearch) at(u int32) int32 {
	if u == e.zero() {
		return 0
	}
	return e.x[u]
}

// branch lets one literal of the clause hold after the other, those with more room
// first, each without the ones before.
func (e *exactSearch) branch(depth int, c clause) verdict {
	d := e.level(depth)
	literals := slices.Clone(c)
	slices.SortStableFunc(literals, func(a, b diff) int { return int(e.room(d, b) - e.room(d, a)) })
	child := e.level(depth + 1)
	for k, l := range literals {
		copy(child.dist, d.dist)
		child.active, child.seen = append(child.active[:0], d.active...), d.seen
		possible := e.require(child, l)
		for _, o := range literals[:k] {
			possible = possible && e.require(child, o.not())
		}
		if possible {
			if v := e.search(depth + 1); v != none {
				return v
			}
		}
	}
	return none
}
