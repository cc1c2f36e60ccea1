package planning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/mip"
)

// randomChain is a chain of one to three GEMMs with GELUs here and there on at most 16
// tiles, under any rules, with memory from ample to too little.
func randomChain(rng *rand.Rand) *model.Problem {
	gemms := 1 + rng.IntN(3)
	most := [4]int{0, 16, 8, 4}[gemms]
	p := &model.Problem{Tiles: 1 + rng.IntN(most), Profile: model.ProfileC600, Inputs: model.InputsGathered, Weights: model.WeightsResident,
		Outputs: model.OutputsAny, Repeat: model.RepeatUnbounded, Family: model.FamilyFull, MemoryLimit: model.MaxPhysicalBytes - model.DefaultReserve, Timing: model.TimingVersion}
	pick := func(of ...int) int { return of[rng.IntN(len(of))] }
	rows := pick(1, 5, 16, 17, 30, 48)
	width := func() int { return pick(16, 32, 48, 24, 40, 96) }
	cols := width()
	g := &p.Graph
	g.Name = "chain"
	at := "x"
	g.Values = append(g.Values, model.GraphValue{Name: at, Shape: []int{rows, cols}, Role: model.RoleInput})
	for i := range gemms {
		n := width()
		w, y := fmt.Sprint("w", i), fmt.Sprint("y", i)
		g.Values = append(g.Values, model.GraphValue{Name: w, Shape: []int{cols, n}, Role: model.RoleWeight}, model.GraphValue{Name: y, Shape: []int{rows, n}})
		g.Ops = append(g.Ops, model.Op{Name: fmt.Sprint("gemm", i), Kind: model.OpGemm, Inputs: []string{at, w}, Output: y})
		cols, at = n, y
		if rng.IntN(2) == 0 {
			z := fmt.Sprint("z", i)
			g.Values = append(g.Values, model.GraphValue{Name: z, Shape: []int{rows, n}})
			g.Ops = append(g.Ops, model.Op{Name: fmt.Sprint("gelu", i), Kind: model.OpGelu, Inputs: []string{at}, Output: z})
			at = z
		}
	}
	g.Outputs = []string{at}
	if rng.IntN(2) == 0 {
		p.Weights = model.WeightsOnce
	}
	if rng.IntN(2) == 0 {
		p.Inputs = model.InputsPreplaced
	}
	if rng.IntN(2) == 0 {
		p.Outputs = model.OutputsLinear
	}
	if rng.IntN(4) == 0 {
		p.Without = []string{model.MatrixSums}
	}
	if rng.IntN(2) == 0 {
		p.MemoryLimit = (model.StandardShare + 512 + rng.IntN(4<<10)) / model.MemoryGranule * model.MemoryGranule
	}
	return p
}

// least searches all choices among all candidates of a problem and returns the least
// cost within the limits. It leaves out only choices whose candidates alone cost as
// much already.
func least(t *testing.T, p *model.Problem) (int64, encode.Choice, *builder) {
	t.Helper()
	b, err := build(p, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	nodes := b.sel.Nodes
	order := make([][]int, len(nodes))
	rest := make([]int64, len(nodes)+1) // least candidate costs of nodes from here on
	for n := len(nodes) - 1; n >= 0; n-- {
		for i := range nodes[n].Candidates {
			order[n] = append(order[n], i)
		}
		slices.SortStableFunc(order[n], func(x, y int) int { return int(nodes[n].Candidates[x].Cost - nodes[n].Candidates[y].Cost) })
		rest[n] = rest[n+1] + nodes[n].Candidates[order[n][0]].Cost
	}
	edge := make([]encode.Pair, len(nodes)) // into a node
	for _, e := range b.sel.Edges {
		edge[e.To] = e.Pair
	}
	known := make([]map[[2]int32]int64, len(nodes))
	for n := range known {
		known[n] = map[[2]int32]int64{}
	}
	best, chosen := int64(math.MaxInt64), encode.Choice(nil)
	c := make(encode.Choice, len(nodes))
	var search func(n int, cost int64)
	search = func(n int, cost int64) {
		if n == b.identity && n > 0 {
			b.trim(c)
			n++
		}
		if n == len(nodes) {
			if cost < best && b.sel.Fits(c) {
				best, chosen = cost, slices.Clone(c)
			}
			return
		}
		for _, i := range order[n] {
			v := cost + nodes[n].Candidates[i].Cost
			if v+rest[n+1] >= best {
				break
			}
			if edge[n] != nil {
				k := [2]int32{nodes[n-1].Candidates[c[n-1]].Class, nodes[n].Candidates[i].Class}
				pair, ok := known[n][k]
				if !ok {
					pair = edge[n].Exact(k[0], k[1])
					known[n][k] = pair
				}
				v += pair
			}
			c[n] = i
			search(n+1, v)
		}
	}
	search(0, 0)
	return best, chosen, b
}

// TestRandomChains compares the solved optimum of random small chains with the best of
// all choices, which costs what the layouts of its plan do, and checks the proof.
func TestRandomChains(t *testing.T) {
	count := 300
	if testing.Short() {
		count = 60
	}
	rng := rand.New(rand.NewPCG(6, 7))
	var optimal, infeasible, swapped int
	for i := range count {
		p := randomChain(rng)
		want, choice, b := least(t, p)
		res, err := Solve(context.Background(), p, mip.Solver{}, Options{})
		if want == math.MaxInt64 {
			var none *InfeasibleError
			if !errors.As(err, &none) || none.Smallest <= int64(p.MemoryLimit) {
				t.Errorf("chain %d: %v, no plan exists", i, err)
			}
			infeasible++
			continue
		}
		if err != nil {
			t.Fatalf("chain %d: %v", i, err)
		}
		plan, err := b.plan(choice)
		if err != nil {
			t.Fatalf("chain %d: %v", i, err)
		}
		if err := plan.Validate(); p.Tiles%model.TileQuantum == 0 && err != nil {
			t.Fatalf("chain %d: %v", i, err)
		}
		out := res.Outcome
		if plan.Total() != want || out.Status != solve.Optimal || out.Objective != want {
			t.Errorf("chain %d: %v %d, all choices %d, layouts %d", i, out.Status, out.Objective, want, plan.Total())
		}
		if v, err := cert.Check(out.Model, out.Result.Certificate); err != nil || v.Bound.Num().Int64() < out.Bound {
			t.Errorf("chain %d: certificate: %v", i, err)
		}
		if _, err := Recheck(p, out.Model, out.Bound, out.Prices); err != nil {
			t.Errorf("chain %d: %v", i, err)
		}
		optimal++
		for n := range b.gemms {
			if b.gemms[n][choice[n]].Swapped {
				swapped++
			}
		}
	}
	t.Logf("%d optimal, %d swapped GEMMs, %d infeasible", optimal, swapped, infeasible)
	if optimal < count/2 || infeasible == 0 || swapped == 0 {
		t.Errorf("%d optimal, %d swapped GEMMs, %d infeasible", optimal, swapped, infeasible)
	}
}
