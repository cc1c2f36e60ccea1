package encode_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
)

// splitArena is a small arena with little room, of which up to three items may be cut.
func splitArena(r *rand.Rand) *encode.Arena {
	for {
		a := randomArena(r)
		if len(a.Items) > 5 {
			continue
		}
		joined := map[int]bool{} // parts and what has some
		for i := range a.Items {
			if in := a.Items[i].Inside; in != nil {
				joined[i], joined[in.Host] = true, true
			}
		}
		n := 0
		for i := range a.Items {
			it := &a.Items[i]
			if joined[i] {
				continue
			}
			if it.Align <= 2 {
				it.Size += int64(r.IntN(6))
			}
			if it.Size < 2 || n == 3 || r.IntN(2) == 0 {
				continue
			}
			s := &encode.Split{Price: int64(1 + r.IntN(3))}
			for x := int64(1); x < it.Size; x++ {
				if r.IntN(2) == 0 && len(s.At) < 3 {
					s.At = append(s.At, x)
				}
			}
			if len(s.At) > 0 {
				it.Split, n = s, n+1
			}
		}
		if n > 0 {
			return a
		}
	}
}

// twoParts is the arena with items in two parts, as record and meaning of Split say;
// cut has the bytes of first parts, 0: whole.
func twoParts(a *encode.Arena, cut []int64) *encode.Arena {
	b := &encode.Arena{Name: a.Name, Classes: a.Classes, Banks: a.Banks, Border: a.Border}
	tail := map[int]int{}
	for i, it := range a.Items {
		it.Split = nil
		if cut[i] > 0 {
			it.Size = cut[i]
		}
		b.Items = append(b.Items, it)
	}
	for i, it := range a.Items {
		if cut[i] > 0 {
			tail[i] = len(b.Items)
			b.Items = append(b.Items, encode.ArenaItem{ID: fmt.Sprint("tail of ", i), Space: it.Space, Class: it.Class, Lower: it.Lower, Upper: it.Upper,
				Size: it.Size - cut[i], Align: it.Align, Forbidden: it.Forbidden})
		}
	}
	for _, x := range a.Apart {
		sides := [2][]encode.Part{}
		for k, p := range []encode.Part{x.A, x.B} {
			c := cut[p.Item]
			if c == 0 || p.Start < c {
				head := p
				if c > 0 && head.End > c {
					head.End = c
				}
				sides[k] = append(sides[k], head)
			}
			if c > 0 && p.End > c {
				sides[k] = append(sides[k], encode.Part{Item: tail[p.Item], Start: max(0, p.Start-c), End: p.End - c})
			}
		}
		for _, p := range sides[0] {
			for _, q := range sides[1] {
				b.Apart = append(b.Apart, encode.Apart{A: p, B: q, Weight: x.Weight})
			}
		}
	}
	for _, e := range a.Equal {
		head := e.Weight
		for _, i := range []int{e.A, e.B} {
			if cut[i] > 0 {
				head = min(head, e.Weight*cut[i]/a.Items[i].Size)
			}
		}
		if head > 0 {
			b.Equal = append(b.Equal, encode.Equal{A: e.A, B: e.B, Weight: head})
		}
		if cut[e.A] > 0 && cut[e.A] == cut[e.B] && head < e.Weight {
			b.Equal = append(b.Equal, encode.Equal{A: tail[e.A], B: tail[e.B], Weight: e.Weight - head})
		}
	}
	return b
}

// bestSplit tries all ways to cut: the least price, then the best values of
// bestArena; nil if nothing is legal.
func bestSplit(a *encode.Arena) []int64 {
	var best []int64
	cut := make([]int64, len(a.Items))
	var rec func(i int, price int64)
	rec = func(i int, price int64) {
		if best != nil && price > best[0] {
			return
		}
		if i == len(cut) {
			if v := bestArena(twoParts(a, cut)); v != nil {
				if v = append([]int64{price}, v...); best == nil || slices.Compare(v, best) < 0 {
					best = v
				}
			}
			return
		}
		rec(i+1, price)
		if s := a.Items[i].Split; s != nil {
			for _, x := range s.At {
				cut[i] = x
				rec(i+1, price+s.Price)
			}
			cut[i] = 0
		}
	}
	rec(0, 0)
	return best
}

// Random arenas whose items may be cut: price and every level behind it are what
// trying everything gives.
func TestSplitBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 13))
	status, pieces := map[solve.Status]int{}, map[int]int{}
	rounds := 2000
	if testing.Short() {
		rounds = 150
	}
	for round := range rounds {
		a := splitArena(r)
		res, err := encode.SolveArena(context.Background(), a, solve.Options{})
		if err != nil {
			t.Fatalf("round %d: %v: %+v", round, err, a)
		}
		status[res.Status]++
		want := bestSplit(a)
		if want == nil {
			if res.Status != solve.Infeasible || res.At != nil {
				t.Fatalf("round %d: %+v for an infeasible arena %+v", round, res, a)
			}
			continue
		}
		if res.At == nil {
			t.Fatalf("round %d: %v, want %v: %+v", round, res.Status, want, a)
		}
		if err := packcheck.CheckCuts(a, res.At, res.Cuts); err != nil {
			t.Fatalf("round %d: %v: %+v", round, err, a)
		}
		var price int64
		for _, c := range res.Cuts {
			price += a.Items[c.Item].Split.Price
		}
		got := []int64{price, -res.Equal, res.Overlap, res.Height}
		if !slices.Equal(got, want) || res.Status != solve.Optimal || res.Price != price || res.PriceBound != price {
			t.Fatalf("round %d: %v, want %v: %+v %+v", round, got, want, res, a)
		}
		if res.EqualBound != -want[1] || res.OverlapBound != want[2] || res.HeightBound != want[3] {
			t.Fatalf("round %d: bounds %d, %d, %d, best %v", round, res.EqualBound, res.OverlapBound, res.HeightBound, want)
		}
		pieces[len(res.Cuts)]++
	}
	t.Logf("%v; items cut: %v", status, pieces)
	if !testing.Short() && (status[solve.Infeasible] < 50 || pieces[1] < 50 || pieces[2] < 5) {
		t.Error("one-sided instances")
	}
}

// Many items that may be cut at many places: the cheapest one that helps is found
// first; what is not looked at is not claimed; and all ends soon after the context.
func TestSplitMany(t *testing.T) {
	a := &encode.Arena{Name: "many", Classes: []encode.ArenaClass{{Name: "all", Ranges: []encode.Interval{{Start: 0, End: 96}, {Start: 128, End: 224}}}}}
	var places []int64
	for x := int64(1); x < 64; x++ {
		places = append(places, x)
	}
	for i := range 3 { // two ranges of 96 hold three items of 64 if one is cut in the middle
		a.Items = append(a.Items, encode.ArenaItem{ID: fmt.Sprint(i), Upper: 1, Size: 64, Align: 32, Split: &encode.Split{At: places, Price: int64(300 - i)}})
	}
	res, err := encode.SolveArena(context.Background(), a, solve.Options{})
	if err != nil || res.Status != solve.Optimal || res.Price != 298 || res.PriceBound != 298 || len(res.Cuts) != 1 || res.Cuts[0].Item != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	if err := packcheck.CheckCuts(a, res.At, res.Cuts); err != nil {
		t.Error(err)
	}
	a.Items = append(a.Items, encode.ArenaItem{ID: "more", Upper: 1, Size: 8})
	res, err = encode.SolveArena(context.Background(), a, solve.Options{})
	if err != nil || res.Status != solve.Infeasible {
		t.Fatalf("200 bytes in 192: %+v, %v", res, err)
	}
	// Bytes for all, but not at these alignments, and too many ways to cut to know that.
	a.Items[3].Size, a.Items[3].Align, a.Items[0].Size = 1, 32, 63
	a.Items[0].Split = &encode.Split{At: places[:62], Price: 300}
	res, err = encode.SolveArena(context.Background(), a, solve.Options{})
	if err != nil || res.Status != solve.Unknown || res.At != nil || res.PriceBound != 597 {
		t.Fatalf("%+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	begin := time.Now()
	if _, err = encode.SolveArena(ctx, a, solve.Options{}); err != nil || time.Since(begin) > hang {
		t.Errorf("%v, %v", err, time.Since(begin))
	}
}

// A malformed Split is refused.
func TestSplitValidate(t *testing.T) {
	for name, s := range map[string]*encode.Split{"no place": {Price: 1}, "no price": {At: []int64{1}}, "at the end": {At: []int64{4}, Price: 1},
		"at the begin": {At: []int64{0, 2}, Price: 1}, "descending": {At: []int64{2, 1}, Price: 1}} {
		a := &encode.Arena{Name: "a", Classes: []encode.ArenaClass{{Name: "all", Ranges: []encode.Interval{{Start: 0, End: 8}}}}, Items: []encode.ArenaItem{{ID: "x", Upper: 1, Size: 4, Split: s}}}
		if _, err := encode.SolveArena(context.Background(), a, solve.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	a := &encode.Arena{Name: "a", Classes: []encode.ArenaClass{{Name: "all", Ranges: []encode.Interval{{Start: 0, End: 8}}}}, Items: []encode.ArenaItem{
		{ID: "x", Upper: 1, Size: 4, Split: &encode.Split{At: []int64{2}, Price: 1}}, {ID: "y", Upper: 1, Size: 2, Inside: &encode.Inside{}}}}
	if err := a.Validate(); err == nil {
		t.Error("a part of an item that may be cut: no error")
	}
	a.Items = a.Items[:1]
	if _, err := encode.NewArenaModel(a); err == nil {
		t.Error("a model of an item that may be cut: no error")
	}
}
