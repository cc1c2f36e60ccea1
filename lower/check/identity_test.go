package check_test

import (
	"errors"
	"testing"

	"ipusolve/kernels"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/model"
)

// TestIdentityMutations breaks the rules of identity weights, and of an addend in
// the element of its sum, in the small program with its sum on the matrix unit.
func TestIdentityMutations(t *testing.T) {
	build := func() (*lower.Program, *lower.Item) {
		plan := *placed(t).Plan
		plan.Steps[1].Gemm = &model.Gemm{Sum: model.SumMatrix}
		p, err := lower.Build(&plan)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lower.Place(p, memory); err != nil {
			t.Fatal(err)
		}
		return p, item(t, p, lower.ItemIdentity, "h")
	}
	p, identity := build()
	if err := check.Check(p, memory); err != nil {
		t.Fatal(err)
	}
	if identity.Bytes != 512 {
		t.Errorf("%d bytes of identity blocks for two inner parts", identity.Bytes)
	}
	for name, c := range map[string]struct {
		want   error
		mutate func(p *lower.Program, identity *lower.Item)
	}{
		"loaded late":     {check.ErrConstant, func(_ *lower.Program, it *lower.Item) { it.First++ }},
		"dies":            {check.ErrConstant, func(_ *lower.Program, it *lower.Item) { it.Last-- }},
		"part of a block": {check.ErrConstant, func(_ *lower.Program, it *lower.Item) { it.Bytes += 32 }},
		"written by a call": {check.ErrConstant, func(p *lower.Program, it *lower.Item) {
			for _, w := range p.Tiles[0] {
				if w.Kind == lower.WorkCall && w.Spec.Kind == kernels.GeluF16 {
					w.Args[0] = lower.Addr(lower.Ref{Item: itemIndex(p, it)})
				}
			}
		}},
		"written by an exchange": {check.ErrConstant, func(p *lower.Program, it *lower.Item) {
			for i := range p.Phases[1].Transfers {
				tr := &p.Phases[1].Transfers[i]
				if d := &tr.Dests[0]; p.Items[d.Item].Tile == 0 {
					*d, tr.Words = lower.Ref{Item: itemIndex(p, it)}, 8
				}
			}
		}},
		"addend beside its sum": {check.ErrElement, func(p *lower.Program, _ *lower.Item) {
			for i := range p.Items {
				p.Items[i].Apart = nil
			}
			y := item(t, p, lower.ItemPartial, "h")
			item(t, p, lower.ItemRemote, "h").Addr = y.Addr + (y.Bytes+y.Tail+31)/32*32
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p, it := build()
			c.mutate(p, it)
			if err := check.Check(p, memory); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

func itemIndex(p *lower.Program, it *lower.Item) int32 {
	for i := range p.Items {
		if &p.Items[i] == it {
			return int32(i)
		}
	}
	return -1
}
