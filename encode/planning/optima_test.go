package planning

import (
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/solve"
	"ipusolve/solve/cert"
)

// siglip is the SigLIP MLP on the whole chip in the family full; what is left out of
// the default problem is named: "once", "linear", "preplaced", or a technique.
func siglip(t testing.TB, rules ...string) *model.Problem {
	p := problem(t, 729, 1152, 4304, 1, 1472)
	p.Family = model.FamilyFull
	for _, r := range rules {
		switch r {
		case model.WeightsOnce:
			p.Weights = r
		case model.OutputsLinear:
			p.Outputs = r
		case model.InputsPreplaced:
			p.Inputs = r
		default:
			p.Without = append(p.Without, r)
		}
	}
	return p
}

// TestOptima plans the problems of the reference (optima.md). Its prototype leaves out
// own slices' copies and their turns in place, rounding of rows to six workers and of
// swapped results to panels; it packs panels where here the matrix unit turns them.
func TestOptima(t *testing.T) {
	for _, c := range []struct {
		name      string
		problem   *model.Problem
		most      int64
		reference int64
	}{
		{"P1", siglip(t), 144630, 142996},
		{"P1, reduction kernel", siglip(t, model.MatrixSums), 168535, 167813},
		{"P2", siglip(t, model.WeightsOnce, model.OutputsLinear), 200733, 199063},
		{"P2, reduction kernel", siglip(t, model.WeightsOnce, model.OutputsLinear, model.MatrixSums), 239250, 238849},
		{"P3", siglip(t, model.WeightsOnce, model.InputsPreplaced), 171840, 172185},
		{"P3, reduction kernel", siglip(t, model.WeightsOnce, model.InputsPreplaced, model.MatrixSums), 202090, 199525},
	} {
		if testing.Short() && c.name != "P1" {
			continue
		}
		out := solved(t, c.problem).Outcome
		t.Logf("%s: %d, reference %d, %+v", c.name, out.Objective, c.reference, out.Stats)
		if out.Status != solve.Optimal || out.Bound != out.Objective || out.Objective > c.most {
			t.Errorf("%s: %v %d, bound %d, want at most %d", c.name, out.Status, out.Objective, out.Bound, c.most)
		}
		if v, err := cert.Check(out.Model, out.Result.Certificate); err != nil || v.Bound.Num().Int64() != out.Bound {
			t.Errorf("%s: certificate proves %v: %v", c.name, v.Bound, err)
		}
		if floor := cost.Floor(&c.problem.Graph, c.problem.Tiles); out.Objective < floor {
			t.Errorf("%s: %d, below the floor %d", c.name, out.Objective, floor)
		}
		if c.name == "P1" {
			seen, err := Recheck(c.problem, out.Model, out.Bound, out.Prices)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			t.Log(seen)
		}
	}
}

// TestPinnedOptimum prices the reference's plan of P1, S(16,46,2) and S(4,23,16), with
// the reduction kernel, and compares it with the reference's figure.
func TestPinnedOptimum(t *testing.T) {
	p := siglip(t, model.MatrixSums)
	b, err := newBuilder(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := newCatalogue(b.sel)
	choice := make(encode.Choice, len(b.sel.Nodes))
	for n, text := range []string{"S(16,46,2)/2x1/interleaved", "S(4,23,16)/8x2/interleaved"} {
		i, ok := list.candidate(n, text)
		if !ok {
			t.Fatalf("no candidate %s", text)
		}
		choice[n] = i
	}
	b.trim(choice)
	if !b.sel.Fits(choice) {
		t.Error("the plan does not fit")
	}
	plan, err := b.plan(choice)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Steps {
		t.Logf("%s %s: %v", s.Kind, s.Op, s.Cost)
	}
	const reference = 167813
	if got := plan.Total(); got > reference*102/100 || got < reference*98/100 {
		t.Errorf("%d cycles, reference %d", got, reference)
	}
}
