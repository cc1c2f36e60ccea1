package check

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
)

// openProblem has messages of either width, some of which must be ordinary, among few
// pairs of tiles.
func openProblem(rng *rand.Rand, messages int) *exchange.Problem {
	p := &exchange.Problem{Tiles: 8 + 2*rng.IntN(40)}
	for range messages {
		perm := rng.Perm(p.Tiles / 2)
		block := func() uint32 { return 0x60000 + uint32(rng.IntN(4))*0x4000 + 8*uint32(rng.IntN(100)) }
		m := msg(int32(2*perm[0]+rng.IntN(2)), int32(128+2*rng.IntN(60)), block(), pair(int32(2*perm[1]), block())...)
		switch rng.IntN(5) {
		case 0:
			m.Dests = append(m.Dests, pair(int32(2*perm[2]), block())...)
		case 1:
			m.Dests = m.Dests[:1]
		case 2:
			m.Words = 1 + int32(rng.IntN(100))
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// TestOpenWidths: the bound of open widths holds for all choices, and its witness
// proves it. All choices together show where it could not be larger.
func TestOpenWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 1))
	count := 150
	if testing.Short() {
		count = 40
	}
	kinds, tight := map[exchange.BoundKind]int{}, 0
	for k := range count {
		p := openProblem(rng, 2+rng.IntN(5))
		q := p.Opened()
		b := exchange.Best(q)
		kinds[b.Witness.Kind]++
		if h, err := Witness(q, &b.Witness); err != nil || h != b.Horizon {
			t.Fatalf("problem %d: %+v proves %d, %v", k, b, h, err)
		}
		if h := Bound(q); h > b.Horizon {
			t.Fatalf("problem %d: one machine forces %d, the best bound is %d", k, h, b.Horizon)
		}
		pairable := p.Pairable()
		least := int32(1 << 30)
		for choice := range 1 << len(pairable) {
			widths := make([]bool, len(pairable))
			possible := true
			for i := range widths {
				widths[i] = choice>>i&1 != 0
				possible = possible && (pairable[i] || !widths[i])
			}
			if !possible {
				continue
			}
			s, stats, err := exchange.List(context.Background(), p.WithWidths(widths), exchange.Options{Effort: 1})
			if err != nil {
				t.Fatal(err)
			}
			if s.Horizon < b.Horizon || stats.Bound.Horizon < b.Horizon {
				t.Fatalf("problem %d: %v takes %d, its bound is %d, that of open widths %+v\n%+v", k, widths, s.Horizon, stats.Bound.Horizon, b, q.Messages)
			}
			least = min(least, s.Horizon)
		}
		if least == b.Horizon {
			tight++
		}
		s, _, err := exchange.ListWidths(context.Background(), p, exchange.Options{Effort: 4})
		if err != nil {
			t.Fatal(err)
		}
		chosen := p.WithWidths(s.Paired)
		rows := encode(t, chosen, s)
		if _, err := Check(chosen, rows, nil); err != nil {
			t.Fatalf("problem %d: %v", k, err)
		}
		if s.Horizon > least {
			t.Logf("problem %d: %d chosen, %d possible, bound %d", k, s.Horizon, least, b.Horizon)
		}
	}
	t.Logf("%v, %d of %d bounds reached", kinds, tight, count)
	if tight < count/4 || len(kinds) < 2 || kinds[exchange.BoundLanes] == 0 {
		t.Errorf("%v, %d of %d bounds reached", kinds, tight, count)
	}
}

// TestOpenedAlike: the checker's own reading of which messages can be paired is the
// scheduler's; widths found in rows are those that were sent.
func TestOpenedAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 2))
	open, closed := 0, 0
	for range 300 {
		p := openProblem(rng, 1+rng.IntN(8))
		for i := range p.Messages { // one thing or another is wrong
			m := &p.Messages[i]
			d := &m.Dests[rng.IntN(len(m.Dests))]
			switch rng.IntN(8) {
			case 0:
				d.Addr += 4
			case 1:
				m.SourceAddrs[0] += 4
			case 2:
				m.SourceAddrs = append(m.SourceAddrs, m.SourceAddrs[0]+4*uint32(rng.IntN(3)))
			case 3:
				m.Words++
			case 4:
				if m.Source = d.Tile ^ 1; slices.ContainsFunc(m.Dests, func(d exchange.Dest) bool { return d.Tile == m.Source }) {
					m.Dests = []exchange.Dest{*d}
				}
			case 5:
				row := device.CoordOf(device.Physical(int(d.Tile))).Y
				m.Words = int32(2 * (51 + 2*row + rng.IntN(4)))
			}
		}
		if p.Validate() != nil {
			t.Fatal(p.Validate())
		}
		a, b := p.Opened(), Opened(p)
		widths := make([]bool, len(p.Messages))
		for i := range p.Messages {
			if a.Messages[i].Open != b.Messages[i].Open {
				t.Fatalf("open %v, checker %v: %+v", a.Messages[i].Open, b.Messages[i].Open, p.Messages[i])
			}
			if widths[i] = a.Messages[i].Open && rng.IntN(2) == 0; a.Messages[i].Open {
				open++
			} else {
				closed++
			}
		}
		s, _, err := exchange.List(context.Background(), p.WithWidths(widths), exchange.Options{Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		rows := encode(t, p.WithWidths(widths), s)
		found, _, err := Reconstruct(rows, p.Tiles, exchange.Standard)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Check(WithWidthsOf(p, found), rows, nil); err != nil {
			t.Fatal(err)
		}
	}
	if open < 100 || closed < 100 {
		t.Errorf("%d open, %d closed", open, closed)
	}
}

// TestWiden: where an ordinary message forces the horizon, the schedule is no longer for
// what is paired; where it leaves room for all others one after the other, at twice
// the length of each, and none waits for another (R9), all that can be paired is. Pair
// pairs all that can be.
func TestWiden(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 3))
	count, roomy, tight := 100, 0, 0
	if testing.Short() {
		count = 30
	}
	for k := range count {
		p := openProblem(rng, 4+rng.IntN(5))
		for i := range p.Messages { // every message at addresses of its own
			m, own := &p.Messages[i], uint32(0x400*i)
			at := m.Dests[0].Addr%8 + 0x60000 + own
			m.SourceAddrs = []uint32{0x54000 + own}
			for k := range m.Dests {
				m.Dests[k].Addr = at
			}
		}
		rest, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		ample := rng.IntN(2) == 0
		words := rest.Horizon + int32(rng.IntN(40))
		if ample {
			words = rest.Horizon
			for i := range p.Messages {
				words += 2*p.Messages[i].Words + 200
			}
		}
		// Its receiver has no partner in it, so its width is not open.
		long := msg(int32(p.Tiles), min(words, exchange.MaxItems), 0x60000, pair(int32(p.Tiles+2), 0x70000)[:1]...)
		p.Tiles += 4
		p.Messages = append(p.Messages, long)
		pairable := p.Pairable()
		plain, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, force := range []bool{false, true} {
			s, _, err := exchange.ListWidths(context.Background(), p, exchange.Options{Effort: 1, Pair: force})
			if err != nil {
				t.Fatal(err)
			}
			if s.Paired == nil { // nothing can be
				continue
			}
			q := p.WithWidths(s.Paired)
			if _, err := CheckSchedule(q, s); err != nil {
				t.Fatalf("problem %d: %v", k, err)
			}
			if _, err := Check(q, encode(t, q, s), nil); err != nil {
				t.Fatalf("problem %d: %v", k, err)
			}
			if (force || ample) && !slices.Equal(s.Paired, pairable) {
				t.Errorf("problem %d: %v paired of %v", k, s.Paired, pairable)
			}
			if !force && s.Horizon > plain.Horizon {
				t.Errorf("problem %d: %d events, %d without pairs", k, s.Horizon, plain.Horizon)
			}
			if ample {
				roomy++
			} else if slices.Contains(s.Paired, true) {
				tight++
			}
		}
	}
	if roomy == 0 || tight == 0 {
		t.Errorf("%d schedules with room, %d that pair without", roomy, tight)
	}
}
