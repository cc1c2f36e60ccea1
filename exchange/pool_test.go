package exchange

import (
	"math/rand/v2"
	"testing"
)

// TestPoolAgreesWithPlacement inserts messages at random starts: a start has no
// conflicts exactly if placement would leave the message there, and it is free
// again once all that were found are gone. Weights tell the same as lists.
func TestPoolAgreesWithPlacement(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	free, taken := 0, 0
	for range 300 {
		p := tangled(rng, 4+rng.IntN(30), 2+rng.IntN(8), []int32{1, 1, 2, 3, 8, 40, 64})
		in := newInstance(p)
		m := newPool(newPlacement(in))
		m.horizon, m.rng = 1500, rng
		for i := range in.items {
			m.weight[i] = 1 + rng.Int32N(5)
		}
		for s := range m.pairless {
			m.pairless[s] = rng.IntN(4) == 0
		}
		for range 6 * len(in.items) {
			i := rng.Int32N(int32(len(in.items)))
			if m.placed[i] {
				m.unplace(i)
				m.placed[i] = false
			}
			x := m.head[i] + rng.Int32N(300)
			m.look(i)
			weight := m.conflicts(i, x)
			legal := m.earliest(i, x, never) == x
			ordered := true
			for j := range in.items {
				for _, o := range in.precedence(int32(j)) {
					if int32(j) == i && m.placed[o.earlier] && x < m.start[o.earlier]+o.lag || o.earlier == i && m.placed[j] && m.start[j] < x+o.lag {
						ordered = false
					}
				}
			}
			if (weight == 0) != (legal && ordered) {
				t.Fatalf("message %d at %d: weight %d, placement legal %v, memory order %v\n%+v", i, x, weight, legal, ordered, p.Messages)
			}
			if weight == 0 {
				free++
			} else {
				taken++
			}
			for _, j := range m.found {
				m.eject(j)
			}
			if w := m.conflicts(i, x); w != 0 {
				t.Fatalf("message %d at %d: weight %d is left", i, x, w)
			}
			m.settleAt(i, x)
		}
	}
	if free < 1000 || taken < 1000 {
		t.Errorf("%d starts were free, %d taken", free, taken)
	}
}

// TestPoolRanks compares the offered starts with all starts there are: none is
// cheaper by windows, and each is as cheap as it says.
func TestPoolRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for range 300 {
		p := tangled(rng, 4+rng.IntN(20), 2+rng.IntN(6), []int32{1, 2, 3, 8, 40})
		in := newInstance(p)
		m := newPool(newPlacement(in))
		m.horizon, m.rng = 600, rng
		for i := range in.items {
			i := int32(i)
			m.weight[i] = 1 + rng.Int32N(5)
			m.look(i)
			windows := func(x int32) int64 {
				sum := int64(0)
				for q := range m.views {
					v := &m.views[q]
					for k := range v.start {
						if v.start[k]-v.front < x && x < v.end[k]-v.back {
							sum += m.weigh(v, k)
						}
					}
				}
				return sum
			}
			if len(m.views) > 6 {
				continue // ranks some lanes only
			}
			m.rank(i)
			least := int64(never)
			for x := m.head[i]; x <= m.latest(i); x++ {
				least = min(least, windows(x))
			}
			for k, o := range m.offer {
				if w := windows(o.start); w != o.weight || o.start < m.head[i] || o.start > m.latest(i) {
					t.Fatalf("start %d weighs %d, offered at %d", o.start, w, o.weight)
				}
				if k == 0 && o.weight != least {
					t.Fatalf("best offer weighs %d, there is %d", o.weight, least)
				}
			}
			if len(m.offer) == 0 {
				t.Fatal("no offer")
			}
			x := m.offer[0].start
			m.conflicts(i, x)
			for _, j := range m.found {
				m.eject(j)
			}
			m.settleAt(i, x)
		}
	}
}

// TestEjectionGains: from a listing that is not in waves ejection comes close to
// the bound.
func TestEjectionGains(t *testing.T) {
	for seed := range uint64(3) {
		p := shifts(200, 10, 16, seed+1)
		with, stats := list(t, p, Options{Effort: 8, Off: map[string]bool{ByWaves: true}})
		without, _ := list(t, p, Options{Effort: 8, Off: map[string]bool{ByWaves: true, ByEjection: true}})
		t.Logf("bound %d, horizon %d, %d without", stats.Bound.Horizon, with.Horizon, without.Horizon)
		if with.Horizon >= without.Horizon || float64(with.Horizon) > 1.06*float64(stats.Bound.Horizon) {
			t.Errorf("seed %d: horizon %d, %d without, bound %d", seed, with.Horizon, without.Horizon, stats.Bound.Horizon)
		}
		if err := illegal(p, with); err != nil {
			t.Error(err)
		}
	}
}

// TestWaveOrderGains: rounds of one length differ in what their order costs.
func TestWaveOrderGains(t *testing.T) {
	p := shifts(200, 8, 128, 1)
	off := map[string]bool{ByEjection: true, ByDispatch: true}
	with, _ := list(t, p, Options{Effort: 4, Off: off})
	without, _ := list(t, p, Options{Effort: 4, Off: map[string]bool{ByEjection: true, ByDispatch: true, ByWaveOrder: true}})
	if with.Horizon >= without.Horizon {
		t.Errorf("horizon %d, %d in the given order", with.Horizon, without.Horizon)
	}
}
