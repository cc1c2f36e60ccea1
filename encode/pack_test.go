package encode_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
)

// randomPacking makes items of sizes 1 … 4 alive within 0 … 7, some of them
// equal, some aligned, in a capacity near their bound.
func randomPacking(r *rand.Rand, items int) *encode.Packing {
	p := &encode.Packing{}
	for i := range items {
		it := encode.PackItem{Size: int64(1 + r.IntN(4)), Lower: int64(r.IntN(6))}
		it.Upper = it.Lower + 1 + int64(r.IntN(int(7-it.Lower)))
		if r.IntN(3) == 0 {
			it.Align = int64(r.IntN(5))
		}
		if i > 0 && r.IntN(4) == 0 {
			it = p.Items[r.IntN(i)]
		}
		it.ID = fmt.Sprint(i)
		p.Items = append(p.Items, it)
	}
	p.Capacity = p.Bound() - 1 + int64(r.IntN(5))
	return p
}

// lowest tries every address of every item; −1 when nothing fits.
func lowest(p *encode.Packing) int64 {
	at := make(encode.Placement, len(p.Items))
	best := int64(-1)
	live := p.Bound()
	var try func(i int, height int64)
	try = func(i int, height int64) {
		if best >= 0 && (height >= best || best == live) {
			return
		}
		if i == len(p.Items) {
			best = height
			return
		}
		it := &p.Items[i]
		for x := int64(0); x+it.Size <= p.Capacity; x += max(it.Align, 1) {
			ok := true
			for j := range i {
				o := &p.Items[j]
				if it.Lower < o.Upper && o.Lower < it.Upper && x < at[j]+o.Size && at[j] < x+it.Size {
					ok = false
					break
				}
			}
			if ok {
				at[i] = x
				try(i+1, max(height, x+it.Size))
			}
		}
	}
	try(0, 0)
	return best
}

// TestPackBruteForce switches inferences off at random: none may change an answer.
func TestPackBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	count := map[solve.Status]int{}
	searched, above := 0, 0 // infeasible, and optimal, in spite of the live addresses
	for round := range 3000 {
		p := randomPacking(r, max(1+r.IntN(8), 1+r.IntN(8)))
		want := lowest(p)
		var off []solve.Technique
		for _, technique := range encode.PackTechniques() {
			if r.IntN(3) == 0 || technique == encode.PackGreedy && r.IntN(2) == 0 {
				off = append(off, technique)
			}
		}
		opt := solve.Options{Disable: off}
		low, err := encode.MinimisePacking(context.Background(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := encode.SolvePacking(context.Background(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		count[fit.Status]++
		if want < 0 {
			if low.Status != solve.Infeasible || fit.Status != solve.Infeasible || low.At != nil || fit.At != nil {
				t.Fatalf("round %d: %v %v for an infeasible packing: %+v", round, low.Status, fit.Status, p)
			}
			if fit.Clash == nil {
				searched++
			}
			if low.Bound <= p.Capacity || fit.Bound <= p.Capacity {
				t.Fatalf("round %d: infeasible with bounds %d, %d up to capacity %d", round, low.Bound, fit.Bound, p.Capacity)
			}
			continue
		}
		if low.Status != solve.Optimal || low.Height != want || low.Bound != want {
			t.Fatalf("round %d, off %v: %v at %d, bound %d; want optimal at %d: %+v", round, off, low.Status, low.Height, low.Bound, want, p)
		}
		if want > p.Bound() {
			above++
		}
		if (fit.Status != solve.Optimal && fit.Status != solve.Feasible) || fit.Bound > want || p.Bound() > want {
			t.Fatalf("round %d, off %v: %v with bound %d, live bound %d, but %d is possible: %+v", round, off, fit.Status, fit.Bound, p.Bound(), want, p)
		}
		for _, res := range []*encode.PackResult{low, fit} {
			if err := packcheck.Check(p, res.At); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if p.Height(res.At) != res.Height {
				t.Fatalf("round %d: height %d of %v", round, res.Height, res.At)
			}
		}
	}
	if count[solve.Infeasible] < 200 || count[solve.Optimal] < 200 || count[solve.Feasible] < 100 || searched < 40 || above < 60 {
		t.Errorf("one-sided instances: %v, %d infeasible by search, %d above the live addresses", count, searched, above)
	}
}

// TestPackInferences compares answers with and without each inference on
// packings beyond brute force.
func TestPackInferences(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for round := range 400 {
		p := &encode.Packing{Capacity: 1000}
		for i := range 10 + r.IntN(6) {
			it := encode.PackItem{ID: fmt.Sprint(i), Size: int64(1 + r.IntN(9)), Lower: int64(r.IntN(10))}
			it.Upper = it.Lower + 1 + int64(r.IntN(5))
			if r.IntN(3) == 0 {
				it.Align = int64(2 + r.IntN(4))
			}
			p.Items = append(p.Items, it)
		}
		minimum := int64(-1)
		for _, off := range append([]solve.Technique{""}, encode.PackTechniques()...) {
			res, err := encode.MinimisePacking(context.Background(), p, solve.Options{Disable: []solve.Technique{off, encode.PackGreedy}})
			if err != nil || res.Status != solve.Optimal {
				t.Fatalf("round %d: %v, %v", round, res, err)
			}
			if err := packcheck.Check(p, res.At); err != nil {
				t.Fatalf("round %d without %q: %v", round, off, err)
			}
			if minimum < 0 {
				minimum = res.Height
			}
			if res.Height != minimum {
				t.Fatalf("round %d: %d, but %d without %q: %+v", round, minimum, res.Height, off, p)
			}
		}
	}
}

// One address less than the most alive is infeasible, and the result says why.
func TestPackClash(t *testing.T) {
	p := &encode.Packing{Capacity: 11, Items: []encode.PackItem{
		{ID: "a", Lower: 0, Upper: 4, Size: 5}, {ID: "b", Lower: 1, Upper: 2, Size: 3}, {ID: "c", Lower: 3, Upper: 9, Size: 7},
	}}
	res, err := encode.SolvePacking(context.Background(), p, solve.Options{})
	if err != nil || res.Status != solve.Infeasible || res.Bound != 12 || !slices.Equal(res.Clash, []int{0, 2}) {
		t.Errorf("%+v, %v", res, err)
	}
	p.Capacity = 12
	if res, err = encode.SolvePacking(context.Background(), p, solve.Options{}); err != nil || res.Status != solve.Optimal {
		t.Errorf("%+v, %v", res, err)
	}
}

// Alignment leaves gaps that the live addresses do not count.
func TestPackAboveBound(t *testing.T) {
	p := &encode.Packing{Capacity: 100, Items: []encode.PackItem{
		{ID: "a", Lower: 0, Upper: 2, Size: 2}, {ID: "b", Lower: 1, Upper: 3, Size: 1, Align: 4},
	}}
	res, err := encode.MinimisePacking(context.Background(), p, solve.Options{})
	if err != nil || res.Status != solve.Optimal || res.Height != 3 || p.Bound() != 3 {
		t.Errorf("%+v, %v", res, err)
	}
	p.Items[0].Align, p.Items[0].Size = 4, 5
	res, err = encode.MinimisePacking(context.Background(), p, solve.Options{})
	if err != nil || res.Status != solve.Optimal || res.Height != 9 || res.Bound != 9 || p.Bound() != 6 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestPackValidate(t *testing.T) {
	good := encode.PackItem{ID: "a", Upper: 1, Size: 1}
	for _, p := range []encode.Packing{
		{Capacity: -1},
		{Capacity: 1 << 61},
		{Capacity: 1, Items: []encode.PackItem{good, good}},
		{Capacity: 1, Items: []encode.PackItem{{ID: "a", Size: 1}}},
		{Capacity: 1, Items: []encode.PackItem{{ID: "a", Upper: 1}}},
		{Capacity: 1, Items: []encode.PackItem{{ID: "a", Upper: 1, Size: -1}}},
		{Capacity: 1, Items: []encode.PackItem{{ID: "a", Upper: 1, Size: 1, Align: -1}}},
		{Capacity: 1, Items: []encode.PackItem{{ID: "a", Upper: 1, Size: 1 << 59}, {ID: "b", Upper: 1, Size: 1 << 60}}},
	} {
		if _, err := encode.SolvePacking(context.Background(), &p, solve.Options{}); !errors.Is(err, encode.ErrPacking) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	res, err := encode.SolvePacking(context.Background(), &encode.Packing{Capacity: 3}, solve.Options{})
	if err != nil || res.Status != solve.Optimal {
		t.Errorf("no items: %+v, %v", res, err)
	}
}

// FuzzPack reads items of four bytes each: whatever the search finds is a
// placement, and with and without its inferences it finds the same.
func FuzzPack(f *testing.F) {
	f.Add(uint8(9), []byte{0, 2, 4, 0, 1, 3, 3, 4, 2, 1, 5, 2})
	f.Fuzz(func(t *testing.T, capacity uint8, data []byte) {
		p := &encode.Packing{Capacity: int64(capacity)}
		for ; len(data) >= 4 && len(p.Items) < 12; data = data[4:] {
			p.Items = append(p.Items, encode.PackItem{
				ID: fmt.Sprint(len(p.Items)), Lower: int64(data[0]), Upper: int64(data[0]) + 1 + int64(data[1]%32),
				Size: 1 + int64(data[2]%64), Align: int64(data[3] % 16),
			})
		}
		fits := map[bool]bool{}
		for _, opt := range []solve.Options{{Effort: 5000}, {Effort: 5000, Disable: encode.PackTechniques()}} {
			res, err := encode.SolvePacking(context.Background(), p, opt)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status == solve.Unknown {
				continue
			}
			fits[res.At != nil] = true
			if res.At == nil {
				continue
			}
			if err := packcheck.Check(p, res.At); err != nil {
				t.Fatal(err)
			}
		}
		if len(fits) > 1 {
			t.Fatal("two answers")
		}
	})
}
