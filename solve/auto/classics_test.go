package auto_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/auto"
	"ipusolve/solve/cert"
	"ipusolve/solve/format"
	"ipusolve/solve/mip"
)

var update = flag.Bool("update", false, "rewrite the classics in testdata")

// classics are small problems of the literature, made from their definitions;
// testdata holds them as files.
var classics = []struct {
	file   string
	model  func() *solve.Model
	status string
	best   string // in the model's terms, minimised
}{
	// 15 items, capacity 750; the optimum 1458 is that of Kreher and Stinson's
	// book on combinatorial algorithms.
	{"knapsack.mps", knapsack, "optimal", "-1458"},
	// The fewest points of the affine space over three elements that meet every
	// line, the complement of a largest cap: 9 − 4 and 27 − 9.
	{"cover9.opb", func() *solve.Model { return cover(2) }, "optimal", "5"},
	{"cover27.opb", func() *solve.Model { return cover(3) }, "optimal", "18"},
	// Costs i·j: by the rearrangement inequality Σ i·(9 − i) is the least.
	{"assignment.lp", assignment, "optimal", "120"},
	// Mycielski's graphs have chromatic numbers 3 (the pentagon), 4 (Grötzsch's
	// graph) and so on, without a triangle.
	{"pentagon2.cnf", func() *solve.Model { return colouring(pentagon(), 2) }, "infeasible", ""},
	{"pentagon3.cnf", func() *solve.Model { return colouring(pentagon(), 3) }, "optimal", "0"},
	{"groetzsch3.cnf", func() *solve.Model { return colouring(mycielski(pentagon()), 3) }, "infeasible", ""},
	{"groetzsch4.cnf", func() *solve.Model { return colouring(mycielski(pentagon()), 4) }, "optimal", "0"},
	// Nine pigeons, eight holes: the sum of the rows of the linear program.
	{"pigeons.opb", pigeons, "infeasible", ""},
	// Four bins are filled to the brim, and one item remains.
	{"bins.lp", bins, "optimal", "5"},
	// Taillard's first open shop of four jobs and machines.
	{"openshop4.mps", openShop, "optimal", "193"},
}

func row(b *solve.Builder, name string, sense solve.Sense, rhs int64, vars ...int) {
	var terms []solve.Term
	for _, j := range vars {
		terms = append(terms, solve.Term{Var: j, Coef: 1})
	}
	b.Row(name, sense, rhs, terms...)
}

func built(b *solve.Builder) *solve.Model {
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

func knapsack() *solve.Model {
	b := solve.NewBuilder("knapsack")
	weights := []int64{70, 73, 77, 80, 82, 87, 90, 94, 98, 106, 110, 113, 115, 118, 120}
	var terms []solve.Term
	for i, profit := range []int64{135, 139, 149, 150, 156, 163, 173, 184, 192, 201, 210, 214, 221, 229, 240} {
		terms = append(terms, solve.Term{Var: b.Binary(fmt.Sprintf("take%d", i+1), -profit), Coef: weights[i]})
	}
	b.Row("capacity", solve.LE, 750, terms...)
	return built(b)
}

func cover(dimension int) *solve.Model {
	b := solve.NewBuilder(fmt.Sprintf("cover AG(%d,3)", dimension))
	n := 1
	for range dimension {
		n *= 3
	}
	for p := range n {
		b.Binary(fmt.Sprintf("p%d", p), 1)
	}
	for p := range n {
		for q := range p {
			// The third point of a line makes every coordinate sum to 0.
			r, power := 0, 1
			for a, c := p, q; power < n; a, c, power = a/3, c/3, power*3 {
				r += (6 - a%3 - c%3) % 3 * power
			}
			if r < q {
				row(b, fmt.Sprintf("line%d_%d_%d", r, q, p), solve.GE, 1, r, q, p)
			}
		}
	}
	return built(b)
}

func assignment() *solve.Model {
	b := solve.NewBuilder("assignment")
	const n = 8
	var x [n][n]int
	for i := range n {
		for j := range n {
			x[i][j] = b.Binary(fmt.Sprintf("x%d_%d", i+1, j+1), int64((i+1)*(j+1)))
		}
	}
	for i := range n {
		row(b, fmt.Sprintf("worker%d", i+1), solve.EQ, 1, x[i][:]...)
		var column []int
		for k := range n {
			column = append(column, x[k][i])
		}
		row(b, fmt.Sprintf("job%d", i+1), solve.EQ, 1, column...)
	}
	return built(b)
}

func pentagon() [][2]int { return [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}} }

// mycielski adds to every vertex v a shadow that sees v's neighbours, and one
// vertex that sees all shadows.
func mycielski(edges [][2]int) [][2]int {
	n := 0
	for _, e := range edges {
		n = max(n, e[0]+1, e[1]+1)
	}
	out := append([][2]int(nil), edges...)
	for _, e := range edges {
		out = append(out, [2]int{e[0] + n, e[1]}, [2]int{e[0], e[1] + n})
	}
	for v := range n {
		out = append(out, [2]int{v + n, 2 * n})
	}
	return out
}

// colouring gives every vertex a colour; the ends of the first edge have the
// first two.
func colouring(edges [][2]int, colours int) *solve.Model {
	b := solve.NewBuilder("colouring")
	n := 0
	for _, e := range edges {
		n = max(n, e[0]+1, e[1]+1)
	}
	x := make([][]int, n)
	for v := range x {
		for c := range colours {
			x[v] = append(x[v], b.Binary(fmt.Sprintf("v%d_c%d", v, c), 0))
		}
		row(b, fmt.Sprintf("vertex%d", v), solve.GE, 1, x[v]...)
	}
	for _, e := range edges {
		for c := range colours {
			row(b, fmt.Sprintf("edge%d_%d_c%d", e[0], e[1], c), solve.LE, 1, x[e[0]][c], x[e[1]][c])
		}
	}
	row(b, "first", solve.GE, 1, x[edges[0][0]][0])
	row(b, "second", solve.GE, 1, x[edges[0][1]][1])
	return built(b)
}

func pigeons() *solve.Model {
	b := solve.NewBuilder("pigeons")
	const holes = 8
	var in [holes][]int
	for p := range holes + 1 {
		var at []int
		for h := range holes {
			x := b.Binary(fmt.Sprintf("p%d_h%d", p, h), 0)
			at, in[h] = append(at, x), append(in[h], x)
		}
		row(b, fmt.Sprintf("pigeon%d", p), solve.GE, 1, at...)
	}
	for h := range in {
		row(b, fmt.Sprintf("hole%d", h), solve.LE, 1, in[h]...)
	}
	return built(b)
}

func bins() *solve.Model {
	b := solve.NewBuilder("bins")
	sizes := []int64{51, 51, 51, 51, 51, 26, 26, 26, 26, 23, 23, 23, 23}
	const most = 6
	var load [most][]solve.Term
	item := make([][]int, len(sizes))
	for k := range most {
		used := b.Binary(fmt.Sprintf("bin%d", k), 1)
		load[k] = append(load[k], solve.Term{Var: used, Coef: -100})
	}
	for i, size := range sizes {
		for k := range most {
			x := b.Binary(fmt.Sprintf("x%d_%d", i, k), 0)
			load[k] = append(load[k], solve.Term{Var: x, Coef: size})
			item[i] = append(item[i], x)
		}
		row(b, fmt.Sprintf("item%d", i), solve.EQ, 1, item[i]...)
	}
	for k := range most {
		b.Row(fmt.Sprintf("load%d", k), solve.LE, 0, load[k]...)
	}
	return built(b)
}

// openShop is Taillard's instance 4×4, number 1: processing times and machines
// from his generator, 1 ≤ times ≤ 99. Operations of a job, and of a machine, must
// not overlap; a binary says which of two comes first.
func openShop() *solve.Model {
	const n, horizon = 4, 250
	seed := int64(1166510396)
	uniform := func(low, high int64) int64 {
		const a, b, c, m = 16807, 127773, 2836, 1<<31 - 1
		k := seed / b
		if seed = a*(seed%b) - k*c; seed < 0 {
			seed += m
		}
		return low + int64(float64(seed)/m*float64(high-low+1))
	}
	var drawn [n][n]int64
	for j := range n {
		for k := range n {
			drawn[j][k] = uniform(1, 99)
		}
	}
	seed = 164000672
	var times [n][n]int64 // by job and machine
	for j := range n {
		machines := []int{0, 1, 2, 3}
		for k := range n {
			at := uniform(int64(k), n-1)
			machines[k], machines[at] = machines[at], machines[k]
		}
		for k := range n {
			times[j][machines[k]] = drawn[j][k]
		}
	}
	b := solve.NewBuilder("openshop")
	var start [n][n]int
	end := b.Integer("makespan", 0, horizon, 1)
	for j := range n {
		for k := range n {
			start[j][k] = b.Integer(fmt.Sprintf("start%d_%d", j, k), 0, horizon-times[j][k], 0)
			b.Row(fmt.Sprintf("end%d_%d", j, k), solve.GE, times[j][k], solve.Term{Var: end, Coef: 1}, solve.Term{Var: start[j][k], Coef: -1})
		}
	}
	apart := func(j, k, i, l int) {
		name := fmt.Sprintf("%d_%d_%d_%d", j, k, i, l)
		first := b.Binary("first"+name, 0)
		x, y := start[j][k], start[i][l]
		b.Row("before"+name, solve.LE, horizon-times[j][k], solve.Term{Var: x, Coef: 1}, solve.Term{Var: y, Coef: -1}, solve.Term{Var: first, Coef: horizon})
		b.Row("after"+name, solve.LE, -times[i][l], solve.Term{Var: y, Coef: 1}, solve.Term{Var: x, Coef: -1}, solve.Term{Var: first, Coef: -horizon})
	}
	for j := range n {
		for k := range n {
			for l := range k {
				apart(j, k, j, l)
				apart(k, j, l, j)
			}
		}
		// A job and a machine are busy for the sum of their times.
		var job, machine int64
		for k := range n {
			job, machine = job+times[j][k], machine+times[k][j]
		}
		row(b, fmt.Sprintf("job%d", j), solve.GE, job, end)
		row(b, fmt.Sprintf("machine%d", j), solve.GE, machine, end)
	}
	return built(b)
}

func TestClassics(t *testing.T) {
	t.Parallel()
	for _, c := range classics {
		t.Run(c.file, func(t *testing.T) {
			ext := filepath.Ext(c.file)
			write := map[string]func(io.Writer, *solve.Model) error{".lp": format.WriteLP, ".mps": format.WriteMPS, ".opb": format.WriteOPB, ".cnf": format.WriteCNF}[ext]
			read := map[string]func(io.Reader) (*format.Problem, error){".lp": format.ReadLP, ".mps": format.ReadMPS, ".opb": format.ReadOPB, ".cnf": format.ReadCNF}[ext]
			var text bytes.Buffer
			if err := write(&text, c.model()); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(file) > 8000 && testing.Short() { // the open shop
				t.Skip("slow")
			}
			if !bytes.Equal(file, text.Bytes()) {
				t.Errorf("%s is not what the definition makes; see -update", path)
			}
			p, err := read(strings.NewReader(string(file)))
			if err != nil {
				t.Fatal(err)
			}
			a, err := auto.Solve(context.Background(), p, mip.Solver{}, solve.Options{Effort: 2e6})
			if err != nil {
				t.Fatal(err)
			}
			best := ""
			if a.Objective != nil {
				best = a.Objective.RatString()
			}
			t.Logf("%s %s: %d nodes, %d iterations, %v", a.Status, best, a.Result.Stats.Nodes, a.Result.Stats.LPIterations, a.Result.Stats.Duration)
			if a.Status != c.status || best != c.best {
				t.Errorf("%s %s, want %s %s", a.Status, best, c.status, c.best)
			}
			if _, err := cert.Check(p.Model, a.Result.Certificate); err != nil {
				t.Error(err)
			}
		})
	}
}
