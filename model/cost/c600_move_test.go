package cost

import (
	"testing"

	"pgregory.net/rapid"

	"ipusolve/model"
)

// shardOf draws a shard that holds [start, start+n) of both axes, as its order is cut.
func shardOf(t *rapid.T, name string, kind model.OrderKind) model.Shard {
	extent := func(axis string, panels bool) model.Extent {
		grain := 1
		if panels {
			grain = model.PanelWidth
		}
		start := grain * rapid.IntRange(0, 48/grain).Draw(t, name+axis+" start")
		end := start + grain*rapid.IntRange(1, 48/grain).Draw(t, name+axis+" length")
		return model.Extent{Start: start, Logical: end, Physical: end}
	}
	// Where elements of an axis lie side by side the axis is cut at whole panels.
	s := model.Shard{Rows: extent(" rows", kind != model.LeftPanel), Cols: extent(" columns", kind != model.TransposedLeft)}
	s.End = s.Rows.Stored() * s.Cols.Stored()
	return s
}

// Runs of a piece are what walking it in the storage order of the destination, or in
// panels of 16 columns, finds: neighbours that are neighbours at both ends.
func TestRunsAreContiguous(t *testing.T) {
	for _, pair := range [][2]model.OrderKind{
		{model.LeftPanel, model.LeftPanel}, {model.LeftPanel, model.TransposedBlockMajor}, {model.TransposedBlockMajor, model.LeftPanel},
		{model.TransposedBlockMajor, model.TransposedBlockMajor}, {model.TransposedLeft, model.TransposedLeft},
	} {
		rapid.Check(t, func(t *rapid.T) {
			f, d := shardOf(t, "from", pair[0]), shardOf(t, "to", pair[1])
			from, to := model.Order{Kind: pair[0]}, model.Order{Kind: pair[1]}
			b := f.Defined(from).Intersect(d.Defined(to))
			if b.Empty() {
				t.Skip("shards do not meet")
			}
			offset := func(s model.Shard, o model.Order, x, y int) int {
				return o.Offset(s.Rows.Stored(), s.Cols.Stored(), x-s.Rows.Start, y-s.Cols.Start, 16)
			}
			next := map[int]int{} // destination of every source offset
			for x := b.R0; x < b.R1; x++ {
				for y := b.C0; y < b.C1; y++ {
					next[offset(f, from, x, y)] = offset(d, to, x, y)
				}
			}
			want := 0
			for at, to := range next {
				if before, ok := next[at-1]; !ok || before+1 != to {
					want++
				}
			}
			m := mover{from: &model.PlanValue{Layout: model.Layout{Order: from}}, to: &model.PlanValue{Layout: model.Layout{Order: to}}}
			if got := m.runs(b, f, d); got != want {
				t.Fatalf("%v to %v: %d runs of %+v from %+v to %+v, want %d", from.Kind, to.Kind, got, b, f, d, want)
			}
		})
	}
}
