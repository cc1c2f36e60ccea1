package planning

import (
	"strings"
	"testing"

	"ipusolve/model"
	"ipusolve/solve"
)

// sumsOnMatrix counts the GEMMs of a plan that sum on the matrix unit, and the
// largest identity stack that they need.
func sumsOnMatrix(p *model.Plan) (n int, bytes int64) {
	for i := range p.Steps {
		if g := p.Steps[i].Gemm; g != nil && g.Sum == model.SumMatrix {
			n++
			bytes = max(bytes, 512*int64(g.Compute.Inner-1))
		}
	}
	return n, bytes
}

// TestWithoutMatrixSums: the technique pays, and a problem without it has none.
func TestWithoutMatrixSums(t *testing.T) {
	p := problem(t, 256, 1024, 2048, 1, 256)
	with := solved(t, p)
	p.Without = []string{model.MatrixSums}
	without := solved(t, p)
	t.Logf("%d with, %d without", with.Outcome.Objective, without.Outcome.Objective)
	if with.Outcome.Status != solve.Optimal || without.Outcome.Status != solve.Optimal || with.Outcome.Objective >= without.Outcome.Objective {
		t.Errorf("%v %d with, %v %d without", with.Outcome.Status, with.Outcome.Objective, without.Outcome.Status, without.Outcome.Objective)
	}
	if n, _ := sumsOnMatrix(with.Plan); n == 0 {
		t.Error("no sum on the matrix unit")
	}
	if n, _ := sumsOnMatrix(without.Plan); n > 0 {
		t.Errorf("%d sums on the matrix unit", n)
	}
	for name, r := range map[string]*Result{"with": with, "without": without} {
		for _, u := range r.Uses {
			if !strings.HasPrefix(u.Name, "memory/") || u.Bytes > u.Limit {
				t.Errorf("%s: %+v", name, u)
			}
		}
	}
}

// TestSharedIdentities: stages share one stack, so that memory counts the largest
// need once, and no more than that in the end.
func TestSharedIdentities(t *testing.T) {
	p := problem(t, 64, 512, 1024, 3, 64)
	b, err := newBuilder(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	res := solved(t, p)
	n, need := sumsOnMatrix(res.Plan)
	t.Logf("%d sums with stacks of %d bytes", n, need)
	if n < 2 {
		t.Fatalf("%d sums on the matrix unit", n)
	}
	c := res.Outcome.Choice
	if got := b.sel.Nodes[b.identity].Candidates[c[b.identity]].Use[0]; got != need {
		t.Errorf("a stack of %d bytes, the sums need %d", got, need)
	}
	// Without the stack the choice does not fit, whatever memory there is.
	none := append(c[:len(c):len(c)], 0)[:len(c)]
	none[b.identity] = len(b.sel.Nodes[b.identity].Candidates) - 1
	if b.sel.Fits(none) {
		t.Error("sums on the matrix unit without identity blocks")
	}
}
