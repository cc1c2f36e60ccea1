package sat

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkAll compares a formula over the inputs with holds on every assignment.
func checkAll(t *testing.T, what string, f *Formula, inputs []Lit, holds func(bits uint) bool) {
	t.Helper()
	assume := make([]Lit, len(inputs))
	for bits := range uint(1) << len(inputs) {
		for i, l := range inputs {
			assume[i] = l
			if bits>>i&1 == 0 {
				assume[i] = -l
			}
		}
		if got := f.Solve(context.Background(), assume...); got == Satisfiable != holds(bits) {
			t.Fatalf("%s: %v at %0*b", what, got, len(inputs), bits)
		}
	}
}

func ones(bits uint) int {
	n := 0
	for ; bits != 0; bits &= bits - 1 {
		n++
	}
	return n
}

func TestAtMostOne(t *testing.T) {
	for n := range 13 {
		for how, name := range []string{"pairwise", "commander", "product", "chosen", "exactly"} {
			f := New()
			x := f.NewVars(n)
			want := func(bits uint) bool { return ones(bits) <= 1 }
			switch {
			case how < 3:
				f.AtMostOneBy(AMO(how), x...)
			case how == 3:
				f.AtMostOne(x...)
			default:
				f.ExactlyOne(x...)
				want = func(bits uint) bool { return ones(bits) == 1 }
			}
			checkAll(t, fmt.Sprintf("%s of %d", name, n), f, x, want)
		}
	}
}

// The chosen encoding is the smallest one, within two clauses.
func TestAtMostOneSize(t *testing.T) {
	for n := range 60 {
		size := func(encode func(f *Formula, x []Lit)) int {
			f := New()
			encode(f, f.NewVars(n))
			return f.Clauses()
		}
		chosen := size(func(f *Formula, x []Lit) { f.AtMostOne(x...) })
		for how := range 3 {
			if s := size(func(f *Formula, x []Lit) { f.AtMostOneBy(AMO(how), x...) }); s < chosen-2 {
				t.Errorf("%d literals: %d clauses, encoding %d has %d", n, chosen, how, s)
			}
		}
	}
}

func TestCardinality(t *testing.T) {
	for n := range 9 {
		for k := -1; k <= n+1; k++ {
			for how, name := range []string{"sequential", "totalizer", "at most", "at least", "exactly"} {
				f := New()
				x := f.NewVars(n)
				want := func(bits uint) bool { return ones(bits) <= k }
				switch how {
				case 0, 1:
					if k <= 0 || k >= n {
						continue
					}
					f.AtMostBy(Cardinality(how), k, x...)
					if how == int(Totalizer) && f.Clauses() != totalizerClauses(n, k) && n&(n-1) == 0 {
						t.Errorf("totalizer of %d up to %d: %d clauses, counted %d", n, k, f.Clauses(), totalizerClauses(n, k))
					}
					if how == int(Sequential) && f.Clauses() != sequentialClauses(n, k) {
						t.Errorf("counter of %d up to %d: %d clauses, counted %d", n, k, f.Clauses(), sequentialClauses(n, k))
					}
				case 2:
					f.AtMost(k, x...)
				case 3:
					f.AtLeast(k, x...)
					want = func(bits uint) bool { return ones(bits) >= k }
				default:
					f.Exactly(k, x...)
					want = func(bits uint) bool { return ones(bits) == k }
				}
				checkAll(t, fmt.Sprintf("%s %d of %d", name, k, n), f, x, want)
			}
		}
	}
}

// TestLinear draws weights of both signs, repeated literals and every encoding,
// plain and under a guard.
func TestLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for round := range 500 {
		f := New()
		x := f.NewVars(1 + r.IntN(7))
		inputs := slices.Clone(x)
		var terms []Weighted
		spread := int64(1) << (2 * r.IntN(10))
		for range r.IntN(10) {
			l := x[r.IntN(len(x))]
			if r.IntN(2) == 0 {
				l = -l
			}
			terms = append(terms, Weighted{l, r.Int64N(2*spread+1) - spread})
		}
		sum := func(bits uint) int64 {
			var s int64
			for _, w := range terms {
				if bits>>(max(w.Lit, -w.Lit)-1)&1 != 0 == (w.Lit > 0) {
					s += w.Weight
				}
			}
			return s
		}
		bound := sum(uint(r.IntN(1<<len(x)))) + r.Int64N(3) - 1
		guarded := r.IntN(2) == 0
		guard := func(add func()) { add() }
		if guarded {
			g := f.NewVar()
			inputs = append(inputs, g)
			guard = func(add func()) { f.Under(g, add) }
		}
		how := r.IntN(4)
		guard(func() {
			switch how {
			case 0, 1:
				f.LinearAtMostBy(PseudoBoolean(how), bound, terms...)
			case 2:
				f.LinearAtMost(bound, terms...)
			default:
				f.LinearAtLeast(bound, terms...)
			}
		})
		checkAll(t, fmt.Sprintf("round %d: encoding %d of %v, bound %d", round, how, terms, bound), f, inputs, func(bits uint) bool {
			s := sum(bits & (1<<len(x) - 1))
			return guarded && bits>>len(x) == 0 || s == bound || s < bound == (how < 3)
		})
	}
}

// Weights near the limit do not overflow.
func TestLinearHuge(t *testing.T) {
	const half = maxWeight / 2
	for _, bound := range []int64{-1 << 63, -half - 1, -half, -1, 0, half - 1, half, 1<<63 - 1} {
		for how := range 3 {
			f := New()
			x := f.NewVars(2)
			terms := []Weighted{{x[0], half}, {-x[1], -half}}
			if how < 2 {
				f.LinearAtMostBy(PseudoBoolean(how), bound, terms...)
			} else {
				f.LinearAtMost(bound, terms...)
			}
			checkAll(t, fmt.Sprintf("encoding %d, bound %d", how, bound), f, x, func(bits uint) bool {
				var s int64
				if bits&1 != 0 {
					s += half
				}
				if bits&2 == 0 {
					s -= half
				}
				return s <= bound
			})
		}
	}
}

func TestInt(t *testing.T) {
	for _, c := range []struct{ xLow, xHigh, yLow, yHigh int64 }{{0, 0, 0, 0}, {-3, 4, 0, 6}, {2, 5, -9, 1}, {7, 9, 0, 20}} {
		for d := int64(-12); d <= 12; d++ {
			f := New()
			x, y := f.NewInt(c.xLow, c.xHigh), f.NewInt(c.yLow, c.yHigh)
			g := f.NewVar()
			f.Under(g, func() { f.Difference(x, y, d) })
			for i := c.xLow - 1; i <= c.xHigh+1; i++ {
				for j := c.yLow; j <= c.yHigh; j++ {
					inside := i >= c.xLow && i <= c.xHigh
					for _, guard := range []Lit{g, -g} {
						a := f.Solve(context.Background(), guard, x.AtMost(i), x.AtLeast(i), y.AtMost(j), y.AtLeast(j))
						if want := inside && (guard < 0 || i-j <= d); (a == Satisfiable) != want {
							t.Fatalf("%+v: x = %d, y = %d, x−y ≤ %d, guard %v: %v", c, i, j, d, guard > 0, a)
						}
						if a == Satisfiable && (x.Value() != i || y.Value() != j) {
							t.Fatalf("%+v: values %d, %d for %d, %d", c, x.Value(), y.Value(), i, j)
						}
					}
				}
			}
		}
	}
}

// TestMinimise compares with all assignments, and the formula must survive.
func TestMinimise(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for round := range 300 {
		f := New()
		n := 2 + r.IntN(8)
		f.NewVars(n)
		var clauses [][]Lit
		for range r.IntN(4 * n) {
			clauses = append(clauses, randomClause(r, n, 1+r.IntN(3)))
			f.AddClause(clauses[len(clauses)-1]...)
		}
		var terms []Weighted
		for v := range n {
			w := int64(1)
			if round%2 == 0 {
				w = r.Int64N(41) - 20
			}
			terms = append(terms, Weighted{Lit(v+1) * Lit(1-2*r.IntN(2)), w})
		}
		want, any := int64(0), false
		for bits := range uint(1) << n {
			if !satisfies(bits, clauses) {
				continue
			}
			var s int64
			for _, w := range terms {
				if bits>>(max(w.Lit, -w.Lit)-1)&1 != 0 == (w.Lit > 0) {
					s += w.Weight
				}
			}
			if !any || s < want {
				want, any = s, true
			}
		}
		last := int64(1 << 40)
		best, found, proven := f.Minimise(context.Background(), terms, 0, func(s int64) {
			if s >= last {
				t.Errorf("round %d: %d after %d", round, s, last)
			}
			last = s
		})
		if !proven || found != any || any && (best != want || last != want) {
			t.Fatalf("round %d: best %d, found %v, proven %v; want %d, %v", round, best, found, proven, want, any)
		}
		if a := f.Solve(context.Background()); (a == Satisfiable) != any {
			t.Fatalf("round %d: %v afterwards", round, a)
		}
		if _, _, proven := f.Minimise(context.Background(), terms, 1, func(int64) {}); any && proven && want != least(terms) {
			t.Fatalf("round %d: proven with one call", round)
		}
	}
}

func least(terms []Weighted) int64 {
	var s int64
	for _, t := range terms {
		s += min(t.Weight, 0)
	}
	return s
}

// BenchmarkEncodings reports the size of every encoding.
func BenchmarkEncodings(b *testing.B) {
	run := func(name string, n int, encode func(f *Formula, x []Lit)) {
		b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
			var f *Formula
			for b.Loop() {
				f = New()
				encode(f, f.NewVars(n))
			}
			b.ReportMetric(float64(f.Clauses()), "clauses")
			b.ReportMetric(float64(f.Vars()-n), "variables")
		})
	}
	for _, n := range []int{6, 9, 30, 300} {
		run("amo/pairwise", n, func(f *Formula, x []Lit) { f.AtMostOneBy(Pairwise, x...) })
		run("amo/commander", n, func(f *Formula, x []Lit) { f.AtMostOneBy(Commander, x...) })
		run("amo/product", n, func(f *Formula, x []Lit) { f.AtMostOneBy(Product, x...) })
	}
	for _, n := range []int{10, 100} {
		for _, k := range []int{2, n / 4, n / 2} {
			run(fmt.Sprintf("card/sequential/k=%d", k), n, func(f *Formula, x []Lit) { f.AtMostBy(Sequential, k, x...) })
			run(fmt.Sprintf("card/totalizer/k=%d", k), n, func(f *Formula, x []Lit) { f.AtMostBy(Totalizer, k, x...) })
		}
	}
	for _, n := range []int{10, 40} {
		for _, spread := range []int64{10, 1000} {
			terms := func(x []Lit) (terms []Weighted, bound int64) {
				r := rand.New(rand.NewPCG(2, 2))
				for _, l := range x {
					terms = append(terms, Weighted{l, 1 + r.Int64N(spread)})
				}
				return terms, weigh(terms) / 2
			}
			run(fmt.Sprintf("linear/bdd/weights=%d", spread), n, func(f *Formula, x []Lit) {
				t, bound := terms(x)
				f.LinearAtMostBy(BDD, bound, t...)
			})
			run(fmt.Sprintf("linear/adder/weights=%d", spread), n, func(f *Formula, x []Lit) {
				t, bound := terms(x)
				f.LinearAtMostBy(Adder, bound, t...)
			})
		}
	}
}
