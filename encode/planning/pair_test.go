package planning

import (
	"math/rand/v2"
	"testing"

	"ipusolve/encode"
	"ipusolve/model"
)

// TestPairBounds checks what encode.Pair promises, on random pairs of classes of all
// orientations, storages and outputs.
func TestPairBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, dims := range [][4]int{{64, 128, 256, 64}, {7, 48, 80, 64}, {1, 48, 80, 64}, {29, 72, 136, 128}, {100, 96, 40, 64}} {
		for rules := range 4 {
			p := problem(t, dims[0], dims[1], dims[2], 1, dims[3])
			p.Family = model.FamilyFull
			if rules&1 != 0 {
				p.Weights = model.WeightsOnce
			}
			if rules&2 != 0 {
				p.Outputs = model.OutputsLinear
			}
			b, err := build(p, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.sel.Edges {
				from, to := b.sel.Nodes[e.From].Candidates, b.sel.Nodes[e.To].Candidates
				for range 300 {
					i, j := rng.IntN(len(from)), rng.IntN(len(to))
					a, c := from[i].Class, to[j].Class
					apart := e.Pair.Left(a) + e.Pair.Right(c)
					least, exact := e.Pair.LowerBound(a, c), e.Pair.Exact(a, c)
					if apart > least || least > exact || exact > apart+e.Pair.Spread(a) {
						t.Fatalf("%v %s: %s to %s: %d + %d, at least %d, exactly %d, spread %d", dims, e.Name, b.sel.Nodes[e.From].Describe(i), b.sel.Nodes[e.To].Describe(j),
							e.Pair.Left(a), e.Pair.Right(c), least, exact, e.Pair.Spread(a))
					}
				}
			}
		}
	}
}

// TestAlikeClasses checks that candidates of one class cost the same beside any other.
func TestAlikeClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	p := problem(t, 40, 96, 128, 2, 64)
	p.Family = model.FamilyFull
	b, err := build(p, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for n := range b.gemms {
		byClass := map[int32][]int{}
		for i, c := range b.sel.Nodes[n].Candidates {
			byClass[c.Class] = append(byClass[c.Class], i)
		}
		for range 40 {
			c := make(encode.Choice, len(b.sel.Nodes))
			for k := range b.gemms {
				c[k] = rng.IntN(len(b.gemms[k]))
			}
			alike := byClass[b.sel.Nodes[n].Candidates[c[n]].Class]
			for range 2 {
				c[n] = alike[rng.IntN(len(alike))]
				b.trim(c)
				plan, err := b.plan(c)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := plan.Total(), b.sel.Cost(c); got != want {
					t.Fatalf("%v: layouts cost %d, the selection %d", c, got, want)
				}
			}
		}
	}
}
