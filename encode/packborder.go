package encode

import (
	"context"

	"ipusolve/solve"
)

// solveBorder solves an arena for every place of its border and takes the best.
func solveBorder(ctx context.Context, a *Arena, opt solve.Options) *ArenaResult {
	var m arenaMerger
	for _, at := range a.Border.At {
		m.add(newArenaSolver(ctx, a.split(at), opt).solve())
	}
	return m.result()
}

// arenaMerger takes the answers to arenas of which any one is to be solved.
type arenaMerger struct {
	best, sum *ArenaResult // sum has bounds that hold whichever it is
	unproven  bool
	stats     PackStats
}

func (m *arenaMerger) add(r *ArenaResult) {
	m.stats.add(&r.Stats)
	m.unproven = m.unproven || r.Status != solve.Optimal && r.Status != solve.Infeasible
	if r.At != nil && (m.best == nil || r.better(m.best)) {
		m.best = r
	}
	sum := m.sum
	switch {
	case sum == nil || sum.Status == solve.Infeasible && r.Status != solve.Infeasible:
		c := *r
		m.sum = &c
	case r.Status != solve.Infeasible || sum.Status == solve.Infeasible:
		if r.EqualBound > sum.EqualBound || r.EqualBound == sum.EqualBound && r.OverlapBound < sum.OverlapBound {
			sum.EqualBound, sum.OverlapBound = r.EqualBound, r.OverlapBound
		}
		if r.HeightBound < sum.HeightBound {
			sum.HeightBound, sum.Clash = r.HeightBound, r.Clash
		}
		if r.Status == solve.Unknown {
			sum.Status = solve.Unknown
		}
	}
}

// result is the best answer with the bounds of all; there is one.
func (m *arenaMerger) result() *ArenaResult {
	best, sum := m.best, m.sum
	if best == nil {
		sum.Stats = m.stats
		return sum
	}
	best.Stats = m.stats
	if m.unproven {
		best.EqualBound, best.OverlapBound, best.HeightBound = sum.EqualBound, sum.OverlapBound, sum.HeightBound
		if best.Equal != best.EqualBound || best.Overlap != best.OverlapBound || best.Height != best.HeightBound {
			best.Status = solve.Feasible
		}
	}
	return best
}

func (r *ArenaResult) better(s *ArenaResult) bool {
	if r.Equal != s.Equal {
		return r.Equal > s.Equal
	}
	return r.Overlap < s.Overlap || r.Overlap == s.Overlap && r.Height < s.Height
}

// split is the arena with its border at one address.
func (a *Arena) split(at int64) *Arena {
	b := *a
	b.Border = nil
	b.Classes = append([]ArenaClass(nil), a.Classes...)
	below, above := &b.Classes[a.Border.Below], &b.Classes[a.Border.Above]
	var low, high []Interval
	for _, r := range below.Ranges {
		if end := min(r.End, at); r.Start < end {
			low = append(low, Interval{r.Start, end})
		}
	}
	for _, r := range above.Ranges {
		if end := min(r.End, a.Border.From); r.Start < end {
			high = append(high, Interval{r.Start, end})
		}
		if start := max(r.Start, at); start < r.End {
			high = append(high, Interval{start, r.End})
		}
	}
	below.Ranges, above.Ranges = low, high
	return &b
}
