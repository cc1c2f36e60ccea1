package exchange

// eject lowers the horizon of the worst component, and again the then worst, by
// ejection under shorter and shorter horizons, until all are good enough or
// the effort is used up: looks at the receives of the problem, for which the components
// need not have equal parts.
func (l *lister) eject() {
	l.limit = l.looked + int64(l.allowance*float64(len(l.tile)))
	pool := newPool(l.placement)
	seed := l.opt.Seed
	for {
		var worst *solved
		for k := range l.components {
			if c := &l.components[k]; worst == nil || c.horizon > worst.horizon {
				worst = c
			}
		}
		if worst == nil || worst.exact || worst.horizon <= max(l.goal, worst.lower) || l.cancelled() || l.stop() {
			break
		}
		l.ejectFrom(worst, pool, seed)
		seed++
	}
	l.stats.Trials += pool.trials
}

// ejectFrom starts from the best placement of a component and aims at shorter
// horizons: a fifth of the gap at a time while that succeeds, and where it does not
// half way back. It ends when not even one event can be gained.
func (l *lister) ejectFrom(c *solved, m *pool, seed uint64) {
	l.restore(c)
	bound := max(l.stats.Bound.Horizon, c.lower)
	patience := patient * (500 + len(c.messages)/4) << min(c.rounds, 10)
	m.begin(&c.component, c.horizon, seed)
	next := func() int32 { return c.horizon - max(1, (c.horizon-bound)/5) }
	improved := false
	for aim := next(); aim < c.horizon && c.horizon > l.goal && !l.cancelled() && !l.stop(); {
		m.aim(&c.component, aim)
		if m.run(patience, l.stop) {
			l.keep(c, "ejection")
			m.horizon = c.horizon
			aim, improved = next(), true
		} else {
			aim += (c.horizon - aim + 1) / 2
		}
	}
	if len(m.waiting) > 0 {
		l.empty(c)
		l.restore(c)
	}
	if !improved {
		c.rounds++
	}
}

// patient scales the insertions without progress before a horizon is given up.
const patient = 4
