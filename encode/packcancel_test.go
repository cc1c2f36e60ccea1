package encode_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
)

// hang is far above what ending a search takes, on the slowest machine.
const hang = time.Minute

// crowded is an arena with room for all items that no search finishes: many of them
// in two spaces, most tied to one of the other space or kept apart from a neighbour.
func crowded(seed uint64, items int) *encode.Arena {
	r := rand.New(rand.NewPCG(seed, 5))
	a := &encode.Arena{Name: "crowded", Classes: []encode.ArenaClass{{Name: "all", Ranges: []encode.Interval{{Start: 0, End: 1 << 20}}}}}
	for x := int64(0); x < 1<<20; x += 512 {
		a.Banks = append(a.Banks, x)
	}
	for i := range items {
		lower := int64(r.IntN(60))
		a.Items = append(a.Items, encode.ArenaItem{ID: fmt.Sprint(i), Space: i % 2, Size: 8 * int64(1+r.IntN(100)), Align: 8, Lower: lower, Upper: lower + 1 + int64(r.IntN(12))})
	}
	for range items {
		i, j := r.IntN(items), r.IntN(items)
		if i%2 != j%2 {
			a.Equal = append(a.Equal, encode.Equal{A: i, B: j, Weight: int64(1 + r.IntN(9))})
		} else if i != j {
			a.Apart = append(a.Apart, encode.Apart{A: encode.Part{Item: i, End: a.Items[i].Size}, B: encode.Part{Item: j, End: a.Items[j].Size}, Weight: int64(1 + r.IntN(9))})
		}
	}
	return a
}

// Searches without a limit of their own end soon after their context and
// give the best so far; one that has ended already leaves a constructive placement.
func TestPackingCancelled(t *testing.T) {
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 300 * time.Millisecond} {
		for seed := range uint64(2) {
			a := crowded(seed, 300)
			ctx, cancel := context.WithTimeout(context.Background(), after)
			begin := time.Now()
			res, err := encode.SolveArena(ctx, a, solve.Options{})
			took := time.Since(begin)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if late := took - after; late > hang || took < after {
				t.Errorf("arena %d: %v after %v", seed, took, after)
			}
			if res.Status != solve.Feasible {
				t.Fatalf("arena %d after %v: %v", seed, after, res.Status)
			}
			if err := packcheck.CheckArena(a, res.At); err != nil {
				t.Error(err)
			}
			if res.HeightBound > res.Height || res.Equal > res.EqualBound {
				t.Errorf("arena %d after %v: %+v", seed, after, res)
			}
		}
		p := &encode.Packing{Name: "crowded", Capacity: 1 << 20}
		for _, it := range crowded(7, 400).Items {
			p.Items = append(p.Items, encode.PackItem{ID: it.ID, Lower: it.Lower, Upper: it.Upper, Size: it.Size, Align: 64})
		}
		ctx, cancel := context.WithTimeout(context.Background(), after)
		begin := time.Now()
		res, err := encode.MinimisePacking(ctx, p, solve.Options{})
		took := time.Since(begin)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if took > after+hang || res.At == nil {
			t.Errorf("packing: %v after %v, %v", took, after, res.Status)
		} else if err := packcheck.Check(p, res.At); err != nil {
			t.Error(err)
		}
	}
}
