package cost

import (
	"fmt"

	"ipusolve/kernels"
	"ipusolve/model"
)

// move prices the local work of one move and adds its traffic to load. It
// follows the rules of lowering (docs/rationale.md, "How a move is lowered"): a
// shard that is already there is free; every element of another comes from the
// same tile by a local copy if it is there, else from its first holder, which
// sends it once to all who need it.
func (p *pricer) move(s *model.Step, load *Load) (model.Cost, error) {
	from, to := &p.plan.Values[s.In[0]], &p.plan.Values[s.Out]
	m := mover{from: from, to: to, source: p.shards[s.In[0]], load: load, inPlace: s.InPlace, read: p.read[s.Out],
		copies: make([]int64, p.plan.Problem.Tiles), fills: make([]int64, p.plan.Problem.Tiles),
		onTile: make([][]int, p.plan.Problem.Tiles), sent: map[sentRun]bool{}}
	for i, f := range m.source {
		m.onTile[f.Tile] = append(m.onTile[f.Tile], i)
	}
	if from.Layout.Slices > 1 {
		m.groupSlices()
		m.crossing = make([]int, p.plan.Problem.Tiles)
	} else {
		m.index = model.NewShardIndex(m.source, from.Layout.Order)
	}
	for _, d := range p.shards[s.Out] {
		if m.present(d) {
			continue
		}
		if from.Layout.Slices > 1 {
			if err := m.fromSlices(d); err != nil {
				return nil, err
			}
			continue
		}
		m.fromBoxes(d)
	}
	if s.InPlace {
		for t, e := range m.crossing {
			load.cross(t, e)
		}
	}
	for _, g := range m.gathers { // in any order: nothing depends on it
		if g.inTurn() {
			load.cross(g.tile, g.elements)
		}
	}
	return append(p.term(TermFill, m.fills), p.term(TermCopy, m.copies)...), nil
}

type mover struct {
	from, to      *model.PlanValue
	source        []model.Shard
	onTile        [][]int // source shards by tile
	index         *model.ShardIndex
	slices        map[[2]model.Extent][]int // sliced sources by box
	sent          map[sentRun]bool
	gathers       map[[2]model.Extent]*gathering // of sliced parts
	load          *Load
	inPlace       bool // own slices are not copied
	read          bool // a later step reads the value, and so its padding
	copies, fills []int64
	crossing      []int // elements of slices that a tile sends or receives
}

// sentRun is one view of a source shard that is sent once, to any number of
// receivers.
type sentRun struct {
	shard int
	box   model.Box
}

// gathering is a part whose slices several tiles gather.
type gathering struct {
	tile     int          // one of them
	elements int          // of the part
	own      map[int]bool // places of the slices that they hold
}

// inTurn tells that any two slices have a receiver in common: a tile that gathers both.
// Then they are sent one after the other, whoever sends them.
func (g *gathering) inTurn() bool { return len(g.own) > 2 }

func (m *mover) groupSlices() {
	m.gathers = map[[2]model.Extent]*gathering{}
	m.slices = map[[2]model.Extent][]int{}
	for i, f := range m.source {
		key := [2]model.Extent{f.Rows, f.Cols}
		m.slices[key] = append(m.slices[key], i)
	}
}

// present tells whether the tile of d already holds it whole, in its order and in memory
// of its class or a better one.
func (m *mover) present(d model.Shard) bool {
	if m.from.Layout.Class < m.to.Layout.Class {
		return false
	}
	for _, i := range m.onTile[d.Tile] {
		if f := m.source[i]; f.Whole() && m.stored(f, m.from).sameAs(m.stored(d, m.to)) {
			return true
		}
	}
	return false
}

func (m *mover) fromSlices(d model.Shard) error {
	holders := m.slices[[2]model.Extent{d.Rows, d.Cols}]
	if len(holders) == 0 || m.from.Layout.Order != m.to.Layout.Order {
		return fmt.Errorf("value %s is sliced and can only be gathered into its own parts", m.from.Name)
	}
	group := m.gathers[[2]model.Extent{d.Rows, d.Cols}]
	if group == nil {
		group = &gathering{tile: d.Tile, elements: d.Elements(), own: map[int]bool{}}
		m.gathers[[2]model.Extent{d.Rows, d.Cols}] = group
	}
	own := -1 - d.Tile // holds nothing of it
	defer func() { group.own[own] = true }()
	got := 0
	for slice := 0; got < d.Elements(); slice++ {
		chosen := -1
		for _, i := range holders {
			if m.source[i].First != got {
				continue
			}
			if chosen < 0 || m.source[i].Tile == d.Tile {
				chosen = i
			}
		}
		if chosen < 0 || m.source[chosen].Elements() == 0 {
			return fmt.Errorf("value %s has no slice at element %d", m.from.Name, got)
		}
		f := m.source[chosen]
		got += f.Elements()
		if f.Tile == d.Tile {
			own = f.First
			if !m.inPlace {
				m.copies[d.Tile] += kernels.CopyCycles(2 * f.Elements())
			}
			continue
		}
		m.load.receive(d.Tile, f.Elements(), 1)
		m.crossing[d.Tile] += f.Elements()
		run := sentRun{shard: chosen}
		if !m.sent[run] {
			m.sent[run] = true
			m.load.send(f.Tile, f.Elements(), 1)
			m.crossing[f.Tile] += f.Elements()
		}
	}
	return nil
}

func (m *mover) fromBoxes(d model.Shard) {
	var pieces []sentRun
	m.index.Meet(d.Defined(m.to.Layout.Order), func(i int, common model.Box) {
		if m.from.Layout.Replicas > 1 {
			for k := range pieces {
				if pieces[k].box == common {
					if m.source[i].Tile == d.Tile {
						pieces[k].shard = i
					}
					return
				}
			}
		}
		pieces = append(pieces, sentRun{i, common})
	})
	if m.to.Layout.Replicas > 2 && m.from.Layout.Replicas <= 1 {
		// Any two pieces have a receiver in common, so they are sent one after the other.
		all := 0
		for _, pc := range pieces {
			all += pc.box.Elements()
		}
		m.load.cross(d.Tile, all)
	}
	to := m.stored(d, m.to)
	var local []chunk
	covered, whole := model.Box{}, false
	for _, pc := range pieces {
		f, e := m.source[pc.shard], pc.box.Elements()
		from := m.stored(f, m.from)
		if covered = hull(covered, pc.box); from.sameAs(to) { // it comes with its padding
			whole, e = true, d.Elements()
		}
		if f.Tile == d.Tile {
			local = chunks(local, pc.shard, pc.box, from, to)
			continue
		}
		runs := m.runs(pc.box, f, d)
		m.load.receive(d.Tile, e, runs)
		if !m.sent[pc] {
			m.sent[pc] = true
			m.load.send(f.Tile, e, runs)
		}
	}
	m.copies[d.Tile] += copyCycles(local)
	if m.read && !whole && covered.Elements() < d.Elements() {
		m.fills[d.Tile] += clearCycles(to, covered)
	}
}

func (m *mover) stored(s model.Shard, v *model.PlanValue) stored {
	return stored{v.Layout.Order, s.Rows, s.Cols}
}

// hull is the smallest box around two.
func hull(a, b model.Box) model.Box {
	if a.Empty() {
		return b
	}
	return model.Box{R0: min(a.R0, b.R0), R1: max(a.R1, b.R1), C0: min(a.C0, b.C0), C1: max(a.C1, b.C1)}
}

// runs counts the contiguous runs that move a box from f to d: elements that follow
// each other in both.
func (m *mover) runs(b model.Box, f, d model.Shard) int {
	const left, blocks = model.LeftPanel, model.TransposedBlockMajor
	switch from, to := m.from.Layout.Order, m.to.Layout.Order; {
	case from.Kind == model.TransposedLeft && to.Kind == model.TransposedLeft:
		return panelRuns(model.Box{R0: b.C0, R1: b.C1, C0: b.R0, C1: b.R1}, f.Cols.Stored(), d.Cols.Stored())
	case from.Kind == blocks && from == to && from.RowBlock == 0:
		return blockRuns(b, f, d)
	case from == to:
		return panelRuns(b, f.Rows.Stored(), d.Rows.Stored())
	case from.Kind == left && to.Kind == blocks && to.RowBlock == 0:
		return leftBlockRuns(b, f, d)
	case from.Kind == blocks && to.Kind == left && from.RowBlock == 0:
		return leftBlockRuns(b, d, f)
	}
	return (b.R1 - b.R0) * panelRuns(b, -1, -1)
}

// blockRuns counts runs between transposed-block-major shards of one row block: the
// blocks of a panel of 16 rows follow each other, and panels where all blocks move.
func blockRuns(b model.Box, f, d model.Shard) int {
	if w := b.C1 - b.C0; w == f.Cols.Stored() && w == d.Cols.Stored() {
		return 1
	}
	return bands(b, d)
}

// leftBlockRuns counts runs between a left-panel shard and a transposed-block-major
// one of one row block: the rows of a block follow each other in both, and blocks
// of one column of the shard do.
func leftBlockRuns(b model.Box, left, blocks model.Shard) int {
	panels := panelRuns(b, -1, -1)
	if blocks.Cols.Stored() == model.PanelWidth {
		return panels
	}
	n := bands(b, blocks)
	if n == 1 && b.R1-b.R0 == left.Rows.Stored() && b.R1-b.R0 == model.PanelWidth {
		return 1 // a panel of both
	}
	return n * panels
}

// bands counts the panels of 16 rows of a shard that a box meets.
func bands(b model.Box, s model.Shard) int {
	return (b.R1-s.Rows.Start+model.PanelWidth-1)/model.PanelWidth - (b.R0-s.Rows.Start)/model.PanelWidth
}
