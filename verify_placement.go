package ipusolve

import (
	"fmt"
	"slices"
	"strings"

	"ipusolve/device/ipuexe"
	"ipusolve/lower"
	"ipusolve/lower/check"
	"ipusolve/model"
	"ipusolve/solve"
)

// placementLevel claims what the classes of a placement say together.
func (c *claims) placementLevel(p *Placement) {
	var sum Placement
	status := solve.Optimal
	for i := range p.Classes {
		x := &p.Classes[i]
		n := int64(x.Count)
		sum.Objective, sum.Bound = max(sum.Objective, x.Bytes), max(sum.Bound, x.Bound)
		sum.EqualWords, sum.EqualBound = sum.EqualWords+n*x.EqualWords, sum.EqualBound+n*x.EqualBound
		sum.OverlapWords, sum.OverlapBound = sum.OverlapWords+n*x.OverlapWords, sum.OverlapBound+n*x.OverlapBound
		best := solve.Feasible
		if x.Bytes == x.Bound && x.EqualWords == x.EqualBound && x.OverlapWords == x.OverlapBound {
			best = solve.Optimal
			sum.OptimalClasses++
		} else {
			status = solve.Feasible
		}
		if x.Status != best.String() || x.Bound > x.Bytes || x.EqualBound < x.EqualWords || x.OverlapBound > x.OverlapWords || x.Gap != gap(x.Bytes, x.Bound) {
			c.holds(fmt.Sprintf("placement/class/%d", i), x.Status, best.String(), fmt.Errorf("%+v", *x))
		}
	}
	c.derived("placement/status", p.Status, status.String(), errorIf(p.Bound > p.Objective, "bound %d exceeds the best %d", p.Bound, p.Objective))
	c.equal("placement/gap", p.Gap, gap(p.Objective, p.Bound))
	c.equal("placement/sums", fmt.Sprint(p.Objective, p.Bound, p.EqualWords, p.EqualBound, p.OverlapWords, p.OverlapBound, p.OptimalClasses, p.TileProblems),
		fmt.Sprint(sum.Objective, sum.Bound, sum.EqualWords, sum.EqualBound, sum.OverlapWords, sum.OverlapBound, sum.OptimalClasses, len(p.Classes)))
}

// placement claims the figures of the placement level: what addresses reach is
// measured at the package's addresses (lower/check); bounds and classes are
// computed anew, by placing the program again.
func (c *claims) placement(p *Placement, prog *lower.Program, m *lower.MemoryMap) {
	f := check.Measure(prog)
	c.equal("placement/objective", p.Objective, m.DataBytes(f.Top))
	c.equal("placement/alive", p.Alive, mostAlive(prog, model.Standard, model.Interleaved))
	var equal, overlap int64
	err := errorIf(len(p.Phases) != len(f.Phases), "%d phases, the report has %d", len(f.Phases), len(p.Phases))
	for i := 0; i < len(f.Phases); i++ {
		x := &f.Phases[i]
		equal, overlap = equal+x.EqualWords, overlap+x.OverlapWords
		want := PlacementPhase{x.Pairable, x.Eligible, x.PairableWords, x.EligibleWords, x.OverlapWords}
		if err == nil && p.Phases[i] != want {
			err = fmt.Errorf("phase %d: %+v, the report says %+v", i, want, p.Phases[i])
		}
	}
	c.holds("placement/phases", fmt.Sprintf("%d phases", len(f.Phases)), "paired and overlapping words at the package's addresses", err)
	c.equal("placement/equalWords", p.EqualWords, equal)
	c.equal("placement/overlapWords", p.OverlapWords, overlap)

	again := *prog
	again.Items = slices.Clone(prog.Items)
	stats, err := lower.Place(&again, *m)
	if err == nil {
		want := reportPlacement(*m, &stats)
		want.Rounds, want.Tried, want.Seconds = p.Rounds, p.Tried, p.Seconds
		err = errorIf(!sameJSON(want, p), "placing again gives other figures")
	}
	c.holds("placement/classes", fmt.Sprintf("%d of %d classes optimal", p.OptimalClasses, p.TileProblems), "bounds as placing again gives", err)
}

// Placed is the program of a package: its plan lowered anew, with the addresses
// that the package names, and its memory map. The error says where they differ.
func Placed(app *ipuexe.Application) (*lower.Program, lower.MemoryMap, error) {
	v := &packageVerifier{app: app}
	var err error
	if v.plan, err = model.ReadPlan(strings.NewReader(app.PlanJSON)); err != nil {
		return nil, lower.MemoryMap{}, fmt.Errorf("ipusolve: %w", err)
	}
	prog, err := lower.Build(v.plan)
	if err == nil {
		err = v.addresses(prog)
	}
	if err != nil {
		return nil, lower.MemoryMap{}, fmt.Errorf("ipusolve: %w", err)
	}
	m, err := v.memoryMap(prog)
	if err != nil {
		return nil, lower.MemoryMap{}, fmt.Errorf("ipusolve: %w", err)
	}
	return prog, m, nil
}
