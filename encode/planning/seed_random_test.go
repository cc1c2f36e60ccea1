package planning

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// randomSeedChain is a chain of one to three GEMMs with GELUs here and there on few
// tiles; some have weights that fill them.
func randomSeedChain(rng *rand.Rand) *model.Problem {
	for {
		p := randomChain(rng)
		p.Profile, p.Family, p.Without = model.ProfileSeed, model.FamilySeed, nil
		p.Inputs, p.Weights, p.Outputs = model.InputsPreplaced, model.WeightsOnce, model.OutputsAny
		p.MemoryLimit = model.MaxPhysicalBytes - model.DefaultReserve
		twice := false
		for i := 1; i < len(p.Graph.Ops); i++ {
			twice = twice || p.Graph.Ops[i].Kind == model.OpGelu && p.Graph.Ops[i-1].Kind == model.OpGelu
		}
		if rng.IntN(3) == 0 {
			p.Graph.Values = enlarged(p.Graph.Values, 1+rng.IntN(24))
		}
		if !twice {
			return p
		}
	}
}

// enlarged multiplies the columns and inner extents of values of a chain.
func enlarged(values []model.GraphValue, by int) []model.GraphValue {
	out := slices.Clone(values)
	for i := range out {
		shape := slices.Clone(out[i].Shape)
		if shape[1] *= by; out[i].Role == model.RoleWeight {
			shape[0] *= by
		}
		out[i].Shape = shape
	}
	return out
}

// leastSeed tries all sequences of choices for the operations of a chain, the
// cheapest operations first, and returns the least cost that fits a tile. It leaves
// out only sequences whose operations alone cost as much already, and gives up
// after many.
func leastSeed(t *testing.T, p *model.Problem) (least int64, known bool) {
	t.Helper()
	g := &p.Graph
	path := space.NewSeedPath(g, p.Tiles)
	counts := space.SeedCounts(g, p.Tiles)
	value := map[string]*model.GraphValue{}
	for i := range g.Values {
		value[g.Values[i].Name] = &g.Values[i]
	}
	gemms := make([][]space.SeedPriced, len(g.Ops))
	rest := make([]int64, len(g.Ops)+1)
	for i := len(g.Ops) - 1; i >= 0; i-- {
		rest[i] = rest[i+1]
		op := &g.Ops[i]
		if op.Kind != model.OpGemm {
			continue
		}
		a, w := value[op.Inputs[0]], value[op.Inputs[1]]
		distributed := i+1 == len(g.Ops) || g.Ops[i+1].Kind == model.OpGelu
		gemms[i] = space.SeedShape{Rows: a.Rows(), Inner: a.Cols(), Cols: w.Cols(), Batch: 1}.All(counts, p.Tiles, true, i == 0, distributed, math.MaxInt64)
		slices.SortStableFunc(gemms[i], func(x, y space.SeedPriced) int { return cmp.Compare(x.Cycles, y.Cycles) })
		if len(gemms[i]) == 0 {
			return math.MaxInt64, true
		}
		rest[i] += gemms[i][0].Cycles
	}
	best, left := int64(math.MaxInt64), 20000
	choices := make([]space.SeedChoice, len(g.Ops))
	var search func(i int, cycles int64)
	search = func(i int, cycles int64) {
		if left <= 0 {
			return
		}
		if i == len(g.Ops) {
			left--
			for mask := range 1 << len(g.Ops) { // of operands pulled slice by slice
				for k := range choices {
					choices[k].Sliced = mask>>k&1 == 1
				}
				n, state, err := path.Price(choices)
				if errors.Is(err, cost.ErrImpossible) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if n >= best {
					return // slices cost the same
				}
				if state.Accept() == nil {
					best = n
				}
			}
			return
		}
		if g.Ops[i].Kind == model.OpGelu {
			in := choices[i-1].Format
			v := value[g.Ops[i].Output]
			for _, f := range space.SeedPointwise(&in, v.Rows(), v.Cols(), counts) {
				if n := cycles + cost.SeedGelu(f.Elements(v.Rows(), v.Cols())); n+rest[i+1] < best {
					choices[i] = space.SeedChoice{Format: f}
					search(i+1, n)
				}
			}
			return
		}
		for k := range gemms[i] {
			c := &gemms[i][k]
			if cycles+c.Cycles+rest[i+1] >= best {
				break
			}
			choices[i] = space.SeedChoice{Gemm: &c.Gemm, Format: c.Gemm.ResultFormat()}
			search(i+1, cycles+c.Cycles)
		}
	}
	search(0, 0)
	return best, left > 0
}

// TestSeedRandomChains compares the optimum of random small chains with the best of all
// sequences of choices.
func TestSeedRandomChains(t *testing.T) {
	count := 80
	if testing.Short() {
		count = 25
	}
	rng := rand.New(rand.NewPCG(8, 9))
	optimal, infeasible, limited := 0, 0, 0
	for i := range count {
		p := randomSeedChain(rng)
		want, known := leastSeed(t, p)
		if !known {
			continue
		}
		res, err := solveSeed(context.Background(), p, mip.Solver{}, Options{}, false)
		switch {
		case want == math.MaxInt64:
			if !errors.Is(err, encode.ErrInfeasible) {
				t.Errorf("chain %d: %v, no plan exists", i, err)
			}
			infeasible++
			continue
		case err != nil && !errors.Is(err, space.ErrSeedForm):
			t.Fatalf("chain %d: %v, want %d", i, err, want)
		}
		out := res.Outcome
		if out.Status != solve.Optimal || out.Objective != want {
			t.Errorf("chain %d: %v %d, all choices %d", i, out.Status, out.Objective, want)
		}
		if v, err := cert.Check(out.Model, out.Result.Certificate); err != nil || v.Bound.Num().Int64() < out.Bound {
			t.Errorf("chain %d: certificate: %v", i, err)
		}
		if _, err := Recheck(p, out.Model, out.Bound, out.Prices); err != nil {
			t.Errorf("chain %d: %v", i, err)
		}
		if len(filling(t, p)) > 0 {
			limited++
		}
		optimal++
	}
	t.Logf("%d optimal, %d of them under limits, %d infeasible", optimal, limited, infeasible)
	if rare := infeasible > 0 && limited > 0; optimal < count/2 || !rare && !testing.Short() {
		t.Errorf("%d optimal, %d of them under limits, %d infeasible", optimal, limited, infeasible)
	}
}

// filling are the memory limits that some candidates of a problem exceed together.
func filling(t *testing.T, p *model.Problem) []encode.Limit {
	t.Helper()
	b := everything(t, p)
	b.limit(false)
	return b.sel.Limits
}

// everything states a problem with all candidates.
func everything(t *testing.T, p *model.Problem) *seedBuilder {
	t.Helper()
	rough, err := newSeedBuilder(p, seedUnbounded, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newSeedBuilder(p, seedUnbounded, rough)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSeedRefused: what the family's rules do not price is refused.
func TestSeedRefused(t *testing.T) {
	for name, change := range map[string]func(p *model.Problem){
		"inputs":  func(p *model.Problem) { p.Inputs = model.InputsGathered },
		"weights": func(p *model.Problem) { p.Weights = model.WeightsResident },
		"outputs": func(p *model.Problem) { p.Outputs = model.OutputsLinear },
		"memory":  func(p *model.Problem) { p.MemoryLimit = 1 << 17 },
	} {
		p := randomSeedChain(rand.New(rand.NewPCG(12, 13)))
		change(p)
		if _, err := SolveSeed(context.Background(), p, mip.Solver{}, Options{}); !errors.Is(err, ErrSeedProblem) || !errors.Is(err, model.ErrUsage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSeedLimits: choices that fit a tile respect all limits, and what takes no less
// than options of a choice that does not fit does not fit either.
func TestSeedLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	fitting, full, covered := 0, 0, 0
	for i := range 60 {
		p := randomSeedChain(rng)
		p.Graph.Values = enlarged(p.Graph.Values, 1+rng.IntN(12)) // weights of about half a tile
		b := everything(t, p)
		b.limit(true)
		if slices.ContainsFunc(b.sel.Nodes, func(n encode.Node) bool { return len(n.Candidates) == 0 }) {
			continue
		}
		c := make(encode.Choice, len(b.stages))
		for range 100 {
			for n := range c {
				c[n] = rng.IntN(len(b.stages[n].options))
			}
			_, _, fits, err := b.fits(c)
			if err != nil {
				t.Fatal(err)
			}
			if fits {
				fitting++
				if !b.sel.Fits(c) {
					t.Errorf("chain %d: %s fits a tile but not the limits %d", i, b.name(c), b.sel.Uses(c))
				}
				continue
			}
			full++
			for n := range c {
				options, old := b.stages[n].options, c[n]
				for k := range options {
					if k == old || !b.covers(n, &options[k], &options[old]) || rng.IntN(8) > 0 {
						continue
					}
					covered++
					c[n] = k
					if _, _, fits, err = b.fits(c); err != nil || fits {
						t.Errorf("chain %d: %s fits (%v), with %s instead it does not", i, b.name(c), err, options[old].name())
					}
				}
				c[n] = old
			}
		}
	}
	t.Logf("%d choices fit, %d do not, %d covers", fitting, full, covered)
	if fitting < 100 || full < 100 || covered < 100 {
		t.Errorf("%d choices fit, %d do not, %d covers", fitting, full, covered)
	}
}
