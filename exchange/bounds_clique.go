package exchange

import (
	"cmp"
	"slices"

	"ipusolve/device"
)

// clique is bound E above best: messages of which every two exclude each other.
//
// If x_j − x_i must not lie strictly between −λ_ji and λ_ij, then i comes at least
// λ_ij before j or j at least λ_ji before i. So messages of which every two exclude
// each other form a tournament, and every tournament has a Hamiltonian path: an
// order of all of them in which each comes the due distance behind the one before
// it. H is at least the shortest such path, with the head of its first message
// and the end of its last, over all orders (reference: exchange.md §13 E, which asks
// for more than the proof needs).
//
// Up to exactClique messages all orders are searched. Of more, every message but the
// last has one behind it, at its smallest distance or more; distances are taken on
// a clock on which they depend on the order as little as possible: with a shift s_i
// for each message, y_i = x_i + s_i and λ'_ij = λ_ij + s_j − s_i,
//
//	H ≥ min (head_i + s_i) + Σ out_i + min (end_i − s_i − out_i), out_i = min_j λ'_ij.
//
// Any shifts will do. Those of shifts make λ'_ij = n_i for messages of one machine.
//
// On one machine that is bound B; more is gained where messages meet on different
// tiles, which takes several receivers, shared elements or pairs.
func (b *bounder) clique(best int32) Bound {
	s := cliqueSearch{b: b, best: Bound{Horizon: best}, tests: mostTests}
	if !s.worthwhile() {
		return Bound{}
	}
	seeds := make([]int32, len(b.p.Messages))
	for i := range seeds {
		seeds[i] = int32(i)
	}
	slices.SortStableFunc(seeds, func(x, y int32) int {
		return cmp.Compare(b.p.Messages[y].Items(), b.p.Messages[x].Items())
	})
	// Members are no further apart than by their items and what routes differ by.
	const spread = 512
	most := int32(0)
	for _, i := range seeds[:min(len(seeds), mostClique)] { // the longest ones
		most += b.p.Messages[i].Items() + spread
	}
	if most <= best {
		return Bound{}
	}
	for _, i := range seeds {
		for _, far := range []bool{true, false} {
			s.grow(i, far)
			s.relax()
			s.solve()
		}
		if s.tests <= 0 {
			break
		}
	}
	if s.best.Witness.Kind == "" {
		return Bound{}
	}
	return s.best
}

const (
	exactClique = 10      // messages of a clique whose orders are searched, by subsets
	mostClique  = 64      // messages of a clique
	mostTests   = 1 << 19 // windows looked at
)

// cliqueSearch looks for cliques from every message in turn.
type cliqueSearch struct {
	b       *bounder
	best    Bound
	tests   int // windows that may still be looked at
	members []int32
	windows [][]window // of the members
	lag     [mostClique][mostClique]int32
}

// worthwhile tells whether messages may exclude each other on different tiles.
func (s *cliqueSearch) worthwhile() bool {
	p := s.b.p
	sent, received := make([]device.ElementSet, p.Tiles), make([]device.ElementSet, p.Tiles)
	for i := range p.Messages {
		m := &p.Messages[i]
		if len(m.Dests) > 1 {
			return true
		}
		sent[m.Source] |= m.readElements()
		received[m.Dests[0].Tile] |= m.writeElements(m.Dests[0].Tile)
		if sent[m.Source]&received[m.Source]|sent[m.Dests[0].Tile]&received[m.Dests[0].Tile] != 0 {
			return true
		}
	}
	return false
}

// grow makes a clique with message i: of the messages that share a tile with it
// the longest first; with far those first that share the fewest.
func (s *cliqueSearch) grow(i int32, far bool) {
	p := s.b.p
	s.members, s.windows = append(s.members[:0], i), append(s.windows[:0], s.b.windows(i))
	shared := map[int32]int{}
	var near []int32
	visit := func(list []int32) {
		for _, j := range list {
			if j == i {
				continue
			}
			if shared[j]++; shared[j] == 1 {
				near = append(near, j)
			}
		}
	}
	m := &p.Messages[i]
	tiles := []int32{m.Source}
	for _, d := range m.Dests {
		tiles = append(tiles, d.Tile)
	}
	for _, t := range tiles {
		visit(s.b.roles[t].sends)
		visit(s.b.roles[t].receives)
	}
	s.tests -= len(near)
	slices.SortFunc(near, func(x, y int32) int {
		order := cmp.Or(cmp.Compare(p.Messages[y].Items(), p.Messages[x].Items()), cmp.Compare(x, y))
		if far {
			return cmp.Or(cmp.Compare(shared[x], shared[y]), order)
		}
		return order
	})
	// Behind so many that do not fit, no more are tried.
	for misses := 0; len(near) > 0 && len(s.members) < mostClique && misses < mostClique && s.tests > 0; near = near[1:] {
		if !s.add(near[0]) {
			misses++
		}
	}
}

// add makes message j a member if it and every other one exclude each other.
func (s *cliqueSearch) add(j int32) bool {
	w := s.b.windows(j)
	s.tests -= len(w)
	k := len(s.members)
	for a, i := range s.members {
		s.tests -= len(w) + len(s.windows[a])
		before, after, ok := s.b.exclusive(i, s.windows[a], j, w)
		if !ok {
			return false
		}
		s.lag[a][k], s.lag[k][a] = before, after
	}
	s.members, s.windows = append(s.members, j), append(s.windows, w)
	return true
}

// unreachable is a distance that no order can have.
const unreachable = 1 << 24

// relax raises best by the relaxed bound of all members, if they are more than
// orders can be searched of.
func (s *cliqueSearch) relax() {
	k := len(s.members)
	if k <= exactClique+2 {
		return // few enough for all orders, also where the bound is proved again
	}
	shift := s.shifts()
	first, last, sum := int32(unreachable), int32(unreachable), int32(0)
	for a, i := range s.members {
		out := int32(unreachable)
		for c := range k {
			if c != a && s.lag[a][c] < unreachable {
				out = min(out, s.lag[a][c]+shift[c]-shift[a])
			}
		}
		if out == unreachable {
			return // always the last one
		}
		first, sum = min(first, s.b.head[i]+shift[a]), sum+out
		last = min(last, s.b.end[i]-shift[a]-out)
	}
	if h := first + sum + last; h > s.best.Horizon {
		s.best.Horizon = h
		s.found(slices.Clone(s.members))
	}
}

// shifts are half the mean of λ_ij − λ_ji over all other members, less half of the
// message's items; members of which the order is fixed do not count.
func (s *cliqueSearch) shifts() (out [mostClique]int32) {
	k := len(s.members)
	for a, i := range s.members {
		sum := -int64(k-1) * int64(s.b.p.Messages[i].Items())
		for c := range k {
			if c != a && s.lag[a][c] < unreachable && s.lag[c][a] < unreachable {
				sum += int64(s.lag[a][c] - s.lag[c][a])
			}
		}
		out[a] = int32(floorDiv(sum, 2*int64(k-1)))
	}
	return out
}

// solve raises best by the shortest path through some of the members, the
// smallest subset of those with the largest bound.
func (s *cliqueSearch) solve() {
	k := min(len(s.members), exactClique)
	if k < 3 {
		return // two on one machine: bound B
	}
	most := int32(0)
	for a, i := range s.members[:k] {
		longest := int32(0)
		for c := range k {
			if l := s.lag[a][c]; c != a && l < unreachable {
				longest = max(longest, l)
			}
		}
		most += max(longest, s.b.head[i]+s.b.end[i])
	}
	if most <= s.best.Horizon {
		return
	}
	s.tests -= k << k / 16
	// reach[set][last] is the earliest start of last if set comes first, in the best
	// order that ends with it.
	reach := make([][exactClique]int32, 1<<k)
	chosen := 0
	for set := 1; set < 1<<k; set++ {
		horizon := int32(unreachable)
		for last := range k {
			if set>>last&1 == 0 {
				continue
			}
			i := s.members[last]
			at, rest := int32(unreachable), set&^(1<<last)
			if rest == 0 {
				at = s.b.head[i]
			}
			for before := range k {
				if rest>>before&1 != 0 {
					at = min(at, max(s.b.head[i], reach[rest][before]+s.lag[before][last]))
				}
			}
			reach[set][last] = at
			horizon = min(horizon, at+s.b.end[i])
		}
		if horizon < unreachable && horizon > s.best.Horizon {
			s.best.Horizon, chosen = horizon, set
		}
	}
	if chosen == 0 {
		return
	}
	var list []int32
	for a, i := range s.members[:k] {
		if chosen>>a&1 != 0 {
			list = append(list, i)
		}
	}
	s.found(list)
}

// found notes the clique of the best bound.
func (s *cliqueSearch) found(list []int32) {
	slices.Sort(list)
	s.best.Witness = Witness{Kind: BoundClique, Tile: s.b.p.Messages[list[0]].Source, Side: BothSides, Messages: list}
}

// window is what a message occupies on a tile: events [x+from, x+to).
type window struct {
	tile     int32
	use      windowUse
	from, to int32
	elements device.ElementSet // of sends and writes
}

type windowUse uint8

const (
	sending windowUse = iota
	hearing
	writing
	lending
)

// windows lists all windows of message i, by tile.
func (b *bounder) windows(i int32) []window {
	rt := routes()
	m := &b.p.Messages[i]
	n := m.Items()
	out := []window{{m.Source, sending, 0, n, m.readElements()}}
	if m.Paired && !m.Open {
		out = append(out, window{m.Source ^ 1, lending, 0, n, 0})
	}
	for _, d := range m.Dests {
		r := tileRoles{tile: d.Tile, receives: []int32{i}}
		for _, u := range b.appendReceives(nil, &r) {
			out = append(out, window{d.Tile, hearing, u.from, u.from + u.work, 0})
		}
		from := rt.lag(m.Source, d.Tile, m.Paired) + 1 + rt.writeDelay(d.Tile) + m.format()
		out = append(out, window{d.Tile, writing, from, from + n, m.writeElements(d.Tile)})
	}
	slices.SortStableFunc(out, func(a, b window) int { return cmp.Compare(a.tile, b.tile) })
	return out
}

// gap is how far the windows of two messages on one tile have to be apart: v
// begins at least before behind w's end, or w at least after behind v's.
func (w *window) gap(v *window) (before, after int32, ok bool) {
	switch {
	case w.use == lending || v.use == lending: // R10
		return 0, 0, w.use != v.use
	case w.use == v.use: // R2, R3
		return 0, 0, true
	case w.elements&v.elements == 0: // R7: sends and writes
		return 0, 0, false
	case w.use == writing:
		return guard, 0, true
	}
	return 0, guard, true
}

// exclusive gives λ_ij and λ_ji of two messages: either j starts before or more
// events behind i, or i after or more events behind j. Several tiles forbid
// several intervals of x_j − x_i; one of them, as far as they hang together, is
// enough. ok is false if there is none.
func (b *bounder) exclusive(i int32, iWindows []window, j int32, jWindows []window) (before, after int32, ok bool) {
	type interval struct{ least, most int32 } // of x_j − x_i, forbidden
	var forbidden []interval
	u, v := iWindows, jWindows
	for len(u) > 0 && len(v) > 0 {
		switch {
		case u[0].tile < v[0].tile:
			u = u[1:]
			continue
		case u[0].tile > v[0].tile:
			v = v[1:]
			continue
		}
		for k := 0; k < len(v) && v[k].tile == u[0].tile; k++ {
			if ij, ji, clash := u[0].gap(&v[k]); clash {
				forbidden = append(forbidden, interval{u[0].from - v[k].to - ji + 1, u[0].to + ij - v[k].from - 1})
			}
		}
		u = u[1:]
	}
	if order, lag := b.depends(i, j); order > 0 {
		forbidden = append(forbidden, interval{-unreachable, lag - 1})
	} else if order < 0 {
		forbidden = append(forbidden, interval{1 - lag, unreachable})
	}
	if len(forbidden) == 0 {
		return 0, 0, false
	}
	slices.SortFunc(forbidden, func(a, b interval) int { return cmp.Compare(a.least, b.least) })
	best, now := forbidden[0], forbidden[0]
	for _, f := range forbidden[1:] {
		if f.least > now.most+1 {
			now = f
		}
		now.most = max(now.most, f.most)
		if now.most-now.least > best.most-best.least {
			best = now
		}
	}
	if now.most-now.least > best.most-best.least {
		best = now
	}
	return min(best.most+1, unreachable), min(1-best.least, unreachable), true
}

// depends tells whether memory order (R9) puts message i before j (1) or j
// before i (-1), and by how much the later one's start is behind.
func (b *bounder) depends(i, j int32) (order, lag int32) {
	if i > j {
		order, lag = b.depends(j, i)
		return -order, lag
	}
	rt := routes()
	p, q := &b.p.Messages[i], &b.p.Messages[j]
	overlap := func(a, c uint32) bool { return a < c+4*uint32(q.Words) && c < a+4*uint32(p.Words) }
	after := func(distance int32) {
		if order == 0 || distance > lag {
			order, lag = 1, distance
		}
	}
	write := func(m *Message, d int32) int32 {
		return rt.lag(m.Source, d, m.Paired) + 1 + rt.writeDelay(d) + m.format()
	}
	for _, d := range p.Dests {
		if d.Tile == q.Source && slices.ContainsFunc(q.SourceAddrs, func(a uint32) bool { return overlap(d.Addr, a) }) {
			after(write(p, d.Tile) + p.Items() + guard)
		}
	}
	for _, e := range q.Dests {
		if e.Tile == p.Source && slices.ContainsFunc(p.SourceAddrs, func(a uint32) bool { return overlap(a, e.Addr) }) {
			after(p.Items() - write(q, e.Tile))
		}
		for _, d := range p.Dests {
			if d.Tile == e.Tile && overlap(d.Addr, e.Addr) {
				after(write(p, d.Tile) + p.Items() - write(q, e.Tile))
			}
		}
	}
	return order, lag
}
