package encode

import (
	"cmp"
	"maps"
	"slices"
)

// Windows of an arena are its items that live in a stretch of time of one space,
// for that time, with what is hard between them: fewer items, so each height that
// they need is soon proven, and no placement of the arena is lower.

// windowMoments is the longest window, in moments at which items begin to live.
// Height comes from few moments: what is alive together, and items that two such
// sets share.
const windowMoments = 4

// windowsShare of a level's nodes are for windows, windowShare of them for one.
const (
	windowsShare = 2
	windowShare  = 8
)

// window is the arena of the items that live in [lower, upper) of a space; nil if
// that is all of the arena or holds nothing to choose.
func (a *Arena) window(space int, lower, upper int64, chosen []bool) *Arena {
	w := &Arena{Name: a.Name, Classes: a.Classes, Banks: a.Banks}
	at := make([]int, len(a.Items))
	for i := range a.Items {
		at[i] = -1
		if it := a.Items[i]; it.Space == space && it.Lower < upper && lower < it.Upper {
			it.Lower, it.Upper = max(it.Lower, lower), min(it.Upper, upper)
			at[i] = len(w.Items)
			w.Items = append(w.Items, it)
		}
	}
	if len(w.Items) < 2 || len(w.Items) == len(a.Items) {
		return nil
	}
	for i := range w.Items {
		if in := w.Items[i].Inside; in != nil {
			w.Items[i].Inside = nil
			if h := at[in.Host]; h >= 0 {
				w.Items[i].Inside = &Inside{Host: h, Offset: in.Offset}
			}
		}
	}
	for i, x := range a.Apart {
		if x.A.Item, x.B.Item = at[x.A.Item], at[x.B.Item]; chosen[len(a.Equal)+i] && x.A.Item >= 0 && x.B.Item >= 0 {
			w.Apart = append(w.Apart, x)
		}
	}
	return w
}

// windows raises the bound of a run that keeps what is chosen by what the windows
// need. Those that may need most come first.
func (s *arenaSolver) windows(run *packing, chosen []bool) {
	type candidate struct {
		core  *packCore
		bound int64
	}
	var list []candidate
	starts := map[int][]int64{} // moments, by space
	for i := range s.Items {
		it := &s.Items[i]
		starts[it.Space] = append(starts[it.Space], it.Lower)
	}
	for _, space := range slices.Sorted(maps.Keys(starts)) {
		moments := starts[space]
		slices.Sort(moments)
		moments = slices.Compact(moments)
		for from := range moments {
			for to := from + 1; to <= min(from+windowMoments, len(moments)) && s.ctx.Err() == nil; to++ {
				w := s.window(space, moments[from], moments[to-1]+1, chosen)
				if w == nil {
					continue
				}
				all := make([]bool, len(w.Apart))
				for i := range all {
					all[i] = true
				}
				if c, ok := w.core(all); ok {
					bound, _ := c.bound()
					list = append(list, candidate{c, bound})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(y.bound, x.bound) })
	total := s.opt.Effort / windowsShare
	for _, x := range list {
		if run.res.Bound >= run.res.Height || s.opt.Effort > 0 && total <= 0 || s.ctx.Err() != nil {
			return
		}
		opt := s.opt
		if opt.Effort > 0 {
			opt.Effort = max(min(total, s.opt.Effort/windowShare), 1)
		}
		w := newPackRun(s.ctx, x.core, run.res.Height, opt)
		w.res.Bound = max(x.bound, run.res.Bound)
		w.minimise()
		run.res.Bound = max(run.res.Bound, min(w.res.Bound, run.res.Height))
		total -= w.res.Stats.Nodes
		run.res.Stats.Nodes += w.res.Stats.Nodes
		if run.opt.Effort > 0 {
			run.opt.Effort += w.res.Stats.Nodes
		}
	}
}
