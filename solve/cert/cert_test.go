package cert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
	"ipusolve/solve/sat"
)

var ratComparer = cmp.Comparer(func(a, b *big.Rat) bool { return (a == nil) == (b == nil) && (a == nil || a.Cmp(b) == 0) })

// docExample is the certificate in the package comment.
func docExample(t testing.TB) string {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	in := false
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimPrefix(line, "//\t")
		in = in || line == "ipusolve-certificate 1"
		if in {
			fmt.Fprintln(&b, line)
			if line == "end" {
				return b.String()
			}
		}
	}
	t.Fatal("no example in doc.go")
	return ""
}

func TestDocExample(t *testing.T) {
	m, c, err := cert.Read(strings.NewReader(docExample(t)))
	if err != nil {
		t.Fatal(err)
	}
	v, err := cert.Check(m, c)
	if err != nil || v.Status != solve.Optimal || v.Bound.RatString() != "2" || v.Objective.RatString() != "2" {
		t.Errorf("%+v, %v", v, err)
	}
	var back strings.Builder
	if err := cert.Write(&back, m, c); err != nil || back.String() != docExample(t) {
		t.Errorf("%v\n%s", err, back.String())
	}
}

// Every change of the example that breaks the proof is named.
func TestBrokenExample(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"bound 2", "bound 3", "claimed optimal with objective 2 and bound 3"},
		{"status optimal", "status feasible", "claimed feasible with objective 2 and bound 2"},
		{"status optimal\nbound 2", "status optimal", "no bound claimed"},
		{"status optimal", "status infeasible", "infeasibility is not proven"},
		{"status optimal", "status unknown", "an incumbent in an unknown"},
		{"status optimal\nbound 2\nvalues 0 1", "status unknown\nbound 3", "claimed bound 3, proven 2"},
		{"values 0 1", "values 0 0", `row "cover": 0 >= 1 is false`},
		{"values 0 1", "values 1 1", "claimed optimal with objective 5"},
		{"values 0 1", "values 0 2", "outside its bounds"},
		{"values 0 1", "values 1", "1 values for 2"},
		{"values 0 1", "values 0 0\nfraction 1 1/2", "no integer"},
		{"values 0 1", "values 0 0\nfraction 5 1/2", "malformed fractions"},
		{"dual 1 0:1", "dual 1 0:-1", `sign of the multiplier of row "cover"`},
		{"dual 1 0:1", "dual 0 0:1", "dual 0 is malformed"},
		{"dual 1 0:1", "dual 1 7:1", "out of order or range"},
		{"dual 1 0:1", "dual 2 0:5", "claimed bound 2, proven -2"}, // side x = 1: 5/2 − 2 − 3 = −5/2
		{"dual 1 0:1", "dual 1", "does not exclude"},
		{"fix 0 0<=0\n", "", "does not exclude"},
		{"fix 0 0<=0", "fix 0 1<=0", "does not exclude"},
		{"fix 0 0<=0", "exclude 0 0<=0", "does not exclude variable 0 from [1, 1]"},
		{"fix 0 0<=0", "exclude 3 0<=0", "no dual 3"},
		{"fix 0 0<=0", "fix 9 0<=0", "no dual 9"},
		{"fix 0 0<=0", "fix 0 4<=0", "variable 4 cannot be tightened"},
		{"branch 1 0 1 2", "branch 1 0 2 1", "does not exclude"},
		{"branch 1 0 1 2", "branch 1 1 1 2", "does not exclude"},
		{"branch 1 0 1 2", "branch 9 0 1 2", "variable 9 cannot be split"},
		{"branch 1 0 1 2", "branch 1 0 1 1", "reached twice"},
		{"branch 1 0 1 2", "branch 1 0 0 2", "child 0 out of range"},
		{"branch 1 0 1 2", "branch 1 0 1 3", "child 3 out of range"},
		{"branch 1 0 1 2", "branch 1 9223372036854775807 1 2", "beyond the integers"},
		{"branch 1 0 1 2", "choose 0 1 2 1", "no exactly-one row"},
		{"branch 1 0 1 2", "choose 5 1 2 1", "no row 5"},
		{"leaf 1\n", "leaf 0\n", "claimed bound 2, proven 1"},
		{"leaf 1\n", "leaf 8\n", "no dual 8"},
		{"leaf 1\n", "leaf 1\nleaf 1\n", "3 of 4 nodes"},
		{"leaf 0 farkas", "leaf 1 farkas", "does not exclude"},
	} {
		text := strings.Replace(docExample(t), c.old, c.with, 1)
		m, k, err := cert.Read(strings.NewReader(text))
		if err != nil {
			t.Errorf("%q → %q: %v", c.old, c.with, err)
			continue
		}
		if _, err = cert.Check(m, k); !errors.Is(err, cert.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q → %q: error %v, want %q", c.old, c.with, err, c.want)
		}
	}
}

// The example again, with an infeasible side cut off in place of the branch.
func TestExclude(t *testing.T) {
	text := strings.Replace(docExample(t), "branch 1 0 1 2\nleaf 0 farkas\n", "exclude 0 1>=1\n", 1)
	m, c, err := cert.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	v, err := cert.Check(m, c)
	if err != nil || v.Status != solve.Optimal || len(c.Nodes) != 1 || len(c.Nodes[0].Fix) != 2 {
		t.Fatalf("%v, %+v, %v", v, c.Nodes, err)
	}
	// Without x = 0 first, y = 0 is feasible.
	text = strings.Replace(text, "fix 0 0<=0\n", "", 1)
	if m, c, err = cert.Read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if _, err := cert.Check(m, c); !errors.Is(err, cert.ErrInvalid) {
		t.Fatalf("accepted: %v", err)
	}
}

// Any two of a, b and c exceed the row; its relaxation alone proves −16⅔ only.
const knapsack = `ipusolve-certificate 1
model "knapsack"
constant 0
var binary 0 1 -10 "a"
var binary 0 1 -10 "b"
var binary 0 1 -12 "c"
row <= 5 0:3 1:3 2:4 "room"
status optimal
bound -12
values 0 0 1
dual 1 0:-1
dual 1 1:-12
cut 0 1 0 1 2
leaf 1
end
`

func TestCut(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"", "", ""},
		{"cut 0 1 0 1 2\n", "", "row 1 out of order or range"},
		{"cut 0 1 0 1 2", "cut 0 0 0 1 2", "cut 0 is not implied"},
		{"cut 0 1 0 1 2", "cut 0 -1 0 1 2", "of no variables"},
		{"cut 0 1 0 1 2", "cut 0 1 0 1 1", "variable 1"},
		{"cut 0 1 0 1 2", "cut 0 1 0 1 3", "variable 3"},
		{"cut 0 1 0 1 2", "cut 1 1 0 1 2", "row 1 is used before its cut"},
		{"cut 0 1 0 1 2", "cut 2 1 0 1 2", "no dual 2"},
		{"row <= 5", "row <= 6", "cut 0 is not implied"},
		{"dual 1 1:-12", "dual 1 1:12", "sign of the multiplier of row 1"},
		{"cut 0 1 0 1 2\nleaf 1", "branch 0 0 1 2\ncut 0 1 0 1 2\nleaf 1\nleaf 1", "row 1 out of order"},
		{"cut 0 1 0 1 2\nleaf 1", "cut 0 1 0 1 2\nbranch 0 0 1 2\ncut 0 1 0 1 2\nleaf 1\nleaf 1", "below the root"},
		{"binary 0 1 -10", "integer 0 2 -10", "variable 0"},
	} {
		m, k, err := cert.Read(strings.NewReader(strings.Replace(knapsack, c.old, c.with, 1)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = cert.Check(m, k)
		if (err == nil) != (c.want == "") || err != nil && !(errors.Is(err, cert.ErrInvalid) && strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q → %q: error %v, want %q", c.old, c.with, err, c.want)
		}
	}
	for _, bad := range []string{"cut 0 1", "cut 0 1 x"} {
		if _, _, err := cert.Read(strings.NewReader(strings.Replace(knapsack, "cut 0 1 0 1 2", bad, 1))); !errors.Is(err, cert.ErrSyntax) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A triangle needs two of its corners: without a, both others.
const clauses = `ipusolve-certificate 1
model "triangle"
constant 0
var binary 0 1 1 "a"
var binary 0 1 1 "b"
var binary 0 1 1 "c"
row >= 1 0:1 1:1 "ab"
row >= 1 1:1 2:1 "bc"
row >= 1 0:1 2:1 "ac"
status optimal
bound 2
values 1 1 0
dual 1 4:1
clause 0=1
clause
leaf 0 farkas
end
`

func TestClause(t *testing.T) {
	page, err := os.ReadFile("../../docs/certificate.md")
	if err != nil || !strings.Contains(string(page), clauses) {
		t.Errorf("the page about certificates has another example: %v", err)
	}
	for _, c := range []struct{ old, with, want string }{
		{"", "", ""},
		{"clause 0=1", "clause 0=0", ""},
		{"clause 0=1\n", "", "row 4 out of order or range"},
		{"dual 1 4:1\nclause 0=1\n", "dual 1 3:1\n", "clause 0 does not follow"},
		{"clause 0=1", "clause 0=1 1=1", "clause 1 does not follow"},
		{"clause 0=1", "clause 0=1 0=0", "clause 0: literal -1"},
		{"dual 1 4:1", "dual 1 3:1", "does not exclude the box"},
		{"dual 1 4:1", "dual 1 4:-1", "sign of the multiplier of row 4"},
		{"dual 1 4:1", "dual 1 5:1", "row 5 out of order or range"},
		{"bound 2", "bound 3", "clause 0 does not follow"},
		{"values 1 1 0", "values 1 1 1", "claimed optimal with objective 3"},
		{"optimal\nbound 2\nvalues 1 1 0", "unknown\nbound 2", ""},
		{"optimal\nbound 2\nvalues 1 1 0", "unknown\nbound 3", "clause 0 does not follow"},
		{"optimal\nbound 2\nvalues 1 1 0", "infeasible", "clause 0 does not follow"},
		{"optimal\nbound 2\nvalues 1 1 0", "infeasible\nbound 2", "infeasibility is not proven"},
		{"optimal\nbound 2\nvalues 1 1 0", "unknown", "clause 0 does not follow"},
		{"clause\nleaf 0 farkas", "branch 0 0 1 2\nclause\nleaf 0 farkas\nleaf 0 farkas", "row 4 out of order or range"},
		{"dual 1 4:1\nclause 0=1\nclause\nleaf 0 farkas", "dual 1 3:1\nclause 0=1\nbranch 0 0 1 2\nclause\nleaf 0 farkas\nleaf 0 farkas", "a clause below the root"},
		{"binary 0 1 1 \"a\"", "integer 0 2 1 \"a\"", "clause 0: literal 1"},
		{"row >= 1 0:1 1:1", "row >= 0 0:1 1:1", "clause 0 does not follow"},
	} {
		m, k, err := cert.Read(strings.NewReader(strings.Replace(clauses, c.old, c.with, 1)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = cert.Check(m, k)
		if (err == nil) != (c.want == "") || err != nil && !(errors.Is(err, cert.ErrInvalid) && strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q → %q: error %v, want %q", c.old, c.with, err, c.want)
		}
	}
	for _, bad := range []string{"clause 0", "clause 0=2", "clause 9=1", "clause -1=0", "clause x=1"} {
		if _, _, err := cert.Read(strings.NewReader(strings.Replace(clauses, "clause 0=1", bad, 1))); !errors.Is(err, cert.ErrSyntax) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	good := docExample(t)
	for _, c := range []struct{ old, with, want string }{
		{"ipusolve-certificate 1", "ipusolve-certificate 2", "line 1"},
		{"end\n", "", "ends early"},
		{"end\n", "end\nend\n", "line 17"},
		{"var binary 0", "var odd 0", "line 4"},
		{"0:2 1:2", "0:2 1:x", "line 6"},
		{"0:2 1:2", "0:2 0:2", "twice"},
		{"row >=", "row >>", "line 6"},
		{"status optimal", "status good", "line 7"},
		{"bound 2", "bound 1e9", "line 8"},
		{"bound 2", "bound 1/0", "line 8"},
		{"values 0 1", "values 0 9999999999999999999", "line 9"},
		{"leaf 0 farkas", "leaf 0 forkas", "line 14"},
		{"fix 0 0<=0", "fix 0", "line 12: certificate syntax: dual and bounds expected"},
		{"fix 0 0<=0", "exclude 0 0<0", "line 12"},
		{"end\n", "fix 0 0<=0\nend\n", "ends early"},
		{"branch 1 0 1 2", "branch 1 0 1", "line 13"},
		{"dual 1\n", "\n", "line 11"},
		{"model", "mode", "line 2"},
		{`"cover"`, `"cover`, "line 6"},
		{`"y"`, `"x"`, "appears twice"},
	} {
		_, _, err := cert.Read(strings.NewReader(strings.Replace(good, c.old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || !(errors.Is(err, cert.ErrSyntax) || errors.Is(err, solve.ErrModel)) {
			t.Errorf("%q → %q: error %v, want %q", c.old, c.with, err, c.want)
		}
	}
}

// small draws a model with exactly-one rows and a few others.
func small(r *rand.Rand) *solve.Model {
	b := solve.NewBuilder("small")
	n := 4 + r.IntN(6)
	for j := range n {
		if r.IntN(5) == 0 {
			b.Continuous(fmt.Sprintf("c%d", j), -1, 4, int64(r.IntN(9))-4)
		} else {
			b.Add(solve.Var{Name: fmt.Sprintf("x%d", j), Upper: 1, Cost: int64(r.IntN(60)) - 20})
		}
	}
	for i := range 2 + r.IntN(5) {
		var terms []solve.Term
		for j := range n {
			if r.IntN(2) == 0 {
				terms = append(terms, solve.Term{Var: j, Coef: 1 + int64(i%3)*int64(r.IntN(7))})
			}
		}
		if i%3 == 0 {
			b.Row(fmt.Sprintf("r%d", i), solve.EQ, 1, terms...)
		} else {
			b.Row(fmt.Sprintf("r%d", i), solve.Sense(2*r.IntN(2)), int64(r.IntN(12)), terms...)
		}
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

func solved(t *testing.T, m *solve.Model) *solve.Result {
	r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clone copies a certificate by its JSON form.
func clone(t *testing.T, c *solve.Certificate) *solve.Certificate {
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	out := &solve.Certificate{}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Both forms give back what was written.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		m := small(r)
		c := solved(t, m).Certificate
		if d := cmp.Diff(clone(t, c), clone(t, clone(t, c)), ratComparer); d != "" {
			t.Fatal(d)
		}
		var text strings.Builder
		if err := cert.Write(&text, m, c); err != nil {
			t.Fatal(err)
		}
		m2, c2, err := cert.Read(strings.NewReader(text.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		var again strings.Builder
		if err := cert.Write(&again, m2, c2); err != nil || again.String() != text.String() {
			t.Fatalf("%v\n%s\n%s", err, text.String(), again.String())
		}
		if _, err := cert.Check(m2, c2); err != nil {
			t.Fatal(err)
		}
	}
}

// A corrupted certificate is rejected, or what it still proves is true.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	rejected, accepted, clausal := 0, 0, 0
	for range 3000 {
		m := small(r)
		res := solved(t, m)
		c := clone(t, res.Certificate)
		if proof, _, _, err := sat.Refute(context.Background(), m, incumbent(res), 0); err == nil && r.IntN(2) == 0 {
			c = clone(t, proof)
			clausal++
		}
		mutate(r, c)
		v, err := cert.Check(m, c)
		if err != nil {
			if !errors.Is(err, cert.ErrInvalid) {
				t.Fatalf("error of another kind: %v", err)
			}
			rejected++
			continue
		}
		accepted++
		if (v.Bound == nil) != (res.Objective == nil) && v.Status == solve.Infeasible {
			t.Fatalf("a feasible model proven infeasible: %+v", c)
		}
		if res.Objective != nil && v.Bound != nil && v.Bound.Cmp(res.Objective) > 0 {
			t.Fatalf("proven %s of %s: %+v\n%+v", v.Bound, res.Objective, c, m)
		}
	}
	t.Logf("%d rejected, %d still true", rejected, accepted)
	if rejected < 1000 || clausal < 200 {
		t.Errorf("only %d rejected, %d with clauses", rejected, clausal)
	}
}

// incumbent is the assignment of a result, if there is one.
func incumbent(r *solve.Result) *solve.Assignment {
	if r.Objective == nil {
		return nil
	}
	return &r.Assignment
}

// mutate changes one number of a certificate.
func mutate(r *rand.Rand, c *solve.Certificate) {
	delta := []int64{1, -1, 2, -2, 1000, -1000}[r.IntN(6)]
	d := &c.Duals[r.IntN(len(c.Duals))]
	n := &c.Nodes[r.IntN(len(c.Nodes))]
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		if len(d.Num) > 0 {
			d.Num[r.IntN(len(d.Num))] += delta * max(1, d.Den/2)
		}
	case 4:
		d.Den += delta
	case 5:
		if c.Bound != nil {
			c.Bound.Add(c.Bound, big.NewRat(delta, 1))
		}
	case 6:
		if len(c.Values) > 0 {
			c.Values[r.IntN(len(c.Values))] += delta
		}
	case 7:
		n.Farkas = !n.Farkas
	case 8:
		n.Dual = r.IntN(len(c.Duals))
	case 9:
		switch {
		case len(n.Fix) > 0 && r.IntN(2) == 0:
			f := &n.Fix[r.IntN(len(n.Fix))]
			switch {
			case f.Clause != nil:
				if n := len(f.Clause.Literals); n > 0 {
					f.Clause.Literals[r.IntN(n)] += int(delta)
				}
			case f.Cut != nil:
				f.Cut.Most += delta
			default:
				f.Bounds[r.IntN(len(f.Bounds))].Bound += delta
			}
		case n.Branch != nil:
			n.Branch.At += delta
			if len(n.Branch.Zero) > 0 {
				n.Branch.Zero = n.Branch.Zero[1:]
			}
		default:
			n.Dual = int(delta)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(docExample(f))
	f.Add(strings.Replace(docExample(f), "branch 1 0 1 2", "choose 0 1 2 0", 1))
	f.Add(strings.Replace(docExample(f), "branch 1 0 1 2\nleaf 0 farkas\n", "exclude 0 1>=1\n", 1))
	f.Add(knapsack)
	f.Add(clauses)
	f.Fuzz(func(t *testing.T, text string) {
		m, c, err := cert.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		_, checkErr := cert.Check(m, c)
		var a, b strings.Builder
		if err := cert.Write(&a, m, c); err != nil {
			t.Fatal(err)
		}
		m2, c2, err := cert.Read(strings.NewReader(a.String()))
		if err != nil {
			t.Fatalf("cannot read back: %v\n%s", err, a.String())
		}
		if _, err := cert.Check(m2, c2); (err == nil) != (checkErr == nil) {
			t.Fatalf("%v, read back %v", checkErr, err)
		}
		if err := cert.Write(&b, m2, c2); err != nil || a.String() != b.String() {
			t.Fatalf("%v\n%s\n%s", err, a.String(), b.String())
		}
	})
}
