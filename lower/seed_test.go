package lower_test

import (
	"testing"
	"time"

	"ipusolve/lower"
)

// endpointBound is the most words that one tile sends or receives in a phase.
func endpointBound(p *lower.Program, phase int) int {
	sent, received := make([]int, len(p.Tiles)), make([]int, len(p.Tiles))
	for _, t := range p.Phases[phase].Transfers {
		sent[p.Items[t.Source.Item].Tile] += int(t.Words)
		for _, d := range t.Dests {
			received[p.Items[d.Item].Tile] += int(t.Words)
		}
	}
	most := 0
	for t := range sent {
		most = max(most, sent[t], received[t])
	}
	return most
}

// The first seed's plan gives the figures of lowering.md §4.2 and §6.1.
func TestFirstSeed(t *testing.T) {
	start := time.Now()
	p, err := lower.Build(firstSeed())
	if err != nil {
		t.Fatal(err)
	}
	t.Log("build", time.Since(start))
	for phase, want := range []struct{ transfers, bound int }{{675, 3840}, {12105, 4800}, {195361, 1184}, {196821, 33408}, {63720, 4704}} {
		if n, b := len(p.Phases[phase].Transfers), endpointBound(p, phase); n != want.transfers || b != want.bound {
			t.Errorf("phase %d: %d transfers, bound %d; want %d, %d", phase, n, b, want.transfers, want.bound)
		}
	}
	var roots []int
	for _, n := range p.Roots {
		if n > 0 {
			roots = append(roots, n)
		}
	}
	if len(roots) != 2 || roots[0] != 1485 || roots[1] != 1512 {
		t.Errorf("reduction roots %v, want 1485 and 1512", roots)
	}
	start = time.Now()
	stats, err := lower.Place(p, dataMap)
	t.Log("place", time.Since(start), stats.MaxLive, stats.MaxLiveTotal, stats.MaxUsed, stats.InterleavedEnd, stats.Problems)
	for i, s := range stats.SharedElementTiles {
		t.Log(i, len(s))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestFullSizeQuick(t *testing.T) {
	start := time.Now()
	p, err := lower.Build(fullSize())
	if err != nil {
		t.Fatal(err)
	}
	t.Log("build", time.Since(start))
	start = time.Now()
	stats, err := lower.Place(p, dataMap)
	t.Log("place", time.Since(start), stats.MaxLive, stats.MaxLiveTotal, stats.MaxUsed, stats.InterleavedEnd, stats.Problems)
	for i, s := range stats.SharedElementTiles {
		t.Log(i, len(s), len(p.Phases[i].Transfers), endpointBound(p, i))
	}
	if err != nil {
		t.Fatal(err)
	}
}
