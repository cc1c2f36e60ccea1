package lower

import (
	"errors"
	"fmt"
	"slices"

	"ipusolve/model"
)

// Repeat is a part of a program that runs several times (reference: lowering.md
// §7, device.md §6.6). Its code and its exchange rows exist once; the plan keeps
// every iteration.
//
//	work list   before │ body: begin … end │ after
//	                   └──── × Count ──────┘
//
// An item of the body is local to an iteration, or lives throughout the repeat:
// carried (an iteration overwrites what it was given with what it leaves),
// invariant, or iterated (Item.Stride).
type Repeat struct {
	Count int32
	// Period is the number of plan steps in an iteration: work of the body serves
	// step Work.Step + i·Period in iteration i.
	Period int32
	// Phase is the first of the body's Phases exchange phases.
	Phase, Phases int32
	// Begin and End delimit the body in the work list of every tile.
	Begin, End []int32
}

// Runs lists the work of a tile in the order it runs: run gives a work item's index
// in the list and the iteration, 0 outside the body.
func (p *Program) Runs(tile int, run func(work, iteration int) error) error {
	list := len(p.Tiles[tile])
	begin, end, count := list, list, 1
	if r := p.Repeat; r != nil {
		begin, end, count = int(r.Begin[tile]), int(r.End[tile]), int(r.Count)
	}
	for _, part := range []struct{ from, to, times int }{{0, begin, 1}, {begin, end, count}, {end, list, 1}} {
		for i := range part.times {
			for k := part.from; k < part.to; k++ {
				if err := run(k, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Exchanges is the number of exchanges that a run makes.
func (p *Program) Exchanges() int {
	n := len(p.Phases)
	if r := p.Repeat; r != nil {
		n += int((r.Count - 1) * r.Phases)
	}
	return n
}

// PhaseOf is the phase that the i-th exchange of a run executes. The plan, which has
// every iteration, calls it phase i.
func (p *Program) PhaseOf(i int) int {
	r := p.Repeat
	switch {
	case r == nil || i < int(r.Phase+r.Phases):
		return i
	case i < int(r.Phase+r.Count*r.Phases):
		return int(r.Phase) + (i-int(r.Phase))%int(r.Phases)
	}
	return i - int((r.Count-1)*r.Phases)
}

// StagingCycles is what the copies of iterated items add to a run: of every exchange
// the tile that copies longest. A plan knows nothing of them.
func (p *Program) StagingCycles() int64 {
	if p.Repeat == nil {
		return 0
	}
	longest := make([]int64, len(p.Phases))
	for _, list := range p.Tiles {
		var sum int64
		for k := range list {
			w := &list[k]
			switch {
			case w.Kind == WorkExchange:
				longest[w.Phase] = max(longest[w.Phase], sum)
				sum = 0
			case len(w.Args) > 0 && w.Args[0].Item >= 0 && p.Items[w.Args[0].Item].Kind == ItemStaging:
				sum += w.Spec.Cycles(p.ArgValues(w))
			}
		}
	}
	var total int64
	for i := range p.Exchanges() {
		total += longest[p.PhaseOf(i)]
	}
	return total
}

// Pointers lists the iterated items that the body of a tile names, ascending: each
// needs a pointer in the tile's repeat frame.
func (p *Program) Pointers(tile int) []int32 {
	if p.Repeat == nil {
		return nil
	}
	var list []int32
	for _, w := range p.Tiles[tile][p.Repeat.Begin[tile]:p.Repeat.End[tile]] {
		for _, a := range w.Args {
			if a.Item >= 0 && p.Items[a.Item].Stride > 0 {
				list = append(list, a.Item)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// errFold tells why a cycle of steps is no repeat.
var errFold = errors.New("lower: not a repeat")

// maxFolds bounds the cycles that Fold tries.
const maxFolds = 16

// Fold makes the longest repetition of equal work one body with a count. It takes
// a program before placement and leaves it as it is; a program in which nothing
// repeats is returned itself.
//
// Iterations are equal if they make the same calls and transfers, and if one
// mapping takes the items of the first to those of each: the items of the body
// then stand for all. Weights become iterated items. Rows cannot send from
// those, so that what is sent is copied first, to where it lies in every iteration.
func Fold(p *Program) *Program {
	if p.Repeat != nil {
		return p
	}
	for i, s := range cycles(p) {
		if i == maxFolds {
			break
		}
		f := &folder{p: p, cycle: s}
		if q, err := f.fold(); err == nil {
			return q
		}
	}
	return p
}

// folder makes one cycle of plan steps a repeat.
type folder struct {
	p *Program
	cycle
	begin, end []int32 // body of the first iteration, per tile
	phase      int     // first phase of the body
	phases     int     // phases of an iteration
	// image[i][x] is the item of iteration i that does what item x does in the
	// first, −1 if x is none of the first's; origin[i] is its inverse.
	image, origin [][]int32
	role          []role  // of the items of the first iteration
	into          []int32 // carried: the item that the next iteration is given
}

// role is what an item is to a repeat.
type role uint8

const (
	outside role = iota
	local
	invariant
	iterated
	carriedIn  // read from the iteration before
	carriedOut // left to the next iteration; shares the memory of its carriedIn
)

func (f *folder) fold() (*Program, error) {
	for _, do := range []func() error{f.bodies, f.match, f.classify, f.foreign} {
		if err := do(); err != nil {
			return nil, err
		}
	}
	return f.build(), nil
}

// bodies finds the work of every iteration: on every tile equally many items, one
// iteration after the other.
func (f *folder) bodies() error {
	n := len(f.p.Tiles)
	f.begin, f.end = make([]int32, n), make([]int32, n)
	for t, list := range f.p.Tiles {
		first, size := -1, 0
		for k := range list {
			switch i := f.iteration(list[k].Step); {
			case i < 0:
				if first < 0 {
					continue
				}
				if int(list[k].Step) < f.first {
					return fmt.Errorf("%w: tile %d goes back to step %d", errFold, t, list[k].Step)
				}
			case i == 0:
				if first < 0 {
					first = k
				}
				if size++; k != first+size-1 {
					return fmt.Errorf("%w: tile %d does something in between", errFold, t)
				}
			case size == 0 || i != (k-first)/size:
				return fmt.Errorf("%w: tile %d has iterations of different length", errFold, t)
			}
		}
		if first < 0 {
			return fmt.Errorf("%w: nothing to do on tile %d", errFold, t)
		}
		if last := first + size*f.count; last > len(list) || f.iteration(list[last-1].Step) != f.count-1 {
			return fmt.Errorf("%w: tile %d has iterations of different length", errFold, t)
		}
		f.begin[t], f.end[t] = int32(first), int32(first+size)
	}
	return nil
}

// match walks all iterations next to the first and pairs their items.
func (f *folder) match() error {
	f.image, f.origin = make([][]int32, f.count), make([][]int32, f.count)
	for i := range f.count {
		f.image[i], f.origin[i] = slices.Repeat([]int32{-1}, len(f.p.Items)), slices.Repeat([]int32{-1}, len(f.p.Items))
	}
	f.phase = -1
	for t, list := range f.p.Tiles {
		size := int(f.end[t] - f.begin[t])
		body := list[f.begin[t]:f.end[t]]
		if t == 0 {
			for k := range body {
				if body[k].Kind == WorkExchange {
					if f.phase < 0 {
						f.phase = int(body[k].Phase)
					}
					f.phases++
				}
			}
		}
		for i := range f.count {
			other := list[int(f.begin[t])+i*size:][:size]
			for k := range body {
				if err := f.sameWork(i, &body[k], &other[k]); err != nil {
					return fmt.Errorf("tile %d: %w", t, err)
				}
			}
		}
	}
	for i := range f.count {
		for id := f.phase; id < f.phase+f.phases; id++ {
			if err := f.samePhase(i, &f.p.Phases[id], &f.p.Phases[id+i*f.phases]); err != nil {
				return fmt.Errorf("phase %d: %w", id, err)
			}
		}
	}
	return nil
}

func (f *folder) sameWork(i int, a, b *Work) error {
	if a.Kind != b.Kind || a.Spec != b.Spec || len(a.Args) != len(b.Args) || int(b.Step-a.Step) != i*f.period {
		return fmt.Errorf("%w: iteration %d works differently", errFold, i)
	}
	if a.Kind == WorkExchange {
		if in := int(a.Phase) - f.phase; in < 0 || in >= f.phases || int(b.Phase-a.Phase) != i*f.phases {
			return fmt.Errorf("%w: phase %d in iteration %d", errFold, b.Phase, i)
		}
		return nil
	}
	for k := range a.Args {
		if err := f.pair(i, Ref{a.Args[k].Item, a.Args[k].Value}, Ref{b.Args[k].Item, b.Args[k].Value}); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) samePhase(i int, a, b *Phase) error {
	if len(a.Transfers) != len(b.Transfers) {
		return fmt.Errorf("%w: %d transfers in iteration %d", errFold, len(b.Transfers), i)
	}
	for k := range a.Transfers {
		x, y := &a.Transfers[k], &b.Transfers[k]
		if x.Words != y.Words || len(x.Dests) != len(y.Dests) {
			return fmt.Errorf("%w: transfer %d of iteration %d", errFold, k, i)
		}
		if err := f.pair(i, x.Source, y.Source); err != nil {
			return err
		}
		for d := range x.Dests {
			if err := f.pair(i, x.Dests[d], y.Dests[d]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair records that iteration i uses y where the first uses x.
func (f *folder) pair(i int, x, y Ref) error {
	if x.Offset != y.Offset || (x.Item < 0) != (y.Item < 0) {
		return fmt.Errorf("%w: iteration %d uses other bytes", errFold, i)
	}
	if x.Item < 0 {
		return nil
	}
	to, from := &f.image[i][x.Item], &f.origin[i][y.Item]
	if *to < 0 && *from < 0 {
		a, b := &f.p.Items[x.Item], &f.p.Items[y.Item]
		if a.Tile != b.Tile || a.Kind != b.Kind || a.Bytes != b.Bytes || a.Tail != b.Tail || a.Align != b.Align || a.Class != b.Class || a.Inside != nil || b.Inside != nil {
			return fmt.Errorf("%w: items %d and %d differ", errFold, x.Item, y.Item)
		}
		*to, *from = y.Item, x.Item
	}
	if *to != y.Item || *from != x.Item {
		return fmt.Errorf("%w: iteration %d mixes items %d and %d", errFold, i, *to, y.Item)
	}
	return nil
}

// classify gives every item of the first iteration its role and checks that
// memory which all iterations share serves them all.
func (f *folder) classify() error {
	n := len(f.p.Items)
	f.role, f.into = make([]role, n), slices.Repeat([]int32{-1}, n)
	for x := range n {
		switch y := f.image[1][x]; {
		case y < 0:
		case int(y) == x:
			f.role[x] = invariant
		case f.image[1][y] >= 0:
			f.role[x] = carriedIn
		case f.p.Plan.Values[f.p.Items[x].Value].Role == model.RoleWeight && f.p.Items[x].Kind == ItemValue:
			f.role[x] = iterated
		default:
			f.role[x] = local
		}
	}
	for x := range n {
		if f.role[x] != carriedIn {
			continue
		}
		y := f.image[1][x]
		if f.role[y] != local || f.p.Items[x].Last >= f.p.Items[y].First {
			return fmt.Errorf("%w: item %d is read while item %d, which it is for the next iteration, lives", errFold, x, y)
		}
		for i := 2; i < f.count; i++ {
			if f.image[i][x] != f.image[i-1][y] {
				return fmt.Errorf("%w: iteration %d is not given what the one before leaves in item %d", errFold, i, y)
			}
		}
		f.role[y], f.into[y] = carriedOut, int32(x)
	}
	for x := range n {
		for i := range f.count {
			switch y := f.image[i][x]; f.role[x] {
			case invariant:
				if int(y) != x {
					return fmt.Errorf("%w: iteration %d leaves item %d", errFold, i, x)
				}
			case local:
				it := &f.p.Items[y]
				size := f.end[it.Tile] - f.begin[it.Tile]
				begin := f.begin[it.Tile] + int32(i)*size
				if it.First <= begin || it.Last > begin+size {
					return fmt.Errorf("%w: item %d of iteration %d lives beyond it", errFold, y, i)
				}
			}
		}
	}
	return nil
}

// foreign checks that no other work names an iterated item, whose meaning depends
// on the iteration, and that no other item lies in one of the body.
func (f *folder) foreign() error {
	inside := func(item int32) bool {
		for i := range f.count {
			if x := f.origin[i][item]; x >= 0 && f.role[x] == iterated {
				return true
			}
		}
		return false
	}
	for t, list := range f.p.Tiles {
		for k := range list {
			if f.iteration(list[k].Step) >= 0 {
				continue
			}
			for _, a := range list[k].Args {
				if a.Item >= 0 && inside(a.Item) {
					return fmt.Errorf("%w: work %d of tile %d uses item %d of an iteration", errFold, k, t, a.Item)
				}
			}
		}
	}
	for id := range f.p.Phases {
		out := id < f.phase || id >= f.phase+f.count*f.phases
		for _, t := range f.p.Phases[id].Transfers {
			for _, r := range append([]Ref{t.Source}, t.Dests...) {
				if out && inside(r.Item) {
					return fmt.Errorf("%w: phase %d uses item %d of an iteration", errFold, id, r.Item)
				}
			}
		}
	}
	for i := range f.p.Items {
		if in := f.p.Items[i].Inside; in != nil {
			for k := range f.count {
				if f.origin[k][in.Item] >= 0 {
					return fmt.Errorf("%w: item %d lies in one of an iteration", errFold, i)
				}
			}
		}
	}
	return nil
}
