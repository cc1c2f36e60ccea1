package lower

import (
	"slices"

	"ipusolve/kernels"
)

// build makes the folded program of a cycle that all checks have passed.
func (f *folder) build() *Program {
	p := f.p
	q := &Program{Plan: p.Plan, Roots: p.Roots, Repeat: &Repeat{Count: int32(f.count), Period: int32(f.period),
		Phase: int32(max(f.phase, 0)), Phases: int32(f.phases),
		Begin: slices.Clone(f.begin), End: slices.Clone(f.end)}}
	at := f.items(q) // where every item has gone
	q.Tiles = make([][]Work, len(p.Tiles))
	removed := int32((f.count - 1) * f.phases)
	for t, list := range p.Tiles {
		cut := int(f.end[t]-f.begin[t]) * (f.count - 1)
		work := append(slices.Clone(list[:f.end[t]]), list[int(f.end[t])+cut:]...)
		for k := range work {
			w := &work[k]
			if w.Kind == WorkExchange && int(w.Phase) >= f.phase+f.phases {
				w.Phase -= removed
			}
			w.Args = slices.Clone(w.Args)
			for i := range w.Args {
				if a := &w.Args[i]; a.Item >= 0 {
					*a = Addr(moved(at, Ref{a.Item, a.Value}))
				}
			}
		}
		q.Tiles[t] = work
	}
	for id := range p.Phases {
		if id >= f.phase+f.phases && id < f.phase+f.count*f.phases {
			continue
		}
		ph := p.Phases[id]
		ph.ID = len(q.Phases)
		ph.Transfers = slices.Clone(ph.Transfers)
		for k := range ph.Transfers {
			t := &ph.Transfers[k]
			t.Source = moved(at, t.Source)
			t.Dests = slices.Clone(t.Dests)
			for d := range t.Dests {
				t.Dests[d] = moved(at, t.Dests[d])
			}
		}
		q.Phases = append(q.Phases, ph)
	}
	for _, list := range p.Shards {
		list = slices.Clone(list)
		for j := range list {
			list[j].Ref = moved(at, list[j].Ref)
		}
		q.Shards = append(q.Shards, list)
	}
	f.stage(q)
	return q
}

// moved is where a position of the unfolded program has gone.
func moved(at []Ref, r Ref) Ref { return Ref{at[r.Item].Item, at[r.Item].Offset + r.Offset} }

// event is when an event of the unfolded program happens in the folded one; those of
// later iterations count as the body's last.
func (f *folder) event(tile, e int32) int32 {
	cut := (f.end[tile] - f.begin[tile]) * int32(f.count-1)
	switch {
	case e <= f.end[tile]:
		return e
	case e <= f.end[tile]+cut:
		return f.end[tile]
	}
	return e - cut
}

// items adds the items of the folded program to q and tells where those of the
// unfolded one have gone.
func (f *folder) items(q *Program) []Ref {
	p := f.p
	at := make([]Ref, len(p.Items))
	stands := make([]int32, len(p.Items)) // for which item of the first iteration
	for x := range p.Items {
		stands[x], at[x].Item = int32(x), -1
	}
	for i := 1; i < f.count; i++ {
		for x := range p.Items {
			if y := f.image[i][x]; y >= 0 {
				stands[y] = int32(x)
			}
		}
	}
	for x := range p.Items {
		if y := f.into[x]; y >= 0 {
			stands[x] = y
			for i := 1; i < f.count; i++ {
				stands[f.image[i][x]] = y
			}
		}
	}
	for x := range p.Items {
		if int(stands[x]) != x {
			continue
		}
		it := p.Items[x]
		it.Apart = nil
		last := it.Last
		for i := range f.count {
			if y := f.image[i][x]; y >= 0 {
				last = max(last, p.Items[y].Last)
			}
		}
		if f.role[x] == carriedIn {
			last = max(last, p.Items[f.image[f.count-1][f.image[1][x]]].Last)
		}
		begin, end := f.begin[it.Tile]+1, f.end[it.Tile]
		switch f.role[x] {
		case outside:
			it.First, it.Last = f.event(it.Tile, it.First), f.event(it.Tile, it.Last)
		case iterated:
			it.Stride = alignUp(it.Bytes+it.Tail, max(it.Align, 8))
			it.Bytes += uint32(f.count-1) * it.Stride
			fallthrough
		case invariant, carriedIn:
			it.First, it.Last = min(it.First, begin), max(f.event(it.Tile, last), end)
		}
		at[x].Item = int32(len(q.Items))
		q.Items = append(q.Items, it)
	}
	for x := range p.Items {
		at[x].Item = at[stands[x]].Item
	}
	for i := range f.count {
		for x := range p.Items {
			if y := f.image[i][x]; y >= 0 && f.role[x] == iterated {
				at[y].Offset = uint32(i) * q.Items[at[y].Item].Stride
			}
		}
	}
	for x := range p.Items {
		it := &q.Items[at[x].Item]
		for _, o := range p.Items[x].Apart {
			if to := at[o].Item; !slices.Contains(it.Apart, to) && to != at[x].Item {
				it.Apart = append(it.Apart, to)
			}
		}
	}
	return at
}

// stage copies, before each exchange of the body, the iterated items that it sends.
func (f *folder) stage(q *Program) {
	type copied struct {
		phase         int
		item, staging int32
	}
	before := make([][]copied, len(q.Tiles)) // per tile, by phase
	for id := f.phase; id < f.phase+f.phases; id++ {
		to := map[int32]int32{}
		for k := range q.Phases[id].Transfers {
			src := &q.Phases[id].Transfers[k].Source
			from := q.Items[src.Item]
			if from.Stride == 0 {
				continue
			}
			s, ok := to[src.Item]
			if !ok {
				s = int32(len(q.Items))
				to[src.Item] = s
				bytes := from.Bytes - uint32(q.Repeat.Count-1)*from.Stride
				q.Items = append(q.Items, Item{Tile: from.Tile, Kind: ItemStaging, Value: from.Value, Bytes: alignUp(bytes, 4), Align: 8, First: -1, Last: -1})
				before[from.Tile] = append(before[from.Tile], copied{id, src.Item, s})
			}
			src.Item = s
		}
	}
	// shift[tile][e] is the number of copies before event e of the tile.
	shift := make([][]int32, len(q.Tiles))
	for t := range q.Tiles {
		if len(before[t]) == 0 {
			continue
		}
		shift[t] = make([]int32, len(q.Tiles[t])+2)
		var work []Work
		next := before[t]
		for k, w := range q.Tiles[t] {
			for w.Kind == WorkExchange && len(next) > 0 && next[0].phase == int(w.Phase) {
				c := next[0]
				next = next[1:]
				n := q.Items[c.staging].Bytes
				call := Work{Kind: WorkCall, Step: w.Step, Spec: kernels.Spec{Kind: kernels.Copy32}, Args: []Arg{Addr(Ref{Item: c.staging}), Addr(Ref{Item: c.item}), Const(n / 4)}}
				if n%8 == 0 && n >= 48 {
					div, mod := split6(n)
					call.Spec, call.Args = kernels.Spec{Kind: kernels.Copy64}, append(call.Args[:2], div, mod)
				}
				work = append(work, call)
				q.Items[c.staging].First = int32(len(work))
			}
			work = append(work, w)
			shift[t][k+1] = int32(len(work) - (k + 1))
			for _, c := range before[t] {
				if w.Kind == WorkExchange && c.phase == int(w.Phase) {
					q.Items[c.staging].Last = int32(len(work))
				}
			}
		}
		shift[t][len(shift[t])-1] = int32(len(before[t]))
		q.Tiles[t] = work
		q.Repeat.End[t] += int32(len(before[t]))
	}
	for i := range q.Items {
		if it := &q.Items[i]; it.Kind != ItemStaging && shift[it.Tile] != nil {
			// What lives in the body's first event may live throughout: also while the
			// copies before that are made.
			if it.First != f.begin[it.Tile]+1 {
				it.First += shift[it.Tile][it.First]
			}
			it.Last += shift[it.Tile][it.Last]
		}
	}
}
