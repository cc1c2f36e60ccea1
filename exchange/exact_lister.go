package exchange

// Limits of exact search within List.
const (
	exactMessages = 32   // of a component
	exactNodes    = 1000 // of the search, for each unit of effort of a problem
)

// close searches a small component exactly, from its best listing down, and tells
// whether it is closed: nothing better exists. A component may use a
// quarter of the nodes left.
func (l *lister) close(c *solved) bool {
	n := len(c.messages)
	if l.opt.Off[ByExact] || n > exactMessages || c.horizon <= l.goal || l.nodes == 0 || l.cancelled() {
		return false
	}
	sub := &Problem{Tiles: l.p.Tiles, Messages: make([]Message, n)}
	for k, i := range c.messages {
		sub.Messages[k] = l.p.Messages[i]
	}
	c.lower = Best(sub).Horizon
	upper := c.horizon
	if !l.rowsExist(c) {
		upper += int32(2 * n) // its repair may take as much
	} else if c.lower >= upper {
		return true
	}
	share := (l.nodes + 3) / 4
	starts, proven, left, err := exact(l.ctx, sub, c.lower, upper, share)
	l.nodes -= share - left
	if err != nil {
		return false // the model disagrees with the rows' rules: lists go on
	}
	c.lower = proven
	if starts == nil {
		return c.encodes && proven >= c.horizon
	}
	c.start, c.inPlace, c.method, c.encodes, c.exact = starts, false, "exact", true, true
	c.horizon = newExactModel(sub).horizon(starts)
	l.restore(c)
	l.progress()
	return proven >= c.horizon
}

// progress tells about the best schedule there is.
func (l *lister) progress() {
	if l.opt.Progress == nil {
		return
	}
	worst := int32(0)
	for k := range l.components {
		c := &l.components[k]
		if c.start == nil {
			return
		}
		worst = max(worst, c.horizon)
	}
	if worst != l.told {
		l.told = worst
		l.opt.Progress(worst)
	}
}

// rowsExist tells whether the component's best listing needs no repair (R12).
func (l *lister) rowsExist(c *solved) bool {
	l.restore(c)
	s := &Schedule{Start: l.start, TileHorizon: make([]int32, l.p.Tiles)}
	for _, i := range c.messages {
		s.raise(l.p, i)
	}
	faults, err := parityFaults(l.roleIndex, s, c.tiles)
	c.encodes = err == nil && len(faults) == 0
	return c.encodes
}
