package exchange

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestJacksonIsBestSubset compares with all subsets.
func TestJacksonIsBestSubset(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var j jackson
	for range 2000 {
		list := make([]use, 1+rng.IntN(8))
		for k := range list {
			list[k].job = job{rng.Int32N(20), 1 + rng.Int32N(9), rng.Int32N(20)}
		}
		value := func(has func(k int, u *use) bool) int32 {
			head, tail, work := int32(1000), int32(1000), int32(0)
			for k := range list {
				if u := &list[k]; has(k, u) {
					head, tail, work = min(head, u.head), min(tail, u.tail), work+u.work
				}
			}
			return head + work + tail
		}
		want := int32(0)
		for set := 1; set < 1<<len(list); set++ {
			want = max(want, value(func(k int, _ *use) bool { return set>>k&1 != 0 }))
		}
		got, ok := j.best(list, 0)
		if subset := value(func(_ int, u *use) bool { return got.has(u) }); !ok || got.horizon != want || subset != want {
			t.Fatalf("%v: bound %d, witness %d, best subset %d", list, got.horizon, subset, want)
		}
		if _, ok := j.best(list, want+1); ok {
			t.Fatalf("%v: more than %d found", list, want)
		}
	}
}

// tilesBound is the best bound of single tiles, of one kind if it is named.
func tilesBound(p *Problem, kind BoundKind) Bound {
	b := newBounder(p)
	var best Bound
	for t := range b.roles {
		var w tileBounds
		r, own := &b.roles[t], Bound{}
		switch kind {
		case BoundItems:
			w.items(b, r, &own)
		case BoundControl:
			w.control(b, r, &own)
		case BoundElement:
			w.elements(b, r, &own)
		case BoundSlots:
			w.slots(b, r, &own)
		default:
			w.tile(b, int32(t), &own)
		}
		best.raise(own)
	}
	return best
}

// TestBoundsOnOneTile checks figures worked by hand.
func TestBoundsOnOneTile(t *testing.T) {
	// 70 one-word receives and 80 sends on tile 100 (row 4): 71 source controls and
	// 80 first events; without the sends 70 + 58 + 8.
	p := &Problem{Tiles: tileCount}
	for k := range 70 {
		p.Messages = append(p.Messages, unicast(200+k, 100, sourceBase, destBase+uint32(4*k), 1))
	}
	if b := tilesBound(p, BoundControl); b.Horizon != 136 || b.Witness.Tile != 100 || len(b.Witness.Messages) != 70 {
		t.Errorf("control bound %+v", b)
	}
	for k := range 80 {
		p.Messages = append(p.Messages, unicast(100, 300+k, sourceBase, destBase, 1))
	}
	if b := tilesBound(p, BoundControl); b.Horizon != 151 || len(b.Witness.Messages) != 150 {
		t.Errorf("control bound %+v", b)
	}
	if b := tilesBound(p, BoundItems); b.Horizon != 80 || b.Witness.Side != SendSide {
		t.Errorf("items bound %+v", b)
	}
	// One element on both sides: 100 words out, 50 words in. The send 100→5 has
	// head 17; after the last window the guard of a receive is the least to come.
	half := &Problem{Tiles: tileCount, Messages: []Message{
		unicast(100, 5, 0x60000, 0x70000, 100), unicast(5, 100, sourceBase, 0x61000, 50),
	}}
	if b := tilesBound(half, BoundElement); b.Horizon != 17+150+5 || b.Witness.Tile != 100 || b.Witness.Element != 24 {
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
	// The same for bound G: tile 1 receives 10 words and lends its lane for 128
	// items. The message 4→1 has x ≥ −κ, the paired one ends 128 items after its
	// start, and its last row 1 + κ + L + 1 + 5 later.
	lag := wide.Messages[0].Lag(2)
	want := wide.Messages[0].Head() + 128 + lag + 59
	if b := Best(wide); b.Witness.Kind != BoundPair && b.Horizon < want || b.Horizon < 138 {
		t.Errorf("pair bound %+v, alone %d", b, want)
	}
}

// TestMixedWidthsOnOneSelector: the early member's selector is busy from S to the
// end of the format, the late member's from S+1 on, as a 32-bit message may end one
// event later there (reference: exchange.md §4.2, §12). An open width has the less of
// both.
func TestMixedWidthsOnOneSelector(t *testing.T) {
	p := &Problem{Tiles: 8, Messages: []Message{
		unicast(4, 3, sourceBase, destBase, 10),
		{Source: 0, SourceAddrs: []uint32{sourceBase}, Words: 128, Paired: true, Dests: []Dest{{2, destBase}, {3, destBase}}},
	}}
	b := newBounder(p)
	list := b.appendReceives(nil, &b.roles[3])
	if !routes().late(0, 3) || list[0].from != p.Messages[0].Lag(3)+1 || list[1].from != p.Messages[1].Lag(3)+2 || // row 1
		list[1].work != 64+52 {
		t.Errorf("late member: %+v", list)
	}
	list = b.appendReceives(nil, &b.roles[2])
	if list[0].from != p.Messages[1].Lag(2)+1 || list[0].work != 64+53 {
		t.Errorf("early member: %+v", list)
	}
	for words, want := range map[int32][2]int32{128: {128 - 12, 128 - 11}, 1000: {500 + 52, 500 + 53}, 100: {100, 100}} {
		p.Messages[1].Words = words
		q := p.WithWidths([]bool{false, false})
		q.Messages[1].Open = true
		b := newBounder(q)
		for d := range int32(2) {
			if _, n := b.hearing(1, 3-d); n != want[d] {
				t.Errorf("%d words of open width: %d events at tile %d, want %d", words, n, 3-d, want[d])
			}
		}
	}
}

// TestSlotsCount enumerates what a tile can do in up to 13 events: each is free, a
// select, a pointer, both, or the first of a send, the same at least two apart;
// between two pairs an instruction of one event alone would put the second on an
// odd word. The claim of slots holds for all, and is tight.
func TestSlotsCount(t *testing.T) {
	const (
		selects = 1 << iota
		points
		sends
	)
	symbols := []int{0, selects, points, selects | points, sends}
	worth := [...]int{selects: 2, points: 2, selects | points: 4, sends: 1}
	for events := 1; events <= 13; events++ {
		most := 0
		var walk func(at, last, sincePair, singles, free, weight int)
		// sincePair is -1 before the first pair; singles and free count the events
		// behind the last one, and weight is 2X + 2P + F.
		walk = func(at, last, sincePair, singles, free, weight int) {
			if at == events {
				most = max(most, weight)
				return
			}
			for _, s := range symbols {
				if s&last != 0 {
					continue
				}
				w := weight + worth[s]
				switch {
				case s == selects|points:
					if sincePair >= 0 && free == 0 && singles%2 != 0 {
						continue // R12: an odd number of words lies between
					}
					walk(at+1, s, 0, 0, 0, w)
				case s == 0:
					walk(at+1, s, sincePair, singles, free+1, w)
				default:
					walk(at+1, s, sincePair, singles+1, free, w)
				}
			}
		}
		walk(0, 0, -1, 0, 0, 0)
		if most > 2*events+2 {
			t.Errorf("%d events: 2X + 2P + F = %d", events, most)
		}
		if events%5 == 1 && most < 2*events+2 {
			t.Errorf("%d events: no more than %d, the claim is not tight", events, most)
		}
	}
}

// TestJointBound compares with all orders on both machines.
func TestJointBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	exceeds := 0
	for range 2000 {
		p := &Problem{Tiles: tileCount}
		pool := rng.Perm(tileCount)
		length := func() int { return 40 }
		if rng.IntN(2) == 0 {
			length = func() int { return 30 + rng.IntN(3)*20 }
		}
		p.Messages = append(p.Messages, unicast(pool[0], pool[1], sourceBase, destBase, length()))
		for k := range rng.IntN(6) {
			p.Messages = append(p.Messages, unicast(pool[0], pool[2+k], sourceBase, destBase, length()))
		}
		for k := range rng.IntN(6) {
			p.Messages = append(p.Messages, unicast(pool[10+k], pool[1], sourceBase, destBase+uint32(1024*k+1024), length()))
		}
		b := newBounder(p)
		var simple Bound
		for _, x := range b.eachTile() {
			simple.raise(x)
		}
		want := int32(0)
		sums := func(list []int32, but int32) []int32 {
			out := []int32{0}
			for _, i := range list {
				if i != but {
					for _, s := range slices.Clone(out) {
						out = append(out, s+p.Messages[i].Words)
					}
				}
			}
			return out
		}
		for i := range p.Messages {
			m, least := &p.Messages[i], int32(1<<20)
			d := m.Dests[0].Tile
			send, hear := &b.sides[2*m.Source], &b.sides[2*d+1]
			for _, before := range sums(b.roles[m.Source].sends, int32(i)) {
				for _, there := range sums(b.roles[d].receives, int32(i)) {
					// The smallest horizon for which some start fits between both.
					x := max(send.head+before, hear.head+there-m.Lag(d)-1)
					least = min(least, max(x+send.work-before+send.tail, x+m.Lag(d)+1+hear.work-there+hear.tail))
				}
			}
			want = max(want, least)
		}
		if got := b.link(simple.Horizon); want > simple.Horizon && got.Horizon != want || want <= simple.Horizon && got.Horizon > 0 {
			t.Fatalf("bound %d, of single machines %d, all orders %d: %+v", got.Horizon, simple.Horizon, want, p.Messages)
		}
		if want > simple.Horizon {
			exceeds++
		}
	}
	if exceeds < 100 {
		t.Errorf("only %d bounds exceed those of single machines", exceeds)
	}
}

// TestBestOnFamilies fixes the bounds of the shapes that matter.
func TestBestOnFamilies(t *testing.T) {
	dense := func(tiles, words int) *Problem {
		p := &Problem{Tiles: tileCount}
		for s := range tiles {
			for d := range tiles {
				if s != d {
					p.Messages = append(p.Messages, unicast(s, d, sourceBase+uint32(8*words*d), destBase+uint32(8*words*s), words))
				}
			}
		}
		return p
	}
	for _, c := range []struct {
		name    string
		p       *Problem
		horizon int32
		kind    BoundKind
	}{
		{"20 shifts of 16 words", shifts(tileCount, 20, 16, 1), 422, BoundMachine},
		{"8 shifts of 128 words", shifts(tileCount, 8, 128, 1), 1155, BoundLink},
		{"10 shifts of 16 words on 200 tiles", shifts(200, 10, 16, 1), 262, BoundMachine},
		{"partial sums", reduction(), 4902, BoundMachine},
		{"retile", regrid(729, 4304, 10, 135, tileCount), 1258, BoundMachine},
		{"all to all, two words", dense(256, 2), 709, BoundSlots},
		{"all to all, one word", dense(256, 1), 511, BoundControl},
	} {
		b := Best(c.p)
		if b.Horizon != c.horizon || b.Witness.Kind != c.kind {
			t.Errorf("%s: bound %d (%s), want %d (%s)", c.name, b.Horizon, b.Witness.Kind, c.horizon, c.kind)
		}
	}
}

func BenchmarkBestRetile(b *testing.B) {
	p := regrid(729, 4304, 10, 135, tileCount)
	b.ReportAllocs()
	for b.Loop() {
		Best(p)
	}
}

// TestPartnerHorizon: the partner of a paired sender has a row of its own (R10,
// R14).
func TestPartnerHorizon(t *testing.T) {
	p := &Problem{Tiles: 8, Messages: []Message{
		{Source: 0, SourceAddrs: []uint32{sourceBase}, Words: 128, Paired: true, Dests: []Dest{{2, destBase}, {3, destBase}}},
	}}
	s := &Schedule{Start: []int32{31}}
	s.horizons(p)
	// Reference: exchange.md §8.4.
	if want := []int32{95, 95, 125, 125, 0, 0, 0, 0}; !slices.Equal(s.TileHorizon, want) || s.Horizon != 125 {
		t.Errorf("%v, want %v", s.TileHorizon, want)
	}
}
