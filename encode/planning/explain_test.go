package planning

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/space"
	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

func explained(t testing.TB, p *model.Problem) *Explainer {
	t.Helper()
	e, err := NewExplainer(solved(t, p).Plan, mip.Solver{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// bestWith is, by trying all pairs of candidates of a two-GEMM chain, the least cost of
// a plan for every candidate of a stage; of those that fit.
func bestWith(t *testing.T, p *model.Problem, stage int) map[space.Gemm]int64 {
	t.Helper()
	b, err := build(p, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	best := map[space.Gemm]int64{}
	c := make(encode.Choice, len(b.sel.Nodes))
	for c[0] = range b.sel.Nodes[0].Candidates {
		for c[1] = range b.sel.Nodes[1].Candidates {
			if b.trim(c); !b.sel.Fits(c) {
				continue
			}
			g, v := b.gemms[stage][c[stage]], b.sel.Cost(c)
			if old, ok := best[g]; !ok || v < old {
				best[g] = v
			}
		}
	}
	return best
}

// TestRunnersUp compares the runners-up of small problems with all plans.
func TestRunnersUp(t *testing.T) {
	for _, family := range []string{model.FamilyNormal, model.FamilyFull} {
		for _, outputs := range []string{model.OutputsAny, model.OutputsLinear} {
			p := problem(t, 3, 16, 32, 1, 64)
			p.Tiles, p.Family, p.Outputs = 3, family, outputs
			e := explained(t, p)
			for i, chosen := range e.Chosen() {
				all := bestWith(t, p, i)
				optimum := e.Plan().Total()
				if all[e.choice.Gemms[i]] != optimum {
					t.Fatalf("%s: plan %d, exhaustive %d", chosen.Candidate, optimum, all[e.choice.Gemms[i]])
				}
				got, err := e.RunnersUp(context.Background(), chosen.Op, 1000, false)
				if err != nil {
					t.Fatal(err)
				}
				var want []int64
				for g, v := range all {
					if sameGrid(g, e.choice.Gemms[i]) && g != e.choice.Gemms[i] {
						want = append(want, v)
					}
				}
				compare(t, chosen.Op+" by candidate", got, want)
				grids := map[space.Gemm]int64{}
				for g, v := range all {
					if grid := (space.Gemm{R: g.R, Q: g.Q, K: g.K, Swapped: g.Swapped}); !sameGrid(g, e.choice.Gemms[i]) && (grids[grid] == 0 || v < grids[grid]) {
						grids[grid] = v
					}
				}
				want = nil
				for _, v := range grids {
					want = append(want, v)
				}
				if got, err = e.RunnersUp(context.Background(), chosen.Op, 1000, true); err != nil {
					t.Fatal(err)
				}
				compare(t, chosen.Op+" by grid", got, want)
			}
		}
	}
}

func compare(t *testing.T, what string, got []*Alternative, want []int64) {
	t.Helper()
	slices.Sort(want)
	var found []int64
	for _, a := range got {
		found = append(found, a.Plan.Total())
		if !a.Proven() {
			t.Errorf("%s: %s costs %d, bound %d", what, a.Candidate, a.Plan.Total(), a.Bound)
		}
	}
	if !slices.Equal(found, want) {
		t.Errorf("%s: %v, exhaustive %v", what, found, want)
	}
}

// TestWhyNot asks for every candidate of a small problem whose memory is tight: what it
// costs, or which limit it breaks.
func TestWhyNot(t *testing.T) {
	p := problem(t, 5, 32, 32, 1, 64)
	p.Tiles, p.MemoryLimit = 3, (model.StandardShare+2048)/32*32
	e := explained(t, p)
	b, err := build(p, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	costs, limits := 0, 0
	for i, chosen := range e.Chosen() {
		all := bestWith(t, p, i)
		for n, g := range b.gemms[i] {
			if n%7 > 0 {
				continue
			}
			text := g.String()
			if !g.Matrix {
				text += "/kernel"
			}
			want, err := space.ParsePattern(text)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.WhyNot(context.Background(), chosen.Op, want)
			if err != nil {
				t.Fatal(err)
			}
			least, fits := all[g]
			var none *InfeasibleError
			switch {
			case g == e.choice.Gemms[i]:
				if !v.Chosen {
					t.Errorf("%s is chosen: %+v", g, v)
				}
			case !fits:
				limits++
				if !errors.As(v.Limit, &none) || none.Required <= none.Allowed || none.Smallest <= int64(p.MemoryLimit) || !none.Proven {
					t.Errorf("%s does not fit: %+v", g, v)
				}
			case v.Best == nil || v.Best.Plan.Total() != least || v.Best.Candidate != g.String():
				t.Errorf("%s: %+v, want %d", g, v, least)
			default:
				costs++
			}
		}
	}
	if costs == 0 || limits == 0 {
		t.Errorf("%d candidates with a cost, %d over a limit", costs, limits)
	}
	v, err := e.WhyNot(context.Background(), e.Chosen()[0].Op, space.Pattern{Orientation: "N", R: 2, Q: 2, K: 1})
	if err != nil || v.Rule == "" {
		t.Errorf("4 parts on 3 tiles: %+v, %v", v, err)
	}
}

// TestPinned: of a pinned problem the optimum is that of the candidates that match, and
// the certificate and its coverage hold for it.
func TestPinned(t *testing.T) {
	p := problem(t, 5, 16, 32, 1, 64)
	p.Tiles = 4
	free := solved(t, p)
	pattern := space.Pattern{Orientation: "N", R: 2, K: 1}
	p.Pins = []model.Pin{{Op: p.Graph.Ops[0].Name, Candidate: "N(2,*,1)"}}
	res := solved(t, p)
	want := int64(math.MaxInt64)
	for g, v := range bestWith(t, p, 0) {
		if !pattern.Matches(g) {
			t.Errorf("%s does not match", g)
		}
		want = min(want, v)
	}
	out := res.Outcome
	if out.Status != solve.Optimal || out.Objective != want || want <= free.Outcome.Objective {
		t.Errorf("%v %d, exhaustive %d, free %d", out.Status, out.Objective, want, free.Outcome.Objective)
	}
	if _, err := cert.Check(out.Model, out.Result.Certificate); err != nil {
		t.Error(err)
	}
	if _, err := Recheck(p, out.Model, out.Bound, out.Prices); err != nil {
		t.Error(err)
	}
	if err := CheckPins(res.Plan); err != nil {
		t.Error(err)
	}
	broken := *res.Plan
	broken.Problem.Pins = []model.Pin{{Op: p.Graph.Ops[0].Name, Candidate: "N(1,*,1)"}}
	if err := CheckPins(&broken); err == nil {
		t.Error("a plan keeps a pin that it does not have")
	}
	// The bound is none of the problem without the pin.
	open := *p
	open.Pins = nil
	if _, err := Recheck(&open, out.Model, out.Bound, out.Prices); err == nil {
		t.Error("a model of the pinned problem covers the open one")
	}
	for _, bad := range []string{"N(99,1,1)", "M(1,1,1)", "S", "N(1,1,1)/matrix"} {
		p.Pins[0].Candidate = bad
		if _, err := Solve(context.Background(), p, mip.Solver{}, Options{}); !errors.Is(err, model.ErrUsage) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestForeign: plans that planning does not make are not explained.
func TestForeign(t *testing.T) {
	p := problem(t, 7, 48, 80, 1, 64)
	plan := solved(t, p).Plan
	for name, change := range map[string]func(*model.Plan){
		"profile": func(p *model.Plan) { p.Problem.Profile = model.ProfileSeed },
		"layout":  func(p *model.Plan) { p.Values[0].Layout.Class = model.Interleaved },
		"grid": func(p *model.Plan) {
			p.Steps[firstGemm(p)].Gemm = &model.Gemm{Compute: model.Grid{Rows: 1, Cols: 1, Inner: 1}}
		},
		"steps": func(p *model.Plan) { p.Steps = p.Steps[:1] },
	} {
		c := *plan
		c.Values, c.Steps = slices.Clone(plan.Values), slices.Clone(plan.Steps)
		change(&c)
		if _, err := NewExplainer(&c, mip.Solver{}, Options{}); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func firstGemm(p *model.Plan) int {
	return slices.IndexFunc(p.Steps, func(s model.Step) bool { return s.Kind == model.StepGemm })
}

// TestIdentified: what planning says of a plan's memory is read from the plan again.
func TestIdentified(t *testing.T) {
	for _, once := range []bool{false, true} {
		p := problem(t, 64, 128, 256, 2, 64)
		if once {
			p.Weights = model.WeightsOnce
		}
		res := solved(t, p)
		e, err := NewExplainer(res.Plan, mip.Solver{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		uses, err := e.Uses()
		if err != nil || !slices.Equal(uses, res.Uses) {
			t.Errorf("%v, want %v: %v", uses, res.Uses, err)
		}
	}
}
