package check_test

import (
	"errors"
	"testing"

	"ipusolve/kernels"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/model"
)

// repeated is a program on one tile that copies one of two iterated blocks to an
// item of its own in every iteration, and from there to one that lives throughout.
func repeated() *lower.Program {
	plan := &model.Plan{Problem: model.Problem{Tiles: 1}, Values: []model.PlanValue{{Name: "w", Rows: 1, Cols: 32, Layout: model.Layout{Tiles: 1, Map: model.NewTileMap([]int{0})}}}, Steps: make([]model.Step, 6)}
	call := func(step, to, from int32) lower.Work {
		return lower.Work{Kind: lower.WorkCall, Step: step, Spec: kernels.Spec{Kind: kernels.Copy64},
			Args: []lower.Arg{lower.Addr(lower.Ref{Item: to}), lower.Addr(lower.Ref{Item: from}), lower.Const(1), lower.Const(2)}}
	}
	return &lower.Program{Plan: plan, Roots: make([]int, 6), Shards: [][]lower.Location{{{Bytes: 64}}},
		Items: []lower.Item{
			{Bytes: 72 + 64, Stride: 72, Align: 8, First: 0, Last: 5, Addr: 0x60000},
			{Bytes: 64, Align: 8, First: 2, Last: 3, Addr: 0x61000},
			{Bytes: 64, Align: 8, First: 1, Last: 4, Addr: 0x62000},
			{Bytes: 64, Align: 8, First: 1, Last: 4, Addr: 0x63000},
		},
		Tiles:  [][]lower.Work{{call(0, 2, 3), call(1, 1, 0), call(2, 2, 1), call(5, 3, 2)}},
		Repeat: &lower.Repeat{Count: 2, Period: 2, Begin: []int32{1}, End: []int32{3}},
	}
}

// A repeat that does not run alike in every iteration is refused.
func TestRepeat(t *testing.T) {
	m := lower.MemoryMap{Standard: []lower.Range{{Start: 0x5c000, End: 0x80000}}, InterleavedEnd: 0x90000}
	for _, c := range []struct {
		name  string
		spoil func(p *lower.Program)
		want  error
	}{
		{"fewer iterations", func(p *lower.Program) { p.Repeat.Count = 1 }, check.ErrRepeat},
		{"more than the plan has steps", func(p *lower.Program) { p.Repeat.Period = 4 }, check.ErrRepeat},
		{"no repeat", func(p *lower.Program) { p.Repeat = nil }, check.ErrRepeat},
		{"a body beyond the list", func(p *lower.Program) { p.Repeat.End[0] = 5 }, check.ErrRepeat},
		{"phases without exchanges", func(p *lower.Program) { p.Repeat.Phases = 1 }, check.ErrRepeat},
		{"an item that ends inside", func(p *lower.Program) { p.Items[2].Last = 2 }, check.ErrRepeat},
		{"an item that begins before and ends inside", func(p *lower.Program) { p.Items[1].First, p.Items[1].Last = 1, 2 }, check.ErrRepeat},
		{"copies that overlap", func(p *lower.Program) { p.Items[0].Stride = 56 }, check.ErrRepeat},
		{"a copy too few", func(p *lower.Program) { p.Items[0].Bytes = 72 }, check.ErrRepeat},
		{"an iterated item outside the body", func(p *lower.Program) { p.Tiles[0][0].Args[1].Item = 0 }, check.ErrRepeat},
		{"an iterated item written", func(p *lower.Program) { p.Tiles[0][2].Args[0].Item = 0 }, check.ErrRepeat},
		{"an iterated item left", func(p *lower.Program) { p.Tiles[0][1].Args[1].Value = 16 }, check.ErrRepeat},
		{"nothing", func(*lower.Program) {}, nil},
	} {
		p := repeated()
		c.spoil(p)
		if err := check.Check(p, m); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}
