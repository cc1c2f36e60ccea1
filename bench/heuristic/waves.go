package heuristic

import (
	"cmp"
	"context"
	"slices"
)

// wavy tells whether the reference tries matching waves: every message has one
// receiver, and no tile has much more to do on one side than the least that one
// has on average (reference: exchange.md §10.3).
func (in *instance) wavy() bool {
	if len(in.jobs) < 2 || !in.unicast() {
		return false
	}
	sends, receives := make([]int, in.p.Tiles), make([]int, in.p.Tiles)
	for i := range in.jobs {
		sends[in.jobs[i].source]++
		receives[in.jobs[i].targets[0].tile]++
	}
	active := func(list []int) (n int) {
		for _, k := range list {
			if k > 0 {
				n++
			}
		}
		return n
	}
	few := min(active(sends), active(receives))
	most := max(slices.Max(sends), slices.Max(receives))
	return most <= 2*((len(in.jobs)+few-1)/few)
}

// waves orders the messages by maximum matchings of senders and receivers, each
// made of messages whose R9 predecessors lie in earlier ones. rank is the
// incumbent's; within a wave the messages keep it. It stops between waves when ctx
// ends.
func (in *instance) waves(ctx context.Context, rank []int32) ([]int32, error) {
	waits := slices.Clone(in.waits)
	m := newMatcher(in.p.Tiles)
	byRank := inverse(rank)
	order := make([]int32, 0, len(in.jobs))
	left := len(in.jobs)
	placed := make([]bool, len(in.jobs))
	for left > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.reset()
		kept := byRank[:0]
		for _, i := range byRank {
			if placed[i] {
				continue
			}
			kept = append(kept, i)
			if waits[i] == 0 {
				m.add(in.jobs[i].source, in.jobs[i].targets[0].tile, i)
			}
		}
		byRank = kept
		wave := m.maximum()
		slices.SortFunc(wave, func(a, b int32) int { return cmp.Compare(rank[a], rank[b]) })
		for _, i := range wave {
			placed[i] = true
			for _, k := range in.after[i] {
				waits[k]--
			}
		}
		order = append(order, wave...)
		left -= len(wave)
	}
	return order, nil
}

// matcher finds maximum matchings of a bipartite graph by Hopcroft and Karp's
// method: shortest augmenting paths, as many disjoint ones at a time as there
// are.
type matcher struct {
	edges   [][]edge // of each sender, best first
	senders []int32  // with edges, best first
	mate    []int32  // of a receiver: sender; -1: free
	used    []int32  // of a sender: place of its edge in the matching; -1: free
	level   []int32  // distance of a sender from a free one
	next    []int32  // of a sender: edges tried in this phase
	queue   []int32
}

type edge struct{ receiver, message int32 }

func newMatcher(tiles int) *matcher {
	return &matcher{edges: make([][]edge, tiles), mate: make([]int32, tiles), used: make([]int32, tiles),
		level: make([]int32, tiles), next: make([]int32, tiles)}
}

func (m *matcher) reset() {
	for t := range m.edges {
		m.edges[t] = m.edges[t][:0]
		m.mate[t], m.used[t] = -1, -1
	}
	m.senders = m.senders[:0]
}

// add adds an edge; those added first are preferred.
func (m *matcher) add(sender, receiver, message int32) {
	if len(m.edges[sender]) == 0 {
		m.senders = append(m.senders, sender)
	}
	m.edges[sender] = append(m.edges[sender], edge{receiver, message})
}

// maximum gives the messages of a maximum matching.
func (m *matcher) maximum() []int32 {
	for m.layers() {
		clear(m.next)
		for _, s := range m.senders {
			if m.used[s] < 0 {
				m.augment(s)
			}
		}
	}
	var out []int32
	for _, s := range m.senders {
		if k := m.used[s]; k >= 0 {
			out = append(out, m.edges[s][k].message)
		}
	}
	return out
}

// layers measures distances from the free senders and tells whether a free
// receiver can be reached.
func (m *matcher) layers() bool {
	m.queue = m.queue[:0]
	for _, s := range m.senders {
		m.level[s] = -1
		if m.used[s] < 0 {
			m.level[s] = 0
			m.queue = append(m.queue, s)
		}
	}
	found := false
	for k := 0; k < len(m.queue); k++ {
		s := m.queue[k]
		for _, e := range m.edges[s] {
			o := m.mate[e.receiver]
			if o < 0 {
				found = true
			} else if m.level[o] < 0 {
				m.level[o] = m.level[s] + 1
				m.queue = append(m.queue, o)
			}
		}
	}
	return found
}

// augment looks for a path from the sender to a free receiver along the layers.
func (m *matcher) augment(s int32) bool {
	for ; int(m.next[s]) < len(m.edges[s]); m.next[s]++ {
		k := m.next[s]
		e := m.edges[s][k]
		o := m.mate[e.receiver]
		if o < 0 || m.level[o] == m.level[s]+1 && m.augment(o) {
			m.mate[e.receiver], m.used[s] = s, k
			m.next[s]++
			return true
		}
	}
	m.level[s] = -1
	return false
}
