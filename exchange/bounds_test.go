package exchange

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestBoundsHoldForEverySchedule enumerates all starts of tiny problems that
// would finish before the bound: none may be legal.
func TestBoundsHoldForEverySchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	kinds := map[BoundKind]int{}
	for tried := 0; tried < 250; {
		p := tangled(rng, 1+rng.IntN(3), 2+rng.IntN(2), []int32{1, 2, 9, 30})
		if rng.IntN(2) == 0 {
			p = tangled(rng, 2, 2, []int32{100, 101})
		}
		for _, b := range []Bound{ItemsBound(p), MachineBound(p), ControlBound(p), ElementBound(p)} {
			// Starts of message i that let it finish before the bound.
			low, room := make([]int32, len(p.Messages)), make([]int32, len(p.Messages))
			size := int64(1)
			for i := range p.Messages {
				m := &p.Messages[i]
				low[i] = m.Head()
				room[i] = b.Horizon - m.Words - low[i]
				for _, d := range m.Dests {
					room[i] = min(room[i], b.Horizon-m.Receive(d.Tile, low[i]).Horizon)
				}
				size *= int64(max(room[i], 0))
			}
			if size == 0 || size > 3000 {
				continue // nothing to search, or too much
			}
			tried++
			kinds[b.Witness.Kind]++
			start := make([]int32, len(p.Messages))
			for code := range size {
				rest := code
				for i := range start {
					start[i] = low[i] + int32(rest%int64(room[i]))
					rest /= int64(room[i])
				}
				if _, err := broken(p, start); err == nil {
					t.Fatalf("legal starts %v finish before %+v of %+v", start, b, p.Messages)
				}
			}
		}
	}
	for _, k := range []BoundKind{BoundMachine, BoundElement} {
		if kinds[k] < 10 {
			t.Errorf("only %d cases of bound %q", kinds[k], k)
		}
	}
}

// TestJacksonIsBestSubset compares with all subsets.
func TestJacksonIsBestSubset(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 2000 {
		jobs := make([]job, 1+rng.IntN(8))
		for k := range jobs {
			jobs[k] = job{rng.Int32N(20), 1 + rng.Int32N(9), rng.Int32N(20)}
		}
		want := int32(0)
		for set := 1; set < 1<<len(jobs); set++ {
			var chosen []job
			for k, j := range jobs {
				if set>>k&1 != 0 {
					chosen = append(chosen, j)
				}
			}
			want = max(want, machineValue(chosen))
		}
		got, tail := jackson(jobs)
		head := criticalHead(jobs, tail)
		var subset []job
		for _, j := range jobs {
			if j.head >= head && j.tail >= tail {
				subset = append(subset, j)
			}
		}
		if got != want || machineValue(subset) != want {
			t.Fatalf("%v: bound %d, witness %d, best subset %d", jobs, got, machineValue(subset), want)
		}
	}
}

func TestWitnessDerivesBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 500 {
		p := tangled(rng, 1+rng.IntN(10), 2+rng.IntN(4), []int32{1, 2, 50})
		for _, b := range []Bound{ItemsBound(p), MachineBound(p), ControlBound(p), ElementBound(p), Best(p)} {
			if b.Horizon == 0 {
				continue
			}
			h, err := b.Witness.Derive(p)
			if err != nil || h != b.Horizon {
				t.Fatalf("%+v derives %d, %v", b, h, err)
			}
		}
	}
	p := replay()[1]
	for _, w := range []Witness{
		{Kind: BoundItems, Tile: -1, Side: SendSide},
		{Kind: BoundItems, Tile: 100, Side: SendSide, Messages: []int32{0}},
		{Kind: BoundMachine, Tile: 100, Side: ReceiveSide, Messages: []int32{1, 0}},
		{Kind: BoundMachine, Tile: 100, Side: ReceiveSide, Messages: []int32{2}},
		{Kind: BoundMachine, Tile: 100, Side: ReceiveSide},
		{Kind: BoundMachine, Tile: 100, Side: BothSides, Messages: []int32{0}},
		{Kind: BoundElement, Tile: 100, Side: BothSides, Element: 64},
		{Kind: "other", Tile: 100},
	} {
		if _, err := w.Derive(p); !errors.Is(err, ErrWitness) {
			t.Errorf("%+v: %v", w, err)
		}
	}
}

// TestBoundsOnOneTile checks figures worked by hand.
func TestBoundsOnOneTile(t *testing.T) {
	// Tile 100 (row 4) receives 80 single words from different tiles, and sends
	// as many: 80 + 58 + 8 source events, or 80 + 1 + 80 events of its own.
	p := &Problem{Tiles: tileCount}
	for k := range 80 {
		p.Messages = append(p.Messages, unicast(200+k, 100, sourceBase, destBase+uint32(4*k), 1), unicast(100, 300+k, sourceBase, destBase, 1))
	}
	if b := ControlBound(p); b.Horizon != 161 || b.Witness.Tile != 100 || len(b.Witness.Messages) != 160 {
		t.Errorf("control bound %+v", b)
	}
	// One element on both sides: 100 words out, 50 words in. The send 100→5 has
	// head 17; after the last window the guard of a receive is the least to come.
	half := &Problem{Tiles: tileCount, Messages: []Message{
		unicast(100, 5, 0x60000, 0x70000, 100), unicast(5, 100, sourceBase, 0x61000, 50),
	}}
	if b := ElementBound(half); b.Horizon != 17+150+5 || b.Witness.Tile != 100 || b.Witness.Element != 24 {
		t.Errorf("element bound %+v", b)
	}
	// The partner of a paired sender is busy on both sides (§10.6).
	wide := &Problem{Tiles: 8, Messages: []Message{
		{Source: 0, SourceAddrs: []uint32{sourceBase}, Words: 256, Paired: true, Dests: []Dest{{2, destBase}, {3, destBase}}},
		unicast(4, 1, sourceBase, destBase, 10),
	}}
	if b := EndpointBound(wide); b != 138 {
		t.Errorf("endpoint bound %d", b)
	}
}
