package exchange

import "math/rand/v2"

// rolePlan divides the time of every tile into slices in which it only sends or
// only writes what it receives, for phases whose tiles cannot do both at once
// (R7). A message can pass while its sender is to send and its receiver to
// receive. Each tile has as many slices of either kind, long enough for its
// share, so two tiles with different patterns always have such times in both
// directions.
//
//	s   send ....|receive .|send ...|receive ......
//	d   receive .|send ....|receive ..|send .......
//	    s to d   |d to s   |s to d  |d to s
//
// Patterns are chosen by local search: every message shall have many possible
// starts, and at any time as many partners of a tile shall be in the role
// that it needs, or those who are more would have to wait.
type rolePlan struct {
	*placement
	horizon int32
	pattern []uint32 // per tile: bit k is set if it sends in slice k
	// Per tile, what it may use for sends and for writes: ascending.
	sends, writes [][]span32
	load          [][2]int32 // per tile: events sent, received
	links         [][]link   // per tile
	// Per tile and slice: its receivers that receive, its senders that send.
	hearers, senders []int32
	degree           [][2]float64 // per tile: receivers, senders, by block
	blocks           []block
}

// span32 is a range of events [low, high).
type span32 struct{ low, high int32 }

// link is a block as one of its two tiles sees it.
type link struct {
	block, other int32
	out          bool
}

// block is a run of messages of a train, placed one right behind the other: the
// longer a message, the fewer gaps that are too short for one.
type block struct {
	messages                         []int32
	source, tile, items, write, lead int32
}

// roleSlices is the number of slices: few enough that blocks fit well between
// their ends, enough for each pair of tiles to find slices of opposite roles.
const roleSlices = 16

// newRolePlan gives the tiles of a point-to-point component random patterns.
func newRolePlan(pl *placement, c *component, horizon, longest int32, rng *rand.Rand) *rolePlan {
	tiles := pl.p.Tiles
	r := &rolePlan{placement: pl, horizon: horizon, pattern: make([]uint32, tiles), sends: make([][]span32, tiles), writes: make([][]span32, tiles),
		load: make([][2]int32, tiles), links: make([][]link, tiles), degree: make([][2]float64, tiles),
		hearers: make([]int32, tiles*roleSlices), senders: make([]int32, tiles*roleSlices)}
	open := make(map[int32]int) // block of a train that may grow
	for _, i := range c.messages {
		n, k := pl.items[i], pl.first[i]
		if b, ok := open[pl.train[i]]; ok && r.blocks[b].items+n <= longest {
			r.blocks[b].messages = append(r.blocks[b].messages, i)
			r.blocks[b].items += n
			continue
		}
		open[pl.train[i]] = len(r.blocks)
		r.blocks = append(r.blocks, block{[]int32{i}, pl.source[i], pl.tile[k], n, pl.write[k], pl.lead[k]})
	}
	for k, b := range r.blocks {
		r.links[b.source] = append(r.links[b.source], link{int32(k), b.tile, true})
		r.links[b.tile] = append(r.links[b.tile], link{int32(k), b.source, false})
		r.load[b.source][0] += b.items
		r.load[b.tile][1] += b.items
		r.degree[b.source][0]++
		r.degree[b.tile][1]++
	}
	for _, t := range c.tiles {
		r.set(t, randomPattern(rng))
	}
	for _, t := range c.tiles {
		r.count(t, 1)
	}
	return r
}

// randomPattern has as many slices of either role.
func randomPattern(rng *rand.Rand) uint32 {
	w, left := uint32(0), roleSlices/2
	for k := range roleSlices {
		if rng.IntN(roleSlices-k) < left {
			w |= 1 << k
			left--
		}
	}
	return w
}

// set gives tile t a pattern. Its slices of one role are equally long, so that
// they last for its share; nothing arrives for a write delay at first, and what
// is sent so late in the end would not complete.
func (r *rolePlan) set(t int32, pattern uint32) {
	r.pattern[t] = pattern
	sent, received := float64(r.load[t][0]), float64(r.load[t][1])
	idle := float64(r.delay[t] + guard)
	var lost [2]float64 // sending, receiving
	if pattern>>(roleSlices-1) != 0 {
		lost[0] = idle
	}
	if pattern&1 == 0 {
		lost[1] = idle
	}
	scale := (float64(r.horizon) - lost[0] - lost[1]) / (sent + received)
	long := [2]float64{(scale*sent + lost[0]) / (roleSlices / 2), (scale*received + lost[1]) / (roleSlices / 2)}
	r.sends[t], r.writes[t] = r.sends[t][:0], r.writes[t][:0]
	end := 0.0
	for k := 0; k < roleSlices; {
		low, bit := int32(end), pattern>>k&1
		for ; k < roleSlices && pattern>>k&1 == bit; k++ {
			end += long[1-bit]
		}
		high := int32(end)
		if k == roleSlices {
			high = r.horizon
		}
		if bit != 0 {
			r.sends[t] = append(r.sends[t], span32{low, high})
		} else {
			r.writes[t] = append(r.writes[t], span32{low, high - guard})
		}
	}
}

// starts calls visit for the ranges low..high of starts that the roles admit,
// ascending, until it gives false.
func (r *rolePlan) starts(b *block, visit func(low, high int32) bool) {
	s, d := r.sends[b.source], r.writes[b.tile]
	for len(s) > 0 && len(d) > 0 {
		low, high := max(s[0].low, d[0].low-b.write), min(s[0].high, d[0].high-b.write)-b.items
		if low <= high && !visit(low, high) {
			return
		}
		if s[0].high < d[0].high-b.write {
			s = s[1:]
		} else {
			d = d[1:]
		}
	}
}

// count adds the tile's pattern to what its partners find, or takes it away.
func (r *rolePlan) count(t, sign int32) {
	for _, l := range r.links[t] {
		for k := range roleSlices {
			switch sends := r.pattern[t]>>k&1 != 0; {
			case l.out && sends:
				r.senders[int(l.other)*roleSlices+k] += sign
			case !l.out && !sends:
				r.hearers[int(l.other)*roleSlices+k] += sign
			}
		}
	}
}

// improve tries some patterns on every tile and keeps the best.
func (r *rolePlan) improve(c *component, rounds, tries int, rng *rand.Rand, ended func() bool) {
	// balanced weighs an even number of partners against the room of messages.
	const balanced = 0.3
	for range rounds {
		for _, t := range c.tiles {
			if ended() {
				return
			}
			r.count(t, -1)
			// The squares of the numbers grow by so much if t sends in a slice, less
			// what they would if it received.
			var price [roleSlices]float64
			for _, l := range r.links[t] {
				for k := range price {
					at := int(l.other)*roleSlices + k
					if l.out {
						price[k] += float64(2*r.senders[at]+1) / r.degree[l.other][1]
					} else {
						price[k] -= float64(2*r.hearers[at]+1) / r.degree[l.other][0]
					}
				}
			}
			uneven := func(pattern uint32) float64 {
				sum := 0.0
				for k := range price {
					if pattern>>k&1 != 0 {
						sum += price[k]
					}
				}
				return balanced * sum
			}
			best := r.pattern[t]
			least := uneven(best) + r.tightness(t)
			for range tries {
				w := randomPattern(rng)
				u := uneven(w)
				if u >= least {
					continue
				}
				r.set(t, w)
				if v := u + r.tightness(t); v < least {
					best, least = w, v
				}
			}
			r.set(t, best)
			r.count(t, 1)
		}
	}
}

// tightness is large if blocks of the tile have few starts.
func (r *rolePlan) tightness(t int32) float64 {
	sum := 0.0
	for _, l := range r.links[t] {
		b, room := &r.blocks[l.block], int32(0)
		r.starts(b, func(low, high int32) bool {
			room += high - low + 1
			return true
		})
		sum += float64(b.items) / float64(room+4)
	}
	return sum
}
