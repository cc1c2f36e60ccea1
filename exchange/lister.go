package exchange

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// lister runs the tries of List over the components of a problem.
type lister struct {
	*placement
	ctx        context.Context
	roleIndex  *Roles // for rows
	opt        Options
	stats      Stats
	components []solved
	dispatcher *dispatcher
	goal       int32   // horizon that needs no further tries
	allowance  float64 // receives to look at, per receive
	limit      int64   // of placement.looked, for the present component
	checked    int64   // placement.looked when the context was asked last
	ended      bool    // the context has
	nodes      int     // left to exact search
	short      *densePlacement
	told       int32 // horizon that Options.Progress was told last
}

// solved is a component with the best listing found for it.
type solved struct {
	component
	start   []int32 // per message of the component
	horizon int32
	method  string
	rounds  int   // of ejection that gained nothing
	lower   int32 // no schedule of it is shorter, by bounds or by search
	exact   bool  // start is legal by the rules as they are, not as placement keeps them
	encodes bool  // rows of the best listing were tried, none failed R12
	inPlace bool  // its messages are placed at start
	fit     struct {
		start   []int32
		horizon int32
		method  string
	} // the best dense listing, if there is one
}

func newLister(ctx context.Context, p *Problem, opt Options) *lister {
	in := newInstance(p)
	pl := newPlacement(in)
	l := &lister{placement: pl, roleIndex: NewRoles(p), ctx: ctx, opt: opt, dispatcher: newDispatcher(pl, newClocks(in))}
	for _, c := range components(p) {
		l.components = append(l.components, solved{component: c})
	}
	l.stats.Bound = Best(p)
	l.goal = l.stats.Bound.Horizon + int32(opt.gap()*float64(l.stats.Bound.Horizon))
	l.allowance = opt.allowance(len(in.tile))
	l.stats.Components = len(l.components)
	l.nodes = exactNodes * l.opt.effort()
	return l
}

// stop tells whether the component's effort is used up or the context has
// ended. It may be called often.
func (l *lister) stop() bool {
	const interval = 1 << 16 // receives between two looks at the context, about a millisecond
	if l.looked-l.checked >= interval {
		l.cancelled()
	}
	return l.ended || l.looked >= l.limit
}

func (l *lister) cancelled() bool {
	l.checked = l.looked
	l.ended = l.ended || l.ctx.Err() != nil
	return l.ended
}

// receives counts those of a component.
func (l *lister) receives(c *component) int {
	sum := 0
	for _, i := range c.messages {
		sum += int(l.first[i+1] - l.first[i])
	}
	return sum
}

// run gives every component a first listing, then more to those whose horizon
// is above the bound of the whole problem.
func (l *lister) run() {
	l.limit = math.MaxInt64 // one listing is made at any rate
	for k := range l.components {
		l.inOrder(&l.components[k], "program order", l.components[k].messages)
	}
	for k := range l.components {
		c := &l.components[k]
		l.tries(c)
		for l.dense(c) && !l.cancelled() {
			c.start = nil
			l.inOrder(c, "program order", c.messages)
			l.tries(c)
		}
	}
	if !l.opt.Off[ByEjection] {
		l.eject()
		for k := range l.components {
			l.dense(&l.components[k])
		}
	}
}

// dense looks whether the rows of many tiles of the component cannot hold its
// control pairs (R12). Where messages of one or two words follow each other, most
// pairs fail, and moving them one by one would cost too much. Then the component is
// listed densely; where that cannot be, pairs are forbidden on those tiles, and
// dense tells whether there are more of these than before.
func (l *lister) dense(c *solved) bool {
	faults := l.faults(c)
	if len(faults) == 0 || l.fit(c) {
		return false // finish repairs, or reports
	}
	marked := false
	for _, f := range faults {
		marked = marked || !l.pairless[f.tile]
		l.pairless[f.tile] = true
	}
	return marked
}

// faults are the tiles whose rows cannot hold the best listing, if they are many.
func (l *lister) faults(c *solved) []fault {
	l.restore(c)
	if c.exact || c.encodes {
		return nil
	}
	s := &Schedule{Start: l.start, TileHorizon: make([]int32, l.p.Tiles)}
	for _, i := range c.messages {
		s.raise(l.p, i)
	}
	faults, err := parityFaults(l.roleIndex, s, c.tiles)
	c.encodes = err == nil && len(faults) == 0
	if err != nil || len(faults) <= len(c.tiles)/many {
		return nil
	}
	return faults
}

// many is the fraction of a component's tiles above which they are many.
const many = 16

// restore puts the best listing of a component back in place.
func (l *lister) restore(c *solved) {
	if c.inPlace {
		return
	}
	l.empty(c)
	for k, i := range c.messages {
		l.place(i, c.start[k])
	}
	c.inPlace = true
}

// empty clears the component's tiles for another listing.
func (l *lister) empty(c *solved) {
	l.clear(&c.component)
	c.inPlace = false
}

// tries makes the listings of one component after the first.
func (l *lister) tries(c *solved) {
	l.limit = l.looked + int64(l.allowance*float64(l.receives(&c.component)))
	more := func() bool { return c.horizon > l.goal && !l.cancelled() && !l.stop() }
	if l.denseList(c); l.close(c) {
		return
	}
	if n := len(c.messages); n <= enumerated {
		l.allOrders(c)
		return
	}
	multicast := l.receives(&c.component) > len(c.messages)
	if more() && !multicast && !l.opt.Off[ByWaves] {
		if w := waves(l.instance, &c.component); w != nil {
			if !l.opt.Off[ByWaveOrder] {
				budget := int(l.limit-l.looked) / orderShare
				rng := rand.New(rand.NewPCG(l.opt.Seed, uint64(c.messages[0])))
				l.orderWaves(&c.component, w, l.goal, budget, rng, l.cancelled)
			}
			l.inOrder(c, "waves", byKey(c.messages, func(k int) int32 { return w[k] }))
		}
	}
	if more() && !l.opt.Off[ByRoles] && l.halfDuplex(&c.component) {
		if l.roles(c); c.method == byRoles {
			return // dispatch, blind to roles, is far behind
		}
	}
	burst, order := l.stats.Bound.Horizon/bursts, rules[:]
	if multicast {
		// One train's gaps at many receivers are filled best by any other's messages.
		burst, order = 0, []rule{rules[1], rules[0]}
	}
	for _, r := range order {
		if more() && !l.opt.Off[ByDispatch] {
			l.empty(c)
			l.stats.Tries++
			if l.dispatcher.run(&c.component, r.ranking, burst, l.stop) {
				l.keep(c, r.name)
			}
		}
	}
}

// orderShare is the part of the effort, as one in so many messages listed, that may
// go into the order of waves.
const orderShare = 2

// bursts is the least number of bursts that fill a phase: enough that the last
// ones do not leave the machines unevenly loaded.
const bursts = 64

type rule struct {
	name string
	ranking
}

// rules are the dispatch rules, best first for messages with one receiver.
var rules = [...]rule{
	{"dispatch by pressure", byPressure},
	{"dispatch by critical machine", byCritical},
}

// inOrder lists the messages one by one, each at its earliest start in the gaps
// the earlier ones left; R9 predecessors move ahead.
func (l *lister) inOrder(c *solved, method string, order []int32) {
	l.empty(c)
	l.stats.Tries++
	for _, i := range order {
		l.floor[l.train[i]] = 0
	}
	for _, i := range l.legalOrder(order) {
		t := l.train[i]
		x := l.earliest(i, max(l.floor[t], l.released(i)), never)
		l.place(i, x)
		l.floor[t] = x + l.items[i]
	}
	l.keep(c, method)
}

// keep stores the placement of a component if it is better than the best.
func (l *lister) keep(c *solved, method string) {
	h := int32(0)
	for _, i := range c.messages {
		h = max(h, l.completion(i, l.start[i]))
	}
	if c.start != nil && h >= c.horizon {
		return
	}
	c.start = slices.Grow(c.start[:0], len(c.messages))[:len(c.messages)]
	for k, i := range c.messages {
		c.start[k] = l.start[i]
	}
	c.inPlace, c.encodes, c.exact = true, false, false
	c.horizon, c.method = h, method
	l.progress()
}

// byKey sorts messages by a key of their position, ties by position.
func byKey(messages []int32, key func(k int) int32) []int32 {
	type keyed struct{ key, message int32 }
	list := make([]keyed, len(messages))
	for k, i := range messages {
		list[k] = keyed{key(k), i}
	}
	slices.SortStableFunc(list, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	out := make([]int32, len(list))
	for k := range list {
		out[k] = list[k].message
	}
	return out
}

// legalOrder moves every message behind those it must follow by R9.
func (l *lister) legalOrder(order []int32) []int32 {
	if len(l.order) == 0 {
		return order
	}
	out := make([]int32, 0, len(order))
	done := make(map[int32]bool, len(order))
	var stack []int32
	for _, i := range order {
		stack = append(stack, i)
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			if done[i] {
				stack = stack[:len(stack)-1]
				continue
			}
			blocked := false
			for _, o := range l.precedence(i) {
				if !done[o.earlier] {
					stack, blocked = append(stack, o.earlier), true
				}
			}
			if !blocked {
				done[i] = true
				out = append(out, i)
			}
		}
	}
	return out
}

// enumerated is the number of messages up to which all orders are tried.
const enumerated = 6

// allOrders lists a tiny component in every order R9 allows, until one reaches
// the bound.
func (l *lister) allOrders(c *solved) {
	order := slices.Clone(c.messages)
	var permute func(k int)
	permute = func(k int) {
		if c.horizon <= l.goal || l.cancelled() {
			return
		}
		if k == len(order) {
			if slices.Equal(order, l.legalOrder(order)) {
				l.inOrder(c, "all orders", order)
			}
			return
		}
		for j := k; j < len(order); j++ {
			order[k], order[j] = order[j], order[k]
			permute(k + 1)
			order[k], order[j] = order[j], order[k]
		}
	}
	permute(0)
}
