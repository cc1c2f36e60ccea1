package encode

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/mip"
)

// heaviestByForce tries every matching.
func heaviestByForce(l *local, weight []int64) int64 {
	var best int64
	usedL, usedR := make([]bool, l.senders), make([]bool, l.receivers)
	var rec func(e int, sum int64)
	rec = func(e int, sum int64) {
		best = max(best, sum)
		if e == len(l.from) {
			return
		}
		rec(e+1, sum)
		if a, b := l.from[e], l.to[e]; !usedL[a] && !usedR[b] {
			usedL[a], usedR[b] = true, true
			rec(e+1, sum+weight[e])
			usedL[a], usedR[b] = false, false
		}
	}
	rec(0, 0)
	return best
}

// The weight is the greatest, and the potentials prove it.
func TestHeaviestMatching(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for n := range 4000 {
		l := &local{senders: 1 + r.IntN(5), receivers: 1 + r.IntN(5)}
		var weight []int64
		span := []int{3, 20, 1 << 40}[n%3]
		for range r.IntN(13) {
			l.from, l.to = append(l.from, int32(r.IntN(l.senders))), append(l.to, int32(r.IntN(l.receivers)))
			weight = append(weight, int64(r.IntN(span))-int64(span/5))
		}
		w := newMatcher(l)
		for range 2 { // also with what a search before has left
			got := w.heaviest(weight)
			if want := heaviestByForce(l, weight); got != want {
				t.Fatalf("%d, want %d: %+v %v", got, want, l, weight)
			}
			var sum int64
			for a, u := range w.u {
				if sum += u; u < 0 || u > 0 && w.edgeOfL[a] == noEdge {
					t.Fatalf("potential %d of sender %d", u, a)
				}
			}
			for b, v := range w.v {
				if sum += v; v < 0 || v > 0 && w.edgeOfR[b] == noEdge {
					t.Fatalf("potential %d of receiver %d", v, b)
				}
			}
			for e := range weight {
				if w.u[l.from[e]]+w.v[l.to[e]] < weight[e] {
					t.Fatalf("edge %d is not covered", e)
				}
			}
			if sum != got {
				t.Fatalf("potentials prove %d of %d", sum, got)
			}
			for a, e := range w.edgeOfL {
				if e != noEdge && (l.from[e] != int32(a) || w.edgeOfR[l.to[e]] != e) {
					t.Fatalf("sender %d has edge %d", a, e)
				}
			}
			for e := range weight {
				weight[e] += int64(r.IntN(5)) - 2
			}
		}
	}
}

func randomMatching(r *rand.Rand, ends, demands, words int) *Matching {
	m := &Matching{Name: "random", Senders: ends, Receivers: ends}
	for range demands {
		m.Demands = append(m.Demands, Demand{r.IntN(ends), r.IntN(ends), int64(1 + r.IntN(words))})
	}
	return m
}

func solvedMatching(t *testing.T, m *Matching, opt solve.Options) *Rounds {
	t.Helper()
	x, err := SolveMatching(context.Background(), m, mip.Solver{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(x); err != nil {
		t.Fatal(err)
	}
	return x
}

// Split rounds take as long as the busiest end has words, never longer.
func TestSplitRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	for n := range 600 {
		m := randomMatching(r, 1+r.IntN(12), r.IntN(60), 1+n%200)
		x := solvedMatching(t, m, solve.Options{})
		load := make([]int64, 2*m.Senders)
		var most int64
		for _, d := range m.Demands {
			load[d.From] += d.Words
			load[m.Senders+d.To] += d.Words
			most = max(most, load[d.From], load[m.Senders+d.To])
		}
		if x.Total != most || x.Bound != most || x.Status != solve.Optimal {
			t.Fatalf("total %d, bound %d, load %d", x.Total, x.Bound, most)
		}
		for _, p := range x.Components {
			ends := m.local(p.Demands)
			if len(p.Rounds) > len(p.Demands)+ends.senders+ends.receivers {
				t.Errorf("%d rounds for %d demands", len(p.Rounds), len(p.Demands))
			}
			if load[p.Busiest] != p.Load || p.Total > p.Load {
				t.Errorf("part takes %d, busiest end %d", p.Total, load[p.Busiest])
			}
		}
	}
}

// Column generation over all matchings ends at the load of the busiest end: the
// theorem of Birkhoff and von Neumann, found again by prices.
func TestSplitColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	for range 25 {
		m := randomMatching(r, 2+r.IntN(10), 5+r.IntN(40), 50)
		problems, err := m.Columns()
		if err != nil {
			t.Fatal(err)
		}
		parts := m.parts()
		for k, p := range problems {
			x, err := mip.Solver{}.SolveColumns(context.Background(), p, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Check(context.Background(), x); err != nil {
				t.Fatal(err)
			}
			want := big.NewRat(parts[k].Load, 1)
			if !x.Converged || x.Bound.Cmp(want) != 0 || math.Abs(x.Relaxation-float64(parts[k].Load)) > 1e-5*(1+x.Relaxation) {
				t.Errorf("relaxation %g, bound %v, load %d", x.Relaxation, x.Bound, parts[k].Load)
			}
			if x.Objective == nil || x.Objective.Cmp(want) != 0 {
				t.Errorf("whole numbers: %v, load %d", x.Objective, parts[k].Load)
			}
		}
	}
}

// wholeByForce partitions the demands into rounds in every way.
func wholeByForce(m *Matching) int64 {
	best := int64(math.MaxInt64)
	type round struct {
		used    map[int]bool
		longest int64
	}
	var rounds []*round
	var rec func(e int, sum int64)
	rec = func(e int, sum int64) {
		if sum >= best {
			return
		}
		if e == len(m.Demands) {
			best = sum
			return
		}
		d := &m.Demands[e]
		put := func(r *round) {
			old := r.longest
			r.used[d.From], r.used[m.Senders+d.To] = true, true
			r.longest = max(old, d.Words)
			rec(e+1, sum+r.longest-old)
			delete(r.used, d.From)
			delete(r.used, m.Senders+d.To)
			r.longest = old
		}
		for _, r := range rounds {
			if !r.used[d.From] && !r.used[m.Senders+d.To] {
				put(r)
			}
		}
		rounds = append(rounds, &round{used: map[int]bool{}})
		put(rounds[len(rounds)-1])
		rounds = rounds[:len(rounds)-1]
	}
	rec(0, 0)
	return best
}

func TestWholeRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	optimal, above := 0, 0
	for range 250 {
		m := randomMatching(r, 2+r.IntN(3), 1+r.IntN(9), 12)
		m.Whole = true
		x := solvedMatching(t, m, solve.Options{})
		// Parts run side by side: the longest decides.
		var want, load int64
		for _, p := range x.Components {
			part := &Matching{Senders: m.Senders, Receivers: m.Receivers, Whole: true}
			for _, e := range p.Demands {
				part.Demands = append(part.Demands, m.Demands[e])
			}
			best := wholeByForce(part)
			want, load = max(want, best), max(load, p.Load)
			if p.Bound > best {
				t.Fatalf("bound %d of a part that takes %d", p.Bound, best)
			}
		}
		if x.Total != want {
			t.Errorf("total %d, want %d", x.Total, want)
		}
		if x.Status == solve.Optimal {
			optimal++
		}
		if x.Bound > load {
			above++
		}
	}
	if t.Logf("%d proven, %d by a bound above the load", optimal, above); optimal < 225 || above < 20 {
		t.Errorf("%d proven, %d by a bound above the load", optimal, above)
	}
}

// A larger instance: the bound holds, the rounds are close, the same effort gives
// the same rounds.
func TestWholeRoundsLarger(t *testing.T) {
	m := randomMatching(rand.New(rand.NewPCG(1, 70)), 12, 60, 100)
	m.Whole = true
	x := solvedMatching(t, m, solve.Options{Effort: 6000})
	p := &x.Components[0]
	first := total(m.longestFirst(p.Demands))
	t.Logf("load %d, bound %d, total %d, longest first %d, %+v", p.Load, x.Bound, x.Total, first, p.Stats)
	if x.Bound < p.Load || x.Total >= first {
		t.Errorf("load %d, bound %d, total %d, longest first %d", p.Load, x.Bound, x.Total, first)
	}
	if x.Bound > p.Load {
		problems, err := m.Columns()
		if err != nil {
			t.Fatal(err)
		}
		bound := &solve.ColumnResult{Status: solve.Unknown, Bound: big.NewRat(p.Bound, 1), Proof: p.Proof}
		if err := problems[0].Check(context.Background(), bound); err != nil {
			t.Error(err)
		}
		bound.Bound = big.NewRat(p.Bound+1, 1)
		if problems[0].Check(context.Background(), bound) == nil {
			t.Error("a higher bound is accepted")
		}
	}
	again := solvedMatching(t, m, solve.Options{Effort: 6000})
	if again.Total != x.Total || again.Bound != x.Bound || again.Components[0].Stats != p.Stats {
		t.Errorf("the same effort gives %d and %d", x.Total, again.Total)
	}
}

func TestMatchingRefused(t *testing.T) {
	for name, d := range map[string]Demand{"sender": {2, 0, 1}, "receiver": {0, -1, 1}, "no words": {0, 0, 0}, "too many": {0, 0, mostWords + 1}} {
		m := &Matching{Senders: 2, Receivers: 2, Demands: []Demand{d}}
		if _, err := SolveMatching(context.Background(), m, mip.Solver{}, solve.Options{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	m := randomMatching(rand.New(rand.NewPCG(71, 72)), 4, 12, 9)
	for name, change := range map[string]func(x *Rounds){
		"total":     func(x *Rounds) { x.Total-- },
		"duration":  func(x *Rounds) { x.Components[0].Rounds[0].Duration++; x.Components[0].Total++; x.Total++ },
		"pair":      func(x *Rounds) { r := &x.Components[0].Rounds[0]; r.Pairs = r.Pairs[1:] },
		"pair more": func(x *Rounds) { r := &x.Components[0].Rounds[0]; r.Pairs = append(r.Pairs, r.Pairs[0]) },
		"outside":   func(x *Rounds) { x.Components[0].Rounds[0].Pairs[0] = 99 },
		"bound":     func(x *Rounds) { x.Components[0].Bound = x.Total + 1 },
	} {
		x := solvedMatching(t, m, solve.Options{})
		change(x)
		if m.Check(x) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Matchings of greatest weight as pricing asks for them, and peeling, on sizes of
// an exchange phase: 1472 tiles in one component.
func BenchmarkMatching(b *testing.B) {
	m := randomMatching(rand.New(rand.NewPCG(73, 74)), 1472, 12000, 200)
	b.Run("heaviest", func(b *testing.B) {
		demands := make([]int, len(m.Demands))
		weight := make([]int64, len(m.Demands))
		r := rand.New(rand.NewPCG(75, 76))
		for e := range demands {
			demands[e], weight[e] = e, r.Int64N(1<<30)
		}
		w := newMatcher(m.local(demands))
		for b.Loop() {
			w.heaviest(weight)
		}
	})
	b.Run("split", func(b *testing.B) {
		rounds := 0
		for b.Loop() {
			x, err := SolveMatching(context.Background(), m, mip.Solver{}, solve.Options{})
			if err != nil {
				b.Fatal(err)
			}
			rounds = len(x.Components[0].Rounds)
		}
		b.ReportMetric(float64(rounds), "rounds")
	})
}
