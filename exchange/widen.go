package exchange

import (
	"cmp"
	"slices"
)

// widen pairs messages of the best schedule that can be, as long as that makes it no
// longer: of two schedules of one horizon the one that moves more words paired is
// better, it keeps fewer lanes busy.
//
// The others stay where they are. Each message is taken out and put back at its
// earliest start as a paired one, where there is one that ends within the horizon, the
// longest messages first; then all are listed again by their starts, which may gain
// what the free lanes are worth.
func (w *widthSearch) widen() error {
	if w.ctx.Err() != nil || slices.Equal(w.widths, w.pairable) {
		return nil
	}
	horizon, best := w.best.Horizon, w.best
	widths, start := w.widened(horizon)
	if slices.Equal(widths, w.widths) {
		return nil
	}
	l := newLister(w.ctx, w.p.WithWidths(widths).WithFreedom(Standard), w.quick())
	for k := range l.components {
		c := &l.components[k]
		c.method = "widening"
		for _, i := range c.messages {
			c.start = append(c.start, start[i])
			c.horizon = max(c.horizon, l.completion(i, start[i]))
		}
		l.inOrder(c, "widening", byKey(c.messages, func(k int) int32 { return start[c.messages[k]] }))
	}
	s, err := l.finish()
	w.looks += l.looked
	if err != nil {
		return err
	}
	if s.Horizon <= horizon {
		stats := w.stats
		stats.Tries, stats.Repairs = stats.Tries+l.stats.Tries, l.stats.Repairs
		if s.Horizon < best.Horizon {
			stats.Method = l.stats.Method
		}
		w.best, w.stats, w.widths = s, stats, widths
		if w.opt.Progress != nil && s.Horizon < horizon {
			w.opt.Progress(s.Horizon)
		}
	}
	return nil
}

// widened gives widths and starts within a horizon. A message that takes part in an
// R9 dependency keeps its width.
func (w *widthSearch) widened(horizon int32) ([]bool, []int32) {
	pinned := newInstance(w.p.WithWidths(w.widths))
	may := slices.Clone(w.widths)
	var list []int32
	for i, yes := range w.pairable {
		if yes && !may[i] && !pinned.pinned(int32(i)) {
			may[i] = true
			list = append(list, int32(i))
		}
	}
	widths := slices.Clone(w.widths)
	if len(list) == 0 {
		return widths, w.best.Start
	}
	pl := newPlacement(newInstance(w.p.WithWidths(may)))
	for _, i := range list {
		pl.setWidth(i, false)
	}
	for i, x := range w.best.Start {
		pl.place(int32(i), x)
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(pl.items[b], pl.items[a]) })
	for again := true; again; {
		again = false
		rest := list[:0]
		for _, i := range list {
			old := pl.start[i]
			pl.unplace(i)
			pl.setWidth(i, true)
			limit := horizon - pl.items[i] - pl.tail(i)
			x := int32(never)
			if w.ctx.Err() == nil {
				x = pl.earliest(i, pl.head[i], limit)
			}
			if x > limit {
				pl.setWidth(i, false)
				x = old
				rest = append(rest, i)
			} else {
				widths[i], again = true, true
			}
			pl.place(i, x)
		}
		list = rest
	}
	w.looks += pl.looked
	return widths, pl.start
}

// setWidth changes the width of a message that is not placed. It was paired when the
// instance was made, and takes part in no R9 dependency.
func (in *instance) setWidth(i int32, paired bool) {
	m := in.p.Messages[i]
	m.Paired = paired
	in.items[i], in.head[i], in.wide.pair[i] = m.Items(), m.Head(), paired
	for k := in.first[i]; k < in.first[i+1]; k++ {
		in.lead[k], in.busy[k], in.write[k] = m.hears(in.tile[k])
	}
}
