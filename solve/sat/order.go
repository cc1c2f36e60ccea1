package sat

import "fmt"

// Int is an integer in [Lower, Upper] in order encoding: a variable for x ≤ v,
// Lower ≤ v < Upper.
type Int struct {
	Lower, Upper int64
	most         []Lit
	f            *Formula
}

// MaxIntSize bounds Upper − Lower of an Int.
const MaxIntSize = 1 << 24

// NewInt makes an integer variable. Guards in force do not apply to its own
// clauses. It panics when lower > upper or on more than MaxIntSize values.
func (f *Formula) NewInt(lower, upper int64) *Int {
	if lower > upper || uint64(upper)-uint64(lower) > MaxIntSize {
		panic(fmt.Sprintf("sat: integer in [%d, %d]", lower, upper))
	}
	x := &Int{Lower: lower, Upper: upper, most: f.NewVars(int(upper - lower)), f: f}
	for i := 1; i < len(x.most); i++ {
		f.add([]Lit{-x.most[i-1], x.most[i]}, nil)
	}
	return x
}

// AtMost is the literal x ≤ v.
func (x *Int) AtMost(v int64) Lit {
	switch {
	case v < x.Lower:
		return -x.f.True()
	case v >= x.Upper:
		return x.f.True()
	}
	return x.most[v-x.Lower]
}

// AtLeast is the literal x ≥ v.
func (x *Int) AtLeast(v int64) Lit { return -x.AtMost(v - 1) }

// Value is x in the model of the last Solve.
func (x *Int) Value() int64 {
	low, high := x.Lower, x.Upper
	for low < high {
		mid := low + (high-low)/2
		if x.f.Value(x.AtMost(mid)) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// Difference demands x − y ≤ c. Under a guard that a Boolean implies, this is
// the conditional constraint of disjunctive problems.
func (f *Formula) Difference(x, y *Int, c int64) {
	// For all v: y ≤ v gives x ≤ v + c. Only v from y.Lower to where x ≤ v + c
	// holds anyway matter.
	for v := y.Lower; v <= y.Upper; v++ {
		switch {
		case v+c >= x.Upper:
			return
		case v == y.Upper:
			f.AddClause(x.AtMost(v + c))
		case v+c < x.Lower:
			f.AddClause(-y.AtMost(v))
		default:
			f.AddClause(-y.AtMost(v), x.AtMost(v+c))
		}
	}
}
