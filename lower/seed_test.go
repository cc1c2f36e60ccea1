package lower_test

import (
	"testing"

	"ipusolve/lower"
	"ipusolve/lower/check"
)

// endpointBound is the most words that one tile sends or receives in a phase.
func endpointBound(p *lower.Program, phase int) int {
	sent, received := make([]int, len(p.Tiles)), make([]int, len(p.Tiles))
	for _, m := range p.Exchange(phase).Messages {
		sent[m.Source] += int(m.Words)
		for _, d := range m.Dests {
			received[d.Tile] += int(m.Words)
		}
	}
	most := 0
	for t := range sent {
		most = max(most, sent[t], received[t])
	}
	return most
}

// The first seed's plan gives the figures of lowering.md §4.2 and §6.1, and
// fits with send and receive data of every phase in different elements.
func TestFirstSeed(t *testing.T) {
	p, err := lower.Build(firstSeed())
	if err != nil {
		t.Fatal(err)
	}
	for phase, want := range []struct {
		reason           string
		transfers, bound int
	}{
		{lower.ReasonOperand, 675, 3840},
		{lower.ReasonOperands, 12105, 4800},
		{lower.ReasonRearrange, 195361, 1184},
		{lower.ReasonOperands, 196821, 33408},
		{lower.ReasonOperands, 63720, 4704},
	} {
		if n, b := len(p.Phases[phase].Transfers), endpointBound(p, phase); n != want.transfers || b != want.bound || p.Phases[phase].Reason != want.reason {
			t.Errorf("phase %d: %s, %d transfers, bound %d; want %+v", phase, p.Phases[phase].Reason, n, b, want)
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
	for phase, want := range map[int]int{1: 6075, 2: 98774, 4: 21240} {
		if n := logicalTransfers(p, phase); n != want {
			t.Errorf("phase %d: %d logical transfers, want %d", phase, n, want)
		}
	}
	stats, err := lower.Place(p, dataMap)
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(p, dataMap); err != nil {
		t.Fatal(err)
	}
	for phase, tiles := range stats.SharedElementTiles {
		if len(tiles) > 0 {
			t.Errorf("phase %d: %d tiles send and receive in one element", phase, len(tiles))
		}
	}
	// Raw live bytes of lowering.md §9, X 175 680; the total is lower by the
	// reference's tail of 16 bytes.
	if stats.MaxLive[0] != 175680 || stats.MaxLiveTotal != 241024 {
		t.Errorf("live bytes %v, %d in all", stats.MaxLive, stats.MaxLiveTotal)
	}
}

// logicalTransfers counts the pairs of source and destination items in a phase:
// one per view of lowering.md §5, since each item is met in one rectangle.
func logicalTransfers(p *lower.Program, phase int) int {
	pairs := map[[2]int32]bool{}
	for _, t := range p.Phases[phase].Transfers {
		for _, d := range t.Dests {
			pairs[[2]int32{t.Source.Item, d.Item}] = true
		}
	}
	return len(pairs)
}
