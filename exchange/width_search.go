package exchange

import (
	"context"
	"slices"
)

// ListWidths is List for a problem whose pairable messages may be sent at either
// width, whatever width they have in p; the widths it chose are in Schedule.Paired,
// and the bound is that of p.Opened. Where nothing can be paired that is List.
//
// The first schedule has all messages ordinary. Then come the widths that balance
// the loads of machines best, and all messages paired; last, in problems of few
// messages, the widths of those that complete late are flipped one by one as long as that
// helps; at the end more messages are paired where that costs no event. With
// Options.Pair all that can be are. What a bound of its own excludes is not scheduled.
// Each try has the whole effort, but for flips, which have a unit each, and for tries
// that a first listing with a unit leaves further behind the best than the best is
// behind the bound.
func ListWidths(ctx context.Context, p *Problem, opt Options) (*Schedule, Stats, error) {
	if err := p.Validate(); err != nil {
		return nil, Stats{}, err
	}
	p = p.WithFreedom(opt.Freedom)
	pairable := p.Pairable()
	if !slices.Contains(pairable, true) {
		return List(ctx, p, opt)
	}
	w := &widthSearch{ctx: ctx, p: p, opt: opt, pairable: pairable, bound: Best(p.Opened())}
	w.goal = w.bound.Horizon + int32(opt.gap()*float64(w.bound.Horizon))
	if err := w.run(); err != nil {
		return nil, Stats{}, err
	}
	w.stats.Bound, w.best.Paired = w.bound, w.widths
	w.best.Looks, w.stats.Looks = w.looks, w.looks
	// What exhaustive search says holds for the widths it was made for.
	w.best.Searched = w.bound.Horizon
	return w.best, w.stats, nil
}

// widthSearch keeps the best schedule and its widths.
type widthSearch struct {
	ctx      context.Context
	p        *Problem
	opt      Options
	pairable []bool
	bound    Bound
	goal     int32
	tried    [][]bool
	best     *Schedule
	widths   []bool
	stats    Stats
	looks    int64
}

// flips is the number of messages up to which widths are flipped one by one.
const flips = 200

func (w *widthSearch) run() error {
	if w.opt.Pair {
		return w.force()
	}
	return w.choose()
}

// choose looks for the widths of the shortest schedule.
func (w *widthSearch) choose() error {
	ordinary := make([]bool, len(w.pairable))
	if _, err := w.try(ordinary, w.opt); err != nil {
		return err
	}
	l := newWidthLoads(w.p)
	candidates := [][]bool{l.balance(ordinary, w.pairable), l.balance(w.pairable, w.pairable), slices.Clone(w.pairable)}
	slices.SortStableFunc(candidates, func(a, b []bool) int { return int(l.worst(a) - l.worst(b)) })
	for _, c := range candidates {
		if !w.promising(c) {
			continue
		}
		before := w.best.Horizon
		h, err := w.try(c, w.quick())
		if err == nil && h <= 2*before-w.bound.Horizon && w.opt.effort() > 1 && w.best.Horizon > w.goal && w.ctx.Err() == nil {
			_, err = w.try(c, w.opt)
		}
		if err != nil {
			return err
		}
	}
	if len(w.pairable) <= flips {
		if err := w.flip(); err != nil {
			return err
		}
	}
	return w.widen()
}

// force pairs all that can be: as listed so, or as chosen widths are widened if that is
// shorter and pairs all.
func (w *widthSearch) force() error {
	if _, err := w.try(w.pairable, w.opt); err != nil || w.best.Horizon <= w.goal || w.ctx.Err() != nil {
		return err
	}
	listed := *w
	w.best = nil
	if err := w.choose(); err != nil && w.ctx.Err() == nil {
		return err
	}
	if w.best == nil || w.best.Horizon >= listed.best.Horizon || !slices.Equal(w.widths, w.pairable) {
		w.best, w.widths, w.stats = listed.best, listed.widths, listed.stats
	}
	return nil
}

// promising tells whether widths were not tried and may do better than the best.
func (w *widthSearch) promising(widths []bool) bool {
	if w.best.Horizon <= w.goal || w.ctx.Err() != nil || slices.ContainsFunc(w.tried, func(t []bool) bool { return slices.Equal(t, widths) }) {
		return false
	}
	w.tried = append(w.tried, slices.Clone(widths))
	return Best(w.p.WithWidths(widths)).Horizon < w.best.Horizon
}

// quick are options of a first look.
func (w *widthSearch) quick() Options {
	opt := w.opt
	opt.Effort = 1
	return opt
}

// try schedules the problem with some widths and keeps what is better. It gives the
// horizon reached.
func (w *widthSearch) try(widths []bool, opt Options) (int32, error) {
	opt.Progress = nil
	if w.opt.Progress != nil {
		opt.Progress = func(h int32) {
			if w.best == nil || h < w.best.Horizon {
				w.opt.Progress(h)
			}
		}
	}
	s, stats, err := List(w.ctx, w.p.WithWidths(widths), opt)
	if err != nil {
		if w.best != nil && w.ctx.Err() != nil {
			return never, nil // too late, but there is a schedule
		}
		return 0, err
	}
	w.looks += s.Looks
	if w.best == nil || s.Horizon < w.best.Horizon {
		w.best, w.stats, w.widths = s, stats, slices.Clone(widths)
	}
	return s.Horizon, nil
}

// flip flips widths one by one, of messages that complete last first, as long as a
// schedule gets shorter, so many units of effort in all.
func (w *widthSearch) flip() error {
	left := 4 * w.opt.effort()
	for improved := true; improved && left > 0; {
		improved = false
		late := w.late()
		for _, i := range late {
			widths := slices.Clone(w.widths)
			widths[i] = !widths[i]
			if left == 0 || !w.promising(widths) {
				continue
			}
			left--
			before := w.best.Horizon
			if _, err := w.try(widths, w.quick()); err != nil {
				return err
			}
			if w.best.Horizon < before {
				improved = true
				break
			}
		}
	}
	return nil
}

// late lists the pairable messages by their completion in the best schedule, the last
// one first.
func (w *widthSearch) late() []int32 {
	p := w.p.WithWidths(w.widths)
	var list []int32
	ends := make([]int32, len(p.Messages))
	for i := range p.Messages {
		m := &p.Messages[i]
		for _, d := range m.Dests {
			_, _, pointer := m.hears(d.Tile)
			ends[i] = max(ends[i], w.best.Start[i]+pointer+m.Items())
		}
		if w.pairable[i] {
			list = append(list, int32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return int(ends[b] - ends[a]) })
	return list
}

// widthLoads adds up the work of every machine for some widths: of send lanes (2t)
// and of selectors (2t+1), to which the least that comes before and after counts.
type widthLoads struct {
	p     *Problem
	base  []int32
	loads []int32
	users [][]int32 // messages that load a machine at either width
}

func newWidthLoads(p *Problem) *widthLoads {
	l := &widthLoads{p: p, base: make([]int32, 2*p.Tiles), loads: make([]int32, 2*p.Tiles), users: make([][]int32, 2*p.Tiles)}
	b := newBounder(p.WithWidths(make([]bool, len(p.Messages))))
	var list []use
	for t := range p.Tiles {
		for side := range 2 {
			if list = b.appendSends(list[:0], &b.roles[t]); side == 1 {
				list = b.appendReceives(list[:0], &b.roles[t])
			}
			s := sum(list)
			l.base[2*t+side] = s.head + s.tail
		}
	}
	for i := range p.Messages {
		m := &p.Messages[i]
		l.users[2*m.Source] = append(l.users[2*m.Source], int32(i))
		if q := m.Source ^ 1; int(q) < p.Tiles {
			l.users[2*q] = append(l.users[2*q], int32(i))
			l.users[2*q+1] = append(l.users[2*q+1], int32(i))
		}
		for _, d := range m.Dests {
			l.users[2*d.Tile+1] = append(l.users[2*d.Tile+1], int32(i))
		}
	}
	return l
}

// each tells the machines that message i loads at a width, and by how much.
func (l *widthLoads) each(i int32, paired bool, visit func(machine, work int32)) {
	m := l.p.Messages[i]
	m.Paired = paired
	n := m.Items()
	visit(2*m.Source, n)
	if paired {
		visit(2*(m.Source^1), n)
		visit(2*(m.Source^1)+1, n)
	}
	for _, d := range m.Dests {
		_, busy, _ := m.hears(d.Tile)
		visit(2*d.Tile+1, busy)
	}
}

// worst is the largest load.
func (l *widthLoads) worst(widths []bool) int32 {
	copy(l.loads, l.base)
	for i, paired := range widths {
		l.each(int32(i), paired, func(k, work int32) { l.loads[k] += work })
	}
	return slices.Max(l.loads)
}

// balance flips widths, from some on, of messages that load the worst machine: the
// one that leaves the largest load on all machines concerned the smallest, as long as
// that is less than the worst.
func (l *widthLoads) balance(from, pairable []bool) []bool {
	widths := slices.Clone(from)
	l.worst(widths)
	change := make([]int32, len(l.loads))
	for {
		worst := int32(0)
		for k := range l.loads {
			if l.loads[k] > l.loads[worst] {
				worst = int32(k)
			}
		}
		best, least := int32(-1), l.loads[worst]
		for _, i := range l.users[worst] {
			if !pairable[i] {
				continue
			}
			l.each(i, widths[i], func(k, work int32) { change[k] -= work })
			l.each(i, !widths[i], func(k, work int32) { change[k] += work })
			most := int32(0)
			for _, w := range [...]bool{false, true} {
				l.each(i, w, func(k, _ int32) { most = max(most, l.loads[k]+change[k]) })
			}
			for _, w := range [...]bool{false, true} {
				l.each(i, w, func(k, _ int32) { change[k] = 0 })
			}
			if most < least {
				best, least = i, most
			}
		}
		if best < 0 {
			return widths
		}
		l.each(best, widths[best], func(k, work int32) { l.loads[k] -= work })
		widths[best] = !widths[best]
		l.each(best, widths[best], func(k, work int32) { l.loads[k] += work })
	}
}
