package ipusolve

import (
	"ipusolve/device"
	"ipusolve/lower"
	"ipusolve/model"
)

// reportPlacement says what is known of a placement.
func reportPlacement(m lower.MemoryMap, stats *lower.PlaceStats) *Placement {
	best, bound := int64(stats.Budget), int64(stats.BudgetBound)
	p := &Placement{Status: stats.Status.String(), Objective: best, Bound: bound, Gap: gap(best, bound),
		Used: int64(stats.MaxUsed), Alive: int64(stats.MaxLiveTotal),
		Standard: int64(stats.MaxLive[model.Standard]), Interleaved: int64(stats.MaxLive[model.Interleaved]),
		EqualWords: stats.EqualWords, EqualBound: stats.EqualBound, OverlapWords: stats.OverlapWords, OverlapBound: stats.OverlapBound,
		InterleavedEnd: int64(stats.InterleavedEnd), DataBytes: int64(m.DataBytes(device.SRAMEnd)), RowBytes: int64(m.RowTable.End - m.RowTable.Start),
		CodeBytes: int64(m.Code.End - m.Code.Start), TileProblems: stats.Problems, OptimalClasses: stats.Optimal, Nodes: stats.Nodes}
	for i := range stats.Classes {
		c := &stats.Classes[i]
		top, low := int64(m.DataBytes(c.Top)), int64(m.DataBytes(c.TopBound))
		p.Classes = append(p.Classes, PlacementClass{Tile: c.Tiles[0], Count: len(c.Tiles), Paired: c.Paired, Items: c.Items, Status: c.Status.String(),
			EqualWords: c.EqualWords, EqualBound: c.EqualBound, OverlapWords: c.OverlapWords, OverlapBound: c.OverlapBound,
			Bytes: top, Bound: low, Gap: gap(top, low)})
	}
	for i := range stats.Pairing {
		x := &stats.Pairing[i]
		p.Phases = append(p.Phases, PlacementPhase{x.Pairable, x.Eligible, x.PairableWords, x.EligibleWords, stats.Overlaps[i]})
	}
	return p
}
