package lower

import (
	"errors"
	"fmt"

	"ipusolve/kernels"
	"ipusolve/model"
)

// ErrCover is wrapped by errors about elements that no source provides.
var ErrCover = errors.New("lower: missing elements")

// localCopy moves bytes between two items of a tile.
type localCopy struct {
	src, dst Ref
	bytes    uint32
}

// copyList collects the local copies of one destination, joined where both sides
// are contiguous.
type copyList []localCopy

func (l *copyList) add(src, dst Ref, bytes uint32) {
	if n := len(*l); n > 0 {
		last := &(*l)[n-1]
		if src == (Ref{last.src.Item, last.src.Offset + last.bytes}) && dst == (Ref{last.dst.Item, last.dst.Offset + last.bytes}) {
			last.bytes += bytes
			return
		}
	}
	*l = append(*l, localCopy{src, dst, bytes})
}

// rows counts the leading copies of equal size at constant strides; the strides
// are 0 for one.
func (l copyList) rows() (n int, from, to uint32) {
	same := func(i int) bool {
		return l[i].bytes == l[0].bytes && l[i].src.Item == l[0].src.Item && l[i].dst.Item == l[0].dst.Item
	}
	if len(l) < 2 || !same(1) || l[1].src.Offset <= l[0].src.Offset || l[1].dst.Offset <= l[0].dst.Offset {
		return 1, 0, 0
	}
	from, to = l[1].src.Offset-l[0].src.Offset, l[1].dst.Offset-l[0].dst.Offset
	for n = 2; n < len(l) && same(n) && l[n].src.Offset-l[n-1].src.Offset == from && l[n].dst.Offset-l[n-1].dst.Offset == to; n++ {
	}
	return n, from, to
}

// copies emits local copies: equal rows at constant strides as one strided call
// where that is cheaper than one call a row (reference: simulator.md §2).
func (b *builder) copies(tile, step int, l copyList) error {
	for len(l) > 0 {
		n, from, to := l.rows()
		c := l[0]
		strided := (c.bytes|from|to|c.src.Offset|c.dst.Offset)%8 == 0 && n >= 2 &&
			kernels.StridedCopyCycles(n*int(c.bytes)) < int64(n)*kernels.CopyCycles(int(c.bytes))
		switch {
		case strided:
			b.call(tile, step, kernels.Spec{Kind: kernels.CopyStrided64}, Addr(c.dst), Addr(c.src), Const(c.bytes/8), Const(uint32(n)), Const(from), Const(to))
		case (c.bytes|c.src.Offset|c.dst.Offset)%8 == 0 && c.bytes >= 48:
			n = 1
			div, mod := split6(c.bytes)
			b.call(tile, step, kernels.Spec{Kind: kernels.Copy64}, Addr(c.dst), Addr(c.src), div, mod)
		case (c.bytes|c.src.Offset|c.dst.Offset)%4 == 0:
			n = 1
			b.call(tile, step, kernels.Spec{Kind: kernels.Copy32}, Addr(c.dst), Addr(c.src), Const(c.bytes/4))
		default:
			return fmt.Errorf("%w: a local copy of %d bytes is not made of whole words", ErrOrder, c.bytes)
		}
		l = l[n:]
	}
	return nil
}

// clear zeroes the padding of a shard of which the box covered is written by
// others, if a later step reads the value: kernels read padding. Whole micro
// rows that are not completely covered are cleared, before anything is written
// into them.
func (b *builder) clear(step int, v *value, j int, covered model.Box) error {
	s := v.shards[j]
	st := storageOf(v.PlanValue, s)
	if !v.read {
		return nil
	}
	var spans []span
	if !covered.Empty() {
		var err error
		if spans, err = st.ascending(covered); err != nil {
			return err
		}
	}
	grain := micro
	if !v.Layout.Order.Panelled() {
		grain = 4 // 8 bytes, the unit of a fill
	}
	var gaps []span
	at := 0
	for _, c := range spans {
		lo, hi := roundUp(c.at, grain), c.end()/grain*grain
		if lo >= hi {
			continue
		}
		if lo > at {
			gaps = push(gaps, span{at, lo - at})
		}
		at = hi
	}
	if at < st.elements() {
		gaps = push(gaps, span{at, st.elements() - at})
	}
	v.filled[j] = true
	return b.fills(s.Tile, step, v, j, gaps)
}

func roundUp(x, m int) int { return (x + m - 1) / m * m }

// fills zeroes runs of a shard. Of three or more equal runs at a constant stride
// the first is filled and copied to the others with source stride 0: one call
// instead of one a run.
func (b *builder) fills(tile, step int, v *value, j int, gaps []span) error {
	for len(gaps) > 0 {
		g := gaps[0]
		n := 1
		for n < len(gaps) && gaps[n].n == g.n && gaps[n].at-gaps[n-1].at == gaps[1].at-g.at {
			n++
		}
		to := v.ref(j, g.at)
		bytes := uint32(g.n * elementBytes)
		if (bytes|to.Offset)%8 != 0 {
			return fmt.Errorf("%w: padding of %d bytes at offset %d of %s cannot be cleared in 8-byte words", ErrOrder, bytes, to.Offset, v.Name)
		}
		div, mod := split6(bytes)
		b.call(tile, step, kernels.Spec{Kind: kernels.FillZero}, Addr(to), div, mod)
		if n < 3 {
			gaps = gaps[1:]
			continue
		}
		second := v.ref(j, gaps[1].at)
		b.call(tile, step, kernels.Spec{Kind: kernels.CopyStrided64}, Addr(second), Addr(to), Const(bytes/8), Const(uint32(n-1)), Const(0), Const(second.Offset-to.Offset))
		gaps = gaps[n:]
	}
	return nil
}
