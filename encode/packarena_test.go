package encode_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
)

// randomArena makes up to 8 items in up to 2 spaces with every kind of
// constraint, in some 10 addresses.
func randomArena(r *rand.Rand) *encode.Arena {
	end := int64(8 + r.IntN(6))
	hole := int64(2 + r.IntN(5))
	a := &encode.Arena{Name: "random", Banks: []int64{4, 8, 12}, Classes: []encode.ArenaClass{
		{Name: "standard", Ranges: []encode.Interval{{Start: 0, End: hole}, {Start: hole + int64(r.IntN(2)), End: end}}},
		{Name: "high", Ranges: []encode.Interval{{Start: 5, End: end}}},
	}}
	switch r.IntN(3) {
	case 0:
		a.Banks = []int64{3, 5, 10}
	case 1:
		a.Banks = []int64{6}
	}
	spaces := 1 + r.IntN(2)
	items := 2 + min(r.IntN(7), r.IntN(8))
	for i := range items {
		it := encode.ArenaItem{ID: fmt.Sprint(i), Space: r.IntN(spaces), Size: int64(1 + r.IntN(1+r.IntN(4))), Lower: int64(r.IntN(6)), Align: int64([]int{0, 1, 1, 2, 4}[r.IntN(5)])}
		it.Upper = it.Lower + 1 + int64(r.IntN(min(3, int(7-it.Lower))))
		if r.IntN(4) == 0 {
			it.Class = 1
		}
		if r.IntN(5) == 0 {
			x := int64(r.IntN(int(end)))
			it.Forbidden = []encode.Interval{{Start: x, End: x + int64(1+r.IntN(3))}}
		}
		if i > 0 && r.IntN(5) == 0 { // a part of an earlier item, permanent or not
			h := r.IntN(i)
			host := &a.Items[h]
			if room := host.Size - it.Size; room >= 0 {
				it.Space, it.Class, it.Align = host.Space, host.Class, 1
				it.Inside = &encode.Inside{Host: h, Offset: int64(r.IntN(int(room) + 1))}
			}
		}
		a.Items = append(a.Items, it)
	}
	part := func(i int) encode.Part {
		n := a.Items[i].Size
		if r.IntN(2) == 0 {
			return encode.Part{Item: i, Start: 0, End: n}
		}
		start := r.Int64N(n)
		return encode.Part{Item: i, Start: start, End: start + 1 + r.Int64N(n-start)}
	}
	root := func(i int) int {
		for a.Items[i].Inside != nil {
			i = a.Items[i].Inside.Host
		}
		return i
	}
	for range r.IntN(12) {
		i, j := r.IntN(items), r.IntN(items)
		if i != j && a.Items[i].Space == a.Items[j].Space && root(i) != root(j) {
			a.Apart = append(a.Apart, encode.Apart{A: part(i), B: part(j), Weight: int64([]int{0, 1, 1, 2, 3}[r.IntN(5)])})
		}
	}
	for range r.IntN(4) {
		if i, j := r.IntN(items), r.IntN(items); i != j {
			a.Equal = append(a.Equal, encode.Equal{A: i, B: j, Weight: int64(1 + r.IntN(3))})
		}
	}
	if r.IntN(6) == 0 {
		a.Border = &encode.Border{Below: 1, Above: 0, From: 5, At: []int64{5, 7, 8, 12}}
	}
	return a
}

// bestArena tries every address of every item: the best values, level by level;
// nil if nothing is legal. It shares nothing with the search but the record.
func bestArena(a *encode.Arena) []int64 {
	var best []int64
	at := make(encode.Placement, len(a.Items))
	bank := func(x int64) int {
		n := 0
		for _, b := range a.Banks {
			if x >= b {
				n++
			}
		}
		return n
	}
	alive := func(i, j int) bool {
		x, y := &a.Items[i], &a.Items[j]
		return x.Space == y.Space && x.Lower < y.Upper && y.Lower < x.Upper
	}
	touch := func(x encode.Apart) bool {
		lo, hi := bank(at[x.A.Item]+x.A.Start), bank(at[x.A.Item]+x.A.End-1)
		oLo, oHi := bank(at[x.B.Item]+x.B.Start), bank(at[x.B.Item]+x.B.End-1)
		return lo <= oHi && oLo <= hi
	}
	holds := func(i, j int) bool { // j is a part of i, or of a part of i
		for a.Items[j].Inside != nil {
			if j = a.Items[j].Inside.Host; j == i {
				return true
			}
		}
		return false
	}
	try := func(border int64) {
		var rec func(i int)
		rec = func(i int) {
			if i == len(a.Items) {
				v := []int64{0, 0, 0}
				for _, e := range a.Equal {
					if at[e.A] == at[e.B] {
						v[0] -= e.Weight
					}
				}
				for _, x := range a.Apart {
					if alive(x.A.Item, x.B.Item) && touch(x) {
						v[1] += x.Weight
					}
				}
				for i := range at {
					v[2] = max(v[2], at[i]+a.Items[i].Size)
				}
				if best == nil || slices.Compare(v, best) < 0 {
					best = v
				}
				return
			}
			it := &a.Items[i]
			for _, r := range a.Classes[it.Class].Ranges {
			next:
				for x := r.Start; x+it.Size <= r.End; x++ {
					if it.Align > 1 && x%it.Align != 0 || it.Inside != nil && x != at[it.Inside.Host]+it.Inside.Offset {
						continue
					}
					for _, f := range it.Forbidden {
						if x < f.End && f.Start < x+it.Size {
							continue next
						}
					}
					if b := a.Border; b != nil && (it.Class == b.Below && x+it.Size > border || it.Class == b.Above && x+it.Size > b.From && x < border) {
						continue
					}
					at[i] = x
					for j := range i {
						if alive(i, j) && x < at[j]+a.Items[j].Size && at[j] < x+it.Size {
							// A part may share its host's bytes, and those of its host's host.
							if !holds(j, i) {
								continue next
							}
						}
					}
					for _, ap := range a.Apart {
						if ap.Weight == 0 && max(ap.A.Item, ap.B.Item) == i && alive(ap.A.Item, ap.B.Item) && touch(ap) {
							continue next
						}
					}
					rec(i + 1)
				}
			}
		}
		rec(0)
	}
	if a.Border == nil {
		try(0)
	} else {
		for _, b := range a.Border.At {
			try(b)
		}
	}
	return best
}

// 2000 random arenas with all kinds of constraints: each level is what trying
// everything gives, whichever inferences are on.
func TestArenaBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 34))
	status := map[solve.Status]int{}
	given, overlapping := 0, 0
	rounds := 2000
	if testing.Short() {
		rounds = 300
	}
	for round := range rounds {
		a := randomArena(r)
		var off []solve.Technique
		for _, technique := range encode.PackTechniques() {
			if r.IntN(4) == 0 {
				off = append(off, technique)
			}
		}
		res, err := encode.SolveArena(context.Background(), a, solve.Options{Disable: off})
		if err != nil {
			t.Fatalf("round %d: %v: %+v", round, err, a)
		}
		status[res.Status]++
		want := bestArena(a)
		if want == nil {
			if res.Status != solve.Infeasible || res.At != nil {
				t.Fatalf("round %d: %+v for an infeasible arena %+v", round, res, a)
			}
			continue
		}
		if res.At == nil {
			t.Fatalf("round %d: %v, want %v: %+v", round, res.Status, want, a)
		}
		if err := packcheck.CheckArena(a, res.At); err != nil {
			t.Fatalf("round %d: %v: %+v", round, err, a)
		}
		if got := []int64{-res.Equal, res.Overlap, res.Height}; !slices.Equal(got, want) || res.Status != solve.Optimal {
			t.Fatalf("round %d: %v, want %v, off %v: %+v %+v", round, got, want, off, res, a)
		}
		if res.EqualBound != -want[0] || res.OverlapBound != want[1] || res.HeightBound != want[2] {
			t.Fatalf("round %d: bounds %d, %d, %d, best %v", round, res.EqualBound, res.OverlapBound, res.HeightBound, want)
		}
		if a.Equals(res.At) != res.Equal || a.Overlaps(res.At) != res.Overlap || a.Height(res.At) != res.Height {
			t.Fatalf("round %d: the placement has other values than %+v", round, res)
		}
		for _, e := range a.Equal {
			if res.At[e.A] != res.At[e.B] {
				given++
				break
			}
		}
		if res.Overlap > 0 {
			overlapping++
		}
	}
	t.Logf("%v, %d give up equal addresses, %d overlap", status, given, overlapping)
	if !testing.Short() && (status[solve.Infeasible] < 100 || status[solve.Optimal] < 1200 || given < 100 || overlapping < 40) {
		t.Errorf("one-sided instances")
	}
}
