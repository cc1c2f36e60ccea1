package lower_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"ipusolve/exchange"
	exchangecheck "ipusolve/exchange/check"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
	"ipusolve/model/workload"
	"ipusolve/solve"
)

// readPlan reads a pinned plan.
func readPlan(t testing.TB, path string) *model.Plan {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := model.ReadPlan(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// preplaced lowers the preplaced plan of optima.md, P3, or a variant of it.
func preplaced(t testing.TB, inPlace ...bool) *lower.Program {
	t.Helper()
	plan := readPlan(t, "testdata/p3.plan.json")
	for i := range plan.Steps {
		if s := &plan.Steps[i]; len(inPlace) > 0 && s.Kind == model.StepMove && plan.Values[s.In[0]].Role == model.RoleWeight {
			s.InPlace, inPlace = inPlace[0], inPlace[1:]
		}
	}
	p, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// limited is the data memory of dataMap up to a number of bytes.
func limited(bytes uint32) lower.MemoryMap {
	m := dataMap
	m.InterleavedEnd = m.Standard[0].End + bytes - (m.Standard[0].End - m.Standard[0].Start)
	return m
}

// P3 places in the bytes that are alive together at its fullest moment, which
// are the 384 883 of optima.md with slices of whole granules; no placement takes
// a granule less.
func TestPreplacedFits(t *testing.T) {
	const reference, granule = 384883, 32
	p := preplaced(t)
	stats, err := lower.Place(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(p, dataMap); err != nil {
		t.Fatal(err)
	}
	if want := uint32((reference + granule - 1) / granule * granule); stats.MaxLiveTotal != want || stats.Budget != want || stats.BudgetBound != want || stats.Status != solve.Optimal {
		t.Errorf("%v: %d bytes, bound %d, %d alive; want %d", stats.Status, stats.Budget, stats.BudgetBound, stats.MaxLiveTotal, want)
	}
	tight := limited(stats.Budget)
	if again, err := lower.Place(p, tight); err != nil || again.Budget != stats.Budget {
		t.Errorf("within its bytes: %v", err)
	}
	if err := check.Check(p, tight); err != nil {
		t.Fatal(err)
	}
	var none *lower.PlaceError
	if _, err := lower.Place(p, limited(stats.Budget-granule)); !errors.As(err, &none) || !none.Proven {
		t.Errorf("with a granule less: %v, want a proof that there is no room", err)
	}
}

// What copies of the own slices cost: that of W1 its bytes, that of W2 in place
// the rest of its shard, since the stored slice stays where the shard was.
func TestPreplacedInPlace(t *testing.T) {
	for _, c := range []struct {
		w1, w2       bool
		alive, bytes uint32
	}{
		{true, false, 384896, 384896},
		{false, false, 392288, 392288},
		{true, true, 384896, 384896 + 34816 - 6976},
	} {
		p := preplaced(t, c.w1, c.w2)
		stats, err := lower.Place(p, dataMap)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Check(p, dataMap); err != nil {
			t.Fatal(err)
		}
		if stats.MaxLiveTotal != c.alive || stats.Budget != c.bytes || stats.Status != solve.Optimal {
			t.Errorf("%+v: %v, %d bytes, %d alive", c, stats.Status, stats.Budget, stats.MaxLiveTotal)
		}
		if _, err := lower.PlaceGreedy(p, dataMap); err != nil {
			t.Errorf("%+v: %v", c, err)
		} else if err := check.Check(p, dataMap); err != nil {
			t.Errorf("%+v, greedy: %v", c, err)
		}
	}
}

// A plan of the size of the best resident one, 499 168 bytes alive together, needs
// no byte more either; its weights and its operand of 421 632 bytes lie close.
func TestFullTileFits(t *testing.T) {
	g, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	problem := &model.Problem{Graph: *g, Tiles: 1472, Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident, Outputs: model.OutputsAny}
	chain, err := space.NewChain(problem)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := chain.Plan(problem, space.Choice{Vias: []space.Via{space.InResult, space.InResult}, Gemms: []space.Gemm{
		{R: 4, Q: 269, K: 1, Rho: 1, Kappa: 1, Interleaved: true}, {R: 5, Q: 18, K: 16, Rho: 16, Kappa: 1, Interleaved: true}}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := lower.Place(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	if stats.MaxLiveTotal != 499168 || stats.Budget != stats.MaxLiveTotal || stats.Status != solve.Optimal {
		t.Errorf("%v, %d bytes, %d alive", stats.Status, stats.Budget, stats.MaxLiveTotal)
	}
	if _, err := lower.Place(p, limited(stats.Budget)); err != nil {
		t.Errorf("within its bytes: %v", err)
	}
	var none *lower.PlaceError
	if _, err := lower.Place(p, limited(stats.Budget-32)); !errors.As(err, &none) || !none.Proven {
		t.Errorf("with a granule less: %v, want a proof that there is no room", err)
	}
}

// The broadcast of G: 1345 messages, of 1168 words for 146 rows, to 18 tiles.
// All that can move paired do after placement; the others have a receiver whose
// partner has no part in the message, as where a tile keeps its own part.
func TestPreplacedBroadcast(t *testing.T) {
	p := preplaced(t)
	stats, err := lower.Place(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	messages, words, split := 0, int64(0), 0
	for _, tr := range p.Phases[1].Transfers {
		if p.Plan.Values[p.Items[tr.Source.Item].Value].Graph == "block0.w2" {
			continue
		}
		messages++
		words += int64(tr.Words)
		if tr.Words != 1168 && tr.Words != 1160 {
			t.Fatalf("a message of %d words", tr.Words)
		}
		source, partners := p.Items[tr.Source.Item].Tile, map[int32]int{}
		for _, d := range tr.Dests {
			partners[p.Items[d.Item].Tile/2]++
		}
		if partners[source/2] > 0 || len(tr.Dests) != 18 || len(partners) != 9 {
			split++
		}
	}
	x := stats.Pairing[1]
	t.Logf("%d messages, %d words; %d of %d eligible, %d words; %d with a split pair", messages, words, x.Eligible, x.Pairable, x.EligibleWords, split)
	if messages != 1345 || x.Pairable != messages-split || x.Eligible != x.Pairable || x.EligibleWords != x.PairableWords {
		t.Errorf("%d messages, %d with a split pair: %+v", messages, split, x)
	}
	if stats.EqualWords != stats.EqualBound || stats.OverlapWords != 0 {
		t.Errorf("%d of %d words at equal addresses, %d overlap", stats.EqualWords, stats.EqualBound, stats.OverlapWords)
	}
}

// dealt lowers P3 with the parts of the first GEMM dealt to other tiles: part m of those
// that the tiles 18·g … 18·g+17 need lies on tile m of the group 1+4·m behind g, so that
// no source is among its own receivers and the sources of a group send to different
// groups. The price in words is the same.
func dealt(t testing.TB) *lower.Program {
	t.Helper()
	plan := readPlan(t, "testdata/p3.plan.json")
	panels := plan.Values[5].Layout.Axes[0]
	parts, err := panels.Split(plan.Values[5].Cols)
	if err != nil {
		t.Fatal(err)
	}
	var tiles []int
	for a := range 5 {
		for i, part := range parts {
			for m := range part.Stored() / model.PanelWidth {
				group := (i + len(parts)*a + 1 + 4*m) % (5 * len(parts))
				tiles = append(tiles, 18*group+m)
			}
		}
	}
	for i := range plan.Values[:5] { // x, w1, its operand, h and g
		plan.Values[i].Layout.Map = model.NewTileMap(tiles)
	}
	if err := plan.Validate(); err != nil {
		t.Fatal(err)
	}
	prices, err := cost.PriceC600(plan)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range prices {
		if c.Total() > plan.Steps[i].Cost.Total() {
			t.Errorf("step %d: %v, undealt %v", i, c, plan.Steps[i].Cost)
		}
	}
	p, err := lower.Build(plan)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// As pinned, tile 17 hears only messages with a split pair, so the bound of any widths
// is near that of 32 bits. With the parts dealt, all 1345 messages are whole pairs at
// equal addresses, and the phase is shorter with all of them paired.
func TestPreplacedWidths(t *testing.T) {
	if testing.Short() {
		t.Skip("schedules a full phase four times")
	}
	for _, c := range []struct {
		name                     string
		program                  *lower.Program
		pairs                    int
		bound, wide              int32 // of 32 bits, and of all paired
		shorter                  bool  // must be, all paired
		mostOrdinary, mostPaired int32
	}{
		{"as pinned", preplaced(t), 1198, 26931, 26909, false, 28737, 32649},
		{"dealt", dealt(t), 1345, 26931, 19098, true, 28900, 26700},
	} {
		stats, err := lower.Place(c.program, dataMap)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Check(c.program, dataMap); err != nil {
			t.Fatal(err)
		}
		x := stats.Pairing[1]
		q := c.program.Exchange(1)
		pairable := q.Pairable()
		paired, words := 0, int64(0)
		for i, yes := range pairable {
			if yes {
				paired, words = paired+1, words+int64(q.Messages[i].Words)
			}
		}
		if x.Pairable != c.pairs || x.Eligible != c.pairs || paired != c.pairs || words != x.EligibleWords {
			t.Errorf("%s: %+v, %d messages of %d words for the scheduler, want %d", c.name, x, paired, words, c.pairs)
		}
		var horizon [2]int32
		for k, widths := range [][]bool{make([]bool, len(pairable)), pairable} {
			w := q.WithWidths(widths)
			s, stats, err := exchange.List(context.Background(), w, exchange.Options{Effort: 1})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := exchangecheck.CheckSchedule(w, s); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			horizon[k] = s.Horizon
			if want := []int32{c.bound, c.wide}[k]; stats.Bound.Horizon != want {
				t.Errorf("%s: bound %d, want %d", c.name, stats.Bound.Horizon, want)
			}
		}
		t.Logf("%s: %d messages, %d words eligible and paired; %d events with, %d without", c.name, paired, words, horizon[1], horizon[0])
		if c.shorter && horizon[1] >= horizon[0] || horizon[0] > c.mostOrdinary || horizon[1] > c.mostPaired {
			t.Errorf("%s: %d events paired, %d not", c.name, horizon[1], horizon[0])
		}
	}
}

// A placement whose context has ended is made by construction alone, at once.
func TestPlaceCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	seed, err := lower.Build(firstSeed())
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*lower.Program{"P3": preplaced(t), "first seed": seed} {
		begin := time.Now()
		stats, err := lower.PlaceWithin(ctx, p, dataMap, 0)
		took := time.Since(begin)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := check.Check(p, dataMap); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d classes in %v, %d nodes, %d optimal", name, len(stats.Classes), took, stats.Nodes, stats.Optimal)
		if stats.EqualWords == 0 && stats.EqualBound > 0 || stats.BudgetBound > stats.Budget {
			t.Errorf("%s: %d of %d words at equal addresses", name, stats.EqualWords, stats.EqualBound)
		}
	}
}
