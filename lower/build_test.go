package lower_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/kernels"
	"ipusolve/lower"
	"ipusolve/model"
)

var update = flag.Bool("update", false, "rewrite golden files")

// tiny is a plan of four tiles with a gather, a sum, a GELU in place and a
// retile.
func tiny() *model.Plan {
	return mlpPlan(4, 3, 32, 32, grid{1, 2, 2, 2, 2}, grid{2, 2, 1, 2, 2}, mlpOptions{sliced: true, once: true, rowBlock: 1})
}

func TestGoldenDump(t *testing.T) {
	p, err := lower.Build(tiny())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Place(p, dataMap); err != nil {
		t.Fatal(err)
	}
	var text, js bytes.Buffer
	if err := p.Dump(&text); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/tiny.txt"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Error(diff)
	}
	if err := p.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Schema string
		Items  []struct{ Bytes, Addr int }
		Tiles  [][]struct {
			Call     string
			Exchange *int
		}
		Phases []struct{ Transfers []struct{ Words int } }
	}
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Schema != lower.ProgramSchema || len(back.Items) != len(p.Items) || len(back.Tiles) != 4 || len(back.Phases) != len(p.Phases) {
		t.Errorf("JSON holds %d items, %d tiles, %d phases", len(back.Items), len(back.Tiles), len(back.Phases))
	}
	if back.Items[1].Addr != int(p.Items[1].Addr) || back.Phases[0].Transfers[0].Words != int(p.Phases[0].Transfers[0].Words) {
		t.Error("JSON differs from the program")
	}
}

// count counts the calls of a kernel kind.
func count(p *lower.Program, kind kernels.Kind) int {
	n := 0
	for _, list := range p.Tiles {
		for _, w := range list {
			if w.Kind == lower.WorkCall && w.Spec.Kind == kind {
				n++
			}
		}
	}
	return n
}

func TestSharedStorage(t *testing.T) {
	p, err := lower.Build(tiny())
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string) int {
		for i, v := range p.Plan.Values {
			if v.Name == name {
				return i
			}
		}
		t.Fatalf("no value %s", name)
		return 0
	}
	// Slices of the input lie apart from the gathered operand, which exchange
	// writes while they are sent.
	home, x := find("x@home"), find("x")
	for j, at := range p.Shards[home] {
		if at.Item == p.Shards[x][j].Item {
			t.Errorf("slice %d of x lies in the operand", j)
		}
	}
	// GELU works in place.
	if cmp.Diff(p.Shards[find("h")], p.Shards[find("g")]) != "" {
		t.Error("GELU is not in place")
	}
	// With one inner part the call writes the result: sums of the first GEMM
	// only, one per result shard.
	if n := count(p, kernels.ReduceF16); n != 4 {
		t.Errorf("%d sums, want 4", n)
	}
	if want := []int{0, 4, 0, 0, 0, 0}; !slices.Equal(p.Roots, want) {
		t.Errorf("roots %v, want %v", p.Roots, want)
	}
	// Every tile runs every phase.
	for tile, list := range p.Tiles {
		n := 0
		for _, w := range list {
			if w.Kind == lower.WorkExchange {
				n++
			}
		}
		if n != len(p.Phases) {
			t.Errorf("tile %d runs %d of %d phases", tile, n, len(p.Phases))
		}
	}
}

// Weights live from start to end, inputs from the start, outputs to the end.
func TestLifetimes(t *testing.T) {
	p, err := lower.Build(tiny())
	if err != nil {
		t.Fatal(err)
	}
	for v, list := range p.Shards {
		for _, at := range list {
			it := p.Items[at.Item]
			end := int32(len(p.Tiles[it.Tile])) + 1
			switch p.Plan.Values[v].Role {
			case model.RoleInput:
				if it.First != 0 || it.Last == end {
					t.Errorf("input item %d lives %d..%d", at.Item, it.First, it.Last)
				}
			case model.RoleWeight:
				if it.First != 0 || it.Last != end {
					t.Errorf("weight item %d lives %d..%d", at.Item, it.First, it.Last)
				}
			case model.RoleOutput:
				if it.First == 0 || it.Last != end {
					t.Errorf("output item %d lives %d..%d", at.Item, it.First, it.Last)
				}
			}
		}
	}
}

// A column of equal padding runs is cleared by one fill and one strided copy.
func TestPaddingClear(t *testing.T) {
	p := newPlan(2)
	home := leftLayout(grid{r: 2, q: 1, k: 1}, 1, 1)
	padded := model.Layout{Order: model.Order{Kind: model.LeftPanel}, Tiles: 1, Axes: []model.AxisTiling{{Axis: model.Rows, Parts: 1, Block: 8}}}
	x := p.value("x", model.RoleInput, 5, 64, home)
	y := p.move("op", x, p.value("y", "", 5, 64, padded), 0)
	p.gelu(y, p.value("z", model.RoleOutput, 5, 64, padded))
	prog, err := lower.Build(&p.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if f, c := count(prog, kernels.FillZero), count(prog, kernels.CopyStrided64); f != 1 || c != 2 {
		t.Errorf("%d fills, %d strided copies, want 1, 2 (one for the padding, one for the tile's own rows)", f, c)
	}
}

func TestBuildErrors(t *testing.T) {
	left := leftLayout(grid{r: 2, q: 2, k: 2}, 1, 1)
	right := rightLayout(grid{r: 2, q: 2, k: 2}, 1)
	result := resultLayout(grid{2, 2, 2, 4, 2}, 1)
	for _, c := range []struct {
		name, want string
		is         error
		plan       func(p *planBuilder)
	}{
		{"transposing move", "transposing kernel", lower.ErrOrder, func(p *planBuilder) {
			b := right
			b.Class = model.Standard
			p.move("op", p.value("x", model.RoleInput, 32, 32, left), p.value("y", "", 32, 32, b), 0)
		}},
		{"odd runs", "whole words", lower.ErrOrder, func(p *planBuilder) {
			// Linear pieces cut at odd columns of 3.
			one := model.Layout{Order: model.Order{Kind: model.RowMajor}, Tiles: 1}
			p.move("op", p.value("x", model.RoleInput, 4, 3, linearLayout(4, 3)), p.value("y", "", 4, 3, one), 0)
		}},
		{"no phase", "no phase", nil, func(p *planBuilder) {
			p.move("op", p.value("x", model.RoleInput, 8, 32, linearLayout(8, 4)), p.value("y", "", 8, 32, left), model.NoPhase)
		}},
		{"missing operand", "missing elements", lower.ErrCover, func(p *planBuilder) {
			a := left
			a.Map = model.NewTileMap([]int{1, 0, 2, 3, 4, 5, 6, 7})
			a.Replicas = 1
			a.Tiles = 4
			b := right
			p.gemm("op", p.value("x", model.RoleInput, 4, 32, a), p.value("w", model.RoleWeight, 32, 32, b), p.value("y", "", 4, 32, result), 0)
		}},
		{"read before written", "before it is complete", nil, func(p *planBuilder) {
			p.gelu(p.value("x", "", 4, 32, result), p.value("y", "", 4, 32, result))
		}},
		{"written twice", "written twice", nil, func(p *planBuilder) {
			x, y := p.value("x", model.RoleInput, 4, 32, left), p.value("y", "", 4, 32, left)
			p.move("op", x, y, 0)
			p.move("op", x, y, 1)
		}},
		{"never written", "never written", nil, func(p *planBuilder) { p.value("x", "", 4, 32, left) }},
		{"phase order", "ends before phase", nil, func(p *planBuilder) {
			x := p.value("x", model.RoleInput, 4, 32, left)
			p.move("op", x, p.value("y", "", 4, 32, result), 1)
			p.move("op", x, p.value("z", "", 4, 32, result), 0)
		}},
		{"shape", "32×32", nil, func(p *planBuilder) {
			p.move("op", p.value("x", model.RoleInput, 4, 32, left), p.value("y", "", 32, 32, left), 0)
		}},
		{"tile", "lies on tile", nil, func(p *planBuilder) {
			a := left
			a.Map = model.Rotation(8, 1, 100)
			p.value("x", model.RoleInput, 4, 32, a)
		}},
		{"F32 order", "no F16 order", lower.ErrOrder, func(p *planBuilder) {
			l := left
			l.Order.Kind = model.OutputPanel
			p.move("op", p.value("x", model.RoleInput, 4, 32, l), p.value("y", "", 4, 32, left), 0)
		}},
		{"no tiles", "0 tiles", nil, func(p *planBuilder) { p.Problem.Tiles = 0 }},
		{"phase number", "phase 99", nil, func(p *planBuilder) {
			p.move("op", p.value("x", model.RoleInput, 4, 32, left), p.value("y", "", 4, 32, left), 99)
		}},
		{"value index", "no value 7", nil, func(p *planBuilder) { p.gelu(7, p.value("x", "", 4, 32, left)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlan(8)
			c.plan(p)
			_, err := lower.Build(&p.Plan)
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
