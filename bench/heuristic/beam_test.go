package heuristic

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
	"ipusolve/model/workload"
)

func firstProblem(t testing.TB) *model.Problem {
	t.Helper()
	g, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Problem{Graph: *g, Tiles: 1472, Profile: model.ProfileSeed, Inputs: model.InputsPreplaced, Weights: model.WeightsOnce,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, Timing: model.TimingVersion,
		MemoryLimit: (model.MaxPhysicalBytes - model.DefaultReserve) / model.MemoryGranule * model.MemoryGranule}
}

// TestBeam: the beams of the first log (planspace.md §9.3) and of B1 (§9.5).
func TestBeam(t *testing.T) {
	type scores []int64
	for _, c := range []struct {
		name      string
		variant   Variant
		best      scores
		finalists scores
		first     Line
	}{
		{"B0", B0, scores{59718, 81489, 234069},
			scores{234069, 234187, 234864, 237275, 237417, 237420, 237468, 237586, 238159, 238536, 238842, 239131},
			Line{}},
		{"B1", B1, scores{89252, 111361, 231943}, nil,
			Line{Op: "block0.gemm1", Evaluated: 1984, Expanded: 1494, Dominated: 863, Equivalent: 118, Diversity: 5, Retained: 64, Best: 89252, Sets: 1, Rejected: 490}},
	} {
		b := newBeam(firstProblem(t), c.variant == B0, false)
		states, err := b.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.best {
			if got := b.lines[i].Best; got != want {
				t.Errorf("%s, operation %d: best %d, want %d", c.name, i, got, want)
			}
		}
		for i, want := range c.finalists {
			if states[i].score != want {
				t.Errorf("%s, finalist %d: %d, want %d", c.name, i, states[i].score, want)
			}
		}
		if c.first != (Line{}) && b.lines[0] != c.first {
			t.Errorf("%s: %+v, want %+v", c.name, b.lines[0], c.first)
		}
		if got := b.lines[2].Evaluated; got != 105984 {
			t.Errorf("%s: %d branches evaluated, want 105984", c.name, got)
		}
		// What the beam says its best plan costs is what its layouts cost.
		out, err := b.finish(states, c.variant)
		if err != nil {
			t.Fatal(err)
		}
		r, err := cost.PriceSeed(out.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Cost().Total(), c.best[2]; got != want || out.Score != want || out.Best != want {
			t.Errorf("%s: layouts cost %d, score %d, best %d, want %d", c.name, got, out.Score, out.Best, want)
		}
		if r.State != states[0].memory {
			t.Errorf("%s: memory %+v, want %+v", c.name, states[0].memory, r.State)
		}
		ranked, err := b.finish(states, B2)
		if err != nil {
			t.Fatal(err)
		}
		if best, err := rank(out.Plan); err != nil || ranked.Ranked > best || ranked.Score < out.Score {
			t.Errorf("%s: finalists ranked to %d (score %d), the best by score to %d, %v", c.name, ranked.Ranked, ranked.Score, best, err)
		}
		t.Logf("%s: ranked %d of score %d", c.name, ranked.Ranked, ranked.Score)
		for _, l := range b.lines {
			t.Logf("%s: %+v", c.name, l)
			if l.Evaluated != l.Expanded+l.Rejected {
				t.Errorf("%s: %+v does not add up", c.name, l)
			}
		}
	}
}

// TestPlans: on random shapes the beam's own account of its best plan is what the
// plan's layouts cost and take.
func TestPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 9))
	planned := 0
	for n := range 12 {
		rows, dim, hidden := 1+rng.IntN(100), 16*(2+rng.IntN(12)), 16*(2+rng.IntN(12))
		g, err := workload.SiglipMLP(1, rows, dim, hidden, 1+n%2)
		if err != nil {
			t.Fatal(err)
		}
		p := firstProblem(t)
		p.Graph, p.Tiles = *g, 64
		v := Variant(n % 3)
		b, states, err := search(context.Background(), p, v)
		if errors.Is(err, ErrNoPlan) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		planned++
		out, err := b.finish(states, v)
		if err != nil {
			t.Fatal(err)
		}
		r, err := cost.PriceSeed(out.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Cost(); c.Total() != out.Score || r.State.Accept() != nil {
			t.Errorf("%d×%d×%d: layouts cost %d, score %d, memory %v", rows, dim, hidden, c.Total(), out.Score, r.State.Accept())
		}
		// So it is as a sequence of choices.
		path := space.NewSeedPath(&p.Graph, p.Tiles)
		for _, s := range states[:min(8, len(states))] {
			var list []space.SeedChoice
			for _, c := range s.choices() {
				list = append(list, space.SeedChoice{Gemm: c.gemm, Sliced: c.sliced, Format: b.formats[c.format].SeedFormat})
			}
			if cycles, state, err := path.Price(list); err != nil || cycles != s.score || state != s.memory {
				t.Errorf("%d×%d×%d: choices cost %d, take %+v, %v; the state %d, %+v", rows, dim, hidden, cycles, state, err, s.score, s.memory)
			}
		}
		p.Inputs, p.Outputs = model.InputsGathered, model.OutputsLinear
		if _, err := b.finish(states, v); err != nil {
			t.Errorf("%d×%d×%d, gathered: %v", rows, dim, hidden, err)
		}
	}
	if planned < 10 {
		t.Errorf("%d of 12 shapes have a plan", planned)
	}
}
