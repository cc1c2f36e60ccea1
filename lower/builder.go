package lower

import (
	"fmt"

	"ipusolve/device"
	"ipusolve/kernels"
	"ipusolve/model"
)

const elementBytes = 2 // F16

// Build expands a plan to tiles: it gives every shard a storage item, every
// tile a work list and every exchange phase its transfers. It reads layouts
// only, never grids, so every plan that these records can state is lowered the
// same way. Errors name the step or value that cannot be lowered.
func Build(p *model.Plan) (*Program, error) {
	if p.Problem.Tiles < 1 {
		return nil, fmt.Errorf("lower: a plan for %d tiles", p.Problem.Tiles)
	}
	b := &builder{plan: p, identities: map[int]int32{}, prog: &Program{Plan: p, Tiles: make([][]Work, p.Problem.Tiles), Roots: make([]int, len(p.Steps))}}
	if err := b.load(); err != nil {
		return nil, err
	}
	for i := range p.Steps {
		if err := b.step(i); err != nil {
			return nil, fmt.Errorf("lower: step %d (%s of %s): %w", i, p.Steps[i].Kind, p.Steps[i].Op, err)
		}
	}
	return b.prog, b.finish()
}

// value is the lowering state of one plan value.
type value struct {
	*model.PlanValue
	index  int
	shards []model.Shard
	at     []Location // of every shard; Item < 0: none yet
	// filled tells that the whole storage of a shard is written, padding
	// included, so that it may be read as one span.
	filled []bool
	byTile tileLists
	// lastUse is the last step that reads the value; len(Steps) where it must
	// survive the program (outputs, weights).
	lastUse int
	read    bool // some step reads it
	made    bool
	source  *sourceIndex // set by the first move out of it
}

// tileLists holds, for every tile, a list of numbers, all in one slice.
type tileLists struct{ start, list []int32 }

// on is the list of a tile.
func (l tileLists) on(tile int) []int32 { return l.list[l.start[tile]:l.start[tile+1]] }

// byTile lists 0..n-1 by tile(i), ascending.
func byTile(tiles, n int, tile func(i int) int) tileLists {
	l := tileLists{make([]int32, tiles+1), make([]int32, n)}
	for i := range n {
		l.start[tile(i)+1]++
	}
	for t := range tiles {
		l.start[t+1] += l.start[t]
	}
	next := append([]int32(nil), l.start[:tiles]...)
	for i := range n {
		t := tile(i)
		l.list[next[t]] = int32(i)
		next[t]++
	}
	return l
}

type builder struct {
	plan   *model.Plan
	prog   *Program
	values []*value
	open   []*openPhase // by phase id
	// itemUse is the last step that reads any value stored in an item.
	itemUse []int
	// identities is the item with identity blocks of every tile that has one.
	identities map[int]int32
	refs       []Ref // arena of transfer destinations
}

// load resolves layouts, finds last uses and checks references.
func (b *builder) load() error {
	p := b.plan
	phases := 0
	for _, s := range p.Steps {
		phases = max(phases, s.Phase+1)
	}
	if phases > len(p.Steps) {
		return fmt.Errorf("lower: phase %d of %d steps", phases-1, len(p.Steps))
	}
	b.open = make([]*openPhase, phases)
	for i := range b.open {
		b.open[i] = &openPhase{}
	}
	for i := range p.Values {
		v := &value{PlanValue: &p.Values[i], index: i, lastUse: -1}
		shards, err := v.Layout.Shards(v.Rows, v.Cols)
		if err != nil {
			return fmt.Errorf("lower: value %s: %w", v.Name, err)
		}
		for _, s := range shards {
			if s.Tile < 0 || s.Tile >= p.Problem.Tiles {
				return fmt.Errorf("lower: value %s: shard %d lies on tile %d of %d", v.Name, s.Index, s.Tile, p.Problem.Tiles)
			}
		}
		v.shards = shards
		v.at = make([]Location, len(shards))
		for j := range v.at {
			v.at[j].Item = -1
		}
		v.filled = make([]bool, len(shards))
		v.byTile = byTile(p.Problem.Tiles, len(shards), func(j int) int { return shards[j].Tile })
		if v.Role == model.RoleOutput || v.Role == model.RoleWeight {
			v.lastUse = len(p.Steps)
		}
		b.values = append(b.values, v)
	}
	for i, s := range p.Steps {
		want := 1
		if s.Kind == model.StepGemm {
			want = 2
		}
		if len(s.In) != want {
			return fmt.Errorf("lower: step %d: %s wants %d inputs, found %d", i, s.Kind, want, len(s.In))
		}
		for _, v := range append([]int{s.Out}, s.In...) {
			if v < 0 || v >= len(p.Values) {
				return fmt.Errorf("lower: step %d: no value %d", i, v)
			}
		}
		for _, v := range s.In {
			b.values[v].read = true
			b.values[v].lastUse = max(b.values[v].lastUse, i)
		}
		if s.Phase >= 0 {
			b.open[s.Phase].left++
			b.open[s.Phase].last = i
		}
	}
	for id, ph := range b.open {
		if ph.left == 0 {
			return fmt.Errorf("lower: no step has phase %d", id)
		}
	}
	// What the host loads exists from the start.
	for _, v := range b.values {
		if v.Role != model.RoleInput && v.Role != model.RoleWeight {
			continue
		}
		v.made = true
		for j := range v.filled {
			v.filled[j] = true // the host's image has zero padding
		}
		b.allocate(v)
	}
	return nil
}

// allocate gives every shard that has none an item of its own.
func (b *builder) allocate(v *value) {
	for j := range v.shards {
		if v.at[j].Item < 0 {
			b.allocateShard(v, j)
		}
	}
}

func (b *builder) allocateShard(v *value, j int) int32 {
	s := v.shards[j]
	align := uint32(8)
	if v.Layout.Order.Panelled() {
		align = 32 // GEMM operands and results, kernels.md §5.5
	}
	item := b.newItem(s.Tile, ItemValue, v, s.Elements()*elementBytes, align, v.Layout.Class)
	b.locate(v, j, Ref{Item: item})
	return item
}

// maxItemBytes is what a larger item counts as: it fits nowhere either, and sums
// over a tile stay in range.
const maxItemBytes = 64 << 20

func (b *builder) newItem(tile int, kind ItemKind, v *value, bytes int, align uint32, class model.MemoryClass) int32 {
	b.prog.Items = append(b.prog.Items, Item{Tile: int32(tile), Kind: kind, Value: int32(v.index), Bytes: uint32(min(bytes, maxItemBytes)), Align: align, Class: class, First: -1, Last: -1})
	b.itemUse = append(b.itemUse, -1)
	return int32(len(b.prog.Items) - 1)
}

// locate puts a shard into an item and gives the item what the shard needs.
func (b *builder) locate(v *value, j int, at Ref) {
	v.at[j] = Location{Ref: at, Bytes: uint32(v.shards[j].Elements() * elementBytes)}
	it := &b.prog.Items[at.Item]
	it.Class = max(it.Class, v.Layout.Class)
	b.itemUse[at.Item] = max(b.itemUse[at.Item], v.lastUse)
	if v.Role == model.RoleInput || v.Role == model.RoleWeight {
		b.touch(at.Item, 0)
	}
}

// touch extends the lifetime of an item to an event of its tile.
func (b *builder) touch(item int32, event int) {
	it := &b.prog.Items[item]
	if it.First < 0 || int32(event) < it.First {
		it.First = int32(event)
	}
	it.Last = max(it.Last, int32(event))
}

// apart records that two items must not share a memory element.
func (b *builder) apart(x, y int32) {
	for _, o := range b.prog.Items[x].Apart {
		if o == y {
			return
		}
	}
	b.prog.Items[x].Apart = append(b.prog.Items[x].Apart, y)
	b.prog.Items[y].Apart = append(b.prog.Items[y].Apart, x)
}

// call appends a kernel call to a tile's work.
func (b *builder) call(tile, step int, spec kernels.Spec, args ...Arg) {
	b.prog.Tiles[tile] = append(b.prog.Tiles[tile], Work{Kind: WorkCall, Step: int32(step), Spec: spec, Args: args})
	for _, a := range args {
		if a.Item >= 0 {
			b.touch(a.Item, len(b.prog.Tiles[tile]))
		}
	}
}

func (b *builder) step(i int) error {
	s := &b.plan.Steps[i]
	out := b.values[s.Out]
	if out.made {
		return fmt.Errorf("value %s is written twice", out.Name)
	}
	for _, v := range s.In {
		if !b.values[v].made {
			return fmt.Errorf("value %s is read before it is complete", b.values[v].Name)
		}
	}
	var ph *openPhase
	if s.Phase >= 0 {
		ph = b.open[s.Phase]
	}
	var err error
	switch s.Kind {
	case model.StepMove:
		err = b.move(i, ph)
	case model.StepGemm:
		err = b.gemm(i, ph)
	case model.StepGelu:
		err = b.gelu(i)
	case model.StepTranspose:
		err = b.transpose(i)
	default:
		err = fmt.Errorf("unknown kind of step")
	}
	if err != nil {
		return err
	}
	if ph == nil {
		out.made = true
		return nil
	}
	ph.outs = append(ph.outs, out)
	if ph.left--; ph.left > 0 {
		return nil
	}
	return b.closePhase(s.Phase)
}

// finish fixes what is known only at the end: lifetimes up to program end and
// where every shard lies.
func (b *builder) finish() error {
	for _, v := range b.values {
		if !v.made {
			return fmt.Errorf("lower: value %s is never written", v.Name)
		}
		if v.Role == model.RoleWeight || v.Role == model.RoleOutput {
			for j, at := range v.at {
				b.touch(at.Item, len(b.prog.Tiles[v.shards[j].Tile])+1)
			}
		}
		b.prog.Shards = append(b.prog.Shards, v.at)
	}
	for i := range b.prog.Items {
		it := &b.prog.Items[i]
		if it.First < 0 { // nobody uses it
			b.touch(int32(i), 0)
		}
		if it.Kind == ItemIdentity {
			b.touch(int32(i), len(b.prog.Tiles[it.Tile])+1)
		}
	}
	return nil
}

// split6 gives the worker counts of a run of bytes: 8-byte words div and mod 6.
func split6(bytes uint32) (div, mod Arg) {
	w := bytes / 8
	return Const(w / device.NumWorkers), Const(w % device.NumWorkers)
}
