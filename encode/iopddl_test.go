package encode

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

func readExample(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "example.iopddl.json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func solveFull(t testing.TB, p *IOPDDL) (*FullModel, *solve.Result) {
	t.Helper()
	f, err := NewFullModel(context.Background(), p.Selection)
	if err != nil {
		t.Fatal(err)
	}
	res, err := mip.Solver{}.Solve(context.Background(), f.Model, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := cert.Check(f.Model, res.Certificate); err != nil || v.Status != res.Status {
		t.Fatalf("certificate: %v %v", v.Status, err)
	}
	return f, res
}

// The contest's own example, plain and compressed.
func TestIOPDDLExample(t *testing.T) {
	text := readExample(t)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(text)
	z.Close()
	for _, in := range [][]byte{text, zipped.Bytes()} {
		p, err := ReadIOPDDL(bytes.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		if want := []Limit{{"usage/50", 50}, {"usage/110", 50}}; cmp.Diff(want, p.Selection.Limits) != "" {
			t.Errorf("limits %v", p.Selection.Limits)
		}
		f, res := solveFull(t, p)
		c := f.Choice(res.Values)
		if res.Status != solve.Optimal || res.Objective.RatString() != "445" || p.Selection.Cost(c) != 445 || !p.Selection.Fits(c) {
			t.Errorf("%v %v, choice %v", res.Status, res.Objective, c)
		}
		if d := cmp.Diff(res.Values, f.Start(c)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]int{0, 0, 2, 1, 0}, p.Solution(c)); d != "" {
			t.Error(d)
		}
	}
}

// Instance B: the model has the strategies that are not forbidden, and its proven
// optimum is what the contest's definition gives for the solution.
func TestIOPDDLInstance(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	file, err := os.Open(filepath.Join("..", "..", "shared", "external", "iopddl", "B.json.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	text, err := inflate(file, maxIOPDDL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadIOPDDL(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	f, res := solveFull(t, p)
	candidates := 0
	for n := range p.Selection.Nodes {
		candidates += len(p.Selection.Nodes[n].Candidates)
	}
	t.Logf("%d nodes, %d candidates, %d edges, %d limits; %d rows, %d variables; %v", len(p.Selection.Nodes), candidates, len(p.Selection.Edges),
		len(p.Selection.Limits), len(f.Model.Rows), len(f.Model.Vars), res.Stats.Duration)
	if len(p.Selection.Nodes) != 816 || candidates != 8476 || p.Name != "asplos-2025-iopddl-B" {
		t.Errorf("%d nodes, %d candidates, name %s", len(p.Selection.Nodes), candidates, p.Name)
	}
	var raw iopddlFile
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	cost, ok := raw.evaluate(p.Solution(f.Choice(res.Values)))
	if res.Status != solve.Optimal || res.Objective.RatString() != "532843" || !ok || cost != 532843 {
		t.Errorf("%v %v; the solution costs %d (%v)", res.Status, res.Objective, cost, ok)
	}
}

// randomIOPDDL draws a file with forbidden entries, parallel edges, empty
// intervals and shared moments.
func randomIOPDDL(r *rand.Rand) *iopddlFile {
	f := &iopddlFile{}
	q := &f.Problem
	n := 1 + r.IntN(5)
	limit := int64(r.IntN(30))
	q.UsageLimit = &limit
	cost := func() int64 {
		if r.IntN(6) == 0 {
			return IOPDDLForbidden
		}
		return int64(r.IntN(50)) - 5
	}
	for range n {
		from := int64(r.IntN(5))
		q.Nodes.Intervals = append(q.Nodes.Intervals, []int64{from, from + int64(r.IntN(5))})
		var costs, usages []int64
		for range 1 + r.IntN(3) {
			costs, usages = append(costs, cost()), append(usages, int64(r.IntN(14)))
		}
		q.Nodes.Costs, q.Nodes.Usages = append(q.Nodes.Costs, costs), append(q.Nodes.Usages, usages)
	}
	for range r.IntN(2 * n) {
		a, b := r.IntN(n), r.IntN(n)
		if a == b {
			continue
		}
		var costs []int64
		for range len(q.Nodes.Costs[a]) * len(q.Nodes.Costs[b]) {
			costs = append(costs, cost())
		}
		q.Edges.Nodes, q.Edges.Costs = append(q.Edges.Nodes, []int{a, b}), append(q.Edges.Costs, costs)
	}
	return f
}

// evaluate is the contest's definition, straight from the arrays.
func (f *iopddlFile) evaluate(s []int) (cost int64, ok bool) {
	q := &f.Problem
	for n, k := range s {
		if q.Nodes.Costs[n][k] >= IOPDDLForbidden {
			return 0, false
		}
		cost += q.Nodes.Costs[n][k]
	}
	for e, ends := range q.Edges.Nodes {
		c := q.Edges.Costs[e][s[ends[0]]*len(q.Nodes.Costs[ends[1]])+s[ends[1]]]
		if c >= IOPDDLForbidden {
			return 0, false
		}
		cost += c
	}
	for _, begin := range q.Nodes.Intervals { // use grows only where a node begins
		at := begin[0]
		var use int64
		for n, iv := range q.Nodes.Intervals {
			if iv[0] <= at && at < iv[1] {
				use += q.Nodes.Usages[n][s[n]]
			}
		}
		if use > *q.UsageLimit {
			return 0, false
		}
	}
	return cost, true
}

// 300 random problems against the enumeration of all solutions.
func TestIOPDDLRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 45))
	infeasible := 0
	for k := range 300 {
		f := randomIOPDDL(r)
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		best, found := int64(math.MaxInt64), false
		s := make([]int, len(f.Problem.Nodes.Costs))
		var walk func(n int)
		walk = func(n int) {
			if n == len(s) {
				if c, ok := f.evaluate(s); ok {
					best, found = min(best, c), true
				}
				return
			}
			for s[n] = range f.Problem.Nodes.Costs[n] {
				walk(n + 1)
			}
		}
		walk(0)
		p, err := ReadIOPDDL(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		full, res := solveFull(t, p)
		if !found {
			infeasible++
			if res.Status != solve.Infeasible {
				t.Errorf("problem %d: %v, want infeasible\n%s", k, res.Status, text)
			}
			continue
		}
		if res.Status != solve.Optimal || res.Objective.Num().Int64() != best {
			t.Fatalf("problem %d: %v %v, want %d\n%s", k, res.Status, res.Objective, best, text)
		}
		c := full.Choice(res.Values)
		if got, ok := f.evaluate(p.Solution(c)); !ok || got != best || !p.Selection.Fits(c) || p.Selection.Cost(c) != best {
			t.Errorf("problem %d: solution %v costs %d (%v), want %d", k, p.Solution(c), got, ok, best)
		}
	}
	if infeasible == 0 || infeasible > 250 {
		t.Errorf("%d of 300 problems are infeasible; the draw is useless", infeasible)
	}
}

func TestIOPDDLErrors(t *testing.T) {
	example := string(readExample(t))
	for _, c := range []struct{ old, new, want string }{
		{`"usage_limit": 50`, `"usage_limit": x`, `line 13, column 20: invalid character 'x'`},
		{`"usage_limit": 50`, `"usage": 50`, "problem.usage_limit: want an integer, found nothing"},
		{`"usage_limit": 50`, `"usage_limit": 9007199254740993`, "problem.usage_limit: want at most 2^53"},
		{`[30, 40]`, `[30, "forty"]`, "line 11, column 28: problem.edges.costs: want a 64-bit integer, found string"},
		{`[30, 40]`, `[30]`, "problem.edges.costs[0]: want 2 entries, 1 × 2 strategies, found 1"},
		{`[30, 40]`, `[30, 9007199254740993]`, "problem.edges.costs[0][1]: want at most 2^53, or 10^18 for forbidden, found 9007199254740993"},
		{`[0, 1]`, `[0, 5]`, "problem.edges.nodes[0]: want two of the nodes 0 to 4, found 0 and 5"},
		{`[0, 1]`, `[0, 0]`, "problem.edges.nodes[0]: want two of the nodes 0 to 4, found 0 and 0"},
		{`[0, 1]`, `[0]`, "problem.edges.nodes[0]: want 2 entries, found 1"},
		{`[30, 70], `, ``, "problem.nodes.intervals: want 5 entries as in costs, found 4"},
		{`[30, 70], `, `[30], `, "problem.nodes.intervals[0]: want 2 entries, found 1"},
		{`[25, 25]`, `[25, -1]`, "problem.nodes.usages[1][1]: want no negative number, found -1"},
		{`[25, 25]`, `[25]`, "problem.nodes.usages[1]: want 2 entries, one per strategy, found 1"},
		{`[55, 65]`, `[55, -9007199254740993]`, "problem.nodes.costs[1][1]: want at most 2^53, or 10^18 for forbidden, found -9007199254740993"},
		{`, [70, 60]]`, `]`, "problem.edges.costs: want 5 entries as in nodes, found 4"},
	} {
		text := strings.Replace(example, c.old, c.new, 1)
		_, err := ReadIOPDDL(strings.NewReader(text))
		if !errors.Is(err, ErrIOPDDL) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %s", c.new, c.old, err, c.want)
		}
	}
	if _, err := ReadIOPDDL(strings.NewReader("\x1f\x8bnonsense")); !errors.Is(err, ErrIOPDDL) {
		t.Error(err)
	}
	if _, err := inflate(strings.NewReader("four"), 3); !errors.Is(err, ErrIOPDDL) {
		t.Error(err)
	}
}

func TestSelectRefusesForbiddenPairs(t *testing.T) {
	text := strings.Replace(string(readExample(t)), "[30, 40]", "[30, 1000000000000000000]", 1)
	p, err := ReadIOPDDL(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Select(context.Background(), p.Selection, mip.Solver{}, solve.Options{}); err == nil {
		t.Error("no error")
	}
	if p.Selection.Fits(Choice{0, 1, 0, 0, 0}) {
		t.Error("a choice with a forbidden pair fits")
	}
}

// Whatever a file holds, reading ends with a problem whose model can be built,
// or with an error.
func FuzzIOPDDL(f *testing.F) {
	f.Add(readExample(f))
	f.Add([]byte(`{"problem":{"nodes":{"intervals":[[0,1]],"costs":[[]],"usages":[[]]},"edges":{"nodes":[],"costs":[]},"usage_limit":0}}`))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ReadIOPDDL(bytes.NewReader(text))
		if err != nil {
			return
		}
		full, err := NewFullModel(context.Background(), p.Selection)
		if err != nil {
			if !errors.Is(err, solve.ErrModel) {
				t.Fatal(err)
			}
			return
		}
		if err := full.Model.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
