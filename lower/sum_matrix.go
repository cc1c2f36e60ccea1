package lower

import (
	"fmt"

	"ipusolve/kernels"
	"ipusolve/model"
)

// On the matrix unit an output shard is the sum of its terms like this: what other
// tiles send lies one after another, a whole stretch of the shard each, as left
// operand of one accumulating call per stretch.
//
//	own partial   p0 ┌───────┐        received  ┌─ term 1 ─┬─ term 2 ─┬ … ┐ = A [rows × 16·n]
//	(all panels)     │ slice │─┐                └──────────┴──────────┴───┘
//	              p1 ├───────┤ │ copied, or the               × n identity blocks
//	                 │ slice │ │ shard lies here              ▼
//	                 └───────┘ └──────────────▶ Y [rows × 16] += A·W
//
// Reference: optima.md.

// inPlace is where every output shard lies within its own tile's partial, nil unless
// each is one run of it.
func (s *summer) inPlace() []Ref {
	list := make([]Ref, len(s.out.shards))
	for j := range list {
		var ok bool
		if list[j], ok = s.ownSlice(j); !ok {
			return nil
		}
	}
	return list
}

// ownSlice is where output shard j lies within its own tile's partial, if it is
// one run of it.
func (s *summer) ownSlice(j int) (Ref, bool) {
	o := s.view(s.out.shards[j])
	var found *partialGroup
	var region model.Box
	met := 0
	s.index.Meet(o.Defined(leftPanels), func(gi int, _ model.Box) {
		found, met = s.groups[gi], met+1
		region = found.region(o)
	})
	if met != 1 || len(found.inner) < 2 || region.Elements() != o.Elements() {
		return Ref{}, false
	}
	runs, err := found.runs(o, region)
	if err != nil || len(runs) != 1 {
		return Ref{}, false
	}
	for c := range found.calls {
		if found.calls[c].tile == o.Tile {
			at := found.calls[c].result
			return Ref{at.Item, at.Offset + uint32(runs[0].src*elementBytes)}, true
		}
	}
	return Ref{}, false
}

// stretch is a contiguous piece of an output shard: n elements from dst on, made of
// runs of the partials.
type stretch struct {
	dst, n int
	runs   []run
}

// stretches joins runs that follow one another in the output shard.
func stretches(runs []run) []stretch {
	var list []stretch
	for _, r := range runs {
		if k := len(list) - 1; k >= 0 && list[k].dst+list[k].n == r.dst {
			list[k].n += r.n
			list[k].runs = append(list[k].runs, r)
			continue
		}
		list = append(list, stretch{r.dst, r.n, []run{r}})
	}
	return list
}

// matrixRoot brings the terms of a region to output shard j's tile; it returns the
// calls to emit behind the exchange. local is the tile's own term, nil if it has
// none: then the call starts from zero.
func (s *summer) matrixRoot(j int, local *contributor, received []*contributor, runs []run) (func() error, error) {
	o := s.out.shards[j]
	list := stretches(runs)
	bytes := 0
	for _, x := range list {
		bytes += len(received) * x.n * elementBytes
	}
	buffer := s.newItem(o.Tile, ItemRemote, s.out, bytes, 32, model.Standard)
	s.prog.Items[buffer].Tail = kernels.LeftTail
	at := make([]Ref, len(list)) // left operand of every stretch
	next := 0
	for i, x := range list {
		at[i] = Ref{buffer, uint32(next)}
		for k, c := range received {
			for _, r := range x.runs {
				if err := s.send(c.result, r, Ref{buffer, uint32(next + (k*x.n+r.dst-x.dst)*elementBytes)}); err != nil {
					return nil, err
				}
			}
		}
		next += len(received) * x.n * elementBytes
	}
	result := s.out.at[j].Item
	s.prog.Items[result].Tail = max(s.prog.Items[result].Tail, kernels.ResultTail)
	s.apart(result, buffer)
	identity := s.identity(o.Tile, s.out, len(received))
	return func() error {
		if local != nil && local.result.Item != result {
			var l copyList
			for _, r := range runs {
				l.add(Ref{local.result.Item, local.result.Offset + uint32(r.src*elementBytes)}, s.out.ref(j, r.dst), uint32(r.n*elementBytes))
			}
			if err := s.copies(o.Tile, s.step, l); err != nil {
				return err
			}
		}
		for i, x := range list {
			if x.n%micro != 0 || x.dst%micro != 0 {
				return fmt.Errorf("%w: %d elements from %d on are no whole rows of a panel", ErrOrder, x.n, x.dst)
			}
			spec := kernels.SumSpec(len(received), x.n)
			spec.Accumulate = local != nil
			s.call(o.Tile, s.step, spec, Addr(s.out.ref(j, x.dst)), Addr(at[i]), Addr(Ref{Item: identity}))
		}
		return nil
	}, nil
}

// identity is the item of a tile that holds at least n identity blocks. It is part
// of the tile's image and lives for the whole program; all sums of a tile share it.
func (b *builder) identity(tile int, v *value, n int) int32 {
	item, ok := b.identities[tile]
	if !ok {
		item = b.newItem(tile, ItemIdentity, v, 0, 32, model.Interleaved)
		b.identities[tile] = item
		b.touch(item, 0)
	}
	it := &b.prog.Items[item]
	it.Bytes = max(it.Bytes, uint32(n*kernels.IdentityBlock))
	return item
}
