package exchange

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// lister runs the tries of List over the components of a problem.
type lister struct {
	*placement
	ctx        context.Context
	opt        Options
	stats      Stats
	components []solved
	dispatcher *dispatcher
	improver   *improver
}

// solved is a component with the best listing found for it.
type solved struct {
	component
	start   []int32 // per message of the component
	horizon int32
	method  string
}

func newLister(ctx context.Context, p *Problem, opt Options) *lister {
	in := newInstance(p)
	pl := newPlacement(in)
	l := &lister{placement: pl, ctx: ctx, opt: opt, dispatcher: newDispatcher(pl, newClocks(in)), improver: newImprover(pl)}
	for _, c := range components(p) {
		l.components = append(l.components, solved{component: c})
	}
	l.stats.Bound = Best(p)
	l.stats.Components = len(l.components)
	return l
}

func (l *lister) cancelled() bool { return l.ctx.Err() != nil }

// run gives every component a first listing, then more to those whose horizon
// is above the bound of the whole problem.
func (l *lister) run() {
	for k := range l.components {
		l.inOrder(&l.components[k], "program order", l.components[k].messages)
	}
	for k := range l.components {
		l.tries(&l.components[k])
	}
}

// tries makes the listings of one component after the first.
func (l *lister) tries(c *solved) {
	left := l.opt.Effort - 1
	more := func() bool {
		left--
		return left >= 0 && c.horizon > l.stats.Bound.Horizon && !l.cancelled()
	}
	if n := len(c.messages); n <= enumerated {
		l.allOrders(c)
		return
	}
	if more() {
		if w := waves(l.instance, &c.component); w != nil {
			l.inOrder(c, "waves", byKey(c.messages, func(k int) int32 { return w[k] }))
		}
	}
	for _, r := range rules {
		if more() {
			l.clear(c)
			l.stats.Tries++
			if l.dispatcher.run(&c.component, r.rule, l.cancelled) {
				l.keep(c, r.name)
			}
		}
	}
	rng := rand.New(rand.NewPCG(l.opt.Seed, uint64(c.messages[0])))
	for more() {
		l.vary(c, rng)
	}
}

// rules are the dispatch rules tried, best first on most instances.
var rules = []struct {
	name string
	rule
}{
	{"dispatch by pressure", rule{byPressure, 1}},
	{"dispatch by critical machine", rule{byCritical, 1}},
}

// clear takes the component's messages off its tiles.
func (l *lister) clear(c *solved) {
	for _, t := range c.tiles {
		l.send[t].reset()
		l.receive[t].reset()
	}
}

// inOrder lists the messages one by one, each at its earliest start in the gaps
// the earlier ones left; R9 predecessors move ahead.
func (l *lister) inOrder(c *solved, method string, order []int32) {
	l.clear(c)
	l.stats.Tries++
	for _, i := range l.legalOrder(order) {
		l.place(i, l.earliest(i, l.released(i)))
	}
	l.keep(c, method)
}

// keep improves the placement of a component and stores it if it is the best.
func (l *lister) keep(c *solved, method string) {
	l.stats.Trials += l.improver.run(&c.component, l.stats.Bound.Horizon, 20*len(c.messages), l.opt.Seed, l.cancelled)
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
	c.horizon, c.method = h, method
}

// vary lists the messages in the order of their best starts, each displaced at
// random by up to a few messages' length.
func (l *lister) vary(c *solved, rng *rand.Rand) {
	shift := l.dispatcher.clocks.send
	reach := 1 + rng.Int32N(4)
	at := make([]int32, len(c.messages))
	for k, i := range c.messages {
		at[k] = c.start[k] + shift[l.source[i]] - rng.Int32N(1+reach*l.items[i])
	}
	l.inOrder(c, "varied "+baseMethod(c.method), byKey(c.messages, func(k int) int32 { return at[k] }))
}

func baseMethod(m string) string {
	const prefix = "varied "
	if len(m) > len(prefix) && m[:len(prefix)] == prefix {
		return m[len(prefix):]
	}
	return m
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
		if c.horizon <= l.stats.Bound.Horizon || l.cancelled() {
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
