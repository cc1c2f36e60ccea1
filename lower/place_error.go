package lower

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ipusolve/device"
	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/solve"
)

// PlaceError says what did not fit on a tile.
type PlaceError struct {
	Tile  int
	Event int // event of the tile at which its items need the highest address
	Step  int // plan step of that event, -1 at program start or end
	Op    string
	Class model.MemoryClass // interleaved if the interleaved items alone need more than there is
	// NeedBytes are alive at Event (of interleaved class only, if Class is
	// interleaved), HaveBytes is the room for them. NeedBytes ≤ HaveBytes means
	// that no way was found to fit them in.
	NeedBytes, HaveBytes uint32
	// Proven: there is none. Else the search for one reached its limit.
	Proven bool
	// Budget is the smallest memory limit that would do for this tile, 0 if that
	// is not known; with none below BudgetBound it could be placed.
	Budget, BudgetBound int
	Items               []PlaceItem // alive at Event, largest first
}

// Missing is by how many bytes the room falls short under a memory limit, as far as
// that is known; 0 if it is not.
func (e *PlaceError) Missing(limit int) int {
	missing := max(0, int(e.NeedBytes)-int(e.HaveBytes))
	if e.Budget > 0 {
		missing = max(missing, e.Budget-limit)
	}
	return missing
}

// PlaceItem names an item in an error.
type PlaceItem struct {
	Value string
	Kind  ItemKind
	Class model.MemoryClass
	Bytes uint32
	// First and Last are its lifetime in events.
	First, Last int32
}

func (e *PlaceError) Error() string {
	if len(e.Items) == 0 {
		return fmt.Sprintf("lower: tile %d: no place", e.Tile)
	}
	big := e.Items[0]
	at := "at program start or end"
	if e.Step >= 0 {
		at = fmt.Sprintf("in step %d (%s)", e.Step, e.Op)
	}
	why, proof := "", ""
	if e.NeedBytes <= e.HaveBytes {
		why = " in one piece each"
		if !e.Proven {
			proof = "; the search ended at its limit"
		}
	}
	if e.Budget > 0 {
		proof += fmt.Sprintf("; a memory limit of %d bytes would do", e.Budget)
	}
	return fmt.Sprintf("lower: tile %d %s: %d items of %s memory class need %d bytes%s, %d are there; largest: %s of %s, %d bytes%s",
		e.Tile, at, len(e.Items), e.Class, e.NeedBytes, why, e.HaveBytes, big.Kind, big.Value, big.Bytes, proof)
}

// wideBytes is how far beyond the interleaved region a budget is looked for.
const wideBytes = 8 << 20

// explain turns a failure of a class into an error: the event whose items need
// the highest address, and the smallest budget.
func (c *tileClass) explain(ctx context.Context, p *Program, m MemoryMap, r *encode.ArenaResult, effort int64) error {
	e := &PlaceError{Step: -1, Proven: r.Status == solve.Infeasible}
	wide := m
	wide.InterleavedEnd += wideBytes
	byTile := itemsByTile(p)
	// Of a pair, the tile that does not fit alone.
	b := &arenaBuilder{p: p, byTile: byTile, local: make([]int32, len(p.Items)), uses: make([][]access, len(p.Tiles)), m: wide}
	tile, worst := c.tiles[0], (*encode.ArenaResult)(nil)
	for t := c.tiles[0]; t <= c.tiles[0]+1 && (t == c.tiles[0] || c.paired); t++ {
		n := int32(0)
		for _, id := range byTile.on(int(t)) {
			b.local[id] = n
			if p.Items[id].Bytes > 0 {
				n++
			}
		}
		a, _ := b.build(int(t), false)
		if x, err := encode.SolveArena(ctx, a, solve.Options{Effort: effort}); err == nil && (worst == nil || x.HeightBound > worst.HeightBound) {
			tile, worst = t, x
		}
	}
	e.Tile = int(tile)
	limit := func(top int64) int { return model.StandardShare + int(max(top-device.InterleaveBase, 0)) }
	if worst != nil {
		e.BudgetBound = limit(worst.HeightBound)
		if worst.At != nil {
			e.Budget = limit(worst.Height)
		}
	}
	standard := uint32(0)
	for _, x := range m.Standard {
		standard += x.End - x.Start
	}
	high := m.InterleavedEnd - min(device.InterleaveBase, m.InterleavedEnd)
	ids := byTile.on(int(tile))
	short := int64(-1 << 62)
	for _, i := range ids {
		event := p.Items[i].First
		var live [2]uint32
		for _, j := range ids {
			if p.holds(j, event) {
				live[p.Items[j].Class] += p.Items[j].Bytes
			}
		}
		for _, x := range []struct {
			class      model.MemoryClass
			need, have uint32
		}{{model.Interleaved, live[model.Interleaved], high}, {model.Standard, live[0] + live[1], standard + high}} {
			if d := int64(x.need) - int64(x.have); d > short {
				short = d
				e.Event, e.Class, e.NeedBytes, e.HaveBytes = int(event), x.class, x.need, x.have
			}
		}
	}
	for _, id := range ids {
		it := &p.Items[id]
		if p.holds(id, int32(e.Event)) && (it.Class == e.Class || e.Class == model.Standard) {
			e.Items = append(e.Items, PlaceItem{p.Plan.Values[it.Value].Name, it.Kind, it.Class, it.Bytes, it.First, it.Last})
		}
	}
	slices.SortStableFunc(e.Items, func(a, b PlaceItem) int { return -cmp.Compare(a.Bytes, b.Bytes) })
	if w := p.Tiles[tile]; e.Event > 0 && e.Event <= len(w) {
		e.Step = int(w[e.Event-1].Step)
		e.Op = p.Plan.Steps[e.Step].Op
	}
	return e
}
