package sat

import "fmt"

// Cardinality is an encoding of Σ lits ≤ k over n literals.
type Cardinality uint8

const (
	Sequential Cardinality = iota // counter: at most 2nk clauses, nk variables
	Totalizer                     // merge tree of unary counts: at most nk·log n clauses, n·log n variables
)

// AtMost demands that at most k of the literals hold.
func (f *Formula) AtMost(k int, lits ...Lit) {
	switch n := len(lits); {
	case k >= n:
	case k < 0:
		f.AddClause()
	case k == 0:
		for _, l := range lits {
			f.AddClause(-l)
		}
	case k == 1:
		f.AtMostOne(lits...)
	case k == n-1:
		f.AddClause(negate(lits)...)
	case totalizerClauses(n, k) < sequentialClauses(n, k):
		f.AtMostBy(Totalizer, k, lits...)
	default:
		f.AtMostBy(Sequential, k, lits...)
	}
}

// AtLeast demands that at least k of the literals hold.
func (f *Formula) AtLeast(k int, lits ...Lit) {
	if k == 1 {
		f.AddClause(lits...)
		return
	}
	f.AtMost(len(lits)-k, negate(lits)...)
}

// Exactly demands that k of the literals hold and no other.
func (f *Formula) Exactly(k int, lits ...Lit) {
	f.AtMost(k, lits...)
	f.AtLeast(k, lits...)
}

// AtMostBy is AtMost in a given encoding, for 0 < k < len(lits).
func (f *Formula) AtMostBy(how Cardinality, k int, lits ...Lit) {
	if k <= 0 || k >= len(lits) {
		panic(fmt.Sprintf("sat: at most %d of %d literals", k, len(lits)))
	}
	if how == Totalizer {
		f.AddClause(-f.Count(k+1, lits...)[k])
		return
	}
	// s[j]: more than j of the literals so far.
	var s []Lit
	for i, l := range lits {
		last := i == len(lits)-1
		var next []Lit
		if !last {
			next = f.NewVars(min(k, i+1))
			f.AddClause(-l, next[0])
		}
		for j := range s {
			if !last {
				f.AddClause(-s[j], next[j])
				if j+1 < len(next) {
					f.AddClause(-l, -s[j], next[j+1])
				}
			}
		}
		if len(s) == k {
			f.AddClause(-l, -s[k-1])
		}
		s = next
	}
}

// Count returns literals c[0] … c[most−1] (fewer when there are fewer
// literals); c[j] holds if more than j of the literals do. The converse is not
// demanded: assume −c[k] to have at most k.
func (f *Formula) Count(most int, lits ...Lit) []Lit {
	if most <= 0 || len(lits) == 0 {
		return nil
	}
	if len(lits) == 1 {
		return lits
	}
	a := f.Count(most, lits[:len(lits)/2]...)
	b := f.Count(most, lits[len(lits)/2:]...)
	c := f.NewVars(min(most, len(a)+len(b)))
	for j := range c {
		if j+1 < len(c) {
			f.AddClause(-c[j+1], c[j])
		}
	}
	for i := range a {
		f.AddClause(-a[i], c[i])
	}
	for i := range b {
		f.AddClause(-b[i], c[i])
	}
	for i := range a {
		for j := range b {
			if i+j+1 < len(c) {
				f.AddClause(-a[i], -b[j], c[i+j+1])
			}
		}
	}
	return c
}

// totalizerClauses is the number of clauses of AtMostBy(Totalizer, …), exact
// when n is a power of two.
func totalizerClauses(n, k int) int {
	clauses := 1
	for size, trees := n, 1; size > 1; size, trees = (size+1)/2, 2*trees {
		a, c := min((size+1)/2, k+1), min(size, k+1)
		pairs := 0
		for i := range a {
			pairs += max(0, min(a, c-1-i))
		}
		clauses += trees * (pairs + 2*a + c - 1)
	}
	return clauses
}

// sequentialClauses is the number of clauses of AtMostBy(Sequential, …).
func sequentialClauses(n, k int) int {
	clauses := 0
	for i := range n {
		s := min(k, i)
		if i < n-1 {
			clauses += 1 + s + min(s, min(k, i+1)-1)
		}
		if s == k {
			clauses++
		}
	}
	return clauses
}

func negate(lits []Lit) []Lit {
	not := make([]Lit, len(lits))
	for i, l := range lits {
		not[i] = -l
	}
	return not
}
