package exchange_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// scheduleOf completes starts by the horizons the checker finds.
func scheduleOf(p *exchange.Problem, start []int32) *exchange.Schedule {
	s := &exchange.Schedule{Start: start, TileHorizon: make([]int32, p.Tiles)}
	cover := func(t, h int32) {
		s.TileHorizon[t], s.Horizon = max(s.TileHorizon[t], h), max(s.Horizon, h)
	}
	for i := range p.Messages {
		m := &p.Messages[i]
		end := start[i] + m.Items()
		cover(m.Source, end)
		if m.Paired {
			cover(m.Source^1, end)
		}
		for _, d := range m.Dests {
			cover(d.Tile, end+m.WriteLag(d.Tile)+5)
		}
	}
	return s
}

// legalStarts asks the checker about starts and rows.
func legalStarts(p *exchange.Problem, start []int32) bool {
	s := scheduleOf(p, start)
	if _, err := check.CheckSchedule(p, s); err != nil {
		return false
	}
	rows, err := exchange.EncodePhase(p, s)
	if err != nil {
		return false
	}
	_, err = check.Check(p, rows, nil)
	return err == nil
}

// TestExactMixedWidths holds exact search on two or three messages, some paired,
// against all starts that would be shorter: no two messages of them that the checker
// lets stand beside each other, or no three.
func TestExactMixedWidths(t *testing.T) {
	count := 24
	if testing.Short() {
		count = 12
	}
	rng := rand.New(rand.NewPCG(64, 99))
	above, paired, solved := 0, 0, 0
	for solved < count {
		p := mixed(rng, 2+rng.IntN(2))
		ends := map[[2]uint32]bool{}
		for _, m := range p.Messages {
			for _, d := range m.Dests {
				ends[[2]uint32{uint32(d.Tile), d.Addr + 4*uint32(m.Words)}] = true
			}
		}
		run := false // R8 would make a rule depend on three messages
		for _, m := range p.Messages {
			for _, d := range m.Dests {
				run = run || ends[[2]uint32{uint32(d.Tile), d.Addr}]
			}
		}
		bound := exchange.Best(p).Horizon
		starts, proven, err := exchange.Exact(context.Background(), p, bound, 1<<20, 20000)
		if err != nil {
			t.Fatal(err)
		}
		if starts == nil || !legalStarts(p, starts) {
			t.Fatalf("starts %v are not legal\n%+v", starts, p.Messages)
		}
		s, _, err := exchange.List(context.Background(), p, exchange.Options{Gap: -1})
		if err != nil || s.Horizon < proven {
			t.Fatalf("listed %d, proven %d, %v\n%+v", s.Horizon, proven, err, p.Messages)
		}
		if scheduleOf(p, starts).Horizon != proven || run || proven > bound+250 {
			continue // not proven, or too much to try
		}
		if s.Horizon > proven {
			t.Errorf("listed %d, optimal %d\n%+v", s.Horizon, proven, p.Messages)
		}
		solved++
		if proven > bound {
			above++
		}
		for _, m := range p.Messages {
			if m.Paired {
				paired++
			}
		}
		if proven > bound {
			if x := shorter(p, proven-1); x != nil {
				t.Fatalf("proven %d, but %v takes less\n%+v", proven, x, p.Messages)
			}
		}
	}
	t.Logf("%d problems, %d optima above the bound, %d paired messages", solved, above, paired)
	if above < count/10 || paired < count/2 {
		t.Error("too few")
	}
}

// shorter looks for starts within a horizon among all there are.
func shorter(p *exchange.Problem, h int32) []int32 {
	n := len(p.Messages)
	first, last := make([]int32, n), make([]int32, n)
	for i := range p.Messages {
		first[i] = p.Messages[i].Head()
		alone := &exchange.Problem{Tiles: p.Tiles, Messages: p.Messages[i : i+1]}
		last[i] = h - scheduleOf(alone, []int32{0}).Horizon
	}
	// beside[i][j][x_j − x_i + h]: both alone keep the rules.
	beside := make([][][]bool, n)
	for i := range n {
		beside[i] = make([][]bool, n)
		for j := i + 1; j < n; j++ {
			two := &exchange.Problem{Tiles: p.Tiles, Messages: []exchange.Message{p.Messages[i], p.Messages[j]}}
			beside[i][j] = make([]bool, 2*h+1)
			for d := first[j] - last[i]; d <= last[j]-first[i]; d++ {
				x := max(first[i], first[j]-d)
				_, err := check.CheckSchedule(two, scheduleOf(two, []int32{x, x + d}))
				beside[i][j][d+h] = err == nil
			}
		}
	}
	x := make([]int32, n)
	var place func(k int) bool
	place = func(k int) bool {
		if k == n {
			return legalStarts(p, x)
		}
		for x[k] = first[k]; x[k] <= last[k]; x[k]++ {
			ok := true
			for i := range k {
				ok = ok && beside[i][k][x[k]-x[i]+h]
			}
			if ok && place(k+1) {
				return true
			}
		}
		return false
	}
	if place(0) {
		return x
	}
	return nil
}
