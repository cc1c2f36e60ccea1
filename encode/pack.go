package encode

import (
	"context"
	"time"

	"ipusolve/solve"
)

// PackResult is the answer to a packing.
type PackResult struct {
	// Status is about the height: Optimal when At reaches Bound, Feasible when At
	// is a placement above Bound, Infeasible when no placement ends at or below
	// the capacity.
	Status solve.Status
	At     Placement // nil unless Optimal or Feasible
	Height int64     // of At
	// Bound is proven: no placement is lower. The bound by live addresses is
	// Packing.Bound; a greater one was proven by exhaustive search, of which no
	// certificate is kept.
	Bound int64
	// Clash are items that are alive together and larger than the capacity in
	// sum, when that alone makes the packing infeasible.
	Clash []int
	Stats PackStats
}

// PackStats says what a packing cost. All but Duration are deterministic.
type PackStats struct {
	Nodes    int64 // of the search; 0 when a constructive placement was enough
	Searches int   // capacities tried
	Restarts int
	Repeats  int64 // subproblems known to fail
	Duration time.Duration
}

// packRestart is the nodes of the shortest run between two restarts; runs
// follow Luby's sequence 1, 1, 2, 1, 1, 2, 4, …
const packRestart = 1000

// SolvePacking looks for any placement within the capacity: constructive ones,
// then the exact search. Options.Effort limits its nodes, and Disable may list
// PackTechniques; Seed, Threads and WarmStart have no meaning here. A limit or
// a cancelled context ends it with Status Unknown. The error is about the
// record and wraps ErrPacking.
func SolvePacking(ctx context.Context, p *Packing, opt solve.Options) (*PackResult, error) {
	return solvePacking(ctx, p, opt, func(s *packing) { s.decide(s.capacity, s.opt.Effort) })
}

// MinimisePacking looks for the lowest placement within the capacity. A limit
// ends it with the best so far and the bound reached; Options.Gap ends it early.
func MinimisePacking(ctx context.Context, p *Packing, opt solve.Options) (*PackResult, error) {
	return solvePacking(ctx, p, opt, (*packing).minimise)
}

// packing is one call.
type packing struct {
	core     *packCore
	ctx      context.Context
	opt      solve.Options
	use      packInferences
	capacity int64 // the greatest height to find, a multiple of grain
	grain    int64 // divides the height of every settled placement
	res      *PackResult
}

func solvePacking(ctx context.Context, p *Packing, opt solve.Options, search func(*packing)) (*PackResult, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	begin := time.Now()
	if opt.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.TimeLimit)
		defer cancel()
	}
	s := newPackRun(ctx, newPackCore(p), p.Capacity, opt)
	res := s.res
	var top []int32
	res.Bound, top = p.live()
	if res.Bound > p.Capacity {
		res.Status = solve.Infeasible
		for _, i := range top {
			res.Clash = append(res.Clash, int(i))
		}
	} else {
		if s.use.greedy {
			s.found(packGreedy(ctx, s.core, s.capacity, res.Bound))
		}
		search(s)
		if res.At != nil {
			res.Status = solve.Feasible
			if res.Height == res.Bound {
				res.Status = solve.Optimal
			}
		} else if res.Bound > p.Capacity {
			res.Status = solve.Infeasible
		}
	}
	res.Stats.Duration = time.Since(begin)
	if opt.Log != nil {
		opt.Log.Info("packing", "name", p.Name, "items", len(p.Items), "status", res.Status, "height", res.Height, "bound", res.Bound,
			"capacity", p.Capacity, "nodes", res.Stats.Nodes, "restarts", res.Stats.Restarts)
	}
	return res, nil
}

// newPackRun starts a call for heights up to capacity.
func newPackRun(ctx context.Context, c *packCore, capacity int64, opt solve.Options) *packing {
	return &packing{core: c, ctx: ctx, opt: opt, use: newPackInferences(opt.Disable), grain: c.grain,
		capacity: capacity / c.grain * c.grain, res: &PackResult{}}
}

// found takes a placement (nil: none) that is better than the best.
func (s *packing) found(at []int64) {
	if at == nil {
		return
	}
	if h := s.core.height(at); h <= s.capacity && (s.res.At == nil || h < s.res.Height) {
		s.res.At, s.res.Height = at, h
	}
}

// decide looks for a placement up to height with at most so many nodes (0 = no
// limit), and reports whether it knows the answer now.
func (s *packing) decide(height, nodes int64) bool {
	if s.res.At != nil && s.res.Height <= height {
		return true
	}
	s.res.Stats.Searches++
	x := newPackSearch(s.ctx, s.core, height, s.use)
	stop := nodes
	if nodes <= 0 {
		stop = 1 << 62
	}
	fits := false
	for run := 1; ; run++ {
		limit := stop
		if s.use.restarts {
			limit = min(limit, x.nodes+packRestart*luby(run))
		}
		fits = x.run(limit)
		if fits || !x.stopped || x.nodes >= stop || s.ctx.Err() != nil {
			break
		}
		s.res.Stats.Restarts++
	}
	s.res.Stats.Nodes += x.nodes
	s.res.Stats.Repeats += x.hits
	switch {
	case fits:
		s.found(x.low)
	case x.stopped:
		return false
	default:
		s.res.Bound = max(s.res.Bound, height+s.grain)
	}
	return true
}

// minimise tries the bound itself, then closes in on the best height from
// below and above with growing numbers of nodes.
func (s *packing) minimise() {
	res := s.res
	for nodes := int64(packRestart); ; nodes *= 2 {
		// Heights from low to high are undecided; mid moves to where answers come.
		low, high := s.ceil(res.Bound), s.capacity
		if res.At != nil {
			high = res.Height - s.grain
		}
		for mid := low; low <= high; {
			left := nodes
			if s.opt.Effort > 0 {
				left = min(left, s.opt.Effort-res.Stats.Nodes)
			}
			if left <= 0 || s.ctx.Err() != nil || s.withinGap() {
				return
			}
			switch known := s.decide(mid, left); {
			case !known || res.Bound > mid:
				low = mid + s.grain
			default:
				high = res.Height - s.grain
			}
			if low = max(low, s.ceil(res.Bound)); low <= high {
				mid = s.ceil(low + (high-low)/2)
				mid = min(mid, high)
			}
		}
		low = s.ceil(res.Bound)
		if res.At != nil && res.Height <= low || low > s.capacity {
			res.Bound = low // heights are multiples of the grain
			return
		}
	}
}

func (s *packing) withinGap() bool {
	return s.res.At != nil && s.opt.Gap > 0 && float64(s.res.Height-s.res.Bound) <= s.opt.Gap*float64(s.res.Height)
}

// ceil rounds up to a height that a settled placement may have.
func (s *packing) ceil(height int64) int64 {
	return (height + s.grain - 1) / s.grain * s.grain
}

// grain divides all sizes and all alignments that ever move an item, so that
// it divides all addresses of a settled placement.
func (p *Packing) grain() int64 {
	var g int64
	for i := range p.Items {
		g = gcd(g, p.Items[i].Size)
	}
	for changed := true; changed && g > 1; {
		changed = false
		for i := range p.Items {
			if a := p.Items[i].Align; a > 1 && g%a != 0 && a%g != 0 {
				g, changed = gcd(g, a), true
			}
		}
	}
	return max(g, 1)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// luby is the i-th term of Luby's sequence, i ≥ 1.
func luby(i int) int64 {
	for k := 1; ; k++ {
		switch full := 1<<k - 1; {
		case i == full:
			return 1 << (k - 1)
		case i < full:
			return luby(i - (1<<(k-1) - 1))
		}
	}
}
