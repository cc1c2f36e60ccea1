package lower

import (
	"fmt"

	"ipusolve/model"
)

// sourceIndex finds the parts of a value that meet a box and who holds them.
type sourceIndex struct {
	parts   []model.Shard // one whole shard per distinct part
	holders [][]int32     // shards of every part, ascending
	part    []int32       // part of every shard
	index   *model.ShardIndex
}

func (v *value) sources() *sourceIndex {
	if v.source != nil {
		return v.source
	}
	x := &sourceIndex{part: make([]int32, len(v.shards))}
	known := map[[2]model.Extent]int32{}
	for j, s := range v.shards {
		key := [2]model.Extent{s.Rows, s.Cols}
		p, ok := known[key]
		if !ok {
			p = int32(len(x.parts))
			known[key] = p
			s.First, s.End = 0, s.Rows.Stored()*s.Cols.Stored()
			x.parts = append(x.parts, s)
			x.holders = append(x.holders, nil)
		}
		x.part[j] = p
		x.holders[p] = append(x.holders[p], int32(j))
	}
	x.index = model.NewShardIndex(x.parts, v.Layout.Order)
	v.source = x
	return x
}

// piece is a rectangle of a value that one shard (or slice) holds, on its way to
// destinations: a logical transfer (reference: lowering.md §5).
type piece struct {
	source int       // shard of the moved value
	region model.Box // value coordinates; whole storage if whole
	whole  bool      // the part's complete storage, padding included
	seq    sequence
}

// mover moves one value into another layout.
type mover struct {
	*builder
	step    int
	in, out *value
	pieces  []piece
	dests   [][]int32 // shards of out per piece
	known   map[piece]int
	local   []localPiece // of the current destination shard
	ph      *openPhase
}

type localPiece struct {
	piece
	dest int
}

// move lowers StepMove: destination shards that the tile already holds become
// aliases, the rest is filled by local copies and one exchange.
func (b *builder) move(step int, ph *openPhase) error {
	s := &b.plan.Steps[step]
	m := &mover{builder: b, step: step, in: b.values[s.In[0]], out: b.values[s.Out], known: map[piece]int{}, ph: ph}
	if m.in.Rows != m.out.Rows || m.in.Cols != m.out.Cols {
		return fmt.Errorf("%s is %d×%d, %s %d×%d", m.in.Name, m.in.Rows, m.in.Cols, m.out.Name, m.out.Rows, m.out.Cols)
	}
	for j := range m.out.shards {
		if m.alias(j) {
			continue
		}
		m.allocateShard(m.out, j)
		if err := m.fill(j); err != nil {
			return fmt.Errorf("shard %d of %s: %w", m.out.shards[j].Index, m.out.Name, err)
		}
	}
	return m.exchange(ph)
}

// alias lets a destination shard share storage with the source on its tile if it
// is that shard.
func (m *mover) alias(j int) bool {
	dst := storageOf(m.out.PlanValue, m.out.shards[j])
	tile := m.out.shards[j].Tile
	for _, i := range m.in.byTile.on(tile) {
		s := m.in.shards[i]
		src := storageOf(m.in.PlanValue, s)
		if !src.sameBox(dst) || !src.sameOrder(dst) {
			continue
		}
		if s.Whole() && m.in.Layout.Class >= m.out.Layout.Class {
			m.locate(m.out, j, m.in.at[i].Ref)
			m.out.filled[j] = m.in.filled[i]
			return true
		}
	}
	return false
}

// fill collects what destination shard j needs and emits its clears and local
// copies.
func (m *mover) fill(j int) error {
	o := m.out.shards[j]
	dst := storageOf(m.out.PlanValue, o)
	if !o.Whole() {
		return fmt.Errorf("a move cannot fill slices")
	}
	src := m.in.sources()
	m.local = m.local[:0]
	need := o.Defined(m.out.Layout.Order)
	got, whole := 0, false
	covered := model.Box{}
	var err error
	src.index.Meet(need, func(p int, common model.Box) {
		part := storageOf(m.in.PlanValue, src.parts[p])
		pc := piece{region: common}
		pc.whole = part.sameBox(dst) && part.sameOrder(dst) && m.in.filled[src.holders[p][0]]
		if !pc.whole {
			var e error
			if pc.seq, e = sequenceOf(part, dst, common); e != nil && err == nil {
				err = e
			}
		}
		whole = whole || pc.whole
		covered = hull(covered, common)
		got += common.Elements()
		if e := m.from(j, p, pc); e != nil && err == nil {
			err = e
		}
	})
	if err != nil {
		return err
	}
	logical := model.Box{R0: o.Rows.Start, R1: o.Rows.Logical, C0: o.Cols.Start, C1: o.Cols.Logical}
	if got != covered.Elements() || covered.Intersect(logical) != logical && !logical.Empty() {
		return fmt.Errorf("%w: %s gives %d elements of %+v", ErrCover, m.in.Name, got, logical)
	}
	m.out.filled[j] = whole
	if !whole {
		if err := m.clear(m.step, m.out, j, covered); err != nil {
			return err
		}
	}
	var copies copyList
	for _, l := range m.local {
		if err := m.walk(l.piece, []int32{int32(l.dest)}, func(source Ref, dests []Ref, n int) error {
			copies.add(source, dests[0], uint32(n*elementBytes))
			return nil
		}); err != nil {
			return err
		}
	}
	return m.copies(o.Tile, m.step, copies)
}

// hull is the smallest box around two boxes.
func hull(a, b model.Box) model.Box {
	if a.Empty() {
		return b
	}
	return model.Box{R0: min(a.R0, b.R0), R1: max(a.R1, b.R1), C0: min(a.C0, b.C0), C1: max(a.C1, b.C1)}
}

// from takes a piece of part p for destination j from its holders: the one on
// the tile if there is one, else the first; of a sliced part, one holder of every
// slice.
func (m *mover) from(j, p int, pc piece) error {
	holders := m.in.sources().holders[p]
	tile := m.out.shards[j].Tile
	for at := 0; at < m.in.sources().parts[p].End; {
		best := int32(-1)
		for _, i := range holders {
			if s := m.in.shards[i]; s.First == at && s.End > at && (best < 0 || s.Tile == tile) {
				best = i
				if s.Tile == tile {
					break
				}
			}
		}
		if best < 0 {
			return fmt.Errorf("%w: nobody holds element %d of a part of %s", ErrCover, at, m.in.Name)
		}
		m.take(j, int(best), pc)
		at = m.in.shards[best].End
	}
	return nil
}

func (m *mover) take(j, source int, pc piece) {
	pc.source = source
	s := m.in.shards[source]
	switch {
	case s.Tile != m.out.shards[j].Tile:
		k, ok := m.known[pc]
		if !ok {
			k = len(m.pieces)
			m.known[pc] = k
			m.pieces = append(m.pieces, pc)
			m.dests = append(m.dests, nil)
		}
		m.dests[k] = append(m.dests[k], int32(j))
	case m.in.at[source].Ref == m.out.ref(j, s.First) || m.inside(j, source, pc): // it is in place
	default:
		m.local = append(m.local, localPiece{pc, j})
	}
}

// inside puts a tile's own slice into the shard that gathers it, if the plan wants
// that; a slice that two shards gather lies in the first.
func (m *mover) inside(j, source int, pc piece) bool {
	at := m.in.at[source]
	slice := &m.prog.Items[at.Item]
	if !m.plan.Steps[m.step].InPlace || m.ph == nil || !pc.whole || slice.Inside != nil || slice.Bytes != at.Bytes {
		return false
	}
	to := m.out.ref(j, m.in.shards[source].First)
	slice.Inside = &to
	slice.Class = max(slice.Class, m.prog.Items[to.Item].Class)
	m.ph.inside = append(m.ph.inside, at.Item)
	return true
}

// walk calls f for every chunk of a piece that is contiguous at the source and
// at all destinations, in order.
func (m *mover) walk(pc piece, dests []int32, f func(source Ref, dests []Ref, n int) error) error {
	s := m.in.shards[pc.source]
	src := storageOf(m.in.PlanValue, s)
	lists := make([][]span, 1, 2)
	var boxes []storage
	list := make([]int, len(dests)) // span list of every destination
	for d, j := range dests {
		dst := storageOf(m.out.PlanValue, m.out.shards[j])
		k := 0
		for k < len(boxes) && !boxes[k].sameBox(dst) {
			k++
		}
		if k == len(boxes) {
			spans, err := pc.spans(dst)
			if err != nil {
				return err
			}
			boxes, lists = append(boxes, dst), append(lists, spans)
		}
		list[d] = 1 + k
	}
	var err error
	if lists[0], err = pc.spans(src); err != nil {
		return err
	}
	if !s.Whole() {
		lists = cut(lists, s.First, s.End)
	}
	refs := make([]Ref, len(dests))
	lockstep(lists, maxElements, func(at []int, n int) {
		for d, j := range dests {
			refs[d] = m.out.ref(int(j), at[list[d]])
		}
		if err == nil {
			err = f(m.in.ref(pc.source, at[0]), refs, n)
		}
	})
	return err
}

func (pc piece) spans(s storage) ([]span, error) {
	if pc.whole {
		return []span{{0, s.elements()}}, nil
	}
	return s.spans(pc.region, pc.seq)
}

// exchange turns the collected pieces into transfers.
func (m *mover) exchange(ph *openPhase) error {
	if ph == nil {
		if len(m.pieces) > 0 {
			return fmt.Errorf("%s needs an exchange but the step has no phase", m.out.Name)
		}
		return nil
	}
	ph.provenance(moveReason(m.in), m.plan.Steps[m.step].Op)
	from := len(ph.transfers)
	for k, pc := range m.pieces {
		if err := m.walk(pc, m.dests[k], func(source Ref, dests []Ref, n int) error {
			return m.transfer(ph, from, source, dests, n)
		}); err != nil {
			return err
		}
	}
	return nil
}
