package mip

import "math"

// pseudo holds the average gain per unit of distance of every variable and
// every row, per side.
type pseudo struct {
	vars  int
	sum   [2][]float64
	count [2][]int
	all   [2]float64 // totals over all keys
	seen  [2]int
	seed  uint64
}

func newPseudo(in *instance, seed uint64) *pseudo {
	p := &pseudo{vars: len(in.cost), seed: seed}
	for k := range p.sum {
		p.sum[k] = make([]float64, len(in.cost)+len(in.rhs))
		p.count[k] = make([]int, len(in.cost)+len(in.rhs))
	}
	return p
}

// add takes what a worker observed.
func (p *pseudo) add(g *gains) {
	for _, x := range g.list {
		p.sum[x.side][x.key] += x.gain
		p.count[x.side][x.key]++
		p.all[x.side] += x.gain
		p.seen[x.side]++
	}
}

// tie orders equal candidates by the seed (splitmix64).
func (p *pseudo) tie(key int) uint64 {
	z := p.seed + (uint64(key)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// gain is one observation.
type gain struct {
	key, side int
	gain      float64
}

// gains are the observations of one worker in one round.
type gains struct {
	list []gain
	own  [2]map[int]mean // per key
	all  [2]mean
}

// mean is a sum and the number of its terms.
type mean struct {
	sum   float64
	count int
}

func (m mean) and(sum float64, count int) mean { return mean{m.sum + sum, m.count + count} }

func (g *gains) reset() { *g = gains{list: g.list[:0]} }

func (g *gains) observe(key, side int, x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	g.list = append(g.list, gain{key, side, x})
	if g.own[side] == nil {
		g.own[side] = map[int]mean{}
	}
	g.own[side][key] = g.own[side][key].and(x, 1)
	g.all[side] = g.all[side].and(x, 1)
}

// learn takes the gain of a node over its parent.
func (w *worker) learn(n *node, obj float64) {
	if n.parent == nil || n.dist <= 0 {
		return
	}
	side := 0
	if n.parent.kids[1] == n {
		side = 1
	}
	key := n.parent.split.v
	if n.parent.split.zero != nil {
		key = w.pseudo.vars + n.parent.split.row
	}
	w.learned.observe(key, side, max(0, obj-n.parentObj)/n.dist)
}

// known is what search and worker have observed of a key.
func (w *worker) known(key, side int) mean {
	return w.learned.own[side][key].and(w.pseudo.sum[side][key], w.pseudo.count[side][key])
}

func (w *worker) reliable(key int) bool {
	return min(w.known(key, 0).count, w.known(key, 1).count) >= reliable
}

// estimate is the key's average, the average of all keys, or 1.
func (w *worker) estimate(key, side int) float64 {
	m := w.known(key, side)
	if m.count == 0 {
		m = w.learned.all[side].and(w.pseudo.all[side], w.pseudo.seen[side])
	}
	if m.count == 0 {
		return 1
	}
	return m.sum / float64(m.count)
}
