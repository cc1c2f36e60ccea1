package cost

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/model"
)

func price(t *testing.T, p *model.Plan, rule SeedRule) *Report {
	t.Helper()
	r, err := priceSeed(p, rule)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pairs are cycles and exchange cycles of the steps that cost anything.
func pairs(steps []model.Cost) (list [][2]int64) {
	for _, c := range steps {
		if len(c) > 0 {
			list = append(list, [2]int64{c.Total(), c.Exchange()})
		}
	}
	return list
}

// The first seed log, figure by figure (reference: costmodel.md §12,
// planspace.md §10.4).
func TestFirstSeed(t *testing.T) {
	r := price(t, firstSeed.build(t), SeedRectangles)
	if d := cmp.Diff([][2]int64{{89252, 13616}, {3264, 2968}, {21451, 0}, {27456, 27096}, {92646, 19728}}, pairs(r.Steps)); d != "" {
		t.Errorf("cycles and exchange: %s", d)
	}
	if c := r.Cost(); c.Total() != 234069 || c.Exchange() != 63408 {
		t.Errorf("total %d/%d, want 234069/63408", c.Total(), c.Exchange())
	}
	if d := cmp.Diff([]int64{0, 344, 25204, 0, 36628, 0, 680}, r.Rows); d != "" {
		t.Errorf("row bytes: %s", d)
	}
	wantState := SeedState{Peak: SeedBytes{271496, 115520}, Total: 387016, LargestStandard: 180224, RowBytes: 62856}
	if d := cmp.Diff(wantState, r.State); d != "" {
		t.Errorf("state: %s", d)
	}
	if err := r.State.Accept(); err != nil || r.State.Overflow() != 0 {
		t.Errorf("overflow %d, %v", r.State.Overflow(), err)
	}
	wantMemory := []SeedStepMemory{
		{}, // delivery of w1
		{SeedBytes{175680, 20096}, SeedBytes{28416, 39744}},
		{Live: SeedBytes{0, 9024}},
		{Live: SeedBytes{0, 8576}},
		{Live: SeedBytes{105984, 4288}},
		{}, // delivery of w2
		{SeedBytes{105984, 28992}, SeedBytes{21504, 48288}},
	}
	if d := cmp.Diff(wantMemory, r.Memory); d != "" {
		t.Errorf("memory: %s", d)
	}
	if got, want := r.Memory[1].Peak(), (SeedBytes{204096, 59840}); got != want {
		t.Errorf("peak of GEMM 1 %+v, want %+v", got, want)
	}
	ignoreCost := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Cost" }, cmp.Ignore())
	conversions := []*SeedConversion{
		{Strategy: SeedRetile, PairOut: 9472, TileIn: 4288, LocalBytes: 64, LocalCalls: 1, Chunks: 150, Routes: 98774, Runs: 195361, Phases: 1},
		{Strategy: SeedRetile, PairOut: 8576, TileIn: 105984, LocalBytes: 576, LocalCalls: 1, Chunks: 218, Routes: 12323, Runs: 196101, Phases: 1},
	}
	if d := cmp.Diff(conversions, []*SeedConversion{r.Conversions[2], r.Conversions[4]}, ignoreCost); d != "" {
		t.Errorf("intermediates: %s", d)
	}
}

// The same plan under the byte-run rule (reference: costmodel.md §12).
func TestFirstSeedByteRuns(t *testing.T) {
	r := price(t, firstSeed.build(t), SeedByteRuns)
	if c := r.Cost(); c.Total() != 238965 || c.Exchange() != 63408 {
		t.Errorf("total %d/%d, want 238965/63408", c.Total(), c.Exchange())
	}
	if c := r.Steps[4]; c.Total() != 32352 || c.Exchange() != 27096 {
		t.Errorf("conversion 2 %d/%d, want 32352/27096", c.Total(), c.Exchange())
	}
	if r.State.RowBytes != 607176 {
		t.Errorf("row bytes %d, want 607176", r.State.RowBytes)
	}
	for i, want := range map[int][2]int64{2: {1, 296}, 4: {18, 3312}} {
		if c := r.Conversions[i]; c.LocalCalls != want[0] || c.Chunks != want[1] {
			t.Errorf("step %d: %d local calls and %d chunks, want %v", i, c.LocalCalls, c.Chunks, want)
		}
	}
	if r.State.Accept() == nil {
		t.Error("607176 bytes of rows are accepted")
	}
}

// The best plan of the search under the byte-run rule: GELU in place (reference:
// planspace.md §9.3).
func TestByteRunsBest(t *testing.T) {
	p := firstSeed
	p.linear, p.gemm2.offset = false, 0
	r := price(t, p.build(t), SeedByteRuns)
	if got := r.Cost().Total(); got != 234482 {
		t.Errorf("total %d, want 234482", got)
	}
	if err := r.State.Accept(); err != nil {
		t.Error(err)
	}
}

// Where the cycles go (reference: costmodel.md §14).
func TestFirstSeedTerms(t *testing.T) {
	got := map[string]int64{}
	for _, term := range price(t, firstSeed.build(t), SeedRectangles).Cost() {
		got[term.Name] += term.Cycles
	}
	want := map[string]int64{
		SeedTermRowWork: 83328, SeedTermFeeding: 19740, SeedTermCallOverhead: 588, SeedTermReduction: 43862,
		SeedTermRearrangement: 28864, SeedTermWeightBroadcast: 21504, SeedTermGelu: 21451, SeedTermReductionExchange: 9440,
		SeedTermSync: 3600, SeedTermResultCopy: 1036, SeedTermLocalCopy: 656,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Other plans of the first log's search: baseline B1 (reference: planspace.md
// §9.5) and finalists of §9.3, all with weights once and inputs pre-placed.
func TestFinalists(t *testing.T) {
	seed := func(change func(*mlpPlan)) mlpPlan {
		p := firstSeed
		p.gemm2.offset = 0
		change(&p)
		return p
	}
	for _, c := range []struct {
		name  string
		plan  mlpPlan
		total int64
		steps []int64
	}{
		{"B1", seed(func(p *mlpPlan) { p.linear, p.gemm1 = false, mlpGrid{r: 4, q: 92, k: 4, rows: 16, cols: 92} }), 231943, []int64{89270, 22091, 27936, 92646}},
		{"GELU in place", seed(func(p *mlpPlan) { p.linear = false }), 234187, []int64{89252, 23691, 28598, 92646}},
		{"in place, 80×18", seed(func(p *mlpPlan) { p.linear, p.gemm2 = false, mlpGrid{r: 5, q: 18, k: 16, rows: 80, cols: 18} }), 234864, nil},
		{"in place, 81×18", seed(func(p *mlpPlan) { p.linear, p.gemm2 = false, mlpGrid{r: 3, q: 18, k: 27, rows: 81, cols: 18} }), 237275, nil},
		{"standard W2", seed(func(p *mlpPlan) { p.gemm2.standard = true }), 237468, nil},
		{"standard W2, GELU in place", seed(func(p *mlpPlan) { p.linear, p.gemm2.standard = false, true }), 237586, nil},
		{"linear, 40×36", seed(func(p *mlpPlan) { p.gemm2 = mlpGrid{r: 4, q: 36, k: 10, rows: 40, cols: 36} }), 238159, nil},
	} {
		r := price(t, c.plan.build(t), SeedRectangles)
		var steps []int64
		for _, p := range pairs(r.Steps) {
			steps = append(steps, p[0])
		}
		if got := r.Cost().Total(); got != c.total {
			t.Errorf("%s: total %d, want %d; steps %v", c.name, got, c.total, steps)
		}
		if c.steps != nil {
			if d := cmp.Diff(c.steps, steps); d != "" {
				t.Errorf("%s: %s", c.name, d)
			}
		}
		if err := r.State.Accept(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A GEMM with one inner part has no partials (reference: planspace.md §11 item
// 11; its 69078 charges sends by tile, so half of the broadcast less).
func TestSingleInnerPart(t *testing.T) {
	p := firstSeed
	p.linear, p.gemm1 = false, mlpGrid{r: 5, q: 269, k: 1, rows: 5, cols: 269}
	r := price(t, p.build(t), SeedRectangles)
	const broadcast = 2 * 1152 * 16 * 2 / 4
	want := [][2]int64{{69078 + broadcast/2, broadcast + 600}, {23371, 0}}
	if d := cmp.Diff(want, pairs(r.Steps)[:2]); d != "" {
		t.Error(d)
	}
	if err := r.State.Accept(); !errors.Is(err, ErrSeedMemory) || r.Memory[1].Live.Standard != 336384 {
		t.Errorf("a left operand of %d bytes: %v", r.Memory[1].Live.Standard, err)
	}
}

// Sharing by the replicas of gathered inputs is part of the GEMM, too.
func TestGatheredInput(t *testing.T) {
	p := firstSeed.build(t)
	p.Problem.Inputs = model.InputsGathered
	home := p.Values[0]
	home.Name, home.Layout.Slices = "x@home", 135
	p.Values[0].Role = ""
	p.Values = append(p.Values, home)
	gather := model.Step{Kind: model.StepMove, Op: "block0.gemm1", In: []int{len(p.Values) - 1}, Out: 0, Phase: 0}
	p.Steps = append([]model.Step{gather}, p.Steps...)
	r := price(t, p, SeedRectangles)
	// The busiest tiles are of the second row part, as the first ones hold their
	// weights: 134 of the 135 slices (40 or 41 rows of 16 elements) of 364·240
	// elements, and the weights.
	const want = (364*240-40*16)*2 + 15360
	got := int64(0)
	for _, term := range r.Steps[2] {
		if term.Name == SeedTermOperandBroadcast {
			got = term.Cycles
		}
	}
	if got != want/4 {
		t.Errorf("operand broadcast %d cycles, want %d", got, want/4)
	}
	if len(r.Steps[0]) != 0 || len(r.Steps[1]) != 0 {
		t.Errorf("deliveries cost %v and %v by themselves", r.Steps[0], r.Steps[1])
	}
}

func TestPriceSeedRejects(t *testing.T) {
	p := firstSeed.build(t)
	p.Steps[0].Out = 99
	if _, err := PriceSeed(p); err == nil {
		t.Error("a plan with a wild index is priced")
	}
}

func BenchmarkPriceSeed(b *testing.B) {
	p := firstSeed.build(b)
	for b.Loop() {
		if _, err := PriceSeed(p); err != nil {
			b.Fatal(err)
		}
	}
}
