package model

import (
	"fmt"
	"strings"
)

// String is the layout on one line: order, class, shards, replicas, then each
// axis as parts×block with what differs from the defaults, then the tile map.
//
//	left standard 1350 shards ×135 · cols 5×240 · rows 2×2
//	block-major(240) interleaved 675 shards · cols 135×16 @1 · rows 5×240
//	left interleaved 1472 shards · linear 1472×16
func (l *Layout) String() string {
	var b strings.Builder
	b.WriteString(l.Order.Kind.String())
	if l.Order.RowBlock > 0 {
		fmt.Fprintf(&b, "(%d)", l.Order.RowBlock)
	}
	fmt.Fprintf(&b, " %v %d shards", l.Class, l.Tiles)
	if l.Replicas > 1 {
		fmt.Fprintf(&b, " ×%d", l.Replicas)
	}
	if l.Slices > 1 {
		fmt.Fprintf(&b, " in %d slices", l.Slices)
	}
	for _, a := range l.Axes {
		b.WriteString(" · ")
		b.WriteString(a.String())
	}
	if !l.Map.IsZero() {
		fmt.Fprintf(&b, " · on %v", l.Map)
	}
	return b.String()
}

// String is the axis as "name parts×block" and every field that is set, e.g.
// "rows 10×2 nest 2 @135"; @ is the stride.
func (a AxisTiling) String() string {
	name := fmt.Sprintf("axis%d", a.Axis)
	if a.Axis >= Linear && a.Axis <= Rows {
		name = [...]string{Linear: "linear", Cols: "cols", Rows: "rows"}[a.Axis]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d×%d", name, a.Parts, a.Block)
	for _, f := range []struct {
		name       string
		value, not int
	}{{"pad", a.Pad, a.Block}, {"groups", a.Groups, 1}, {"shardpad", a.ShardPad, 1}, {"nest", a.Nest, 1}} {
		if f.value != 0 && f.value != f.not {
			fmt.Fprintf(&b, " %s %d", f.name, f.value)
		}
	}
	if a.Reject {
		b.WriteString(" exact")
	}
	if a.Stride != 0 {
		fmt.Fprintf(&b, " @%d", a.Stride)
	}
	return b.String()
}

// shownRuns is how many runs of a tile map its text shows.
const shownRuns = 3

// String lists the tiles of consecutive indices, e.g. "675…1034" or
// "0…1470 by 2, 1…1471 by 2"; long maps are cut.
func (m TileMap) String() string {
	if m.IsZero() {
		return "0…"
	}
	var parts []string
	for i, r := range m.runs {
		if i == shownRuns {
			parts = append(parts, fmt.Sprintf("(%d more runs)", len(m.runs)-i))
			break
		}
		s := fmt.Sprint(r.First)
		if r.Count > 1 {
			s += fmt.Sprintf("…%d", r.First+r.Step*(r.Count-1))
			if r.Step != 1 {
				s += fmt.Sprintf(" by %d", r.Step)
			}
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}
