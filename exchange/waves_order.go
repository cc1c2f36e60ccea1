package exchange

import (
	"math/rand/v2"
	"slices"
)

// waveOrder looks for a good order of waves: which of them go first decides how
// route lags add up along a tile's lanes, from nothing to tens of events a wave
// (reference: exchange.md §12, clock shift). It evaluates an order by listing
// its messages by windows alone, with one pass over all of them.
type waveOrder struct {
	*placement
	waves [][]int32 // messages
	tails []int32   // per message of the instance, set for those in waves
	// Per tile: when the send and the receive lane are free.
	sent, heard []int32
	goal        int32
}

// orderWaves renumbers the waves of a component's messages: from several orders, the
// given one first, the best that exchanging two waves leads to. It stops when the
// goal is reached, so many messages were listed, or ended says so.
func (pl *placement) orderWaves(c *component, wave []int32, goal int32, budget int, rng *rand.Rand, ended func() bool) {
	w := waveOrder{placement: pl, goal: goal, sent: make([]int32, pl.p.Tiles), heard: make([]int32, pl.p.Tiles), tails: make([]int32, len(pl.items))}
	w.waves = make([][]int32, 1+slices.Max(wave))
	for k, i := range c.messages {
		w.waves[wave[k]] = append(w.waves[wave[k]], i)
		w.tails[i] = pl.tail(i)
	}
	count := len(w.waves)
	order := make([]int, count) // of waves
	for k := range order {
		order[k] = k
	}
	best, least := slices.Clone(order), w.excess(c, order)
	const starts = 16
	budget -= len(c.messages)
	for start := 0; start < starts && least > 0 && budget > 0 && !ended(); start++ {
		if start > 0 {
			rng.Shuffle(count, func(a, b int) { order[a], order[b] = order[b], order[a] })
		}
		now := w.excess(c, order)
		budget -= len(c.messages)
		for better := true; better && now > 0 && budget > 0 && !ended(); {
			better = false
			for a := range order {
				for b := range a {
					if budget <= 0 || ended() {
						break
					}
					order[a], order[b] = order[b], order[a]
					budget -= len(c.messages)
					if e := w.excess(c, order); e < now {
						now, better = e, true
					} else {
						order[a], order[b] = order[b], order[a]
					}
				}
			}
		}
		if now < least {
			least = now
			copy(best, order)
		}
	}
	rank := make([]int32, count)
	for place, k := range best {
		rank[k] = int32(place)
	}
	for k := range wave {
		wave[k] = rank[wave[k]]
	}
}

// excess is the sum over all messages of the squares of what they complete late.
func (w *waveOrder) excess(c *component, order []int) int64 {
	for _, t := range c.tiles {
		w.sent[t], w.heard[t] = 0, 0
	}
	sum := int64(0)
	for _, k := range order {
		for _, i := range w.waves[k] {
			s, f, n := w.source[i], w.first[i], w.items[i]
			d, lead := w.tile[f], w.lead[f]
			x := max(w.sent[s], w.heard[d]-lead, w.head[i])
			w.sent[s], w.heard[d] = x+n, x+n+lead
			if late := int64(x + n + w.tails[i] - w.goal); late > 0 {
				sum += late * late
			}
		}
	}
	return sum
}
