package main

import (
	"fmt"
	"io"

	"ipusolve"
)

// printPlacement says where the tiles of a compile end and what that does to
// exchange.
func printPlacement(w io.Writer, p *ipusolve.Placement) {
	fmt.Fprintf(w, "placement   %s: the fullest tile ends at %d of %d data bytes, bound %d, gap %s; %d alive at a time; %d of %d classes of tiles optimal\n",
		p.Status, p.Objective, p.DataBytes, p.Bound, percent(p.Gap), p.Alive, p.OptimalClasses, p.TileProblems)
	var eligible, pairable int64
	for i := range p.Phases {
		eligible, pairable = eligible+p.Phases[i].EligibleWords, pairable+p.Phases[i].PairableWords
	}
	fmt.Fprintf(w, "placement   %d of %d words can move paired, %d wait for a shared element; %d bytes of rows, %d of code\n",
		eligible, pairable, p.OverlapWords, p.RowBytes, p.CodeBytes)
	for _, t := range p.Tried {
		fmt.Fprintf(w, "placement   again after %d bytes of rows: %s\n", t.RowBytes, t.Cause)
	}
}

// placementLevels are the lines of a gap report: the fullest tile, the wishes,
// and the class of tiles with the widest gap.
func placementLevels(p *ipusolve.Placement) []gapLevel {
	level := func(name, unit, status string, best, bound int64, argument string) gapLevel {
		difference, g := best-bound, 0.0
		if best > bound {
			g = float64(difference) / float64(best)
		}
		return gapLevel{name, unit, status, best, &bound, &g, &difference, argument}
	}
	word := func(best, bound int64) string {
		if best == bound {
			return "optimal"
		}
		return "feasible"
	}
	list := []gapLevel{
		level("placement", "bytes", p.Status, p.Objective, p.Bound, fmt.Sprintf("end of the fullest tile, %d of %d classes optimal", p.OptimalClasses, p.TileProblems)),
		level("- split pairs", "words", word(p.EqualBound-p.EqualWords, 0), p.EqualBound-p.EqualWords, 0, "receive buffers that differ on the tiles of a pair"),
		level("- overlaps", "words", word(p.OverlapWords, p.OverlapBound), p.OverlapWords, p.OverlapBound, "sent from and received into one element"),
	}
	worst := -1
	for i := range p.Classes {
		if c := &p.Classes[i]; c.Status != "optimal" && (worst < 0 || c.Gap > p.Classes[worst].Gap) {
			worst = i
		}
	}
	if worst >= 0 {
		c := &p.Classes[worst]
		list = append(list, level(fmt.Sprintf("- tile %d", c.Tile), "bytes", c.Status, c.Bytes, c.Bound, fmt.Sprintf("the widest gap, %d items, %d times", c.Items, c.Count)))
	}
	return list
}
