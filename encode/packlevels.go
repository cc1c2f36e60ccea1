package encode

import (
	"context"
	"math"
	"slices"
	"time"

	"ipusolve/solve"
)

// ArenaResult is the answer to an arena, level by level.
type ArenaResult struct {
	// Status is Optimal when each level reaches its bound, Infeasible when what
	// must hold cannot, Unknown when a limit came before any placement.
	Status solve.Status
	At     Placement // per item, of one that is cut of its first part; nil unless Optimal or Feasible
	Cuts   []Cut     // items in two parts, ascending
	// Price ≥ PriceBound is what the cuts cost.
	Price, PriceBound int64
	// Equal ≤ EqualBound is the weight of Equal that holds; of this and what follows no
	// placement at the price has a better bound.
	Equal, EqualBound int64
	// Overlap ≥ OverlapBound is the weight of soft Apart that does not hold; no
	// placement with EqualBound has less.
	Overlap, OverlapBound int64
	// Height ≥ HeightBound; no placement that keeps as much is lower. Infeasible:
	// HeightBound is what some section needs at least.
	Height, HeightBound int64
	// Clash are items that are alive together, when these alone make the arena
	// infeasible.
	Clash []int
	Stats PackStats
}

// SolveArena solves an arena level by level: constructive placements first, kept
// when they reach a bound, then the exact search. What cannot all be kept of
// Equal and Apart is found by hitting sets: sets of wishes that contradict each
// other are proven by the search and made small; what is given up must meet every
// one of them at the least weight.
//
// Options.Effort limits the nodes of each level (0 = no limit); Disable may list
// PackTechniques. The error is about the record and wraps ErrPacking.
func SolveArena(ctx context.Context, a *Arena, opt solve.Options) (*ArenaResult, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	begin := time.Now()
	if opt.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.TimeLimit)
		defer cancel()
	}
	opt.TimeLimit, opt.Log = 0, nil
	var res *ArenaResult
	if slices.ContainsFunc(a.Items, func(it ArenaItem) bool { return it.Split != nil }) {
		res = solveCuts(ctx, a, opt)
	} else {
		res = solveWhole(ctx, a, opt)
	}
	res.Stats.Duration = time.Since(begin)
	return res, nil
}

// solveWhole solves an arena of which no item may be cut.
func solveWhole(ctx context.Context, a *Arena, opt solve.Options) *ArenaResult {
	if a.Border != nil {
		return solveBorder(ctx, a, opt)
	}
	return newArenaSolver(ctx, a, opt).solve()
}

// arenaSolver is one call for an arena without a border.
type arenaSolver struct {
	*Arena
	ctx     context.Context
	opt     solve.Options
	ceiling int64  // end of the highest range
	must    []bool // no wish chosen: hard Apart only
	left    int64  // nodes for the wishes
	hit     *hitting
	res     *ArenaResult
}

func newArenaSolver(ctx context.Context, a *Arena, opt solve.Options) *arenaSolver {
	s := &arenaSolver{Arena: a, ctx: ctx, opt: opt, left: opt.Effort, res: &ArenaResult{}}
	if s.left <= 0 {
		s.left = math.MaxInt64
	}
	for i := range a.Classes {
		for _, r := range a.Classes[i].Ranges {
			s.ceiling = max(s.ceiling, r.End)
		}
	}
	s.must = make([]bool, len(a.Equal)+len(a.Apart))
	for i, x := range a.Apart {
		s.must[len(a.Equal)+i] = x.Weight == 0
	}
	return s
}

// loss is what giving up a wish costs; Equal are numbered first, then Apart.
func (s *arenaSolver) loss(wish int) loss {
	if wish < len(s.Equal) {
		return loss{equal: s.Equal[wish].Weight}
	}
	return loss{apart: s.Apart[wish-len(s.Equal)].Weight}
}

// wishes lists what may be given up and could matter.
func (s *arenaSolver) wishes() []int {
	var list []int
	for i, must := range s.must {
		if k := i - len(s.Equal); !must && (k < 0 || s.alive(s.Apart[k].A.Item, s.Apart[k].B.Item)) {
			list = append(list, i)
		}
	}
	return list
}

func (s *arenaSolver) solve() *ArenaResult {
	res, wishes := s.res, s.wishes()
	for _, w := range wishes {
		res.EqualBound += s.loss(w).equal
	}
	whole := res.EqualBound
	chosen, run, sure := s.choose(wishes)
	if run == nil {
		s.infeasible()
		return res
	}
	given := loss{}
	for _, w := range sure {
		given = given.plus(s.loss(w))
	}
	res.EqualBound, res.OverlapBound = whole-given.equal, given.apart
	s.lowest(run, chosen)
	res.At, res.HeightBound = s.addresses(chosen, run.res.At), run.res.Bound
	switch {
	case !slices.Equal(chosen, s.without(wishes, sure)):
		res.HeightBound = s.bare()
	case len(sure) > 0: // else every best placement keeps all wishes
		s.others(wishes, sure, given)
	}
	res.Equal, res.Overlap, res.Height = s.Equals(res.At), s.Overlaps(res.At), s.Height(res.At)
	res.Status = solve.Feasible
	if res.Equal == res.EqualBound && res.Overlap == res.OverlapBound && res.Height == res.HeightBound {
		res.Status = solve.Optimal
	}
	return res
}

// attempt looks for a placement that keeps what is chosen. The run holds it, or
// the answer is in the status: Infeasible or Unknown.
func (s *arenaSolver) attempt(chosen []bool, effort int64) (*packing, solve.Status) {
	c, ok := s.core(chosen)
	if !ok {
		return nil, solve.Infeasible
	}
	opt := s.opt
	opt.Effort = effort
	run := newPackRun(s.ctx, c, s.ceiling, opt)
	run.res.Bound, _ = c.bound()
	status := solve.Infeasible
	if run.res.Bound <= run.capacity {
		if run.use.greedy {
			run.found(packGreedy(s.ctx, c, run.capacity, run.res.Bound))
		}
		if run.res.At == nil {
			run.decide(run.capacity, effort)
		}
		switch {
		case run.res.At != nil:
			status = solve.Feasible
		case run.res.Bound <= run.capacity:
			status = solve.Unknown
		}
	}
	s.count(run)
	return run, status
}

// count adds the work of a run to the result, and takes it off the effort left.
func (s *arenaSolver) count(run *packing) {
	st := &run.res.Stats
	s.res.Stats.Nodes += st.Nodes
	s.res.Stats.Searches += st.Searches
	s.res.Stats.Restarts += st.Restarts
	s.res.Stats.Repeats += st.Repeats
	if s.left != math.MaxInt64 {
		s.left = max(s.left-st.Nodes, 0)
	}
	*st = PackStats{}
}

// effort is what one attempt may take of what is left.
func (s *arenaSolver) effort() int64 {
	if s.left == math.MaxInt64 {
		return 0 // none
	}
	return max(s.left/4, 1)
}

// choose gives up as little as it can. sure are wishes whose loss no placement
// goes below; run is nil if no placement was found.
func (s *arenaSolver) choose(wishes []int) (chosen []bool, run *packing, sure []int) {
	all := s.without(wishes, nil)
	if r, status := s.attempt(all, s.effort()); status == solve.Feasible {
		return all, r, nil
	} else if len(wishes) == 0 {
		s.res.Status = status
		return nil, nil, nil
	}
	h := &hitting{cost: s.loss, ctx: s.ctx}
	s.hit = h
	for s.left > 0 && s.ctx.Err() == nil {
		least, proven := h.least()
		if !proven {
			break
		}
		sure = least
		set := s.without(wishes, sure)
		r, status := s.attempt(set, s.effort())
		if status == solve.Feasible {
			return set, r, sure
		}
		if status == solve.Unknown {
			break
		}
		core := s.shrink(set, wishes)
		if len(core) == 0 {
			s.res.Status = solve.Infeasible
			return nil, nil, nil
		}
		h.sets = append(h.sets, core)
	}
	// No time for the best choice: begin with none, and add what still fits.
	chosen = append([]bool(nil), s.must...)
	effort := max(s.opt.Effort, 1)
	run, s.res.Status = s.attempt(chosen, effort)
	if s.res.Status != solve.Feasible {
		return nil, nil, nil
	}
	heaviest := slices.Clone(wishes)
	slices.SortStableFunc(heaviest, func(v, w int) int { return s.loss(w).compare(s.loss(v)) })
	late := time.Now().Add(addGrace)
	if r := s.add(chosen, heaviest, max(effort/int64(8*len(wishes)), 100), late); r != nil {
		run = r
	}
	return chosen, run, sure
}

// addGrace is how long wishes are still added by constructive placement alone, all
// in all, where the context has ended.
const addGrace = 300 * time.Millisecond

// add chooses of some wishes, the first ones first, what the chosen ones leave room
// for: all at once, else each half. It gives the run of the last success, nil if
// there is none.
func (s *arenaSolver) add(chosen []bool, list []int, effort int64, late time.Time) *packing {
	if s.ctx.Err() != nil && time.Now().After(late) {
		return nil
	}
	for _, w := range list {
		chosen[w] = true
	}
	if run, status := s.attempt(chosen, effort); status == solve.Feasible {
		return run
	}
	for _, w := range list {
		chosen[w] = false
	}
	if len(list) < 2 {
		return nil
	}
	half := len(list) / 2
	first := s.add(chosen, list[:half], effort, late)
	if second := s.add(chosen, list[half:], effort, late); second != nil {
		return second
	}
	return first
}

// without chooses all wishes but some.
func (s *arenaSolver) without(wishes, some []int) []bool {
	chosen := append([]bool(nil), s.must...)
	for _, w := range wishes {
		chosen[w] = true
	}
	for _, w := range some {
		chosen[w] = false
	}
	return chosen
}

// shrink makes a set of wishes that contradict each other small: a wish leaves if
// the rest still do.
func (s *arenaSolver) shrink(chosen []bool, wishes []int) []int {
	chosen = append([]bool(nil), chosen...)
	for _, w := range wishes {
		if !chosen[w] {
			continue
		}
		chosen[w] = false
		if s.left > 0 && s.ctx.Err() == nil {
			if _, status := s.attempt(chosen, min(s.effort(), 1000)); status == solve.Infeasible {
				continue
			}
		}
		chosen[w] = true
	}
	var core []int
	for _, w := range wishes {
		if chosen[w] {
			core = append(core, w)
		}
	}
	return core
}

// lowest lowers the placement of a run that keeps what is chosen, as far as the
// effort of a level goes.
func (s *arenaSolver) lowest(run *packing, chosen []bool) {
	run.opt.Effort = s.opt.Effort
	s.windows(run, chosen)
	// Without ties between spaces each is a problem of its own, and soon proven.
	if loose := append(make([]bool, len(s.Equal)), chosen[len(s.Equal):]...); !slices.Equal(loose, chosen) {
		if c, ok := s.core(loose); ok {
			free := newPackRun(s.ctx, c, run.res.Height, run.opt)
			free.res.Bound = run.res.Bound
			free.minimise()
			run.res.Bound = max(run.res.Bound, min(free.res.Bound, run.res.Height))
			run.res.Stats.Nodes += free.res.Stats.Nodes
			if run.opt.Effort > 0 {
				run.opt.Effort += free.res.Stats.Nodes
			}
		}
	}
	run.minimise()
	left := s.left
	s.count(run)
	s.left = left
}

// bare is a bound of the height of all placements, whatever they keep.
func (s *arenaSolver) bare() int64 {
	run, status := s.attempt(s.must, max(s.opt.Effort, 0))
	if status == solve.Feasible {
		s.lowest(run, s.must)
	}
	return run.res.Bound
}

// mostOthers bounds the choices of one loss that are looked at.
const mostOthers = 16

// others looks at the choices that lose as much as the one of the result, sure:
// one of them may be lower, and the best placement is one of theirs.
func (s *arenaSolver) others(wishes, sure []int, given loss) {
	res := s.res
	list, ok := s.hit.all(given, mostOthers)
	if !ok {
		res.HeightBound = s.bare()
		return
	}
	best := s.Height(res.At)
	for _, set := range list {
		if slices.Equal(set, sure) {
			continue
		}
		if s.ctx.Err() != nil {
			res.HeightBound = 0 // of the choices not looked at nothing is known
			break
		}
		chosen := s.without(wishes, set)
		run, status := s.attempt(chosen, s.opt.Effort)
		if status == solve.Infeasible {
			continue
		}
		if status == solve.Feasible {
			s.lowest(run, chosen)
			if run.res.Height < best {
				res.At, best = s.addresses(chosen, run.res.At), run.res.Height
			}
		}
		res.HeightBound = min(res.HeightBound, run.res.Bound)
	}
	if res.HeightBound < best {
		res.HeightBound = max(res.HeightBound, s.bare())
	}
}

// infeasible says what is known of an arena without a placement.
func (s *arenaSolver) infeasible() {
	c, ok := s.core(s.must)
	if !ok {
		return
	}
	var top []int32
	if s.res.HeightBound, top = c.bound(); s.res.HeightBound <= s.ceiling {
		return
	}
	seen := map[int32]bool{}
	for _, r := range top {
		if i := c.rects[r].item; !seen[i] {
			seen[i] = true
			s.res.Clash = append(s.res.Clash, int(i))
		}
	}
}

// addresses are those of the items of a placement of groups.
func (s *arenaSolver) addresses(chosen []bool, group []int64) Placement {
	c, _ := s.core(chosen)
	at := make(Placement, len(s.Items))
	for i := range at {
		at[i] = group[c.home[i].variable] + c.home[i].off
	}
	return at
}
